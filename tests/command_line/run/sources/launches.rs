//! Launches that a source says, in its code or in comments, and several launches of one command.

use crate::Run;
use crate::run::sources::{folder_with, run_with_path};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// A source whose host launches it with sizes that depend on each other.
const COUNT: &str = "\
__global__ void count(unsigned* out, int n) { if (blockIdx.x * 4 + threadIdx.x < n) atomicAdd(out, 1u); }
";

/// What a compiler makes of it.
const COUNT_PTX: &str = "\
.version 8.6
.target sm_75
.address_size 64
.visible .entry _Z5countPji(.param .u64 _Z5countPji_param_0, .param .u32 _Z5countPji_param_1)
{
	.reg .pred %p;
	.reg .b32 %r<5>;
	.reg .b64 %out;
	ld.param.u64 %out, [_Z5countPji_param_0];
	ld.param.u32 %r1, [_Z5countPji_param_1];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mad.lo.s32 %r4, %r3, 4, %r2;
	setp.ge.s32 %p, %r4, %r1;
	@%p bra END;
	red.relaxed.gpu.global.add.u32 [%out], 1;
END:
	ret;
}
";

/// A folder with a source, whose compiler copies the stored module.
struct Source {
    folder: PathBuf,
    nvcc: String,
}

impl Source {
    fn new(name: &str, host: &str) -> Self {
        let (folder, nvcc) = folder_with(name, &format!("{COUNT}{host}"));
        fs::write(folder.join("stored.ptx"), COUNT_PTX).expect("written");
        Self { folder, nvcc }
    }

    fn run(&self, command: &str, more: &[&str]) -> Run {
        run_with_path(&self.folder, "/bin", &[&[command, "k.cu", "--nvcc", &self.nvcc], more].concat())
    }

    /// The line that says which launch it was.
    fn launch(&self, command: &str, more: &[&str]) -> String {
        let run = self.run(command, more);
        let line = run.stdout.lines().find_map(|line| line.strip_prefix("launch: "));
        line.unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr)).to_owned()
    }
}

/// The grid is computed from a number of elements.
const BY_ELEMENTS: &str = "\
inline int up(int a, int b) { return (a + b - 1) / b; }
void start() {
  const int n = 1001;
  unsigned* out; cudaMalloc(&out, n * sizeof(unsigned));
  count<<<up(n, 4), 4>>>(out, n);
}
";

#[test]
fn grid_and_sizes_shrink_by_their_relation() {
    let source = Source::new("relation", BY_ELEMENTS);
    assert_eq!(source.launch("run", &[]), "count<<<251, 4>>> by line 6, out=[1001], n=1001");
    assert_eq!(source.launch("check", &[]), "count<<<2, 4>>> by line 6, of a grid of 251, out=[5], n=5 of 1001");
    // What the command line says, the sizes follow.
    assert_eq!(source.launch("run", &["--arg", "n=9"]), "count<<<3, 4>>> by line 6, out=[9]");
    assert_eq!(source.launch("run", &["--arg", "1=s32=9"]), "count<<<3, 4>>> by line 6, out=[9]");
    assert_eq!(
        source.launch("run", &["--grid", "1", "--block", "2"]),
        "count<<<1, 2>>> by line 6, of a grid of 251, out=[1001], n=1001"
    );
    // What the host asserts holds in each launch.
    let asserted = |n: &str, condition: &str| {
        let host = BY_ELEMENTS.replace("const int n = 1001;", &format!("int n = {n}; assert({condition});"));
        Source::new(&format!("asserted-{n}"), &host).launch("check", &[])
    };
    assert_eq!(asserted("1000", "n % 2 == 0"), "count<<<2, 4>>> by line 6, of a grid of 250, out=[8], n=8 of 1000");
    assert_eq!(asserted("999", "n % 3 == 0"), "count<<<2, 4>>> by line 6, of a grid of 250, out=[999], n=999");
    let equal = BY_ELEMENTS.replace("start() {\n  const int n = 1001;", "start(int n) {\n  assert(n == 9);");
    let equal = Source::new("equal", &equal);
    assert_eq!(equal.launch("run", &[]), "count<<<3, 4>>> by line 6, out=[9], n=9");
    assert_eq!(equal.launch("check", &[]), "count<<<2, 4>>> by line 6, of a grid of 3, out=[9], n=9");
}

#[test]
fn arguments_that_are_multiples_of_the_threads_shrink_with_a_grid_of_its_own() {
    let host = "int main() {\n  unsigned* out; int n = 64;\n  cudaMalloc(&out, n * sizeof(unsigned));\n  count<<<8, 4>>>(out, n);\n}\n";
    let source = Source::new("multiples", host);
    assert_eq!(source.launch("check", &[]), "count<<<2, 4>>> by line 5, of a grid of 8, out=[16], n=16 of 64");
    let few = Source::new("few", &host.replace("n = 64", "n = 30"));
    assert_eq!(few.launch("check", &[]), "count<<<2, 4>>> by line 5, of a grid of 8, out=[30], n=30");
}

