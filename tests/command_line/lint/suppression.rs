//! Suppression by comments, and by a baseline whose fingerprints survive moved lines.

use crate::{run_in, scratch};
use diagnostics::RuleLevel;
use diagnostics::registry::RULES;
use serde_json::Value;
use std::fs;

const WRONG: &str = ".version 8.0\n.target sm_90\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\nred.global.or.u32 [a], r;\nret;\n}\n";

#[test]
fn sarif_has_suppressions_with_their_reasons() {
    let folder = scratch("accepted");
    let text = WRONG
        .replace("r;\nret", "r; // ptx-atomics: allow(illegal-type): the compiler's\nred.global.or.u32 [a], r;\nret");
    fs::write(folder.join("a.ptx"), text).expect("written");
    assert_eq!(run_in(&folder, &["lint", "--write-baseline", "baseline.json"], b"").code, 0);
    let run = run_in(&folder, &["lint", "--baseline", "baseline.json", "--output", "sarif=a.sarif", "."], b"");
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("1 file checked, no findings (2 suppressed"), "{}", run.stdout);
    let log: Value = serde_json::from_str(&fs::read_to_string(folder.join("a.sarif")).expect("written")).expect("JSON");
    let suppressions: Vec<_> = log["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| &result["suppressions"][0])
        .collect();
    assert_eq!(suppressions[0]["kind"], "inSource");
    assert_eq!(suppressions[0]["justification"], "the compiler's");
    assert_eq!(suppressions[1]["kind"], "external");
}

#[test]
fn a_comment_before_an_asm_statement_applies_to_all_of_it() {
    let folder = scratch("asm-statement");
    let statement = "    asm volatile(\n        \"red.global.or.u32 [%0], 1;\\n\"\n        \"red.global.and.u32 [%0], 1;\"\n        \
                     :: \"l\"(p) : \"memory\");\n";
    let lint = |before: &str, statement: &str| {
        let text = format!("__device__ void f(unsigned *p) {{\n{before}{statement}    f(p);\n{statement}}}\n");
        fs::write(folder.join("a.cu"), text).expect("written");
        run_in(&folder, &["lint", "a.cu"], b"").stdout
    };
    let allow = "    // ptx-atomics: allow(illegal-type): measured\n";
    assert!(lint("", statement).contains("1 file checked: 4 errors\n"));
    assert!(lint(allow, statement).contains("1 file checked: 2 errors (2 suppressed"), "{}", lint(allow, statement));
    let legal = statement.replace(".u32", ".b32");
    let unused = lint(allow, &legal);
    assert!(unused.contains("warning[unused-suppression]") && unused.contains("1 warning"), "{unused}");
}

#[test]
fn a_comment_behind_a_directive_applies_to_its_line() {
    let folder = scratch("directive");
    let text =
        WRONG.replace("sm_90", "sm_99 // ptx-atomics: allow(unknown-target): soon").replace(".or.u32", ".or.b32");
    fs::write(folder.join("a.ptx"), text).expect("written");
    let run = run_in(&folder, &["lint", "a.ptx"], b"");
    assert!(run.stdout.contains("1 file checked, no findings (1 suppressed"), "{}", run.stdout);
}

#[test]
fn a_baseline_survives_moved_lines_and_fails_on_new_findings() {
    let folder = scratch("baseline");
    fs::create_dir(folder.join("sub")).expect("made");
    let write = |text: &str| fs::write(folder.join("sub/a.ptx"), text).expect("written");
    write(WRONG);
    let wrote = run_in(&folder, &["lint", "--write-baseline", "baseline.json"], b"");
    assert_eq!((wrote.code, wrote.stdout.as_str()), (0, ""));
    assert!(wrote.stderr.contains("1 finding written to the baseline"), "{}", wrote.stderr);
    let code =
        |arguments: &[&str]| run_in(&folder, &[&["lint", "--baseline", "baseline.json"], arguments].concat(), b"").code;
    assert_eq!(code(&["."]), 0);
    assert_eq!(code(&["sub/a.ptx"]), 0, "however the file is named");
    let inner = run_in(&folder.join("sub"), &["lint", "--baseline", "../baseline.json"], b"");
    assert_eq!(inner.code, 0, "wherever the linter runs");
    write(&WRONG.replace(".visible", "// moved\n\n.visible").replace("red.", "\t red."));
    assert_eq!(code(&["."]), 0, "lines that moved");
    write(&WRONG.replace("ret;", "red.global.or.u32 [a], r;\nret;"));
    assert_eq!(code(&["."]), 1, "the same mistake once more is a new one");
    write(&WRONG.replace(".or.", ".and."));
    assert_eq!(code(&["."]), 1, "another mistake in the same place");
    fs::write(folder.join("bad.json"), "{}").expect("written");
    let bad = run_in(&folder, &["lint", "--baseline", "bad.json"], b"");
    assert!(bad.code == 2 && bad.stderr.contains("invalid baseline"), "{}", bad.stderr);
}

