//! Litmus tests in comments: what they forbid and the memory model allows, and the other way round.
//!
//! Errors, as false evaluations are: whoever writes an expectation wants a build to stop when it does not hold.

use super::rule;
use crate::litmus::{Decision, Expected, decisions};
use crate::{Edit, Finding, Fix, Related};
use isa::Module;
use syntax::SourceFile;

/// Decides every litmus test in the comments of a module.
pub(crate) fn check(file: &SourceFile, module: &Module, findings: &mut Vec<Finding>) {
    for decision in decisions(file, module) {
        let mut fixes = Vec::new();
        let (code, range, message, help, related) = match decision {
            Decision::Wrong { range, expected, message, help, events, repair } => {
                fixes.extend(repair.map(|repair| {
                    let edits = repair.edits.into_iter().map(|(range, text)| Edit { range, text }).collect();
                    Fix { title: repair.title, edits }
                }));
                let code = if expected == Expected::Forbidden { "outcome-allowed" } else { "outcome-forbidden" };
                let related = events.into_iter().map(|(range, message)| Related { range, message }).collect();
                (code, range, message, help, related)
            }
            Decision::Undecided(mistake) => {
                ("outcome-undecided", mistake.range, mistake.message, mistake.help, Vec::new())
            }
        };
        let Some(rule) = rule(code) else { continue };
        findings.push(Finding { code: rule.code, severity: rule.severity, range, message, help, related, fixes });
    }
}
