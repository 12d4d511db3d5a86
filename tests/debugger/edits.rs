//! Values that the user changes: the run goes on with them, and they are part of its history.

use crate::client::{Session, fixture};
use serde_json::{Value, json};

/// The histogram with two CTAs, stopped before its atomic for the first time.
fn at_the_atomic() -> (Session, u64) {
    let path = fixture("histogram.ptx");
    let arguments = json!({ "in": "u32[100]=iota", "out": "u32[4]", "n": "u32=100" });
    let mut session = Session::launch(&path, json!({ "grid": 2, "block": 32, "args": arguments }));
    session.breakpoint(&path, json!({}), 37);
    session.request("configurationDone", json!({}));
    let thread = session.event("stopped")["threadId"].as_u64().expect("a thread");
    (session, thread)
}

fn set(session: &mut Session, thread: u64, expression: &str, value: &str) -> Result<String, String> {
    let frame = session.frame(thread);
    let arguments = json!({ "expression": expression, "value": value, "frameId": frame });
    let answer = session.answer("setExpression", arguments)?;
    Ok(answer["value"].as_str().expect("a text").to_owned())
}

/// Removes the breakpoints and lets the run end; what it has counted.
fn counts_at_the_end(session: &mut Session) -> String {
    session.breakpoint(&fixture("histogram.ptx"), json!({}), 1000);
    session.request("setExceptionBreakpoints", json!({ "filters": [] }));
    session.request("continue", json!({ "threadId": 1 }));
    session.event("terminated");
    let console = session.output("console");
    let line = console.lines().rev().find_map(|line| line.strip_prefix("out: u32[4] = "));
    line.expect("the buffer").to_owned()
}

#[test]
fn registers_and_memory_of_any_thread_can_be_set() {
    let (mut session, thread) = at_the_atomic();
    let other = if thread > 32 { 3 } else { 35 };
    let values = [
        (thread, "%r1", "10 + 2", "12 (0xc)"),
        (thread, "%r1", "32 (0x20)", "32 (0x20)"),
        (thread, "%rd2", "0xffffffffffffffff", "18446744073709551615 (0xffffffffffffffff)"),
        (thread, "%p2", "true", "true"),
        (thread, "%p2", "%r1 > 40", "false"),
        (thread, "%r10", "-1", "4294967295 (0xffffffff)"),
        (other, "%r2", "77", "77 (0x4d)"),
        (thread, "counts[2]", "%r1 * 2", "64 (0x40)"),
        (thread, "in[99]", "7", "7"),
        (thread, "n", "50", "50"),
        (thread, "f32 [%rd1 + 4]", "1.5", "1.5"),
        (thread, "shared.u32 [4]", "3", "3"),
    ];
    for (thread, expression, value, shown) in values {
        assert_eq!(set(&mut session, thread, expression, value), Ok(shown.to_owned()), "{expression}");
        assert_eq!(session.value(expression, thread), shown, "{expression}");
    }
    let neighbour = if thread % 32 == 1 { thread + 1 } else { thread - 1 };
    assert_eq!(session.value("%r1", neighbour), "100 (0x64)", "each thread has its own registers");
}

