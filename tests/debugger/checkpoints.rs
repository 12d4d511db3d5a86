//! Going back in a run that is longer than the distance of two checkpoints.

use crate::client::{Session, fixture};
use serde_json::{Value, json};

/// 1,024 threads that take turns in a loop, stopped before the first instruction.
fn long_run() -> Session {
    let arguments = json!({ "in": "u32[60000]=iota", "out": "u32[4]", "n": "u32=60000" });
    Session::at_entry(&fixture("histogram.ptx"), json!({ "block": 1024, "stepping": "everything", "args": arguments }))
}

/// What the client sees at a stop: the lines and registers of threads of several warps, and memory.
fn seen(session: &mut Session, stop: &Value) -> Vec<String> {
    let own = stop["threadId"].as_u64().expect("a thread");
    let mut all = vec![format!("{}", stop["threadId"])];
    for thread in [own, 1, 40, 333, 1024] {
        all.push(format!("{:?}", session.frames(thread)));
        all.extend(["%p2", "%r7", "%r9", "%rd3", "%clock"].map(|name| session.value(name, thread)));
    }
    all.extend(["counts", "out"].map(|name| session.value(name, own)));
    all
}

#[test]
fn a_step_back_shows_the_state_before_the_step_wherever_the_run_is() {
    let mut session = long_run();
    let mut random = fastrand::Rng::with_seed(27);
    session.breakpoint(&fixture("histogram.ptx"), json!({ "hitCondition": "% 151" }), 34);
    let mut stop = json!({ "threadId": 1 });
    let mut stops = Vec::new();
    let mut compared = 0;
    let go = |session: &mut Session, command: &str, stop: &Value| {
        session.resume(command, stop["threadId"].as_u64().expect("a thread"))
    };
    for _ in 0..12 {
        stop = go(&mut session, "continue", &stop);
        assert_eq!(stop["reason"], "breakpoint");
        stops.push(seen(&mut session, &stop));
        let mut states = vec![stops.last().expect("a stop").clone()];
        for _ in 0..random.u32(1..6) {
            stop = go(&mut session, "next", &stop);
            states.push(seen(&mut session, &stop));
        }
        for expected in states.iter().rev().skip(1) {
            stop = go(&mut session, "stepBack", &stop);
            assert_eq!(&seen(&mut session, &stop), expected);
            compared += 1;
        }
    }
    assert!(compared > 24, "{compared}");
    for expected in stops.iter().rev().skip(1) {
        stop = go(&mut session, "reverseContinue", &stop);
        assert_eq!(stop["reason"], "breakpoint");
        assert_eq!(&seen(&mut session, &stop), expected);
    }
    assert_eq!(go(&mut session, "reverseContinue", &stop)["reason"], "entry");
    for expected in stops {
        stop = go(&mut session, "continue", &stop);
        assert_eq!(seen(&mut session, &stop), expected);
    }
}

#[test]
fn the_last_write_is_found_backwards_by_a_breakpoint_that_was_set_late() {
    let mut session = long_run();
    session.breakpoint(&fixture("histogram.ptx"), json!({}), 42);
    let stop = session.resume("continue", 1);
    let thread = stop["threadId"].as_u64().expect("a thread");
    assert_eq!(session.value("counts[3]", thread), "15000 (0x3a98)");
    session.breakpoint(&fixture("histogram.ptx"), json!({}), 1000);
    let data = json!({ "breakpoints": [{ "dataId": "shared:0:0xc+4", "accessType": "write" }] });
    session.request("setDataBreakpoints", data);
    let mut counts = Vec::new();
    for _ in 0..3 {
        let stop = session.resume("reverseContinue", thread);
        assert_eq!(stop["reason"], "data breakpoint");
        let thread = stop["threadId"].as_u64().expect("a thread");
        assert_eq!(session.line(thread), 37);
        counts.push(session.value("counts[3]", thread));
    }
    // Warps count 8 of their lanes' elements at once.
    assert_eq!(counts, ["15000 (0x3a98)", "14992 (0x3a90)", "14984 (0x3a88)"]);
}
