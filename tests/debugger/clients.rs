//! What clients differ in: restarts at any time, runs without debugging, lines from 0, conditions that have no value.

use crate::client::{Session, fixture, line};
use serde_json::{Value, json};
use std::path::PathBuf;

const ENDLESS: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry endless(.param .u64 flag)
{
	.reg .b32 %r; .reg .pred %p;
	mov.u32 %r, 0;
AGAIN:
	add.u32 %r, %r, 1;
	setp.ne.u32 %p, %r, -1;
	@%p bra AGAIN;
	ret;
}
";

/// A module in a file of its own.
fn module(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("ptx-atomics-{name}-{}.ptx", std::process::id()));
    std::fs::write(&path, text).expect("a module");
    path
}

fn histogram() -> Value {
    json!({ "in": "u32[100]=iota", "out": "u32[4]", "n": "u32=100" })
}

#[test]
fn a_restart_ends_a_run_that_never_stops_and_reads_the_module_again() {
    let path = module("restart", ENDLESS);
    let mut session =
        Session::launch(&path, json!({ "args": ["flag=u32[1]"], "maxInstructions": 1_000_000_000_000_u64 }));
    let set = session.breakpoint(&path, json!({ "condition": "%r == 5" }), 10);
    session.request("configurationDone", json!({}));
    assert_eq!(session.event("stopped")["hitBreakpointIds"], json!([set["id"]]));
    session.request("continue", json!({ "threadId": 1 }));

    // While it runs, with one line more above the breakpoint, and another start.
    std::fs::write(&path, ENDLESS.replace("%r, 0;", "%r, 2;\n\tadd.u32 %r, %r, 1;")).expect("a module");
    session.request("restart", json!({}));
    let moved = session.event("breakpoint");
    assert_eq!((&moved["reason"], &moved["breakpoint"]["id"]), (&json!("changed"), &set["id"]));
    assert_eq!((session.event("stopped")["reason"].take(), session.line(1)), (json!("entry"), 7));
    session.resume("next", 1);
    assert_eq!(session.value("%r", 1), "2");

    // A module that cannot be run says why, and the session goes on to its end.
    std::fs::write(&path, ENDLESS.replace("bra", "brr")).expect("a module");
    session.request("restart", json!({}));
    session.event("terminated");
    assert!(session.output("stderr").contains("brr"), "{}", session.output("stderr"));
    assert!(session.disconnect().success());
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn a_restart_may_have_another_configuration() {
    let path = fixture("histogram.ptx");
    let mut session = Session::at_entry(&path, json!({ "block": 32, "args": histogram() }));
    assert_eq!(session.value("%ntid.x", 1), "32");
    let other = json!({ "program": path, "block": 64, "args": histogram(), "stopOnEntry": true });
    session.request("restart", json!({ "arguments": other }));
    assert_eq!(session.event("stopped")["reason"], "entry");
    assert_eq!(session.value("%ntid.x", 1), "64");
}

#[test]
fn a_run_without_debugging_stops_nowhere() {
    let path = fixture("histogram.ptx");
    let configuration = json!({ "block": 32, "args": histogram(), "noDebug": true, "stopOnEntry": true });
    let mut session = Session::launch(&path, configuration);
    session.breakpoint(&path, json!({}), 34);
    session.request("setExceptionBreakpoints", json!({ "filters": ["data-race", "out-of-bounds"] }));
    session.request("configurationDone", json!({}));
    assert_eq!(session.next_end(), None);
    assert!(session.output("console").contains("out: u32[4] = 25 25 25 25"), "{}", session.output("console"));
}

#[test]
fn lines_are_counted_from_0_for_clients_that_do() {
    let path = fixture("histogram.ptx");
    let mut session = Session::start();
    let base = json!({ "adapterID": "x", "linesStartAt1": false, "columnsStartAt1": false });
    session.request("initialize", base);
    session.request("launch", json!({ "program": path, "block": 32, "args": histogram() }));
    session.event("initialized");
    let set = session.breakpoint(&path, json!({}), 33);
    assert_eq!((&set["verified"], line(&set)), (&json!(true), 33));
    let found =
        session.request("breakpointLocations", json!({ "source": { "path": path }, "line": 32, "endLine": 33 }));
    assert_eq!(found["breakpoints"], json!([{ "line": 32 }, { "line": 33 }]));
    session.request("configurationDone", json!({}));
    session.event("stopped");
    let frame = session.request("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0].take();
    assert_eq!((&frame["line"], &frame["column"]), (&json!(33), &json!(1)));
}

#[test]
fn a_condition_without_a_value_is_reported_once() {
    let path = fixture("histogram.ptx");
    let mut session = Session::launch(&path, json!({ "block": 32, "args": histogram() }));
    session.breakpoint(&path, json!({ "condition": "%q9 == 1" }), 34);
    session.request("configurationDone", json!({}));
    assert_eq!(session.next_end(), None);
    assert_eq!(session.output("stderr"), "condition of a breakpoint: unknown name `%q9`\n");
}

#[test]
fn requests_in_any_order_get_answers() {
    let path = fixture("histogram.ptx");
    let mut session = Session::start();
    // Before `initialize`, twice, and after the end.
    session.request("launch", json!({ "program": path, "block": 32, "args": histogram() }));
    session.request("pause", json!({ "threadId": 1 }));
    session.request("initialize", json!({ "adapterID": "x" }));
    session.request("initialize", json!({ "adapterID": "x", "pathFormat": "uri" }));
    session.request("configurationDone", json!({}));
    assert_eq!(session.next_end(), None, "a pause before the run is none of it");
    for command in ["stackTrace", "scopes", "evaluate", "continue", "stepBack", "setVariable", "source", "cancel"] {
        assert!(session.answer(command, json!({ "threadId": 1, "frameId": 1 })).is_err(), "{command}");
    }
    session.request("configurationDone", json!({}));
    assert_eq!(session.next_end(), None, "the same run again");
    assert!(session.disconnect().success());
}
