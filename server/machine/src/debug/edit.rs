//! Changes of the state that the observer of a run makes between two instructions.

use crate::debug::run_observer::{ObservedMemory, StateEdit};
use crate::memory::region::MemoryBytes;
use crate::state::Machine;
use crate::threads::warp::Warp;
use program::lanes::WARP_SIZE;
use program::launch::kernel_launch::ThreadId;

/// Makes a change; `running` is the warp that runs. What is not there any more is not changed.
pub fn edit(machine: &mut Machine<'_>, running: &mut Warp, edit: &StateEdit) {
    // Lanes that wait in a loop look at the changed state.
    machine.version += 1;
    let others = machine.warps.iter_mut().flatten().map(|warp| &mut **warp);
    for split in others.chain([&mut *running]).flat_map(|warp| &mut warp.splits) {
        // What they have read is not all that they depend on any more.
        split.spin.polling = None;
    }
    match edit {
        StateEdit::Register { thread, call, slot, bits } => {
            edit_register(machine, running, *thread, *call, (*slot, *bits));
        }
        StateEdit::Memory { memory, bytes } => {
            if let Some((region, offset)) = region_of(machine, running, *memory) {
                let length = region.len().saturating_sub(offset).min(bytes.len());
                region.write(offset.min(region.len()), &bytes[..length], &vec![true; length]);
            }
        }
    }
}

fn edit_register(
    machine: &mut Machine<'_>,
    running: &mut Warp,
    thread: ThreadId,
    call: usize,
    (slot, bits): (u32, u64),
) {
    let Some(warp) = warp_of(machine, running, thread) else { return };
    let lane = thread.thread % WARP_SIZE;
    let split = warp.split_of(lane).map(|at| &warp.splits[at]);
    let entry = split.and_then(|split| split.stack.iter().rev().nth(call));
    let Some(frame) = entry.map(|entry| entry.frame).and_then(|frame| warp.frames.get_mut(frame)) else { return };
    if let Some(register) = frame.registers.get_mut(slot as usize) {
        register[lane as usize] = bits;
        frame.defined[slot as usize] |= 1 << lane;
    }
}

fn warp_of<'w>(machine: &'w mut Machine<'_>, running: &'w mut Warp, thread: ThreadId) -> Option<&'w mut Warp> {
    let (ctas, number) = (&machine.ctas, thread.thread / WARP_SIZE);
    let is_it = |warp: &Warp| warp.number == number && ctas[warp.cta].number == thread.cta;
    if is_it(running) {
        return Some(running);
    }
    machine.warps.iter_mut().flatten().map(|warp| &mut **warp).find(|warp| is_it(warp))
}

fn region_of<'w>(
    machine: &'w mut Machine<'_>,
    running: &'w mut Warp,
    memory: ObservedMemory,
) -> Option<(&'w mut MemoryBytes, usize)> {
    match memory {
        ObservedMemory::Global(address) => {
            let place = machine.memory.find(address, 1, 0)?;
            Some((&mut machine.memory.allocation_mut(place.allocation).region, place.offset))
        }
        ObservedMemory::Shared { cta, offset } => {
            let cta = machine.ctas.iter_mut().rev().find(|one| one.number == cta)?;
            Some((&mut cta.shared, usize::try_from(offset).ok()?))
        }
        ObservedMemory::Local { thread, offset } => {
            let warp = warp_of(machine, running, thread)?;
            Some((warp.local.get_mut((thread.thread % WARP_SIZE) as usize)?, usize::try_from(offset).ok()?))
        }
    }
}
