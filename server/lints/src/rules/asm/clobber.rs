//! `asm-clobber`: the compiler knows one clobber for devices, `"memory"`.

use diagnostics::registry::ASM_CLOBBER;
use diagnostics::{Diagnostic, Edit, remove};
use hosts::cpp::AsmFragment;

/// Checks what is said to be clobbered.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    for (at, clobber) in embedded.clobbers.iter().enumerate() {
        let Some(name) = clobber.name.as_deref().filter(|name| *name != "memory") else { continue };
        let message = match name {
            "cc" => "there are no condition codes on a device: nvcc refuses the clobber `\"cc\"`".to_owned(),
            name => format!("nvcc knows no register called `{name}` that could be clobbered"),
        };
        let help = "the only clobber is \"memory\"; registers of PTX are declared inside the statement, in `{ }`";
        let found = Diagnostic::new(&ASM_CLOBBER, clobber.range.clone(), message).help(help);
        findings.push(match removal(embedded, at) {
            Some((title, edit)) => found.unsafe_fix(title, [edit]),
            None => found,
        });
    }
}

/// Takes a clobber out of the list, with a comma, or the colon of a list that is then empty.
fn removal(embedded: &AsmFragment, at: usize) -> Option<(String, Edit)> {
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
    plain.then(|| (format!("Remove `{}`", &embedded.host[here.clone()]), remove(range)))
}
