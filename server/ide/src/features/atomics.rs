//! The atomics of a range, for hints, lenses and code actions.

use diagnostics::Context;
use diagnostics::Snapshot;
use isa::{Module, Resolution, ResolvedInstruction, Spelling};
use std::ops::Range;
use syntax::{Opcode, SourceFile, Token, instructions};

/// The instructions in a range whose mnemonic may have rows, with their opcodes, in order. Cheaper than resolving each.
pub(crate) fn with_rows<'f>(
    file: &'f SourceFile,
    within: Range<usize>,
    mut visit: impl FnMut(syntax::Instruction<'f>, Token<'f>),
) {
    let mnemonics: Vec<&str> = isa::mnemonics().collect();
    instructions(file, within, |instruction| {
        let opcode = instruction.opcode_token();
        if mnemonics.iter().any(|mnemonic| opcode.text.starts_with(mnemonic)) {
            visit(instruction, opcode);
        }
    });
}

/// The legal atomics in a range, in order.
pub(crate) fn legal_atomics(
    snapshot: &Snapshot,
    within: Range<usize>,
    mut visit: impl FnMut(&Opcode, &ResolvedInstruction, &Module),
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
            visit(&opcode, &instruction, &module);
        }
    });
}

/// The offset before a modifier, or after the last.
pub(crate) fn insertion_offset(opcode: &Opcode, at: usize) -> usize {
    match at < opcode.modifiers.len() {
        true => opcode.at(Some(at)).start,
        false => opcode.range.end,
    }
}
