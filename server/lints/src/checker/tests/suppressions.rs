//! The user-visible behaviour of suppression comments.

use crate::Check;
use diagnostics::registry::EMULATED_ATOMIC;
use diagnostics::{Preset, RuleLevel, Settings, Severity, Snapshot};
use syntax::SourceFile;

/// The reported codes with their lines, and the suppressed codes with their reasons.
fn check(text: &str, settings: Settings) -> (Vec<String>, Vec<String>) {
    let snapshot = Snapshot::new(SourceFile::parse(text), settings);
    let line = |range: &std::ops::Range<usize>| snapshot.file.position(range.start).line + 1;
    let found = snapshot.diagnostics().iter().map(|f| format!("{} {}", line(&f.range), f.code())).collect();
    let describe = |s: &diagnostics::SuppressedDiagnostic| {
        format!("{} {} {}", line(&s.diagnostic.range), s.diagnostic.code(), s.reason)
    };
    (found, snapshot.suppressed().iter().map(describe).collect())
}

const HEAD: &str = ".version 8.0\n.target sm_90\n";
const WRONG: &str = "red.global.or.u32 [a], r;";

#[test]
fn a_comment_suppresses_in_a_line_a_function_or_a_file() {
    let function = |comment: &str, body: &str| {
        format!(
            "{HEAD}{comment}.entry k() {{\n.reg .b64 a; .reg .b32 r;\n{body}\n{WRONG}\n}}\n.func f() {{ {WRONG} }}\n"
        )
    };
    let allow = "// ptx-atomics: allow(illegal-type): so it is";
    let same = check(&function("", &format!("{WRONG} {allow}")), Settings::default());
    assert_eq!(same.0, ["6 illegal-type", "8 illegal-type"]);
    assert_eq!(same.1, ["5 illegal-type so it is"]);
    let next = check(&function("", allow), Settings::default());
    assert_eq!((next.0.as_slice(), next.1.len()), (["8 illegal-type".to_owned()].as_slice(), 1));
    let whole = check(&function(&format!("{allow}\n// another comment\n"), WRONG), Settings::default());
    assert_eq!(whole.0, ["10 illegal-type"]);
    assert_eq!(whole.1.len(), 2);
    let file = format!("// a licence\n/* ptx-atomics: allow-file(illegal-type) */\n{}", function("", WRONG));
    let file = check(&file, Settings::default());
    assert_eq!((file.0, file.1.len()), (Vec::new(), 3));
}

#[test]
fn the_code_of_the_original_rule_applies_to_rules_that_were_split_from_it() {
    let text = |comment: &str| {
        format!("{HEAD}.entry k() {{\n.shared .u64 s; .reg .u64 r;\n{comment}\nred.shared.add.u64 [s], r;\n}}\n")
    };
    let strict = Settings { preset: Some(Preset::Strict), ..Settings::default() };
    let allow = text("// ptx-atomics: allow(hidden-loop): few meet");
    assert_eq!(check(&text(""), strict.clone()).0, ["6 emulated-atomic"]);
    assert_eq!(check(&allow, strict.clone()), (vec![], vec!["6 emulated-atomic few meet".to_owned()]));
    assert_eq!(check(&allow, Settings::default()), (vec![], vec![]), "used even if the preset disables the rule");
    let level = |settings: &Settings, level| settings.clone().set("hidden-loop", level).expect("a rule");
    assert_eq!(check(&text(""), level(&strict, RuleLevel::Off)).0, [""; 0]);
    let error = level(&strict, RuleLevel::At(Severity::Error));
    assert_eq!(error.severity(&EMULATED_ATOMIC), Some(Severity::Error));
    let usual = level(&Settings::default(), RuleLevel::At(Severity::Error));
    assert_eq!(usual.severity(&EMULATED_ATOMIC), None, "not in the preset");
}

#[test]
fn unused_and_invalid_comments_are_reported() {
    let text = |comment: &str| format!("{HEAD}.entry k() {{\n{comment}\nret;\n}}\n");
    let found = |comment: &str| check(&text(comment), Settings::default()).0;
    assert_eq!(found("// ptx-atomics: allow(illegal-type): nothing here"), ["4 unused-suppression"]);
    assert_eq!(found("// ptx-atomics: allow(modifier-order): the rule is off"), [""; 0]);
    assert_eq!(found("// ptx-atomics: allow-file(illegal-type): too late"), ["4 unreadable-suppression"]);
    assert_eq!(found("// ptx-atomics: allow(no-such-rule)"), ["4 unreadable-suppression"]);
    assert_eq!(found("// ptx-atomics: hello"), ["4 unreadable-suppression"]);
    assert_eq!(
        found("// see ptx-atomics: allow(illegal-type)"),
        [""; 0],
        "the marker must be the first word of the comment"
    );
    assert_eq!(found("// ptx-atomics: allow(illegal-type, unused-suppression): both"), [""; 0]);
    assert_eq!(found("// ptx-atomics: allow(unused-suppression)"), ["4 unused-suppression"]);
    assert_eq!(found("// ptx-atomics: allow(unreadable-suppression, illegal-typ)"), ["4 unreadable-suppression"]);
    let settings = Settings::default().set("unused-suppression", RuleLevel::Off).unwrap();
    assert_eq!(check(&text("// ptx-atomics: allow(illegal-type)"), settings).0, [""; 0]);
}

#[test]
fn each_diagnostic_lists_its_targets() {
    let text = format!(
        "{HEAD}.entry k() {{\n.reg .b64 a; .reg .b32 r;\nred.relaxed.cluster.global.add.u32 [a], r;\n{WRONG}\n}}\n"
    );
    let settings = Settings::default().for_targets(["sm_60", "sm_70", "sm_90"]).unwrap();
    let found = Snapshot::new(SourceFile::parse(&text), settings).diagnostics();
    let codes: Vec<_> = found.iter().map(|f| (f.code(), f.targets.as_slice())).collect();
    assert!(codes.contains(&("illegal-type", &[])), "{codes:?}");
    assert!(codes.contains(&("requires-target", &["sm_70"])), "{codes:?}");
}
