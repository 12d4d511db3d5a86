//! Alignments of addresses: hover says what the rows say, and `run` reports an address that is a multiple of half of it.

use crate::{run_in, scratch};
use isa::target::{Target, Version};
use isa::{Module, Resolution, Spelling, doc, resolve};
use std::fs;

/// Instructions, each with the operand whose offset is `@`.
const INSTRUCTIONS: &[(&str, &str)] = &[
    ("[a]", "ld.global.v4.u32 {r1, r2, r3, r4}, [g+@];"),
    ("[a]", "cp.async.cg.shared.global [s+@], [g], 16;"),
    ("[a]", "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+@], [g], 16, [s+512];"),
    ("[source]", "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g+@], 16, [s+512];"),
    ("[a]", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g+@], [s], 16;"),
    ("[a]", "cp.async.mbarrier.arrive.shared.b64 [s+@];"),
    ("[a]", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [s+@];"),
    ("[a]", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [s+@], {r1};"),
    ("[a]", "mbarrier.init.shared.b64 [s+@], 1;"),
    ("[a]", "mbarrier.arrive.shared.b64 _, [s+@];"),
    ("[a]", "st.bulk.weak.shared::cta [g+@], 8, 0;"),
    ("[a]", "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s+@], [s+512];"),
    ("[mbar]", "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [s+@];"),
    ("[a]", "tensormap.replace.tile.rank.global.b1024.b32 [g+@], 1;"),
    ("[a]", "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [s+@];"),
    ("[a]", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s+@], 32;"),
];

/// The text of hover.
fn hover(instruction: &str) -> String {
    let opcode = instruction.split([' ', ';']).next().expect("an opcode");
    let words: Vec<&str> = opcode.split('.').collect();
    let spelling = Spelling { mnemonic: words[0], modifiers: &words[1..] };
    let module = Module { version: Version::parse("9.3"), target: Target::parse("sm_100a") };
    match resolve(&spelling, &module) {
        Resolution::Legal(legal) => doc::instruction(&spelling, &legal, &module),
        other => panic!("{instruction}: {other:?}"),
    }
}

#[test]
fn run_requires_the_alignments_that_hover_names() {
    let folder = scratch("alignments");
    for (operand, instruction) in INSTRUCTIONS {
        let text = hover(instruction);
        let phrase = format!("`{operand}` the address, aligned to ");
        let bytes = text.split(&phrase).nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        let bytes = bytes.unwrap_or_else(|| panic!("{instruction}: no alignment of {operand}:\n{text}"));
        let statement = instruction.replace('@', &(bytes / 2).to_string());
        let module = format!(
            ".version 9.3\n.target sm_100a\n.address_size 64\n.shared .align 128 .b8 memory[1024];\n\
             .visible .entry k(.param .u64 p)\n{{\n.reg .b64 g;\n.reg .b32 s, r<5>;\nld.param.u64 g, [p];\n\
             mov.b32 s, memory;\n{statement}\nret;\n}}\n"
        );
        fs::write(folder.join("k.ptx"), module).expect("a file");
        let found = run_in(&folder, &["run", "k.ptx", "--block", "32", "--arg", "p=u32[256]"], b"");
        let expected = format!("require a multiple of {bytes} ");
        assert!(
            found.stdout.contains(&expected) || found.stderr.contains(&expected),
            "{statement}: {bytes}\n{}",
            found.stdout
        );
    }
}

#[test]
fn hover_names_no_alignment_where_there_is_none() {
    for instruction in
        ["prefetch.global.L1 [a];", "createpolicy.range.L2::evict_last.b64 p, [a], 1, 1;", "ld.global.u8 a, [b];"]
    {
        let text = hover(instruction);
        assert!(!text.contains("aligned to"), "{instruction}:\n{text}");
    }
    assert!(hover("prefetch.tensormap [a];").contains("aligned to 64 bytes"));
    assert!(hover("cp.async.ca.shared.global [a], [b], 4;").contains("aligned to `size` bytes"));
}
