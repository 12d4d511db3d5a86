//! SASS against PTX: Maxwell's `RED` computes what `red` computes, and every atomic that the assembler generates has a row.

use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use ide::batch::Batch;
use ide::features::ReferenceFilter;
use isa::lowering::RECORDED;
use isa::sass::{SassContext, SassDialect, SassResolution, families, resolve};
use isa::types::Op;
use std::collections::BTreeSet;
use support::Rng;
use values::{AccessedSpace, Operation, Shape, Subnormals, interesting};

/// The opcode of PTX that means the same.
fn ptx(op: Op, ty: &str) -> String {
    let ty = match (op, ty) {
        (Op::And | Op::Or | Op::Xor, "u32" | "s32") => "b32",
        (Op::And | Op::Or | Op::Xor, "u64") => "b64",
        (_, ty) => ty,
    };
    let noftz = if ty == "f16x2" { ".noftz" } else { "" };
    format!("red.global.{}{noftz}.{ty}", op.word())
}

#[test]
fn red_of_maxwell_computes_what_red_of_ptx_computes() {
    let mut batch = Batch::new(Settings::default());
    let mut answer = |line: String| {
        let mut out = Vec::new();
        batch.answer(line.as_bytes(), &mut out);
        String::from_utf8(out).expect("text")
    };
    let (mut compared, mut alone) = (0, Vec::new());
    for row in &families()[0].rows {
        for op in &row.ops {
            for size in &row.sizes {
                let operation = Op::parse(&op.to_ascii_lowercase()).expect("an operation of PTX");
                let shape = Shape::new(size.ty, size.lanes.into()).expect("at most 128 bits");
                let (sass, ptx) = (format!("RED.E.{op}.{}", size.name), ptx(operation, size.ty.word()));
                let examples = Operation::new(operation, shape, Subnormals::Preserved, AccessedSpace::Global)
                    .expect("it has a meaning");
                for example in interesting::examples(examples) {
                    let values = format!("global\t{:x}\t{:x}\t-", example.memory.bits(), example.b.bits());
                    let (ours, theirs) = (answer(format!("{sass}\t{values}")), answer(format!("{ptx}\t{values}")));
                    assert!(!ours.starts_with("error"), "{sass}: {ours}");
                    if theirs.starts_with("error") {
                        // PTX has minima of f16x2 in vectors alone.
                        let vector = ptx.replace(".f16x2", ".v2.f16x2");
                        let theirs = answer(format!("{vector}\t{values}"));
                        let low = theirs.split('\t').next().map(|text| &text[8..]);
                        assert_eq!(ours.split('\t').next(), low, "{sass} and {vector} of {values}: {theirs}");
                        alone.push(sass.clone());
                        continue;
                    }
                    assert_eq!(ours, theirs, "{sass} and {ptx} of {values}");
                    compared += 1;
                }
            }
        }
    }
    alone.dedup();
    assert_eq!(alone, ["RED.E.MIN.F16x2.RN", "RED.E.MAX.F16x2.RN"]);
    assert!(compared > 70, "{compared}");
}

/// What a word of a recording is, if it is an atomic that has rows: the mnemonic, the modifiers.
fn atomic(word: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = word.split('.');
    let mnemonic = words.next()?;
    let modifiers: Vec<&str> = words.collect();
    (families().iter().any(|family| family.name == mnemonic) && !modifiers.is_empty()).then_some((mnemonic, modifiers))
}

