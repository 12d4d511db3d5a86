//! Registers of `tcgen05.ld` that are read before `tcgen05.wait::ld`.

use analysis::effects::{ForwardAnalysis, FunctionEffects, MemoryEffect, SiteSet, is_diagnostic_call};
use analysis::values::{Definition, DefinitionSite};
use diagnostics::Diagnostic;
use diagnostics::registry::UNCOMMITTED_ASYNC;
use foldhash::HashMap;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 50_000;

/// Checks every load of tensor memory.
pub(in crate::rules::asynchronous::uncommitted_async) fn check(
    effects: &FunctionEffects,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let flow = effects.flow;
    let loads: HashMap<usize, usize> =
        (0..flow.len()).filter(|at| is_load(effects, *at)).enumerate().map(|(site, at)| (at, site)).collect();
    if loads.is_empty() {
        return;
    }
    let pending = PendingLoads { effects, loads: &loads };
    let Some(states) = effects.solve(&pending) else { return };
    let (mut is_reported, mut budget) = (false, STEP_BUDGET);
    states.visit(&pending, |at, state| {
        // One wrapper without a wait is one mistake. Compilers copy registers where they like.
        if is_reported || state.executed.is_empty() || flow.mnemonic(at) == "mov" || flow.has(at, "local") {
            return;
        }
        let early = flow.read_symbols(at).find_map(|register| {
            let Definition { site: DefinitionSite::Instruction(load), .. } = flow.reaching(register, at) else {
                return None;
            };
            let is_pending = |site: &usize| state.executed.contains(*site) && !state.waited.contains(*site);
            loads.get(&load).filter(|site| is_pending(site)).map(|_| load)
        });
        let Some(load) = early else { return };
        if !may_be_moved(effects, at, load, &mut budget) {
            is_reported = true;
            diagnostics.push(report(effects, at, load));
        }
    });
}

fn report(effects: &FunctionEffects, at: usize, load: usize) -> Diagnostic {
    let flow = effects.flow;
    let message = "registers of `tcgen05.ld` are read before the load is complete";
    let found = Diagnostic::new(&UNCOMMITTED_ASYNC, flow.instruction(at).opcode.range(), message)
        .help("write `tcgen05.wait::ld.sync.aligned` between the load and the read");
    found.related(flow.instruction(load).opcode.range(), "the load")
}

/// Whether a read of what a load fills may have been moved before the wait that follows it, maybe after further loads. Compilers move arithmetic there, and in debug builds store the results of an
/// `asm` statement through generic addresses of local memory; the assembler keeps all of it after the load.
fn may_be_moved(effects: &FunctionEffects, at: usize, load: usize, budget: &mut usize) -> bool {
    let waits = |at: usize| waits(effects, at);
    let flow = effects.flow;
    let is_awaited =
        |budget: &mut usize| flow.find_reachable(at, budget, waits, |next| next == load).is_some() || *budget == 0;
    let is_spill = flow.mnemonic(at) == "st" && !flow.has(at, "global") && !flow.has(at, "shared");
    (flow.fills_registers(at) || is_spill) && is_awaited(budget)
}

fn is_load(effects: &FunctionEffects, at: usize) -> bool {
    effects.flow.mnemonic(at) == "tcgen05" && effects.flow.has(at, "ld")
}

/// Whether all loads before an instruction may be complete after it.
fn waits(effects: &FunctionEffects, at: usize) -> bool {
    let is_call = |effect: &MemoryEffect| *effect == MemoryEffect::Unknown && !is_diagnostic_call(effects, at);
    effects.flow.has(at, "wait::ld") || effects.effects_in(at..at + 1).iter().any(|(_, effect)| is_call(effect))
}

/// The analysis: which loads some path has executed, and which some path has waited for.
struct PendingLoads<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    loads: &'d HashMap<usize, usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct LoadState {
    executed: SiteSet,
    waited: SiteSet,
}

impl ForwardAnalysis for PendingLoads<'_, '_, '_> {
    type State = LoadState;

    fn entry(&self) -> LoadState {
        LoadState { executed: SiteSet::default(), waited: SiteSet::default() }
    }

    fn join(&self, state: &mut LoadState, other: &LoadState) -> bool {
        let executed = state.executed.extend(&other.executed);
        state.waited.extend(&other.waited) || executed
    }

    fn transfer(&self, at: usize, state: &mut LoadState) {
        if waits(self.effects, at) {
            let executed = state.executed;
            state.waited.extend(&executed);
        }
        if let Some(load) = self.loads.get(&at) {
            state.executed.insert(*load);
            state.waited.retain(|site| site != *load);
        }
    }
}
