//! Breakpoints on lines, functions, memory and problems.

use crate::client::{Session, fixture, line};
use serde_json::{Value, json};

fn histogram(grid: u32) -> (std::path::PathBuf, Session) {
    let path = fixture("histogram.ptx");
    let arguments = json!({ "in": "u32[100]=iota", "out": "u32[4]", "n": "u32=100" });
    let session = Session::launch(&path, json!({ "grid": grid, "block": 32, "args": arguments }));
    (path, session)
}

fn run(session: &mut Session) -> Value {
    session.request("configurationDone", json!({}));
    session.event("stopped")
}

#[test]
fn a_condition_selects_the_thread() {
    let (path, mut session) = histogram(2);
    let set = session.breakpoint(&path, json!({ "condition": "%laneid == 3 && %r7 > 40" }), 34);
    assert_eq!((&set["verified"], line(&set)), (&json!(true), 34));
    let stop = run(&mut session);
    assert_eq!(stop["reason"], "breakpoint");
    assert_eq!(stop["hitBreakpointIds"], json!([set["id"]]));
    let thread = stop["threadId"].as_u64().expect("a thread");
    assert_eq!((session.line(thread), session.value("%laneid", thread)), (34, "3".to_owned()));
    assert_eq!(session.value("%r7 > 40", thread), "1");
    let back = session.resume("reverseContinue", thread);
    assert_eq!(back["reason"], "entry", "there is no earlier hit");
}

#[test]
fn hits_are_counted_also_when_a_run_is_repeated() {
    let (path, mut session) = histogram(1);
    session.breakpoint(&path, json!({ "hitCondition": "% 2" }), 29);
    run(&mut session);
    let value = |session: &mut Session| session.value("%r7", 1);
    assert_eq!(value(&mut session), "32 (0x20)");
    session.resume("continue", 1);
    assert_eq!(value(&mut session), "96 (0x60)");
    session.resume("reverseContinue", 1);
    assert_eq!(value(&mut session), "32 (0x20)");
    session.resume("continue", 1);
    assert_eq!(value(&mut session), "96 (0x60)");
}

#[test]
fn a_breakpoint_moves_to_the_next_instruction_and_can_print() {
    let (path, mut session) = histogram(1);
    let set = session.breakpoint(&path, json!({ "logMessage": "at {%r7 + 1} of {%r1} {nothing}" }), 28);
    assert_eq!(line(&set), 29);
    session.request("configurationDone", json!({}));
    session.event("terminated");
    let printed = session.output("console");
    assert!(printed.starts_with("at 1 of 100 (0x64) <unknown name `nothing`>\nat 33 of 100"), "{printed}");
    assert!(printed.contains("out: u32[4] = 25 25 25 25\nno problem; "), "{printed}");
}

#[test]
fn lines_without_instructions_and_wrong_conditions_are_not_verified() {
    let (path, mut session) = histogram(1);
    let set = session.breakpoint(&path, json!({}), 1000);
    assert_eq!(set["message"], "no instruction of the kernel at or after this line");
    let set = session.breakpoint(&path, json!({ "condition": "%r1 >" }), 30);
    assert_eq!((&set["verified"], &set["message"]), (&json!(false), &json!("expected a value")));
    let set = session.breakpoint(&path, json!({ "hitCondition": "often" }), 30);
    assert_eq!(set["message"], "invalid hit condition `often`: expected `5`, `>= 5` or `% 5`");
    let lines = json!({ "source": { "path": path }, "line": 27, "endLine": 31 });
    let locations = session.request("breakpointLocations", lines);
    assert_eq!(locations["breakpoints"], json!([{ "line": 27 }, { "line": 29 }, { "line": 30 }, { "line": 31 }]));
}

#[test]
fn a_wrong_line_and_too_many_breakpoints_do_not_affect_the_others() {
    let (path, mut session) = histogram(1);
    let mut wanted = vec![json!({ "line": -1 }), json!({}), json!({ "line": 29 })];
    let arguments = json!({ "source": { "path": path }, "breakpoints": wanted });
    let set = session.request("setBreakpoints", arguments)["breakpoints"].take();
    assert_eq!(set[0]["message"], "`line` is not a positive number");
    assert_eq!(set[1]["message"], "missing `line`");
    assert_eq!(
        (&set[0]["verified"], &set[1]["verified"], &set[2]["verified"]),
        (&json!(false), &json!(false), &json!(true))
    );
    wanted = vec![json!({ "line": 29 }); 10_001];
    let arguments = json!({ "source": { "path": path }, "breakpoints": wanted });
    let set = session.request("setBreakpoints", arguments)["breakpoints"].take();
    assert_eq!((&set[9_999]["verified"], &set[10_000]["verified"]), (&json!(true), &json!(false)));
    assert_eq!(set[10_000]["message"], "more than 10,000 breakpoints");
}

