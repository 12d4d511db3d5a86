//! Plain stores to memory that other threads update atomically, in functions in which nothing orders threads.

use analysis::effects::{AccessKind, FunctionEffects, MemoryEffect, SyncAccess, SyncProxy};
use analysis::values::{Provenance, Root, ThreadRole, ThreadRoles};
use diagnostics::Diagnostic;
use diagnostics::registry::RACING_ACCESS;
use isa::types::Sem;

/// The maximum number of stores and of atomics to compare with each other.
const MAX_ACCESSES: usize = 64;

/// Checks a function without fences, barriers, locks and flags.
pub(in crate::rules::order::racing_access) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if effects.effects().iter().any(|(_, effect)| may_order(effect)) {
        return;
    }
    let (updates, stores): (Vec<_>, Vec<_>) = effects
        .accesses()
        .filter(|(_, access)| access.kind == AccessKind::Update || is_plain_store(access))
        .filter_map(|(at, access)| Some((at, access, fixed_address(effects, at, access)?)))
        .partition(|(_, access, _)| access.kind == AccessKind::Update);
    if updates.is_empty() || stores.is_empty() || updates.len().max(stores.len()) > MAX_ACCESSES {
        return;
    }
    let Some(roles) = ThreadRoles::new(effects.flow) else { return };
    for (store, written, address) in &stores {
        let role = roles.of(*store);
        // A variable in shared memory is another one in each CTA.
        let is_shared = written.is_shared(Some(address));
        let excludes = |other: &ThreadRole| match is_shared {
            true => other.is_other_thread_of_cta(&role),
            false => other.excludes(&role),
        };
        let races = |(update, _, updated): &&(usize, &SyncAccess, Provenance)| {
            updated.same(address) && excludes(&roles.of(*update))
        };
        let Some((update, ..)) = updates.iter().find(races) else { continue };
        let instruction = |at: usize| effects.flow.instruction(at).opcode.range();
        let message = "plain store to memory that another thread updates atomically";
        diagnostics.push(
            Diagnostic::new(&RACING_ACCESS, instruction(*store), message)
                .help("write `st.relaxed` with a scope or an atomic, or order the threads")
                .related(instruction(*update), "updated by another thread here"),
        );
    }
}

/// Whether an effect may order the accesses of different threads: all but plain accesses and relaxed ones.
fn may_order(effect: &MemoryEffect) -> bool {
    match effect {
        MemoryEffect::Access(access) => {
            access.asynchronous || !matches!(access.order, None | Some(Sem::Relaxed)) || access.volatile
        }
        MemoryEffect::WarpOperation => false,
        _ => true,
    }
}

fn is_plain_store(access: &SyncAccess) -> bool {
    access.kind == AccessKind::Write && access.order.is_none() && access.proxy == SyncProxy::Generic
}

/// The address of an access, if it is the same for all threads and known.
fn fixed_address(effects: &FunctionEffects, at: usize, access: &SyncAccess) -> Option<Provenance> {
    let address = effects.address(at, access.operand?)?;
    let is_fixed = address.offset().is_some() && matches!(address.root, Root::Variable(_) | Root::Parameter(..));
    is_fixed.then_some(address)
}
