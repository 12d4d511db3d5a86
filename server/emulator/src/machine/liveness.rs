//! Which registers of a function may still be read before they are written: states that differ in others only are the same.

use super::asynchronous::{AsyncCopy, Completion, CopyPart, CopySource};
use super::barrier::{BarrierAction, BarrierInstruction};
use super::mbarrier::{MbarrierAction, MbarrierInstruction, TestedPhase};
use super::operand::Source;
use super::problem::CodePlace;
use super::program::{CallTarget, Formal, MachineAction, MachineFunction, MachineInstruction, SecondTarget};
use super::tensor_instruction::{MultipliedMatrix, TensorAction};
use super::tensor_map::{TensorCopy, TensorCopyMode, TensorDirection};
use std::collections::HashMap;

/// A set of register slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterSet(Vec<u64>);

impl RegisterSet {
    /// None of so many.
    pub fn empty(registers: u32) -> Self {
        Self(vec![0; registers.div_ceil(64) as usize])
    }

    /// Adds a register.
    pub fn insert(&mut self, register: u32) {
        self.0[register as usize / 64] |= 1 << (register % 64);
    }

    fn remove(&mut self, register: u32) {
        self.0[register as usize / 64] &= !(1 << (register % 64));
    }

    fn insert_all(&mut self) {
        self.0.fill(u64::MAX);
    }

    /// Adds the registers of another set; returns whether some were new.
    fn unite(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (own, new) in self.0.iter_mut().zip(&other.0) {
            changed |= *new & !*own != 0;
            *own |= new;
        }
        changed
    }

    /// The registers, in order.
    pub fn registers(&self) -> impl Iterator<Item = u32> {
        let words = (0_u32..).step_by(64).zip(&self.0).filter(|(_, word)| **word != 0);
        words.flat_map(|(first, word)| (0..64).filter(move |bit| *word >> bit & 1 == 1).map(move |bit| first + bit))
    }

    /// Whether a register is in the set.
    pub fn contains(&self, register: usize) -> bool {
        self.0[register / 64] >> (register % 64) & 1 == 1
    }
}

/// What is known about the registers that are still read, of functions for which that was asked.
#[derive(Clone, Debug, Default)]
pub struct KnownLiveness(HashMap<u32, Vec<RegisterSet>>);

impl KnownLiveness {
    /// Whether an instruction after a place may read a register.
    pub fn is_live_behind(&mut self, function: &MachineFunction, place: CodePlace, register: u32) -> bool {
        let live = self.0.entry(place.function).or_insert_with(|| live_registers(function));
        let mut found = false;
        successors(&function.code[place.instruction as usize], place.instruction as usize, |next| {
            found |= live.get(next).is_some_and(|live| live.contains(register as usize));
        });
        found
    }
}

/// The registers that may be read at or after each instruction of a function.
pub fn live_registers(function: &MachineFunction) -> Vec<RegisterSet> {
    let code = &function.code;
    let mut live = vec![RegisterSet::empty(function.registers); code.len() + 1];
    loop {
        let mut changed = false;
        for at in (0..code.len()).rev() {
            let mut before = RegisterSet::empty(function.registers);
            successors(&code[at], at, |next| {
                before.unite(&live[next.min(code.len())]);
            });
            transfer(&code[at], &function.formals.results, &mut before);
            changed |= live[at].unite(&before);
        }
        if !changed {
            return live;
        }
    }
}

/// The registers that some instruction of a function may read.
pub fn read_registers(function: &MachineFunction) -> RegisterSet {
    let mut all = RegisterSet::empty(function.registers);
    let mut accesses = RegisterAccesses::default();
    for instruction in &function.code {
        instruction.guard.iter().for_each(|guard| all.insert(guard.predicate));
        let is_known = matches!(instruction.action, MachineAction::Return) || accesses.add(&instruction.action);
        if !is_known {
            all.insert_all();
        }
    }
    let results = function.formals.results.iter().filter_map(register);
    accesses.read.into_iter().chain(results).for_each(|register| all.insert(register));
    all
}

/// Calls `visit` with each instruction that can be executed after one.
pub fn successors(instruction: &MachineInstruction, at: usize, mut visit: impl FnMut(usize)) {
    let mut leaves = false;
    match &instruction.action {
        MachineAction::Branch(target) => {
            visit(*target as usize);
            leaves = true;
        }
        MachineAction::BranchIndexed(_, targets) => {
            targets.iter().for_each(|target| visit(*target as usize));
            leaves = true;
        }
        MachineAction::Return | MachineAction::Exit | MachineAction::Trap => leaves = true,
        _ => {}
    }
    if !leaves || instruction.guard.is_some() {
        visit(at + 1);
    }
}

/// From what is live after an instruction to what is before it.
fn transfer(instruction: &MachineInstruction, results: &[Formal], live: &mut RegisterSet) {
    let mut accesses = RegisterAccesses::default();
    let is_known = match &instruction.action {
        MachineAction::Return => {
            accesses.read.extend(results.iter().filter_map(register));
            true
        }
        action => accesses.add(action),
    };
    if let Some(guard) = instruction.guard {
        // It may have no effect.
        accesses.written.clear();
        live.insert(guard.predicate);
    }
    if is_known {
        accesses.written.iter().for_each(|register| live.remove(*register));
    } else {
        // It may read what it writes.
        live.insert_all();
    }
    accesses.read.iter().for_each(|register| live.insert(*register));
}

fn register(formal: &Formal) -> Option<u32> {
    if let Formal::Register(register) = formal { Some(*register) } else { None }
}

/// The registers of a function that may be read at or after each instruction.
#[derive(Clone, Debug)]
pub struct LiveRegisters(Vec<RegisterSet>);

impl LiveRegisters {
    /// Those of a function.
    pub fn of(function: &MachineFunction) -> Self {
        Self(live_registers(function))
    }

    /// Whether an instruction, or one after it, may read a register before it is written.
    pub fn is_live_before(&self, instruction: u32, register: u32) -> bool {
        self.0.get(instruction as usize).is_some_and(|live| live.contains(register as usize))
    }
}

/// The registers that an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub struct RegisterAccesses {
    /// Those that it reads, but for its guard.
    pub read: Vec<u32>,
    /// Those that it writes.
    pub written: Vec<u32>,
}

impl RegisterAccesses {
    /// Those of an instruction; `None` if they are not known.
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
                self.read.extend(call.arguments.iter().filter_map(register));
            }
            // What `ret` reads depends on the function. The others are taken to read every register.
            MachineAction::Return
            | MachineAction::Matrix(_)
            | MachineAction::Warpgroup(_)
            | MachineAction::CancelLaunch(_)
            | MachineAction::TensorMap(_)
            | MachineAction::Unsupported(_) => return false,
        }
        true
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
