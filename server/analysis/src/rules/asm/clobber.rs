//! `asm-clobber`: the compiler knows one clobber for devices, `"memory"`.

use super::finding;
use crate::cuda::Embedded;
use crate::{Edit, Finding, Fix};

/// Checks what is said to be clobbered.
pub(super) fn check(embedded: &Embedded, findings: &mut Vec<Finding>) {
    for (at, clobber) in embedded.clobbers.iter().enumerate() {
        let Some(name) = clobber.name.as_deref().filter(|name| *name != "memory") else { continue };
        let message = match name {
            "cc" => "there are no condition codes on a device: nvcc refuses the clobber `\"cc\"`".to_owned(),
            name => format!("nvcc knows no register called `{name}` that could be clobbered"),
        };
        let help = "the only clobber is \"memory\"; registers of PTX are declared inside the statement, in `{ }`";
        let mut found = finding("asm-clobber", &clobber.range, message, help);
        found.fixes.extend(removal(embedded, at));
        findings.push(found);
    }
}

/// Takes a clobber out of the list, with a comma, or the colon of a list that is then empty.
fn removal(embedded: &Embedded, at: usize) -> Option<Fix> {
    let clobbers = &embedded.clobbers;
    let here = &clobbers[at].range;
    let range = match (at.checked_sub(1), clobbers.get(at + 1)) {
        (Some(before), _) => clobbers[before].range.end..here.end,
        (None, Some(after)) => here.start..after.range.start,
        (None, None) => {
            embedded.statement.colons.get(2).filter(|colon| **colon < here.start).map(|colon| *colon..here.end)?
        }
    };
    let plain = embedded.host[range.clone()].chars().all(|c| !matches!(c, '#' | '/' | '\\'));
    let edits = vec![Edit { range, text: String::new() }];
    plain.then(|| Fix { title: format!("Remove `{}`", &embedded.host[here.clone()]), edits })
}
