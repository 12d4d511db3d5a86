//! PTX inside C++: agreement with nvcc 13.5, and of incremental with fresh results under edits.

use diagnostics::{Settings, Severity};
use hosts::Language;
use ide::Text;
use lints::Checker;
use support::{Rng, evidence, gunzip};

/// The function that `tests/evidence/cuda/record.py` compiled each statement in.
const HEAD: &str = "__global__ void k(unsigned* p, unsigned long long l, float f, double d, unsigned r, unsigned short h, __int128 q, unsigned* o) {\n";
const TAIL: &str = "\no[0] = r; o[1] = l; o[2] = f; o[3] = d; o[4] = h; o[5] = q;\n}\n";

/// What the compiler refuses and one statement alone does not show: parts of statements, and why nothing is said of them.
const BEYOND: &[(&str, &str)] = &[
    ("t; }}", "a brace may close what another statement opened"),
    ("asm volatile(\";\")", "nothing in it shows that it is PTX"),
    ("$1;", "a name may be declared outside the statement"),
    ("\"b\"(4u)", "nothing but the type of the expression is wrong"),
];

#[test]
fn statements_are_rejected_where_the_compiler_rejects_them() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for line in gunzip(&evidence("cuda").join("answers.tsv.gz")).lines() {
        let mut columns = line.split('\t');
        let mut next = || columns.next().expect("three columns");
        let (target, answer) = (format!("sm_{}", next()), next() == "accept");
        let statement: String = serde_json::from_str(next()).expect("JSON");
        let settings = Settings::default().for_targets([target.as_str()]).expect("a target");
        let text = format!("{HEAD}{statement}{TAIL}");
        let findings = Text::parse(Language::CUDA, &text).under(settings).diagnostics();
        let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        asked += 1;
        if errors.is_empty() != answer && !BEYOND.iter().any(|(part, _)| statement.contains(part)) {
            let messages: Vec<_> = errors.iter().map(|finding| finding.message()).collect();
            wrong.push(format!("{target} {}: {statement} {messages:?}", if answer { "accepted" } else { "rejected" }));
        }
        let inside =
            |range: &std::ops::Range<usize>| range.start >= HEAD.len() && range.end <= HEAD.len() + statement.len();
        assert!(errors.iter().all(|finding| inside(&finding.range) && !finding.range.is_empty()), "{statement}");
    }
    assert!(asked >= 300, "{asked} statements were recorded");
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
}

const SNIPPETS: [&str; 24] = [
    "",
    " ",
    "\n",
    "\"",
    "\\n",
    "\\\n",
    ";",
    "%0",
    "%%r",
    "%=",
    "é",
    "😀",
    "// ",
    "/*",
    "*/",
    "R\"(",
    ")\"",
    "asm volatile(\"",
    " : \"=r\"(x)",
    "\n#if A\n",
    "\n#else\n",
    "\n#endif\n",
    "red.global.or.u32 [%0], %1;",
    "\n#define M ",
];

/// The nearest place at or before one that is no part of a character.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[test]
fn answers_under_edits_are_those_of_a_fresh_look_and_lie_in_the_text() {
    let start = "#define TYPE \"u33\"\n__device__ void f(int* p, int x) {\n  asm volatile(\"{\\n\\t\" // é 😀\n    \".reg .pred %%p;\\n\"\n    \"atom.global.or.u32 %0, [%1], %2;\\n\\t}\"\n    : \"=r\"(x) : \"l\"(p), \"r\"(x) : \"memory\");\n  asm(R\"(red.global.add.u23 [%0], 1; red.global.add.)\" TYPE \" [%0], 2;\" :: \"l\"(p));\n}\n";
    let mut rng = Rng::with_seed(11);
    let mut findings = 0;
    for _ in 0..6 {
        let mut text = start.to_owned();
        let mut kept = Text::parse(Language::CUDA, &text);
        let mut checker = Checker::default();
        for _ in 0..60 {
            let from = boundary(&text, rng.usize(..=text.len()));
            let to = boundary(&text, (from + [0, 0, 1, 4][rng.usize(..4)]).min(text.len())).max(from);
            let snippet = SNIPPETS[rng.usize(..SNIPPETS.len())];
            text.replace_range(from..to, snippet);
            kept.edit_all([(from..to, snippet)]);
            let source = kept.under(Settings::default());
            let fresh = Text::parse(Language::CUDA, &text).under(Settings::default());
            let found = source.check(&mut checker, &|| false).expect("is not cancelled");
            assert_eq!(found, fresh.diagnostics(), "{text}");
            let is_inside = |range: &std::ops::Range<usize>| {
                range.start <= range.end
                    && text.is_char_boundary(range.start)
                    && text.get(range.start..range.end).is_some()
            };
            findings += found.len();
            for finding in &found {
                assert!(is_inside(&finding.range), "{finding:?} in {text}");
                for fix in &finding.fixes {
                    assert!(fix.edits.iter().all(|edit| is_inside(&edit.range)), "{finding:?} in {text}");
                }
            }
            assert!(source.semantic_tokens(None).iter().all(|token| is_inside(&token.range)), "{text}");
            assert!(source.semantic_tokens(None).is_sorted_by_key(|token| token.range.start), "{text}");
            let at = boundary(&text, rng.usize(..=text.len()));
            assert!(source.hover(at).is_none_or(|hover| is_inside(&hover.range)), "{text}");
            assert!(source.complete(at).iter().all(|one| is_inside(&one.range)), "{text}");
            assert!(source.complete_statement(at).iter().all(|one| is_inside(&one.range)), "{text}");
            assert!(source.selection_ranges(at).iter().all(is_inside), "{text}");
            assert!(source.evaluation_lenses().iter().all(|lens| is_inside(&lens.range)), "{text}");
            assert!(source.definition(at).is_none_or(|found| is_inside(&found.origin)), "{text}");
        }
    }
    assert!(findings > 100, "{findings} findings");
}

