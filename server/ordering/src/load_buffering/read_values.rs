//! What is computed from strong reads: which writes and branches depend on them (PTX ISA, Memory Consistency Model: No-Thin-Air).
//!
//! A dependency that is not followed is no mistake: more executions than exist may then exist. One that does not exist would be.

use crate::Races;
use crate::clock::Agent;
use crate::load_buffering::buffering;
use crate::load_buffering::dependent_values::{DependentValues, LocalAccess, PassedTo, RegisterSources};
use crate::load_buffering::earlier_reads::{ReadPlace, ThreadKey};
use crate::load_buffering::value_dependent_writes;
use isa::types::Op;
use program::call::Formal;
use program::call::{CallTarget, MachineCall};
use program::effects::{ControlTransfer, InstructionMemory, RegisterAccesses, RegisterComputation};
use program::machine_program::{MachineAction, MachineFunction, MachineInstruction};
use program::memory::location::{IsUpdate, LocationKey};
use program::operand::Source;
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What threads have computed from reads.
#[derive(Clone, Debug, Default)]
pub struct ReadDependencies {
    /// The registers of each instruction of each function, if they are known.
    accesses: Arc<[Vec<Option<RegisterAccesses>>]>,
    values: BTreeMap<ThreadKey, DependentValues>,
    /// What the writes of the current instruction depend on.
    writing: BTreeMap<ThreadKey, BTreeSet<ReadPlace>>,
    /// The current instruction of each thread, and whether it is a read-modify-write.
    current: BTreeMap<ThreadKey, (CodePlace, IsUpdate)>,
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
        let current = self.current.get(&(agent.warp, agent.lane)).filter(|(_, update)| *update == IsUpdate::Yes);
        current.map(|(place, _)| *place)
    }

    /// The current instruction of a thread.
    pub fn current(&self, agent: Agent) -> Option<CodePlace> {
        self.current.get(&(agent.warp, agent.lane)).map(|(place, _)| *place)
    }

    /// What the registers and the local memory of a thread depend on.
    pub fn values(&self, agent: Agent) -> Option<&DependentValues> {
        self.values.get(&(agent.warp, agent.lane)).filter(|values| !values.is_empty())
    }

    fn forget(&mut self, thread: ThreadKey, is_gone: impl Fn(&ReadPlace) -> bool) {
        if let Some(values) = self.values.get_mut(&thread) {
            values.forget(is_gone);
        }
    }
}

/// What a thread has computed from reads, if calls are followed.
pub fn values_of_caller(races: &mut Races, agent: Agent) -> Option<&mut DependentValues> {
    races.history.as_ref()?;
    races.reads.dependencies.values.get_mut(&(agent.warp, agent.lane))
}

