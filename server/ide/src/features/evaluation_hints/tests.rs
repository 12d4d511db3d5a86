//! What a user sees of evaluation comments: hints, findings, lenses and answers.

use super::*;
use crate::features::HoverProvider;
use crate::features::names::tests::snapshot;
use diagnostics::Snapshot;
use lints::Check;

const HEAD: &str = ".version 9.5\n.target sm_100a\n.global .align 16 .b32 g[64];\n.entry k() {\n\
    .reg .pred p; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .b128 %q<9>;\n";

fn code(body: &str) -> Snapshot {
    snapshot(&format!("{HEAD}{body}\nret;\n}}\n"))
}

fn hints(body: &str) -> Vec<String> {
    let snapshot = code(body);
    let all = 0..snapshot.file.text().len_bytes();
    snapshot.evaluation_hints(all).into_iter().map(|hint| hint.label).collect()
}

/// Code, token and message of each finding.
fn findings(body: &str) -> Vec<(&'static str, String, String)> {
    let snapshot = code(body);
    let findings = snapshot.diagnostics().into_iter();
    findings
        .map(|finding| (finding.code(), snapshot.file.slice(&finding.range), finding.message().into_owned()))
        .collect()
}

#[test]
fn a_comment_shows_what_comes_of_it() {
    for (body, hint) in [
        ("atom.global.add.u32 %r1, [%rd1], %r2; //= [a]=5, b=3", "→ [a]=8, d=5"),
        ("//= mem=5, %r2=3\natom.global.add.u32 %r1, [%rd1], %r2;", "→ mem=8, d=5"),
        (
            "atom.global.add.u32 %r1, [%rd1+4], %r2; //= [ %rd1 + 4 ]=0xff, b=1 -> %r1=255",
            "✓ [%rd1+4]=0x00000100, %r1=0x000000ff",
        ),
        ("red.global.max.s32 [%rd1], %r2; //= [a]=-5, b=-6 -> [a]=-6", "✗ [a]=-5"),
        ("red.global.add.s32 [%rd1], -7; //= [a]=5", "→ [a]=-2"),
        ("atom.global.cas.b32 %r1, [%rd1], %r2, %r3; //= [a]=1, b=2, c=3", "→ [a]=1, d=1"),
        ("atom.global.cas.b32 %r1, [%rd1], %r2, %r2; //= [a]=1, %r2=1", "→ [a]=1, d=1"),
        (
            "atom.global.exch.b128 %q1, [%rd1], %q2; //= [a]=0x1, b=0x2",
            "→ [a]=0x00000000000000000000000000000002, d=0x00000000000000000000000000000001",
        ),
        ("red.add.f32 [%rd1], %f1; //= [a]=1e-40, b=1e-40", "→ [a]=0.0"),
        ("red.add.f32 [%rd1], %f1; //= @shared [a]=1e-40, b=1e-40", "→ [a]=1.99999e-40"),
        ("red.global.add.v2.f32 [%rd1], {%f1, %f2}; //= [a]={1, 2}, %f1=1.5, %f2=-2", "→ [a]={2.5, 0.0}"),
        ("red.global.add.v2.f32 [%rd1], {%f1, %f2}; //= [a]={1, 2}, {%f1,%f2}={0.5, 0.25}", "→ [a]={1.5, 2.25}"),
        (
            "atom.global.add.v2.f32 {%f1, _}, [%rd1], {%f1, %f2}; //= [a]={1, 2}, b={0, 0} -> %f1=1",
            "✓ [a]={1.0, 2.0}, d={1.0, 2.0}",
        ),
        ("atom.global.add.noftz.f16 %h1, [%rd1], %h2; //= [a]=nan, b=1 -> [a]=nan", "✓ [a]=nan, d=nan"),
        ("multimem.ld_reduce.global.add.u32 %r1, [%rd1]; //= [a]=1, [a]=2, [a]=3", "→ d=6"),
        ("multimem.red.global.add.u32 [%rd1], %r1; //= [a]=1, [a]=2, b=3 -> [a]=4, [a]=5", "✓ [a]=4, [a]=5"),
        ("multimem.st.global.b32 [%rd1], %r1; //= [a]=1, [a]=2, b=3", "→ [a]=3, [a]=3"),
    ] {
        assert_eq!(hints(body), [hint], "{body}");
    }
}

