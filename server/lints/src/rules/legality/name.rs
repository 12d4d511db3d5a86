//! Names of instructions whose words stand apart. That a name is unknown, the tables say.

use diagnostics::registry::UNKNOWN_INSTRUCTION;
use diagnostics::{Diagnostic, replace};
use isa::{Spelling, names};
use syntax::{Opcode, Token};

/// A blank or a comment within a name: the assembler reads a name only in one piece, though modifiers may stand apart.
pub(super) fn parted(opcode: &Opcode, token: &Token) -> Option<Diagnostic> {
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
            format!("`{name}` is one word, and something stands within it"),
        )
        .help("modifiers may stand apart, the words of a name may not")
        .fix(format!("Write `{name}`"), [replace(range, name)])
    })
}
