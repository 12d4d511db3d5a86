//! Traces of a thread, for every guess of the values that it reads.

use super::event::{Dependent, Event, What};
use super::loops::{Iteration, Loops, Wait};
use super::mutant::Mutant;
use memory_model::{
    Access, BarrierLevel, BarrierMode, Bits, FenceKind, IssueOrder, ModelAddress, ModelInstruction, ModelOperand,
    OperationFence, Program, Proxy, Scope, Sem, Update, mbarrier::MbarrierState,
};
use std::collections::{BTreeMap, BTreeSet};

/// The values that can be read from each memory.
pub type Values = Vec<BTreeSet<Bits>>;

/// What a thread does if its reads see certain values.
#[derive(Clone)]
pub struct Trace {
    pub events: Vec<Event>,
    pub registers: Vec<Bits>,
    /// How it waits without end, if it does.
    pub wait: Option<Wait>,
}

impl Trace {
    /// Nothing, because the operation is not issued.
    pub fn not_issued(program: &Program, thread: usize) -> Trace {
        let registers = program.threads[thread].registers.iter().map(|register| register.init).collect();
        Trace { events: Vec::new(), registers, wait: None }
    }
}

/// Runs a thread for every choice of the values that it reads.
pub fn run(
    program: &Program,
    thread: usize,
    values: &Values,
    mutant: Mutant,
    chosen: &mut Vec<Bits>,
    found: &mut Vec<Trace>,
) -> Option<()> {
    if found.len() > 20_000 || chosen.len() > 8 {
        // With this mutant, threads that write the same again and again are followed without end.
        return (mutant == Mutant::SameValueIsEffect).then_some(());
    }
    match ThreadRun::new(program, thread, chosen, mutant).follow() {
        Follow::Needs(memory) => {
            for value in &values[memory] {
                chosen.push(*value);
                run(program, thread, values, mutant, chosen, found)?;
                chosen.pop();
            }
        }
        Follow::Ends(trace) => found.push(trace),
        Follow::Endless => {}
    }
    Some(())
}

/// The result of a run with given values for its reads.
enum Follow {
    Ends(Trace),
    /// Another read needs a value of a memory.
    Needs(usize),
    /// It has no trace: a loop does not end, a value is not an address, or a barrier has a quorum.
    Endless,
}

/// A run of a thread with given values for its reads.
struct ThreadRun<'a> {
    program: &'a Program,
    thread: usize,
    mutant: Mutant,
    /// The values of the reads that have not happened yet.
    reads: std::slice::Iter<'a, Bits>,
    registers: Vec<Dependent>,
    events: Vec<Event>,
    /// The reads that branches so far depend on.
    control: BTreeSet<usize>,
    /// The number of arrivals or waits so far, by barrier.
    rounds: BTreeMap<(BarrierLevel, u64, Bits, bool), usize>,
    at: usize,
    loops: Loops,
}

/// Why a run stops before the end of the thread.
type Step = Result<(), Follow>;

impl<'a> ThreadRun<'a> {
    fn new(program: &'a Program, thread: usize, reads: &'a [Bits], mutant: Mutant) -> Self {
        let registers = program.threads[thread].registers.iter();
        ThreadRun {
            program,
            thread,
            mutant,
            reads: reads.iter(),
            registers: registers.map(|register| (register.init, BTreeSet::new())).collect(),
            events: Vec::new(),
            control: BTreeSet::new(),
            rounds: BTreeMap::new(),
            at: 0,
            loops: Loops::default(),
        }
    }

    fn follow(mut self) -> Follow {
        let mut steps = 0;
        while let Some(instruction) = self.program.threads[self.thread].code.get(self.at) {
            steps += 1;
            if steps > 24 {
                return Follow::Endless;
            }
            let before = self.at;
            self.at += 1;
            if let Err(stop) = self.step(instruction) {
                return stop;
            }
            if self.at <= before {
                match self.loops.jump_back(self.at, &self.registers, &self.events, self.mutant) {
                    Iteration::New => {}
                    Iteration::Redundant => return Follow::Endless,
                    Iteration::Repeated(wait) => return Follow::Ends(self.trace(Some(wait))),
                }
            }
        }
        Follow::Ends(self.trace(None))
    }

    fn trace(self, wait: Option<Wait>) -> Trace {
        Trace { events: self.events, registers: self.registers.into_iter().map(|(value, _)| value).collect(), wait }
    }

