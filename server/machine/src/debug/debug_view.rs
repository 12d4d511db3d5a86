//! The state of a run for a debugger, which sees it before each instruction.
//!
//! An observer does not change the schedule: a run with one executes the same instructions in the same order as a run without.

use crate::copies::pending_copy::{MemoryRange, PendingCopy};
use crate::debug::run_observer::{LaneGroup, ObservedAccess, ObservedMemory, RegisterValue};
use crate::memory::global::GlobalMemory;
use crate::memory::locate::{MemoryPlace, RANK_SHIFT};
use crate::memory::region::MemoryBytes;
use crate::state::{Machine, RunState, ThreadView, UnsupportedAt};
use crate::threads::movement;
use crate::threads::warp::{CallFrame, Split, SplitState, Warp};
use crate::waiting::wait_reason;
use program::lanes::WARP_SIZE;
use program::launch::kernel_launch::ThreadId;
use program::operand::MemorySpace;
use program::problem::{CodePlace, MachineAccessKind, Problem};
use program::special::SpecialValue;

impl<'m, 'p> RunState<'m, 'p> {
    /// The lanes whose instruction is next.
    pub fn running(&self) -> Option<LaneGroup> {
        let (warp, at) = self.running?;
        Some(group(self.machine, warp, &warp.splits[at]))
    }

    /// All groups of lanes, by CTA and warp.
    pub fn groups(&self) -> Vec<LaneGroup> {
        let of_warp = |warp: &'m Warp| warp.splits.iter().map(move |split| (warp, split));
        let mut groups: Vec<LaneGroup> =
            self.warps().flat_map(of_warp).map(|(warp, split)| group(self.machine, warp, split)).collect();
        groups.sort_by_key(|group| (group.cta, group.warp, group.lanes.trailing_zeros()));
        groups
    }

    /// A thread that has begun and not ended.
    pub fn thread(&self, id: ThreadId) -> Option<ThreadView<'m, 'p>> {
        let (number, lane) = (id.thread / WARP_SIZE, (id.thread % WARP_SIZE) as usize);
        let machine = self.machine;
        let warp = self.warps().find(|warp| warp.number == number && machine.ctas[warp.cta].number == id.cta)?;
        let split = warp.splits.iter().find(|split| split.lanes >> lane & 1 == 1)?;
        Some(ThreadView { machine, warp, split, lane })
    }

    /// The mistakes so far.
    pub fn problems(&self) -> &'m [Problem] {
        self.machine.problems.list()
    }

    /// What the kernel has printed.
    pub fn output(&self) -> &'m [u8] {
        &self.machine.output
    }

    /// Global memory.
    pub fn memory(&self) -> &'m GlobalMemory {
        &self.machine.memory
    }

    /// The instruction that ends the run, because the machine cannot execute it.
    pub fn unsupported(&self) -> Option<&'m UnsupportedAt> {
        self.machine.unsupported.as_ref()
    }

    /// Bytes from an address on, and whether each is defined; fewer where the memory ends, `None` where there is none.
    pub fn read(&self, memory: ObservedMemory, size: usize) -> Option<(Vec<u8>, Vec<bool>)> {
        let part = |region: &MemoryBytes, offset: usize| {
            let length = size.min(region.len().checked_sub(offset)?);
            Some(region.read(offset, length))
        };
        match memory {
            ObservedMemory::Global(address) => {
                let place = self.machine.memory.find(address, 1, 0)?;
                part(&self.machine.memory.allocations()[place.allocation].region, place.offset)
            }
            ObservedMemory::Shared { cta, offset } => {
                let cta = self.machine.ctas.iter().rev().find(|one| one.number == cta)?;
                part(&cta.shared, usize::try_from(offset).ok()?)
            }
            ObservedMemory::Local { thread, offset } => {
                let thread = self.thread(thread)?;
                part(thread.warp.local.get(thread.lane)?, usize::try_from(offset).ok()?)
            }
        }
    }

    fn warps(&self) -> impl Iterator<Item = &'m Warp> {
        self.machine.warps.iter().flatten().map(|warp| &**warp).chain(self.running.map(|(warp, _)| warp))
    }
}

impl ThreadView<'_, '_> {
    /// The thread.
    pub fn id(&self) -> ThreadId {
        self.machine.thread(self.warp, self.lane)
    }

    /// The lanes that run together with it.
    pub fn group(&self) -> LaneGroup {
        group(self.machine, self.warp, self.split)
    }

    /// Its next instruction, then the calls that it is in.
    pub fn calls(&self) -> Vec<CodePlace> {
        let stack = &self.split.stack;
        let returns = stack.iter().skip(1).map(|entry| entry.return_to.saturating_sub(1));
        let instructions = returns.chain([self.split.next]);
        let functions = stack.iter().map(|entry| self.warp.frames[entry.frame].function);
        let mut places: Vec<CodePlace> =
            functions.zip(instructions).map(|(function, instruction)| CodePlace { function, instruction }).collect();
        places.reverse();
        places
    }

