//! Executes the instructions of lanes that run together.

use super::effects::ControlTransfer;
use super::lanes::{LaneValues, holding};
use super::launch::ThreadId;
use super::observed::RunControl;
use super::operand::Source;
use super::problem::{CodePlace, ProblemKind};
use super::program::{MachineAction, MachineFunction, MachineGuard, MachineProgram, ScalarAction, SecondTarget};
use super::state::{Machine, RunState, UnsupportedAt};
use super::warp::{CallFrame, Split, SplitState, Warp};

/// What happens after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
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
pub(super) struct Executor<'m, 'p> {
    pub machine: &'m mut Machine<'p>,
    pub warp: &'m mut Warp,
    pub program: &'p MachineProgram,
    pub function: &'p MachineFunction,
    /// The frame of the innermost call, taken from the warp.
    pub frame: CallFrame,
    /// The index of that frame.
    frame_at: usize,
    /// The index of the function.
    function_at: u32,
    has_returned_frame: bool,
    pub is_tracing: bool,
    /// Whether an iteration of a loop that waits is watched.
    pub is_watching: bool,
    /// The index of the split.
    pub at: usize,
    pub lanes: u32,
    pub next: u32,
    /// The last allocation that an address was in, which the next one is probably in, too.
    pub hint: usize,
    value: LaneValues,
    second: LaneValues,
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

    /// Executes up to `budget` instructions, until the lanes wait, divide, meet others or end. Returns their number.
    pub fn run(mut self, budget: u32) -> u32 {
        let budget = budget.max(self.warp.ahead);
        let mut used = 0;
        let mut changed = false;
        while used < budget && !changed && !self.machine.stopped {
            if self.machine.observer.0.is_some() && self.show() == RunControl::Stop {
                self.machine.stopped = true;
                break;
            }
            used += 1;
            let instruction = &self.function.code[self.next as usize];
            let active = instruction.guard.map_or(self.lanes, |guard| self.guarded(guard));
            self.machine.executed += u64::from(active.count_ones());
            if let Some(executed) = &self.machine.explored.executed
                && (active != 0
                    || matches!(
                        instruction.action.flow(),
                        ControlTransfer::Branch(_) | ControlTransfer::BranchIndexed(..)
                    ))
            {
                executed.note(self.function_at, self.next);
            }
            if self.is_watching {
                self.watch_instruction(&instruction.action);
            }
            let step = match &instruction.action {
                _ if active == 0 => {
                    if self.machine.explored.clock.is_some() {
                        self.note_guarded();
                    }
                    self.note_ways(self.lanes, 0);
                    Step::Next
                }
                action if self.is_tracing => self.execute_traced(action, active, |one| one.execute(action, active)),
                action => self.execute(action, active),
            };
            changed = match step {
                Step::Next => {
                    self.next += 1;
                    false
                }
                Step::Jump(target) => self.jump(target, active),
                Step::WaitAt(state, lanes) => self.wait(self.next, state, lanes),
                Step::WaitBehind(state, lanes) => self.wait(self.next + 1, state, lanes),
                Step::Changed => true,
            };
            if !changed && self.warp.splits.len() > 1 && self.meets_others() {
                self.save();
                changed = true;
            }
        }
        if !changed {
            self.save();
        }
        self.return_frame();
        used
    }

    /// Whether the registers of the innermost call are still at hand.
    pub const fn has_frame(&self) -> bool {
        !self.has_returned_frame
    }