    fn step(&mut self, instruction: &ModelInstruction) -> Step {
        match instruction {
            ModelInstruction::Compute { to, alu, a, b } => {
                let ((a, mut needs), (b, more)) = (self.get(a), self.get(b));
                needs.extend(more);
                self.registers[*to] = (alu.apply(a, b), needs);
            }
            ModelInstruction::Select { to, when, a, b } => {
                let [when, a, b] = [when, a, b].map(|operand| self.get(operand));
                let needs = [&when.1, &a.1, &b.1].into_iter().flatten().copied().collect();
                self.registers[*to] = (if when.0 != 0 { a.0 } else { b.0 }, needs);
            }
            ModelInstruction::Apply { to, function, operands } => {
                let operands = operands.map(|operand| self.get(&operand));
                let needs = operands.iter().flat_map(|(_, needs)| needs).copied().collect();
                self.registers[*to] = (function.apply(operands.map(|(value, _)| value)), needs);
            }
            ModelInstruction::Load { .. } => self.load(instruction)?,
            ModelInstruction::Store { .. } => self.store(instruction)?,
            ModelInstruction::Update { .. } => self.update(instruction)?,
            ModelInstruction::Fence(kind) => self.fence(*kind),
            ModelInstruction::Barrier { .. } => self.barrier(instruction)?,
            ModelInstruction::Issue { thread } => {
                let mut event = self.event(What::Issue);
                (event.issues, event.needs) = (Some(*thread), self.control.clone());
                let at_issue = self.program.threads[*thread].issue_order == IssueOrder::Issue;
                if at_issue || self.mutant == Mutant::NoIssueFence {
                    event.orders_before.push(*thread);
                }
                self.events.push(event);
            }
            ModelInstruction::IssueFence => {
                let mut event = self.event(What::IssueFence);
                let at = self.at - 1;
                let is_for = |thread: &usize| {
                    let operation = &self.program.threads[*thread];
                    operation.issuer.is_some_and(|(issuer, _)| issuer == self.thread)
                        && operation.issue_order == IssueOrder::Fence(Some(at))
                };
                event.orders_before = (0..self.program.threads.len()).filter(is_for).collect();
                self.events.push(event);
            }
            ModelInstruction::ReleaseOperations { operations } => {
                let mut event = self.operation_fence(OperationFence::Release);
                event.awaits.clone_from(operations);
                self.events.push(event);
            }
            ModelInstruction::AcquireOperations => {
                let event = self.operation_fence(OperationFence::Acquire);
                self.events.push(event);
            }
            ModelInstruction::Await { operations } => {
                let mut event = self.event(What::Await);
                event.awaits.clone_from(operations);
                self.events.push(event);
            }
            ModelInstruction::TestPhase { to, at, phase, access, .. } => {
                let before = self.events.len();
                let (phase, mut needs) = self.get(phase);
                self.load(&ModelInstruction::Load { to: Some(*to), at: *at, bytes: 8, access: *access })?;
                self.events[before].mbarrier = true;
                needs.insert(before);
                let parity = MbarrierState::in_phase(1);
                let complete = (self.registers[*to].0 ^ phase) & parity != 0;
                self.registers[*to] = (complete.into(), needs);
            }
            ModelInstruction::Branch { when: None, target, .. } => self.at = *target,
            ModelInstruction::Branch { when: Some((compare, a, b)), target, .. } => {
                let ((a, needs), (b, more)) = (self.get(a), self.get(b));
                if self.mutant != Mutant::NoControl {
                    self.control.extend(needs.into_iter().chain(more));
                }
                if compare.holds(a, b) {
                    self.at = *target;
                }
            }
        }
        Ok(())
    }

    fn get(&self, operand: &ModelOperand) -> Dependent {
        match operand {
            ModelOperand::Register(register) => self.registers[*register].clone(),
            ModelOperand::Constant(value) => (*value, BTreeSet::new()),
        }
    }

    /// The location at an address. A value that no thread writes may not be an address; such a run has no trace.
    fn location(&self, address: &ModelAddress) -> Result<(usize, BTreeSet<usize>), Follow> {
        match address {
            ModelAddress::Location(location) => Ok((*location, BTreeSet::new())),
            ModelAddress::Register(register, offset) => {
                let (base, needs) = self.registers[*register].clone();
                let location = self.program.at((base as u64).wrapping_add_signed(*offset), 8);
                Ok((location.ok_or(Follow::Endless)?, needs))
            }
        }
    }

    fn event(&self, what: What) -> Event {
        Event::new(what, Some(self.thread), self.program.threads[self.thread].place)
    }

    /// A fence that orders asynchronous operations alone.
    fn operation_fence(&self, kind: OperationFence) -> Event {
        let mut event = self.event(What::Fence);
        (event.strong, event.scope) = (true, Scope::Sys);
        event.operation_fence = Some(kind);
        let works = self.mutant != Mutant::NoTensorFence;
        (event.release, event.acquire) =
            (works && kind == OperationFence::Release, works && kind == OperationFence::Acquire);
        event
    }

    /// A read or write of a location.
    fn access(&self, what: What, access: &Access, location: usize) -> Event {
        let mut event = self.event(what);
        let Access { order, scope, proxy, .. } = *access;
        event.strong = order != Sem::Weak || self.mutant == Mutant::WeakIsStrong;
        (event.scope, event.proxy) =
            (scope, if self.mutant == Mutant::ProxiesIgnored { Proxy::Generic } else { proxy });
        if self.mutant == Mutant::VolatileIsWeak && order == Sem::Relaxed && scope == Scope::Sys {
            event.strong = false;
        }
        let (reads, writes) = match self.mutant {
            Mutant::HalvesSwapped => (What::Write, What::Read),
            _ => (What::Read, What::Write),
        };
        event.acquire = what == reads && matches!(order, Sem::Acquire | Sem::AcqRel);
        event.release = what == writes && matches!(order, Sem::Release | Sem::AcqRel);
        event.memory = self.program.physical(location);
        event.space = self.program.locations[event.memory].space;
        event.address = match self.mutant {
            Mutant::AliasesIgnored => event.memory,
            _ => self.program.generic(location),
        };
        event
    }

