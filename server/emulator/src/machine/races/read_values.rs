//! What is computed from strong reads: which writes and branches depend on them (PTX ISA, Memory Consistency Model: No-Thin-Air).
//!
//! A dependency that is not followed is no mistake: more executions than exist may then exist. One that does not exist would be.

use super::super::liveness::RegisterAccesses;
use super::super::operand::Source;
use super::super::problem::CodePlace;
use super::super::program::{MachineAction, MachineFunction, MachineInstruction};
use super::clock::Agent;
use super::earlier_reads::{ReadPlace, ThreadKey};
use super::{LocationKey, Races};
use isa::types::Op;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// For each register of the current function of a thread the reads that its value depends on.
type RegisterSources = BTreeMap<u32, BTreeSet<ReadPlace>>;

/// What threads have computed from reads.
#[derive(Clone, Debug, Default)]
pub struct ReadDependencies {
    /// The registers of each instruction of each function, if they are known.
    accesses: Arc<[Vec<Option<RegisterAccesses>>]>,
    registers: BTreeMap<ThreadKey, RegisterSources>,
    /// What the writes of the current instruction depend on.
    writing: BTreeMap<ThreadKey, BTreeSet<ReadPlace>>,
    /// The current instruction of each thread, if it is a read-modify-write.
    updating: BTreeMap<ThreadKey, CodePlace>,
}

impl ReadDependencies {
    /// Nothing was computed yet.
    pub fn of(functions: &[MachineFunction]) -> Self {
        let of_function = |function: &MachineFunction| {
            function.code.iter().map(|instruction| RegisterAccesses::of(&instruction.action)).collect()
        };
        Self { accesses: functions.iter().map(of_function).collect(), ..Self::default() }
    }

    /// What the writes of the current instruction of a thread depend on.
    pub fn sources(&self, agent: Agent) -> &BTreeSet<ReadPlace> {
        const NONE: &BTreeSet<ReadPlace> = &BTreeSet::new();
        self.writing.get(&(agent.warp, agent.lane)).unwrap_or(NONE)
    }

    /// The current instruction of a thread, if it is a read-modify-write.
    pub fn updating(&self, agent: Agent) -> Option<CodePlace> {
        self.updating.get(&(agent.warp, agent.lane)).copied()
    }

    /// What the registers of a thread depend on.
    pub fn registers(&self, agent: Agent) -> Option<&RegisterSources> {
        self.registers.get(&(agent.warp, agent.lane)).filter(|registers| !registers.is_empty())
    }

    fn forget(&mut self, thread: ThreadKey, is_gone: impl Fn(&ReadPlace) -> bool) {
        let Some(registers) = self.registers.get_mut(&thread) else { return };
        registers.retain(|_, sources| {
            sources.retain(|source| !is_gone(source));
            !sources.is_empty()
        });
    }
}

impl Races {
    /// A thread is about to execute an instruction, which reads some locations by strong accesses.
    pub fn compute_from_reads(
        &mut self,
        agent: Agent,
        (place, instruction): (CodePlace, &MachineInstruction),
        locations: &[LocationKey],
    ) {
        let thread = (agent.warp, agent.lane);
        let action = &instruction.action;
        if matches!(action, MachineAction::Atomic(_)) {
            self.dependencies.updating.insert(thread, place);
        }
        let read = |(element, location): (usize, &LocationKey)| ReadPlace {
            place,
            element: element as u32,
            location: *location,
        };
        let reads: Vec<ReadPlace> = locations.iter().enumerate().map(read).collect();
        for read in &reads {
            self.forget_value(agent, *read);
            self.dependencies.forget(thread, |source| source == read);
        }
        if reads.is_empty() && !self.has_read_values(agent) {
            self.dependencies.registers.remove(&thread);
            return;
        }
        let known = self.dependencies.accesses.get(place.function as usize);
        let accesses = known.and_then(|function| function.get(place.instruction as usize)?.clone());
        // Registers of other functions have the same numbers.
        let leaves = matches!(action, MachineAction::Call(_) | MachineAction::Return);
        let registers = self.dependencies.registers.entry(thread).or_default();
        let of = |register: &u32| registers.get(register).cloned().unwrap_or_default();
        let guard = instruction.guard.map(|guard| of(&guard.predicate)).unwrap_or_default();
        let is_branch = matches!(action, MachineAction::Branch(_) | MachineAction::Exit | MachineAction::Return);
        if is_branch && !guard.is_empty() {
            self.branch_on(agent, &guard);
            self.dependencies.forget(thread, |source| guard.contains(source));
        }
        let Some(accesses) = accesses.filter(|_| !leaves) else {
            self.dependencies.registers.remove(&thread);
            return;
        };
        let registers = self.dependencies.registers.entry(thread).or_default();
        let writing = written_sources(action, &reads, registers).map(|sources| &sources | &guard);
        let results = result_sources(action, &reads, registers, &accesses);
        accesses.written.iter().for_each(|register| drop(registers.remove(register)));
        // Under a guard it may not be executed.
        registers.extend(results.into_iter().filter(|(_, sources)| instruction.guard.is_none() && !sources.is_empty()));
        self.dependencies.writing.extend(writing.map(|sources| (thread, sources)));
    }

