//! `illegal-address-size`, and `.address_size` in a version without the directive.

use diagnostics::registry::{ILLEGAL_ADDRESS_SIZE, REQUIRES_PTX_VERSION};
use diagnostics::{Cause, Context, Diagnostic, SettingOrigins, replace};
use isa::Requires;
use isa::target::Version;
use syntax::Number;

/// The first version with the directive: `ptxas` 13.5 rejects it in 2.2, even in a module without instructions.
const SINCE: Version = Version::new(2, 3);

/// Checks the directive, if there is one. Measured: `WARP_SZ` is 32 here too.
pub(crate) fn check(context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let Some(size) = &context.header.address_size else { return };
    if let Some(number) = context.module.version.filter(|_| context.header.version.is_some())
        && number < SINCE
    {
        let requires = Requires::newer_version("`.address_size`".to_owned(), SINCE, number);
        let help = "remove the directive".to_owned();
        let cause = Cause::Requires { requires, sources: context.sources(), origins: SettingOrigins::default(), help };
        let mut found = Diagnostic::because(&REQUIRES_PTX_VERSION, size.range.clone(), cause);
        if let Some(version) = &context.version_at {
            let edit = replace(version.clone(), SINCE.to_string());
            found = found
                .related(version.clone(), "module version")
                .unsafe_fix(format!("Raise `.version` to {SINCE}"), [edit]);
        }
        diagnostics.push(found);
    } else if size.text != "WARP_SZ" && !matches!(Number::integer(&size.text), Some(32 | 64)) {
        let message = format!("invalid address size `{}`", size.text);
        let edit = replace(size.range.clone(), "64");
        diagnostics.push(
            Diagnostic::new(&ILLEGAL_ADDRESS_SIZE, size.range.clone(), message)
                .help("expected 32 or 64; write 64")
                .fix("Replace with `64`", [edit]),
        );
    }
}
