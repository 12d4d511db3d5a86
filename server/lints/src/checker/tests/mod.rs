mod suppressions;

use super::*;
use crate::Check;
use diagnostics::{Preset, Settings};
use fastrand::Rng;
use std::collections::BTreeSet;
use syntax::SourceFile;

/// Modules with diagnostics of many rules: modifiers, operands, names, syntax, evaluations, header.
const TEXTS: [&str; 4] = [
    ".version 8.0\n.target sm_90\n.visible .global .b32 g;\n.entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 a;\n\tld.param.u64 a, [p];\n\tred.gpu.global.add.u32 [g], 1;\n\tred.release.gpu.global.add.u32 [a+2], 1;\n\tret;\n}\n.func f()\n{\n\t.reg .b32 r;\n\tld.relaxed.sys.global.u32 r, [g];\n\tred.cta.global.add.u32 [g+4], 1;\n\tmembar.gl;\n}\n.entry k2(.param .u64 p)\n{\n\t.reg .b64 a;\n\tld.param.u64 a, [p];\n\tred.gpu.global.add.u32 [a], 1;\n\tred.sys.global.add.u32 [a], 1;\n\tfence.acq_rel.gpu;\n}\n",
    ".version 8.0\n.target sm_80\n.global .b32 g;\n.entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 a;\n\tatom.global.or.u32 %r1, [a], 1;\n\tred.shared.add.u32 [g], 1;\n\tret;\n}\n// between\n.func f()\n{\n\t.reg .b64 a;\n\tred.global.add.noftz.bf16x2 [a], %r9; //= [a]=1\n\tred.global.add.u32 [a-4], 1;\n}\n.entry k2()\n{\n\t.reg .b64 a;\n\tred.add.u32 [a], 3; //= [a]=1 -> [a]=5\n\tred.add.u32 [h], 3;\n}\n.global .b32 h;\n",
    "// no head\n.entry k() { .reg .b32 r; .reg .f32 f; red.add.f32 [r], f; red.add.f32 [r], f, f; }\n.entry l() { atom.add.u32 r, [r]; }\n",
    ".version 9.5\n.target sm_70\n",
];
const INSERTIONS: [&str; 14] = [
    "",
    " ",
    "\n",
    ";",
    "}",
    "{",
    "/*",
    "*/",
    ".u32",
    "atom.global.add.u32 %r1, [a], 1;",
    ".target sm_90\n",
    ".global .b32 g;\n",
    "%r1",
    "8",
];

#[test]
fn incremental_checks_equal_full_checks() {
    let mut rng = Rng::with_seed(7);
    let mut reused = 0;
    // Short texts with a syntax error are parsed from scratch after an edit, so that no item keeps its id. The padding makes
    // half of them long.
    let function = |n| format!(".func f{n}()\n{{\n\t.reg .b32 r; // {}\n\tadd.u32 r, r, 1;\n}}\n", "-".repeat(200));
    let padding: String = (0..280).map(function).collect();
    for text in TEXTS {
        for round in 0..16 {
            let mut checker = Checker::default();
            let padding = if round % 2 == 0 { "" } else { &padding };
            let mut file = SourceFile::parse(&format!("{text}{padding}"));
            for _ in 0..30 {
                let length = file.text().len_bytes() - padding.len();
                let start = rng.usize(..=length);
                let end = (start + [0, 0, 1, 5][rng.usize(..4)]).min(length);
                file.edit(start..end, INSERTIONS[rng.usize(..INSERTIONS.len())]);
                let settings = Settings { preset: Some(Preset::All), ..Settings::default() };
                let snapshot = Snapshot::new(file.clone(), settings).for_lint();
                reused += file.module_items().iter().filter(|item| checker.items.contains(item)).count();
                assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.diagnostics()), "{}", file.text());
            }
        }
    }
    assert!(reused > 20_000, "{reused} items were reused");
}

#[test]
fn the_other_functions_of_a_short_text_are_not_checked_again_while_an_instruction_is_typed() {
    let function =
        |n| format!(".entry k{n}()\n{{\n\t.reg .b32 r;\n\tadd.u32 r, r, {n};\n\tred.add.u32 [r], r;\n\tret;\n}}\n");
    let text: String = (0..8).map(function).collect();
    let mut file = SourceFile::parse(&format!(".version 8.0\n.target sm_90\n.address_size 64\n{text}"));
    let mut checker = Checker::default();
    let found = checked(&mut checker, &file);
    assert!(found.len() >= 8, "{found:?}");
    let mut at = file.text().to_string().find("\tret").expect("a statement");
    for key in "\tadd.u32 r, r, 1;\n".split_inclusive(|_| true) {
        file.edit(at..at, key);
        at += key.len();
        let found = checked(&mut checker, &file);
        assert!(found.len() >= 8, "{found:?}");
        // One function of four instructions, up to three times: for names of others. All of them have 24 and more.
        let visited = checker.coverage().checked + checker.coverage().unchecked;
        assert!(visited <= 12, "{visited} instructions after {key:?}");
    }
}

