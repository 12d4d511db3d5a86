//! `asm-clobber`: clobbers other than `"memory"`, the only one that nvcc supports in device code.

use diagnostics::registry::ASM_CLOBBER;
use diagnostics::{Diagnostic, Edit, remove};
use hosts::inline_asm::AsmFragment;

/// Checks the clobbers.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    for (at, clobber) in fragment.clobbers.iter().enumerate() {
        let Some(name) = clobber.name.as_deref().filter(|name| *name != "memory") else { continue };
        let message = match name {
            "cc" => "unsupported clobber `\"cc\"` in device code".to_owned(),
            name => format!("unsupported clobber `\"{name}\"` in device code"),
        };
        let help = "remove it: nvcc supports only \"memory\"; declare PTX registers inside the template, in `{ }`";
        let found = Diagnostic::new(&ASM_CLOBBER, clobber.range.clone(), message).help(help);
        diagnostics.push(match removal(fragment, at) {
            Some((title, edit)) => found.unsafe_fix(title, [edit]),
            None => found,
        });
    }
}

/// Removes a clobber from the list, with its comma, or with the colon of a list that becomes empty.
fn removal(fragment: &AsmFragment, at: usize) -> Option<(String, Edit)> {
    let clobbers = &fragment.clobbers;
    let here = &clobbers[at].range;
    let range = match (at.checked_sub(1), clobbers.get(at + 1)) {
        (Some(before), _) => clobbers[before].range.end..here.end,
        (None, Some(after)) => here.start..after.range.start,
        (None, None) => {
            fragment.statement.colons.get(2).filter(|colon| **colon < here.start).map(|colon| *colon..here.end)?
        }
    };
    let plain = fragment.host[range.clone()].chars().all(|c| !matches!(c, '#' | '/' | '\\'));
    plain.then(|| (format!("Remove `{}`", &fragment.host[here.clone()]), remove(range)))
}