#[test]
fn a_function_can_have_a_breakpoint() {
    let mut session = Session::launch(&fixture("calls.ptx"), json!({ "block": 4, "args": ["out=u32[4]"] }));
    let wanted = json!({ "breakpoints": [{ "name": "fibonacci", "condition": "%tid.x == 3" }, { "name": "other" }] });
    let set = session.request("setFunctionBreakpoints", wanted);
    assert_eq!(set["breakpoints"][0]["verified"], true);
    assert_eq!(set["breakpoints"][1]["message"], "no function `other` that the kernel calls");
    let stop = run(&mut session);
    assert_eq!((&stop["reason"], &stop["threadId"]), (&json!("function breakpoint"), &json!(4)));
    assert_eq!(session.line(4), 10);
}

#[test]
fn memory_can_have_a_breakpoint() {
    let (path, mut session) = histogram(1);
    session.breakpoint(&path, json!({}), 23);
    run(&mut session);
    session.breakpoint(&path, json!({}), 1000);
    let frame = session.frame(1);
    let info = session.request("dataBreakpointInfo", json!({ "name": "counts[3]", "frameId": frame }));
    assert_eq!(info["description"], "counts[3] (4 bytes)");
    let register = session.request("dataBreakpointInfo", json!({ "name": "%r1", "frameId": frame }));
    assert_eq!((&register["dataId"], &register["description"]), (&Value::Null, &json!("`%r1` is not in memory")));
    let wanted = json!({ "breakpoints": [{ "dataId": info["dataId"], "accessType": "write" }] });
    assert_eq!(session.request("setDataBreakpoints", wanted)["breakpoints"][0]["verified"], true);
    let stop = session.resume("continue", 1);
    assert_eq!((&stop["reason"], &stop["threadId"]), (&json!("data breakpoint"), &json!(4)));
    assert_eq!(stop["text"], "atomic access of 4 bytes");
    assert_eq!(session.line(4), 37);
    let wanted = json!({ "breakpoints": [{ "dataId": info["dataId"], "accessType": "read", "condition": "%laneid == 3 && counts[3] == 25" }] });
    session.request("setDataBreakpoints", wanted);
    let stop = session.resume("continue", 1);
    assert_eq!(session.line(stop["threadId"].as_u64().expect("a thread")), 37);
}

#[test]
fn problems_stop_the_run_where_they_are_made() {
    let path = fixture("out_of_bounds.ptx");
    let mut session = Session::launch(&path, json!({ "block": 40, "args": ["a=u32[32]"] }));
    session.request("setExceptionBreakpoints", json!({ "filters": ["misaligned-access", "out-of-bounds"] }));
    let stop = run(&mut session);
    assert_eq!((&stop["reason"], &stop["threadId"]), (&json!("exception"), &json!(33)));
    assert_eq!((session.line(33), session.value("%tid.x", 33)), (13, "32".to_owned()));
    let info = session.request("exceptionInfo", json!({ "threadId": 33 }));
    assert_eq!(info["exceptionId"], "out-of-bounds");
    assert!(info["description"].as_str().is_some_and(|text| text.contains("after the end of `a`")), "{info}");
    let stop = session.resume("continue", 33);
    assert_eq!(stop["description"], "misaligned-access");
    let thread = stop["threadId"].as_u64().expect("a thread");
    assert_eq!(session.line(thread), 14);
    session.request("continue", json!({ "threadId": thread }));
    assert_eq!(session.event("exited")["exitCode"], 1);
    session.event("terminated");
    assert!(session.output("stderr").starts_with("error[out-of-bounds]: "), "{}", session.output("stderr"));
}

#[test]
fn a_deadlock_can_be_inspected_and_left_backwards() {
    let path = fixture("waits_forever.ptx");
    let mut session = Session::launch(&path, json!({ "block": 2, "args": ["flag=u32[1]"] }));
    session.request("setExceptionBreakpoints", json!({ "filters": ["deadlock"] }));
    let stop = run(&mut session);
    assert_eq!(stop["description"], "deadlock");
    let (name, line) = session.frames(1).remove(0);
    assert!(name.starts_with("wait (waits for a change of memory at 0x"), "{name}");
    assert!((12..=14).contains(&line), "{line}");
    session.resume("stepBack", 1);
    assert_eq!(session.frames(1)[0].0, "wait");
}

#[test]
fn problems_without_a_filter_do_not_stop() {
    let mut session = Session::launch(&fixture("out_of_bounds.ptx"), json!({ "block": 40, "args": ["a=u32[32]"] }));
    session.request("setExceptionBreakpoints", json!({ "filters": [] }));
    session.request("configurationDone", json!({}));
    session.event("terminated");
    assert!(session.output("console").contains("2 problems"), "{}", session.output("console"));
}
