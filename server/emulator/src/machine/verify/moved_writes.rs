//! Whether values that reads have may decide where threads write, and whether they do.
//!
//! What is written elsewhere instead, or not at all, is no dependency of a read that misses it. Then a value may be needed that only such a read
//! makes, and that no search finds which begins with the values that are known.

use super::super::liveness::RegisterAccesses;
use super::super::operand::{MachineAddress, MemorySpace, Source};
use super::super::problem::CodePlace;
use super::super::program::{CallTarget, Formal, MachineAction, MachineCall, MachineInstruction, MachineProgram};
use isa::types::Op;
use std::collections::BTreeSet;

/// Whether the values of some reads may reach an address of a write, what a compare-and-swap expects, or the guard of a write. It is asked of
/// registers and state spaces, whatever the order of the instructions.
pub fn may_move_writes(program: &MachineProgram, reads: &BTreeSet<CodePlace>) -> bool {
    let mut reached = ReachedValues { registers: BTreeSet::new(), spaces: Vec::new() };
    loop {
        let before = (reached.registers.len(), reached.spaces.len());
        for (function, code) in (0_u32..).zip(program.functions.iter().map(|function| &function.code)) {
            for (at, instruction) in (0_u32..).zip(code) {
                if reads.contains(&CodePlace { function, instruction: at }) {
                    reached.write(function, RegisterAccesses::of(&instruction.action));
                }
                if reached.moves_write(program, function, instruction) {
                    return true;
                }
            }
        }
        if before == (reached.registers.len(), reached.spaces.len()) {
            return false;
        }
    }
}

/// What the values may be in.
struct ReachedValues {
    /// The registers, each with its function.
    registers: BTreeSet<(u32, u32)>,
    /// The state spaces with memory that has them.
    spaces: Vec<MemorySpace>,
}

impl ReachedValues {
    fn has(&self, function: u32, source: Source) -> bool {
        matches!(source, Source::Register(register) if self.registers.contains(&(function, register)))
    }

    fn has_any(&self, function: u32, sources: &[Source]) -> bool {
        sources.iter().any(|source| self.has(function, *source))
    }

    fn is_in(&self, space: MemorySpace) -> bool {
        spaces_of(space).iter().any(|one| self.spaces.contains(one))
    }

    fn store(&mut self, space: MemorySpace) {
        for one in spaces_of(space) {
            if !self.spaces.contains(one) {
                self.spaces.push(*one);
            }
        }
    }

    /// Adds what an instruction passes on. Returns whether the values decide about a write.
    fn moves_write(&mut self, program: &MachineProgram, function: u32, instruction: &MachineInstruction) -> bool {
        let is_guarded = instruction.guard.is_some_and(|guard| self.registers.contains(&(function, guard.predicate)));
        let accesses = RegisterAccesses::of(&instruction.action);
        let reads = accesses.iter().flat_map(|accesses| &accesses.read);
        let is_reached =
            is_guarded || reads.into_iter().any(|register| self.registers.contains(&(function, *register)));
        let moves = |reached: &Self, address: &MachineAddress| is_guarded || reached.has(function, address.base);
        let is_written = match &instruction.action {
            MachineAction::Nothing
            | MachineAction::Fence(_)
            | MachineAction::ProxyFence(_)
            | MachineAction::Branch(_)
            | MachineAction::BranchIndexed(..)
            | MachineAction::Return
            | MachineAction::Exit
            | MachineAction::Trap => return false,
            MachineAction::Scalar(_)
            | MachineAction::Move(..)
            | MachineAction::Pack(..)
            | MachineAction::Unpack(..)
            | MachineAction::ReadSpecial(..)
            | MachineAction::ConvertAddress(..)
            | MachineAction::IsSpace(..)
            | MachineAction::RankOf(..)
            | MachineAction::MapToRank(..)
            | MachineAction::Barrier(_)
            | MachineAction::Collective(_) => is_reached,
            MachineAction::Load(load) => is_reached || self.is_in(load.address.space),
            MachineAction::Store(store) => {
                // A thread's own memory is followed with its reads.
                if store.address.space != MemorySpace::Local && moves(self, &store.address) {
                    return true;
                }
                if is_reached {
                    self.store(store.address.space);
                }
                return false;
            }
            MachineAction::Atomic(atomic) => {
                let is_compared = atomic.in_global.op() == Op::Cas && self.has_any(function, &atomic.b);
                if is_compared || moves(self, &atomic.address) {
                    return true;
                }
                if is_reached {
                    self.store(atomic.address.space);
                }
                self.is_in(atomic.address.space)
            }
            MachineAction::Call(call) => return is_guarded || self.call(program, function, call),
            _ => return is_reached || accesses.is_none(),
        };
        if is_written {
            self.write(function, accesses);
        }
        false
    }

    /// An instruction may write the values to registers.
    fn write(&mut self, function: u32, accesses: Option<RegisterAccesses>) {
        let written = accesses.into_iter().flat_map(|accesses| accesses.written);
        self.registers.extend(written.map(|register| (function, register)));
    }

    /// Passes arguments and results. Returns whether it is not known where to.
    fn call(&mut self, program: &MachineProgram, caller: u32, call: &MachineCall) -> bool {
        let called = match call.target {
            CallTarget::Function(callee) => Some(callee),
            CallTarget::Register(_) | CallTarget::System(_) => None,
        };
        let formals = called.and_then(|callee| program.functions.get(callee as usize)).map(|callee| &callee.formals);
        let (Some(callee), Some(formals)) = (called, formals) else {
            return call.arguments.iter().any(|argument| self.is_in_formal(caller, argument))
                || matches!(call.target, CallTarget::Register(_)) && !self.registers.is_empty();
        };
        for (from, to) in call.arguments.iter().zip(&formals.parameters) {
            self.pass((caller, from), (callee, to));
        }
        for (from, to) in formals.results.iter().zip(&call.results) {
            self.pass((callee, from), (caller, to));
        }
        false
    }

    fn is_in_formal(&self, function: u32, formal: &Formal) -> bool {
        match formal {
            Formal::Register(register) => self.registers.contains(&(function, *register)),
            Formal::Memory { .. } => self.is_in(MemorySpace::Local),
            Formal::Constant(_) | Formal::Unused => false,
        }
    }

    fn pass(&mut self, (function, from): (u32, &Formal), (target, to): (u32, &Formal)) {
        if !self.is_in_formal(function, from) {
            return;
        }
        match to {
            Formal::Register(register) => drop(self.registers.insert((target, *register))),
            Formal::Memory { .. } => self.store(MemorySpace::Local),
            Formal::Constant(_) | Formal::Unused => {}
        }
    }
}

/// The state spaces that an access may be in.
const fn spaces_of(space: MemorySpace) -> &'static [MemorySpace] {
    match space {
        MemorySpace::Generic => &[MemorySpace::Global, MemorySpace::SharedCta, MemorySpace::Local],
        MemorySpace::Global => &[MemorySpace::Global],
        MemorySpace::SharedCta | MemorySpace::SharedCluster => &[MemorySpace::SharedCta],
        MemorySpace::Local => &[MemorySpace::Local],
        _ => &[],
    }
}
