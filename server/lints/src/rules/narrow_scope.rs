//! `.cta` scope on memory that other CTAs reach.

use crate::flow::{Flow, FlowStep, Root};
use diagnostics::registry::NARROW_SCOPE;
use diagnostics::{Diagnostic, replace};
use isa::types::{Scope, Space};

/// Looks at every atomic of `.cta` scope on an address that is the same in all CTAs.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        if !legal.scope.is_some_and(|scope| scope.value == Scope::Cta && scope.at.is_some()) {
            continue;
        }
        match legal.space.value {
            Space::SharedCluster => findings.push(cluster(step)),
            Space::SharedCta => {}
            Space::Global | Space::Generic => {
                let Some(place) = flow.address(step).filter(|place| flow.is_common(place)) else { continue };
                if let Root::Variable(at) | Root::Parameter(at, _) = place.root {
                    findings.push(report(step, flow.declaration(at)));
                }
            }
        }
    }
}

fn cluster(step: &FlowStep) -> Diagnostic {
    let message = "other CTAs of the cluster reach this memory, but with `.cta` this is atomic only towards threads of the same one";
    Diagnostic::new(&NARROW_SCOPE, step.word("scope"), message)
        .help("write `.cluster`; for the CTA's own memory write `.shared::cta`")
        .fix("Write `.cluster`", [replace(step.word("scope"), ".cluster")])
}

fn report(step: &FlowStep, name: &syntax::Declaration) -> Diagnostic {
    let what = match &*name.space.text {
        ".param" => format!("what `{}` points to", name.name.text),
        _ => format!("`{}`", name.name.text),
    };
    let message = format!("all CTAs reach {what}, but with `.cta` this is atomic only towards threads of the same one");
    Diagnostic::new(&NARROW_SCOPE, step.word("scope"), message)
        .help("write `.gpu`; `.cta` is for memory that one CTA keeps to itself")
        .declared(Some(name))
        .fix("Write `.gpu`", [replace(step.word("scope"), ".gpu")])
}
