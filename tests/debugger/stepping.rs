//! Steps, forwards and backwards, of a thread, a warp and everything.

use crate::client::{Session, fixture};
use serde_json::{Value, json};

fn histogram() -> Value {
    json!({ "grid": 2, "block": [32], "args": { "in": "u32[100]=iota", "out": "u32[4]", "n": "u32=100" } })
}

#[test]
fn a_thread_steps_from_instruction_to_instruction_and_back() {
    let mut session = Session::at_entry(&fixture("histogram.ptx"), histogram());
    let mut lines = vec![session.line(1)];
    for _ in 0..4 {
        let stop = session.resume("next", 1);
        assert_eq!((&stop["reason"], &stop["threadId"]), (&json!("step"), &json!(1)));
        lines.push(session.line(1));
    }
    assert_eq!(lines, [13, 14, 15, 16, 17]);
    assert_eq!(session.value("%r2", 1), "0");
    session.resume("stepBack", 1);
    session.resume("stepBack", 1);
    assert_eq!(session.line(1), 15);
    assert_eq!(session.value("%r2", 1), "0 (undefined)");
    session.resume("next", 1);
    session.resume("next", 1);
    assert_eq!((session.line(1), session.value("%r2", 1)), (17, "0".to_owned()));
}

#[test]
fn a_step_over_a_barrier_ends_when_the_thread_can_run_again() {
    let configuration = json!({ "block": 64, "args": ["in=u32[100]=iota", "out=u32[4]", "n=u32=100"] });
    let mut session = Session::launch(&fixture("histogram.ptx"), configuration);
    session.breakpoint(&fixture("histogram.ptx"), json!({}), 22);
    session.request("configurationDone", json!({}));
    let thread = session.event("stopped")["threadId"].as_u64().expect("a thread");
    session.breakpoint(&fixture("histogram.ptx"), json!({}), 1000);
    session.resume("next", thread);
    assert_eq!(session.line(thread), 23);
}

#[test]
fn calls_are_entered_left_and_stepped_over() {
    let path = fixture("calls.ptx");
    let configuration = json!({ "block": 10, "args": ["out=u32[10]"] });
    let mut session = Session::at_entry(&path, configuration);
    let thread = 8;
    while session.line(thread) != 40 {
        session.resume("next", thread);
    }
    session.resume("stepIn", thread);
    assert_eq!(session.frames(thread), [("fibonacci".to_owned(), 10), ("run".to_owned(), 40)]);
    session.resume("stepOut", thread);
    assert_eq!(session.frames(thread), [("run".to_owned(), 41)]);
    assert_eq!(session.value("%r2", thread), "13 (0xd)");
    session.resume("stepBack", thread);
    assert_eq!(session.frames(thread), [("run".to_owned(), 40)]);
    session.resume("next", thread);
    assert_eq!(session.frames(thread), [("run".to_owned(), 41)]);
}

#[test]
fn a_step_can_be_of_a_warp_or_of_everything() {
    let mut configuration = histogram();
    configuration["stepping"] = json!("everything");
    let mut session = Session::at_entry(&fixture("histogram.ptx"), configuration);
    let first = session.resume("next", 1)["threadId"].as_u64().expect("a thread");
    let second = session.resume("next", first)["threadId"].as_u64().expect("a thread");
    assert_eq!(first, second, "the turn of a warp is longer than two instructions");
    assert_eq!(session.line(first), 15);
    let answer = session.request("evaluate", json!({ "expression": "stepping warp", "context": "repl" }));
    assert_eq!(answer["result"], "steps are of: warp");
    let other = if first > 32 { 1 } else { 33 };
    let stop = session.resume("next", other);
    assert_eq!(stop["threadId"], other);
    let error = session.answer("evaluate", json!({ "expression": "stepping lane", "context": "repl" }));
    assert_eq!(error, Err("unknown scope `lane`: expected `thread`, `warp` or `everything`".to_owned()));
}

#[test]
fn a_thread_among_1024_steps() {
    let configuration = json!({ "block": 1024, "args": ["in=u32[9999]=iota", "out=u32[4]", "n=u32=9999"] });
    let mut session = Session::at_entry(&fixture("histogram.ptx"), configuration);
    assert_eq!(session.request("threads", json!({}))["threads"].as_array().map(Vec::len), Some(1024));
    for expected in 14..24 {
        session.resume("next", 1000);
        assert_eq!(session.line(1000), expected);
    }
    session.resume("stepBack", 1000);
    assert_eq!(session.line(1000), 22);
}

#[test]
fn a_large_launch_lists_groups_of_lanes_and_the_thread_that_is_shown() {
    let configuration =
        json!({ "grid": [8, 2], "block": 256, "args": ["in=u32[100]=iota", "out=u32[4]", "n=u32=100"] });
    let mut session = Session::at_entry(&fixture("histogram.ptx"), configuration);
    session.resume("next", 6);
    let threads = session.request("threads", json!({}))["threads"].take();
    let names: Vec<&str> = threads.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names.len(), 16 * 8 + 1);
    assert_eq!(names[0], "CTA (0, 0, 0) warp 0 lane 0 and 31 more");
    assert_eq!(names.last(), Some(&"CTA (0, 0, 0) warp 0 lane 5"));
}
