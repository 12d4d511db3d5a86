//! The lanes of a warp that run, and what instructions need of them: operands, places, threads and memory.

use crate::state::Machine;
use crate::threads::warp::{CallFrame, Split, SplitState, Warp};
use ordering::Agent;
use program::lanes::LaneValues;
use program::launch::kernel_launch::ThreadId;
use program::machine_program::{MachineFunction, MachineProgram};
use program::operand::{Destination, Source};
use program::problem::{CodePlace, ProblemKind};

/// What happens after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The lanes continue after it.
    Next,
    /// The lanes that executed it continue at another instruction.
    Jump(u32),
    /// These lanes, all or some of those that executed it, wait at it.
    WaitAt(SplitState, u32),
    /// These lanes, all or some of those that executed it, wait after it.
    WaitBehind(SplitState, u32),
    /// The groups of lanes have changed.
    Changed,
}

/// The lanes of a warp that run, with the registers of their innermost call.
pub struct Executor<'m, 'p> {
    /// The state of all threads.
    pub machine: &'m mut Machine<'p>,
    /// The warp of the lanes, taken from the machine.
    pub warp: &'m mut Warp,
    /// The program that runs.
    pub program: &'p MachineProgram,
    /// The function that the lanes are in.
    pub function: &'p MachineFunction,
    /// The frame of the innermost call, taken from the warp.
    pub frame: CallFrame,
    /// The index of that frame.
    pub frame_at: usize,
    /// The index of the function.
    pub function_at: u32,
    has_returned_frame: bool,
    /// Whether instructions and accesses are traced.
    pub is_tracing: bool,
    /// Whether an iteration of a loop that waits is watched.
    pub is_watching: bool,
    /// The index of the split.
    pub at: usize,
    /// The lanes that run, a bit each.
    pub lanes: u32,
    /// The index of the instruction that is executed.
    pub next: u32,
    /// The last allocation that an address was in, which the next one is probably in, too.
    pub hint: usize,
    /// Space for results.
    pub value: LaneValues,
    /// Space for second results.
    pub second: LaneValues,
}

impl<'m, 'p> Executor<'m, 'p> {
    /// An executor for a split of a warp.
    pub fn new(machine: &'m mut Machine<'p>, warp: &'m mut Warp, at: usize) -> Self {
        let program = machine.program;
        let split = &warp.splits[at];
        let (lanes, next) = (split.lanes, split.next);
        let frame_at = split.stack.last().map_or(0, |entry| entry.frame);
        let frame = std::mem::take(&mut warp.frames[frame_at]);
        let function_at = frame.function;
        let function = &program.functions[function_at as usize];
        let (value, second) = ([0; 32], [0; 32]);
        let is_tracing = !machine.launch.trace.is_empty();
        let is_watching = split.spin.polling.is_some();
        Self {
            machine,
            warp,
            program,
            function,
            frame,
            frame_at,
            function_at,
            has_returned_frame: false,
            is_tracing,
            is_watching,
            at,
            lanes,
            next,
            hint: 0,
            value,
            second,
        }
    }
}

impl Executor<'_, '_> {
    /// Whether the registers of the innermost call are still at hand.
    pub const fn has_frame(&self) -> bool {
        !self.has_returned_frame
    }

    /// Returns the frame to the warp, before the calls or the groups of lanes change.
    pub fn return_frame(&mut self) {
        if !self.has_returned_frame {
            self.warp.frames[self.frame_at] = std::mem::take(&mut self.frame);
            self.has_returned_frame = true;
        }
    }

    /// Looks at the warp, with the registers of the innermost call where others expect them.
    pub fn look<T>(&mut self, look: impl FnOnce(&Machine, &Warp, &Split) -> T) -> T {
        self.save();
        std::mem::swap(&mut self.warp.frames[self.frame_at], &mut self.frame);
        let seen = look(self.machine, self.warp, &self.warp.splits[self.at]);
        std::mem::swap(&mut self.warp.frames[self.frame_at], &mut self.frame);
        seen
    }

    /// A copy of the warp as it is now.
    pub fn warp_now(&self) -> Warp {
        let mut warp = self.warp.clone();
        warp.frames[self.frame_at].clone_from(&self.frame);
        warp.splits[self.at].next = self.next;
        warp
    }

    /// Writes the position back to the split.
    pub fn save(&mut self) {
        self.warp.splits[self.at].next = self.next;
    }

    /// The active lanes become a split of their own at an instruction.
    pub fn detach(&mut self, active: u32, at: u32, state: SplitState) {
        self.lanes &= !active;
        self.warp.splits[self.at].lanes &= !active;
        self.warp.splits[self.at].spin.polling = None;
        self.is_watching = false;
        let mut split = self.warp.splits[self.at].clone();
        (split.lanes, split.next, split.state) = (active, at, state);
        // The frame is counted while it is taken, too.
        self.frame.users += 1;
        let outer = split.stack.len() - 1;
        for entry in &split.stack[..outer] {
            self.warp.frames[entry.frame].users += 1;
        }
        self.warp.splits.push(split);
    }

    /// The values of an operand.
    pub fn values(&self, source: Source) -> &LaneValues {
        values(&self.frame, self.function, source)
    }

    /// The lanes of `active` in which an operand has a defined value.
    pub fn defined(&self, source: Source, active: u32) -> u32 {
        match source {
            Source::Register(slot) => self.frame.defined[slot as usize] & active,
            Source::Constant(_) => active,
        }
    }

    /// The current instruction.
    pub fn place(&self) -> CodePlace {
        CodePlace { function: self.function_at, instruction: self.next }
    }

    /// The thread of a lane.
    pub fn thread(&self, lane: usize) -> ThreadId {
        self.machine.thread(self.warp, lane)
    }

    /// Reports a problem of a lane at the current instruction.
    pub fn report(&mut self, kind: ProblemKind, lane: usize) {
        let (thread, place) = (self.thread(lane), self.place());
        self.machine.report(kind, thread, place);
    }

    /// The thread of a lane, for the detector of data races.
    pub fn agent(&self, lane: usize) -> Agent {
        Agent { lane: lane as u32, ..self.machine.first_agent(self.warp) }
    }

    /// Whether the instruction reads no message, but has a value of its own.
    pub fn is_unconstrained_read(&self) -> bool {
        self.machine.explored.unconstrained_reads.places.contains(&self.place())
    }

    /// Writes a register of one lane.
    #[inline]
    pub fn set_lane(&mut self, Destination { slot, mask }: Destination, lane: usize, value: u64) {
        self.frame.registers[slot as usize][lane] = value & mask;
        self.frame.defined[slot as usize] |= 1 << lane;
    }
}

/// The values of an operand.
pub fn values<'f>(frame: &'f CallFrame, function: &'f MachineFunction, source: Source) -> &'f LaneValues {
    match source {
        Source::Register(slot) => &frame.registers[slot as usize],
        Source::Constant(at) => &function.constants[at as usize],
    }
}
