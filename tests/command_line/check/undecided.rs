//! What `check` says where its verdict is *unknown*: the reason, the instructions that it is about, and the option that helps.

use crate::run_in;
use serde_json::{Value, json};

/// Two threads that do something in a loop, to a word of their own or to one that they share.
fn repeated(instruction: &str, is_own: bool) -> String {
    let own = if is_own { "mad.wide.u32 %out, %t, 4, %out;" } else { "" };
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{{
	.reg .pred %p;
	.reg .b32 %r, %i, %n, %t;
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	ld.param.u32 %n, [n];
	mov.u32 %t, %ctaid.x;
	{own}
	mov.u32 %i, 0;
LOOP:
	{instruction}
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %n;
	@%p bra LOOP;
	ret;
}}
"
    )
}

/// The line of the instruction in the loop.
const LINE: usize = 15;

fn check(text: &str, options: &str) -> (String, Value) {
    let options: Vec<&str> = options.split_whitespace().collect();
    let run = |more: &[&str]| {
        let all = [&["check", "-"], &options[..], more].concat();
        run_in(&support::root(), &all, text.as_bytes())
    };
    let (shown, result) = (run(&[]), run(&["--format", "json"]));
    let result = serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{}{}", result.stdout, result.stderr));
    (shown.stdout, result)
}

/// Strong writes to a location that one thread accesses are no states, however many there are: from about 200 on they were.
#[test]
fn many_writes_to_an_own_word_are_proved() {
    for instruction in [
        "st.relaxed.gpu.global.u32 [%out], %i;",
        "st.release.gpu.global.u32 [%out], 1;",
        "st.volatile.global.u32 [%out], %i;",
        "atom.acq_rel.gpu.global.add.u32 %r, [%out], 1;",
        "fence.sc.gpu; st.relaxed.gpu.global.u32 [%out], %i;",
    ] {
        for count in [150, 250, 3000] {
            let options = format!("--grid 2 --arg out=u32[2] --arg n=u32={count}");
            let (_, result) = check(&repeated(instruction, true), &options);
            assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{instruction}");
        }
    }
}

/// So are strong reads, also in a loop that counts and could wait for another thread.
#[test]
fn many_reads_of_an_own_word_are_proved() {
    for instruction in [
        "ld.relaxed.gpu.global.u32 %r, [%out]; add.u32 %t, %t, %r; st.global.u32 [%out+4], %t;",
        "ld.acquire.gpu.global.u32 %r, [%out]; add.u32 %t, %t, %r; st.global.u32 [%out+4], %t;",
    ] {
        let text = repeated(instruction, true).replace("%t, 4, %out", "%t, 8, %out");
        for count in [150, 250, 3000] {
            let options = format!("--grid 2 --arg out=u32[4] --arg n=u32={count}");
            let (_, result) = check(&text, &options);
            assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{instruction}");
            assert_eq!(result["states"], 1, "{count}: {result}");
        }
    }
}

/// A launch in a comment of which not all executions were explored names the instructions that the reason is about.
#[test]
fn a_comment_that_is_undecided_names_its_instructions() {
    let exchange = "atom.relaxed.gpu.global.exch.b32 %r, [%out], %t;";
    let text = repeated(exchange, false).replacen(".visible", "//! check k grid 8 out=u32[1] n=u32=9\n.visible", 1);
    let run = run_in(&support::root(), &["lint", "-"], text.as_bytes());
    assert!(run.stdout.contains("error[check-undecided]: the bound of 4000 states was reached"), "{}", run.stdout);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let at = lines.iter().position(|line| line.ends_with(" most states are here"));
    assert!(at.is_some_and(|at| lines[at - 1].contains(exchange)), "{}", run.stdout);
}

#[test]
fn a_bound_names_its_number_its_instructions_and_the_option_that_raises_it() {
    let shared = repeated("atom.acq_rel.gpu.global.add.u32 %r, [%out], 1;", false);
    let launch = "--grid 2 --arg out=u32[1] --arg n=u32=12";
    let instruction = json!([{ "line": LINE, "instruction": "atom.acq_rel.gpu.global.add.u32 %r, [%out], 1;" }]);
    for (bound, reason, text) in [
        ("--max-states 100", "states", "the bound of 100 states was reached (most by line 15): raise --max-states"),
        (
            "--max-instructions 20",
            "instructions",
            "the bound of 20 instructions was reached (line 15): raise --max-instructions",
        ),
    ] {
        let (shown, result) = check(&shared, &format!("{launch} {bound}"));
        assert_eq!((&result["verdict"], &result["undecided"]["reason"]), (&"unknown".into(), &reason.into()));
        assert_eq!(result["limit"].as_str().map(|limit| shown.contains(limit)), Some(true), "{shown}");
        if reason == "states" {
            assert_eq!(result["undecided"]["instructions"], instruction, "{result}");
            assert!(shown.contains(text), "{shown}");
        } else {
            assert!(!result["undecided"]["lines"].as_array().expect("lines").is_empty(), "{result}");
            assert!(shown.contains("the bound of 20 instructions was reached (line "), "{shown}");
        }
    }
    let (_, result) = check(&shared, launch);
    assert_eq!(result["verdict"], "proved");
    assert!(result["undecided"].is_null());
}

/// The bound on writes that others may still read grows with that on states.
#[test]
fn a_bound_on_writes_names_them() {
    let text = repeated("st.relaxed.gpu.global.u32 [%out], %i;", false);
    let (shown, result) = check(&text, "--grid 2 --arg out=u32[1] --arg n=u32=3000");
    assert_eq!((&result["undecided"]["reason"], &result["undecided"]["lines"]), (&"writes".into(), &json!([LINE])));
    assert!(
        shown.contains("which grows with that of 1,000,000 states (most by line 15): raise --max-states"),
        "{shown}"
    );
}

#[test]
fn a_limit_on_time_names_lines() {
    let text = repeated("st.relaxed.gpu.global.u32 [%out], %i;", false);
    let (shown, result) = check(&text, "--grid 2 --arg out=u32[1] --arg n=u32=30 --seconds 0");
    assert_eq!(result["undecided"]["reason"], "time");
    assert!(!result["undecided"]["lines"].as_array().expect("lines").is_empty(), "{result}");
    assert!(shown.contains("the time of --seconds has passed (most by line"), "{shown}");
}
