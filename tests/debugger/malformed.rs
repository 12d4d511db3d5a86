//! Wrong input: messages that are none, unknown requests, missing arguments, launches that fail.

use crate::client::{Session, fixture};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[test]
fn messages_that_are_none_are_reported_and_skipped() {
    let mut session = Session::start();
    session.send_bytes(b"Content-Length: 9\r\n\r\nnot JSON!");
    assert!(session.event("output")["output"].as_str().is_some_and(|text| text.starts_with("invalid JSON: ")));
    session.send_bytes(b"Content-Length: 2\r\n\r\n{}");
    assert_eq!(session.event("output")["output"], "expected a request with `seq` and `command`\n");
    session.send_bytes(b"Length: 2\r\n\r\n");
    assert_eq!(session.event("output")["output"], "missing `Content-Length`\n");
    assert_eq!(session.request("initialize", json!({ "adapterID": "x" }))["supportsStepBack"], true);
    session.send_bytes(b"Content-Length: 99999999999999\r\n\r\n{}");
    assert_eq!(session.event("output")["output"], "message of 99999999999999 bytes is too long\n");
    assert!(session.hang_up().success());
}

#[test]
fn requests_at_the_wrong_time_and_unknown_ones_fail() {
    let mut session = Session::start();
    let failing = [
        ("fly", "unknown request `fly`"),
        ("continue", "the kernel is not stopped"),
        ("stackTrace", "no kernel is launched"),
        ("attach", "a kernel is launched: there is no process to attach to"),
        ("configurationDone", "the kernel is not stopped"),
        ("launch", "invalid launch configuration: missing field `program`"),
    ];
    for (command, message) in failing {
        assert_eq!(session.answer(command, json!({})), Err(message.to_owned()), "{command}");
    }
    assert_eq!(session.request("threads", json!({})), json!({ "threads": [] }));
}

#[test]
fn launches_that_fail_say_why() {
    let mut session = Session::start();
    let path = fixture("histogram.ptx");
    let mut launch = |configuration: Value| session.answer("launch", configuration).expect_err("fails");
    let error = launch(json!({ "program": "/nowhere.ptx" }));
    assert!(error.starts_with("cannot read /nowhere.ptx") || error.contains("/nowhere.ptx"), "{error}");
    let error = launch(json!({ "program": "-" }));
    assert_eq!(error, "cannot read -: standard input has the requests");
    let error = launch(json!({ "program": "/dev/null" }));
    assert_eq!(error, "cannot read /dev/null: not a regular file");
    let error = launch(json!({ "program": "/" }));
    assert_eq!(error, "cannot read /: is a directory");
    let error = launch(json!({ "program": path, "kernel": "histogran" }));
    assert!(error.ends_with("no kernel `histogran`: did you mean `histogram`?"), "{error}");
    let error = launch(json!({ "program": path, "args": ["in=u32[1]"] }));
    assert!(error.starts_with("no arguments for the parameters `out` (8 bytes), `n` (4 bytes)"), "{error}");
    let error = launch(json!({ "program": path, "grid": [1, 2, 3, 4] }));
    assert_eq!(error, "invalid launch configuration: expected one to three sizes, found [1,2,3,4]");
    let error = launch(json!({ "program": path, "args": 5 }));
    assert!(error.contains("expected a list of `NAME=SPEC`"), "{error}");
    let error = launch(json!({ "program": path, "launch": "histogram blok 32" }));
    assert_eq!(error, "unknown option `blok` of a launch: did you mean `block`?");
    let launch = "histogram block 5000 in=u32[1] out=u32[4] n=u32=1";
    session.request("launch", json!({ "program": path, "launch": launch }));
    session.request("configurationDone", json!({}));
    assert_eq!(session.event("exited")["exitCode"], 2);
    assert_eq!(session.output("stderr"), "block of 5000 threads: a CTA has at most 1024\n");
}