    /// The frame of a call, 0 is the innermost.
    fn frame(&self, call: usize) -> Option<&CallFrame> {
        let entry = self.split.stack.iter().rev().nth(call)?;
        self.warp.frames.get(entry.frame)
    }

    /// A register of a call, 0 is the innermost.
    pub fn register(&self, call: usize, slot: u32) -> Option<RegisterValue> {
        let frame = self.frame(call)?;
        let bits = frame.registers.get(slot as usize)?[self.lane];
        Some(RegisterValue { bits, is_defined: frame.defined[slot as usize] >> self.lane & 1 == 1 })
    }

    /// A special register.
    pub fn special(&self, register: SpecialValue) -> u64 {
        movement::special(self.machine, self.warp, register, self.lane as u32)
    }

    /// What it waits for, if it cannot run.
    pub fn waits_for(&self) -> Option<String> {
        (self.split.state != SplitState::Ready)
            .then(|| wait_reason::waiting(self.machine, self.warp, self.split).reason)
    }

    /// The byte at an address of a space, in a call.
    pub fn place(&self, call: usize, space: MemorySpace, address: u64) -> Option<ObservedMemory> {
        let id = self.id();
        let local = |offset: u64| Some(ObservedMemory::Local { thread: id, offset });
        let addresses = self.machine.program.addresses;
        match space {
            MemorySpace::Generic => match addresses.window(address) {
                MemorySpace::SharedCluster => self.shared(addresses.shared_address(address)),
                MemorySpace::Local => local(address - addresses.local_window()),
                _ => Some(ObservedMemory::Global(address)),
            },
            MemorySpace::Global | MemorySpace::Constant => Some(ObservedMemory::Global(address)),
            MemorySpace::SharedCta | MemorySpace::SharedCluster => self.shared(address),
            MemorySpace::Local => local(address),
            MemorySpace::Frame => local(address.wrapping_add(self.frame(call)?.local.into())),
            MemorySpace::Parameter => {
                Some(ObservedMemory::Global(address.wrapping_add(self.machine.parameters_of(self.warp.cta))))
            }
        }
    }

    fn shared(&self, address: u64) -> Option<ObservedMemory> {
        let cta = &self.machine.ctas[self.warp.cta];
        let slot = match address >> RANK_SHIFT {
            0 => self.warp.cta,
            rank => *self.machine.clusters[cta.cluster].ctas.get(usize::try_from(rank - 1).ok()?)?,
        };
        let offset = address & ((1 << RANK_SHIFT) - 1);
        Some(ObservedMemory::Shared { cta: self.machine.ctas[slot].number, offset })
    }

    /// The bytes of shared memory of its CTA.
    pub fn shared_bytes(&self) -> usize {
        self.machine.ctas[self.warp.cta].shared.len()
    }
}

fn group(machine: &Machine<'_>, warp: &Warp, split: &Split) -> LaneGroup {
    let cta = &machine.ctas[warp.cta];
    let function = split.stack.last().map_or(0, |entry| warp.frames[entry.frame].function);
    LaneGroup {
        cta: cta.number,
        position: cta.position,
        warp: warp.number,
        lanes: split.lanes,
        place: CodePlace { function, instruction: split.next },
        depth: split.stack.len(),
        is_ready: split.state == SplitState::Ready,
    }
}

/// Shows an access to the observer.
pub fn show_access(
    machine: &mut Machine<'_>,
    memory: MemoryPlace,
    size: u64,
    kind: MachineAccessKind,
    (thread, place): (ThreadId, CodePlace),
) {
    let memory = match memory {
        MemoryPlace::Global(found) => {
            let start = machine.memory.allocations()[found.allocation].address;
            ObservedMemory::Global(start + found.offset as u64)
        }
        MemoryPlace::Shared(slot, offset) => {
            ObservedMemory::Shared { cta: machine.ctas[slot].number, offset: offset.into() }
        }
        MemoryPlace::Local(offset) => ObservedMemory::Local { thread, offset: offset.into() },
    };
    if let Some(observer) = &mut machine.observer.0 {
        observer.accessed(&ObservedAccess { thread, place, kind, memory, size });
    }
}

/// Shows what a copy has written to the observer.
pub fn show_copy(machine: &mut Machine<'_>, copy: &PendingCopy) {
    let Some(observer) = &mut machine.observer.0 else { return };
    let (thread, place, kind) = (copy.thread, copy.place, MachineAccessKind::Write);
    for range in copy.part.written(copy.length) {
        let start = range.start as u64;
        let memory = match copy.destination {
            MemoryRange::Global(address) => ObservedMemory::Global(address + start),
            MemoryRange::Shared(slot, offset) => {
                ObservedMemory::Shared { cta: machine.ctas[slot].number, offset: u64::from(offset) + start }
            }
        };
        observer.accessed(&ObservedAccess { thread, place, kind, memory, size: range.len() as u64 });
    }
}

/// Shows the end of the run to the observer.
pub fn show_end(machine: &mut Machine<'_>) {
    if let Some(observer) = machine.observer.0.take() {
        observer.ended(&RunState { machine, running: None });
    }
}
