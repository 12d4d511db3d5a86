//! Branches, calls and the end of threads.

use crate::launch::launch_error::MAX_LOCAL;
use crate::memory::region::MemoryBytes;
use crate::threads::executor::{Executor, Step};
use crate::threads::exit;
use crate::threads::system;
use crate::threads::undefined_bits::UndefinedBits;
use crate::threads::warp::{CallFrame, SplitState, StackEntry};
use crate::waiting::barrier_ordering;
use ordering::PassedTo;
use ordering::load_buffering::read_values;
use program::call::{CallTarget, Formal, MachineCall};
use program::lanes::lanes_of;
use program::operand::{Destination, Source};
use program::problem::ProblemKind;

/// The bytes that a frame's local memory is aligned to.
const FRAME_ALIGNMENT: u32 = 16;

/// The most registers of the frames of a CTA, each with the values of a warp: 1 GiB.
const MAX_SLOTS: usize = 1 << 22;

impl Executor<'_, '_> {
    /// Counts a round of a loop if some lanes jump back.
    pub fn note_round(&mut self, target: u32, active: u32) {
        if target > self.next || self.machine.explored.clock.is_none() {
            return;
        }
        let place = self.place();
        for lane in lanes_of(active) {
            let agent = self.agent(lane);
            self.machine.explored.rounds.repeat(agent, place, target);
        }
    }

    /// Branches to one of several targets: the lanes of one index at a time.
    pub fn branch_indexed(&mut self, index: Source, targets: &[u32], active: u32) -> Step {
        self.require_defined(index, active);
        let (lanes, value) = self.same_value(index, active);
        match usize::try_from(value).ok().and_then(|value| targets.get(value)) {
            Some(target) if lanes == active => Step::Jump(*target),
            Some(target) => {
                // The others execute the instruction again.
                self.part(lanes, *target);
                Step::Changed
            }
            None => {
                self.report(ProblemKind::InvalidTarget { value }, lanes.trailing_zeros() as usize);
                self.end(lanes)
            }
        }
    }

    /// The active lanes with the value of the first of them.
    fn same_value(&self, source: Source, active: u32) -> (u32, u64) {
        let values = self.values(source);
        let value = values[active.trailing_zeros() as usize % 32];
        (lanes_of(active).filter(|lane| values[*lane] == value).fold(0, |all, lane| all | 1 << lane), value)
    }

    /// Some lanes become a group of their own at an instruction; the others stay where they are.
    fn part(&mut self, lanes: u32, next: u32) {
        self.save();
        self.return_frame();
        let mut split = self.warp.splits[self.at].clone();
        self.warp.splits[self.at].lanes &= !lanes;
        (split.lanes, split.next, split.state) = (lanes, next, SplitState::Ready);
        self.warp.add_split(split);
    }

    /// Calls a function.
    pub fn call(&mut self, call: &MachineCall, active: u32) -> Step {
        if active != self.lanes {
            // The others continue after it, these execute it again as a group of their own.
            let at = self.next;
            self.next += 1;
            self.part(active, at);
            return Step::Changed;
        }
        let target = match call.target {
            CallTarget::Function(target) => target,
            CallTarget::System(function) => {
                system::system_call(self, function, call, active);
                return Step::Next;
            }
            CallTarget::Register(source) => {
                self.require_defined(source, active);
                let (lanes, value) = self.same_value(source, active);
                if lanes != active {
                    // The others execute the call again, after these.
                    self.part(lanes, self.next);
                    self.at = self.warp.splits.len() - 1;
                    self.lanes = lanes;
                }
                let number = value.checked_sub(self.addresses().function_address());
                match number.and_then(|number| self.program.numbered(number)) {
                    Some(index) => index,
                    None => {
                        self.report(ProblemKind::InvalidTarget { value }, lanes.trailing_zeros() as usize);
                        return self.end(lanes);
                    }
                }
            }
        };
        self.enter(target, call)
    }

    /// All lanes of the split enter a function.
    fn enter(&mut self, target: u32, call: &MachineCall) -> Step {
        let active = self.lanes;
        let callee = &self.program.functions[target as usize];
        self.save();
        self.return_frame();
        let caller = self.warp.splits[self.at].stack.last().map_or(0, |one| one.frame);
        let CallFrame { local: caller_local, local_bytes, .. } = self.warp.frames[caller];
        // A call without local memory has a place to return to.
        let local = (caller_local + local_bytes.max(1)).next_multiple_of(FRAME_ALIGNMENT);
        let needed = u64::from(local) + u64::from(callee.frame_bytes);
        // Those of callers are in local memory.
        let slots = self.warp.slots + callee.registers as usize;
        let has_slots = slots <= MAX_SLOTS / self.machine.launch.warps_of_cta().max(1) as usize;
        if needed > MAX_LOCAL || !has_slots {
            let needed = if has_slots { needed } else { needed + 8 * slots as u64 };
            self.report(ProblemKind::StackOverflow { needed }, active.trailing_zeros() as usize);
            return self.end(active);
        }
        let constants = &self.function.constants;
        self.next += 1;
        let frame = self.warp.add_frame(target, callee.registers, local, callee.frame_bytes);
        for lane in lanes_of(active) {
            let memory = self.warp.local_memory(lane, needed as usize);
            memory.define(local as usize, callee.frame_bytes as usize, false);
            let agent = self.agent(lane);
            read_values::enter_function(&mut self.machine.races, agent, local, callee.frame_bytes);
        }
        for (from, to) in call.arguments.iter().zip(&callee.formals.parameters) {
            let places = Transfer { from: (caller, caller_local, *from), to: (frame, local, *to) };
            self.transfer(places, PassedTo::Callee, constants, active);
        }
        let entry = StackEntry { frame, return_to: self.next };
        let split = &mut self.warp.splits[self.at];
        split.stack.push(entry);
        split.next = 0;
        Step::Changed
    }

