//! `unordered-lock`: spin locks without acquire and release ordering.

use analysis::values::control::spin_lock;
use analysis::values::{DecodedInstruction, FunctionValues, Provenance, SingleCta, SpinLock};
use diagnostics::Diagnostic;
use diagnostics::registry::UNORDERED_LOCK;
use isa::types::{Scope, Sem, Space};

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 100_000;

/// Checks every loop that waits for a lock.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    let mut budget = STEP_BUDGET;
    let single_cta = SingleCta::new(flow);
    let locks: Vec<_> = spin_lock::spin_locks(flow).collect();
    let provenance = |lock: &SpinLock| Some((flow.address_provenance(flow.instruction(lock.at))?, lock.free));
    let known: Vec<_> = locks.iter().filter_map(provenance).collect();
    for spin_lock in &locks {
        let instruction = flow.instruction(spin_lock.at);
        let Some(legal) = &instruction.atomic else { continue };
        let is_shared = legal.space.value == Space::SharedCta;
        let scope = legal.scope.map_or(Scope::Gpu, |scope| scope.value);
        // In one CTA, a narrow fence is enough.
        let is_wide = !is_shared && scope > Scope::Cta && !single_cta.executes(spin_lock.at);
        let fences = Fences { flow, scope: if is_wide { Scope::Cluster } else { Scope::Cta }, locks: &known };
        lock(&fences, spin_lock, instruction, legal, diagnostics);
        unlock(&fences, spin_lock, instruction, &mut budget, diagnostics);
    }
}

/// The fences that order the accesses to what a lock guards.
struct Fences<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    /// The narrowest scope that is wide enough.
    scope: Scope,
    /// The locks of the function, with their values when they are free: the release of another one is no access to what one guards.
    locks: &'f [(Provenance, i64)],
}

fn lock(
    fences: &Fences,
    spin_lock: &SpinLock,
    instruction: &DecodedInstruction,
    legal: &isa::ResolvedInstruction,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (flow, atomic_loop) = (fences.flow, &spin_lock.atomic_loop);
    let ordered = legal.sem.is_some_and(|sem| matches!(sem.value, Sem::Acquire | Sem::AcqRel));
    let inside = atomic_loop.top..=atomic_loop.branch;
    let barrier = |next: usize| fences.contains(next) || inside.contains(&next);
    let access = |next: usize| is_access(flow, next);
    // The lock is held after the loop, or after a branch out of it.
    let used = flow.find_reachable(atomic_loop.branch, &mut 2_000, access, barrier);
    if ordered || used.is_none() {
        return;
    }
    let word = legal.at("sem").map_or(instruction.opcode.mnemonic_range(), |sem| instruction.opcode.at(Some(sem)));
    diagnostics.push(
        Diagnostic::new(
            &UNORDERED_LOCK,
            word,
            "lock acquired without acquire ordering: guarded data may be read before the lock is held",
        )
        .help("write `.acquire`, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) after the loop"),
    );
}

/// Checks the first store that releases the lock.
fn unlock(
    fences: &Fences,
    spin_lock: &SpinLock,
    acquisition: &DecodedInstruction,
    budget: &mut usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let flow = fences.flow;
    let Some(provenance) = flow.address_provenance(acquisition) else { return };
    for at in spin_lock.atomic_loop.branch + 1..flow.len() {
        *budget = budget.saturating_sub(1);
        // A broken statement may release the lock.
        if *budget == 0 || flow.is_broken(at) {
            return;
        }
        if !spin_lock::is_unlock(flow, at, &provenance, spin_lock.free) {
            continue;
        }
        let instruction = flow.instruction(at);
        if instruction.has("release") || instruction.has("acq_rel") {
            return;
        }
        let Some(access) = fences.unordered_access(at) else { return };
        if is_used_after(flow, access, at) {
            return;
        }
        return diagnostics.push(
            Diagnostic::new(
                &UNORDERED_LOCK,
                instruction.opcode.range(),
                "lock released without release ordering: guarded data may be written after the release",
            )
            .help("write `.release` with a scope, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) before it"),
        );
    }
}

impl Fences<'_, '_> {
    /// The last access before an instruction in straight-line code, if no fence comes between.
    fn unordered_access(&self, at: usize) -> Option<usize> {
        let mut at = at;
        while let Some(before) = self.flow.fallthrough_predecessor(at) {
            if self.contains(before) {
                return None;
            }
            if is_access(self.flow, before) && !self.releases_a_lock(before) {
                return Some(before);
            }
            at = before;
        }
        None
    }

    fn releases_a_lock(&self, at: usize) -> bool {
        self.locks.iter().any(|(provenance, free)| spin_lock::is_unlock(self.flow, at, provenance, *free))
    }

    /// Whether an instruction is a fence with a scope that is wide enough, or a barrier.
    fn contains(&self, at: usize) -> bool {
        let is_narrow = self.scope > Scope::Cta && self.flow.has(at, "cta");
        match self.flow.mnemonic(at) {
            "fence" | "membar" => !is_narrow,
            "bar" | "barrier" | "call" => true,
            _ => false,
        }
    }
}

/// Whether the thread accesses the same memory again after it releases the lock, so that other threads do not.
fn is_used_after(flow: &FunctionValues, access: usize, release: usize) -> bool {
    let Some(address) = flow.address_provenance(flow.instruction(access)) else { return false };
    std::iter::successors(flow.fallthrough(release), |at| flow.fallthrough(*at)).any(|at| {
        is_access(flow, at) && flow.address_provenance(flow.instruction(at)).is_some_and(|found| found.same(&address))
    })
}

fn is_access(flow: &FunctionValues, at: usize) -> bool {
    let mnemonic = matches!(flow.mnemonic(at), "ld" | "st" | "red" | "atom");
    mnemonic && !flow.has(at, "param") && !flow.has(at, "local") && !flow.has(at, "const")
}