#[test]
fn every_rule_can_be_turned_off_raised_suppressed_and_baselined() {
    let folder = scratch("every-rule");
    for rule in RULES {
        let page = rule.page.split("## Example").nth(1).expect("an example");
        let block = |fence: &str| page.split(fence).nth(1).and_then(|rest| rest.split("```").next());
        let blocks = [("a.ptx", "```ptx\n"), ("a.cu", "```cuda\n"), ("a.sass", "```sass\n"), ("a.py", "```python\n")];
        let found = blocks.iter().find_map(|(name, fence)| Some((*name, block(fence)?)));
        let (name, example) = found.expect("an example");
        // The markers would be part of the comments that they stand in.
        let example: String = example
            .lines()
            .map(|line| {
                line.split("//~").flat_map(|part| part.split("#~")).next().unwrap_or_default().to_owned() + "\n"
            })
            .collect();
        let text = if name == "a.ptx" { support::markers::module(&example) } else { example };
        let settings = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
        fs::write(folder.join("ptx-atomics.toml"), settings).expect("written");
        fs::write(folder.join(name), &text).expect("written");
        let on = format!("{}=on", rule.code);
        let lint = |arguments: &[&str]| {
            let run = run_in(&folder, &[&["lint", "--format", "jsonl"], arguments].concat(), b"");
            let of = |line: &str| -> Value { serde_json::from_str(line).expect("JSON") };
            let own = |finding: &Value| finding["code"] == rule.code;
            run.stdout.lines().map(of).filter(own).collect::<Vec<_>>()
        };
        let found = lint(&["--rule", &on, name]).len();
        assert!(found > 0, "{}", rule.code);
        let set = |level: &str| format!("{}={level}", rule.code);
        assert_eq!(lint(&["--rule", &set("off"), name]).len(), 0, "{} can be turned off", rule.code);
        for (level, _) in diagnostics::config::LEVELS.iter().filter(|(_, level)| matches!(level, RuleLevel::At(_))) {
            let raised = lint(&["--rule", &set(level), name]);
            assert!(
                raised.len() == found && raised.iter().all(|f| f["severity"] == *level),
                "{} as {level}",
                rule.code
            );
        }
        run_in(&folder, &["lint", "--rule", &on, "--write-baseline", "b.json", name], b"");
        assert_eq!(lint(&["--rule", &on, "--baseline", "b.json", name]).len(), 0, "{} can be baselined", rule.code);
        let sign = if name == "a.py" { "#" } else { "//" };
        fs::write(folder.join(name), format!("{sign} ptx-atomics: allow-file({}): a test\n{text}", rule.code))
            .expect("written");
        assert_eq!(lint(&["--rule", &on, name]).len(), 0, "{} can be suppressed", rule.code);
    }
}

#[test]
fn ten_thousand_comments_accept_each_its_own_or_all_the_same() {
    const COUNT: usize = 10_000;
    let folder = scratch("many-comments");
    let function = |before: &str, line: &str| {
        let head = ".version 8.0\n.target sm_90\n";
        format!("{head}{before}.entry k() {{\n.reg .b64 a; .reg .b32 r;\n{}ret;\n}}\n", line.repeat(COUNT))
    };
    let allow = "// ptx-atomics: allow(illegal-type)\n";
    let own = function("", "red.global.or.u32 [a], r; // ptx-atomics: allow(illegal-type)\n");
    let one_line = function("", "red.global.or.u32 [a], r; /* ptx-atomics: allow(illegal-type) */ ");
    // The first accepts all of them, and all others would have.
    let same = function(&allow.repeat(COUNT), "red.global.or.u32 [a], r;\n");
    for text in [own, one_line, same] {
        fs::write(folder.join("a.ptx"), text).expect("written");
        let run = run_in(&folder, &["lint", "a.ptx"], b"");
        assert!(
            run.code == 0 && run.stdout.contains(&format!("({COUNT} suppressed")),
            "{}",
            &run.stdout[..run.stdout.len().min(500)]
        );
    }
    fs::write(folder.join("a.ptx"), function(&"// ptx-atomics: allow(illegal-type)\n".repeat(COUNT), ""))
        .expect("written");
    let run = run_in(&folder, &["lint", "--statistics", "a.ptx"], b"");
    assert!(run.stdout.contains(&format!("{COUNT}  warning  unused-suppression")), "{}", run.stdout);
    fs::remove_dir_all(folder).expect("removed");
}
