//! A warp: its lanes, which of them run together, their registers and call stacks.

use crate::copies::pending_copy::GroupNumbers;
use crate::memory::region::MemoryBytes;
use crate::threads::undefined_bits::UndefinedBits;
use crate::waiting::polled_loop::PolledLoop;
use program::analysis::barrier_conditions::ConditionWays;
use program::lanes::{LaneValues, first_lanes, lanes_of};
use program::operand::Destination;
use program::problem::CodePlace;
use std::collections::BTreeMap;

/// A warp.
#[derive(Clone, Debug)]
pub struct Warp {
    /// The slot of its CTA.
    pub cta: usize,
    /// Its number in the CTA.
    pub number: u32,
    /// The lanes that have not ended.
    pub live: u32,
    /// The groups of lanes that run together.
    pub splits: Vec<Split>,
    /// The frames of calls; freed ones have no users.
    pub frames: Vec<CallFrame>,
    /// All frames before this one have users.
    pub first_unused: usize,
    /// The registers of all frames.
    pub slots: usize,
    /// The local memory of each lane.
    pub local: Vec<MemoryBytes>,
    /// The groups of copies that each lane is filling.
    pub groups: Vec<GroupNumbers>,
    /// The phase of the cluster barrier at which it arrived last.
    pub cluster_phase: u64,
    /// Instructions since the group that runs was chosen.
    pub since_choice: u32,
    /// Instructions for which the group that runs may be ahead of others that could run.
    pub ahead: u32,
    /// Lanes that need not execute aligned instructions together with the others any more, because that was reported.
    pub separated: u32,
    /// The ways that lanes have gone from instructions that decide who executes a barrier.
    pub ways: Vec<ConditionWays>,
    /// What an instruction read last, for messages about lanes that wait in a loop.
    pub polled: Option<Polled>,
    /// Whether the last test of an mbarrier has failed.
    pub has_tested_in_vain: bool,
    /// The loops in which lanes have waited, by their first instruction.
    pub waiting_loops: Vec<CodePlace>,
}

/// What an instruction read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polled {
    /// Memory at an address.
    Memory(u64),
    /// An mbarrier: the slot of its CTA, and its offset.
    Mbarrier(usize, u32),
}

/// Lanes that run together: they are at the same instruction, with the same calls.
#[derive(Clone, Debug)]
pub struct Split {
    /// The lanes.
    pub lanes: u32,
    /// The next instruction.
    pub next: u32,
    /// The calls, the innermost last.
    pub stack: Vec<StackEntry>,
    /// Whether they can run.
    pub state: SplitState,
    /// What is known about a loop that they may be waiting in.
    pub spin: SpinWatch,
}

/// A call in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The index of its frame.
    pub frame: usize,
    /// The instruction after the call, in the caller.
    pub return_to: u32,
}

/// Whether lanes can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitState {
    /// They can.
    Ready,
    /// They wait at their next instruction for other lanes of the warp.
    LaneValues {
        /// The lanes that have to be there.
        required: u32,
        /// Whether the instruction is a barrier that takes all lanes of the warp.
        aligned: bool,
    },
    /// They are at a warp barrier, after which they go on once these lanes are at one.
    WarpBarrier(u32),
    /// They wait for the end of a phase of a CTA barrier, and want a result.
    CtaBarrier(BarrierWait),
    /// They wait for the end of a phase of the cluster barrier.
    ClusterBarrier(u64),
    /// They wait until so many columns of tensor memory are free.
    TensorMemory(u32),
    /// They wait until the other warps of their warpgroup have committed the groups of products before a number.
    Warpgroup(u64),
    /// They are in a loop whose state can change only if memory does; this is the version of memory.
    Spinning(u64),
}

/// The wait for a CTA barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierWait {
    /// The number of the barrier.
    pub barrier: usize,
    /// The phase.
    pub phase: u64,
    /// The reduction, and its register.
    pub result: Option<(program::waiting::barrier_instruction::BarrierReduction, Destination)>,
}

/// What is known about a loop.
#[derive(Clone, Debug, Default)]
pub struct SpinWatch {
    /// The jumps backwards since the last look at the state.
    pub jumps: u32,
    /// The instruction, the registers as a hash, and the version of memory, at the last look.
    pub seen: Option<(u32, u64, u64)>,
    /// What the loop polls, once it was found to wait.
    pub polling: Option<Box<PolledLoop>>,
    /// Whether the lanes wait in a loop that reads no memory.
    pub reads_nothing: bool,
    /// The number of steps that others can notice, when it began.
    pub step: u64,
}

/// A register that a product of a warpgroup may not have written yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PendingRegister {
    /// Its slot.
    pub slot: u32,
    /// The group of the product.
    pub group: u64,
    /// The instruction.
    pub place: CodePlace,
    /// The lanes that have a defined value afterwards.
    pub defined: u32,
}