#[test]
fn a_name_means_what_is_written_before_it_means_a_role() {
    let swapped = ".reg .b32 b, c;\natom.global.cas.b32 %r1, [%rd1], c, b; //= [a]=1, c=1, b=9";
    assert_eq!(hints(swapped), ["→ [a]=9, d=1"]);
}

#[test]
fn values_that_the_code_fixes_need_not_be_given() {
    assert_eq!(hints("mov.u32 %r2, 3;\nadd.u32 %r2, %r2, 4;\nred.global.add.u32 [%rd1], %r2; //= [a]=1"), ["→ [a]=8"]);
    assert_eq!(
        hints("mov.f32 %f1, 0f3F800000;\nred.global.add.v2.f32 [%rd1], {%f1, 2.5}; //= [a]={1, 1}"),
        ["→ [a]={2.0, 3.5}"]
    );
    for unknown in [
        "mov.u32 %r2, 3;\nL: red.global.add.u32 [%rd1], %r2; //= [a]=1",
        "mov.u32 %r2, 3;\n@p mov.u32 %r2, 4;\nred.global.add.u32 [%rd1], %r2; //= [a]=1",
        "mov.u32 %r2, 3;\n{ .reg .b32 %r2; red.global.add.u32 [%rd1], %r2; //= [a]=1\n}",
        "{ mov.u32 %r2, 3; }\nred.global.add.u32 [%rd1], %r2; //= [a]=1",
    ] {
        let found = findings(unknown);
        assert_eq!(found.len(), 1, "{unknown}: {found:?}");
        assert_eq!((found[0].0, &*found[0].2), ("evaluation-unreadable", "missing value of `%r2`"), "{unknown}");
    }
    let wrong = findings("mov.u32 %r2, 3;\nred.global.add.u32 [%rd1], %r2; //= [a]=1, b=4");
    assert_eq!(wrong[0].2, "the code sets `b` to 3, not 4");
    assert_eq!((wrong.len(), &*wrong[0].1), (1, "4"));
}

