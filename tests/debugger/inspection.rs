//! Registers, variables, memory and expressions.

use crate::client::{Session, fixture};
use serde_json::{Value, json};

/// The histogram with one CTA, stopped before its atomic.
fn at_the_atomic() -> Session {
    let path = fixture("histogram.ptx");
    let arguments = json!({ "in": "u32[100]=iota", "out": "u32[4]", "n": "u32=100" });
    let mut session = Session::launch(&path, json!({ "block": 32, "args": arguments }));
    session.breakpoint(&path, json!({}), 37);
    session.request("configurationDone", json!({}));
    assert_eq!(session.event("stopped")["threadId"], 1);
    session
}

/// The names and values of a scope of the first frame of a thread.
fn variables(session: &mut Session, scope: &str, thread: u64) -> Vec<(String, String)> {
    let reference = scope_reference(session, scope, thread);
    let answer = session.request("variables", json!({ "variablesReference": reference }));
    named(&answer)
}

fn scope_reference(session: &mut Session, scope: &str, thread: u64) -> Value {
    let frame = session.frame(thread);
    let scopes = session.request("scopes", json!({ "frameId": frame }))["scopes"].take();
    let found = scopes.as_array().expect("a list").iter().find(|one| one["name"] == scope).expect("the scope");
    found["variablesReference"].clone()
}