#[test]
fn unchanged_blocks_of_an_edited_function_are_skipped() {
    const STATEMENTS: [&str; 12] = [
        "add.u32 %r1, %r1, 1;",
        "ld.relaxed.gpu.u32 %r2, [a];",
        "fence.acq_rel.gpu;",
        "membar.gl;",
        "st.volatile.u32 [a], %r2;",
        "red.release.gpu.global.add.u32 [a], %r1;",
        "atom.global.or.u32 %r1, [a+2], 1;",
        "atom.global.add.f32 %r1, [a], %r2;",
        "{ .reg .f32 %r1; In: red.global.add.f32 [a], %r1; }",
        "{ add.u32 %r1, %r2, 1; }",
        "bra L7;",
        "bra Gone;",
    ];
    let mut rng = Rng::with_seed(11);
    let lines: String =
        (0..60).map(|n| format!("L{n}:\n\tadd.u32 %r2, %r1, {n};\n\tcvta.to.global.u64 a, a;\n")).collect();
    let head = ".version 8.0\n.target sm_90\n.entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 a;\n\tld.param.u64 a, [p];\n";
    let mut file = SourceFile::parse(&format!("{head}{lines}\tret;\n}}\n"));
    let (mut checker, mut skipped) = (Checker::default(), 0);
    for round in 0..300 {
        let text = file.text().to_string();
        let label = text.find(&format!("L{}:", rng.usize(..60))).expect("a label") + 4;
        let (start, end) = (label + text[label..].find('\t').unwrap(), label + text[label..].find('\n').unwrap());
        file.edit(start..end.max(start), STATEMENTS[rng.usize(..STATEMENTS.len())]);
        let target = isa::target::Target::parse(if round % 50 < 40 { "sm_90" } else { "sm_60" });
        let settings = Settings { preset: Some(Preset::All), target, ..Settings::default() };
        let snapshot = Snapshot::new(file.clone(), settings).for_lint();
        let before: BTreeSet<_> = checker.blocks.keys().collect();
        assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.diagnostics()), "{}", file.text());
        skipped += checker.blocks.keys().filter(|block| before.contains(block)).count();
    }
    assert!(skipped > 3000, "{skipped} blocks were skipped");
}

/// What a check of an edited file finds, which is what a check of the whole file finds.
fn checked(checker: &mut Checker, file: &SourceFile) -> Vec<Diagnostic> {
    let snapshot = Snapshot::new(file.clone(), Settings::default()).for_lint();
    let found = checker.check(&snapshot, &|| false).expect("the check is not cancelled");
    assert_eq!(found, snapshot.diagnostics(), "{}", file.text());
    found
}

#[test]
fn a_branch_to_a_label_that_a_function_hides_is_reported_after_an_edit() {
    let text = ".version 8.0\n.target sm_90\n.func hidden()\n{\n\tret;\n}\n.entry k()\n{\n\tbra hidden;\nhidden:\n\tbra hidden;\n}\n";
    let mut file = SourceFile::parse(text);
    let mut checker = Checker::default();
    let at = text.find("bra").expect("a branch");
    for _ in 0..3 {
        let found = checked(&mut checker, &file);
        assert_eq!(found.len(), 1, "{found:?}");
        file.edit(at..at, " ");
    }
}

#[test]
fn a_branch_in_a_cached_block_to_a_label_that_is_gone_is_reported() {
    let text = ".version 8.0\n.target sm_90\n.entry k()\n{\nFirst:\n\tbra Last;\nLast:\n\tret;\n}\n";
    let mut file = SourceFile::parse(text);
    let mut checker = Checker::default();
    let at = text.rfind("Last").expect("a label");
    for (name, count) in [("Last", 0), ("Gone", 1), ("Last", 0), ("{ Last: }\nGone", 1)] {
        let end = at + file.text().byte_slice(at..).to_string().find("\tret").expect("a statement");
        file.edit(at..end, &format!("{name}:\n"));
        let found = checked(&mut checker, &file);
        assert_eq!(found.len(), count, "{found:?}");
    }
}

#[test]
fn changed_settings_invalidate_the_cache() {
    let setting = |target: Option<&str>, version: Option<&str>| Settings::new(target, version).expect("they exist");
    let file = SourceFile::parse(
        ".version 7.0\n.target sm_60\n.global .b32 g;\n.entry k()\n{\n\tred.relaxed.cluster.global.add.u32 [g], 1;\n\tred.global.add.noftz.bf16 [g], 1;\n}\n",
    );
    let mut checker = Checker::default();
    for settings in [
        Settings::default(),
        setting(Some("sm_60"), None),
        setting(None, Some("7.0")),
        setting(Some("sm_60"), Some("7.0")),
        setting(Some("sm_90"), Some("8.0")),
        Settings { preset: Some(Preset::All), ..Settings::default() },
        Settings::default().for_toolkit("11.0").expect("it exists"),
        Settings::default(),
    ] {
        let snapshot = Snapshot::new(file.clone(), settings).for_lint();
        assert!(checker.check(&snapshot, &|| false) == Some(snapshot.diagnostics()), "{:?}", snapshot.settings);
    }
}

