//! What the values of some reads may reach: registers, state spaces, and the writes that happen, or where they do, because of them. It is asked
//! whatever the order of the instructions.

use crate::analysis::control_dependences::ControlDependences;
use crate::analysis::register_webs::{RegisterWebs, Web, WebAccesses};
use crate::call::{CallTarget, Formal, MachineCall};
use crate::effects::{ControlTransfer, InstructionMemory, Synchronization};
use crate::machine_program::{MachineInstruction, MachineProgram};
use crate::operand::{AccessOrder, MachineAddress, MemorySpace, Source};
use crate::problem::CodePlace;
use isa::types::{Op, Sem};
use std::collections::BTreeSet;

/// Which ways of values are followed.
#[derive(Clone, Copy)]
pub enum FollowedValues<'c> {
    /// Through registers and memory.
    Values,
    /// Through registers and memory, and what branches on them decide.
    Decisions(&'c [ControlDependences]),
    /// The same, but for memory and what lanes or threads exchange: the values that a thread has from its own reads.
    OwnDecisions(&'c [ControlDependences]),
}

impl<'c> FollowedValues<'c> {
    const fn control(self) -> Option<&'c [ControlDependences]> {
        match self {
            Self::Values => None,
            Self::Decisions(control) | Self::OwnDecisions(control) => Some(control),
        }
    }

    const fn follows_exchanges(self) -> bool {
        !matches!(self, Self::OwnDecisions(_))
    }
}

/// What the values may be in.
pub struct ReachedValues<'c> {
    /// The instructions that may write elsewhere, or not at all.
    pub moved: BTreeSet<CodePlace>,
    /// Those of them for which that is not a matter of branches alone.
    pub redirected: BTreeSet<CodePlace>,
    /// Those of them that have the values in what says where they write.
    pub readdressed: BTreeSet<CodePlace>,
    followed: FollowedValues<'c>,
    /// The webs of each function.
    webs: &'c [RegisterWebs],
    /// The webs of registers that have them, each with its function.
    registers: BTreeSet<(u32, Web)>,
    /// The state spaces with memory that has them.
    spaces: Vec<MemorySpace>,
    /// The branches, and ends of functions and threads, that depend on them.
    branches: BTreeSet<CodePlace>,
    /// The instructions that may be executed or not because of them.
    controlled: BTreeSet<CodePlace>,
    /// Whether all functions but the kernel are.
    controls_functions: bool,
}

impl<'c> ReachedValues<'c> {
    /// What the values of some reads reach, given the webs of each function.
    pub fn of(
        program: &MachineProgram,
        webs: &'c [RegisterWebs],
        reads: &BTreeSet<CodePlace>,
        followed: FollowedValues<'c>,
    ) -> Self {
        let mut reached = Self {
            moved: BTreeSet::new(),
            redirected: BTreeSet::new(),
            readdressed: BTreeSet::new(),
            followed,
            webs,
            registers: BTreeSet::new(),
            spaces: Vec::new(),
            branches: BTreeSet::new(),
            controlled: BTreeSet::new(),
            controls_functions: false,
        };
        loop {
            let before = reached.size();
            for (function, code) in (0_u32..).zip(program.functions.iter().map(|function| &function.code)) {
                for (at, instruction) in (0_u32..).zip(code) {
                    let place = CodePlace { function, instruction: at };
                    if reads.contains(&place) {
                        reached.write(place);
                    }
                    if reached.moves_write(program, place, instruction) {
                        reached.redirected.insert(place);
                        reached.moved.insert(place);
                    } else if reached.is_controlled(place) {
                        reached.moved.insert(place);
                    }
                }
            }
            if before == reached.size() {
                return reached;
            }
        }
    }

    /// Whether a branch may depend on the values.
    pub fn reaches_branch(&self, place: CodePlace, instruction: &MachineInstruction) -> bool {
        let is_chosen =
            matches!(instruction.action.flow(), ControlTransfer::BranchIndexed(index, _) if self.has(place, index));
        is_chosen || self.reaches_guard(place)
    }

    /// Whether the values may decide where an instruction leads its thread, or whether a function is called.
    pub fn leads(&self, place: CodePlace, instruction: &MachineInstruction) -> bool {
        match instruction.action.flow() {
            ControlTransfer::Branch(_)
            | ControlTransfer::BranchIndexed(..)
            | ControlTransfer::Return
            | ControlTransfer::Exit => self.reaches_branch(place, instruction),
            ControlTransfer::Call(call) => {
                let is_chosen = matches!(call.target, CallTarget::Register(target) if self.has(place, target));
                is_chosen || self.reaches_guard(place)
            }
            ControlTransfer::Next | ControlTransfer::Trap => false,
        }
    }