fn named(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = answer["variables"].as_array().expect("a list");
    list.iter().map(|one| (text(&one["name"]), text(&one["value"]))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn scopes_show_registers_parameters_and_memory() {
    let mut session = at_the_atomic();
    let registers = variables(&mut session, "Registers", 6);
    assert_eq!(registers[..2], pairs(&[("%p1", "false"), ("%p2", "false")]));
    assert!(registers.contains(&("%r2".to_owned(), "5".to_owned())), "{registers:?}");
    assert!(!registers.iter().any(|(name, _)| name == "%r10"), "nothing has written it");
    assert_eq!(variables(&mut session, "Parameters", 6)[2], ("n".to_owned(), "100".to_owned()));
    assert_eq!(variables(&mut session, "Buffers", 6)[1], ("out".to_owned(), "{0, 0, 0, 0}".to_owned()));
    assert_eq!(variables(&mut session, "Shared memory", 6), pairs(&[("counts", "{0, 0, 0, 0}")]));
    assert_eq!(variables(&mut session, "Special registers", 6)[0], ("%tid.x".to_owned(), "5".to_owned()));
    assert!(variables(&mut session, "Local memory", 6).is_empty());
}

/// Pointers into buffers, and a buffer that the host has not written.
#[test]
fn arguments_are_pointers_and_undefined_buffers() {
    let path = fixture("histogram.ptx");
    let arguments = json!({ "in": "u32[100]=undefined", "out": "u32[4]", "n": "u32=100" });
    let mut session = Session::launch(&path, json!({ "block": 32, "args": arguments }));
    session.request("setExceptionBreakpoints", json!({ "filters": ["uninitialized-read"] }));
    session.request("configurationDone", json!({}));
    let stopped = session.event("stopped");
    assert!(stopped["text"].as_str().is_some_and(|text| text.contains("that nothing has written")), "{stopped}");
    let arguments = json!({ "in": "&out+4", "out": "u32[101]=iota", "n": "u32=100" });
    let mut session = Session::launch(&path, json!({ "block": 32, "args": arguments }));
    session.breakpoint(&path, json!({}), 37);
    session.request("configurationDone", json!({}));
    let thread = session.event("stopped")["threadId"].as_u64().expect("a thread");
    assert_eq!(variables(&mut session, "Buffers", thread).len(), 1);
    assert_eq!(session.value("u32 [%rd1]", thread), "1", "the second element");
}

#[test]
fn arrays_have_pages_of_elements() {
    let mut session = at_the_atomic();
    let reference = scope_reference(&mut session, "Buffers", 1);
    let buffers = session.request("variables", json!({ "variablesReference": reference }));
    let input = &buffers["variables"][0];
    assert_eq!((&input["type"], &input["indexedVariables"]), (&json!("u32[100]"), &json!(100)));
    let arguments = json!({ "variablesReference": input["variablesReference"], "start": 98, "count": 10 });
    let page = session.request("variables", arguments);
    assert_eq!(named(&page), pairs(&[("[98]", "98"), ("[99]", "99")]));
}

#[test]
fn expressions_have_values() {
    let mut session = at_the_atomic();
    let expected = [
        ("%r2", "5"),
        ("%r7 * 2 + 1", "11"),
        ("%p1", "false"),
        ("!%p1 && %tid.x == 5", "1"),
        ("%laneid < 3 || 0", "0"),
        ("in[7]", "7"),
        ("counts[1]", "0"),
        ("counts", "{0, 0, 0, 0}"),
        ("[%rd1 + 8]", "2"),
        ("f32 [%rd1]", "0.0"),
        ("shared.u32 [%r9]", "0"),
        ("[counts]", "0"),
        ("-1 == 0xffffffff", "1"),
        ("7 / 2 == 3", "1"),
        ("1.5 * 2", "3"),
        ("%r10", "0 (undefined)"),
        ("in[100]", "error: index 100 is out of bounds: `in` has 100 elements"),
        ("[4]", "error: no memory at this address"),
        ("nothing", "error: unknown name `nothing`"),
        ("nothing[1]", "error: unknown variable or buffer `nothing`"),
        ("1 / 0", "error: division by zero"),
        ("1 +", "error: expected a value"),
    ];
    for (expression, value) in expected {
        assert_eq!(session.value(expression, 6), value, "{expression}");
    }
}

#[test]
fn memory_is_read_by_reference() {
    let mut session = at_the_atomic();
    let frame = session.frame(1);
    let buffer = session.request("evaluate", json!({ "expression": "in[0]", "frameId": frame }));
    let reference = &buffer["memoryReference"];
    let bytes = session.request("readMemory", json!({ "memoryReference": reference, "offset": 4, "count": 8 }));
    assert_eq!((&bytes["data"], &bytes["unreadableBytes"]), (&json!("AQAAAAIAAAA="), &Value::Null));
    let end = session.request("readMemory", json!({ "memoryReference": reference, "offset": 396, "count": 16 }));
    assert_eq!((&end["data"], &end["unreadableBytes"]), (&json!("YwAAAA=="), &json!(12)));
    let before = session.request("readMemory", json!({ "memoryReference": reference, "offset": -16, "count": 4 }));
    assert_eq!((&before["data"], &before["unreadableBytes"]), (&Value::Null, &json!(4)));
    let shared = session.request("evaluate", json!({ "expression": "counts[2]", "frameId": frame }));
    assert_eq!(shared["memoryReference"], "shared:0:0x8");
}

#[test]
fn frames_of_a_recursion_have_registers_of_their_own() {
    let path = fixture("calls.ptx");
    let mut session = Session::launch(&path, json!({ "block": 4, "args": ["out=u32[4]"] }));
    session.breakpoint(&path, json!({ "condition": "n == 1" }), 11);
    session.request("configurationDone", json!({}));
    let thread = session.event("stopped")["threadId"].as_u64().expect("a thread");
    let answer = session.request("stackTrace", json!({ "threadId": thread }));
    let frames = answer["stackFrames"].as_array().expect("a list").clone();
    let mut values = Vec::new();
    for frame in &frames[..frames.len() - 1] {
        let value = session.request("evaluate", json!({ "expression": "%r1", "frameId": frame["id"] }));
        values.push(value["result"].as_str().expect("a text").parse::<u32>().expect("a number"));
    }
    assert_eq!(values.first(), Some(&1));
    assert!(values.is_sorted(), "{values:?}");
    let reference = scope_reference(&mut session, "Local memory", thread);
    let locals = named(&session.request("variables", json!({ "variablesReference": reference })));
    assert!(locals.contains(&("n".to_owned(), "1".to_owned())), "{locals:?}");
}