#[test]
fn what_cannot_be_set_is_refused() {
    let (mut session, thread) = at_the_atomic();
    let failing = [
        ("%tid.x", "1", "`%tid.x` cannot be changed: it is no register and not in memory"),
        ("counts", "1", "`counts` has 4 elements: change one of them"),
        ("1 + 2", "1", "`1 + 2` cannot be changed: it is no register and not in memory"),
        ("%r1", "%nothing", "unknown name `%nothing`"),
        ("%r1", "0x100000000", "`4294967296` is out of range for `.b32` (0 to 4294967295)"),
        ("in[100]", "1", "index 100 is out of bounds: `in` has 100 elements"),
    ];
    for (expression, value, message) in failing {
        assert_eq!(set(&mut session, thread, expression, value), Err(message.to_owned()), "{expression}");
    }
    let unset = session.answer("setVariable", json!({ "variablesReference": 99, "name": "x", "value": "1" }));
    assert_eq!(unset, Err("unknown variables".to_owned()));
    let memory = |data: &str| json!({ "memoryReference": "shared:0:0xc", "data": data });
    let failing = [
        (memory("AAAAAAAAAAA="), "8 bytes do not fit: 4 bytes of memory at this address"),
        (memory("A"), "`data` is not in Base64"),
        (json!({ "data": "AAAA" }), "missing `memoryReference`"),
    ];
    for (arguments, message) in failing {
        assert_eq!(session.answer("writeMemory", arguments), Err(message.to_owned()));
    }
    assert_eq!(counts_at_the_end(&mut session), "25 25 25 25");
    let late = session.answer("setExpression", json!({ "expression": "%r1", "value": "1" }));
    assert_eq!(late, Err("the kernel is not stopped".to_owned()));
}

#[test]
fn variables_of_a_scope_and_elements_of_arrays_can_be_set() {
    let (mut session, thread) = at_the_atomic();
    let frame = session.frame(thread);
    let scopes = session.request("scopes", json!({ "frameId": frame }))["scopes"].take();
    let reference = |name: &str| {
        let found = scopes.as_array().expect("a list").iter().find(|one| one["name"] == name).expect("the scope");
        found["variablesReference"].clone()
    };
    let register = json!({ "variablesReference": reference("Registers"), "name": "%r9", "value": "8" });
    assert_eq!(session.request("setVariable", register)["value"], "8");
    let parameter = json!({ "variablesReference": reference("Parameters"), "name": "n", "value": "20" });
    assert_eq!(session.request("setVariable", parameter)["value"], "20");
    let buffers = session.request("variables", json!({ "variablesReference": reference("Buffers") }));
    let elements = buffers["variables"][1]["variablesReference"].clone();
    let element = json!({ "variablesReference": elements, "name": "[2]", "value": "9" });
    assert_eq!(session.request("setVariable", element)["value"], "9");
    assert_eq!(session.value("out[2]", thread), "9");
}

#[test]
fn memory_is_written_by_reference_and_the_run_uses_it() {
    let (mut session, thread) = at_the_atomic();
    let frame = session.frame(thread);
    let last = session.request("evaluate", json!({ "expression": "in[99]", "frameId": frame }));
    // 99 is 3 modulo 4, 4 is 0.
    let write = json!({ "memoryReference": last["memoryReference"], "data": "BAAAAA==" });
    assert_eq!(session.request("writeMemory", write)["bytesWritten"], 4);
    let over = json!({ "memoryReference": last["memoryReference"], "data": "BAAAAAUAAAA=", "allowPartial": true });
    assert_eq!(session.request("writeMemory", over)["bytesWritten"], 4);
    assert_eq!(session.value("in[99]", thread), "4");
    assert_eq!(counts_at_the_end(&mut session), "26 25 25 24");
}

#[test]
fn an_edit_is_undone_by_a_step_back_and_made_again_by_the_step_forward() {
    let (mut session, thread) = at_the_atomic();
    let (before, line) = (session.value("%r9", thread), session.line(thread));
    assert_eq!(set(&mut session, thread, "%r9", "12"), Ok("12 (0xc)".to_owned()));
    session.resume("stepBack", thread);
    session.resume("stepBack", thread);
    let unedited = session.value("%r9", thread);
    assert_ne!(unedited, "12 (0xc)");
    session.breakpoint(&fixture("histogram.ptx"), json!({}), 1000);
    session.resume("next", thread);
    session.resume("next", thread);
    assert_eq!((session.line(thread), session.value("%r9", thread)), (line, "12 (0xc)".to_owned()));
    // An edit before it begins another history.
    session.resume("stepBack", thread);
    session.resume("stepBack", thread);
    assert_eq!(set(&mut session, thread, "%r1", "%r1"), Ok("100 (0x64)".to_owned()));
    session.resume("next", thread);
    session.resume("next", thread);
    assert_eq!((session.line(thread), session.value("%r9", thread)), (line, before));
    assert_eq!(set(&mut session, thread, "%r9", "12"), Ok("12 (0xc)".to_owned()));
    assert_eq!(session.resume("restart", thread)["reason"], "entry");
    assert_eq!(counts_at_the_end(&mut session), "25 25 25 25", "a restart forgets edits");
}

