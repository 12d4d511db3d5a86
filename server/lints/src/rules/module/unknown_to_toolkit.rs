//! `unknown-to-toolkit`: versions that the configured toolkit does not support.

use diagnostics::Context;
use diagnostics::registry::UNKNOWN_TO_TOOLKIT;
use diagnostics::{Diagnostic, replace};

/// Checks the version of the module.
pub(crate) fn check(context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let (Some((toolkit, newest)), Some(version), Some(range)) =
        (&context.toolkit, context.module.version, &context.version_at)
    else {
        return;
    };
    if version <= *newest || !version.is_known() {
        return;
    }
    let message = format!("PTX {version} is not supported by CUDA {toolkit}, which supports PTX up to {newest}");
    diagnostics.push(
        Diagnostic::new(&UNKNOWN_TO_TOOLKIT, range.clone(), message)
            .help(format!("write {newest} if the module requires nothing newer, or use a newer toolkit"))
            .fix(format!("Replace with `{newest}`"), [replace(range.clone(), newest.to_string())]),
    );
}
