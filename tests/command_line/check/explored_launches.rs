//! `check` of kernels whose CTAs take over the work of others that have not begun (`clusterlaunchcontrol.try_cancel`).

use crate::run_in;
use serde_json::Value;
use std::fs;

fn kernel(name: &str) -> String {
    fs::read_to_string(support::root().join("tests/fixtures/kernels").join(name)).expect("a fixture")
}

fn checked(text: &str, options: &[&str]) -> Value {
    let run = run_in(&support::root(), &[&["check", "-", "--format", "json"], options].concat(), text.as_bytes());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

fn codes(result: &Value) -> Vec<&str> {
    let problems = result["problems"].as_array().expect("a list").iter();
    problems.map(|problem| problem["code"].as_str().expect("a code")).collect()
}

fn without(text: &str, comment: &str) -> String {
    let kept: Vec<&str> = text.lines().filter(|line| !line.ends_with(comment)).collect();
    assert!(kept.len() < text.lines().count(), "{comment}");
    kept.join("\n") + "\n"
}

#[test]
fn each_tile_is_done_once_whoever_takes_it() {
    let scheduler = ["--grid", "3", "--block", "2", "--arg", "tiles=u32[6]", "--expect", "tiles=1,1,1,1,1,1"];
    let cluster = ["--grid", "4", "--cluster", "2", "--arg", "tiles=u32[4]", "--expect", "tiles=1,1,1,1"];
    let cluster = [&cluster[..], &["--block", "1"]].concat();
    for (name, options) in [("persistent_scheduler.ptx", &scheduler[..]), ("persistent_cluster.ptx", &cluster)] {
        let result = checked(&kernel(name), options);
        assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{name}: {result}");
    }
}

#[test]
fn what_a_persistent_kernel_needs() {
    let options = ["--grid", "3", "--block", "2", "--arg", "tiles=u32[6]", "--expect", "tiles=1,1,1,1,1,1"];
    let text = kernel("persistent_scheduler.ptx");
    for (comment, code) in [
        // The answer is read before it is there.
        ("// full", "data-race"),
        // It is overwritten while others read it.
        ("// free", "data-race"),
        ("// read", "deadlock"),
        // It is written through the async proxy, after a store through the generic one.
        ("// proxy", "data-race"),
        // The work of a CTA that was cancelled is not done.
        ("// again", "claim"),
    ] {
        let result = checked(&without(&text, comment), &options);
        assert!(result["verdict"] == "refuted" && codes(&result).contains(&code), "{comment}: {result}");
    }
    let cluster = ["--grid", "4", "--cluster", "2", "--block", "1", "--arg", "tiles=u32[4]"];
    let result = checked(&without(&kernel("persistent_cluster.ptx"), "// ready"), &cluster);
    assert!(codes(&result).contains(&"data-race"), "{result}");
}

/// Each CTA asks once, and notes who has run and who was cancelled.
const ASKS: &str = "\
.version 8.6
.target sm_100a
.address_size 64
.visible .entry asks(.param .u64 out)
{
	.reg .pred %done, %more;
	.reg .b32 %own, %other, %y, %z;
	.reg .b64 %out, %at;
	.reg .b128 %answer;
	.shared .align 16 .b8 answer[16];
	.shared .align 8 .b64 full;
	ld.param.u64 %out, [out];
	mov.u32 %own, %ctaid.x;
	mul.wide.u32 %at, %own, 4;
	add.s64 %at, %at, %out;
	st.global.u32 [%at], 1;
	mbarrier.init.shared.b64 [full], 1;
	fence.mbarrier_init.release.cluster;
	mbarrier.arrive.expect_tx.shared.b64 _, [full], 16;
	clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [full];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %done, [full], 0;
	@!%done bra WAIT;
	ld.shared.b128 %answer, [answer];
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %more, %answer;
	@!%more ret;
	clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%other, %y, %z, _}, %answer;
	mul.wide.u32 %at, %other, 4;
	add.s64 %at, %at, %out;
	st.global.u32 [%at], 2;
	ret;
}
";

