//! `.address_size`: a size that exists, in a version that has the directive.

use diagnostics::Context;
use diagnostics::registry::{ILLEGAL_ADDRESS_SIZE, REQUIRES_PTX_VERSION};
use diagnostics::{Cause, Diagnostic, replace};
use isa::target::Version;
use isa::{Module, Requires, Since};
use syntax::Number;

/// The first version that has the directive: `ptxas` 13.5 refuses it at 2.2, in a module without instructions too.
const SINCE: Version = Version::new(2, 3);

/// Checks the directive, where there is one.
pub(crate) fn check(context: &Context, findings: &mut Vec<Diagnostic>) {
    let Some(size) = &context.header.address_size else { return };
    if let (Some(version), Some(number)) = (&context.header.version, context.module.version)
        && number < SINCE
    {
        let needed = Since { version: SINCE, ..Since::ALWAYS };
        let have = Module { version: Some(number), target: None };
        let requires = Requires { what: "`.address_size`".to_owned(), needed, have };
        let help = format!("raise `.version` to {SINCE}, or leave the directive out");
        let cause = Cause::Requires { requires, source: context.version_source(), help };
        findings.push(
            Diagnostic::because(&REQUIRES_PTX_VERSION, size.range.clone(), cause)
                .related(version.range.clone(), "the module's version")
                .unsafe_fix(
                    format!("Raise `.version` to {SINCE}"),
                    [replace(version.range.clone(), SINCE.to_string())],
                ),
        );
    } else if !matches!(Number::integer(&size.text), Some(32 | 64)) {
        let message = format!("addresses have 32 or 64 bits, not `{}`", size.text);
        let edit = replace(size.range.clone(), "64");
        findings.push(
            Diagnostic::new(&ILLEGAL_ADDRESS_SIZE, size.range.clone(), message)
                .help("write 64")
                .fix("Write 64", [edit]),
        );
    }
}