/// A small launch that is refuted is what the verdict is about: one block, and one element for each thread.
#[test]
fn the_smallest_launch_with_a_problem_is_shown() {
    let host = "int main() {\n  unsigned* out; int n = 64;\n  cudaMalloc(&out, 4);\n  count<<<8, 4>>>(out, n);\n}\n";
    let source = Source::new("smallest", host);
    let race = COUNT_PTX.replace("red.relaxed.gpu.global.add.u32 [%out], 1;", "st.global.u32 [%out], %r4;");
    fs::write(source.folder.join("stored.ptx"), race).expect("written");
    let refuted = source.run("check", &[]);
    let launch = "launch: count<<<1, 4>>> by line 5, of a grid of 8, out=[1], n=4 of 64\n";
    assert!(refuted.code == 1 && refuted.stdout.ends_with(launch), "{}{}", refuted.stdout, refuted.stderr);
    assert_eq!(refuted.stdout.matches("refuted").count(), 1, "{}", refuted.stdout);
}

#[test]
fn launches_by_a_function_have_their_sizes() {
    let host = "\
int main() {
  unsigned* out; cudaMalloc(&out, 4);
  cudaLaunchConfig_t config = {};
  config.gridDim = 2; config.blockDim = dim3(4, 1); config.dynamicSmemBytes = 0;
  cudaLaunchKernelEx(&config, count, out, 7);
}
";
    assert_eq!(Source::new("function", host).launch("run", &[]), "count<<<2, 4>>> by line 6, out=[1], n=7");
}

#[test]
fn launches_that_are_not_certain_are_proposed() {
    let two =
        "void f(unsigned* out) { count<<<8, 4>>>(out, 3); }\nvoid g(unsigned* out) { count<<<1, 32>>>(out, 3); }\n";
    let found = Source::new("proposed", two).run("run", &[]);
    let several =
        "the source has several launches of `count`: line 2: --grid 8 --block 4; line 3: --grid 1 --block 32\n";
    assert!(found.code == 2 && found.stderr.ends_with(several), "{}", found.stderr);
    let found = Source::new("none", "").run("run", &["--arg", "out=[1]", "--arg", "n=1"]);
    assert!(
        found.stdout.ends_with("note: no launch of `count` in the source: use --grid and --block\n"),
        "{}",
        found.stdout
    );
}

#[test]
fn a_sweep_runs_and_checks_many_launches() {
    let source = Source::new("sweep", "");
    let sweep = ["--arg", "out=[1]", "--sweep", "n=1..=2", "--sweep", "block=2,4", "--expect", "out=1"];
    let checked = source.run("check", &sweep);
    let table = "\
n  block  result
1  2      proved
1  4      proved
2  2      refuted  claim
2  4      refuted  claim
";
    assert!(checked.code == 1 && checked.stdout.starts_with(table), "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.ends_with("4 launches: 2 proved, 2 refuted\n"), "{}", checked.stdout);
    assert_eq!(checked.stdout.matches("expected").count(), 1, "{}", checked.stdout);
    let ran = source.run("run", &sweep);
    assert!(ran.code == 1 && ran.stdout.contains("2  4      problem"), "{}{}", ran.stdout, ran.stderr);
    let ran = source.run("run", &[&sweep[..4], &["--sweep", "grid=0"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("--sweep grid=0: a size is 0"), "{}", ran.stderr);
    let json = source.run("run", &[&sweep[..], &["--format", "json"]].concat()).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["launches"][3]["settings"], serde_json::json!({ "n": "2", "block": "4" }));
    assert_eq!(
        (&json["launches"][3]["result"], json["launches"][3]["output"]["schema"].as_u64()),
        (&Value::from("problem"), Some(1))
    );
}

#[test]
fn a_proved_launch_is_written_into_the_source_and_checked_from_there() {
    let host = "int main() {\n  unsigned* out;\n  cudaMalloc(&out, 4);\n  count<<<2, 4>>>(out, 5);\n}\n";
    let source = Source::new("comment", host);
    let text = || fs::read_to_string(source.folder.join("k.cu")).expect("a file");
    let refuted = source.run("check", &["--write-comment", "--expect", "out=1"]);
    assert!(refuted.code == 1 && !text().contains("//!"), "{}", text());
    let written = source.run("check", &["--write-comment", "--expect", "out=5"]);
    assert_eq!(written.code, 0, "{}{}", written.stdout, written.stderr);
    let comment = "}\n//! check count grid 2 block 4 out=[1] n=5\n//! expect out == 5\n";
    assert!(text().ends_with(comment), "{}", text());
    for _ in 0..2 {
        let checked = source.run("check", &["--write-comment"]);
        let expected = "line  kernel  result\n7     count   proved\n1 launch: 1 proved\n";
        assert_eq!((checked.code, &*checked.stdout), (0, expected), "{}", checked.stderr);
        assert!(text().ends_with(comment));
    }
    fs::write(source.folder.join("k.cu"), text().replace("out == 5", "out == 4")).expect("written");
    let checked = source.run("check", &[]);
    assert!(checked.code == 1 && checked.stdout.contains("refuted  claim"), "{}", checked.stdout);
    fs::write(source.folder.join("k.cu"), text().replace("grid 2", "gird 2")).expect("written");
    let checked = source.run("check", &[]);
    assert!(checked.code == 2 && checked.stderr.contains("k.cu:7: unknown option `gird`"), "{}", checked.stderr);
}
