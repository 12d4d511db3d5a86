//! LLVM's answers for templates and constraints, which `tests/evidence/llvm/record.py` recorded with LLVM 22.

use diagnostics::{Settings, Severity};
use hosts::Language;
use ide::Text;
use serde_json::Value;
use std::fs;

/// What LLVM rejects without a diagnostic of ours, and why.
const NOT_REPORTED: &[(&str, &str)] = &[
    ("=r,~{memory},r", "clobbers are not checked"),
    ("=r,r,~memory", "clobbers are not checked"),
    ("{r}", "names of registers are not checked"),
];

#[test]
fn the_rules_reject_what_llvm_rejects() {
    let file = support::root().join("tests/evidence/llvm/answers.jsonl");
    let answers = fs::read_to_string(file).expect("UTF-8");
    let mut wrong = String::new();
    for line in answers.lines() {
        let answer: Value = serde_json::from_str(line).expect("an object");
        let text = |key: &str| answer[key].as_str().expect("text").to_owned();
        let (template, constraints) = (text("template"), text("constraints"));
        // A statement of PTX before it makes the rest PTX.
        let host = format!("llvm.inline_asm(None, values, r\"mov.b32 a, b; {template}\", \"{constraints}\")\n");
        let found = Text::parse(Language::PYTHON, &host).under(Settings::default()).diagnostics();
        let errors = found.iter().filter(|one| one.severity == Severity::Error);
        let codes: Vec<_> = errors.map(|one| one.code()).filter(|code| code.starts_with("asm-")).collect();
        let is_excepted = NOT_REPORTED.iter().any(|(part, _)| *part == template || *part == constraints);
        if codes.is_empty() != (answer["accepted"] == true) && !is_excepted {
            wrong += &format!("\n{template:?}, {constraints:?}: accepted: {}, found {codes:?}", answer["accepted"]);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
