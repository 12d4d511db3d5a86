//! `diff`: what differs between two modules, and the exit codes of `diff`.

use crate::{run_in, scratch};
use std::fs;

const BEFORE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry _Z5scalePfi(.param .u64 p)\n.maxntid 128\n{\n\
    .reg .b32 %r<4>;\n.reg .b64 a;\natom.global.add.u32 %r1, [a], 1;\nret;\n}\n.func old()\n{\nret;\n}\n";

fn folder(name: &str, after: &str) -> std::path::PathBuf {
    let folder = scratch(name);
    fs::write(folder.join("a.ptx"), BEFORE).expect("written");
    fs::write(folder.join("b.ptx"), after).expect("written");
    folder
}

#[test]
fn equal_modules_are_no_difference() {
    let renumbered = BEFORE.replace("%r", "%x").replace("atom.global.add", "// same\natom.add.global");
    let folder = folder("diff-same", &renumbered);
    let run = run_in(&folder, &["diff", "a.ptx", "b.ptx"], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "no differences in atomics, memory ordering, targets and resources\n");
    let piped = run_in(&folder, &["diff", "a.ptx", "-"], BEFORE.as_bytes());
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn differences_are_listed_by_function() {
    let after = BEFORE
        .replace("sm_90", "sm_90a")
        .replace("maxntid 128", "maxntid 256")
        .replace("%r<4>", "%r<5>")
        .replace("atom.global", "atom.acquire.gpu.global")
        .replace("old", "new");
    let folder = folder("diff-text", &after);
    let run = run_in(&folder, &["diff", "a.ptx", "b.ptx"], b"");
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(
        run.stdout,
        "--- a.ptx\n+++ b.ptx\n\nmodule\n  .target: sm_90 -> sm_90a\n\n.entry scale\n  .maxntid: 128 -> 256\n  registers .b32: 4 -> 5\n  \
         - line 9: atom.global.add.u32\n  + line 9: atom.acquire.gpu.global.add.u32\n      memory ordering: relaxed -> acquire\n\n- .func old\n\n+ .func new\n\n\
         1 function changed, 1 function added, 1 function removed\n"
    );
    let json = run_in(&folder, &["diff", "--format", "json", "a.ptx", "b.ptx"], b"").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["schema"], &json["before"]), (&1.into(), &"a.ptx".into()));
    let function = &json["functions"][0];
    assert_eq!((&function["change"], &function["name"]), (&"changed".into(), &"_Z5scalePfi".into()));
    assert_eq!(function["demangled"], "scale(float*, int)");
    let change = &function["instructions"][0];
    assert_eq!(change["after"]["text"], "atom.acquire.gpu.global.add.u32");
    assert_eq!(change["properties"][0]["property"], "memory ordering");
    assert_eq!(json["functions"][2]["change"], "added");
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn help_names_the_exit_codes() {
    let help = crate::run(&["diff", "--help"]);
    assert_eq!(help.code, 0, "{}", help.stderr);
    let codes = "\nExit codes: 0 no differences, 1 with differences, 2 they could not be compared.\n";
    assert!(help.stdout.ends_with(codes), "{}", help.stdout);
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let folder = folder("diff-trouble", ".version 8.0\n.target sm_90\n.entry k() { add.u32 a,; }\n");
    fs::write(folder.join("c.cu"), "int main() {}\n").expect("written");
    for (arguments, message) in [
        (["a.ptx", "b.ptx"], "cannot compare b.ptx: line 3: "),
        (["a.ptx", "absent.ptx"], "absent.ptx: no such file"),
        (["a.ptx", "c.cu"], "cannot compare c.cu: "),
        (["-", "-"], "only one module can be standard input"),
    ] {
        let run = run_in(&folder, &["diff", arguments[0], arguments[1]], b"");
        assert!(run.code == 2 && run.stderr.contains(message) && run.stdout.is_empty(), "{}", run.stderr);
    }
    fs::remove_dir_all(folder).expect("removed");
}
