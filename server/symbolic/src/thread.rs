//! One thread of a block: its registers, and what it does until it waits.

use crate::arithmetic::{ADDRESSES, computed, converted};
use crate::code::Code;
use crate::context::BlockContext;
use crate::shadow::ThreadAccess;
use crate::step::{AccessBytes, CodeStep, SharedAccess, SharedAccessKind, ThreadStep};
use crate::trial::TrialLaunch;
use crate::value::{SymbolicValue, ValueCertainty, ValueOrigin};
use program::{
    AsyncCopy, BarrierAction, CtaBarrierInstruction, Destination, GroupAction, GroupKind, MachineAddress, MemorySpace,
    ScalarAction, SecondTarget, Source, ThreadScheduling,
};

/// A thread.
pub(crate) struct SymbolicThread {
    /// Its number in the block.
    pub number: u32,
    /// Its number among the threads that are evaluated.
    pub index: u32,
    registers: Vec<SymbolicValue>,
    next: u32,
    /// Why it does not go on.
    pub state: SymbolicThreadState,
    /// The epochs of the threads that it knows of, its own included.
    pub clock: Vec<u32>,
    /// The writes of its copies that have not ended, by group; the last group is open.
    groups: Vec<Vec<ThreadAccess>>,
    steps: usize,
}

/// Whether a thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolicThreadState {
    /// It can go on.
    Running,
    /// It waits at a barrier with a number, for so many threads or for all.
    Barrier(u64, Option<u64>),
    /// It waits for all threads of the cluster.
    Cluster,
    /// It waits for the lanes of a mask, or for those that are there.
    Lanes(Option<u32>),
    /// It has ended.
    Ended,
    /// What it does is not known, or no longer followed.
    Stopped,
}

impl SymbolicThread {
    /// A thread at the begin of the kernel.
    pub fn new(number: u32, index: u32, code: &Code, threads: usize, steps: usize) -> Self {
        let mut clock = vec![0; threads];
        clock[index as usize] = 1;
        let registers = vec![SymbolicValue::UNKNOWN; code.function.registers as usize];
        Self {
            number,
            index,
            registers,
            next: 0,
            state: SymbolicThreadState::Running,
            clock,
            groups: vec![Vec::new()],
            steps,
        }
    }

