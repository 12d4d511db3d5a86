//! The grammar against the assembler, on modules that test one thing each: what `ptxas` can parse has a tree
//! without ERROR or MISSING nodes, and what it cannot parse has at least one. The verdicts and the script
//! that records them are in `tests/evidence/syntax`. A grammar never sees a byte order mark;
//! there the linter's answer counts. A module that `ptxas` accepts has no errors.

use diagnostics::{Settings, Severity, Snapshot};
use lints::Check;
use std::fmt::Write;
use std::fs;
use syntax::{LintFile, SourceFile};

/// One question to the assembler and its answer.
struct Case {
    file: String,
    name: String,
    module: String,
    verdict: String,
}

impl Case {
    /// Whether the assembler could read the module; `None` where it looked at the header only.
    fn readable(&self) -> Option<bool> {
        match self.verdict.split([' ', ':']).next().unwrap_or_default() {
            "accepted" | "semantic" => Some(true),
            "syntax" => Some(false),
            "header" => None,
            _ => panic!("{}: {}: no verdict in {:?}", self.file, self.name, self.verdict),
        }
    }
}

#[test]
fn grammar_and_assembler_agree_on_syntax() {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar::LANGUAGE.into()).expect("the grammar fits the library");
    let (mut readable, mut unreadable, mut failures) = (0, 0, String::new());
    for case in cases() {
        let Some(expected) = case.readable() else { continue };
        *if expected { &mut readable } else { &mut unreadable } += 1;
        let tree = parser.parse(&case.module, None).expect("parsing is not cancelled");
        let rejected = SourceFile::parse(&case.module).has_syntax_error();
        let seen = tree.root_node().has_error() || case.module.starts_with('\u{feff}');
        if rejected == expected || seen == expected {
            let Case { file, name, module, verdict } = &case;
            let tree = tree.root_node().to_sexp();
            writeln!(failures, "{file}: {name}: the assembler says {verdict}\n{module}\n{tree}\n").unwrap();
        }
    }
    assert!(readable >= 2500 && unreadable >= 2000, "questions were lost: {readable} readable, {unreadable} not");
    let count = failures.matches(": the assembler says ").count();
    assert!(failures.is_empty(), "{failures}{count} disagreements in {}", readable + unreadable);
}

/// Whatever is accepted has no error of any kind, neither in an editor nor on the fast path of `lint`.
#[test]
fn what_the_assembler_accepts_has_no_error() {
    let (mut accepted, mut failures) = (0, String::new());
    for case in cases().into_iter().filter(|case| case.verdict == "accepted") {
        accepted += 1;
        for (path, file) in [("parse", SourceFile::parse(&case.module).into()), ("lint", LintFile::parse(&case.module))]
        {
            let diagnostics = Snapshot::new(file, Settings::default()).diagnostics();
            let errors: Vec<_> =
                diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
            if !errors.is_empty() {
                let Case { file, name, module, .. } = &case;
                writeln!(failures, "{file}: {name}, {path}\n{module}\n{errors:#?}\n").unwrap();
            }
        }
    }
    assert!(accepted >= 1500, "questions were lost: {accepted} accepted");
    assert!(failures.is_empty(), "{failures}");
}

/// Every case of every area, in a fixed order. `record.py` documents the format.
fn cases() -> Vec<Case> {
    let folder = support::evidence("syntax");
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("the evidence is committed").map(|f| f.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let (mut header, mut source) = (None, Vec::new());
        for line in fs::read_to_string(&path).unwrap().lines() {
            if let Some(rest) = line.strip_prefix("=== ") {
                header = Some(rest.to_owned());
                source.clear();
            } else if let Some(verdict) = line.strip_prefix("--- ") {
                let header = header.take().unwrap_or_else(|| panic!("{file}: a verdict without a case"));
                let mut words = header.split_whitespace();
                let name = words.next().unwrap_or_default().to_owned();
                let wrap = words.next().unwrap_or_default();
                let text = source.join("\n");
                let source =
                    if words.next() == Some("escaped") { unescaped(&text) } else { (text + "\n").into_bytes() };
                let module = String::from_utf8_lossy(&wrapped(wrap, &source)).into_owned();
                cases.push(Case { file: file.clone(), name, module, verdict: verdict.to_owned() });
            } else {
                source.push(line);
            }
        }
    }
    cases
}

/// The source within what surrounds it.
fn wrapped(wrap: &str, source: &[u8]) -> Vec<u8> {
    if wrap == "raw" {
        return source.to_vec();
    }
    let path = support::evidence("syntax").join(format!("wrap.{wrap}.ptx"));
    let around = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (before, after) = around.split_once("{{}}\n").expect("the wrap has a gap");
    [before.as_bytes(), source, after.as_bytes()].concat()
}

/// The bytes of an escaped source.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'\\') => b'\\',
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).expect("two hexadecimal digits follow \\x")
            }
            other => panic!("no escape: {:?}", other.map(char::from)),
        });
    }
    bytes
}