#[test]
fn lines_that_follow_one_another_share_memory_and_registers() {
    assert_eq!(
        hints(
            "atom.global.add.u32 %r1, [%rd1], %r2; //= [a]=5, b=3\n\
             atom.global.add.u32 %r3, [%rd1], %r2; //= -> [a]=11, d=8\n\
             add.u32 %r4, %r1, %r3;\n\
             red.global.add.u32 [%rd1], %r4; //=\n\
             red.global.add.u32 [%rd1+4], %r4; //= [a]=1\n\
             ld.global.u32 %r6, [%rd1];\n\
             atom.global.exch.b64 %rd2, [%rd1], %rd3; //= b=0x0"
        ),
        ["→ [a]=8, d=5", "✓ [a]=11, d=8", "→ [a]=24", "→ [a]=14", "→ [a]=0x0000000000000000, d=0x0000000e00000018"]
    );
    let twice = "//= [a]=6, b=7\n//=\nred.global.inc.u32 [%rd1], %r2;";
    assert_eq!(hints(twice), ["→ [a]=7", "→ [a]=0"]);
    for between in [
        "st.global.u32 [%rd2], %r3;",
        "add.u64 %rd1, %rd1, 4;",
        "red.global.add.u32 [%rd2], 1;",
        "bar.sync 0;",
        "L:",
        "atom.global.add.u64 %rd1, [%rd1], 1; //= [a]=1",
    ] {
        let body = format!("red.global.add.u32 [%rd1], 1; //= [a]=5\n{between}\nred.global.add.u32 [%rd1], 1; //=");
        let found = findings(&body);
        assert!(found.iter().any(|one| one.2 == "missing value of memory"), "{between}: {found:?}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_a_finding_at_its_place() {
    let atom = "atom.global.add.u32 %r1, [%rd1], %r2;";
    for (comment, token, message) in [
        ("//= b=3", "//= b=3", "missing value of memory"),
        ("//= [a]=5", "//= [a]=5", "missing value of `%r2`"),
        ("//= [a]=5, b=3, c=1", "c", "`c` is not an input of the instruction"),
        ("//= [a]=5, b=3, d=1", "d", "result `d` must be after the arrow"),
        ("//= [a]=5, [a]=6, b=3", "[a]", "duplicate value of `[a]`"),
        ("//= [a]=5, b=3, %r2=3", "%r2", "duplicate value of `%r2`"),
        ("//= [%rd2]=5, b=3", "[%rd2]", "`[%rd2]` is not an input of the instruction"),
        ("//= [a]=5, b=3 -> b=3", "b", "`b` is not a result of the instruction"),
        ("//= [a]=5, b=3 -> [a]=8, [a]=8", "[a]", "more expected memory values than inputs"),
        ("//= @shared [a]=5, b=3", "@shared", "state space conflicts with `.global` of the instruction"),
        (
            "//= [a]=4294967296, b=3",
            "4294967296",
            "invalid value of `[a]`: `4294967296` is out of range for `.u32` (0 to 4294967295)",
        ),
    ] {
        let found = findings(&format!("{atom} {comment}"));
        let expected = ("evaluation-unreadable", token.to_owned(), message.to_owned());
        assert_eq!(found, [expected], "{comment}");
        assert!(hints(&format!("{atom} {comment}")).is_empty(), "{comment}");
    }
    assert_eq!(findings("add.u32 %r1, %r2, 1; //= [a]=1").len(), 1);
    // What is wrong with an illegal instruction is said of the instruction.
    let illegal = findings("red.global.or.u32 [%rd1], %r2; //= [a]=1, b=2 -> [a]=9");
    assert_eq!(illegal.iter().map(|one| one.0).collect::<Vec<_>>(), ["illegal-type"]);
    assert_eq!(findings("//======= [a]=1\nred.global.add.u32 [%rd1], %r2;"), []);
}

#[test]
fn a_guard_is_given_like_an_operand() {
    let atom = "atom.global.add.u32 %r1, [%rd1], 3;";
    for (guard, comment, hint) in [
        ("@p", "//= [a]=5, p=1", "→ [a]=8, d=5"),
        ("@p", "//= [a]=5, p=0", "→ [a]=5"),
        ("@!p", "//= [a]=5, p=true", "→ [a]=5"),
        ("@!p", "//= [a]=5, p=false -> [a]=8, d=5", "✓ [a]=8, d=5"),
        ("@p", "//= [a]=5", "→ [a]=8, d=5"),
    ] {
        assert_eq!(hints(&format!("{guard} {atom} {comment}")), [hint], "{guard} {comment}");
    }
    let message = |comment: &str| findings(&format!("@p {atom} {comment}")).remove(0).2;
    assert_eq!(message("//= [a]=5, p=2"), "invalid value of predicate `p`");
    assert_eq!(message("//= [a]=5, p=1, p=0"), "duplicate value of `p`");
    assert_eq!(message("//= [a]=5, p=0 -> [a]=5, d=5"), "`d` receives no value: guard @p is false");
    assert_eq!(message("//= [a]=5, p2=0"), "`p2` is not an input of the instruction");
    assert_eq!(message("//= [a]=5, p=0 -> [a]=8"), "memory holds 5, not 8");
    let snapshot = code(&format!("@p {atom}"));
    let at = snapshot.file.text().to_string().find("atom").unwrap();
    assert_eq!(snapshot.evaluate_here(at, "[a]=5, p=0").unwrap(), "→ [a]=5 · guard @p is false");
    let assumed = "→ [a]=8, d=5 · guard is assumed to be true: p is not given";
    assert_eq!(snapshot.evaluate_here(at, "[a]=5").unwrap(), assumed);
    // What did not happen leaves registers and memory as they were.
    let after =
        "mov.u32 %r1, 2;\n@p atom.global.add.u32 %r1, [%rd1], 3; //= [a]=5, p=0\nred.global.add.u32 [%rd1], %r1; //=";
    assert_eq!(hints(after), ["→ [a]=5", "→ [a]=7"]);
}

#[test]
fn what_contradicts_the_text_is_a_finding_in_comments_and_answers() {
    for (instruction, input, message) in [
        ("atom.global.cas.b32 %r1, [%rd1], %r2, %r2;", "[a]=5, b=4, c=5", "conflicting values of `%r2`"),
        ("red.global.add.v2.f32 [%rd1], {%f1, %f1};", "[a]={1, 1}, b={1, 2}", "conflicting values of `%f1`"),
        ("red.global.add.u32 [%rd1], 3;", "[a]=5, b=4", "the code sets `b` to 3, not 4"),
        (
            "red.shared.add.u32 [%rd1], 3;",
            "@global [a]=5",
            "state space conflicts with `.shared::cta` of the instruction",
        ),
    ] {
        let found = findings(&format!("{instruction} //= {input}"));
        assert_eq!(found.iter().map(|found| &*found.2).collect::<Vec<_>>(), [message], "{instruction}");
        let snapshot = code(instruction);
        let at = snapshot.file.text().to_string().find(instruction).unwrap();
        let (Ok(answer) | Err(answer)) = snapshot.evaluate_here(at, input);
        assert!(answer.contains(message), "{answer}");
    }
    assert_eq!(hints("atom.global.cas.b32 %r1, [%rd1], %r2, %r2; //= [a]=4, b=4, c=4"), ["→ [a]=4, d=4"]);
}

#[test]
fn a_comment_that_is_nearly_an_evaluation_is_a_finding() {
    let atom = "atom.global.add.u32 %r1, [%rd1], %r2;";
    for (comment, mark) in
        [("/*= [a]=5, b=3 -> [a]=9 */", "/*="), ("/*=[a]=5*/", "/*="), ("//== [a]=5, b=3 -> [a]=9", "//==")]
    {
        let found = findings(&format!("{atom} {comment}"));
        let message = format!("comments that begin with `{mark}` are not evaluated");
        assert_eq!(found, [("evaluation-unreadable", comment.to_owned(), message)], "{comment}");
    }
    for comment in ["//== a title ==", "/*=== [a]=5 ===*/", "/*= */", "//=====", "/* [a]=5 */"] {
        assert_eq!(findings(&format!("{atom} {comment}")), [], "{comment}");
    }
}

#[test]
fn a_fix_makes_each_mismatch_true() {
    for body in [
        "atom.global.add.u32 %r1, [%rd1], %r2; //= [a]=5, b=3 -> [a]=9, d=4",
        "atom.global.add.u32 %r1, [%rd1], %r2; //= [a]=5, b=3 -> [a]=0x9",
        "red.global.add.f32 [%rd1], %f1; //= [a]=inf, b=-inf -> [a]=0f00000000",
        "red.global.add.f32 [%rd1], %f1; //= [a]=1e-40, b=0f00000001 -> [a]=1e-40",
        "red.global.and.b32 [%rd1], %r1; //= [a]=12, b=10 -> [a]=9",
        "red.global.add.noftz.v2.f16x2 [%rd1], {%r1, %r2}; //= [a]={{1, 2}, {3, 4}}, b={{nan, 2}, {3, 4}} -> [a]={{1, 2}, {3, 4}}",
        "mov.u32 %r2, 3;\nred.global.add.u32 [%rd1], %r2; //= [a]=1, b=4 -> [a]=5",
    ] {
        let mut snapshot = code(body);
        for _ in 0..3 {
            let Some(finding) = snapshot.diagnostics().into_iter().next() else { break };
            assert_eq!(finding.code(), "evaluation-mismatch", "{body}: {finding:?}");
            let edits = finding.fixes[0].edits.iter().map(|edit| (edit.range.clone(), &*edit.text));
            snapshot.file.edit_all(edits);
        }
        assert_eq!(snapshot.diagnostics(), [], "{body}");
    }
}

/// A kernel whose threads take tickets, with a launch.
fn tickets(comment: &str) -> Snapshot {
    snapshot(&format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n//! run take grid 2 block 4 next=u32[1]=7\n.entry take(.param .u64 next)\n{{\n\
         .reg .u64 %rd<2>; .reg .u32 %r<3>; .reg .pred %p<2>;\nld.param.u64 %rd1, [next];\nmov.u32 %r1, %tid.x;\n\
         setp.ge.u32 %p1, %r1, 2;\nadd.u32 %r1, %r1, 10;\n@%p1 atom.global.add.u32 %r2, [%rd1], %r1; {comment}\nret;\n}}\n"
    ))
}