#[test]
fn every_row_of_today_is_what_the_assembler_makes_of_some_form() {
    // Made of what is no form of atom, red or multimem: barriers in shared memory, and counters of votes.
    const OTHERS: [&str; 2] = ["ATOMS.POPC.INC.32", "ATOMS.ARRIVE.64"];
    let mut made = BTreeSet::new();
    for name in RECORDED {
        let text = support::gunzip(&support::evidence("lowering").join(format!("{name}.txt.gz")));
        for (mnemonic, modifiers) in text.lines().flat_map(|line| line.split(' ')).filter_map(atomic) {
            if let SassResolution::Legal(legal) = resolve(mnemonic, &modifiers, SassContext::default()) {
                let dot = if legal.size.name.is_empty() { "" } else { "." };
                made.insert(format!("{mnemonic}.{}{dot}{}", legal.op, legal.size.name));
            }
        }
    }
    for family in families().iter().filter(|family| family.dialect == SassDialect::Current) {
        for row in &family.rows {
            for (op, size) in row.ops.iter().flat_map(|op| row.sizes.iter().map(move |size| (op, size))) {
                let dot = if size.name.is_empty() { "" } else { "." };
                let name = format!("{}.{op}{dot}{}", family.name, size.name);
                assert!(made.contains(&name) || OTHERS.contains(&name.as_str()), "{name}");
            }
        }
    }
}

#[test]
fn every_listing_is_detected_by_its_contents() {
    let mut files = 0;
    for entry in std::fs::read_dir(support::evidence("disassembly")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "gz") {
            assert_eq!(Language::of_text(&support::gunzip(&path)), Some(Language::Sass), "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 30, "{files}");
}

#[test]
fn every_row_matches_its_recording() {
    for family in families() {
        for row in &family.rows {
            for op in &row.ops {
                for size in &row.sizes {
                    let e = if family.offset_bits == 20 || family.name == "ATOMS" { "" } else { "E." };
                    let scope = if family.scoped { ".STRONG.GPU" } else { "" };
                    let dot = if size.name.is_empty() { "" } else { "." };
                    let text = format!("{e}{op}{dot}{}{scope}", size.name);
                    let words: Vec<&str> = text.split('.').collect();
                    match resolve(
                        family.name,
                        &words,
                        SassContext { target: Some(row.since), ..SassContext::default() },
                    ) {
                        SassResolution::Legal(legal) => assert!(legal.op == *op && legal.size == *size, "{text}"),
                        other => panic!("{} {text}: {other:?}", family.name),
                    }
                }
            }
        }
    }
}

#[test]
fn an_edited_listing_gives_what_a_fresh_one_gives() {
    let text = std::fs::read_to_string(support::root().join("tests/fixtures/sass/red_maxwell.sass")).expect("UTF-8");
    let snippets = [
        "",
        ";",
        "[",
        "RED.ADD [R1], R2;\n",
        "\n",
        ".S64",
        "/*",
        "@",
        "desc[",
        "`(",
        "é",
        "\t.section\t.text.k,\"ax\"\n",
        "Function : k\n",
        ":",
        "/*0010*/",
        "|",
        "{",
        "code for sm_90\n",
        "// ptx-atomics: allow(illegal-type)\n",
        "REDG.E.ADD desc[UR4][R2.64]",
    ];
    let rounds = if support::full() { 400 } else { 40 };
    let mut rng = Rng::with_seed(7);
    for _ in 0..rounds {
        let mut edited = Text::parse(Language::Sass, &text);
        for _ in 0..10 {
            let length = edited.rope().len_bytes();
            let start = rng.usize(..=length);
            let end = (start + rng.usize(..4)).min(length);
            edited.edit_all([(start..end, snippets[rng.usize(..snippets.len())])]);
            let fresh = Text::parse(Language::Sass, &edited.rope().to_string());
            let (edited, fresh) = (edited.under(Settings::default()), fresh.under(Settings::default()));
            assert_eq!(edited.diagnostics(), fresh.diagnostics(), "{}", edited.rope());
            let at = rng.usize(..=length);
            assert_eq!(edited.hover(at), fresh.hover(at));
            assert_eq!(edited.definition(at), fresh.definition(at));
            assert_eq!(edited.references(at, ReferenceFilter::All), fresh.references(at, ReferenceFilter::All));
            assert_eq!(edited.complete(at), fresh.complete(at));
            assert_eq!(edited.semantic_tokens(None), fresh.semantic_tokens(None));
            assert_eq!(edited.document_symbols(), fresh.document_symbols());
            assert_eq!(edited.folding_ranges(), fresh.folding_ranges());
            assert!(edited.selection_ranges(at).last() == Some(&(0..edited.rope().len_bytes())));
        }
    }
}
