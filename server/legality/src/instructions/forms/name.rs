//! Instruction names that contain spaces or comments.

use diagnostics::registry::UNKNOWN_INSTRUCTION;
use diagnostics::{Diagnostic, replace};
use isa::{Spelling, names};
use syntax::{Opcode, Token};

/// Reports a space or comment in a name. The assembler accepts them only between modifiers.
pub(in crate::instructions::forms) fn split_name(opcode: &Opcode, token: &Token) -> Option<Diagnostic> {
    if !token.text.contains(|c: char| c.is_whitespace() || c == '/') {
        return None;
    }
    let words = opcode.words();
    let name = names::name(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words })?;
    let last = opcode.modifiers.get(..name.matches('.').count())?.last()?;
    let word = name.rsplit('.').next().unwrap_or(name);
    let range = opcode.range.start..last.range.start + word.len();
    (range.len() > name.len()).then(|| {
        Diagnostic::new(
            &UNKNOWN_INSTRUCTION,
            range.clone(),
            format!("unexpected space or comment in instruction name `{name}`"),
        )
        .help("write the name without spaces; only other modifiers may be separated")
        .fix(format!("Replace with `{name}`"), [replace(range, name)])
    })
}
