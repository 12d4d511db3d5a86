//! `signal-without-release`: a store or atomic that probably signals other threads that data is written, without release ordering.

mod calls;

pub(crate) use crate::rules::order::signal_without_release::calls::{check_module, record};
use analysis::effects::{
    AccessKind, AddressSpace, CopyKind, CopyState, FunctionEffects, LaneChoice, LaneCondition, MemoryEffect, OpenSites,
    PathLimit, PathPlace, SyncAccess, SyncProxy, Trigger, follow_copy,
};
use analysis::values::{AtomicLoop, OperandValue, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::SIGNAL_WITHOUT_RELEASE;
use foldhash::{HashMap, HashSet};
use isa::types::Sem;
use std::collections::BTreeMap;

/// What to write in place of a signal without release ordering.
const HELP: &str = "write `.release` with a scope, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) before it";

/// The maximum number of effects to visit for the bulk copies of a function.
const STEP_BUDGET: usize = 100_000;

/// The maximum number of instructions between an atomic and the comparison of its result.
const MAX_DISTANCE: usize = 8;

/// Checks relaxed stores and atomics to global memory after weak stores to other global memory, and releases after bulk copies.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !effects.triggers.has(Trigger::STRONG) {
        return;
    }
    if effects.triggers.has(Trigger::ASYNC) {
        check_bulk_copies(effects, diagnostics);
    }
    let mut signals: HashMap<usize, Root> = signals(effects).collect();
    if signals.is_empty() {
        return;
    }
    // A flag that the function polls itself is checked by `unreleased-flag`.
    for poll in effects.polls() {
        signals.retain(|_, root| !effects.is_same_root(*root, poll.address.root));
    }
    let data = DataStores::new(effects);
    let flow = effects.flow;
    let open = OpenSites { effects, sites: &data.numbers, settles: |_, effect: &MemoryEffect| effect.releases() };
    let Some(states) = effects.solve(&open) else { return };
    let mut lanes = None;
    states.visit(&open, |at, state| {
        let Some(signal) = signals.get(&at) else { return };
        let counts = flow.mnemonic(at) != "st" && !flow.has(at, "exch");
        let mut written =
            state.iter().map(|site| &data.sites[site]).filter(|(_, root)| !effects.is_same_root(*root, *signal));
        let site = match counts && !has_explicit_order(effects, at) {
            false => written.next(),
            // The last thread that counts reads what the others wrote.
            true => written.find(|(_, root)| data.read.contains(root)),
        };
        let Some((store, _)) = site else { return };
        // All lanes that count are a histogram.
        if counts
            && lanes
                .get_or_insert_with(|| LaneChoice::new(flow))
                .as_mut()
                .is_none_or(|lanes| lanes.condition(at) != LaneCondition::Divergent)
        {
            return;
        }
        diagnostics.push(
            Diagnostic::new(
                &SIGNAL_WITHOUT_RELEASE,
                flow.instruction(at).opcode.range(),
                "relaxed signal after a store to other memory: other threads may see it before the data",
            )
            .help(HELP)
            .related(flow.instruction(*store).opcode.range(), "data written here"),
        );
    });
}

/// Checks the releasing stores and reductions that all paths from a bulk copy to global memory reach before its writes are complete.
fn check_bulk_copies(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let flow = effects.flow;
    let is_copy = |access: &SyncAccess| {
        access.asynchronous && access.space == AddressSpace::Global && access.kind != AccessKind::Read
    };
    let copies = effects.accesses().filter(|(at, access)| {
        // A tensor copy names its tensor map in place of the global address.
        let writes_tensor = access.proxy == SyncProxy::TensorMap && flow.has(*at, "bulk_group");
        writes_tensor || is_copy(access) && flow.has(*at, "bulk_group")
    });
    let mut budget = STEP_BUDGET;
    let mut reported = HashSet::default();
    for (copy, _) in copies {
        // The signals, and whether the copy is pending in all states there.
        let mut signals: BTreeMap<usize, bool> = BTreeMap::new();
        let followed =
            follow_copy(effects, (CopyKind::Bulk, copy), PathLimit::Unlimited, &mut budget, |place, state| {
                let PathPlace::Effect(at, MemoryEffect::Access(access)) = place else { return };
                let releases = matches!(access.order, Some(Sem::Release | Sem::AcqRel)) && !access.asynchronous;
                if releases && access.space == AddressSpace::Global && matches!(flow.mnemonic(at), "st" | "red") {
                    *signals.entry(at).or_insert(true) &= state != CopyState::Complete;
                }
            });
        let signal = signals.into_iter().find(|(_, is_pending)| *is_pending).filter(|_| followed.is_some());
        let Some((at, _)) = signal.filter(|(at, _)| reported.insert(*at)) else { continue };
        let message = "signal before the writes of a bulk copy are complete: other threads may see it before the data";
        let found = Diagnostic::new(&SIGNAL_WITHOUT_RELEASE, flow.instruction(at).opcode.range(), message);
        let found =
            found.help("write `cp.async.bulk.wait_group 0` without `.read` before it, in the thread of the copy");
        diagnostics.push(found.related(flow.instruction(copy).opcode.range(), "the copy"));
    }
}

