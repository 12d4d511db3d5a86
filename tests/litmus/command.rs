//! `ptx-atomics litmus`, as a user sees it.

use std::path::PathBuf;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(support::binary());
    command.arg("litmus").args(arguments).current_dir(support::root()).output().expect("the binary runs")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn written(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ptx-atomics-litmus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn exit_codes_tell_the_verdict() {
    let (pass, fail) = ("tests/litmus/MP+relaxed.litmus", "tests/litmus/MP+ra.litmus");
    assert_eq!(code(&run(&[pass])), Some(0));
    assert_eq!(code(&run(&[fail])), Some(1));
    assert_eq!(code(&run(&[pass, fail])), Some(1));
    assert_eq!(code(&run(&["no-such-file.litmus"])), Some(2));
    let endless = "PTX e\n{ x=0; P0:r0=0; }\nP0@cta 0,gpu 0 ;\nLC00: ;\nred.relaxed.gpu.add x, 1 ;\nadd r0, r0, 1 ;\nblt r0, 99, LC00 ;\nexists (x == 99)";
    let path = written("endless.litmus", endless);
    assert_eq!(code(&run(&[&path.to_string_lossy()])), Some(3), "a bounded search decides nothing");
    assert_eq!(code(&run(&[&path.to_string_lossy(), fail])), Some(1));
}

#[test]
fn jsonl_holds_the_whole_answer() {
    let output = run(&["--format", "jsonl", "tests/litmus/MP+ra.litmus"]);
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(line["path"], "tests/litmus/MP+ra.litmus");
    assert_eq!(line["schema"], 1);
    assert_eq!((&line["kind"], &line["verdict"], &line["complete"]), (&"exists".into(), &"FAIL".into(), &true.into()));
    let outcomes = line["outcomes"].as_array().expect("a list");
    assert_eq!(outcomes.len(), 3);
    assert_eq!(outcomes[0], serde_json::json!({"1:r0": 0, "1:r1": 0, "x": 1}));
}

/// What loads see of the address of an allocation is no part of an outcome; a claim that fails by it says so.
#[test]
fn loaded_addresses_are_in_no_outcome() {
    let text = ".version 8.6\n.target sm_100a\n.address_size 64\n.shared .align 4 .b32 slot;\n\
        //! thread f @ cta 0\n//! thread g @ cta 0\n//! forbid g:%r1 != 7\n\
        .func f()\n{\n.reg .b32 %r<4>;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\n\
        ld.shared.u32 %r0, [slot];\nmov.b32 %r3, 7;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {%r3};\n\
        tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\nret;\n}\n\
        .func g()\n{\n.reg .b32 %r<4>;\nld.shared.u32 %r0, [slot];\nbar.sync 0;\n\
        tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r0];\n\
        tcgen05.wait::ld.sync.aligned;\nret;\n}\n";
    let early = "`slot` can be loaded before `tcgen05.alloc` has written the address";
    let path = written("early.ptx", text);
    let output = run(&["--format", "jsonl", &path.to_string_lossy()]);
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!((&line["verdict"], &line["earlyLoad"]), (&"FAIL".into(), &early.into()));
    assert_eq!(line["outcomes"], serde_json::json!([{"g:%r1": 7}]));
    let output = run(&[&path.to_string_lossy()]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains(early) && shown.contains("  * g:%r1=7\n") && !shown.contains("[slot]="), "{shown}");
}

#[test]
fn text_names_the_axiom_that_forbids() {
    let output = run(&["tests/litmus/MP+ra.litmus"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("FAIL") && text.contains("forbidden by Causality") && text.contains("--fr-->"), "{text}");
}

/// What an instruction is made of has the text of it.
#[test]
fn loads_of_tensor_memory_are_named_where_they_end() {
    let output = run(&["tests/litmus/tcgen05-fences-no-wait.litmus"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let load = "P1: tcgen05.ld r1, [e] [R=0]  reads P1 async 1: tcgen05.ld r1, [e] [W=0]";
    assert!(text.lines().any(|line| line.trim() == load), "{text}");
}

#[test]
fn asynchronous_operations_are_threads_in_the_answer() {
    let output = run(&["tests/litmus/async-bulk-store-no-fence.litmus"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(code(&output), Some(0), "{text}");
    let copy = "P0 async 0: cp.async.bulk.global.shared::cta.bulk_group [y], [x], 16 [R=0]  reads initial x=0";
    assert!(text.contains(copy) && text.contains("wait_group 0 [waits]"), "{text}");
    let loops = "PTX loops\n{ x=0; y=0; P0:r0=0; }\nP0@cta 0,gpu 0 ;\nLC00: ;\n\
                 cp.async.bulk.global.shared::cta.bulk_group [y], [x], 16 ;\nadd r0, r0, 1 ;\nblt r0, 2, LC00 ;\nexists (y == 1)";
    let output = run(&[&written("loops.litmus", loops).to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("asynchronous operation in a loop"), "{text}");
}

#[test]
fn loops_that_wait_forever_are_shown() {
    let run_all = |name: &str, more: &[&str]| {
        let path = format!("tests/litmus/{name}.litmus");
        let output = run(&[&[&*path], more].concat());
        (code(&output), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for (name, part) in [
        ("wait", "termination: every fair execution ends"),
        ("termination-overwritten", "a fair execution does not end: P1 at `ld.relaxed.gpu r0, f [R=2]`"),
        ("termination-weak", "termination: not guaranteed: P1 at `ld.weak r0, f [R=0]`; ends only if"),
        ("barrier-deadlock", "P0 at `bar.cta.sync 0`, P1 at `bar.cta.sync 1`"),
    ] {
        let (code, text) = run_all(name, &[]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(part), "{part} is missing in {text}");
        let (code, text) = run_all(name, &["--require-termination"]);
        assert_eq!(code, Some(i32::from(name != "wait")), "{text}");
    }
    let (_, text) = run_all("termination-overwritten", &[]);
    assert_eq!(text.matches("  again and again").count(), 1, "{text}");
    let (_, line) = run_all("termination-quorum", &["--format", "jsonl"]);
    let line: serde_json::Value = serde_json::from_str(&line).expect("one line of JSON");
    assert_eq!(line["termination"]["verdict"], "endless");
    assert_eq!(line["termination"]["waits"][0]["thread"], "P0");
    assert_eq!(line["termination"]["waits"][1]["line"], 7);
    assert!(line["termination"]["fairness"][0].as_str().is_some_and(|text| text.contains("sm_70")), "{line}");
    let (_, line) = run_all("MP+ra", &["--format", "jsonl"]);
    assert!(!line.contains("termination"), "nothing waits");
}

#[test]
fn pictures_are_drawn() {
    for path in ["tests/litmus/MP+ra.litmus", "tests/litmus/SB+relaxed.litmus"] {
        let svg = String::from_utf8_lossy(&run(&["--format", "svg", path]).stdout).into_owned();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && svg.contains(">fr</text>"), "{svg}");
        let dot = String::from_utf8_lossy(&run(&["--format", "dot", path]).stdout).into_owned();
        assert!(dot.starts_with("digraph") && dot.contains("label=rf"), "{dot}");
    }
}

#[test]
fn errors_have_positions() {
    let path = written(
        "bad.litmus",
        "PTX bad\n{ x=0; }\nP0@cta 0,gpu 0 ;\nst.acquire.gpu x, 1 ;\nbeq r0, 0, LC9 ;\nexists (P7:r0 == 1)\n",
    );
    let output = run(&[&path.to_string_lossy()]);
    assert_eq!(code(&output), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    for part in [
        ":4:1: `.acquire` is not allowed on this instruction",
        ":5:12: unknown label `LC9`",
        ":6:9: unknown thread `P7`",
    ] {
        assert!(stderr.contains(part), "{part} is missing in {stderr}");
    }
}

#[test]
fn words_that_would_be_ignored_are_mistakes() {
    let test = |first: &str, head: &str, body: &str, claim: &str| {
        format!("PTX t\n{{ {first} }}\n{head} ;\n{body} ;\n{claim}\n")
    };
    let (first, head, body, claim) = ("x=0; P0:r0=0;", "P0@cta 0,gpu 0", "ld.relaxed.gpu r0, x", "exists (0:r0 == 1)");
    for (text, part) in [
        (test("foo x=0;", head, body, claim), ":2:3: unknown type `foo`"),
        (test("x=0; x=1;", head, body, claim), ":2:8: duplicate initial value"),
        (test("P0:r0=0; P0:r0=1;", head, body, claim), ":2:12: duplicate initial value"),
        (test(first, "P0@ctaa 0,gpu 0", body, claim), ":3:4: unknown level `ctaa`"),
        (test(first, "P0@cta 0,cta 0", body, claim), ":3:10: duplicate `cta`"),
        (test(first, head, "L: ld.relaxed.gpu r0, x ; L: ld.weak r0, x ; goto L", claim), ": duplicate label `L`"),
        (test(first, head, "cp.async.bulk.global.shared::cta [x], [y], 16", claim), ": missing completion mechanism"),
        (
            test(first, head, "mbarrier.arrive.acquire.shared.b64 _, [x]", claim),
            ": `.acquire` is not allowed on this instruction",
        ),
        (test(first, head, "st.async.weak.bulk_group [x], r0, [b]", claim), ": expected a number, found a register"),
        (test(first, head, "cp.async.ca.shared.global [x], [r0], 8", claim), ": address in a register"),
        (test(first, head, "fence.proxy.async.local", claim), ": unknown proxy fence"),
        (test(first, head, "fence.proxy.fabric::generic.alias.acq_rel.sys", claim), ": proxy fence is not modelled"),
        (
            test(first, head, "fence.proxy.alias.acquire.sys.sync_restrict::shared::cta", claim),
            ": proxy fence is not modelled",
        ),
        (test(first, head, "fence.release.sync_restrict::shared::cta.cluster", claim), ": fence is not modelled"),
        (test(first, head, "fabric.try_red.async [x]", claim), ": `fabric` operations are not modelled"),
        (test(first, head, body, "exists (0:r9 == 1)"), ":5:9: `P0` does not use `r9`; expected one of r0"),
        (test(first, head, body, "exists (0:r0 == 1 /\\ y == 1)"), ": no thread accesses `y`; expected one of x"),
        (test(first, head, body, "exist (0:r0 == 1)"), ":5:1: "),
        (test(first, head, body, "locations [y;]\nexists (0:r0 == 1)"), ":5:12: no thread accesses `y`"),
        (test(first, head, body, "filter (y == 1)\nexists (0:r0 == 1)"), ":5:9: no thread accesses `y`"),
    ] {
        let path = written("ignored.litmus", &text);
        let output = run(&[&path.to_string_lossy()]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(code(&output), Some(2), "{text}\n{stderr}");
        assert!(stderr.contains(part), "{part} is missing in {stderr}");
    }
    let typed = written(
        "typed.litmus",
        &test("int x=0; uint64_t P0:r0=0;", head, body, "locations [x; 0:r0;]\nexists (0:r0 == 0)"),
    );
    assert_eq!(code(&run(&[&typed.to_string_lossy()])), Some(0));
    let useless = run(&["--all", "--format", "jsonl", "tests/litmus/MP+ra.litmus"]);
    assert_eq!(code(&useless), Some(2));
}

#[test]
fn tests_in_the_comments_of_a_module_are_answered_claim_by_claim() {
    let output = run(&["tests/fixtures/litmus/without_names.ptx"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(code(&output), Some(1), "{text}");
    for part in [
        "producer + consumer, forbid consumer:%r1 == 1 && consumer:%r2 == 0: PASS",
        "producer + consumer, allow consumer:%r1 == 1 && consumer:%r2 == 0: FAIL",
        "producer + consumer, forbid flag == 1: FAIL",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let output = run(&["tests/fixtures/litmus/unreadable.ptx"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(code(&output), Some(2));
    assert!(
        stderr.contains("unreadable.ptx:9:5: unknown `litmsu` in a litmus test; did you mean `litmus`?"),
        "{stderr}"
    );
    let none = run(&["tests/fixtures/realistic/any_order.ptx"]);
    assert_eq!(code(&none), Some(2), "a file without a test is none that holds");
}

#[test]
fn garbage_gets_an_answer() {
    for text in [
        "",
        "{",
        "PTX",
        "PTX a\n{}\n",
        "\"",
        "PTX a {x=0;} P0@cta 0,gpu 0; ld r0 exists (",
        "PTX é { é=0 } P0@cta 0; ~ exists ((((",
        "PTX a {y @ generic aliases y}",
    ] {
        let path = written("garbage.litmus", text);
        assert_eq!(code(&run(&[&path.to_string_lossy()])), Some(2), "{text}");
    }
}

#[test]
fn files_that_are_too_large_are_reported() {
    let inits: String = (0..300).map(|at| format!("x{at}=0; ")).collect();
    let path = written(
        "wide.litmus",
        &format!("PTX wide\n{{ {inits} }}\nP0@cta 0,gpu 0 ;\nst.weak x0, 1 ;\nexists (x0 == 1)\n"),
    );
    let output = run(&[&path.to_string_lossy()]);
    assert_eq!(code(&output), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("300 locations exceed the limit of 64"));
}

#[test]
fn functions_of_a_module_are_tested_by_their_comments() {
    let function = |name: &str, body: &str| {
        format!(
            ".visible .entry {name}(.param .u64 data, .param .u64 flag)\n{{\n.reg .u64 %rd<3>; .reg .u32 %r<3>; .reg .pred %p;\n\
             ld.param.u64 %rd1, [data];\nld.param.u64 %rd2, [flag];\n{body}\nret;\n}}\n"
        )
    };
    let module = |load: &str| {
        let head = ".version 8.0\n.target sm_90\n.address_size 64\n//! litmus spin\n//! thread f @ cta 0\n//! thread g @ cta 1\n\
                    //! forbid g:%r2 != 1\n//! allow g:%r2 == 1\n";
        let f = function("f", "st.u32 [%rd1], 1;\nfence.acq_rel.gpu;\nred.relaxed.gpu.add.u32 [%rd2], 1;");
        let wait = format!("L:\n{load} %r1, [%rd2];\nsetp.eq.u32 %p, %r1, 0;\n@%p bra L;\nld.u32 %r2, [%rd1];");
        format!("{head}{f}{}", function("g", &wait))
    };
    let lint = |name: &str, text: &str| {
        let path = written(name, text);
        let mut command = Command::new(support::binary());
        let output = command.args(["lint", "--format", "jsonl"]).arg(path).output().expect("the binary runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(lint("right.ptx", &module("ld.acquire.gpu.u32")), "");
    let found = lint("wrong.ptx", &module("ld.relaxed.gpu.u32"));
    assert!(found.contains("outcome-allowed") && found.contains("g:%r2 = 0") && found.lines().count() == 1, "{found}");
}