#[test]
fn features_in_a_statement_have_its_positions() {
    let text = "void f(int* p, int x) {\n#if __CUDA_ARCH__ >= 900\n  asm volatile(\"atom.global.\" \"add.u32 %0, [%1], %2;\" : \"=r\"(x) : \"l\"(p), \"r\"(x) : \"memory\");\n#endif\n}\n";
    let source = Text::parse(Language::CUDA, text).under(Settings::default());
    let at = |part: &str| text.find(part).expect("a part of the text");
    let whole = source.hover(at("asm") + 1).expect("something is said of the statement");
    assert!(
        whole.markdown.contains("`atom.global.add.u32`") && whole.markdown.contains("Compiled for sm_90"),
        "{}",
        whole.markdown
    );
    let word = source.hover(at("add.u32") + 1).expect("something is said of the modifier");
    assert!(text[word.range].ends_with("add"));
    let operand = source.definition(at("%1") + 1).expect("an operand is declared where its constraint is");
    assert_eq!(&text[operand.targets[0].selection.clone()], "\"l\"");
    let lenses = source.evaluation_lenses();
    assert_eq!(lenses.len(), 1);
    assert!(source.evaluate_here(at("atom."), &lenses[0].inputs[0]).is_ok());
    let offered = source.complete(at("u32 %0"));
    assert!(offered.iter().any(|one| one.label.contains("u64")), "{offered:?}");
    assert!(source.rename(at("%1") + 1, "%2").is_err(), "operands are called by their numbers");
}

#[test]
fn hover_in_a_statement_reports_what_ptx_has_lost() {
    let text = "void f(float& y, float x) { asm(\"rcp.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x)); }";
    let source = Text::parse(Language::CUDA, text).under(Settings::default());
    let hover = source.hover(text.find("rcp").expect("a part of the text") + 1).expect("a hover");
    assert!(hover.markdown.starts_with("Closest legal forms:"), "{}", hover.markdown);
}

#[test]
fn features_in_source_in_a_string_have_its_positions() {
    let text = "k = RawKernel('''__device__ void f(int* p) {\n  int r;\n  asm(\"atom.global.\"\n    \"add.u32 %0, [%1], 1;\\\\n\" : \"=r\"(r) : \"l\"(p));\n}''')\n";
    let source = Text::parse(Language::PYTHON, text).under(Settings::default());
    let at = |part: &str| text.find(part).expect("a part of the text");
    let word = source.hover(at("add.u32") + 1).expect("a hover");
    assert!(text[word.range].ends_with("add"));
    let operand = source.definition(at("%1") + 1).expect("a definition");
    assert_eq!(&text[operand.targets[0].selection.clone()], "\"l\"");
    let offered = source.complete(at("u32 %0"));
    assert!(offered.iter().any(|one| one.label.contains("u64")), "{offered:?}");
    let found = source.diagnostics();
    let volatile = found.iter().find(|one| one.code() == "asm-missing-volatile").expect("a diagnostic");
    let edits = &volatile.fixes[0].edits;
    assert!(edits.iter().any(|edit| edit.text == " volatile" && edit.range.start == at("asm") + 3), "{edits:?}");
    let fixes = source.suppressions(volatile);
    assert!(fixes.iter().all(|fix| fix.title.ends_with("for this file")), "{fixes:?}");
}

#[test]
fn a_macro_that_is_used_once_is_fixed_in_its_definition() {
    let head = "#define SCOPE \"gpuu\"\n#define WHERE \".\" SCOPE\n";
    let one = "void f(int* p) { asm volatile(\"red.relaxed\" WHERE \".global.add.u32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }\n";
    let found = |text: &str| Text::parse(Language::CUDA, text).under(Settings::default()).diagnostics();
    let text = format!("{head}{one}");
    let findings = found(&text);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(&text[findings[0].range.clone()], "gpuu");
    let source = Text::parse(Language::CUDA, &text).under(Settings::default());
    let hover = source.hover(text.rfind("add").expect("is there")).expect("something is said of the modifier");
    assert!(hover.markdown.contains("add"), "{}", hover.markdown);
    let twice = format!("{head}{one}{one}");
    let findings = found(&twice);
    assert_eq!(findings.len(), 2, "{findings:?}");
    for (finding, at) in findings.iter().zip(twice.match_indices("\" WHERE").map(|(at, _)| at + 2)) {
        assert_eq!(finding.range, at..at + "WHERE".len());
        assert!(finding.fixes.is_empty(), "another statement would change too");
    }
    // A whole opcode may be fixed in the macro that contains it.
    let text = "#define FENCE \"fence.sc.gpu.cta;\"\nvoid f() { asm volatile(FENCE ::: \"memory\"); }\n";
    let finding = &found(text)[0];
    let edits: Vec<_> = finding.fixes.iter().flat_map(|fix| &fix.edits).collect();
    assert!(
        !edits.is_empty() && edits.iter().all(|edit| edit.range.end < text.find('\n').expect("a line")),
        "{edits:?}"
    );
    // Macros without end cost no more than others.
    let mut deep = "#define A0 \"nop.nop;\"\n".to_owned();
    for level in 1..12 {
        deep += &format!("#define A{level} {}\n", format!("A{} ", level - 1).repeat(40));
    }
    assert!(found(&format!("{deep}#define LOOP LOOP\nvoid f() {{ asm(A11); asm(A7 LOOP); }}")).is_empty());
}
