//! `early-access-before-griddepcontrol`: global memory accessed before `griddepcontrol.wait`.

use analysis::effects::{
    AccessKind, AddressSpace, ForwardAnalysis, FunctionEffects, MbarrierOperation, MemoryEffect, SyncAccess, Trigger,
};
use analysis::values::{PointedSpace, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::EARLY_ACCESS_BEFORE_GRIDDEPCONTROL;
use foldhash::HashSet;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 50_000;

/// Checks the accesses before every `griddepcontrol.wait`.
pub(crate) fn check(function: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !function.triggers.has(Trigger::GRID) {
        return;
    }
    let mut budget = STEP_BUDGET;
    let waits = WaitForGrid { effects: function, is_of_some_threads: is_of_some_threads(function, &mut budget) };
    let Some(states) = function.solve(&waits) else { return };
    let (mut early, mut late, mut reads_late) = (Vec::new(), HashSet::default(), false);
    states.visit(&waits, |at, may_be_early| {
        reads_late |= !may_be_early && may_read_otherwise(function.flow.mnemonic(at));
        for (_, effect) in function.effects_in(at..at + 1) {
            reads_late |= !may_be_early && may_read_global(function, at, effect);
            let MemoryEffect::Access(access) = effect else { continue };
            let Some(address) = global_address(function, at, access) else { continue };
            match may_be_early {
                true => early.push((at, access.kind, address.root)),
                false => _ = late.insert(address.root),
            }
        }
    });
    let mut reported = HashSet::default();
    for (at, kind, root) in early {
        // An atomic may count the CTAs of this kernel. A kernel that waits for its input reads some of it after the wait.
        let depends = match kind {
            AccessKind::Write => true,
            AccessKind::Read => late.contains(&root) || !reads_late,
            AccessKind::Update => late.contains(&root),
        };
        let waits = |next: usize| is_wait(function, next);
        if !depends || reported.contains(&root) {
            continue;
        }
        let Some(wait) = function.flow.find_reachable(at, &mut budget, waits, |_| false) else { continue };
        reported.insert(root);
        let flow = function.flow;
        let (verb, noun) = if kind == AccessKind::Read { ("read", "its output") } else { ("written", "what it uses") };
        diagnostics.push(
            Diagnostic::new(
                &EARLY_ACCESS_BEFORE_GRIDDEPCONTROL,
                flow.instruction(at).opcode.range(),
                format!("global memory {verb} before `griddepcontrol.wait`: the previous kernel may still run, and the memory may be {noun}"),
            )
            .help("move the access after `griddepcontrol.wait`, unless no previous kernel accesses the memory")
            .related(flow.instruction(wait).opcode.range(), "waits here"),
        );
    }
}

/// The analysis: whether the kernel may not have waited yet.
struct WaitForGrid<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    /// Whether some threads wait for the grid, and others for them.
    is_of_some_threads: bool,
}

impl ForwardAnalysis for WaitForGrid<'_, '_, '_> {
    type State = bool;

    fn entry(&self) -> bool {
        self.effects.flow.is_entry()
    }

    fn join(&self, state: &mut bool, other: &bool) -> bool {
        let changed = !*state && *other;
        *state |= *other;
        changed
    }

    fn transfer(&self, at: usize, state: &mut bool) {
        let effects = self.effects.effects_in(at..at + 1);
        let settles = |effect: &MemoryEffect| match effect {
            MemoryEffect::GridWait | MemoryEffect::Unknown => true,
            MemoryEffect::Mbarrier(MbarrierOperation::Test(..) | MbarrierOperation::Try(..), _) => {
                self.is_of_some_threads
            }
            _ => false,
        };
        if effects.iter().any(|(_, effect)| settles(effect)) {
            *state = false;
        }
    }
}

/// Whether a path through the kernel has no wait for the grid, as that of warps which work on what others have copied.
fn is_of_some_threads(function: &FunctionEffects, budget: &mut usize) -> bool {
    let flow = function.flow;
    let ends = |at: usize| matches!(flow.mnemonic(at), "ret" | "exit") || at + 1 == flow.len();
    !flow.is_empty() && flow.find_reachable(0, budget, ends, |at| is_wait(function, at)).is_some()
}

fn is_wait(function: &FunctionEffects, at: usize) -> bool {
    function.effects_in(at..at + 1).iter().any(|(_, effect)| *effect == MemoryEffect::GridWait)
}

/// Whether an instruction may read global memory, or order what others read, though it has no effect that is followed here.
fn may_read_otherwise(mnemonic: &str) -> bool {
    matches!(mnemonic, "cp" | "tex" | "tld4" | "suld" | "multimem" | "prefetch" | "red" | "fabric" | "call")
}

/// Whether an instruction may read global memory.
fn may_read_global(function: &FunctionEffects, at: usize, effect: &MemoryEffect) -> bool {
    let MemoryEffect::Access(access) = effect else { return *effect == MemoryEffect::Unknown };
    let space = || access.operand.and_then(|operand| function.address(at, operand)).and_then(|address| address.space);
    access.kind != AccessKind::Write
        && match access.space {
            AddressSpace::Global => true,
            AddressSpace::Generic => space().is_none_or(|space| space == PointedSpace::Global),
            AddressSpace::Shared | AddressSpace::SharedCluster => false,
        }
}

/// The address of an access to global memory that a parameter or a variable leads to.
fn global_address(function: &FunctionEffects, at: usize, access: &SyncAccess) -> Option<Provenance> {
    let address = function.address(at, access.operand?)?;
    let is_global = match access.space {
        AddressSpace::Global => true,
        AddressSpace::Generic => address.space.is_none_or(|space| space == PointedSpace::Global),
        AddressSpace::Shared | AddressSpace::SharedCluster => false,
    };
    (is_global && matches!(address.root, Root::Variable(_) | Root::Parameter(..))).then_some(address)
}
