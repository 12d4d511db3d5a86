//! Executes one instruction of a run: adds its events and the nodes of the values that it computes.

use crate::Bits;
use crate::code::arithmetic::{Alu, Compare};
use crate::code::instruction::{Access, BarrierMode, FenceKind, ModelInstruction, ModelOperand};
use crate::code::program::{Scope, Sem};
use crate::relations::event::{EventKind, OperationFence};
use crate::relations::event_set::MAX_EVENTS;
use crate::runs::access::{AtomicComputation, MemoryOperand};
use crate::runs::node::Node;
use crate::runs::run::{Assumption, BarrierEvent, GuardScope, ProgramRun, RunKind, Stop};

impl ProgramRun<'_> {
    /// Executes one instruction; returns whether the thread can continue.
    pub fn step(&mut self, thread: usize, values: &[Option<Bits>], open: &mut Vec<Self>) -> Result<bool, Stop> {
        let program = self.program;
        let at = self.threads[thread].program_counter;
        let Some(instruction) = program.threads[thread].code.get(at) else {
            // An iteration that is repeated and then left is redundant.
            if self.threads[thread].repeats.is_some() {
                return Err(Stop::Redundant);
            }
            self.threads[thread].done = true;
            return Ok(false);
        };
        if at == 0 && !self.begins(thread) {
            return Ok(false);
        }
        if self.events.len() + 2 > MAX_EVENTS {
            return Err(Stop::TooLong);
        }
        if at >= self.threads[thread].guard.end {
            self.threads[thread].guard = GuardScope::default();
        }
        if self.kind == RunKind::Endless && self.may_wait_forever(thread, instruction) {
            open.push(self.waiting(thread));
        }
        let Some(next) = self.execute(thread, instruction, values, open)? else { return Ok(false) };
        if next <= at {
            self.jump_back(thread, next, values)?;
        }
        self.threads[thread].program_counter = next;
        Ok(true)
    }

    /// Executes an instruction; returns the index of the next one, if that is known.
    fn execute(
        &mut self,
        thread: usize,
        instruction: &ModelInstruction,
        values: &[Option<Bits>],
        open: &mut Vec<Self>,
    ) -> Result<Option<usize>, Stop> {
        match *instruction {
            ModelInstruction::Compute { to, alu, a, b } => self.arithmetic(thread, to, alu, [a, b]),
            ModelInstruction::Select { to, when, a, b } => self.select(thread, to, [when, a, b]),
            ModelInstruction::Apply { to, ref function, operands } => {
                let operands = operands.map(|operand| self.operand(thread, operand));
                let node = self.compute(Node::Apply(function.clone(), operands));
                self.set(thread, to, node);
            }
            ModelInstruction::Load { to, at, bytes, access } => {
                self.load(thread, to, MemoryOperand { at, bytes, access })?
            }
            ModelInstruction::Store { at, value, bytes, access } => {
                self.store(thread, value, MemoryOperand { at, bytes, access })?;
            }
            ModelInstruction::Update { to, at, update, b, c, bytes, access, reduction } => {
                let atomic = AtomicComputation { to, update, b, c, reduction };
                self.update(thread, atomic, MemoryOperand { at, bytes, access }, open)?;
            }
            ModelInstruction::Fence(kind) => self.fence(thread, kind),
            ModelInstruction::Issue { .. } => self.issue(thread)?,
            ModelInstruction::IssueFence => self.issue_fence(thread),
            ModelInstruction::ReleaseOperations { .. } => self.operation_fence(thread, OperationFence::Release),
            ModelInstruction::AcquireOperations => self.operation_fence(thread, OperationFence::Acquire),
            ModelInstruction::Await { .. } => self.await_operations(thread),
            ModelInstruction::TestPhase { to, at, bytes, phase, access } => {
                self.test_phase(thread, (to, phase), MemoryOperand { at, bytes, access })?;
            }
            ModelInstruction::Barrier { id, quorum, mode, orders, .. } => {
                self.barrier(thread, BarrierOperands { id, quorum, mode, orders });
            }
            ModelInstruction::Branch { when: None, target, .. } => return Ok(Some(target)),
            ModelInstruction::Branch { when: Some((compare, a, b)), target, guard } => {
                let condition = self.comparison(thread, compare, [a, b]);
                return Ok(self.branch(thread, ConditionalBranch { condition, target, guard }, values, open));
            }
        }
        Ok(Some(self.next(thread)))
    }

    /// The index of the instruction after the current one.
    pub fn next(&self, thread: usize) -> usize {
        self.threads[thread].program_counter + 1
    }

    fn arithmetic(&mut self, thread: usize, to: usize, alu: Alu, operands: [ModelOperand; 2]) {
        let [a, b] = operands.map(|operand| self.operand(thread, operand));
        let node = self.compute(Node::Compute(alu, a, b));
        self.set(thread, to, node);
    }

    fn select(&mut self, thread: usize, to: usize, operands: [ModelOperand; 3]) {
        let [when, a, b] = operands.map(|operand| self.operand(thread, operand));
        let node = self.compute(Node::Select(when, a, b));
        self.set(thread, to, node);
    }

    fn fence(&mut self, thread: usize, kind: FenceKind) {
        let mut event = self.event(Some(thread), EventKind::Fence, Access::strong(Sem::Relaxed, Scope::Cta));
        match kind {
            FenceKind::Acquire(scope) => (event.acquire, event.scope) = (true, scope),
            FenceKind::Release(scope) => (event.release, event.scope) = (true, scope),
            FenceKind::AcqRel(scope) => (event.acquire, event.release, event.scope) = (true, true, scope),
            FenceKind::Sc(scope) => (event.acquire, event.release, event.sc, event.scope) = (true, true, true, scope),
            FenceKind::Proxy(fence) => {
                (event.kind, event.proxy, event.strong) = (EventKind::ProxyFence, fence.proxy, false);
                event.proxy_fence = Some(fence);
            }
            FenceKind::Alias => (event.kind, event.strong) = (EventKind::AliasFence, false),
            FenceKind::MbarrierInit => {
                (event.release, event.scope, event.mbarrier_init) = (true, Scope::Cluster, true);
            }
        }
        event.dependencies = self.control_dependencies(thread);
        self.events.push(event);
    }

    pub fn barrier(&mut self, thread: usize, BarrierOperands { id, quorum, mode, orders }: BarrierOperands) {
        let id = self.operand(thread, id);
        let quorum = quorum.map(|quorum| self.operand(thread, quorum));
        let kinds: &[EventKind] = match mode {
            BarrierMode::Sync => &[EventKind::Arrive, EventKind::Wait],
            BarrierMode::Arrive => &[EventKind::Arrive],
            BarrierMode::Wait => &[EventKind::Wait],
        };
        for kind in kinds {
            let mut event = self.event(Some(thread), *kind, Access::weak());
            event.orders = orders;
            event.dependencies = self.control_dependencies(thread);
            self.barriers.push(BarrierEvent { event: self.events.len(), thread, id, quorum });
            self.events.push(event);
        }
        self.threads[thread].effects += 1;
    }

    fn comparison(&mut self, thread: usize, compare: Compare, operands: [ModelOperand; 2]) -> usize {
        let [a, b] = operands.map(|operand| self.operand(thread, operand));
        self.compute(Node::Compare(compare, a, b))
    }

    /// The index of the next instruction after a branch. If the condition of a guard is unknown, the run forks: one skips the guarded
    /// instructions, the other executes them. At any other branch with an unknown condition the thread waits.
    fn branch(
        &mut self,
        thread: usize,
        ConditionalBranch { condition, target, guard }: ConditionalBranch,
        values: &[Option<Bits>],
        open: &mut Vec<Self>,
    ) -> Option<usize> {
        let next = self.next(thread);
        let skips = guard && target >= next;
        let taken = match self.value(condition, values) {
            Some(value) => value != 0,
            None if skips => {
                let mut skipping = self.clone();
                skipping.assumptions.push(Assumption { node: condition, holds: true });
                skipping.threads[thread].program_counter = target;
                open.push(skipping);
                self.assumptions.push(Assumption { node: condition, holds: false });
                false
            }
            None => {
                self.threads[thread].waits_for = Some(condition);
                return None;
            }
        };
        let dependencies = self.dependencies[condition];
        let state = &mut self.threads[thread];
        state.waits_for = None;
        if skips {
            state.guard.dependencies |= dependencies;
            state.guard.end = state.guard.end.max(target);
        } else {
            state.control_dependencies |= dependencies;
        }
        Some(if taken { target } else { next })
    }
}

/// A conditional branch.
struct ConditionalBranch {
    /// The node of the condition.
    condition: usize,
    /// The index of the target instruction.
    target: usize,
    /// Whether it is the guard of the instructions before the target.
    guard: bool,
}

/// The operands of a barrier instruction.
pub struct BarrierOperands {
    pub id: ModelOperand,
    pub quorum: Option<ModelOperand>,
    pub mode: BarrierMode,
    pub orders: bool,
}