    /// Shows the state to the observer, with the frame where others expect it.
    fn show(&mut self) -> RunControl {
        let Some(observer) = self.machine.observer.0.take() else { return RunControl::Continue };
        self.save();
        std::mem::swap(&mut self.warp.frames[self.frame_at], &mut self.frame);
        let control = loop {
            match observer.before(&RunState { machine: self.machine, running: Some((self.warp, self.at)) }) {
                RunControl::Edit => observer.edits().iter().for_each(|edit| self.machine.edit(self.warp, edit)),
                control => break control,
            }
        };
        std::mem::swap(&mut self.warp.frames[self.frame_at], &mut self.frame);
        self.machine.observer.0 = Some(observer);
        control
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

    /// The lanes in which a guard lets the instruction have its effect.
    pub fn guarded(&mut self, MachineGuard { predicate, expected }: MachineGuard) -> u32 {
        self.require_defined(Source::Register(predicate), self.lanes);
        let holds = holding(&self.frame.registers[predicate as usize], self.lanes);
        if expected { holds } else { self.lanes & !holds }
    }

    /// Whether others that can run are at the same instruction or behind.
    fn meets_others(&self) -> bool {
        let depth = self.warp.splits[self.at].stack.len();
        let ahead = self.warp.ahead > 0;
        self.warp.splits.iter().enumerate().any(|(at, split)| match split.state {
            _ if at == self.at => false,
            SplitState::Ready if split.next == self.next => split.stack.len() == depth,
            SplitState::Ready => !ahead && (split.stack.len(), self.next) > (depth, split.next),
            SplitState::LaneValues { .. } => split.next == self.next,
            _ => false,
        })
    }

    fn jump(&mut self, target: u32, active: u32) -> bool {
        self.note_ways(self.lanes, active);
        let backwards = target <= self.next;
        if active == self.lanes {
            self.next = target;
            return backwards && self.is_spinning();
        }
        self.divide(active, target, SplitState::Ready);
        true
    }

    fn wait(&mut self, at: u32, state: SplitState, active: u32) -> bool {
        if active == self.lanes {
            self.next = at;
            self.save();
            self.warp.splits[self.at].state = state;
        } else {
            self.note_ways(self.lanes & !active, 0);
            self.divide(active, at, state);
        }
        if matches!(state, SplitState::WarpBarrier(_)) {
            self.warp.release_warp_barriers();
        }
        true
    }

    /// The active lanes become a split of their own at an instruction; the others continue after the current one.
    fn divide(&mut self, active: u32, at: u32, state: SplitState) {
        self.next += 1;
        self.save();
        self.detach(active, at, state);
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

    fn execute(&mut self, action: &'p MachineAction, active: u32) -> Step {
        match action {
            MachineAction::Scalar(scalar) => self.scalar(scalar, active),
            MachineAction::Load(load) => self.load(load, active),
            MachineAction::Store(store) => self.store(store, active),
            MachineAction::Branch(target) => {
                self.note_round(*target, active);
                return Step::Jump(*target);
            }
            MachineAction::Move(destination, source) => self.copy(*destination, *source, active),
            MachineAction::Atomic(atomic) => self.atomic(atomic, active),
            MachineAction::Pack(destination, parts) => self.pack(*destination, parts, active),
            MachineAction::Unpack(source, parts) => self.unpack(*source, parts, active),
            MachineAction::ReadSpecial(destination, register) => self.read_special(*destination, *register, active),
            MachineAction::ConvertAddress(destination, source, conversion) => {
                self.convert_address(*destination, *source, *conversion, active);
            }
            MachineAction::IsSpace(destination, source, space) => self.is_space(*destination, *source, *space, active),
            MachineAction::MapToRank(destination, address, rank) => {
                self.map_to_rank(*destination, *address, *rank, active)
            }
            MachineAction::RankOf(destination, address) => self.rank_of(*destination, *address, active),
            MachineAction::Nothing => {}
            MachineAction::Fence(fence) => self.fence(*fence, active),
            MachineAction::ProxyFence(memory) => self.fence_proxy(*memory, active),
            MachineAction::AcquireTensorMap(map) => self.acquire_tensor_map(map, active),
            MachineAction::WaitForEarlierKernel => self.wait_for_earlier_kernel(active),
            MachineAction::LaunchDependents => self.launch_dependents(active),
            MachineAction::BranchIndexed(index, targets) => return self.branch_indexed(*index, targets, active),
            MachineAction::Call(call) => return self.call(call, active),
            MachineAction::Return => return self.return_from(active),
            MachineAction::Exit => return self.exit(active),
            MachineAction::Trap => {
                self.report(ProblemKind::Trap, active.trailing_zeros() as usize);
                self.machine.stopped = true;
            }
            MachineAction::Barrier(barrier) => return self.barrier(barrier, active),
            MachineAction::Collective(collective) => return self.collective(collective, active),
            MachineAction::Matrix(instruction) => return self.matrix(instruction, active),
            MachineAction::Warpgroup(instruction) => return self.warpgroup(instruction, active),
            MachineAction::Tensor(instruction) => return self.tensor(instruction, active),
            MachineAction::Mbarrier(instruction) => self.mbarrier(instruction, active),
            MachineAction::Fill(fill) => self.fill(fill, active),
            MachineAction::CancelLaunch(cancel) => self.cancel_launch(cancel, active),
            MachineAction::LearnAnswer(is_cancelled) => self.learn_answer(*is_cancelled, active),
            MachineAction::Copy(copy) => self.begin_copy(copy, active),
            MachineAction::TensorCopy(copy) => self.begin_tensor_copy(copy, active),
            MachineAction::TensorMap(instruction) => self.change_tensor_map(instruction, active),
            MachineAction::Image(instruction) => self.image(instruction, active),
            MachineAction::CopyGroup(wait) => self.copy_group(*wait, active),
            MachineAction::AllocateLocal(destination, size) => self.allocate_local(*destination, *size, active),
            MachineAction::Unsupported(opcode) => {
                self.machine.unsupported = Some(UnsupportedAt { place: self.place(), opcode: opcode.to_string() });
                self.machine.stopped = true;
            }
        }
        Step::Next
    }

    fn scalar(&mut self, action: &ScalarAction, active: u32) {
        let missing = action.sources.iter().fold(0, |all, source| all | self.missing(*source, active));
        let undefined = if missing == 0 { Vec::new() } else { self.undefined_results(action, missing) };
        let [a, b, c, d] = action.sources.map(|source| values(&self.frame, self.function, source));
        if let SecondTarget::Carry(slot) = action.second {
            self.second = self.frame.registers[slot as usize];
        }
        action.operation.compute_lanes(active, [a, b, c, d], &mut self.value, &mut self.second);
        if let Some(destination) = action.destination {
            self.frame.set(destination, &self.value, active);
        }
        match action.second {
            SecondTarget::None => {}
            SecondTarget::Register(destination) => self.frame.set(destination, &self.second, active),
            SecondTarget::Carry(slot) => {
                self.frame.set(super::operand::Destination { slot, mask: 1 }, &self.second, active);
            }
        }
        if !undefined.is_empty() {
            self.mark_undefined(undefined);
        }
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
}

fn values<'f>(frame: &'f CallFrame, function: &'f MachineFunction, source: Source) -> &'f LaneValues {
    match source {
        Source::Register(slot) => &frame.registers[slot as usize],
        Source::Constant(at) => &function.constants[at as usize],
    }
}
