//! What `check` says about executions in which threads read what others write after their own reads, from the axioms alone.

use crate::check::rare_executions;
use crate::run_in;
use serde_json::Value;

const HEAD: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 m, .param .u64 o)
{
	.shared .align 16 .b32 s[4];
	.reg .b64 %m, %o, %a, %b;
	.reg .b32 %r<8>, %thread;
	.reg .pred %p;
	ld.param.u64 %m, [m];
	ld.param.u64 %o, [o];
	mov.u32 %thread, %tid.x;
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %ntid.x;
	mad.lo.u32 %thread, %r0, %r1, %thread;
";

/// A kernel whose threads execute one text each.
fn kernel(threads: &[&str]) -> String {
    let mut text = HEAD.to_owned();
    for (number, thread) in threads.iter().enumerate() {
        text +=
            &format!("	setp.ne.u32 %p, %thread, {number};\n	@%p bra NEXT{number};\n{thread}\n	ret;\nNEXT{number}:\n");
    }
    text + "	ret;\n}\n"
}

/// The exit code and the first line of a check.
fn check(text: &str, options: &str) -> (i32, String) {
    rare_executions::check(text, &format!("--arg o=u32[8] {options}"))
}

/// The third thread does something that only load buffering leads to, unless a word is 1 from the beginning.
fn rare(first: &str, rare: &str, otherwise: &str) -> String {
    let last = format!(
        "	ld.relaxed.gpu.u32 %r2, [%m+4];\n	st.relaxed.gpu.u32 [%m+8], 1;\n	setp.ne.u32 %p, %r2, 1;\n	@%p bra OTHERWISE;\n\
         {rare}\n	ret;\nOTHERWISE:\n{otherwise}"
    );
    kernel(&[first, "	ld.relaxed.gpu.u32 %r2, [%m+8];\n	st.relaxed.gpu.u32 [%m+4], %r2;", &last])
}

#[test]
fn traps_and_races_of_load_buffering_are_shown() {
    for (rare_code, code) in [("	trap;", "trap"), ("	st.global.u32 [%o], 1;", "data-race")] {
        let (exit, line) = check(&rare("	ld.global.u32 %r2, [%o];", rare_code, ""), "--grid 3 --arg m=u32[16]");
        assert!(exit == 1 && line.contains(&format!("error[{code}]")), "{line}");
    }
    let ordered = rare("", "	trap;", "").replace("ld.relaxed", "ld.acquire").replace("st.relaxed", "st.release");
    let (exit, line) = check(&ordered, "--grid 3 --arg m=u32[16]");
    assert!(exit == 0 && line.starts_with("proved"), "{line}");
}

/// Each is found where it needs no load buffering.
#[test]
fn other_problems_of_load_buffering_are_not_ruled_out() {
    let waits = "L:\n	ld.relaxed.gpu.u32 %r3, [%m+40];\n	setp.eq.u32 %p, %r3, 0;\n	@%p bra L;";
    let signal = "	st.relaxed.gpu.u32 [%m+40], 1;";
    let barrier = format!("	barrier.cta.sync 0;\n{signal}");
    let warp = format!("	bar.warp.sync 7;\n{signal}");
    for (first, rare_code, otherwise, launch, code) in [
        (waits, &*barrier, signal, "--block 3", "deadlock"),
        (waits, &*warp, signal, "--block 3", "deadlock"),
        ("", "	ld.relaxed.gpu.v2.u32 {%r3, %r4}, [%m+20];", "", "--grid 3", "misaligned-access"),
        ("", "	st.v2.u32 [%m+20], {%r3, %r3};", "", "--grid 3", "misaligned-access"),
        ("", "	ld.global.u32 %r3, [%o+2];", "", "--grid 3", "misaligned-access"),
        ("", "	ld.shared.u32 %r3, [%o+4];", "", "--grid 3", "state-space-mismatch"),
        (
            "",
            "	mov.u64 %a, s;\n	cvta.shared.u64 %a, %a;\n	st.global.u32 [%a], 1;",
            "",
            "--block 3",
            "state-space-mismatch",
        ),
        ("", "	st.shared.u32 [%m], 1;", "", "--block 3", "state-space-mismatch"),
    ] {
        let text = rare(first, &rare_code.replace("{%r3, %r3}", "{%thread, %thread}"), otherwise);
        let (exit, line) = check(&text, &format!("{launch} --arg m=u32[16]"));
        assert!(exit == 3 && line.contains("load buffering"), "{rare_code}: {line}");
        let (exit, line) = check(&text, &format!("{launch} --arg m=u32[16]=0,1"));
        assert!(exit == 1 && line.contains(code), "{rare_code}: {line}");
    }
}

/// Its reads, and why they are not ruled out.
#[test]
fn an_unknown_verdict_names_the_reads_of_load_buffering() {
    let text = rare("", "	st.shared.u32 [%m], 1;", "");
    let arguments = "check - --block 3 --arg o=u32[8] --arg m=u32[16] --format json";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    let result: Value = serde_json::from_str(&run.stdout).expect("an object");
    let undecided = &result["undecided"];
    assert_eq!((&undecided["reason"], undecided["cause"].is_string()), (&"load-buffering".into(), true), "{result}");
    let named = undecided["instructions"].as_array().expect("instructions");
    assert!(!named.is_empty());
    for (one, line) in named.iter().zip(undecided["lines"].as_array().expect("lines")) {
        let instruction = one["instruction"].as_str().expect("an instruction");
        assert!(one["line"] == *line && instruction.starts_with("ld.relaxed.gpu.u32 %r2"), "{result}");
    }
}

#[test]
fn shared_memory_is_that_of_the_own_cta_whatever_the_address_is_computed_from() {
    let thread = |number: u32| {
        format!(
            "	mov.u64 %a, s;\n	cvta.shared.u64 %a, %a;\n	st.shared.u32 [s], 0;\n	ld.relaxed.gpu.u32 %r2, [%m+8];\n\
             	mul.wide.u32 %b, %r2, 4;\n	add.u64 %a, %a, %b;\n	st.u32 [%a], {number};\n	ld.shared.u32 %r3, [s];\n\
             	st.global.u32 [%o+{}], %r3;",
            4 * number
        )
    };
    let text = kernel(&[&thread(0), &thread(1)]);
    let (exit, line) = check(&text, "--grid 2 --arg m=u32[16] --expect o=0,1,0,0,0,0,0,0");
    assert!(exit == 0 && line.starts_with("proved"), "{line}");
}

#[test]
fn an_atomic_may_write_the_register_of_its_address() {
    let thread = |own: u32, other: u32| {
        format!(
            "	ld.relaxed.gpu.u32 %r2, [%m+16];\n	mul.wide.u32 %a, %r2, 4;\n	add.u64 %a, %o, %a;\n	mov.u64 %b, 4;\n\
             	atom.relaxed.gpu.exch.b64 %a, [%a+16], %b;\n	ld.relaxed.gpu.u32 %r0, [%m+{}];\n	st.relaxed.gpu.u32 [%m+{}], 1;",
            4 * own,
            4 * other
        )
    };
    let text = kernel(&[&thread(0, 1), &thread(1, 0)]);
    let (exit, line) = check(&text, "--grid 2 --arg m=u32[5] --expect o=0,0,0,0,4,0,0,0");
    assert!(exit == 0 && line.starts_with("proved"), "{line}");
}

#[test]
fn masks_of_lanes_have_32_bits() {
    let first = "	st.global.u32 [%o], 1;\n	bar.warp.sync -1;";
    let second = "	bar.warp.sync 0xffffffff;\n	ld.global.u32 %r2, [%o];\n	st.global.u32 [%o+4], %r2;";
    let (exit, line) = check(&kernel(&[first, second]), "--block 2 --arg m=u32[1] --expect o=1,1,0,0,0,0,0,0");
    assert!(exit == 0 && line.starts_with("proved"), "{line}");
}