    /// Whether it does nothing more.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, SymbolicThreadState::Ended | SymbolicThreadState::Stopped)
    }

    /// Goes on until it waits or ends.
    pub fn run(&mut self, block: &mut BlockContext) {
        while self.state == SymbolicThreadState::Running {
            let code = block.code;
            let step = code.steps.get(self.next as usize).filter(|_| self.steps > 0 && !block.is_out_of_bounds);
            let Some(step) = step else {
                let has_ended = self.next as usize == code.steps.len();
                block.is_incomplete |= self.steps == 0;
                self.state = if has_ended { SymbolicThreadState::Ended } else { SymbolicThreadState::Stopped };
                return;
            };
            self.steps -= 1;
            let guard = step.guard.map(|guard| (self.registers[guard.predicate as usize].known(), guard.expected));
            match guard {
                Some((Some(predicate), expected)) if (predicate != 0) != expected => self.next += 1,
                Some((None, _)) => self.execute_perhaps(step, block),
                _ => self.execute(step, block),
            }
        }
    }

    /// Executes a step whose guard is not known.
    fn execute_perhaps(&mut self, step: &CodeStep, block: &mut BlockContext) {
        block.has_unknown_writes = true;
        if step.step.continues() && !step.step.orders() {
            self.fill(&step.written, SymbolicValue::UNKNOWN);
            self.next += 1;
        } else {
            self.skip(block);
        }
    }

    /// Goes on where the ways of a branch meet that may take any of them.
    fn skip(&mut self, block: &mut BlockContext) {
        block.has_unknown_writes = true;
        let region = block.control.region(block.code, self.next);
        match region.end {
            Some(end) => {
                let written = region.written.clone();
                self.fill(&written, SymbolicValue::UNKNOWN);
                self.next = end;
            }
            None => self.state = SymbolicThreadState::Stopped,
        }
    }

    fn fill(&mut self, slots: &[u32], value: SymbolicValue) {
        slots.iter().for_each(|slot| self.registers[*slot as usize] = value);
    }

    fn execute(&mut self, step: &CodeStep, block: &mut BlockContext) {
        if self.transfer(&step.step, block) {
            return;
        }
        match &step.step {
            ThreadStep::Nothing
            | ThreadStep::Branch(_)
            | ThreadStep::BranchIndexed(..)
            | ThreadStep::End
            | ThreadStep::Order => {}
            ThreadStep::Compute(scalar) => self.compute(scalar, block),
            ThreadStep::Move(to, from) => self.set(*to, self.value(*from, block)),
            ThreadStep::Pack(to, parts) => self.pack(*to, parts, block),
            ThreadStep::Unpack(from, parts) => self.unpack(*from, parts, block),
            ThreadStep::Special(to, special) => {
                let value = block.launch.special(*special, self.number);
                self.set(*to, value.map_or(SymbolicValue::UNKNOWN, SymbolicValue::number));
            }
            ThreadStep::Convert(to, from, conversion) => {
                let value = converted(self.value(*from, block), *conversion);
                self.set(*to, value);
            }
            ThreadStep::Parameter(address, bytes, elements) => self.read_parameter(address, *bytes, elements, block),
            ThreadStep::Unknown => self.fill(&step.written, SymbolicValue::UNKNOWN),
            ThreadStep::Access(access) => {
                self.access(access, block);
                self.fill(&step.written, SymbolicValue::LOADED);
            }
            ThreadStep::Loaded => self.fill(&step.written, SymbolicValue::LOADED),
            ThreadStep::Copy(copy) => self.copy(copy, block),
            ThreadStep::Group(wait) => {
                if wait.kind == GroupKind::Copies {
                    self.group(wait.action, block);
                }
            }
            ThreadStep::Barrier(barrier) => self.state = self.at_barrier(barrier, block),
            ThreadStep::ClusterWait => self.state = SymbolicThreadState::Cluster,
            ThreadStep::Lanes(members) => {
                let mask = members.and_then(|members| self.value(members, block).known()).map(|mask| mask as u32);
                let is_member = mask.is_none_or(|mask| mask >> (self.number % 32) & 1 == 1);
                self.state = if is_member { SymbolicThreadState::Lanes(mask) } else { SymbolicThreadState::Stopped };
            }
        }
        if step.step.orders() {
            self.fill(&step.written, SymbolicValue::UNKNOWN);
        }
        self.next += 1;
    }

    /// Goes on elsewhere, or ends; whether the step does so.
    fn transfer(&mut self, step: &ThreadStep, block: &mut BlockContext) -> bool {
        match step {
            ThreadStep::Branch(target) => self.next = *target,
            ThreadStep::BranchIndexed(index, targets) => {
                match self.value(*index, block).known().and_then(|index| targets.get(index as usize)) {
                    Some(target) => self.next = *target,
                    None => self.skip(block),
                }
            }
            ThreadStep::End => self.state = SymbolicThreadState::Ended,
            ThreadStep::Order => {
                block.has_unknown_writes = true;
                self.state = SymbolicThreadState::Stopped;
            }
            _ => return false,
        }
        true
    }

    /// Its state at a barrier. Threads that only arrive are not followed any further.
    fn at_barrier(&self, barrier: &CtaBarrierInstruction, block: &BlockContext) -> SymbolicThreadState {
        let number = self.value(barrier.barrier, block).known();
        let threads = barrier.threads.map(|threads| self.value(threads, block).known());
        match (number, threads, barrier.mode) {
            (None, ..) | (_, Some(None), _) | (.., BarrierAction::Arrive) => SymbolicThreadState::Stopped,
            (Some(number), threads, _) => SymbolicThreadState::Barrier(number, threads.flatten()),
        }
    }

    fn unpack(&mut self, from: Source, parts: &[(Option<Destination>, u32)], block: &BlockContext) {
        let (value, mut shift) = (self.value(from, block), 0);
        // Nothing is known of a part of a sum.
        let is_sum = value.certainty == ValueCertainty::Indexed && value != SymbolicValue::LOADED;
        let value = if is_sum { SymbolicValue::UNKNOWN } else { value };
        for (to, bits) in parts {
            if let Some(to) = to {
                let bits = value.bits.checked_shr(shift).unwrap_or(0);
                self.set(*to, SymbolicValue { bits, ..value });
            }
            shift += bits;
        }
    }

    /// The value of an operand.
    fn value(&self, source: Source, block: &BlockContext) -> SymbolicValue {
        match source {
            Source::Register(slot) => self.registers[slot as usize],
            Source::Constant(constant) => {
                let bits = block.code.function.constants[constant as usize][0];
                let origin = block.kernel.variable_of(constant).map_or(ValueOrigin::Number, ValueOrigin::Variable);
                SymbolicValue { bits, origin, certainty: ValueCertainty::Known }
            }
        }
    }

    fn set(&mut self, to: Destination, value: SymbolicValue) {
        self.registers[to.slot as usize] = SymbolicValue { bits: value.bits & to.mask, ..value };
    }

    fn pack(&mut self, to: Destination, parts: &[(Source, u32)], block: &BlockContext) {
        let (mut packed, mut shift) = (SymbolicValue::number(0), 0);
        for (part, bits) in parts {
            let value = self.value(*part, block);
            let mask = if *bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            packed.bits |= (value.bits & mask).checked_shl(shift).unwrap_or(0);
            packed.origin = packed.origin.joined(value.origin);
            if !value.is_known() {
                packed.certainty = ValueCertainty::Unknown;
            }
            shift += bits;
        }
        self.set(to, packed);
    }

    fn compute(&mut self, scalar: &ScalarAction, block: &BlockContext) {
        let types = scalar.operation.source_types();
        let mut sources = scalar.sources.map(|source| self.value(source, block));
        sources[types.len().min(4)..].fill(SymbolicValue::number(0));
        let carry = match scalar.second {
            SecondTarget::Carry(slot) => self.registers[slot as usize],
            SecondTarget::None | SecondTarget::Register(_) => SymbolicValue::number(0),
        };
        let (value, second) = if carry.is_known() || !scalar.operation.reads_carry() {
            computed(scalar, &mut sources, types, carry.bits)
        } else {
            (SymbolicValue::UNKNOWN, SymbolicValue::UNKNOWN)
        };
        if let Some(to) = scalar.destination {
            self.set(to, value);
        }
        match scalar.second {
            SecondTarget::None => {}
            SecondTarget::Register(to) => self.set(to, second),
            SecondTarget::Carry(slot) => self.set(Destination { slot, mask: 1 }, second),
        }
    }

    fn read_parameter(
        &mut self,
        address: &MachineAddress,
        bytes: u32,
        elements: &[Option<Destination>],
        block: &mut BlockContext,
    ) {
        let first = self.value(address.base, block).known().map(|base| address.of(base));
        for (number, to) in elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let Some(first) = first else {
                self.set(*to, SymbolicValue::UNKNOWN);
                continue;
            };
            let offset = first + number as u64 * u64::from(bytes);
            let value = if bytes == 8 && block.code.is_pointer[to.slot as usize] {
                SymbolicValue { origin: ValueOrigin::Pointer, ..SymbolicValue::number(TrialLaunch::pointer(offset)) }
            } else {
                if !block.parameters.contains(&offset) {
                    block.parameters.push(offset);
                }
                SymbolicValue::number(block.launch.integer(bytes))
            };
            self.set(*to, value);
        }
    }

    /// The first byte of an access in shared memory, and the variable that it is meant for.
    fn shared_address(&self, address: &MachineAddress, block: &BlockContext) -> Option<SymbolicValue> {
        let base = self.value(address.base, block);
        let bits = address.of(base.bits);
        if base.certainty == ValueCertainty::Unknown {
            return None;
        }
        let is_shared = address.space != MemorySpace::Generic || ADDRESSES.window(bits) == MemorySpace::SharedCluster;
        is_shared.then(|| SymbolicValue { bits: ADDRESSES.shared_address(bits), ..base })
    }

    fn access(&mut self, access: &SharedAccess, block: &mut BlockContext) {
        if access.lanes >> (self.number % 32) & 1 == 0 {
            return;
        }
        let Some(address) = self.shared_address(access.address, block) else {
            block.has_unknown_writes |= access.writes();
            return;
        };
        let bytes = match access.bytes {
            AccessBytes::Fixed(bytes) => Some(u64::from(bytes)),
            AccessBytes::Of(bytes) => self.value(bytes, block).known(),
        };
        let Some(bytes) = bytes else { return };
        block.accesses[self.next as usize] = true;
        block.has_indexed |= address.certainty == ValueCertainty::Indexed;
        if let (ValueOrigin::Variable(variable), true) = (address.origin, block.compares_indexed) {
            let bytes = bytes as u32;
            let own = ThreadAccess { bytes, epoch: self.epoch(), ..self.at(address.bits, access.kind) };
            let mut indexed = std::mem::take(&mut block.indexed);
            let knows = |thread: u32, epoch: u32| self.knows(thread, epoch, block);
            let warp = |thread: u32| block.numbers[thread as usize] / 32;
            indexed.record(variable, own, address.certainty == ValueCertainty::Indexed, knows, warp);
            block.indexed = indexed;
        }
        if !address.is_known() {
            block.has_unknown_writes |= access.writes();
            return;
        }
        let value = match (access.values, access.bytes) {
            ([value], _) => self.value(*value, block).known(),
            (_, AccessBytes::Of(_)) => Some(0),
            _ => None,
        };
        let Some(bytes) = block.in_bounds(address, bytes) else { return };
        self.record(ThreadAccess { bytes, value, ..self.at(address.bits, access.kind) }, block);
    }

    /// An access by the current step.
    fn at(&self, address: u64, kind: SharedAccessKind) -> ThreadAccess {
        ThreadAccess { thread: self.index, epoch: 0, step: self.next, address, bytes: 0, kind, value: None }
    }

    /// How many barriers it has passed.
    fn epoch(&self) -> u32 {
        self.clock[self.index as usize]
    }

    /// Whether what another thread has done up to an epoch is before what it does now. Before sm_70, the lanes of a warp run together.
    fn knows(&self, thread: u32, epoch: u32, block: &BlockContext) -> bool {
        let is_lockstep = block.kernel.scheduling == ThreadScheduling::Lockstep;
        self.clock[thread as usize] >= epoch || is_lockstep && block.numbers[thread as usize] / 32 == self.number / 32
    }

    /// Records an access at the current moment.
    fn record(&self, access: ThreadAccess, block: &mut BlockContext) {
        let access = ThreadAccess { epoch: self.epoch(), ..access };
        let mut shadow = std::mem::take(&mut block.shadow);
        let mut conflicts = std::mem::take(&mut block.conflicts);
        let same_warp = |other: u32| block.numbers[other as usize] / 32 == self.number / 32;
        let knows = |thread, epoch| self.knows(thread, epoch, block);
        shadow.record(access, knows, same_warp, |conflict| conflicts.push(conflict));
        (block.shadow, block.conflicts) = (shadow, conflicts);
    }

    /// A copy writes at any time up to the end of its group; its write is recorded at both ends.
    fn copy(&mut self, copy: &AsyncCopy, block: &mut BlockContext) {
        let address = self.shared_address(&copy.destination, block).filter(|address| address.is_known());
        block.has_unknown_writes |= address.is_none();
        let Some(address) = address else { return };
        let Some(bytes) = self.value(copy.bytes, block).known() else { return };
        let Some(bytes) = block.in_bounds(address, bytes) else { return };
        let write = ThreadAccess { bytes, ..self.at(address.bits, SharedAccessKind::Write) };
        block.accesses[self.next as usize] = true;
        self.record(write, block);
        if let Some(open) = self.groups.last_mut() {
            open.push(write);
        }
    }

    fn group(&mut self, action: GroupAction, block: &mut BlockContext) {
        let ended = match action {
            GroupAction::Commit => {
                self.groups.push(Vec::new());
                return;
            }
            GroupAction::Wait(left) | GroupAction::WaitRead(left) => {
                (self.groups.len() - 1).saturating_sub(left as usize)
            }
            GroupAction::WaitAll => {
                self.groups.push(Vec::new());
                self.groups.len() - 1
            }
        };
        for write in self.groups.drain(..ended).flatten().collect::<Vec<_>>() {
            self.record(write, block);
        }
    }
}
