//! Problems of a compiled source are shown at its lines, with the names of its author, their cause and the remedy.

use crate::Run;
use crate::run::sources::{folder_with, run_with_path};
use serde_json::Value;
use std::path::Path;

/// A barrier is missing before line 7.
const ROWS: &str = "\
__global__ void rows(unsigned* out) {
  __shared__ unsigned bins[2][32];
  bins[threadIdx.x / 32][threadIdx.x & 31] = 0;
  __syncthreads();
  const unsigned i = threadIdx.x;
  bins[i / 32][i & 31] = i;
  if (i < 64) out[i] = bins[1][0]; // by all
}
";

/// What a compiler makes of it.
const ROWS_PTX: &str = "\
.visible .entry _Z4rowsPj(.param .u64 _Z4rowsPj_param_0)
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 _ZZ4rowsPjE4bins[256];
	.loc 1 1 0
	ld.param.u64 %rd1, [_Z4rowsPj_param_0];
	cvta.to.global.u64 %rd1, %rd1;
	.loc 1 3 3
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, _ZZ4rowsPjE4bins;
	add.u32 %r3, %r3, %r2;
	mov.u32 %r5, 0;
	st.shared.u32 [%r3], %r5;
	.loc 1 4 3
	bar.sync 0;
	.loc 1 6 3
	st.shared.u32 [%r3], %r1;
	.loc 1 7 3
	setp.gt.u32 %p, %r1, 63;
	@%p bra END;
	ld.shared.u32 %r4, [_ZZ4rowsPjE4bins+128];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r4;
END:
	.loc 1 8 1
	ret;
}
";

/// Fences are missing before the lines 5 and 7.
const PASS: &str = "\
__device__ unsigned flag;
__global__ void pass(unsigned* data, unsigned* out) {
  if (blockIdx.x == 0) {
    data[0] = 1;
    atomicExch(&flag, 1);
  } else if (atomicAdd(&flag, 0) == 1) {
    out[0] = data[0];
  }
}
";

/// What a compiler makes of it; the atomics are from a header.
const PASS_PTX: &str = "\
.global .align 4 .u32 flag;
.visible .entry _Z4passPjS_(.param .u64 _Z4passPjS__param_0, .param .u64 _Z4passPjS__param_1)
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	.loc 1 2 0
	ld.param.u64 %rd1, [_Z4passPjS__param_0];
	ld.param.u64 %rd2, [_Z4passPjS__param_1];
	mov.u64 %rd3, flag;
	.loc 1 3 3
	mov.u32 %r1, %ctaid.x;
	setp.ne.u32 %p, %r1, 0;
	@%p bra OTHER;
	.loc 1 4 5
	mov.u32 %r2, 1;
	st.global.u32 [%rd1], %r2;
	.loc 1 5 5
	.loc 2 90 3, function_name $info, inlined_at 1 5 5
	atom.global.exch.b32 %r3, [%rd3], 1;
	bra END;
OTHER:
	.loc 1 6 10
	.loc 2 112 3, function_name $info, inlined_at 1 6 10
	atom.global.add.u32 %r4, [%rd3], 0;
	.loc 1 6 10
	setp.ne.u32 %p, %r4, 1;
	@%p bra END;
	.loc 1 7 5
	ld.global.u32 %r5, [%rd1];
	st.global.u32 [%rd2], %r5;
END:
	.loc 1 9 1
	ret;
}
";

/// Checks a source of which a stored module is made.
fn checked(name: &str, (source, body): (&str, &str), header: &Path, arguments: &[&str]) -> Run {
    let (folder, nvcc) = folder_with(name, source);
    let path = folder.join("k.cu").canonicalize().expect("a path");
    let ptx = format!(
        ".version 8.6\n.target sm_75\n.address_size 64\n{body}.file 1 \"{}\"\n.file 2 \"{}\"\n.section .debug_str\n{{\n$info:\n.b8 97,0\n}}\n",
        path.display(),
        header.display(),
    );
    std::fs::write(folder.join("stored.ptx"), ptx).expect("written");
    run_with_path(&folder, "/bin", &[&["check", "k.cu", "--nvcc", &nvcc], arguments].concat())
}

