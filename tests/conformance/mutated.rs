//! Compiler output of our own CUDA C++ has no diagnostics; with one mutated qualifier it has exactly one error, at that token.

use diagnostics::{Diagnostic, Settings, Severity, Snapshot};
use lints::Check;
use std::collections::BTreeMap;
use std::fs;
use support::{gunzip, root};
use syntax::SourceFile;

/// What is found, but for what is true of atomics that nvcc meant: that the assembler makes loops of some.
fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let mut diagnostics = Snapshot::new(SourceFile::parse(text), Settings::default()).diagnostics();
    diagnostics.retain(|diagnostic| diagnostic.code() != "hidden-loop");
    diagnostics
}

fn compiled() -> BTreeMap<String, String> {
    let folder = root().join("tests/fixtures/compiled");
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let modules = entries.filter(|path| path.extension().is_some_and(|e| e == "ptx"));
    modules
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect()
}

#[test]
fn compiled_modules_have_no_finding() {
    let modules = compiled();
    assert!(modules.len() >= 4, "{:?}", modules.keys());
    for (name, text) in modules {
        let atomics = text
            .lines()
            .filter(|l| ["atom.", "red.", "multimem."].iter().any(|m| l.trim_start().starts_with(m)))
            .count();
        assert!(atomics >= 20, "{name} has {atomics} atomics");
        assert_eq!(diagnostics(&text), [], "{name}");
    }
}

#[test]
fn one_mutated_qualifier_is_one_error_at_that_token() {
    let modules = compiled();
    let recorded = gunzip(&root().join("tests/fixtures/compiled/mutated.jsonl.gz"));
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for line in recorded.lines() {
        let mutated: serde_json::Value = serde_json::from_str(line).expect("an object");
        let text = |key: &str| mutated[key].as_str().expect("a string");
        let number = |key: &str| mutated[key].as_u64().expect("a number") as usize;
        let module = &modules[text("path")];
        let mut lines: Vec<_> = module.split('\n').collect();
        let at = number("line") - 1;
        assert_eq!(lines[at], text("original"), "the recording fits the module");
        lines[at] = text("replacement");
        let before: usize = lines[..at].iter().map(|line| line.len() + 1).sum();
        let expected = before + number("start") - 1..before + number("end") - 1;
        let module = lines.join("\n");
        let found = diagnostics(&module);
        asked += 1;
        if !matches!(found.as_slice(), [one] if one.range == expected && one.severity == Severity::Error) {
            let found: Vec<_> = found.iter().map(|f| (f.code(), &module[f.range.clone()], f.message())).collect();
            wrong.push(format!(
                "{}:{}: {}  expected {}, found {found:?}",
                text("path"),
                at + 1,
                text("replacement").trim(),
                text("token")
            ));
        }
    }
    assert!(asked > 2_000, "{asked} mutated lines");
    assert!(wrong.is_empty(), "{} of {asked} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}
