//! `narrow-scope`: `.cta` scope on memory that other CTAs can access.

use analysis::values::{DecodedInstruction, FunctionValues, Provenance, Root, SingleCta};
use diagnostics::registry::NARROW_SCOPE;
use diagnostics::{Diagnostic, replace};
use isa::types::{Scope, Space};
use syntax::readable;

/// Checks every atomic with `.cta` scope on an address that is the same in all CTAs.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    let single_cta = SingleCta::new(flow);
    for (at, instruction, legal) in flow.atomics() {
        if !legal.scope.is_some_and(|scope| scope.value == Scope::Cta && scope.at.is_some()) {
            continue;
        }
        match legal.space.value {
            Space::SharedCluster => diagnostics.push(cluster(instruction)),
            Space::SharedCta => {}
            Space::Global | Space::Generic => {
                let Some(provenance) =
                    flow.address_provenance(instruction).filter(|provenance| flow.is_same_in_all_ctas(provenance))
                else {
                    continue;
                };
                if is_published(flow, at, &provenance) || single_cta.executes(at) {
                    continue;
                }
                if let Root::Variable(at) | Root::Parameter(at, _) = provenance.root {
                    diagnostics.push(report(instruction, flow.declaration(at)));
                }
            }
        }
    }
}

/// Whether a fence and a signal with a wider scope follow, by which the thread passes the memory on.
fn is_published(flow: &FunctionValues, at: usize, address: &Provenance) -> bool {
    let mut after = std::iter::successors(flow.fallthrough(at), |next| flow.fallthrough(*next))
        .filter(|next| !flow.fills_registers(*next) || flow.mnemonic(*next) == "atom");
    let is_fence = after.next().is_some_and(|next| matches!(flow.mnemonic(next), "fence" | "membar"));
    is_fence
        && after.next().is_some_and(|next| {
            let signal = flow.instruction(next);
            let is_wider =
                signal.atomic.as_ref().is_some_and(|legal| legal.scope.is_none_or(|scope| scope.value > Scope::Cta));
            is_wider && !flow.address_provenance(signal).is_some_and(|signal| signal.same(address))
        })
}

fn cluster(instruction: &DecodedInstruction) -> Diagnostic {
    let message = "`.cta` scope on cluster shared memory: atomic only within the CTA";
    Diagnostic::new(&NARROW_SCOPE, instruction.word("scope"), message)
        .help("write `.cluster`, or `.shared::cta` for the memory of this CTA")
        .fix("Replace with `.cluster`", [replace(instruction.word("scope"), ".cluster")])
}

fn report(instruction: &DecodedInstruction, name: &syntax::Declaration) -> Diagnostic {
    let what = match &*name.space.text {
        ".param" => format!("memory that `{}` points to", readable(&name.name.text)),
        _ => format!("`{}`", readable(&name.name.text)),
    };
    let message = format!("`.cta` scope on {what}, which other CTAs can access: atomic only within the CTA");
    Diagnostic::new(&NARROW_SCOPE, instruction.word("scope"), message)
        .help("write `.gpu`; use `.cta` only for memory that a single CTA accesses")
        .declared(Some(name))
        .fix("Replace with `.gpu`", [replace(instruction.word("scope"), ".gpu")])
}
