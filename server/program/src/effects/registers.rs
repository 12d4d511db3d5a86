//! The registers that an instruction reads and writes.

use crate::call::{CallTarget, Formal, Formals};
use crate::copies::async_copy::{AsyncCopy, Completion, CopyPart, CopySource};
use crate::copies::tensor_map::{TensorCopy, TensorCopyMode, TensorDirection};
use crate::effects::ControlTransfer;
use crate::machine_program::{MachineAction, SecondTarget};
use crate::matrix::MatrixInstruction;
use crate::operand::Source;
use crate::tensor::tensor_instruction::{MultipliedMatrix, TensorAction};
use crate::waiting::barrier_instruction::{BarrierAction, BarrierInstruction};
use crate::waiting::mbarrier_instruction::{MbarrierAction, MbarrierInstruction, TestedPhase};

/// The registers that an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub struct RegisterAccesses {
    /// Those that it reads, but for its guard.
    pub read: Vec<u32>,
    /// Those that it writes.
    pub written: Vec<u32>,
}

impl RegisterAccesses {
    /// Those of an instruction of a function, whose results `ret` reads; `None` if they are not known.
    pub fn in_function(action: &MachineAction, formals: &Formals) -> Option<Self> {
        match action.flow() {
            ControlTransfer::Return => Some(Self { read: formals.result_registers().collect(), written: Vec::new() }),
            ControlTransfer::Next
            | ControlTransfer::Branch(_)
            | ControlTransfer::BranchIndexed(..)
            | ControlTransfer::Call(_)
            | ControlTransfer::Exit
            | ControlTransfer::Trap => Self::of(action),
        }
    }

    /// Those of an instruction; `None` if they are not known, as those of `ret`, which depend on the function.
    pub fn of(action: &MachineAction) -> Option<Self> {
        let mut accesses = Self::default();
        accesses.add(action).then_some(accesses)
    }

    fn reads(&mut self, source: Source) {
        if let Source::Register(register) = source {
            self.read.push(register);
        }
    }

    /// Adds those of an instruction. Returns whether all that it reads are known.
    fn add(&mut self, action: &MachineAction) -> bool {
        self.written.extend(action.written().iter().map(|one| one.slot));
        self.add_read(action)
    }

    /// Adds those that an instruction reads. Returns whether they are known.
    fn add_read(&mut self, action: &MachineAction) -> bool {
        match action {
            MachineAction::Nothing
            | MachineAction::Fence(_)
            | MachineAction::ProxyFence(_)
            | MachineAction::WaitForEarlierKernel
            | MachineAction::LaunchDependents
            | MachineAction::Branch(_)
            | MachineAction::Exit
            | MachineAction::Trap
            | MachineAction::ReadSpecial(..)
            | MachineAction::CopyGroup(_) => {}
            MachineAction::AcquireTensorMap(map) => self.reads(map.base),
            MachineAction::Scalar(scalar) => {
                scalar.sources.iter().for_each(|source| self.reads(*source));
                match scalar.second {
                    SecondTarget::None | SecondTarget::Register(_) => {}
                    SecondTarget::Carry(slot) => self.read.push(slot),
                }
            }
            MachineAction::Move(_, source)
            | MachineAction::ConvertAddress(_, source, _)
            | MachineAction::IsSpace(_, source, _)
            | MachineAction::RankOf(_, source)
            | MachineAction::Unpack(source, _)
            | MachineAction::AllocateLocal(_, source) => self.reads(*source),
            MachineAction::MapToRank(_, address, rank) => {
                self.reads(*address);
                self.reads(*rank);
            }
            MachineAction::Pack(_, parts) => parts.iter().for_each(|(part, _)| self.reads(*part)),
            MachineAction::Load(load) => self.reads(load.address.base),
            MachineAction::Store(store) => {
                self.reads(store.address.base);
                store.elements.iter().for_each(|element| self.reads(*element));
            }
            MachineAction::Atomic(atomic) => {
                self.reads(atomic.address.base);
                atomic.b.iter().chain(&atomic.c).for_each(|source| self.reads(*source));
            }
            MachineAction::BranchIndexed(index, _) => self.reads(*index),
            MachineAction::LearnAnswer(is_cancelled) => self.reads(*is_cancelled),
            MachineAction::Barrier(barrier) => self.add_barrier(barrier),
            MachineAction::Matrix(matrix) => self.add_matrix(matrix),
            MachineAction::Collective(collective) => {
                collective.members.into_iter().for_each(|members| self.reads(members));
                collective.sources.iter().for_each(|source| self.reads(*source));
            }
            MachineAction::Image(image) => {
                self.reads(image.handle);
                image.action.sources().for_each(|source| self.reads(*source));
            }
            MachineAction::Mbarrier(mbarrier) => self.add_mbarrier(mbarrier),
            MachineAction::Tensor(instruction) => self.add_tensor(&instruction.action),
            MachineAction::Copy(copy) => self.add_copy(copy),
            MachineAction::TensorCopy(copy) => self.add_tensor_copy(copy),
            MachineAction::Fill(fill) => {
                self.reads(fill.address.base);
                self.reads(fill.bytes);
            }
            MachineAction::Call(call) => {
                if let CallTarget::Register(target) = call.target {
                    self.reads(target);
                }
                self.read.extend(call.arguments.iter().filter_map(Formal::register));
            }
            // What `ret` reads depends on the function. The others are taken to read every register.
            MachineAction::Return
            | MachineAction::Warpgroup(_)
            | MachineAction::CancelLaunch(_)
            | MachineAction::TensorMap(_)
            | MachineAction::Unsupported(_) => return false,
        }
        true
    }

