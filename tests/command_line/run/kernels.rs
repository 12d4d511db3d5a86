//! `run`: kernels, their memory afterwards, and the mistakes that are found.

use crate::run::unordered_buffers::is_allowed;
use crate::{Run, run_in, scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The seeds that every kernel of the fixtures is run with.
const SEEDS: [&str; 3] = ["0", "1", "2"];

fn folder() -> PathBuf {
    support::root().join("tests/fixtures/kernels")
}

/// What follows a marker in the lines of a text, with the numbers of the lines.
fn marked<'t>(text: &'t str, marker: &str) -> Vec<(usize, &'t str)> {
    let lines = text.lines().zip(1..);
    lines.filter_map(|(line, number)| Some((number, line.split_once(marker)?.1.trim()))).collect()
}

fn run_kernel(folder: &Path, file: &str, arguments: &[&str]) -> Run {
    let all: Vec<&str> = ["run", file].into_iter().chain(arguments.iter().copied()).collect();
    run_in(folder, &all, b"")
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
}

/// The code and the line of each problem.
fn problems(result: &Value) -> BTreeSet<(usize, String)> {
    let list = result["problems"].as_array().expect("a list");
    let line = |problem: &Value| problem["lines"][0].as_u64().unwrap_or(0) as usize;
    let code = |problem: &Value| problem["code"].as_str().expect("a code").to_owned();
    list.iter().map(|problem| (line(problem), code(problem))).collect()
}

#[test]
fn kernels_do_what_their_comments_say() {
    let mut files: Vec<_> =
        fs::read_dir(folder()).expect("fixtures").map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 18, "{}", files.len());
    for path in files {
        let text = fs::read_to_string(&path).expect("a fixture");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let (_, options) = marked(&text, "// run:")[0];
        let expected: BTreeSet<(usize, String)> =
            marked(&text, "// problem:").into_iter().map(|(line, code)| (line, code.to_owned())).collect();
        for seed in SEEDS {
            let mut arguments: Vec<&str> = options.split_whitespace().collect();
            for (_, values) in marked(&text, "// expect:") {
                arguments.extend(["--expect", values]);
            }
            arguments.extend(["--seed", seed, "--format", "json"]);
            let run = run_kernel(&folder(), name, &arguments);
            assert_eq!(problems(&json(&run)), expected, "{name}, seed {seed}: {}", run.stdout);
            assert_eq!(run.code, i32::from(!expected.is_empty()), "{name}: {}", run.stderr);
        }
    }
}

/// Whether a number is the expected one, up to an error relative to it; not numbers are text.
fn is_near(found: &Value, expected: &Value, relative: f64) -> bool {
    let near = |found: f64, expected: f64| (found - expected).abs() <= relative * expected.abs();
    found == expected || found.as_f64().zip(expected.as_f64()).is_some_and(|(found, expected)| near(found, expected))
}

/// Runs a launch of `tests/evidence/kernels` under a seed and compares its buffers.
fn check_launch(folder: &Path, launch: &Value, seed: &str) {
    let options = launch["options"].as_array().expect("a list").iter().map(|one| one.as_str().expect("a text"));
    let arguments: Vec<&str> = options.chain(["--seed", seed, "--format", "json"]).collect();
    let module = format!("{}.ptx", launch["module"].as_str().expect("a name"));
    let name = format!("{module} {}, seed {seed}", arguments[1]);
    let result = json(&run_kernel(folder, &module, &arguments));
    let harmless = if launch["races"] == true { "data-race" } else { "" };
    let found = problems(&result);
    assert!(found.iter().all(|(_, code)| code == harmless), "{name}: {}", result["problems"]);
    let memory = launch["memory"].as_array().expect("a list").iter();
    let relative = launch["relative"].as_f64().expect("a number");
    if launch["memory"].as_array().is_some_and(|list| list.contains(&Value::Null)) {
        check_unordered(&name, arguments[1], launch, &result);
    }
    for ((buffer, found), expected) in result["memory"].as_object().expect("an object").iter().zip(memory) {
        let Some(expected) = expected.as_array() else { continue };
        let found = found.as_array().expect("a list");
        assert_eq!(found.len(), expected.len(), "{name}, buffer {buffer}");
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!(is_near(found, expected, relative), "{name}, {buffer}[{at}]: {found}, expected {expected}");
        }
    }
}

