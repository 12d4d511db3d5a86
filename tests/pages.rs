//! The pages of the rules are true: each example gives the findings that its markers say.

use analysis::{Settings, Snapshot, SourceFile, rules::RULES};
use support::markers::{Marked, markers, module};

/// The `ptx` blocks of a page under a heading.
fn examples<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap_or_default();
    section.split("```ptx\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// The settings that a page gives for the examples under a heading.
fn settings(page: &str, heading: &str) -> Settings {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap_or_default();
    let text = section.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    analysis::config::parse(text).expect("settings").settings
}

/// What is found with one rule switched on that may be off by default.
fn findings(text: &str, code: &str, settings: Settings) -> Vec<Marked> {
    let settings = settings.enable(code).expect("a rule of this code");
    let snapshot = Snapshot::new(SourceFile::parse(text), settings);
    let marked = |finding: &analysis::Finding| Marked {
        line: snapshot.file.position(finding.range.start).line + 1,
        severity: finding.severity.name().into(),
        code: finding.code.into(),
        token: text[finding.range.clone()].into(),
    };
    snapshot.findings().iter().map(marked).collect()
}

#[test]
fn every_page_has_a_wrong_and_a_right_example_and_both_are_true() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n\n", rule.code)), "{} begins with its code", rule.code);
        let (wrong, right) = (examples(rule.page, "Wrong"), examples(rule.page, "Right"));
        assert!(!wrong.is_empty() && !right.is_empty(), "{} has both examples", rule.code);
        for example in wrong {
            let text = module(example);
            let expected = markers(&text);
            assert!(
                expected.iter().any(|e| e.code == rule.code),
                "{}: a wrong example is marked with the code",
                rule.code
            );
            assert_eq!(findings(&text, rule.code, settings(rule.page, "Wrong")), expected, "{}: {example}", rule.code);
        }
        for example in right {
            assert_eq!(
                findings(&module(example), rule.code, settings(rule.page, "Right")),
                [],
                "{}: {example}",
                rule.code
            );
        }
    }
}