    /// Whether an instruction may be executed or not because of the values.
    pub fn decides(&self, place: CodePlace) -> bool {
        self.reaches_guard(place) || self.is_controlled(place)
    }

    fn reaches_guard(&self, place: CodePlace) -> bool {
        self.has_web(place.function, self.accesses(place).guard)
    }

    fn accesses(&self, place: CodePlace) -> &'c WebAccesses {
        &self.webs[place.function as usize].instructions[place.instruction as usize]
    }

    fn is_controlled(&self, place: CodePlace) -> bool {
        self.controlled.contains(&place) || self.controls_functions && place.function != 0
    }

    fn size(&self) -> (usize, usize, usize, bool) {
        (self.registers.len(), self.spaces.len(), self.controlled.len(), self.controls_functions)
    }

    /// Whether a web of a function has them.
    pub fn has_web(&self, function: u32, web: Option<Web>) -> bool {
        web.is_some_and(|web| self.registers.contains(&(function, web)))
    }

    /// Whether a register that an instruction reads has them.
    fn has(&self, place: CodePlace, source: Source) -> bool {
        matches!(source, Source::Register(register) if self.has_web(place.function, self.accesses(place).read(register)))
    }

    fn has_any(&self, place: CodePlace, sources: &[Source]) -> bool {
        sources.iter().any(|source| self.has(place, *source))
    }

    fn is_in(&self, space: MemorySpace) -> bool {
        spaces_of(space).iter().any(|one| self.spaces.contains(one))
    }

    /// Whether a read has the values from memory. What a strong read decides is decided by that read.
    fn is_read(&self, space: MemorySpace, order: AccessOrder) -> bool {
        let is_followed = self.followed.control().is_none() || order.sem == Sem::Weak;
        is_followed && self.is_in(space)
    }

    fn store(&mut self, space: MemorySpace) {
        let is_followed = |one: &&MemorySpace| self.followed.follows_exchanges() || **one == MemorySpace::Local;
        for one in spaces_of(space).iter().filter(is_followed).collect::<Vec<_>>() {
            if !self.spaces.contains(one) {
                self.spaces.push(*one);
            }
        }
    }

    /// A branch, or an end of a function or thread, depends on the values: so does what it decides about.
    fn branch(&mut self, place: CodePlace, instruction: &MachineInstruction) {
        let Some(control) = self.followed.control() else { return };
        if !self.branches.insert(place) {
            return;
        }
        let decided = control[place.function as usize].decided_by(place.instruction);
        let places = decided.into_iter();
        self.controlled.extend(places.map(|at| CodePlace { function: place.function, instruction: at as u32 }));
        self.controls_functions |= place.function != 0 && matches!(instruction.action.flow(), ControlTransfer::Exit);
    }

    /// Adds what an instruction passes on. Returns whether the values decide about a write.
    fn moves_write(&mut self, program: &MachineProgram, place: CodePlace, instruction: &MachineInstruction) -> bool {
        let has_guard = self.reaches_guard(place);
        let is_controlled = self.is_controlled(place);
        let is_guarded = has_guard || is_controlled;
        let accesses = self.accesses(place);
        let has_values = accesses.read.iter().any(|(_, web)| self.has_web(place.function, Some(*web)));
        let is_reached = is_guarded || has_values;
        let moves = |reached: &mut Self, address: &MachineAddress| {
            let is_elsewhere = reached.has(place, address.base);
            reached.readdressed.extend(is_elsewhere.then_some(place));
            has_guard || is_elsewhere
        };
        let action = &instruction.action;
        match action.flow() {
            ControlTransfer::Branch(_)
            | ControlTransfer::BranchIndexed(..)
            | ControlTransfer::Return
            | ControlTransfer::Exit => {
                if self.reaches_branch(place, instruction) {
                    self.branch(place, instruction);
                }
                return false;
            }
            ControlTransfer::Call(call) => {
                if is_controlled || self.leads(place, instruction) {
                    self.controls_functions = true;
                    self.write(place);
                }
                return self.call(program, place, call) || has_guard;
            }
            ControlTransfer::Trap => return false,
            ControlTransfer::Next => {}
        }
        let is_written = match action.memory() {
            InstructionMemory::None => match (action.computation(), action.synchronization()) {
                (Some(_), _) => is_reached,
                (None, Synchronization::Fence(_) | Synchronization::Proxies) => return false,
                (None, Synchronization::Barrier(_) | Synchronization::Lanes(_)) => {
                    is_guarded || is_reached && self.followed.follows_exchanges()
                }
                (None, _) => return self.readdress(place, is_reached),
            },
            InstructionMemory::Load(load) => is_reached || self.is_read(load.address.space, load.order),
            InstructionMemory::Store(store) => {
                if is_reached {
                    self.store(store.address.space);
                }
                // A thread's own memory is followed with its reads.
                return !store.address.space.is_own() && moves(self, &store.address);
            }
            InstructionMemory::Update(atomic) => {
                let is_compared = atomic.in_global.op() == Op::Cas && self.has_any(place, &atomic.b);
                if is_reached {
                    self.store(atomic.address.space);
                }
                if is_reached || self.is_read(atomic.address.space, atomic.order) {
                    self.write(place);
                }
                return moves(self, &atomic.address) || is_compared;
            }
            InstructionMemory::Fill(_)
            | InstructionMemory::Matrix
            | InstructionMemory::Mbarrier(_)
            | InstructionMemory::Image(_)
            | InstructionMemory::TensorMap(_)
            | InstructionMemory::Copy(_)
            | InstructionMemory::TensorCopy(_)
            | InstructionMemory::Answer
            | InstructionMemory::Descriptors
            | InstructionMemory::Unknown => return self.readdress(place, is_reached),
        };
        if is_written {
            self.write(place);
        }
        false
    }

    /// An instruction whose operands say where it writes may have the values in them. Returns whether the values decide about its write.
    fn readdress(&mut self, place: CodePlace, is_reached: bool) -> bool {
        let accesses = self.accesses(place);
        let has_values = accesses.read.iter().any(|(_, web)| self.has_web(place.function, Some(*web)));
        self.readdressed.extend((has_values || !accesses.is_known).then_some(place));
        is_reached || !accesses.is_known
    }

    /// An instruction may write the values to registers.
    fn write(&mut self, place: CodePlace) {
        let written = self.accesses(place).written.iter().map(|(_, web)| *web);
        let constant = self.followed.control().map(|control| &control[place.function as usize].constant);
        let may_differ = written.filter(|web| constant.is_none_or(|constant| !constant.contains(web)));
        self.registers.extend(may_differ.map(|web| (place.function, web)));
    }

    /// Passes arguments and results. Returns whether it is not known where to.
    fn call(&mut self, program: &MachineProgram, caller: CodePlace, call: &MachineCall) -> bool {
        let called = match call.target {
            CallTarget::Function(callee) => Some(callee),
            CallTarget::Register(_) | CallTarget::System(_) => None,
        };
        let accesses = self.accesses(caller);
        let argument = |reached: &Self, argument: &Formal| {
            reached.is_in_formal(argument, |register| (caller.function, accesses.read(register)))
        };
        let formals = called.and_then(|callee| program.functions.get(callee as usize)).map(|callee| &callee.formals);
        let (Some(callee), Some(formals)) = (called, formals) else {
            return call.arguments.iter().any(|one| argument(self, one))
                || matches!(call.target, CallTarget::Register(_)) && !self.registers.is_empty();
        };
        let webs = &self.webs[callee as usize];
        for (from, to) in call.arguments.iter().zip(&formals.parameters) {
            if argument(self, from) {
                self.pass(to, |register| (callee, webs.at_entry(register)));
            }
        }
        for (from, to) in formals.results.iter().zip(&call.results) {
            if self.is_in_formal(from, |register| (callee, webs.at_return(register))) {
                self.pass(to, |register| (caller.function, accesses.written(register)));
            }
        }
        false
    }

    fn is_in_formal(&self, formal: &Formal, web: impl Fn(u32) -> (u32, Option<Web>)) -> bool {
        match formal {
            Formal::Register(register) => {
                let (function, web) = web(*register);
                self.has_web(function, web)
            }
            Formal::Memory { .. } => self.is_in(MemorySpace::Local),
            Formal::Constant(_) | Formal::Unused => false,
        }
    }

    fn pass(&mut self, to: &Formal, web: impl Fn(u32) -> (u32, Option<Web>)) {
        match to {
            Formal::Register(register) => {
                let (function, web) = web(*register);
                self.registers.extend(web.map(|web| (function, web)));
            }
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
        MemorySpace::Local | MemorySpace::Frame => &[MemorySpace::Local],
        _ => &[],
    }
}