/// Checks buffers whose contents depend on the schedule, and that a wrong number in one of them would be noticed.
fn check_unordered(name: &str, kernel: &str, launch: &Value, result: &Value) {
    let numbers = |list: &Value| -> Vec<u64> {
        list.as_array().expect("a list").iter().map(|one| one.as_u64().expect("a number")).collect()
    };
    let memory: Vec<Vec<u64>> = result["memory"].as_object().expect("an object").values().map(numbers).collect();
    assert!(is_allowed(kernel, &memory), "{name}: no schedule leaves {memory:?}");
    let unordered = launch["memory"].as_array().expect("a list").iter().zip(0..);
    for (_, buffer) in unordered.filter(|(expected, _)| expected.is_null()) {
        let mut wrong = memory.clone();
        let largest = wrong[buffer].iter_mut().max().expect("a number");
        *largest += 100;
        assert!(!is_allowed(kernel, &wrong), "{name}: buffer {buffer} can be {:?}", wrong[buffer]);
    }
}

/// What an H100 left in buffers whose contents depend on the schedule is among what is allowed.
#[test]
fn a_gpu_leaves_what_a_schedule_can() {
    let recorded =
        fs::read_to_string(support::root().join("tests/evidence/kernels/unordered.jsonl")).expect("recorded");
    let mut kernels = BTreeSet::new();
    for line in recorded.lines() {
        let result: Value = serde_json::from_str(line).expect("JSON");
        let kernel = result["kernel"].as_str().expect("a name").to_owned();
        let memory: Vec<Vec<u64>> = serde_json::from_value(result["memory"].clone()).expect("numbers");
        assert!(is_allowed(&kernel, &memory), "{kernel}: no schedule leaves {memory:?}");
        kernels.insert(kernel);
    }
    assert_eq!(kernels.len(), 8);
}

/// `host.py` has the arithmetic of its kernels in Python.
#[test]
fn compiled_kernels_compute_what_a_host_does() {
    let folder = support::root().join("tests/evidence/kernels");
    let expected = fs::read_to_string(folder.join("host.jsonl")).expect("expected memory");
    let launches: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(launches.len() >= 12);
    launches.iter().for_each(|launch| check_launch(&folder, launch, SEEDS[0]));
}

#[test]
fn compiled_kernels_leave_in_memory_what_a_gpu_does() {
    let folder = support::root().join("tests/evidence/kernels");
    let recorded = fs::read_to_string(folder.join("recorded.jsonl")).expect("recorded");
    let launches: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let name = |launch: &Value| format!("{} {}", launch["module"], launch["options"][1]);
    assert!(launches.iter().map(name).collect::<BTreeSet<_>>().len() >= 80);
    std::thread::scope(|scope| {
        for seed in SEEDS {
            let (folder, launches) = (&folder, &launches);
            scope.spawn(move || launches.iter().for_each(|launch| check_launch(folder, launch, seed)));
        }
    });
}

/// Double precision constants that have `0F` among their digits are not of single precision.
#[test]
fn untyped_moves_keep_the_bits_of_their_constants() {
    let folder = scratch("run-constants");
    let module = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {\n\
                  .reg .b64 a, d; .reg .b32 s;\nld.param.u64 a, [out];\n\
                  mov.b64 d, 0d3ED0F5D241AD3B5A; st.global.b64 [a], d;\n\
                  mov.b64 d, 0D3EB0f5FF7D2CAFE2; st.global.b64 [a+8], d;\n\
                  mov.b32 s, 0F3F80F00D; st.global.b32 [a+16], s;\n\
                  mov.b32 s, 0f0F0F0F0F; st.global.b32 [a+20], s;\nret; }\n";
    fs::write(folder.join("a.ptx"), module).expect("written");
    let run = run_kernel(&folder, "a.ptx", &["--arg", "out=u64[3]", "--format", "json"]);
    let bits = [0x3ED0_F5D2_41AD_3B5A_u64, 0x3EB0_F5FF_7D2C_AFE2, 0x0F0F_0F0F_3F80_F00D];
    assert_eq!(json(&run)["memory"]["out"], serde_json::json!(bits), "{}", run.stdout);
}

#[test]
fn a_run_is_shown_as_text() {
    let arguments = ["--block", "3", "--arg", "a=u32[2]"];
    let run = run_kernel(&folder(), "out_of_bounds.ptx", &arguments);
    assert_eq!(run.code, 1);
    let first = "out_of_bounds.ptx:13:2: error[out-of-bounds]: write of 4 bytes at 0x700000000008 is out of bounds: \
                 directly after the end of `a` (8 bytes) (thread 2 of CTA 0)";
    assert!(run.stdout.starts_with("a: u32[2] = 0 1\n"), "{}", run.stdout);
    assert!(run.stdout.contains(first), "{}", run.stdout);
    assert!(run.stdout.ends_with("2 problems; 24 instructions\n"), "{}", run.stdout);
}