fn check_rows(name: &str, more: &[&str]) -> Run {
    let launch = ["--block", "64", "--arg", "out=u32[64]"];
    checked(name, (ROWS, ROWS_PTX), Path::new("/h.hpp"), &[&launch, more].concat())
}

fn check_pass(name: &str, header: &Path, more: &[&str]) -> Run {
    let launch = ["--grid", "2", "--arg", "data=u32[1]", "--arg", "out=u32[1]"];
    checked(name, (PASS, PASS_PTX), header, &[&launch, more].concat())
}

#[test]
fn a_missing_barrier_is_shown_at_the_source() {
    let found = check_rows("barrier", &[]);
    let expected = "\
error[data-race]: data race on `bins[1][0]`: this read and a write of another thread are not ordered
 --> k.cu:7:3
  |
6 |   bins[i / 32][i & 31] = i;
  |   ------------------------- 1: thread 32 of block 0 writes 32 to `bins[1][0]`
7 |   if (i < 64) out[i] = bins[1][0]; // by all
  |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 2: thread 63 of block 0 reads `bins[1][0]`
  |
  = cause: no `__syncthreads()` and no `__syncwarp()` between line 6 and line 7
  = help: insert `__syncthreads();` before line 7: with it no execution of this launch has a problem
refuted: ";
    assert!(found.stdout.starts_with(expected), "{}{}", found.stdout, found.stderr);
    assert_eq!(found.stdout.matches("error[").count(), 1, "{}", found.stdout);
}

#[test]
fn missing_fences_are_shown_at_the_source() {
    let found = check_pass("fences", Path::new("/h.hpp"), &[]);
    let expected = "\
  = cause: `flag` is written without release: no `__threadfence()` between line 4 and line 5
  = help: insert `__threadfence();` before line 5, and insert `__threadfence();` before line 7: with them no execution of this launch has a problem
refuted: 1 problem";
    assert!(found.stdout.contains(expected), "{}{}", found.stdout, found.stderr);
    for line in [
        "4 |     data[0] = 1;\n  |     ------------ 1: thread 0 of block 0 writes 1 to `data`",
        "2: thread 0 of block 0 reads 0 from `flag`, writes 1\n6 |",
        "3: thread 0 of block 1 reads 1 from `flag`, writes 1",
        "^^^^^^^^^^^^^^^^^ 4: thread 0 of block 1 reads `data`",
    ] {
        assert!(found.stdout.contains(line), "{line}\n{}", found.stdout);
    }
    let lines = found.stdout.lines().count();
    assert!(lines <= 25, "{lines} lines:\n{}", found.stdout);
}

/// Orders are missing in the lines 6 and 7.
const ORDERS: &str = "\
__device__ cuda::atomic<unsigned> flag;
__global__ void pass(unsigned* data, unsigned* out) {
  if (blockIdx.x == 0) {

    data[0] = 1;
    flag.store(1, cuda::memory_order_relaxed);
  } else if (flag.load(cuda::memory_order_relaxed) == 1) {
    out[0] = data[0];
  }
}
";

#[test]
fn missing_orders_of_atomics_are_words_of_their_line() {
    let mut ptx = PASS_PTX
        .replace("atom.global.exch.b32 %r3, [%rd3], 1;", "st.relaxed.gpu.global.u32 [%rd3], 1;")
        .replace("atom.global.add.u32 %r4, [%rd3], 0;", "ld.relaxed.gpu.global.u32 %r4, [%rd3];");
    for line in (4..10).rev() {
        ptx = ptx.replace(&format!(" 1 {line} "), &format!(" 1 {} ", line + 1));
    }
    let launch = ["--grid", "2", "--arg", "data=u32[1]", "--arg", "out=u32[1]"];
    let found = checked("orders", (ORDERS, &ptx), Path::new("/h.hpp"), &launch).stdout;
    let help = "\
  = help: use `memory_order_release` instead of `memory_order_relaxed` in line 6, and use `memory_order_acquire` instead of `memory_order_relaxed` in line 7: with them no execution of this launch has a problem
";
    assert!(found.contains(help), "{found}");
}

