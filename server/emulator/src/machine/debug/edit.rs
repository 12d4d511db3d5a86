//! Changes of the state that the observer of a run makes between two instructions.

use crate::machine::debug::run_observer::{ObservedMemory, StateEdit};
use crate::machine::launch::kernel_launch::ThreadId;
use crate::machine::memory::region::MemoryBytes;
use crate::machine::state::Machine;
use crate::machine::threads::lanes::WARP_SIZE;
use crate::machine::threads::warp::Warp;

impl Machine<'_> {
    /// Makes a change; `running` is the warp that runs. What is not there any more is not changed.
    pub fn edit(&mut self, running: &mut Warp, edit: &StateEdit) {
        // Lanes that wait in a loop look at the changed state.
        self.version += 1;
        let others = self.warps.iter_mut().flatten().map(|warp| &mut **warp);
        for split in others.chain([&mut *running]).flat_map(|warp| &mut warp.splits) {
            // What they have read is not all that they depend on any more.
            split.spin.polling = None;
        }
        match edit {
            StateEdit::Register { thread, call, slot, bits } => {
                self.edit_register(running, *thread, *call, (*slot, *bits));
            }
            StateEdit::Memory { memory, bytes } => {
                if let Some((region, offset)) = self.region_of(running, *memory) {
                    let length = region.len().saturating_sub(offset).min(bytes.len());
                    region.write(offset.min(region.len()), &bytes[..length], &vec![true; length]);
                }
            }
        }
    }

    fn edit_register(&mut self, running: &mut Warp, thread: ThreadId, call: usize, (slot, bits): (u32, u64)) {
        let Some(warp) = self.warp_of(running, thread) else { return };
        let lane = thread.thread % WARP_SIZE;
        let split = warp.split_of(lane).map(|at| &warp.splits[at]);
        let entry = split.and_then(|split| split.stack.iter().rev().nth(call));
        let Some(frame) = entry.map(|entry| entry.frame).and_then(|frame| warp.frames.get_mut(frame)) else { return };
        if let Some(register) = frame.registers.get_mut(slot as usize) {
            register[lane as usize] = bits;
            frame.defined[slot as usize] |= 1 << lane;
        }
    }

    fn warp_of<'w>(&'w mut self, running: &'w mut Warp, thread: ThreadId) -> Option<&'w mut Warp> {
        let (ctas, number) = (&self.ctas, thread.thread / WARP_SIZE);
        let is_it = |warp: &Warp| warp.number == number && ctas[warp.cta].number == thread.cta;
        if is_it(running) {
            return Some(running);
        }
        self.warps.iter_mut().flatten().map(|warp| &mut **warp).find(|warp| is_it(warp))
    }

    fn region_of<'w>(
        &'w mut self,
        running: &'w mut Warp,
        memory: ObservedMemory,
    ) -> Option<(&'w mut MemoryBytes, usize)> {
        match memory {
            ObservedMemory::Global(address) => {
                let place = self.memory.find(address, 1, 0)?;
                Some((&mut self.memory.allocation_mut(place.allocation).region, place.offset))
            }
            ObservedMemory::Shared { cta, offset } => {
                let cta = self.ctas.iter_mut().rev().find(|one| one.number == cta)?;
                Some((&mut cta.shared, usize::try_from(offset).ok()?))
            }
            ObservedMemory::Local { thread, offset } => {
                let warp = self.warp_of(running, thread)?;
                Some((warp.local.get_mut((thread.thread % WARP_SIZE) as usize)?, usize::try_from(offset).ok()?))
            }
        }
    }
}
