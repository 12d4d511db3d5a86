//! `illegal-address-size`, and `.address_size` in a version without the directive.

use diagnostics::Context;
use diagnostics::registry::{ILLEGAL_ADDRESS_SIZE, REQUIRES_PTX_VERSION};
use diagnostics::{Cause, Diagnostic, replace};
use isa::target::Version;
use isa::{Module, Requires, Since};
use syntax::Number;

/// The first version with the directive: `ptxas` 13.5 rejects it in 2.2, even in a module without instructions.
const SINCE: Version = Version::new(2, 3);

/// Checks the directive, if there is one.
pub(crate) fn check(context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let Some(size) = &context.header.address_size else { return };
    if let (Some(version), Some(number)) = (&context.header.version, context.module.version)
        && number < SINCE
    {
        let needed = Since { version: SINCE, ..Since::ALWAYS };
        let have = Module { version: Some(number), target: None };
        let requires = Requires { what: "`.address_size`".to_owned(), needed, have };
        let help = format!("raise `.version` to {SINCE}, or remove the directive");
        let cause = Cause::Requires { requires, source: context.version_source(), origin: None, help };
        diagnostics.push(
            Diagnostic::because(&REQUIRES_PTX_VERSION, size.range.clone(), cause)
                .related(version.range.clone(), "module version")
                .unsafe_fix(
                    format!("Raise `.version` to {SINCE}"),
                    [replace(version.range.clone(), SINCE.to_string())],
                ),
        );
    } else if !matches!(Number::integer(&size.text), Some(32 | 64)) {
        let message = format!("invalid address size `{}`", size.text);
        let edit = replace(size.range.clone(), "64");
        diagnostics.push(
            Diagnostic::new(&ILLEGAL_ADDRESS_SIZE, size.range.clone(), message)
                .help("expected 32 or 64; write 64")
                .fix("Replace with `64`", [edit]),
        );
    }
}