/// The registers and the local memory of a call.
#[derive(Clone, Debug, Default)]
pub struct CallFrame {
    /// The index of the function.
    pub function: u32,
    /// The registers.
    pub registers: Vec<LaneValues>,
    /// The lanes in which each register has a defined value.
    pub defined: Vec<u32>,
    /// What is undefined of registers, by slot and lane, if it is not all or an instruction has read it.
    pub undefined: BTreeMap<(u32, u8), UndefinedBits>,
    /// The registers of products that have not been waited for.
    pub pending: Vec<PendingRegister>,
    /// The first byte of its local memory.
    pub local: u32,
    /// The bytes of its local memory.
    pub local_bytes: u32,
    /// The number of splits that have it on their stack.
    pub users: u32,
}

impl CallFrame {
    /// Writes a register in some lanes.
    #[inline]
    pub fn set(&mut self, destination: Destination, value: &LaneValues, lanes: u32) {
        let Destination { slot, mask } = destination;
        let register = &mut self.registers[slot as usize];
        if lanes == u32::MAX {
            for (to, from) in register.iter_mut().zip(value) {
                *to = from & mask;
            }
        } else {
            for lane in lanes_of(lanes) {
                register[lane] = value[lane] & mask;
            }
        }
        self.defined[slot as usize] |= lanes;
    }

    /// Lets nothing read a register before its product has been waited for.
    pub fn suspend(&mut self, pending: PendingRegister) {
        let defined = std::mem::take(&mut self.defined[pending.slot as usize]);
        self.pending.push(PendingRegister { defined, ..pending });
    }

    /// Lets registers be read whose product has been waited for.
    pub fn settle(&mut self, is_done: impl Fn(&PendingRegister) -> bool) {
        for pending in self.pending.extract_if(.., |pending| is_done(pending)) {
            self.defined[pending.slot as usize] |= pending.defined;
        }
    }

    /// Takes the registers of some lanes from another frame of the function.
    fn take_lanes(&mut self, other: &Self, lanes: u32) {
        // `alloca` gives the calls of one group more than those of another.
        self.local_bytes = self.local_bytes.max(other.local_bytes);
        for (to, from) in self.registers.iter_mut().zip(&other.registers) {
            lanes_of(lanes).for_each(|lane| to[lane] = from[lane]);
        }
        for (to, from) in self.defined.iter_mut().zip(&other.defined) {
            *to = *to & !lanes | from & lanes;
        }
        let is_taken = |lane: u8| lanes >> lane & 1 == 1;
        self.undefined.retain(|(_, lane), _| !is_taken(*lane));
        let taken = other.undefined.iter().filter(|((_, lane), _)| is_taken(*lane));
        self.undefined.extend(taken.map(|(place, bits)| (*place, bits.clone())));
    }
}

impl Warp {
    /// The split that a lane is in.
    pub fn split_of(&self, lane: u32) -> Option<usize> {
        self.splits.iter().position(|split| split.lanes >> lane & 1 == 1)
    }

    /// The next instruction of a split.
    pub fn place(&self, split: usize) -> CodePlace {
        let split = &self.splits[split];
        let frame = split.stack.last().map_or(0, |entry| entry.frame);
        CodePlace { function: self.frames[frame].function, instruction: split.next }
    }

    /// A warp with a number of lanes, at the first instruction of a kernel.
    pub fn new(cta: usize, number: u32, lanes: u32, kernel: u32, registers: u32, local_bytes: u32) -> Self {
        let live = first_lanes(lanes);
        let stack = vec![StackEntry { frame: 0, return_to: 0 }];
        let split = Split { lanes: live, next: 0, stack, state: SplitState::Ready, spin: SpinWatch::default() };
        let mut warp = Self {
            cta,
            number,
            live,
            splits: vec![split],
            frames: Vec::new(),
            first_unused: 0,
            slots: 0,
            local: Vec::new(),
            groups: Vec::new(),
            cluster_phase: 0,
            since_choice: 0,
            ahead: 0,
            separated: 0,
            ways: Vec::new(),
            polled: None,
            has_tested_in_vain: false,
            waiting_loops: Vec::new(),
        };
        warp.add_frame(kernel, registers, 0, local_bytes);
        warp
    }

    /// Adds a frame with one user; returns its index.
    pub fn add_frame(&mut self, function: u32, registers: u32, local: u32, local_bytes: u32) -> usize {
        let slots = registers as usize;
        let unused = self.frames[self.first_unused..].iter().position(|frame| frame.users == 0);
        let at = unused.map_or(self.frames.len(), |after| self.first_unused + after);
        self.first_unused = at + 1;
        if at == self.frames.len() {
            self.frames.push(CallFrame::default());
        }
        let frame = &mut self.frames[at];
        self.slots = self.slots - frame.registers.len() + slots;
        frame.registers.clear();
        frame.registers.resize(slots, [0; 32]);
        frame.defined.clear();
        frame.defined.resize(slots, 0);
        frame.undefined.clear();
        frame.pending.clear();
        (frame.function, frame.local, frame.local_bytes, frame.users) = (function, local, local_bytes, 1);
        at
    }

