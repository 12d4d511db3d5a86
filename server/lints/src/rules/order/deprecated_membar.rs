//! `deprecated-membar`: `membar` instead of `fence.sc`.

use diagnostics::Context;
use diagnostics::registry::DEPRECATED_MEMBAR;
use diagnostics::{Diagnostic, replace};
use syntax::Opcode;

/// The diagnostic for a `membar`.
pub(crate) fn check(opcode: &Opcode, context: &Context) -> Option<Diagnostic> {
    let scope = match opcode.words().as_slice() {
        ["cta"] => "cta",
        ["gl"] => "gpu",
        ["sys"] => "sys",
        _ => return None,
    };
    let instead = format!("fence.sc.{scope}");
    let legal = isa::is_legal(&isa::Spelling { mnemonic: "fence", modifiers: &["sc", scope] }, &context.module);
    let report = Diagnostic::new(&DEPRECATED_MEMBAR, opcode.range.clone(), "`membar` is deprecated")
        .help(format!("write the equivalent `{instead}`; often `fence.acq_rel.{scope}` is sufficient, and cheaper"))
        .fix(format!("Replace with `{instead}`"), [replace(opcode.range.clone(), instead)]);
    (legal == Some(true)).then_some(report)
}