    /// The current instruction is over.
    pub fn end_instruction(&mut self) {
        self.dependencies.writing.clear();
        self.dependencies.updating.clear();
    }
}

/// What a source depends on.
fn sources_of(source: Source, registers: &RegisterSources) -> BTreeSet<ReadPlace> {
    match source {
        Source::Register(register) => registers.get(&register).cloned().unwrap_or_default(),
        _ => BTreeSet::new(),
    }
}

/// What a write depends on, in all of its elements.
fn written_sources(
    action: &MachineAction,
    reads: &[ReadPlace],
    registers: &RegisterSources,
) -> Option<BTreeSet<ReadPlace>> {
    match action {
        MachineAction::Store(store) => {
            let address = sources_of(store.address.base, registers);
            let [element] = store.elements.as_slice() else { return Some(address) };
            Some(&address | &sources_of(*element, registers))
        }
        MachineAction::Atomic(atomic) => {
            let address = sources_of(atomic.address.base, registers);
            let [b] = atomic.b.as_slice() else { return Some(address) };
            let operands = atomic.c.iter().fold(sources_of(*b, registers), |all, c| &all | &sources_of(*c, registers));
            let own = reads.first().filter(|_| atomic.in_global.op() != Op::Exch).copied();
            Some(address.into_iter().chain(operands).chain(own).collect())
        }
        _ => None,
    }
}

/// What the registers that an instruction writes depend on.
fn result_sources(
    action: &MachineAction,
    reads: &[ReadPlace],
    registers: &RegisterSources,
    accesses: &RegisterAccesses,
) -> RegisterSources {
    let read = |address: Source, element: usize| {
        let mut sources = sources_of(address, registers);
        sources.extend(reads.get(element));
        sources
    };
    match action {
        MachineAction::Load(load) => {
            let elements = load.elements.iter().enumerate();
            let results = elements.filter_map(|(at, element)| Some((element.as_ref()?.slot, at)));
            results.map(|(register, at)| (register, read(load.address.base, at))).collect()
        }
        MachineAction::Atomic(atomic) => match atomic.destination.as_slice() {
            [Some(destination)] => [(destination.slot, read(atomic.address.base, 0))].into(),
            _ => RegisterSources::new(),
        },
        MachineAction::Scalar(_)
        | MachineAction::Move(..)
        | MachineAction::ConvertAddress(..)
        | MachineAction::IsSpace(..)
        | MachineAction::RankOf(..)
        | MachineAction::MapToRank(..)
        | MachineAction::Pack(..)
        | MachineAction::Unpack(..) => {
            let read = accesses.read.iter().filter_map(|register| registers.get(register));
            let all: BTreeSet<ReadPlace> = read.flatten().copied().collect();
            accesses.written.iter().map(|register| (*register, all.clone())).collect()
        }
        _ => RegisterSources::new(),
    }
}