/// The reason and the state of a stop.
fn seen(session: &mut Session, stop: &Value) -> (String, String) {
    let thread = stop["threadId"].as_u64().expect("a thread");
    (format!("{} {thread} {:?}", stop["reason"], session.frames(thread)), session.value("counts", thread))
}

#[test]
fn a_long_run_with_edits_is_the_same_each_time() {
    let arguments = json!({ "in": "u32[60000]=iota", "out": "u32[4]", "n": "u32=60000" });
    let path = fixture("histogram.ptx");
    let mut session = Session::at_entry(&path, json!({ "block": 1024, "args": arguments }));
    session.breakpoint(&path, json!({ "hitCondition": "% 400" }), 37);
    let mut stops = Vec::new();
    for round in 0..4 {
        let stop = session.resume("continue", 1);
        let thread = stop["threadId"].as_u64().expect("a thread");
        if round % 2 == 0 {
            set(&mut session, thread, "counts[0]", "1000000").expect("is set");
        }
        stops.push(seen(&mut session, &stop));
    }
    for expected in stops.iter().rev().skip(1) {
        let stop = session.resume("reverseContinue", 1);
        assert_eq!(&seen(&mut session, &stop), expected);
    }
    assert_eq!(session.resume("reverseContinue", 1)["reason"], "entry");
    for expected in &stops {
        let stop = session.resume("continue", 1);
        assert_eq!(&seen(&mut session, &stop), expected);
    }
    assert!(stops[2].1.starts_with("{1000000"), "{stops:?}");
}

/// Thread 0 waits for a value, while the second warp counts.
const WAITING: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{
	.reg .pred %p;
	.reg .b32 %t, %n, %a, %wanted;
	.reg .b64 %x;
	ld.param.u64 %x, [x];
	mov.u32 %t, %tid.x;
	mov.u32 %n, 0;
	mov.u32 %wanted, 1;
	setp.ge.u32 %p, %t, 32;
	@%p bra COUNT;
	setp.ne.u32 %p, %t, 0;
	@%p ret;
WAIT:
	ld.volatile.global.u32 %a, [%x];
	setp.ne.u32 %p, %a, %wanted;
	@%p bra WAIT;
	st.volatile.global.u32 [%x], 7;
	ret;
COUNT:
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 5000;
	@%p bra COUNT;
	ret;
}
";

#[test]
fn a_thread_that_waits_in_a_loop_notices_that_its_register_is_set() {
    let path = std::env::temp_dir().join(format!("ptx-atomics-waiting-{}.ptx", std::process::id()));
    std::fs::write(&path, WAITING).expect("a module");
    let mut session = Session::launch(&path, json!({ "block": 64, "args": ["x=u32[1]"] }));
    session.breakpoint(&path, json!({}), 27);
    session.request("configurationDone", json!({}));
    session.event("stopped");
    assert_eq!(set(&mut session, 1, "%wanted", "0"), Ok("0".to_owned()));
    session.breakpoint(&path, json!({}), 1000);
    session.request("setExceptionBreakpoints", json!({ "filters": [] }));
    session.request("continue", json!({ "threadId": 1 }));
    session.event("terminated");
    let console = session.output("console");
    assert!(console.contains("x: u32[1] = 7"), "{console}");
    std::fs::remove_file(path).expect("removed");
}