    /// A split has a frame no longer on its stack.
    pub fn release_frame(&mut self, at: usize) {
        let frame = &mut self.frames[at];
        frame.users -= 1;
        if frame.users == 0 {
            self.first_unused = self.first_unused.min(at);
        }
    }

    /// The local memory of a lane, with at least so many bytes.
    pub fn local_memory(&mut self, lane: usize, bytes: usize) -> &mut MemoryBytes {
        if self.local.is_empty() {
            self.local = vec![MemoryBytes::undefined(0); 32];
        }
        self.local[lane].grow(bytes);
        &mut self.local[lane]
    }

    /// The groups of copies of a lane.
    pub fn group_numbers(&mut self, lane: usize) -> &mut GroupNumbers {
        if self.groups.is_empty() {
            self.groups = vec![GroupNumbers::default(); 32];
        }
        &mut self.groups[lane]
    }

    /// Adds a split that has the same calls as one that exists.
    pub fn add_split(&mut self, split: Split) {
        for entry in &split.stack {
            self.frames[entry.frame].users += 1;
        }
        self.splits.push(split);
    }

    /// Removes a split.
    pub fn remove_split(&mut self, at: usize) -> Split {
        let split = self.splits.swap_remove(at);
        for entry in &split.stack {
            self.release_frame(entry.frame);
        }
        split
    }

    /// Whether some lanes can run.
    pub fn is_ready(&self) -> bool {
        self.splits.iter().any(|split| split.state == SplitState::Ready)
    }

    /// Ends lanes of a split; the whole split if they are all of its lanes. Returns whether the split is gone.
    pub fn end_lanes(&mut self, at: usize, lanes: u32) -> bool {
        self.live &= !lanes;
        self.splits[at].lanes &= !lanes;
        let gone = self.splits[at].lanes == 0;
        if gone {
            self.remove_split(at);
        }
        for split in &mut self.splits {
            // They may have waited for lanes that have ended.
            if matches!(split.state, SplitState::LaneValues { .. }) {
                split.state = SplitState::Ready;
            }
        }
        self.release_warp_barriers();
        gone
    }

    /// Lets those go on whose warp barrier is complete.
    pub fn release_warp_barriers(&mut self) {
        let waits = |split: &Split, mask: u32| split.state == SplitState::WarpBarrier(mask);
        for at in 0..self.splits.len() {
            let SplitState::WarpBarrier(mask) = self.splits[at].state else { continue };
            let present = self.splits.iter().filter(|split| waits(split, mask)).fold(0, |all, split| all | split.lanes);
            if mask & self.live & !present == 0 {
                for split in &mut self.splits {
                    if waits(split, mask) {
                        split.state = SplitState::Ready;
                    }
                }
            }
        }
    }

    /// Whether two splits have the same calls in progress. They may have entered a function one after the other, each with frames of its own.
    fn has_same_calls(&self, one: usize, two: usize) -> bool {
        let (one, two) = (&self.splits[one].stack, &self.splits[two].stack);
        let is_same = |(one, two): (&StackEntry, &StackEntry)| {
            let frames = (&self.frames[one.frame], &self.frames[two.frame]);
            one.frame == two.frame
                || one.return_to == two.return_to
                    && frames.0.function == frames.1.function
                    && frames.0.local == frames.1.local
        };
        one.len() == two.len() && one.iter().zip(two).all(is_same)
    }

    /// Whether two splits are at the same instruction with the same calls.
    pub fn is_same_call(&self, one: usize, two: usize) -> bool {
        self.splits[one].next == self.splits[two].next && self.has_same_calls(one, two)
    }

    /// Moves the registers of a split into the frames of another one with the same calls.
    fn move_values(&mut self, from: usize, to: usize) {
        let lanes = self.splits[from].lanes;
        for call in 0..self.splits[from].stack.len() {
            let (from, to) = (self.splits[from].stack[call].frame, self.splits[to].stack[call].frame);
            if from != to {
                let source = std::mem::take(&mut self.frames[from]);
                self.frames[to].take_lanes(&source, lanes);
                self.frames[from] = source;
            }
        }
    }

    /// Joins splits that are at the same instruction with the same calls to the one at an index. Returns its index.
    pub fn join(&mut self, at: usize) -> usize {
        self.join_among(at, u32::MAX)
    }

    /// The same of those that have some lanes only.
    pub fn join_among(&mut self, mut at: usize, lanes: u32) -> usize {
        let mut other = 0;
        while other < self.splits.len() {
            let two = &self.splits[other];
            let joinable = matches!(two.state, SplitState::Ready | SplitState::LaneValues { .. });
            if other != at && joinable && two.lanes & lanes != 0 && self.is_same_call(at, other) {
                let lanes = two.lanes;
                self.move_values(other, at);
                self.remove_split(other);
                // The last one took its place.
                if at == self.splits.len() {
                    at = other;
                }
                self.splits[at].lanes |= lanes;
            } else {
                other += 1;
            }
        }
        at
    }
}