#[test]
fn a_comment_without_values_takes_them_from_the_launch() {
    let found = |comment: &str| {
        let snapshot = tickets(comment);
        let hints: Vec<String> = snapshot.evaluation_hints(0..usize::MAX).into_iter().map(|hint| hint.label).collect();
        let findings = snapshot.diagnostics().into_iter().map(|one| one.message().into_owned());
        (hints.join("; "), findings.collect::<Vec<_>>().join("; "))
    };
    let inputs = "[a]=7, b=12";
    assert_eq!(found("//="), (format!("{inputs} → [a]=19, d=7"), String::new()));
    assert_eq!(found("//= -> [a]=19, %r2=7"), (format!("{inputs} ✓ [a]=19, %r2=7"), String::new()));
    assert_eq!(found("//= -> [a]=8"), (format!("{inputs} ✗ [a]=19, d=7"), "memory holds 19, not 8".to_owned()));
    assert_eq!(found("//= [a]=1, b=1"), ("→ [a]=2, d=1".to_owned(), String::new()));
    let [hint] = tickets("//=").evaluation_hints(0..usize::MAX).try_into().expect("one hint");
    assert!(hint.tooltip.contains("thread 2 of CTA 0, the first to execute it in `run take`"), "{}", hint.tooltip);
    let without = tickets("//=").file.text().to_string().replace("//! run", "// run");
    let [finding] = snapshot(&without).diagnostics().try_into().expect("one finding");
    let help = finding.help_text();
    assert_eq!(help, "add `[a]=…` to the comment, or run its kernel with `//! run`");
}

