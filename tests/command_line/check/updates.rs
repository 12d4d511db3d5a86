//! `check` on updates whose results nothing reads: their order does not matter, unless a thread synchronizes through them.

use crate::{run_in, scratch};
use std::fs;
use std::path::Path;

/// Checks that a kernel of two CTAs with some arguments is refuted by a race.
fn assert_races((folder, name): (&Path, &str), text: &str, arguments: &[&str]) {
    fs::write(folder.join(name), text).expect("written");
    let arguments = arguments.iter().flat_map(|argument| ["--arg", argument]);
    let asked: Vec<&str> = ["check", name, "--grid", "2"].into_iter().chain(arguments).collect();
    let checked = run_in(folder, &asked, b"");
    assert_eq!(checked.code, 1, "{name}: {}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("race"), "{name}: {}", checked.stdout);
}

/// Two CTAs, of which one writes data and then updates `x`, the other updates `x` and then reads the data.
fn message(update: &str) -> String {
    format!(
        "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 x, .param .u64 out) {{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [x];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra READER;
  st.global.u32 [%rd1], 1;
  fence.acq_rel.gpu;
  {update}
  ret;
READER:
  {update}
  fence.acq_rel.gpu;
  ld.global.u32 %r2, [%rd1];
  st.global.u32 [%rd3], %r2;
  ret;
}}
"
    )
}

#[test]
fn the_reader_may_update_first() {
    let folder = scratch("updates");
    let red = message("red.relaxed.gpu.global.add.u32 [%rd2], 1;");
    let atom = message("atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;");
    for (name, text) in [("red.ptx", red), ("atom.ptx", atom)] {
        assert_races((&folder, name), &text, &["0=u32[1]", "1=u32[1]", "2=u32[1]"]);
    }
    fs::remove_dir_all(folder).expect("removed");
}

/// Two CTAs that update `x`; the second one then reads it by a weak load.
const OBSERVED: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) {
  .reg .b64 %rd1;
  .reg .b32 %r<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p, %r1, 0;
  atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;
  @!%p ret;
  ld.global.u32 %r3, [%rd1];
  st.global.u32 [%rd1+8], %r3;
  ret;
}
";

/// A function whose second call executes a fence after the update of the first one.
const CALLED_TWICE: &str = "\
.version 8.6
.target sm_90
.address_size 64
.func f(.reg .b64 %x) {
  .reg .b32 %d;
  fence.acq_rel.gpu;
  atom.relaxed.gpu.global.add.u32 %d, [%x], 1;
  ret;
}
.visible .entry k(.param .u64 x) {
  .reg .b64 %rd1;
  .reg .b32 %r<3>;
  .reg .pred %p;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra READER;
  st.global.u32 [%rd1+4], 1;
  call f, (%rd1);
  ret;
READER:
  call f, (%rd1);
  call f, (%rd1);
  ld.global.u32 %r2, [%rd1+4];
  st.global.u32 [%rd1+8], %r2;
  ret;
}
";

#[test]
fn what_a_thread_has_observed_or_acquired_later_depends_on_the_order() {
    let folder = scratch("observed_updates");
    let red = OBSERVED.replace("atom", "red").replace("%r2, [", "[");
    let updates = [("atom.ptx", OBSERVED), ("red.ptx", &red), ("twice.ptx", CALLED_TWICE)];
    for (name, text) in updates {
        assert_races((&folder, name), text, &["x=u32[4]"]);
    }
    fs::remove_dir_all(folder).expect("removed");
}

/// Each thread counts one value in shared memory, and some add what they find there to global memory.
const HISTOGRAM: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 bins) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<9>;
  .reg .pred %p;
  .shared .align 4 .b32 counts[4];
  ld.param.u64 %rd1, [bins];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, counts;
  and.b32 %r3, %r1, 3;
  mad.lo.u32 %r4, %r3, 4, %r2;
  setp.lt.u32 %p, %r1, 4;
  @%p st.shared.u32 [%r4], 0;
  bar.sync 0;
  atom.shared.add.u32 %r5, [%r4], 1;
  bar.sync 0;
  @!%p ret;
  ld.shared.u32 %r6, [%r4];
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd2, %rd2, %rd1;
  atom.global.add.u32 %r7, [%rd2], %r6;
  ret;
}
";