#[test]
fn the_lines_of_ptx_and_all_events_are_shown_on_request() {
    let ptx = check_rows("ptx", &["--ptx"]).stdout;
    assert!(ptx.starts_with("k.cu.ptx:27:2: error[data-race]: "), "{ptx}");
    assert!(ptx.contains("\n  cause: no barrier between "), "{ptx}");
    let events = |text: &str| text.lines().filter(|line| line.contains(": line ")).count();
    assert!(events(&ptx) <= 4, "{ptx}");
    let all = check_rows("events", &["--all-events"]).stdout;
    assert!(all.starts_with("error[data-race]: data race on `bins[1][0]`") && events(&all) > 12, "{all}");
}

/// A barrier in a branch that half of a warp takes.
const HALF: &str = "\
__global__ void half(unsigned* out) {
  __shared__ unsigned v[32];
  if (threadIdx.x < 16) {
    v[threadIdx.x] = 1;
    __syncthreads();
  }
  out[threadIdx.x] = v[0];
}
";

/// What a compiler makes of it.
const HALF_PTX: &str = "\
.visible .entry _Z4halfPj(.param .u64 _Z4halfPj_param_0)
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 _ZZ4halfPjE1v[128];
	.loc 1 1 0
	ld.param.u64 %rd1, [_Z4halfPj_param_0];
	.loc 1 3 3
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	setp.gt.u32 %p, %r1, 15;
	@%p bra REST;
	.loc 1 4 5
	mov.u32 %r3, _ZZ4halfPjE1v;
	add.u32 %r3, %r3, %r2;
	mov.u32 %r4, 1;
	st.shared.u32 [%r3], %r4;
	.loc 1 5 5
	bar.sync 0;
REST:
	.loc 1 7 3
	ld.shared.u32 %r5, [_ZZ4halfPjE1v];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r5;
	ret;
}
";

/// Races follow from a barrier that some lanes do not reach, and no statement repairs them.
#[test]
fn a_barrier_that_lanes_do_not_reach_is_told_first() {
    let launch = ["--block", "32", "--arg", "out=[32]"];
    let found = checked("half", (HALF, HALF_PTX), Path::new("/h.hpp"), &launch).stdout;
    assert!(found.starts_with("error[barrier-divergence]: ") && found.contains("\n --> k.cu:5:5\n"), "{found}");
    assert!(found.contains("error[data-race]: data race on `v[0]`"), "{found}");
    assert!(!found.contains("help:"), "{found}");
}

/// A change of an instruction that is no statement of CUDA C++ names the line of the source.
#[test]
fn a_repair_names_the_line_of_the_source() {
    let found = check_pass("repair", Path::new("/h.hpp"), &["--repair"]).stdout;
    assert!(found.contains("\nrepair: k.cu:4: `st.global.u32 "), "{found}");
}

#[test]
fn programs_read_the_cause_and_the_remedy() {
    let found = check_rows("json", &["--format", "json"]);
    let found: Value = serde_json::from_str(&found.stdout).expect("JSON");
    let execution = &found["problems"][0]["execution"];
    assert_eq!(execution["cause"]["kind"], "no-warp-barrier", "{execution}");
    let memory = |at: &Value| {
        let at = at.as_u64().expect("a number") as usize;
        execution["events"][at]["accesses"][0]["memory"].as_str().expect("a name").to_owned()
    };
    let accesses = execution["cause"]["accesses"].as_array().expect("a list");
    assert_eq!(accesses.iter().map(memory).collect::<Vec<_>>(), ["bins[1][0]", "bins[1][0]"]);
    let remedy = serde_json::json!([{ "path": "k.cu", "line": 7, "insert": "__syncthreads();" }]);
    assert_eq!(found["remedy"], remedy);
}

#[test]
fn files_outside_of_the_working_directory_are_not_shown() {
    let outside = std::env::temp_dir().join(format!("ptx-atomics-secret-{}.hpp", std::process::id()));
    std::fs::write(&outside, "secret\n".repeat(200)).expect("written");
    let found = check_pass("outside", &outside, &[]);
    assert!(found.stdout.contains("k.cu:7:5") && !found.stdout.contains("secret"), "{}", found.stdout);
    std::fs::remove_file(&outside).expect("removed");
}
