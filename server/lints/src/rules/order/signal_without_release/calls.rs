//! Flags that a called function sets, and data that the caller writes.

use crate::rules::order::signal_without_release::{DataStores, HELP, signals};
use analysis::effects::{AccessKind, FunctionEffects, MemoryEffect, OpenSites, PassedAddress, Trigger};
use diagnostics::Diagnostic;
use diagnostics::registry::SIGNAL_WITHOUT_RELEASE;
use foldhash::{HashMap, HashSet};
use legality::flag_facts::{FlagFacts, FlagFunction, FlagPlace, FlagUsage, wrong_calls};

/// Records whether a function only sets a flag that it is given, and what it writes before its calls.
pub(crate) fn record(effects: &FunctionEffects, place: &FlagPlace, facts: &mut FlagFacts) {
    facts.signals = signalled(effects, place);
    if !effects.triggers.has(Trigger::CALL) {
        return;
    }
    let passed = passed_flags(effects);
    let data = DataStores::new(effects);
    if passed.is_empty() || data.sites.is_empty() {
        return;
    }
    let open = OpenSites { effects, sites: &data.numbers, settles: |_, effect: &MemoryEffect| effect.releases() };
    let Some(states) = effects.solve(&open) else { return };
    states.visit(&open, |at, state| {
        let first = passed.partition_point(|passed| passed.at < at);
        for flag in passed[first..].iter().take_while(|passed| passed.at == at) {
            let is_other = |(_, root): &&(usize, _)| !effects.is_same_root(*root, flag.address.root);
            let written = state.iter().map(|site| &data.sites[site]).find(is_other);
            let call = written.map(|(store, _)| place.call(effects.flow, flag, FlagUsage::Signal, *store));
            facts.calls.extend(call);
        }
    });
}

/// The addresses in global memory that calls pass. Those of one block with several offsets from one pointer are the words of a message.
fn passed_flags(effects: &FunctionEffects) -> Vec<PassedAddress> {
    let Some(blocks) = effects.flow.blocks() else { return Vec::new() };
    let mut passed = effects.passed_addresses();
    passed.retain(|one| effects.is_known_global(&one.access(AccessKind::Write), &one.address));
    let mut offsets = HashMap::default();
    let mut messages = HashSet::default();
    for one in &passed {
        let (root, offset) = one.address.anchor;
        let pointer = (blocks.of(one.at), root);
        if *offsets.entry(pointer).or_insert(offset) != offset {
            messages.insert(pointer);
        }
    }
    passed.retain(|one| !messages.contains(&(blocks.of(one.at), one.address.anchor.0)));
    passed
}

/// The flag that a function sets, if it does nothing else to memory and its order.
fn signalled(effects: &FunctionEffects, place: &FlagPlace) -> Option<FlagFunction> {
    let flow = effects.flow;
    let [(at, MemoryEffect::Access(access))] = effects.effects() else { return None };
    if flow.is_entry() || !effects.triggers.has(Trigger::STRONG) {
        return None;
    }
    // A counter may be one of a histogram.
    let is_set = flow.mnemonic(*at) == "st" || flow.has(*at, "exch");
    let is_signal = || signals(effects).any(|(signal, _)| signal == *at);
    let address = effects.address(*at, access.operand?)?;
    place.function(flow, *at, &address).filter(|_| is_set && is_signal())
}

/// Checks the calls of functions that only set a flag, given the facts of all items with their starts.
pub(crate) fn check_module(items: &[(usize, &FlagFacts)], diagnostics: &mut Vec<Diagnostic>) {
    let message = "relaxed signal after callers store to other memory: other threads may see it before the data";
    for wrong in wrong_calls(items, |facts| facts.signals.as_ref(), &[FlagUsage::Signal]) {
        let found = Diagnostic::new(&SIGNAL_WITHOUT_RELEASE, wrong.flag, message).help(HELP);
        diagnostics.push(found.related(wrong.call, "called here").related(wrong.data, "data written here"));
    }
}
