//! Rules about synchronization: kernels in tests/fixtures/synchronisation have no diagnostics as they are, and the expected one without any of their marked lines.
//!
//! A line that ends in `//- CODE` is removed, one that ends in `//+ CODE: replacement` is replaced. Codes behind the first, after commas, may be reported, too.

use diagnostics::{Diagnostic, Preset, Settings, Snapshot};
use lints::Check;
use std::collections::BTreeMap;
use std::fs;
use syntax::LintFile;

/// The codes that the preset `strict` reports, in order.
fn codes(text: &str) -> Vec<&'static str> {
    let settings = Settings { preset: Some(Preset::Strict), ..Settings::default() };
    let diagnostics = Snapshot::new(LintFile::parse(text), settings).diagnostics();
    diagnostics.iter().map(Diagnostic::code).collect()
}

/// The code of a marked line, and what replaces the line.
fn mark(line: &str) -> Option<(&str, &str)> {
    match line.split_once("//- ") {
        Some((_, code)) => Some((code.trim(), "")),
        None => line.split_once("//+ ")?.1.split_once(": "),
    }
}

#[test]
fn every_line_that_orders_memory_is_missed_when_it_is_removed() {
    let folder = support::root().join("tests/fixtures/synchronisation");
    let mut removed = BTreeMap::<String, usize>::new();
    let mut failures = Vec::new();
    for entry in fs::read_dir(folder).expect("fixtures") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("readable");
        assert_eq!(codes(&text), Vec::<&str>::new(), "{name}");
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some((code, replacement)) = mark(line) else { continue };
            let changed = [&lines[..at], &[replacement], &lines[at + 1..]].concat().join("\n");
            let found = codes(&changed);
            let expected: Vec<&str> = code.split(", ").collect();
            *removed.entry(expected[0].to_owned()).or_default() += 1;
            if !found.contains(&expected[0]) || found.iter().any(|found| !expected.contains(found)) {
                failures.push(format!("{name}:{}: expected `{code}`, found {found:?}", at + 1));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(!removed.is_empty());
    removed.iter().for_each(|(code, count)| println!("{code}: {count} of {count}"));
}
