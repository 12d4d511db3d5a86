//! The atomics of a range, for all that is shown beside them or done with them.

use diagnostics::Context;
use diagnostics::Snapshot;
use isa::{Module, Resolution, ResolvedInstruction, Spelling};
use std::ops::Range;
use syntax::{Opcode, SourceFile, Token, instructions};

/// The instructions that a range touches and whose mnemonic may have rows, with their opcodes, in order. Cheaper than to resolve each.
pub(crate) fn with_rows<'f>(
    file: &'f SourceFile,
    within: Range<usize>,
    mut see: impl FnMut(syntax::Instruction<'f>, Token<'f>),
) {
    let mnemonics: Vec<&str> = isa::mnemonics().collect();
    instructions(file, within, |instruction| {
        let opcode = instruction.opcode_token();
        if mnemonics.iter().any(|mnemonic| opcode.text.starts_with(mnemonic)) {
            see(instruction, opcode);
        }
    });
}

/// The legal atomics that a range touches, in order.
pub(crate) fn legal_atomics(
    snapshot: &Snapshot,
    within: Range<usize>,
    mut see: impl FnMut(&Opcode, &ResolvedInstruction, &Module),
) {
    let file = &snapshot.file;
    let within = file.clamp(within.start)..file.clamp(within.end.max(within.start));
    let module = Context::new(snapshot).module;
    with_rows(file, within, |_, token| {
        let opcode = Opcode::split(&token);
        let words = opcode.words();
        if let Resolution::Legal(instruction) =
            isa::resolve(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, &module)
            && instruction.family.is_atomic()
        {
            see(&opcode, &instruction, &module);
        }
    });
}

/// The place before a modifier, or behind the last.
pub(crate) fn gap(opcode: &Opcode, at: usize) -> usize {
    match at < opcode.modifiers.len() {
        true => opcode.at(Some(at)).start,
        false => opcode.range.end,
    }
}
