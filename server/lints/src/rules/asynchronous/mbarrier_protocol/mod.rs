//! `mbarrier-protocol`: mbarriers whose initialization, arrivals, bytes, phases and waits do not fit together.

mod bytes;
mod count;
mod lifetime;
mod parity;
mod publication;
mod result;

use analysis::effects::{FunctionEffects, MbarrierOperation, MemoryEffect, Trigger, is_diagnostic_call};
use analysis::values::{Provenance, Root};
use diagnostics::Diagnostic;

/// The maximum number of operations on mbarriers in a function, which are compared with one another.
const MAX_USES: usize = 2_000;

/// Checks every mbarrier of a function.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let is_known = !effects.triggers.has(Trigger::ILLEGAL) && !effects.flow.has_broken_statement();
    if !effects.triggers.has(Trigger::ASYNC) || !is_known {
        return;
    }
    let uses = MbarrierUses::new(effects);
    if uses.uses.is_empty() || uses.uses.len() > MAX_USES {
        return;
    }
    result::check(&uses, diagnostics);
    bytes::check(&uses, diagnostics);
    parity::check(&uses, diagnostics);
    if effects.flow.is_entry() && !uses.has_calls {
        lifetime::check(&uses, diagnostics);
        count::check(&uses, diagnostics);
        publication::check(&uses, diagnostics);
    }
}

/// The operations on mbarriers in a function, in order.
struct MbarrierUses<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    uses: Vec<MbarrierUse>,
    /// Whether it calls functions that may operate on its mbarriers.
    has_calls: bool,
}

/// An operation on an mbarrier.
struct MbarrierUse {
    at: usize,
    operation: MbarrierOperation,
    address: Option<Provenance>,
}

impl<'d, 'f, 'a> MbarrierUses<'d, 'f, 'a> {
    fn new(effects: &'d FunctionEffects<'f, 'a>) -> Self {
        let uses = effects.effects().iter().filter_map(|(at, effect)| match effect {
            MemoryEffect::Mbarrier(operation, operand) => {
                Some(MbarrierUse { at: *at, operation: *operation, address: effects.address(*at, *operand) })
            }
            _ => None,
        });
        let is_call =
            |at: usize, effect: &MemoryEffect| *effect == MemoryEffect::Unknown && !is_diagnostic_call(effects, at);
        let has_calls = effects.effects().iter().any(|(at, effect)| is_call(*at, effect));
        MbarrierUses { effects, uses: uses.collect(), has_calls }
    }
}

impl MbarrierUse {
    /// The variable and the offset, if the mbarrier is always the same.
    fn fixed(&self) -> Option<(usize, i64)> {
        let address = self.address.as_ref()?;
        match address.root {
            Root::Variable(variable) => Some((variable, address.offset()?)),
            Root::Parameter(..) | Root::Zero | Root::Value(_) => None,
        }
    }

    /// Whether it is certainly the same mbarrier as that of another operation.
    fn is_same(&self, other: &MbarrierUse) -> bool {
        self.address.zip(other.address).is_some_and(|(one, other)| one.same(&other))
    }

    /// Whether it is certainly another mbarrier.
    fn is_distinct(&self, other: &MbarrierUse) -> bool {
        match (self.fixed(), other.fixed()) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        }
    }
}
