//! Where an instruction is reported whose line ends too early, and what its fix writes.

use diagnostics::{Settings, Snapshot};
use ptx_lints::Check;
use syntax::SourceFile;

/// The first error of a function, with the text before it in its line, and the line after its fix.
fn error(body: &str) -> Option<(String, String)> {
    let head = ".version 8.6\n.target sm_90\n.address_size 64\n.func f() {\n.reg .b64 a; .reg .u32 r; .reg .pred p;\n";
    let text = format!("{head}{body}\n}}\n");
    let found = Snapshot::new(SourceFile::parse(&text), Settings::default()).diagnostics();
    let first = found.first()?;
    let before = text[..first.range.start].lines().last().unwrap_or_default();
    let mut fixed = text.clone();
    if let Some(edit) = first.fixes.first().and_then(|fix| fix.edits.first()) {
        fixed.replace_range(edit.range.clone(), &edit.text);
    }
    Some((format!("{before}<{}>", first.code()), fixed.lines().nth(5).unwrap_or_default().to_owned()))
}

#[test]
fn an_instruction_without_operands_ends_the_line_before_it() {
    for next in ["ret;", "exit;", "trap;"] {
        for (line, fixed) in [
            ("add.u32 r, r,", "add.u32 r, r;"),
            ("red.global.add.u32 [a], // one,", "red.global.add.u32 [a]; // one,"),
            ("bra", ""),
            ("@p bra", ""),
        ] {
            let code = line.split(" //").next().unwrap_or(line);
            let expected = Some((format!("{code}<syntax-error>"), fixed.to_owned()));
            assert_eq!(error(&format!("{line}\n{next}")), expected, "{line} {next}");
        }
    }
}

#[test]
fn a_name_in_the_same_line_or_of_no_instruction_is_undeclared() {
    for body in ["add.u32 r, r, ret;", "add.u32 r, r,\nq;", "add.u32 r, r,\n/* */ q;\nret;"] {
        assert!(error(body).is_some_and(|(shown, _)| shown.ends_with("<unknown-name>")), "{body}");
    }
    assert_eq!(error(".reg .u32 ret; add.u32 r, r,\nret;"), None);
    assert_eq!(error("bra\nret;\nret: ret;"), None);
}
