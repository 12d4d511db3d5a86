//! Waits for products of a warpgroup (`wgmma`). A product is one operation of its four warps, so who waits for a group of them waits for what all four
//! read, and all four have come as far.

use crate::state::Machine;
use crate::tensor::warpgroup_product;
use crate::threads::executor::Executor;
use crate::threads::warp::{Split, SplitState, Warp};
use ordering::{Agent, CopyAgent};
use program::copies::async_copy::GroupKind;
use program::effects::{Synchronization, successors};
use program::lanes::{WARP_SIZE, lanes_of};
use program::launch::kernel_launch::ThreadId;
use program::machine_program::MachineProgram;
use program::tensor::warpgroup::WarpgroupInstruction;

/// The warps of a warpgroup.
const WARPS: u32 = 4;

/// Whether a warp that waits for the groups of products before a number has to wait for another warp of its warpgroup to commit as many: they
/// multiply together. It does not wait for one that never does.
pub fn waits_for_products(machine: &Machine<'_>, warp: &Warp, before: u64) -> bool {
    let is_late = |other: &&Warp| {
        other.cta == warp.cta
            && other.number / WARPS == warp.number / WARPS
            && other.number != warp.number
            && committed(machine, other.cta, other.number) < before
    };
    machine.warps.iter().flatten().map(|other| &**other).filter(is_late).any(|other| may_commit(machine, other))
}

/// Whether a warp waits for the products of others.
pub fn has_waiting_warpgroup(machine: &Machine<'_>) -> bool {
    let mut splits = machine.warps.iter().flatten().flat_map(|warp| &warp.splits);
    splits.any(|split| matches!(split.state, SplitState::Warpgroup(_)))
}

fn committed(machine: &Machine<'_>, cta: usize, number: u32) -> u64 {
    machine.ctas[cta].products.get(&number).copied().unwrap_or(0)
}

/// Whether lanes of a warp can come to the end of a group of products.
fn may_commit(machine: &Machine<'_>, warp: &Warp) -> bool {
    warp.splits.iter().any(|split| {
        let frame = split.stack.last().map_or(0, |entry| entry.frame);
        split.stack.len() > 1 || leads_to_commit(machine.program, warp.frames[frame].function, split.next)
    })
}

/// Lets a warp go on that waits for the products of the others in vain. Returns whether there was one.
pub fn end_products_alone(machine: &mut Machine<'_>) -> bool {
    for at in 0..machine.warps.len() {
        let Some(mut warp) = machine.warps[at].take() else { continue };
        let waits = |split: &Split| match split.state {
            SplitState::Warpgroup(before) => Some((split.lanes, before)),
            _ => None,
        };
        let found = warp.splits.iter().enumerate().find_map(|(at, split)| Some((at, waits(split)?)));
        if let Some((split, (lanes, before))) = found {
            let mut executor = Executor::new(machine, &mut warp, split);
            let place = executor.place();
            end_products(&mut executor, before, lanes);
            executor.next += 1;
            executor.save();
            executor.return_frame();
            warp.splits[split].state = SplitState::Ready;
            machine.explored.parted_warpgroups.insert(place);
        }
        machine.warps[at] = Some(warp);
        if found.is_some() {
            return true;
        }
    }
    false
}

/// Whether an instruction or one after it ends a group of products. A function that is called may.
fn leads_to_commit(program: &MachineProgram, function: u32, from: u32) -> bool {
    let code = &program.functions[function as usize].code;
    let mut seen = vec![false; code.len()];
    let mut open = vec![from as usize];
    while let Some(at) = open.pop() {
        if at >= code.len() || std::mem::replace(&mut seen[at], true) {
            continue;
        }
        match code[at].action.synchronization() {
            Synchronization::Warpgroup(WarpgroupInstruction::Commit) | Synchronization::Call(_) => return true,
            _ => {}
        }
        successors(&code[at], at, |next| open.push(next));
    }
    false
}

/// The agent and the epoch of the reads of the group of products that the warp commits next.
pub fn next_products(executor: &mut Executor<'_, '_>) -> (Agent, u32) {
    let leader = executor.warp.live.trailing_zeros() as usize;
    let group = executor.warp.groups.get(leader).map_or(0, |groups| groups.current(GroupKind::Matrices));
    (executor.agent(leader).copying(CopyAgent::MatrixReads), group as u32 + 1)
}

/// Lanes have waited for the groups before a number: those of all warps of the warpgroup, as these multiply together. If others have not, those of
/// their own warp.
pub fn end_products(executor: &mut Executor<'_, '_>, before: u64, active: u32) {
    warpgroup_product::settle_products(executor, before);
    let leader = active.trailing_zeros() as usize;
    let own = executor.agent(leader);
    let (cta, number) = (executor.warp.cta, executor.warp.number);
    let first = number / WARPS * WARPS;
    let is_together = (first..first + WARPS).all(|warp| committed(executor.machine, cta, warp) >= before);
    let others = (first..first + WARPS).filter(|warp| is_together && *warp != number);
    let others = others.map(|warp| executor.machine.races.agent(cta, ThreadId { cta: 0, thread: warp * WARP_SIZE }));
    for one in others.chain([own]).collect::<Vec<_>>() {
        for lane in lanes_of(active) {
            let agent = executor.agent(lane);
            executor.machine.races.end_groups_of(agent, one.copying(CopyAgent::MatrixReads), before);
        }
    }
}
