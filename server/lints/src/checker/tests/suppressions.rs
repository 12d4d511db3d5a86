//! What a user sees of `allow` comments.

use crate::Check;
use diagnostics::registry::EMULATED_ATOMIC;
use diagnostics::{Preset, RuleLevel, Settings, Severity, Snapshot};
use syntax::SourceFile;

/// The codes that are found, with their lines, and those that are accepted, with their reasons.
fn judged(text: &str, settings: Settings) -> (Vec<String>, Vec<String>) {
    let snapshot = Snapshot::new(SourceFile::parse(text), settings);
    let line = |range: &std::ops::Range<usize>| snapshot.file.position(range.start).line + 1;
    let found = snapshot.diagnostics().iter().map(|f| format!("{} {}", line(&f.range), f.code())).collect();
    let told = |s: &diagnostics::SuppressedDiagnostic| {
        format!("{} {} {}", line(&s.diagnostic.range), s.diagnostic.code(), s.reason)
    };
    (found, snapshot.suppressed().iter().map(told).collect())
}

const HEAD: &str = ".version 8.0\n.target sm_90\n";
const WRONG: &str = "red.global.or.u32 [a], r;";

#[test]
fn a_line_a_function_or_a_text_is_accepted() {
    let function = |comment: &str, body: &str| {
        format!(
            "{HEAD}{comment}.entry k() {{\n.reg .b64 a; .reg .b32 r;\n{body}\n{WRONG}\n}}\n.func f() {{ {WRONG} }}\n"
        )
    };
    let allow = "// ptx-atomics: allow(illegal-type): so it is";
    let same = judged(&function("", &format!("{WRONG} {allow}")), Settings::default());
    assert_eq!(same.0, ["6 illegal-type", "8 illegal-type"]);
    assert_eq!(same.1, ["5 illegal-type so it is"]);
    let next = judged(&function("", allow), Settings::default());
    assert_eq!((next.0.as_slice(), next.1.len()), (["8 illegal-type".to_owned()].as_slice(), 1));
    let whole = judged(&function(&format!("{allow}\n// another comment\n"), WRONG), Settings::default());
    assert_eq!(whole.0, ["10 illegal-type"]);
    assert_eq!(whole.1.len(), 2);
    let file = format!("// a licence\n/* ptx-atomics: allow-file(illegal-type) */\n{}", function("", WRONG));
    let file = judged(&file, Settings::default());
    assert_eq!((file.0, file.1.len()), (Vec::new(), 3));
}

#[test]
fn the_code_of_a_rule_before_it_was_split_accepts_and_switches_its_parts() {
    let text = |comment: &str| {
        format!("{HEAD}.entry k() {{\n.shared .u64 s; .reg .u64 r;\n{comment}\nred.shared.add.u64 [s], r;\n}}\n")
    };
    let strict = Settings { preset: Some(Preset::Strict), ..Settings::default() };
    let allow = text("// ptx-atomics: allow(hidden-loop): few meet");
    assert_eq!(judged(&text(""), strict.clone()).0, ["6 emulated-atomic"]);
    assert_eq!(judged(&allow, strict.clone()), (vec![], vec!["6 emulated-atomic few meet".to_owned()]));
    assert_eq!(judged(&allow, Settings::default()), (vec![], vec![]), "of use where the preset shows it");
    let level = |settings: &Settings, level| settings.clone().set("hidden-loop", level).expect("a rule");
    assert_eq!(judged(&text(""), level(&strict, RuleLevel::Off)).0, [""; 0]);
    let error = level(&strict, RuleLevel::At(Severity::Error));
    assert_eq!(error.severity(&EMULATED_ATOMIC), Some(Severity::Error));
    let usual = level(&Settings::default(), RuleLevel::At(Severity::Error));
    assert_eq!(usual.severity(&EMULATED_ATOMIC), None, "the preset does not have it");
}

#[test]
fn what_accepts_nothing_or_cannot_be_read_is_found() {
    let text = |comment: &str| format!("{HEAD}.entry k() {{\n{comment}\nret;\n}}\n");
    let found = |comment: &str| judged(&text(comment), Settings::default()).0;
    assert_eq!(found("// ptx-atomics: allow(illegal-type): nothing here"), ["4 unused-suppression"]);
    assert_eq!(found("// ptx-atomics: allow(modifier-order): the rule is off"), [""; 0]);
    assert_eq!(found("// ptx-atomics: allow-file(illegal-type): too late"), ["4 unreadable-suppression"]);
    assert_eq!(found("// ptx-atomics: allow(no-such-rule)"), ["4 unreadable-suppression"]);
    assert_eq!(found("// ptx-atomics: hello"), ["4 unreadable-suppression"]);
    assert_eq!(found("// see ptx-atomics: allow(illegal-type)"), [""; 0], "prose that speaks of us is no word to us");
    assert_eq!(found("// ptx-atomics: allow(illegal-type, unused-suppression): both"), [""; 0]);
    assert_eq!(found("// ptx-atomics: allow(unused-suppression)"), ["4 unused-suppression"]);
    assert_eq!(found("// ptx-atomics: allow(unreadable-suppression, illegal-typ)"), ["4 unreadable-suppression"]);
    let settings = Settings::default().set("unused-suppression", RuleLevel::Off).unwrap();
    assert_eq!(judged(&text("// ptx-atomics: allow(illegal-type)"), settings).0, [""; 0]);
}

#[test]
fn each_finding_says_for_which_targets_it_holds() {
    let text = format!(
        "{HEAD}.entry k() {{\n.reg .b64 a; .reg .b32 r;\nred.relaxed.cluster.global.add.u32 [a], r;\n{WRONG}\n}}\n"
    );
    let settings = Settings::default().for_targets(["sm_60", "sm_70", "sm_90"]).unwrap();
    let found = Snapshot::new(SourceFile::parse(&text), settings).diagnostics();
    let told: Vec<_> = found.iter().map(|f| (f.code(), f.targets.as_slice())).collect();
    assert!(told.contains(&("illegal-type", &[])), "{told:?}");
    assert!(told.contains(&("requires-target", &["sm_70"])), "{told:?}");
}
