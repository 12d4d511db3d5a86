//! Lanes of a warp that wait for a phase of an mbarrier, one of which hands the stage back, in `check`: whether the others have looked before.

use crate::run_in;
use serde_json::Value;
use std::fs;

/// A thread of warp 0 fills a stage three times. The lanes of warp 1 wait for it with `wait`, and then do `then`.
fn pipeline(wait: &str, then: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k()
{{
	.reg .pred p, q, e;
	.reg .b32 t, lane, i, ph, v;
	.shared .align 8 .b64 full;
	.shared .align 8 .b64 empty;
	mov.b32 i, 0;
	mov.u32 t, %tid.x;
	and.b32 lane, t, 31;
	setp.ne.u32 p, t, 0;
	@p bra READY;
	mbarrier.init.shared::cta.b64 [full], 1;
	mbarrier.init.shared::cta.b64 [empty], 1;
READY:
	bar.sync 0;
	setp.lt.u32 p, t, 32;
	@p bra FILL;
NEXT:
	and.b32 ph, i, 1;
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 q, [full], ph;
	{wait}
	setp.eq.u32 e, lane, 0;
	{then}
	add.u32 i, i, 1;
	setp.lt.u32 q, i, 3;
	@q bra NEXT;
	ret;
FILL:
	setp.ne.u32 p, lane, 0;
	@p bra END;
STAGE:
	and.b32 ph, i, 1;
	xor.b32 ph, ph, 1;
EMPTY:
	mbarrier.try_wait.parity.shared::cta.b64 q, [empty], ph;
	@!q bra EMPTY;
	mbarrier.arrive.shared::cta.b64 _, [full];
	add.u32 i, i, 1;
	setp.lt.u32 q, i, 3;
	@q bra STAGE;
END:
	ret;
}}
"
    )
}

/// The result of `check` on a kernel.
fn check(text: &str, options: &[&str]) -> Value {
    let arguments = [&["check", "-", "--format", "json"], options].concat();
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

const REPEAT: &str = "@!q bra WAIT;";
const ARRIVE: &str = "@e mbarrier.arrive.shared::cta.b64 _, [empty];";

/// The kernel is proved in a few states.
fn assert_proved_soon(text: &str, options: &[&str], name: &str) {
    let result = check(text, options);
    assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{name}: {result}");
    assert!(result["states"].as_u64().is_some_and(|states| states <= 50), "{name}: {result}");
}

#[test]
fn who_goes_on_from_an_instruction_of_all_lanes_knows_that_they_have_waited() {
    for together in [
        "elect.sync _|e, -1;",
        "shfl.sync.idx.b32 v, t, 0, 31, -1;",
        "vote.sync.ballot.b32 v, q, -1;",
        "match.any.sync.b32 v, t, -1;",
        "redux.sync.add.u32 v, t, -1;",
        "bar.warp.sync -1;",
    ] {
        assert_proved_soon(&pipeline(REPEAT, &format!("{together} {ARRIVE}")), &["--block", "64"], together);
    }
}

/// Lanes 0 and 1 meet, then 2 and 0, of which 2 arrives.
#[test]
fn a_lane_knows_of_those_that_others_have_met() {
    let then = "setp.lt.u32 p, lane, 2; @!p bra LAST; shfl.sync.idx.b32 v, t, 0, 31, 3; LAST: setp.ne.u32 p, lane, 1; \
                setp.eq.u32 e, lane, 2; @!p bra OVER; shfl.sync.idx.b32 v, t, 0, 31, 5;";
    let text = pipeline(REPEAT, &format!("{then} {ARRIVE} OVER:"));
    let result = check(&text, &["--block", "35"]);
    assert_eq!((&result["verdict"], &result["executions"]), (&"proved".into(), &1.into()), "{result}");
}

/// A phase can end that a lane has not looked at before the one after it has ended: it waits for ever.
#[test]
fn lanes_that_do_not_meet_between_their_wait_and_the_arrival_may_be_overrun() {
    let late = "shfl.sync.idx.b32 v, t, 0, 31, -1; @!q bra WAIT;";
    let of_two = "setp.lt.u32 p, lane, 2; @!p bra LAST; shfl.sync.idx.b32 v, t, 0, 31, 3; LAST:";
    for (name, wait, then) in [
        ("nothing", REPEAT, ARRIVE.to_owned()),
        ("after", REPEAT, format!("{ARRIVE} shfl.sync.idx.b32 v, t, 0, 31, -1;")),
        ("before the wait has ended", late, ARRIVE.to_owned()),
        ("not all", REPEAT, format!("{of_two} {ARRIVE}")),
        ("no meeting", REPEAT, format!("activemask.b32 v; {ARRIVE}")),
    ] {
        let result = check(&pipeline(wait, &then), &["--block", "35"]);
        let code = &result["problems"][0]["code"];
        assert_eq!((&result["verdict"], code), (&"refuted".into(), &"deadlock".into()), "{name}: {result}");
    }
}

/// Each of 31 lanes may be late, in 2^31 ways: that one of them is leads to the same problem.
#[test]
fn of_many_lanes_that_may_be_late_one_is_followed() {
    let result = check(&pipeline(REPEAT, ARRIVE), &["--block", "64"]);
    let code = &result["problems"][0]["code"];
    assert_eq!((&result["verdict"], code), (&"refuted".into(), &"deadlock".into()), "{result}");
    assert!(result["states"].as_u64().is_some_and(|states| states <= 100), "{result}");
}

/// The arrangement of DeepGEMM on sm_100, which has no barrier of the warp before the arrival.
#[test]
fn lanes_meet_where_they_wait_for_loads_of_tensor_memory() {
    let text = fs::read_to_string(support::evidence("verification").join("gemm.ptx")).expect("evidence");
    let launch = text.lines().find_map(|line| line.strip_prefix("// check swizzled: ")).expect("its launch");
    let options: Vec<&str> = ["--kernel", "swizzled"].into_iter().chain(launch.split_whitespace()).collect();
    let barrier = "\tbar.warp.sync -1;\n\telect.sync _|e, -1;\n\t@e mbarrier.arrive";
    let of_lane = text.replacen(barrier, "\tsetp.eq.u32 e, lane, 0;\n\t@e mbarrier.arrive", 1);
    assert_ne!(of_lane, text);
    assert_proved_soon(&of_lane, &options, "the first lane");
    let no_wait =
        of_lane.replacen("mbarrier.try_wait.parity.shared::cta.b64 q, [done], ph;", "setp.eq.u32 q, t, t;", 1);
    assert_eq!(check(&no_wait, &options)["verdict"], "refuted");
    let load = of_lane.find("\ttcgen05.ld").expect("a load");
    let early = format!(
        "{}\tsetp.eq.u32 e, lane, 0;\n\t{} _, [free];\n{}",
        &of_lane[..load],
        "@e mbarrier.arrive.shared::cta.b64",
        &of_lane[load..]
    );
    let early = early.replacen("@e mbarrier.arrive.shared::cta.b64 _, [free]; //-", "", 1);
    assert_eq!(check(&early, &options)["verdict"], "refuted");
}