#[test]
fn a_checker_of_one_snapshot_reports_the_same_and_keeps_nothing() {
    // Calls are looked at only if a function waits for a flag or sets one.
    let ordered = include_str!("../../../../../tests/fixtures/synchronisation/called_flags.ptx");
    let unordered = ordered.replace(".acquire.", ".relaxed.").replace(".release.", ".relaxed.");
    for text in TEXTS.into_iter().chain([ordered, &unordered]) {
        for preset in [Preset::Recommended, Preset::All] {
            let settings = Settings { preset: Some(preset), ..Settings::default() };
            let snapshot = Snapshot::new(SourceFile::parse(text), settings).for_lint();
            let mut checker = Checker::once();
            for _ in 0..2 {
                assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.diagnostics()), "{text}");
            }
        }
    }
}

#[test]
fn calls_are_looked_at_once_a_function_only_waits_for_a_flag_or_sets_one() {
    let mut file = SourceFile::parse(include_str!("../../../../../tests/fixtures/synchronisation/called_flags.ptx"));
    let text = file.text().to_string();
    let orders: Vec<_> = [".acquire.", ".release."].into_iter().flat_map(|order| text.match_indices(order)).collect();
    let (mut checker, mut most) = (Checker::default(), 0);
    for is_weakened in [true, false] {
        for (at, order) in &orders {
            file.edit(*at..at + order.len(), if is_weakened { ".relaxed." } else { order });
            let settings = Settings { preset: Some(Preset::Strict), ..Settings::default() };
            let snapshot = Snapshot::new(file.clone(), settings).for_lint();
            let found = checker.check(&snapshot, &|| false).expect("the check is not cancelled");
            assert_eq!(found, snapshot.diagnostics(), "{}", file.text());
            most = most.max(found.len());
        }
    }
    assert!(most >= 4, "{most}");
}

#[test]
fn blocks_are_skipped_among_many_variables() {
    let variables = |first: usize| (first..first + 400).map(|n| format!(".global .b32 g{n};\n")).collect::<String>();
    let blocks: String = (0..200).map(|n| format!("L{n}:\n\tadd.u32 r, r, {n};\n")).collect();
    let function = format!(".entry k()\n{{\n\t.reg .b32 r;\n{blocks}\tret;\n}}\n");
    let (before, after) = (variables(0), variables(400));
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let mut file = SourceFile::parse(&format!("{head}{before}{function}{after}"));
    let mut checker = Checker::default();
    let at = file.text().to_string().find("L100:").expect("a label");
    for _ in 0..4 {
        file.edit(at..at, "\tadd.u32 r, r, 1;\n");
        checked(&mut checker, &file);
    }
    let visited = checker.coverage().checked + checker.coverage().unchecked;
    assert!(visited <= 12, "{visited} instructions");
}

#[test]
fn parts_that_are_checked_in_parallel_report_what_one_part_reports() {
    let function = |n| {
        let comment = "-".repeat(4000);
        format!(
            ".func f{n}()\n{{\n\t.reg .b32 r; // {comment}\n\tadd.u32 r, r, g;\n\tred.global.add.u32 [g{}], r;\n}}\n.global .b32 g{n};\n",
            n / 2
        )
    };
    let functions: String = (0..200).map(function).collect();
    let text = format!(".version 8.0\n.target sm_90\n.global .b32 g;\n{functions}");
    let settings = Settings { preset: Some(Preset::All), ..Settings::default() };
    let snapshot = Snapshot::new(SourceFile::parse(&text), settings).for_lint();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| snapshot.diagnostics())
    };
    let alone = on(1);
    assert!(alone.len() > 300, "{}", alone.len());
    assert_eq!(on(3), alone);
}

#[test]
fn a_cancelled_check_reports_nothing_and_keeps_the_caches_valid() {
    let mut checker = Checker::default();
    let snapshot = Snapshot::new(SourceFile::parse(TEXTS[0]), Settings::default()).for_lint();
    assert_eq!(checker.check(&snapshot, &|| true), None);
    assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.diagnostics()));
    assert_eq!(checker.check(&snapshot, &|| true), Some(snapshot.diagnostics()), "nothing was left to check");
}

#[test]
fn the_data_flow_of_a_long_function_knows_the_names_of_other_items() {
    let lines: String = (0..800).map(|n| format!("L{n}:\n\tadd.u32 r, r, {n};\n")).collect();
    let head =
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .b8 x[];\n.shared .align 8 .b8 g[8], h7[4];\n";
    let body =
        "\tmov.u32 a, g;\n\tred.shared.add.u32 [a+8], r;\n\tmov.u32 a, h7;\n\tred.shared.add.u32 [a+4], r;\n\tret;\n";
    let text = format!("{head}.entry k()\n{{\n\t.reg .u32 r, a;\n{lines}{body}}}\n");
    let at = text.find("\tadd").expect("an instruction");
    let mut file = SourceFile::parse(&text);
    let mut checker = Checker::default();
    for round in 0..4 {
        // The data flow is built on another thread from the second check on.
        let found = checked(&mut checker, &file);
        assert_eq!(found.iter().filter(|one| one.rule.code == "offset-outside").count(), 2, "round {round}: {found:?}");
        file.edit(at..at, " ");
    }
}
