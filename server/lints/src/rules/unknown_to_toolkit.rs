//! A `.version` that the assembler of the configured toolkit does not know yet.

use diagnostics::Context;
use diagnostics::registry::UNKNOWN_TO_TOOLKIT;
use diagnostics::{Diagnostic, replace};

/// Looks at the module's version.
pub(super) fn check(context: &Context, findings: &mut Vec<Diagnostic>) {
    let (Some((toolkit, newest)), Some(version), Some(range)) =
        (&context.toolkit, context.module.version, &context.version_at)
    else {
        return;
    };
    if version <= *newest || !version.is_known() {
        return;
    }
    let message = format!("the assembler of CUDA {toolkit} knows PTX up to {newest}, and refuses {version}");
    findings.push(
        Diagnostic::new(&UNKNOWN_TO_TOOLKIT, range.clone(), message)
            .help(format!("write {newest}, if nothing in the module is newer, or take a newer toolkit"))
            .fix(format!("Write {newest}"), [replace(range.clone(), newest.to_string())]),
    );
}