#[test]
fn a_comment_behind_another_instruction_shows_what_a_launch_reads_and_writes_there() {
    let text = |comment: &str| {
        let text = tickets("").file.text().to_string();
        text.replace("add.u32 %r1, %r1, 10;", &format!("add.u32 %r1, %r1, 10; {comment}"))
    };
    let [hint] = snapshot(&text("//=")).evaluation_hints(0..usize::MAX).try_into().expect("one hint");
    assert_eq!(hint.label, "%r1=0 → %r1=10");
    assert!(hint.tooltip.contains("values of thread 0 of CTA "), "{}", hint.tooltip);
    assert_eq!(hint.insert.expect("an expectation").text, " -> %r1=10");
    let [finding] = snapshot(&text("//= -> d=11")).diagnostics().try_into().expect("one finding");
    assert_eq!((finding.code(), &*finding.message()), ("evaluation-mismatch", "`d` receives 10, not 11"));
    assert_eq!(&*finding.fixes[0].edits[0].text, "10");
    let without = text("//=").replace("//! run", "// run");
    let [finding] = snapshot(&without).diagnostics().try_into().expect("one finding");
    assert_eq!(finding.message(), "value that `add.u32` writes is unknown");
    let help = "write the comment at an `atom`, `red` or `multimem` instruction, or run its kernel with `//! run`";
    assert_eq!(finding.help_text(), help);
    assert!(snapshot(&without).evaluation_hints(0..usize::MAX).is_empty());
}

#[test]
fn a_hint_can_be_written_down_as_an_expectation_and_is_true() {
    let mut snapshot = code("atom.global.inc.u32 %r1, [%rd1], %r2; //= [a]=7, b=7 // goes round");
    let [hint] = snapshot.evaluation_hints(0..usize::MAX).try_into().expect("one hint");
    let edit = hint.insert.expect("it can be written");
    snapshot.file.edit(edit.range, &edit.text);
    assert!(snapshot.file.text().to_string().contains("//= [a]=7, b=7 -> [a]=0, d=7 // goes round"));
    assert_eq!(snapshot.diagnostics(), []);
    assert!(hint.tooltip.contains("inc wraps to 0"), "{}", hint.tooltip);
}

#[test]
fn every_prefilled_input_of_a_lens_can_be_evaluated() {
    let body = "atom.global.inc.u32 %r1, [%rd1], %r2;\nred.add.f32 [%rd1], %f1;\natom.global.cas.b128 %q1, [%rd1], %q2, %q3;\n\
        red.global.add.noftz.v4.bf16x2 [%rd1], {%r1, %r2, %r3, %r4};\natom.shared.min.s32 %r1, [%rd1], 7;\n\
        .reg .b32 b, c; atom.global.cas.b32 %r1, [%rd1], c, b;\nmultimem.ld_reduce.global.add.acc::f32.v2.f16x2 {%r1, %r2}, [%rd1];\n\
        multimem.st.global.b32 [%rd1], %r1;\nred.global.add.u32 [%rd1], %r1; //= [a]=1, b=2\nadd.u32 %r1, %r1, 1;";
    let snapshot = code(body);
    assert_eq!(snapshot.diagnostics(), []);
    let lenses = snapshot.evaluation_lenses();
    let opcodes: Vec<_> = lenses.iter().map(|lens| snapshot.file.slice(&lens.range)).collect();
    assert_eq!(opcodes.len(), 8, "{opcodes:?}");
    assert_eq!(lenses[0].inputs, ["[a]=3, b=7", "[a]=7, b=7", "[a]=9, b=7"]);
    assert_eq!(lenses[4].inputs[0], "[a]=3");
    assert_eq!(lenses[5].inputs[1], "[a]=0x00000001, c=0x00000002, b=0x00000003");
    for lens in &lenses {
        for input in &lens.inputs {
            for offset in [lens.range.start, lens.range.end, lens.range.end + 3] {
                let answer = snapshot.evaluate_here(offset, input);
                assert!(answer.as_ref().is_ok_and(|text| text.starts_with("→ ")), "{input}: {answer:?}");
            }
        }
    }
}