#[test]
fn wrong_arguments_fail_and_the_session_goes_on() {
    let arguments = json!(["in=u32[1]", "out=u32[4]", "n=u32=1"]);
    let mut session = Session::at_entry(&fixture("histogram.ptx"), json!({ "args": arguments }));
    let failing = [
        ("stackTrace", json!({}), "missing `threadId`"),
        ("stackTrace", json!({ "threadId": -1 }), "`threadId` is not a positive number"),
        ("next", json!({ "threadId": 0 }), "unknown thread 0"),
        ("next", json!({ "threadId": 99999 }), "unknown thread 99999"),
        ("scopes", json!({ "frameId": 99 }), "unknown frame"),
        ("scopes", json!({ "frameId": -1 }), "`frameId` is not a positive number"),
        ("variables", json!({ "variablesReference": -1 }), "`variablesReference` is not a positive number"),
        ("evaluate", json!({ "expression": "1", "frameId": -1 }), "`frameId` is not a positive number"),
        ("variables", json!({ "variablesReference": 99 }), "unknown variables"),
        ("evaluate", json!({ "frameId": 1 }), "missing `expression`"),
        ("evaluate", json!({ "expression": "1", "frameId": 77 }), "unknown frame"),
        ("readMemory", json!({ "memoryReference": "moon", "count": 1 }), "unknown memory `moon`"),
        ("readMemory", json!({ "memoryReference": "0x10" }), "missing `count`"),
        ("exceptionInfo", json!({ "threadId": 1 }), "the run did not stop at a problem"),
        ("setBreakpoints", json!({ "breakpoints": [{ "line": 1 }] }), "missing the path of `source`"),
        ("setDataBreakpoints", json!({ "breakpoints": {} }), "expected a list of `breakpoints`"),
        ("launch", json!({}), "a kernel was launched already"),
        ("configurationDone", json!({}), "the kernel is not stopped"),
    ];
    for (command, arguments, message) in failing {
        assert_eq!(session.answer(command, arguments), Err(message.to_owned()), "{command}");
    }
    let wanted = json!({ "breakpoints": [{ "dataId": "moon" }] });
    let answer = session.request("setDataBreakpoints", wanted);
    assert_eq!(answer["breakpoints"][0]["message"], "unknown memory `moon`");
    assert_eq!(session.line(1), 13);
    assert!(session.disconnect().success());
}

/// A module with a kernel that does not end.
fn endless_module(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("ptx-atomics-{name}-{}.ptx", std::process::id()));
    let text = "\
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
    std::fs::write(&path, text).expect("a module");
    path
}

/// A session in which that kernel runs.
fn endless_run(path: &Path) -> Session {
    let configuration = json!({ "args": ["flag=u32[1]"], "maxInstructions": 1_000_000_000_000_u64 });
    let mut session = Session::launch(path, configuration);
    session.request("configurationDone", json!({}));
    session
}

#[test]
fn a_run_ends_with_the_requests_of_its_client() {
    let path = endless_module("abandoned");
    assert!(endless_run(&path).hang_up().success(), "while it goes forward");
    let mut session = endless_run(&path);
    session.request("pause", json!({ "threadId": 1 }));
    session.event("stopped");
    session.request("reverseContinue", json!({ "threadId": 1 }));
    session.send("stackTrace", json!({ "threadId": 1 }));
    assert!(session.hang_up().success(), "while it is repeated");
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn a_run_can_be_paused_restarted_and_terminated() {
    let path = endless_module("endless");
    let mut session = endless_run(&path);
    session.request("pause", json!({ "threadId": 1 }));
    assert_eq!(session.event("stopped")["reason"], "pause");
    assert_ne!(session.value("%r", 1), "0");
    assert_eq!(session.resume("restart", 1)["reason"], "entry");
    assert_eq!(session.line(1), 7);
    session.request("continue", json!({ "threadId": 1 }));
    session.request("terminate", json!({}));
    session.event("terminated");
    assert!(session.disconnect().success());
    std::fs::remove_file(path).expect("removed");
}