/// A thread is about to execute an instruction, which reads some locations by strong accesses.
pub fn compute_from_reads(
    races: &mut Races,
    agent: Agent,
    (place, instruction): (CodePlace, &MachineInstruction),
    locations: &[LocationKey],
    local: Option<LocalAccess>,
) {
    let thread = (agent.warp, agent.lane);
    let action = &instruction.action;
    value_dependent_writes::note_value_dependent_instruction(races, agent, place);
    let update = if action.memory().update().is_some() { IsUpdate::Yes } else { IsUpdate::No };
    races.reads.dependencies.current.insert(thread, (place, update));
    let read =
        |(element, location): (usize, &LocationKey)| ReadPlace { place, element: element as u32, location: *location };
    let reads: Vec<ReadPlace> = locations.iter().enumerate().map(read).collect();
    for read in &reads {
        buffering::forget_value(races, agent, *read);
        races.reads.dependencies.forget(thread, |source| source == read);
    }
    if reads.is_empty() && !buffering::has_read_values(races, agent) {
        races.reads.dependencies.values.remove(&thread);
        return;
    }
    let known = races.reads.dependencies.accesses.get(place.function as usize);
    let accesses = known.and_then(|function| function.get(place.instruction as usize)?.clone());
    let registers = &races.reads.dependencies.values.entry(thread).or_default().registers;
    let of = |register: &u32| registers.get(register).cloned().unwrap_or_default();
    let guard = instruction.guard.map(|guard| of(&guard.predicate)).unwrap_or_default();
    let is_branch =
        matches!(action.flow(), ControlTransfer::Branch(_) | ControlTransfer::Exit | ControlTransfer::Return);
    if is_branch && !guard.is_empty() {
        buffering::branch_on(races, agent, &guard);
        races.reads.dependencies.forget(thread, |source| guard.contains(source));
    }
    // What is passed is noted when it is copied.
    if matches!(action.flow(), ControlTransfer::Return) || action.flow().call().is_some_and(is_followed) {
        return;
    }
    let Some(accesses) = accesses else {
        races.reads.dependencies.values.remove(&thread);
        return;
    };
    let values = races.reads.dependencies.values.entry(thread).or_default();
    let registers = &values.registers;
    let writing = written_sources(action, &reads, registers).map(|sources| &sources | &guard);
    let mut results = result_sources(action, &reads, registers, &accesses);
    if let Some(local) = local {
        let stored = values.access_local(action, local, &mut results);
        // Under a guard it may not be executed.
        values.local.extend(stored.into_iter().filter(|_| instruction.guard.is_none()));
    }
    let registers = &mut values.registers;
    accesses.written.iter().for_each(|register| drop(registers.remove(register)));
    registers.extend(results.into_iter().filter(|(_, sources)| instruction.guard.is_none() && !sources.is_empty()));
    races.reads.dependencies.writing.extend(writing.map(|sources| (thread, sources)));
}

/// The current instruction is over.
pub fn end_instruction(races: &mut Races) {
    races.reads.dependencies.writing.clear();
    races.reads.dependencies.current.clear();
}

/// Whether a call enters a function, so that what it passes is noted.
const fn is_followed(call: &MachineCall) -> bool {
    !matches!(call.target, CallTarget::System(_))
}

/// What a source depends on.
pub fn sources_of(source: Source, registers: &RegisterSources) -> BTreeSet<ReadPlace> {
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
    match action.memory() {
        InstructionMemory::Store(store) => {
            let address = sources_of(store.address.base, registers);
            let [element] = store.elements.as_slice() else { return Some(address) };
            Some(&address | &sources_of(*element, registers))
        }
        InstructionMemory::Update(atomic) => {
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
    if action.computation().is_some_and(RegisterComputation::is_of_sources) {
        let read = accesses.read.iter().filter_map(|register| registers.get(register));
        let all: BTreeSet<ReadPlace> = read.flatten().copied().collect();
        return accesses.written.iter().map(|register| (*register, all.clone())).collect();
    }
    match action.memory() {
        InstructionMemory::Load(load) => {
            let elements = load.elements.iter().enumerate();
            let results = elements.filter_map(|(at, element)| Some((element.as_ref()?.slot, at)));
            results.map(|(register, at)| (register, read(load.address.base, load.part(at)))).collect()
        }
        InstructionMemory::Update(atomic) => match atomic.destination.as_slice() {
            [Some(destination)] => [(destination.slot, read(atomic.address.base, 0))].into(),
            _ => RegisterSources::new(),
        },
        _ => RegisterSources::new(),
    }
}

/// A thread enters a function, whose registers depend on nothing yet, and neither does its local memory.
pub fn enter_function(races: &mut Races, agent: Agent, local: u32, bytes: u32) {
    if let Some(values) = values_of_caller(races, agent) {
        values.overwrite(local, bytes);
        let registers = std::mem::take(&mut values.registers);
        values.callers.push(registers);
    }
}

/// A thread returns from a function, after its results were passed.
pub fn leave_function(races: &mut Races, agent: Agent) {
    if let Some(values) = values_of_caller(races, agent) {
        values.registers = values.callers.pop().unwrap_or_default();
    }
}

/// A value is copied at a call or a return, each place with the beginning of its function's local memory.
pub fn pass_value(races: &mut Races, agent: Agent, to: PassedTo, from: (Formal, u32), target: (Formal, u32)) {
    if let Some(values) = values_of_caller(races, agent) {
        values.pass(to, from, target);
    }
}