/// A CTA runs or was cancelled, never both and never neither; and each of these can happen to it.
#[test]
fn a_cta_runs_once_or_is_cancelled_once() {
    let options = ["--grid", "3", "--block", "1", "--arg", "out=u32[3]"];
    let with = |claim: &[&str]| checked(ASKS, &[&options, claim].concat());
    let always = "out[0] != 0 && out[1] != 0 && out[2] != 0";
    let result = with(&["--require", always]);
    assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{result}");
    for possible in [
        "out[0] == 1 && out[1] == 1 && out[2] == 1",
        "out[0] == 1 && out[1] == 2 && out[2] == 1",
        "out[0] == 2 && out[1] == 1 && out[2] == 1",
    ] {
        let result = with(&["--forbid", possible]);
        assert_eq!(codes(&result), ["claim"], "{possible}: {result}");
    }
    // Each of those that run asks once, so that at most every second one is cancelled.
    let result = with(&["--forbid", "out[0] + out[1] + out[2] == 5"]);
    assert_eq!(result["verdict"], "proved", "{result}");
}

/// An answer to an attempt that has failed has no position.
#[test]
fn the_position_in_a_failed_answer_is_undefined() {
    let options = ["--grid", "2", "--block", "1", "--arg", "out=u32[2]"];
    let result = checked(&ASKS.replace("\t@!%more ret;\n", ""), &options);
    assert!(result["verdict"] == "refuted" && codes(&result).contains(&"uninitialized-read"), "{result}");
    // It may be computed with before it is known to be none.
    let unused =
        ASKS.replace("\t@!%more ret;\n", "").replace("st.global.u32 [%at], 2", "@%more st.global.u32 [%at], 2");
    let result = checked(&unused, &options);
    assert_eq!(result["verdict"], "proved", "{result}");
}

/// Who knows that an attempt has failed makes no other one.
#[test]
fn nobody_asks_again_after_a_refusal() {
    let options = ["--grid", "2", "--block", "1", "--arg", "out=u32[2]"];
    let again = "\tmbarrier.arrive.expect_tx.shared.b64 _, [full], 16;\n\tfence.proxy.async.shared::cta;\n\
                 \tclusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [full];\n\
                 AGAIN:\tmbarrier.try_wait.parity.shared.b64 %done, [full], 1;\n\t@!%done bra AGAIN;\n\tret;\n";
    let asks_again =
        |guard: &str| ASKS.replace("\t@!%more ret;\n", &format!("\t@{guard}%more bra TAKE;\n{again}TAKE:\n"));
    let result = checked(&asks_again(""), &options);
    assert_eq!((codes(&result), &result["verdict"]), (vec!["launch-control-misuse"], &"refuted".into()), "{result}");
    let after_success = asks_again("!").replace("TAKE:\n", "TAKE:\n\t@!%more ret;\n");
    let result = checked(&after_success, &options);
    assert_eq!(codes(&result), [""; 0], "{result}");
}

/// A CTA that waits for another one waits until that one begins: no deadlock, unless that one was cancelled.
#[test]
fn a_cta_that_was_cancelled_signals_nobody() {
    let waits = "SIGNAL:\tld.acquire.gpu.global.u32 %y, [%out+4];\n\tsetp.eq.u32 %done, %y, 0;\n\t@%done bra SIGNAL;\n";
    let text = ASKS.replace("st.global.u32 [%at], 1;", "st.release.gpu.global.u32 [%at], 1;");
    let options = ["--grid", "2", "--block", "1", "--arg", "out=u32[2]"];
    // Before a CTA asks, nobody is cancelled by it.
    let first = text.replace("\tmbarrier.init", &format!("{waits}\tmbarrier.init"));
    let result = checked(&first.replace("%out+4", "%out"), &[&options, &["--require", "out[0] == 1"][..]].concat());
    assert_eq!(codes(&result), [""; 0], "{result}");
    let last = text.replace(
        "\tclusterlaunchcontrol.query_cancel.get_first_ctaid",
        &format!("{waits}\tclusterlaunchcontrol.query_cancel.get_first_ctaid"),
    );
    assert_eq!(codes(&checked(&last, &options)), ["deadlock"]);
}

#[test]
fn kernels_beside_each_other_are_not_followed() {
    let options = ["--grid", "2", "--block", "1", "--arg", "out=u32[2]", "--beside", "asks out=out"];
    let run = run_in(&support::root(), &[&["check", "-"], &options[..]].concat(), ASKS.as_bytes());
    assert!(run.code == 2 && run.stderr.contains("clusterlaunchcontrol.try_cancel"), "{}{}", run.stdout, run.stderr);
}
