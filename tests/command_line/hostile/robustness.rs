//! Invalid input: a clear message, the right exit code, no panic.

use crate::{Run, lint_text, run_in, scratch};
use std::fs;
use std::path::Path;

fn calm(run: &Run) {
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn an_empty_file_misses_its_version() {
    let run = lint_text(b"");
    calm(&run);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("\"missing-directive\"") && run.stdout.contains("\"line\":1,\"column\":1"),
        "{}",
        run.stdout
    );
}

#[test]
fn bytes_that_are_not_utf_8_hide_nothing_and_move_no_column() {
    let text = b".version 8.0\n.target sm_90\n.visible .entry k() { .reg .b64 a; .reg .b32 r;\n/* caf\xe9 \xff\xfe */ red.global.or.u32 [a], r; ret; }\n";
    let run = lint_text(text);
    calm(&run);
    let finding: serde_json::Value = serde_json::from_str(run.stdout.trim()).expect("one finding");
    assert_eq!((finding["line"].as_u64(), finding["column"].as_u64()), (Some(4), Some(28)));
}

#[test]
fn a_file_cut_anywhere_gives_findings_and_no_panic() {
    let text = fs::read(support::root().join("tests/fixtures/realistic/any_order.ptx")).unwrap();
    for end in (0..text.len()).step_by(7) {
        let run = lint_text(&text[..end]);
        calm(&run);
        assert!([0, 1].contains(&run.code), "cut at {end}: {}", run.code);
    }
}

#[test]
fn fifty_megabytes() {
    let mut text = String::from(".version 8.0\n.target sm_90\n.visible .entry k() { .reg .b64 a; .reg .b32 r;\n");
    while text.len() < 50 << 20 {
        text += "    add.s32 r, r, 1;  // some arithmetic between the atomics, as in real modules\n";
    }
    text += "    red.global.or.u32 [a], r;\n ret; }\n";
    let folder = scratch("large");
    fs::write(folder.join("large.ptx"), &text).unwrap();
    let run = run_in(&folder, &["lint", "--format", "jsonl", "large.ptx"], b"");
    fs::remove_dir_all(folder).unwrap();
    calm(&run);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("illegal-type") && run.stdout.lines().count() == 1, "{}", run.stdout);
}

#[test]
fn what_must_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;
    let folder = scratch("rights");
    let lock = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(folder.join("closed")).unwrap();
    fs::write(folder.join("closed.ptx"), ".version 8.0\n.target sm_90\n").unwrap();
    let binary = folder.join("ptx-atomics");
    fs::copy(support::binary(), &binary).unwrap();
    lock(&folder, 0o755);
    lock(&folder.join("closed"), 0o000);
    lock(&folder.join("closed.ptx"), 0o000);
    // Root may read everything, so only other users get an error.
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mut command = if root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&binary);
        command
    } else {
        Command::new(&binary)
    };
    let output = command.args(["lint", "closed", "closed.ptx"]).current_dir(&folder).output().unwrap();
    lock(&folder.join("closed"), 0o755);
    fs::remove_dir_all(&folder).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    for part in ["cannot search closed: permission denied", "cannot read closed.ptx: permission denied"] {
        assert!(stderr.contains(part), "{part} is missing in {stderr}");
    }
}

#[test]
fn a_binary_file_is_refused_before_it_is_parsed() {
    let folder = scratch("binary");
    fs::write(folder.join("a.ptx"), b"\x7fELF\x02\x01\0\0.version 8.0").unwrap();
    fs::write(folder.join("b.ptx"), (1..=255).cycle().take(1 << 17).collect::<Vec<u8>>()).unwrap();
    let run = run_in(&folder, &["lint", "a.ptx", "b.ptx"], b"");
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(run.code, 2, "{}", run.stderr);
    for name in ["a.ptx", "b.ptx"] {
        assert!(run.stderr.contains(&format!("cannot read {name}: binary file")), "{}", run.stderr);
    }
}

#[test]
fn a_list_of_values_in_a_document_is_reported_where_it_stands() {
    let folder = scratch("values-in-a-document");
    let call =
        "y = tl.inline_asm_elementwise(\"mov.u32 $0, $1;\", \"=r,r\", [a, b], dtype=tl.int32, is_pure=True, pack=1)";
    fs::write(folder.join("a.md"), format!("{}\n```python\n{call}\n```\n", "aé€".repeat(300))).expect("written");
    let run = run_in(&folder, &["lint", "a.md"], b"");
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("error[asm-constraint]") && run.stdout.contains("--> a.md:3:58"), "{}", run.stdout);
    fs::remove_dir_all(folder).expect("removed");
}
