//! The pages of the rules are true: each example gives the findings that its markers say.

use analysis::{Language, Settings, Text, rules::RULES};
use support::markers::{Marked, markers, module};

/// The blocks of a page under a heading that are in one of our languages, each as a whole text.
fn examples(page: &str, heading: &str) -> Vec<(Language, String)> {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap_or_default();
    let blocks = |fence: &'static str| section.split(fence).skip(1).filter_map(|rest| rest.split("```").next());
    let ptx = blocks("```ptx\n").map(|example| (Language::Ptx, module(example)));
    let sass = blocks("```sass\n").map(|example| (Language::Sass, example.to_owned()));
    let cuda = blocks("```cuda\n").map(|example| (Language::Cuda, example.to_owned()));
    ptx.chain(sass).chain(cuda).collect()
}

/// The settings that a page gives for the examples under a heading.
fn settings(page: &str, heading: &str) -> Settings {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap_or_default();
    let text = section.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    analysis::config::parse(text).expect("settings").settings
}

/// What is found with one rule switched on that may be off by default.
fn findings(language: Language, text: &str, code: &str, settings: Settings) -> Vec<Marked> {
    let settings = settings.enable(code).expect("a rule of this code");
    let source = Text::parse(language, text).under(settings);
    let marked = |finding: &analysis::Finding| Marked {
        line: source.position(finding.range.start).line + 1,
        severity: finding.severity.name().into(),
        code: finding.code.into(),
        token: text[finding.range.clone()].into(),
    };
    source.findings().iter().map(marked).collect()
}

#[test]
fn every_page_has_a_wrong_and_a_right_example_and_both_are_true() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n\n", rule.code)), "{} begins with its code", rule.code);
        let (wrong, right) = (examples(rule.page, "Wrong"), examples(rule.page, "Right"));
        assert!(!wrong.is_empty() && !right.is_empty(), "{} has both examples", rule.code);
        for (language, text) in wrong {
            let expected = markers(&text);
            assert!(
                expected.iter().any(|e| e.code == rule.code),
                "{}: a wrong example is marked with the code",
                rule.code
            );
            let found = findings(language, &text, rule.code, settings(rule.page, "Wrong"));
            assert_eq!(found, expected, "{}: {text}", rule.code);
        }
        for (language, text) in right {
            assert_eq!(findings(language, &text, rule.code, settings(rule.page, "Right")), [], "{}: {text}", rule.code);
        }
    }
}