#[test]
fn an_answer_says_what_happened_and_an_error_what_to_write() {
    let snapshot = code("mov.u32 %r2, 7;\natom.global.inc.u32 %r1, [%rd1], %r2;\nred.add.f32 [%rd1], %f1;");
    let at = |word: &str| snapshot.file.text().to_string().find(word).unwrap();
    let inc = |input: &str| snapshot.evaluate_here(at("atom"), input);
    assert_eq!(inc("[a]=7").unwrap(), "→ [a]=0, d=7 · 7 has reached the bound 7: inc wraps to 0");
    assert_eq!(inc("//= [a]=1 -> [a]=3").unwrap(), "✗ [a]=2, d=1 · memory holds 2, not 3");
    assert_eq!(inc("").unwrap_err(), "missing value of memory; add `[a]=…` to the comment");
    assert!(snapshot.evaluate_here(at("red.add"), "[a]=1, b=1").unwrap().contains("assumed to be in global memory"));
    let close = code("red.global.add.u32 [%rd1], 1;red.global.max.u32 [%rd1], 9;");
    let second = close.file.text().to_string().find("red.global.max").unwrap();
    assert!(close.evaluate_here(second, "[a]=1").unwrap().starts_with("→ [a]=9"));
    assert!(close.evaluate_here(second - 1, "[a]=1").unwrap().starts_with("→ [a]=2"));
    for offset in [0, at("mov"), at("ret"), usize::MAX] {
        assert!(snapshot.evaluate_here(offset, "[a]=1").is_err(), "{offset}");
    }
}

#[test]
fn the_hover_shows_what_is_special() {
    for (opcode, parts) in [
        ("atom.global.inc.u32", &["| `7` | `7` | `0` | `7` | 7 has reached the bound 7"][..]),
        (
            "atom.global.cas.b32",
            &["| `0x00000001` | `0x00000002` | `0x00000003` | `0x00000001` | `0x00000001` | memory differs"],
        ),
        ("red.global.add.f32", &["subnormal: flushed to zero"]),
        ("red.add.f32", &["assumed to be in global memory"]),
        ("atom.global.min.noftz.v2.f16", &["NaN: the result is the number", "nan"]),
        ("multimem.ld_reduce.global.add.u32", &["not measured on hardware"]),
    ] {
        let snapshot = code(&format!("{opcode} %r1, [%rd1], %r2;"));
        let at = snapshot.file.text().to_string().find(opcode).unwrap();
        let hover = snapshot.hover(at + 1).expect(opcode).markdown;
        for part in parts {
            assert!(hover.contains(part), "{opcode}: {part} is missing in\n{hover}");
        }
    }
}

#[test]
fn nothing_panics_wherever_it_is_asked() {
    for text in ["", "//=", "//= é=1 -> ", "x //= [a]=1\n.entry k() { red.add.u32 [a], {b; //= b={{, [", "é𝄞"] {
        let snapshot = snapshot(text);
        snapshot.evaluation_hints(1..usize::MAX);
        snapshot.evaluation_lenses();
        snapshot.diagnostics();
        for offset in 0..text.len() + 2 {
            let _ = snapshot.evaluate_here(offset, "[a]=1, b=é {");
        }
    }
}

#[test]
fn a_fixture_cut_anywhere_is_answered() {
    let text = include_str!("../../../../../tests/fixtures/evaluation/kinds.ptx");
    let whole = snapshot(text);
    assert!(whole.evaluation_hints(0..text.len()).len() > 15);
    let mut file = whole.file.clone();
    for end in (0..text.len()).rev().step_by(41) {
        file.edit(end..file.text().len_bytes(), "");
        let cut = Snapshot::new(file.clone(), diagnostics::Settings::default());
        let hints = cut.evaluation_hints(0..end);
        assert!(hints.iter().all(|hint| hint.at <= end));
        let _ = cut.evaluate_here(end, "[a]=1, b=2");
        cut.diagnostics();
    }
}
