//! `missing-barrier`, `missing-warp-barrier` and `reused-before-read`: threads of a block that access shared memory without a barrier between them.

use diagnostics::registry::{MISSING_BARRIER, MISSING_WARP_BARRIER, REUSED_BEFORE_READ};
use diagnostics::{Diagnostic, Rule};
use kernel::KernelModule;
use kernel::races::{KernelRace, MissingBarrier, RaceOrder, RacingInstruction};
use std::collections::BTreeSet;
use syntax::Item;

/// The rules.
pub(crate) const RULES: [&Rule; 3] = [&MISSING_BARRIER, &MISSING_WARP_BARRIER, &REUSED_BEFORE_READ];

/// Checks a kernel.
pub(crate) fn check(kernels: &mut KernelModule, item: &Item, diagnostics: &mut Vec<Diagnostic>) {
    let Some(head) = item.head() else { return };
    let Some(function) = head.function().filter(|function| function.kind.text == ".entry") else { return };
    let races = kernels.races(&function.name.text);
    // A barrier between two accesses is between others, too.
    let mut reported = BTreeSet::new();
    for race in &races {
        if reported.insert(race.accesses[1].range.start) {
            diagnostics.push(report(race));
        }
    }
}

fn report(race: &KernelRace) -> Diagnostic {
    let [first, second] = &race.accesses;
    let rule = match (race.barrier, race.order) {
        (MissingBarrier::Warp, _) => &MISSING_WARP_BARRIER,
        (MissingBarrier::Block, RaceOrder::AfterWrite) => &MISSING_BARRIER,
        (MissingBarrier::Block, RaceOrder::AfterRead) => &REUSED_BEFORE_READ,
    };
    let barrier = match race.barrier {
        MissingBarrier::Block => "barrier",
        MissingBarrier::Warp => "warp barrier",
    };
    let message =
        format!("{} of {} without a {barrier} after the {} by another thread", name(second), race.element, name(first));
    let instruction = match race.barrier {
        MissingBarrier::Block => "`bar.sync 0;` (`__syncthreads()`)",
        MissingBarrier::Warp => "`bar.warp.sync` (`__syncwarp()`)",
    };
    let help = format!("write {instruction} between the {} and this {}; {}", name(first), name(second), witness(race));
    let related = format!("{} by tid {}", name(first), first.thread);
    Diagnostic::new(rule, second.range.clone(), message).related(first.range.clone(), related).help(help)
}

/// The threads, the size of the block, and the values of the parameters.
fn witness(race: &KernelRace) -> String {
    let [first, second] = &race.accesses;
    let mut witness =
        format!("in a block of {} threads, tid {} and tid {} meet", race.block, first.thread, second.thread);
    for (number, (name, value)) in race.parameters.iter().enumerate() {
        witness += if number == 0 { " where " } else { ", " };
        witness += &format!("`{name}` is {value}");
    }
    witness
}

fn name(access: &RacingInstruction) -> &'static str {
    if access.is_write { "write" } else { "read" }
}