/// The stores and atomics that probably signal, each with the variable or parameter that it modifies.
fn signals<'d>(effects: &'d FunctionEffects) -> impl Iterator<Item = (usize, Root)> + 'd {
    let flow = effects.flow;
    let messages = relaxed_messages(effects);
    effects.accesses().filter_map(move |(at, access)| {
        let is_relaxed = access.order == Some(Sem::Relaxed) && access.kind != AccessKind::Read;
        if !is_relaxed || access.asynchronous || AtomicLoop::around(flow, at).is_some() || messages.contains(&at) {
            return None;
        }
        let address = traced(effects, at, access)?;
        let instruction = flow.instruction(at);
        let constant = |operand: usize| {
            let value = instruction.values.get(operand);
            value.and_then(|value| flow.constant(value, at)).is_some_and(|number| number != 0)
        };
        let is_signal = match flow.mnemonic(at) {
            "st" => !access.volatile || constant(1),
            "atom" if instruction.has("exch") => constant(2) && !is_result_read(effects, at),
            "atom" if instruction.has("add") || instruction.has("inc") => {
                // Whoever takes the next item of a queue reads its number.
                let only_counts = || constant(2) && has_explicit_order(effects, at) && !is_result_read(effects, at);
                is_result_compared(effects, at) || only_counts()
            }
            "red" => instruction.has("add") && constant(1) && has_explicit_order(effects, at),
            _ => false,
        };
        is_signal.then_some((at, address.root))
    })
}

/// The relaxed stores that write messages, as those to queues of a network card: vectors, and stores of one block to several offsets from one pointer. What
/// signals is one word.
fn relaxed_messages(effects: &FunctionEffects) -> HashSet<usize> {
    let flow = effects.flow;
    let mut of_pointers: HashMap<(usize, Root), Vec<(usize, i64)>> = HashMap::default();
    let mut messages = HashSet::default();
    let stores = effects.accesses().filter(|(at, access)| {
        flow.mnemonic(*at) == "st" && access.order == Some(Sem::Relaxed) && !access.volatile && !access.asynchronous
    });
    for (at, access) in stores {
        if ["v2", "v4", "v8"].into_iter().any(|word| flow.has(at, word)) {
            messages.insert(at);
        }
        let address = access.operand.and_then(|operand| effects.address(at, operand));
        if let Some((blocks, address)) = flow.blocks().zip(address) {
            let (root, offset) = address.anchor;
            of_pointers.entry((blocks.of(at), root)).or_default().push((at, offset));
        }
    }
    for stores in of_pointers.into_values() {
        if stores.iter().any(|(_, offset)| *offset != stores[0].1) {
            messages.extend(stores.into_iter().map(|(at, _)| at));
        }
    }
    messages
}

/// The address of an access to global memory, if its variable or parameter is known.
fn traced(effects: &FunctionEffects, at: usize, access: &SyncAccess) -> Option<Provenance> {
    let address = effects.address(at, access.operand?)?;
    effects.is_known_global(access, &address).then_some(address)
}

fn has_explicit_order(effects: &FunctionEffects, at: usize) -> bool {
    effects.flow.has(at, "relaxed")
}

/// Whether the first instruction that reads the result of an atomic is a test for equality, or computes what one tests.
fn is_result_compared(effects: &FunctionEffects, at: usize) -> bool {
    let flow = effects.flow;
    let Some(OperandValue::Register(old)) = flow.instruction(at).values.first() else { return false };
    (at + 1..flow.len().min(at + 1 + MAX_DISTANCE)).any(|test| {
        let is_test = flow.mnemonic(test) == "setp" && (flow.has(test, "eq") || flow.has(test, "ne"));
        is_test && flow.instruction(test).values.iter().skip(1).any(|value| flow.is_from(value, test, *old, at))
    })
}

/// Whether an instruction may read the result of an atomic.
fn is_result_read(effects: &FunctionEffects, at: usize) -> bool {
    let flow = effects.flow;
    match flow.instruction(at).values.first() {
        Some(OperandValue::Register(old)) => flow.is_read(*old, at, &mut { MAX_READS }),
        _ => false,
    }
}

/// The maximum number of instructions that are searched for a read of a result.
const MAX_READS: usize = 4096;

/// The weak stores to global memory, and the variables and parameters that are read.
#[derive(Default)]
struct DataStores {
    /// The first store to each variable or parameter.
    sites: Vec<(usize, Root)>,
    /// The number of the variable or parameter that each instruction writes.
    numbers: HashMap<usize, usize>,
    read: HashSet<Root>,
}

impl DataStores {
    fn new(effects: &FunctionEffects) -> Self {
        let mut found = DataStores::default();
        for (at, access) in effects.accesses() {
            if access.proxy != SyncProxy::Generic || access.asynchronous {
                continue;
            }
            let Some(Provenance { root, .. }) = traced(effects, at, access) else { continue };
            match access.kind {
                AccessKind::Write if access.order.is_none() => {
                    let known = found.sites.iter().position(|(_, known)| *known == root);
                    let number = known.unwrap_or_else(|| {
                        found.sites.push((at, root));
                        found.sites.len() - 1
                    });
                    found.numbers.insert(at, number);
                }
                AccessKind::Read => {
                    found.read.insert(root);
                }
                _ => {}
            }
        }
        found
    }
}