    fn add_matrix(&mut self, matrix: &MatrixInstruction) {
        match matrix {
            MatrixInstruction::Load(address, ..) => self.reads(address.base),
            MatrixInstruction::Store(address, registers, _) => {
                self.reads(address.base);
                registers.iter().for_each(|register| self.reads(*register));
            }
            MatrixInstruction::Move(_, source) => self.reads(*source),
            MatrixInstruction::Multiply(product) => {
                let fragments = [&product.a, &product.b, &product.c];
                fragments.iter().flat_map(|one| &one.registers).for_each(|register| self.reads(*register));
                product.sparsity.iter().for_each(|sparsity| self.reads(sparsity.metadata));
            }
            MatrixInstruction::LoadFragment(access) => {
                self.reads(access.address.base);
                self.reads(access.stride.0);
            }
            MatrixInstruction::StoreFragment(access) => {
                self.reads(access.address.base);
                self.reads(access.stride.0);
                access.fragment.registers.iter().for_each(|register| self.reads(*register));
            }
        }
    }

    fn add_tensor_copy(&mut self, copy: &TensorCopy) {
        [copy.map.base, copy.shared.base].iter().chain(&copy.coordinates).for_each(|source| self.reads(*source));
        if let TensorCopyMode::Pixels(offsets) = &copy.mode {
            offsets.iter().for_each(|source| self.reads(*source));
        }
        if let TensorDirection::Load { barrier, multicast } = &copy.direction {
            self.reads(barrier.base);
            multicast.iter().for_each(|(ranks, _)| self.reads(*ranks));
        }
    }

    fn add_copy(&mut self, AsyncCopy { destination, source, bytes, completion, multicast, part, .. }: &AsyncCopy) {
        self.reads(destination.base);
        self.reads(*bytes);
        match source {
            CopySource::Memory { address, bytes } => {
                self.reads(address.base);
                bytes.iter().for_each(|bytes| self.reads(*bytes));
            }
            CopySource::Registers(sources, _) => sources.iter().for_each(|source| self.reads(*source)),
        }
        if let Completion::Mbarrier(barrier) = completion {
            self.reads(barrier.base);
        }
        multicast.iter().for_each(|ranks| self.reads(*ranks));
        match part {
            CopyPart::All => {}
            CopyPart::Masked(mask) => self.reads(*mask),
            CopyPart::Inner(left, right) => {
                self.reads(*left);
                self.reads(*right);
            }
        }
    }

    fn add_barrier(&mut self, barrier: &BarrierInstruction) {
        match barrier {
            BarrierInstruction::Cta(barrier) => {
                self.reads(barrier.barrier);
                barrier.threads.into_iter().for_each(|threads| self.reads(threads));
                if let BarrierAction::Reduce(_, predicate, _) = barrier.mode {
                    self.reads(predicate);
                }
            }
            BarrierInstruction::Warp(members) => self.reads(*members),
            BarrierInstruction::ClusterArrive(..) | BarrierInstruction::ClusterWait(_) => {}
        }
    }

    fn add_tensor(&mut self, action: &TensorAction) {
        match action {
            TensorAction::Relinquish | TensorAction::Wait(_) | TensorAction::Fence(_) => {}
            TensorAction::Allocate(address, columns, _) => {
                self.reads(address.base);
                self.reads(*columns);
            }
            TensorAction::Free(address, columns) => {
                self.reads(*address);
                self.reads(*columns);
            }
            TensorAction::Load(tile, _) => self.reads(tile.address.base),
            TensorAction::Store(tile, registers) => {
                self.reads(tile.address.base);
                registers.iter().for_each(|register| self.reads(*register));
            }
            TensorAction::Multiply(multiply) => {
                let a = match &multiply.a {
                    MultipliedMatrix::Shared(descriptor) => *descriptor,
                    MultipliedMatrix::Tensor(address) => address.base,
                };
                let all = [a, multiply.b, multiply.accumulator.base, multiply.descriptor, multiply.accumulates];
                let inputs = multiply.inputs.iter().map(|input| input.base);
                let all = all.into_iter().chain(inputs).chain(multiply.disabled_lanes.iter().copied());
                all.for_each(|source| self.reads(source));
            }
            TensorAction::Copy(copy) => {
                self.reads(copy.address.base);
                self.reads(copy.descriptor);
            }
            TensorAction::Shift(address, _) => self.reads(address.base),
            TensorAction::Commit(address, ranks) => {
                self.reads(address.base);
                ranks.iter().for_each(|ranks| self.reads(*ranks));
            }
        }
    }

    fn add_mbarrier(&mut self, MbarrierInstruction { address, operation, .. }: &MbarrierInstruction) {
        self.reads(address.base);
        match operation {
            MbarrierAction::Initialize(source)
            | MbarrierAction::ExpectBytes(source)
            | MbarrierAction::CompleteBytes(source) => self.reads(*source),
            MbarrierAction::Arrive { count, bytes, .. } => {
                self.reads(*count);
                bytes.iter().for_each(|bytes| self.reads(*bytes));
            }
            MbarrierAction::Test(_, TestedPhase::State(source) | TestedPhase::Parity(source)) => self.reads(*source),
            MbarrierAction::Invalidate | MbarrierAction::ArriveAfterCopies(_) => {}
        }
    }
}
