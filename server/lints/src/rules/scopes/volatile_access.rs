//! `volatile-access`: `.volatile` instead of `.relaxed`.

use diagnostics::Context;
use diagnostics::registry::VOLATILE_ACCESS;
use diagnostics::{Diagnostic, replace};
use syntax::Opcode;

/// The diagnostic for a `.volatile` load or store.
pub(crate) fn check(opcode: &Opcode, context: &Context) -> Option<Diagnostic> {
    let at = opcode.modifiers.iter().position(|word| word.text == "volatile")?;
    let mut words = opcode.words();
    words[at] = "relaxed";
    words.insert(at + 1, "sys");
    let legal = isa::is_legal(&isa::Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, &context.module);
    let report = Diagnostic::new(
        &VOLATILE_ACCESS,
        opcode.at(Some(at)),
        "`.volatile` is deprecated for accesses that are shared between threads",
    )
    .help("write `.relaxed` with the scope of those threads; `.volatile` is equivalent to `.relaxed.sys`, the slowest")
    .fix("Replace with `.relaxed.sys`", [replace(opcode.at(Some(at)), ".relaxed.sys")]);
    (legal == Some(true)).then_some(report)
}
