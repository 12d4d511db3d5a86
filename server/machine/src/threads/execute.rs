//! Executes the instructions of lanes that run together.

use crate::copies::copy_progress;
use crate::copies::tensor_copies;
use crate::copies::tensor_map_access;
use crate::debug::edit;
use crate::debug::run_observer::RunControl;
use crate::debug::trace_recorder;
use crate::launch::launch_control;
use crate::memory::fill;
use crate::memory::image_access;
use crate::state::{RunState, UnsupportedAt};
use crate::tensor::tensor_access;
use crate::tensor::warpgroup_access;
use crate::threads::executor::{Executor, Step, values};
use crate::threads::matrix_access;
use crate::threads::warp::SplitState;
use crate::waiting::mbarrier_access;
use crate::waiting::polling;
use crate::waiting::skipped;
use crate::waiting::spin;
use crate::waiting::synchronize;
use ordering::load_buffering::value_dependent_branches;
use program::effects::ControlTransfer;
use program::lanes::lanes_of;
use program::machine_program::{MachineAction, ScalarAction, SecondTarget};
use program::problem::ProblemKind;

impl<'m, 'p> Executor<'m, 'p> {
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
                polling::watch_instruction(&mut self, &instruction.action);
            }
            let step = match &instruction.action {
                _ if active == 0 => {
                    if self.machine.explored.clock.is_some() {
                        note_guarded(&mut self);
                    }
                    let lanes = self.lanes;
                    skipped::note_ways(&mut self, lanes, 0);
                    Step::Next
                }
                action if self.is_tracing => {
                    trace_recorder::execute_traced(&mut self, action, active, |one| one.execute(action, active))
                }
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

    /// Shows the state to the observer, with the frame where others expect it.
    fn show(&mut self) -> RunControl {
        let Some(observer) = self.machine.observer.0.take() else { return RunControl::Continue };
        self.save();
        std::mem::swap(&mut self.warp.frames[self.frame_at], &mut self.frame);
        let control = loop {
            match observer.before(&RunState { machine: self.machine, running: Some((self.warp, self.at)) }) {
                RunControl::Edit => observer.edits().iter().for_each(|edit| edit::edit(self.machine, self.warp, edit)),
                control => break control,
            }
        };
        std::mem::swap(&mut self.warp.frames[self.frame_at], &mut self.frame);
        self.machine.observer.0 = Some(observer);
        control
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
        skipped::note_ways(self, self.lanes, active);
        let backwards = target <= self.next;
        if active == self.lanes {
            self.next = target;
            return backwards && spin::is_spinning(self);
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
            skipped::note_ways(self, self.lanes & !active, 0);
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
            MachineAction::AcquireTensorMap(map) => tensor_map_access::acquire_tensor_map(self, map, active),
            MachineAction::WaitForEarlierKernel => synchronize::wait_for_earlier_kernel(self, active),
            MachineAction::LaunchDependents => synchronize::launch_dependents(self, active),
            MachineAction::BranchIndexed(index, targets) => return self.branch_indexed(*index, targets, active),
            MachineAction::Call(call) => return self.call(call, active),
            MachineAction::Return => return self.return_from(active),
            MachineAction::Exit => return self.exit(active),
            MachineAction::Trap => {
                self.report(ProblemKind::Trap, active.trailing_zeros() as usize);
                self.machine.stopped = true;
            }
            MachineAction::Barrier(barrier) => return synchronize::barrier(self, barrier, active),
            MachineAction::Collective(collective) => return synchronize::collective(self, collective, active),
            MachineAction::Matrix(instruction) => return matrix_access::matrix(self, instruction, active),
            MachineAction::Warpgroup(instruction) => return warpgroup_access::warpgroup(self, instruction, active),
            MachineAction::Tensor(instruction) => return tensor_access::tensor(self, instruction, active),
            MachineAction::Mbarrier(instruction) => mbarrier_access::mbarrier(self, instruction, active),
            MachineAction::Fill(fill) => fill::fill(self, fill, active),
            MachineAction::CancelLaunch(cancel) => launch_control::cancel_launch(self, cancel, active),
            MachineAction::LearnAnswer(is_cancelled) => launch_control::learn_answer(self, *is_cancelled, active),
            MachineAction::Copy(copy) => copy_progress::begin_copy(self, copy, active),
            MachineAction::TensorCopy(copy) => tensor_copies::begin_tensor_copy(self, copy, active),
            MachineAction::TensorMap(instruction) => tensor_map_access::change_tensor_map(self, instruction, active),
            MachineAction::Image(instruction) => image_access::image(self, instruction, active),
            MachineAction::CopyGroup(wait) => copy_progress::copy_group(self, *wait, active),
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
        let of = |source| values(&self.frame, self.function, source);
        let [a, b, c, d] = action.sources;
        let [a, b, c, d] = [of(a), of(b), of(c), of(d)];
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
                self.frame.set(program::operand::Destination { slot, mask: 1 }, &self.second, active);
            }
        }
        if !undefined.is_empty() {
            self.mark_undefined(undefined);
        }
    }
}

/// The guard of the next instruction is false for all lanes.
fn note_guarded(executor: &mut Executor<'_, '_>) {
    let place = executor.place();
    for lane in lanes_of(executor.lanes) {
        let agent = executor.agent(lane);
        value_dependent_branches::note_guarded(&mut executor.machine.races, agent, place);
    }
}