    fn load(&mut self, instruction: &ModelInstruction) -> Step {
        let ModelInstruction::Load { to, at: address, access, .. } = instruction else { return Ok(()) };
        let (location, needs) = self.location(address)?;
        let value = *self.reads.next().ok_or(Follow::Needs(self.program.physical(location)))?;
        let mut event = self.access(What::Read, access, location);
        event.acquire = access.order == Sem::Acquire;
        (event.value, event.needs) = (value, needs.union(&self.control).copied().collect());
        if let Some(to) = to {
            self.registers[*to] = (value, [self.events.len()].into());
        }
        self.events.push(event);
        Ok(())
    }

    fn store(&mut self, instruction: &ModelInstruction) -> Step {
        let ModelInstruction::Store { at: address, value, access, .. } = instruction else { return Ok(()) };
        let (location, needs) = self.location(address)?;
        let (value, more) = self.get(value);
        let mut event = self.access(What::Write, access, location);
        event.release = access.order == Sem::Release;
        event.value = value;
        event.needs = needs.into_iter().chain(more).chain(self.control.iter().copied()).collect();
        self.events.push(event);
        Ok(())
    }

    fn update(&mut self, instruction: &ModelInstruction) -> Step {
        let ModelInstruction::Update { to, at: address, update, b, c, access, reduction, .. } = instruction else {
            return Ok(());
        };
        let (location, needs) = self.location(address)?;
        let old = *self.reads.next().ok_or(Follow::Needs(self.program.physical(location)))?;
        let ((b, b_needs), (c, c_needs)) = (self.get(b), self.get(c));
        let mut read = self.access(What::Read, access, location);
        (read.red, read.mbarrier) = (*reduction, *update == Update::Mbarrier);
        (read.value, read.needs) = (old, needs.union(&self.control).copied().collect());
        let half = self.events.len();
        let base: BTreeSet<usize> = read.needs.clone();
        let new = update.apply(old, b, c);
        let new = if self.mutant == Mutant::FailedCasWrites { new.or(Some(old)) } else { new };
        if let Some(value) = new {
            read.half = Some(half + 1);
            self.events.push(read);
            let mut write = self.access(What::Write, access, location);
            (write.red, write.value, write.half) = (*reduction, value, Some(half));
            write.mbarrier = *update == Update::Mbarrier;
            write.needs = base.into_iter().chain(b_needs).chain(c_needs).collect();
            if update.depends() {
                write.needs.insert(half);
            }
            self.events.push(write);
        } else {
            self.events.push(read);
        }
        if let Some(to) = to {
            self.registers[*to] = (old, [half].into());
        }
        Ok(())
    }

    fn fence(&mut self, kind: FenceKind) {
        let mut event = self.event(What::Fence);
        event.strong = true;
        match kind {
            FenceKind::Acquire(scope) => (event.acquire, event.scope) = (true, scope),
            FenceKind::Release(scope) => (event.release, event.scope) = (true, scope),
            FenceKind::AcqRel(scope) => (event.acquire, event.release, event.scope) = (true, true, scope),
            FenceKind::Sc(scope) => {
                let both = self.mutant != Mutant::ScIsNotAcqRel;
                (event.acquire, event.release, event.sc, event.scope) = (both, both, true, scope);
            }
            FenceKind::Proxy(fence) => {
                (event.what, event.proxy, event.strong) = (What::ProxyFence, fence.proxy, false);
                event.fence = Some(fence);
            }
            FenceKind::Alias => (event.what, event.strong) = (What::AliasFence, false),
            FenceKind::MbarrierInit => {
                (event.release, event.scope) = (self.mutant != Mutant::NoMbarrierInitFence, Scope::Cluster);
                event.mbarrier_init = self.mutant != Mutant::MbarrierInitFenceIsFull;
            }
        }
        self.events.push(event);
    }

    fn barrier(&mut self, instruction: &ModelInstruction) -> Step {
        let ModelInstruction::Barrier { level, instance, id, mode, quorum: None, orders } = instruction else {
            return Err(Follow::Endless);
        };
        let (id, _) = self.get(id);
        for (what, excluded) in [(What::Arrive, BarrierMode::Wait), (What::Wait, BarrierMode::Arrive)] {
            if *mode != excluded || self.mutant == Mutant::ArriveWaits {
                let round = self.rounds.entry((*level, *instance, id, what == What::Wait)).or_default();
                let number = *round;
                *round += 1;
                let mut event = self.event(what);
                event.round = Some((*level, *instance, id, number));
                event.orders = *orders;
                self.events.push(event);
            }
        }
        Ok(())
    }
}