#[test]
fn updates_without_a_reader_are_explored_in_one_order() {
    let folder = scratch("histogram");
    fs::write(folder.join("k.ptx"), HISTOGRAM).expect("written");
    let arguments = ["check", "k.ptx", "--grid", "2", "--block", "128", "--arg", "bins=u32[4]"];
    let checked = run_in(&folder, &[&arguments[..], &["--require", "bins[0] == 64 && bins[3] == 64"]].concat(), b"");
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    assert!(
        checked.stdout.contains("(256 threads, 1 execution, 1 state, 1 distinct final state)"),
        "{}",
        checked.stdout
    );
    fs::remove_dir_all(folder).expect("removed");
}

/// What `nvcc -G` makes of `atomicAdd`: the result is passed on from function to function, and nobody uses it.
const PASSED_ON: &str = "\
.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 result) add(.param .b64 to) {
  .reg .b64 %to;
  .reg .b32 %old;
  ld.param.u64 %to, [to];
  atom.add.u32 %old, [%to], 1;
  st.param.b32 [result+0], %old;
  ret;
}
.func (.param .b32 result) pass(.param .b64 to) {
  .reg .b64 %to, %own;
  .reg .b32 %old, %same;
  ld.param.u64 %to, [to];
  {
  .param .b64 to_add;
  .param .b32 sum;
  st.param.b64 [to_add+0], %to;
  call.uni (sum), add, (to_add);
  ld.param.b32 %old, [sum+0];
  }
  mov.b32 %same, %old;
  st.param.b32 [result+0], %same; // passed
  ret;
}
.visible .entry k(.param .u64 bins) {
  .reg .b64 %bins, %at;
  .reg .b32 %old, %thread;
  ld.param.u64 %bins, [bins];
  mov.u32 %thread, %tid.x;
  {
  .param .b64 to_pass;
  .param .b32 got;
  st.param.b64 [to_pass+0], %bins;
  call.uni (got), pass, (to_pass);
  ld.param.b32 %old, [got+0]; // got
  }
  ret;
}
";

#[test]
fn results_that_functions_only_pass_on_are_not_used() {
    let folder = scratch("passed_on");
    let states = |name: &str, text: &str| {
        fs::write(folder.join(name), text).expect("written");
        let options = ["--grid", "2", "--block", "2", "--arg", "bins=u32[8]", "--require", "bins[0] == 4"];
        let checked = run_in(&folder, &[&["check", name, "--format", "json"], &options[..]].concat(), b"");
        let found: serde_json::Value = serde_json::from_str(&checked.stdout).expect("JSON");
        assert_eq!(found["verdict"], "proved", "{name}: {found}");
        found["states"].as_u64().expect("a number")
    };
    assert_eq!(states("unused.ptx", PASSED_ON), 1);
    let used = [
        // By a kernel, by a function on the way, and through a pointer to the memory for the result.
        ("// got", "mul.wide.u32 %at, %old, 4;\n  add.s64 %at, %at, %bins;\n  st.global.u32 [%at+16], %thread;"),
        ("// passed", "red.relaxed.gpu.global.max.u32 [%to+4], %same;\n  st.relaxed.gpu.global.u32 [%to+8], %same;"),
        (
            "// passed",
            "mov.b64 %own, result;\n  ld.local.b32 %same, [%own];\n  st.relaxed.gpu.global.u32 [%to+8], %same;",
        ),
    ];
    for (at, (comment, more)) in used.into_iter().enumerate() {
        let text = PASSED_ON.replace(comment, &format!("\n  {more}"));
        assert!(states(&format!("used{at}.ptx"), &text) > 4, "{more}");
    }
}