#[test]
fn unexpected_values_are_a_problem() {
    let arguments = ["--block", "32", "--arg", "out=u32[32]", "--expect", "out[2]=496,497", "--format", "json"];
    let run = run_kernel(&folder(), "warp_sum.ptx", &arguments);
    assert_eq!(run.code, 1);
    let problem = &json(&run)["problems"][0];
    assert_eq!(problem["code"], "unexpected-value");
    assert_eq!(problem["message"], "`out[3]` is 496, expected 497");
}

#[test]
fn conditions_on_memory_afterwards() {
    let run = |condition: &[&str]| {
        let launch = ["--block", "32", "--arg", "out=u32[32]", "--format", "json"];
        let arguments: Vec<&str> = launch.iter().chain(condition).copied().collect();
        let run = run_kernel(&folder(), "warp_sum.ptx", &arguments);
        if run.code == 2 {
            return run.stderr;
        }
        let result = json(&run);
        let problems = result["problems"].as_array().expect("a list").iter();
        problems.map(|one| one["message"].to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(run(&["--require", "out[2] == out[3] && out[31] > 31*15", "--forbid", "out[0] != 496"]), "");
    assert_eq!(
        run(&["--require", "out[out[0] - 496] == 1"]),
        "\"required `out[out[0] - 496] == 1` does not hold: `out[0]` is 496\""
    );
    assert_eq!(run(&["--forbid", "out[0] == 496"]), "\"forbidden `out[0] == 496` holds: `out[0]` is 496\"");
    assert!(run(&["--require", "out[out[0]] == 1"]).contains("index 496 is out of bounds: `out` has 32 elements"));
    assert!(run(&["--require", "out[32] == 1"]).contains("index 32 is out of bounds: `out` has 32 elements"));
    assert!(run(&["--require", "out == 1"]).contains("`out` has 32 elements: write `out[0]`"));
    assert!(run(&["--require", "%r1 == 1"]).contains("`%r1` is neither a buffer of an argument nor a variable"));
    assert!(run(&["--require", "[out] == 1"]).contains("condition `[out] == 1`: name a buffer or variable"));
    assert!(run(&["--require", "out[0] =="]).contains("condition `out[0] ==`: expected a value"));
}

/// Compilers number the parameters.
#[test]
fn buffers_are_named_as_parameters_are_in_arguments() {
    let module = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 k_param_0, .param .u64 k_param_1) {\n\
                  .reg .b64 a; .reg .b32 v;\nld.param.u64 a, [k_param_1];\nmov.u32 v, %ctaid.x;\nst.global.u32 [a+4], v;\nret;\n}\n";
    let run = |argument: &str, options: &[&str]| {
        let argument = format!("{argument}=u32[2]");
        let given = ["run", "-", "--grid", "1", "--block", "1", "--arg", &argument];
        let given: Vec<&str> = given.into_iter().chain(options.iter().copied()).collect();
        run_in(&folder(), &given, module.as_bytes())
    };
    for name in ["k_param_1", "param_1", "1"] {
        let condition = format!("{name}[0] + {name}[1] == 0");
        let expectation = format!("{name}=0,0");
        let trace = format!("{name}[1]");
        for argument in ["k_param_1", "param_1", "1"] {
            let given = ["--require", &condition, "--expect", &expectation, "--trace", &trace];
            let run = run(argument, &given);
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{argument} {name}");
        }
    }
    let wrong = run("1", &["--require", "out[0] == 1"]);
    let message = "`out` is neither a buffer of an argument nor a variable of the module; the buffers are `k_param_1`";
    assert!(wrong.stderr.contains(message), "{}", wrong.stderr);
}

#[test]
fn a_launch_without_dynamic_shared_memory_is_the_reason_of_accesses_behind_its_end() {
    let folder = scratch("run-dynamic");
    let module = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n\
                  .entry k() { .reg .b32 r; mov.u32 r, 1; st.shared.u32 [s], r; ret; }\n";
    fs::write(folder.join("a.ptx"), module).expect("written");
    let run = run_kernel(&folder, "a.ptx", &[]);
    let reason =
        "directly after the end of `shared memory` (0 bytes); the launch has no dynamic shared memory (`--shared`)";
    assert!(run.code == 1 && run.stdout.contains(reason), "{}{}", run.stdout, run.stderr);
    let run = run_kernel(&folder, "a.ptx", &["--shared", "4"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn what_cannot_run_says_why() {
    let folder = scratch("run-errors");
    let module = |body: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n) {{ .reg .b32 r, n1; ld.param.u32 n1, [n]; {body} ret; }}\n.entry l() {{ ret; }}\n"
        )
    };
    fs::write(folder.join("a.ptx"), module("")).expect("written");
    fs::write(folder.join("wrong.ptx"), module("add.u32 r, r;")).expect("written");
    let tensor = module("tcgen05.shift.cta_group::1.down [n1];");
    let tensor = tensor.replace("8.0", "8.6").replace("sm_90", "sm_100a");
    fs::write(folder.join("tensor.ptx"), tensor).expect("written");
    for (arguments, message) in [
        (&["a.ptx"][..], "several kernels; choose one with --kernel: k, l"),
        (&["a.ptx", "--kernel", "j"], "no kernel `j`"),
        (&["a.ptx", "--kernel", "k"], "no argument for the parameter `n` (4 bytes): add --arg n=u32=8"),
        (&["a.ptx", "--kernel", "k", "--arg", "n=u32[4]"], "argument `n`: the parameter has 4 bytes, an address has 8"),
        (&["a.ptx", "--kernel", "k", "--arg", "n=1,2"], "argument `n`: missing type: write `u32[]=1,2`"),
        (&["a.ptx", "--kernel", "k", "--arg", "n=int=5"], "argument `n`: unknown type `int`: write `s32`"),
        (&["a.ptx", "--kernel", "k", "--arg", "m=u32=1"], "no parameter `m`: the kernel has `n`; `0` is the first"),
        (&["a.ptx", "--kernel", "l", "--block", "1025"], "block of 1025 threads: a CTA has at most 1024"),
        (&["wrong.ptx", "--kernel", "k", "--arg", "n=u32=1"], "wrong.ptx:4:"),
        (
            &["tensor.ptx", "--kernel", "k", "--arg", "n=u32=1"],
            "tensor.ptx:4:66: emulation of `tcgen05.shift.cta_group::1.down` is not supported",
        ),
        (&["none.ptx"], "none.ptx"),
    ] {
        let run = run_kernel(&folder, arguments[0], &arguments[1..]);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stdout);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
    }
    for number in ["5", "-5", "0x10"] {
        let run = run_kernel(&folder, "a.ptx", &["--kernel", "k", "--arg", &format!("n={number}")]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{number} has the type of its parameter");
    }
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn buffers_are_read_from_and_written_to_files() {
    let folder = scratch("run-files");
    fs::copy(self::folder().join("mbarrier_copy.ptx"), folder.join("copy.ptx")).expect("copied");
    let save = ["--block", "32", "--arg", "in=f32[32]=iota", "--arg", "out=f32[32]", "--save", "out=out.npy"];
    assert_eq!(run_kernel(&folder, "copy.ptx", &save).code, 0);
    let load = ["--block", "32", "--arg", "in=f32[32]=@out.npy", "--arg", "out=f32[32]", "--format", "json"];
    let result = json(&run_kernel(&folder, "copy.ptx", &load));
    assert_eq!((&result["memory"]["out"][0], &result["memory"]["out"][31]), (&0.0.into(), &31.0.into()));
    let wrong = ["--block", "32", "--arg", "in=f64[32]=@out.npy", "--arg", "out=f32[32]"];
    let run = run_kernel(&folder, "copy.ptx", &wrong);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("not that of `f64`: save array.astype('<f8')"), "{}", run.stderr);
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn launches_follow_the_directives_of_the_kernel() {
    let folder = scratch("run-bounds");
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n\
                .entry k(.param .u64 out) .reqntid 64 .reqnctapercluster 2 {\n\
                .reg .b32 %r<3>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n\
                mov.u32 %r2, %cluster_nctarank; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n\
                st.relaxed.gpu.global.u32 [%rd3], %r2; ret; }\n.entry m() .maxntid 32 { ret; }\n";
    fs::write(folder.join("k.ptx"), text).expect("written");
    let run = run_kernel(&folder, "k.ptx", &["--kernel", "k", "--grid", "2", "--arg", "out=u32[64]"]);
    assert_eq!((run.code, run.stdout.starts_with("out: u32[64] = 2 2")), (0, true), "{}{}", run.stdout, run.stderr);
    for (options, message) in [
        (&["--kernel", "k", "--block", "32", "--arg", "out=u32[64]"][..], "`.reqntid` of the kernel requires 64"),
        (&["--kernel", "k", "--cluster", "1", "--arg", "out=u32[64]"], "`.reqnctapercluster` of the kernel requires 2"),
        (&["--kernel", "m", "--block", "64"], "block of 64 threads: `.maxntid` of the kernel allows 32"),
        (&["--kernel", "m", "--grid", "1,70000"], "grid of 70000 CTAs: at most"),
        (&["--kernel", "m", "--grid", "0"], "is 0"),
    ] {
        let run = run_kernel(&folder, "k.ptx", options);
        assert_eq!((run.code, run.stderr.contains(message)), (2, true), "{}", run.stderr);
    }
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn structures_are_passed_by_their_parts() {
    let folder = support::root().join("tests/evidence/kernels");
    let call = |arguments: &[&str]| run_kernel(&folder, "freestanding.ptx", arguments);
    // `Settings` has a scale, two inner structures of 8 bytes, a number and the address of the results.
    let parts = ["0+0=u32=3", "0+4=s8=65", "0+6=s16=-4", "0+24=f64=1.5", "0+32=u32[4]", "1=u32=4"];
    let mut arguments =
        vec!["--kernel", "structures", "--block", "4", "--format", "json", "--expect", "0+32=64,72,76,80"];
    arguments.extend(parts.iter().flat_map(|part| ["--arg", *part]));
    let run = call(&arguments);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    for (argument, message) in [
        ("0+40=u32=1", "`40` is not an offset in the 40 bytes of `0`"),
        ("0+38=u32=1", "4 bytes at byte 38 do not fit into 40 bytes"),
        ("0+1=u32=1", "two arguments for `structures_param_0`"),
    ] {
        let run = call(&["--kernel", "structures", "--arg", "0+0=u32=3", "--arg", argument]);
        assert_eq!((run.code, run.stderr.contains(message)), (2, true), "{}", run.stderr);
    }
}

#[test]
fn threads_and_memory_are_traced() {
    let call = |options: &[&str]| {
        let launch = ["--block", "9", "--arg", "a=u32[8]"];
        run_kernel(&folder(), "out_of_bounds.ptx", &[&launch, options].concat())
    };
    let text = call(&["--trace", "thread=7", "--trace", "a[3]"]).stdout;
    for line in [
        "out_of_bounds.ptx:10: thread 7 of CTA 0: mov.u32 %r1, %tid.x → %r1 = 0x7",
        "out_of_bounds.ptx:12: thread 7 of CTA 0: add.u64 %rd3, %rd1, %rd2 → %rd3 = 0x70000000001c",
        "out_of_bounds.ptx:13: thread 7 of CTA 0: write of 4 bytes of global memory at 0x70000000001c (byte 28 of `a`): 0x00000007",
        "out_of_bounds.ptx:13: thread 3 of CTA 0: write of 4 bytes of global memory at 0x70000000000c (byte 12 of `a`): 0x00000003",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    assert!(!text.contains("thread 6 "), "{text}");
    let result = json(&call(&["--trace", "thread=0:7", "--format", "json"]));
    let trace = result["trace"].as_array().expect("a list");
    assert_eq!((&trace[0]["line"], &trace[0]["registers"]["%rd1"]), (&9.into(), &0x7000_0000_0000_u64.into()));
    let write = trace.iter().find(|event| event["access"] == "write").expect("a write");
    assert_eq!((&write["memory"], &write["offset"], &write["value"]), (&"a".into(), &28.into(), &7.into()));
    assert_eq!(json(&call(&["--format", "json"])).get("trace"), None);
    for (what, message) in [
        ("thread=9", "no thread `9`, there are 9"),
        ("thread=1:0", "no CTA `1`, there are 1"),
        ("a[8]", "`a` has 8 elements, no element 8"),
        ("b", "`b` is neither a buffer of an argument nor a variable of the module"),
    ] {
        let run = call(&["--trace", what]);
        assert_eq!((run.code, run.stderr.contains(message)), (2, true), "{}", run.stderr);
    }
}

#[test]
fn a_module_with_errors_does_not_run_and_the_message_leads_to_all_of_them() {
    let folder = scratch("run-errors");
    let path = folder.join("k.ptx");
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\nmov.u32 %a, 1;\nmov.u32 %b, 1;\nmov.u32 %c, 1;\nret;\n}\n";
    fs::write(&path, text).unwrap();
    let file = path.to_str().unwrap();
    let run = run_in(&folder, &["run", file, "--grid", "1", "--block", "1"], b"");
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    let rest =
        format!(":5:9: error[unknown-name]: undeclared name `%a`; `ptx-atomics lint {file}` shows 2 more errors");
    assert!(run.stderr.contains(&rest), "{}", run.stderr);
    fs::remove_dir_all(folder).unwrap();
}
