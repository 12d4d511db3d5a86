//! `.address_size`: a size that exists, in a version that has the directive.

use super::rule;
use crate::module::Context;
use crate::{Edit, Finding, Fix, Related};
use isa::target::Version;
use syntax::{Token, integer};

/// The first version that has the directive: `ptxas` 13.5 refuses it at 2.2, in a module without instructions too.
const SINCE: Version = Version::new(2, 3);

/// Checks the directive, where there is one.
pub(crate) fn check(context: &Context, findings: &mut Vec<Finding>) {
    let Some(size) = &context.header.address_size else { return };
    if let (Some(version), Some(number)) = (&context.header.version, context.module.version)
        && number < SINCE
    {
        let message = format!("`.address_size` needs PTX {SINCE}; the module says {number}");
        let related = Related { range: version.range.clone(), message: "the module's version".to_owned() };
        let edits = vec![Edit { range: version.range.clone(), text: SINCE.to_string() }];
        let fixes = vec![Fix { title: format!("Raise `.version` to {SINCE}"), edits }];
        let help = format!("raise `.version` to {SINCE}, or leave the directive out");
        findings.push(Finding {
            help,
            related: vec![related],
            fixes,
            ..finding("requires-ptx-version", size, message)
        });
    } else if !matches!(integer(&size.text), Some(32 | 64)) {
        let message = format!("addresses have 32 or 64 bits, not `{}`", size.text);
        let edits = vec![Edit { range: size.range.clone(), text: "64".to_owned() }];
        let fixes = vec![Fix { title: "Write 64".to_owned(), edits }];
        findings.push(Finding { help: "write 64".to_owned(), fixes, ..finding("illegal-address-size", size, message) });
    }
}

fn finding(code: &str, at: &Token, message: String) -> Finding {
    let rule = rule(code).expect("the rule is registered");
    Finding {
        code: rule.code,
        severity: rule.severity,
        range: at.range.clone(),
        message,
        help: String::new(),
        related: Vec::new(),
        fixes: Vec::new(),
    }
}
