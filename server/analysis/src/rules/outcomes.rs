//! Litmus tests in comments: what they forbid and the memory model allows, and the other way round.
//!
//! Errors, as false evaluations are: whoever writes an expectation wants a build to stop when it does not hold.

use crate::diagnostics::registry::{OUTCOME_ALLOWED, OUTCOME_FORBIDDEN, OUTCOME_UNDECIDED};
use crate::diagnostics::{Diagnostic, Edit};
use crate::litmus::{Decision, Expected, decisions};
use isa::Module;
use syntax::SourceFile;

/// Decides every litmus test in the comments of a module.
pub(crate) fn check(file: &SourceFile, module: &Module, findings: &mut Vec<Diagnostic>) {
    for decision in decisions(file, module) {
        findings.push(match decision {
            Decision::Wrong { range, expected, message, help, events, repair } => {
                let rule = if expected == Expected::Forbidden { &OUTCOME_ALLOWED } else { &OUTCOME_FORBIDDEN };
                let found = Diagnostic::new(rule, range, message).help(help);
                let found = events.into_iter().fold(found, |found, (range, message)| found.related(range, message));
                repair.into_iter().fold(found, |found, repair| {
                    found.fix(repair.title, repair.edits.into_iter().map(|(range, text)| Edit { range, text }))
                })
            }
            Decision::Undecided(mistake) => {
                Diagnostic::new(&OUTCOME_UNDECIDED, mistake.range, mistake.message).help(mistake.help)
            }
        });
    }
}
