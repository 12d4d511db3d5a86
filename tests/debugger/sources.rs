//! Lines of the source that a module was compiled from.

use crate::client::Session;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// A module with lines of a source in a folder of its own.
fn module(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ptx-atomics-debugger-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("k.cu"), "a\nb\nc\nd\ne\n").expect("a source");
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.file 1 \"k.cu\"
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	.loc 1 2 3
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 7;
	.loc 1 3 3
	add.u32 %r2, %r1, 1;
	mul.lo.u32 %r2, %r2, 2;
	.loc 1 4 3
	st.global.u32 [%rd1], %r2;
	ret;
}
";
    fs::write(folder.join("k.ptx"), text).expect("a module");
    folder
}

#[test]
fn frames_have_lines_of_the_source_beside_those_of_ptx() {
    let folder = module("frames");
    let mut session = Session::at_entry(&folder.join("k.ptx"), json!({ "args": ["out=u32[1]"] }));
    assert_eq!(session.frames(1), [("k".to_owned(), 10), ("k (k.cu)".to_owned(), 2)]);
    session.resume("next", 1);
    assert_eq!(session.frames(1), [("k".to_owned(), 11), ("k (k.cu)".to_owned(), 2)]);
    assert!(session.disconnect().success());
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn steps_and_breakpoints_can_be_of_lines_of_the_source() {
    let folder = module("lines");
    let source = folder.join("k.cu");
    let mut session = Session::at_entry(&folder.join("k.ptx"), json!({ "args": ["out=u32[1]"], "lines": "source" }));
    assert_eq!(session.frames(1), [("k".to_owned(), 2), ("k (k.ptx)".to_owned(), 10)]);
    session.resume("next", 1);
    assert_eq!(session.frames(1), [("k".to_owned(), 3), ("k (k.ptx)".to_owned(), 13)]);
    session.request("next", json!({ "threadId": 1, "granularity": "instruction" }));
    session.event("stopped");
    assert_eq!(session.frames(1), [("k".to_owned(), 3), ("k (k.ptx)".to_owned(), 14)]);
    assert_eq!(session.breakpoint(&source, json!({}), 4)["verified"], true);
    session.resume("continue", 1);
    assert_eq!(session.frames(1), [("k".to_owned(), 4), ("k (k.ptx)".to_owned(), 16)]);
    session.resume("stepBack", 1);
    assert_eq!(session.line(1), 3);
    assert!(session.disconnect().success());
    fs::remove_dir_all(folder).expect("removed");
}