    /// Copies an argument or a result.
    fn transfer(
        &mut self,
        Transfer { from, to }: Transfer,
        passed: PassedTo,
        constants: &[program::lanes::LaneValues],
        active: u32,
    ) {
        let region = |memory: &MemoryBytes, local: u32, offset: u32, size: u32| {
            memory.read((local + offset) as usize, size as usize)
        };
        for lane in lanes_of(active) {
            let agent = self.agent(lane);
            read_values::pass_value(&mut self.machine.races, agent, passed, (from.2, from.1), (to.2, to.1));
            let (bytes, defined) = match from.2 {
                Formal::Memory { offset, size } => {
                    region(self.warp.local_memory(lane, (from.1 + offset + size) as usize), from.1, offset, size)
                }
                Formal::Register(slot) => {
                    let frame = &self.warp.frames[from.0];
                    let is_defined = frame.defined[slot as usize] >> lane & 1 == 1;
                    let undefined = frame.undefined.get(&(slot, lane as u8)).filter(|_| !is_defined);
                    if let Some(result) = undefined.and_then(UndefinedBits::result_of) {
                        return self.machine.need_result(result);
                    }
                    (frame.registers[slot as usize][lane].to_le_bytes().to_vec(), vec![is_defined; 8])
                }
                Formal::Constant(at) => (constants[at as usize][lane].to_le_bytes().to_vec(), vec![true; 8]),
                Formal::Unused => continue,
            };
            match to.2 {
                Formal::Memory { offset, size } => {
                    let length = bytes.len().min(size as usize);
                    let memory = self.warp.local_memory(lane, (to.1 + offset + size) as usize);
                    memory.write((to.1 + offset) as usize, &bytes[..length], &defined[..length]);
                }
                Formal::Register(slot) => {
                    let value = bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
                    let frame = &mut self.warp.frames[to.0];
                    frame.registers[slot as usize][lane] = value;
                    if defined.iter().all(|is_defined| *is_defined) {
                        frame.defined[slot as usize] |= 1 << lane;
                    } else {
                        frame.defined[slot as usize] &= !(1 << lane);
                        frame.undefined.remove(&(slot, lane as u8));
                    }
                }
                Formal::Constant(_) | Formal::Unused => {}
            }
        }
    }

    /// Returns from a function.
    pub fn return_from(&mut self, active: u32) -> Step {
        let depth = self.warp.splits[self.at].stack.len();
        if depth == 1 {
            return self.exit(active);
        }
        if active != self.lanes {
            let at = self.next;
            self.next += 1;
            self.part(active, at);
            return Step::Changed;
        }
        let (callee, local) = (self.function, self.frame.local);
        self.return_frame();
        let stack = &mut self.warp.splits[self.at].stack;
        let Some(StackEntry { frame, return_to }) = stack.pop() else { return Step::Changed };
        let caller = stack.last().map_or(0, |entry| entry.frame);
        let (caller_function, caller_local) = (self.warp.frames[caller].function, self.warp.frames[caller].local);
        self.warp.splits[self.at].next = return_to;
        let call = &self.program.functions[caller_function as usize].code[return_to as usize - 1].action;
        if let Some(call) = call.flow().call() {
            for (from, to) in callee.formals.results.iter().zip(&call.results) {
                let places = Transfer { from: (frame, local, *from), to: (caller, caller_local, *to) };
                self.transfer(places, PassedTo::Caller, &[], active);
            }
        }
        for lane in lanes_of(active) {
            let agent = self.agent(lane);
            read_values::leave_function(&mut self.machine.races, agent);
        }
        self.warp.release_frame(frame);
        Step::Changed
    }

    /// Ends threads.
    pub fn exit(&mut self, active: u32) -> Step {
        self.end(active)
    }

    fn end(&mut self, lanes: u32) -> Step {
        if lanes != self.lanes {
            self.next += 1;
        }
        self.save();
        self.return_frame();
        self.warp.end_lanes(self.at, lanes);
        barrier_ordering::end_warp_barriers(self);
        let slot = self.warp.cta;
        exit::end_in_cta(self, lanes);
        self.machine.end_threads(slot, lanes.count_ones());
        Step::Changed
    }

    /// Allocates local memory in the frame, the same amount in all lanes.
    pub fn allocate_local(&mut self, destination: Destination, size: Source, active: u32) {
        self.require_defined(size, active);
        let values = self.values(size);
        let largest = lanes_of(active).map(|lane| values[lane]).max().unwrap_or(0);
        let start = (self.frame.local + self.frame.local_bytes).next_multiple_of(FRAME_ALIGNMENT);
        let needed = u64::from(start).saturating_add(largest);
        if needed > MAX_LOCAL {
            return self.report(ProblemKind::StackOverflow { needed }, active.trailing_zeros() as usize);
        }
        self.frame.local_bytes = needed as u32 - self.frame.local;
        self.frame.set(destination, &[start.into(); 32], active);
    }
}

/// From where to where an argument or a result is copied: the frame, the beginning of its local memory, and the place in it.
struct Transfer {
    from: (usize, u32, Formal),
    to: (usize, u32, Formal),
}
