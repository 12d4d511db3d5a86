//! The writes of a program that depend on the values of strong reads: whether they happen, and where.

use crate::choices::commutative_updates::unread_exchanges;
use crate::load_buffering::dependent_order_analysis::value_dependent_orders;
use crate::load_buffering::value_dependent_arrivals::has_value_dependent_arrivals;
use isa::types::Sem;
use ordering::{FollowedBranches, InstructionWays, ValueDependentWrites};
use program::analysis::code_places::{instruction, places};
use program::analysis::constant_guards::with_constant_guards;
use program::analysis::control_dependences::ControlDependences;
use program::analysis::liveness::RegisterSet;
use program::analysis::pointer_sums::pointer_sums;
use program::analysis::reached_values::{FollowedValues, ReachedValues};
use program::analysis::register_webs::RegisterWebs;
use program::analysis::strong_actions::{is_strong_read, may_write_strongly};
use program::effects::{InstructionMemory, successors};
use program::machine_program::{MachineAction, MachineInstruction, MachineProgram};
use program::operand::Source;
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};

/// Finds the writes whose execution or address depends on the value of a strong read.
pub fn value_dependent_writes(
    program: &MachineProgram,
    live: &[Vec<RegisterSet>],
    followed: FollowedBranches,
) -> ValueDependentWrites {
    let mut decided = ValueDependentWrites::default();
    if places(program, is_strong_read).next().is_none() {
        return decided;
    }
    let functions = program.functions.iter();
    let webs: Vec<_> = functions.clone().zip(live).map(|(function, live)| RegisterWebs::of(function, live)).collect();
    let control: Vec<_> =
        functions.zip(&webs).map(|(function, webs)| ControlDependences::of(&function.code, webs)).collect();
    decided.has_arrivals = has_value_dependent_arrivals(program, &webs, &control);
    let before_strong_writes = before_strong_writes(program);
    let reads = places(program, is_strong_read);
    let reads: Vec<CodePlace> = reads.filter(|place| before_strong_writes.contains(place)).collect();
    if reads.is_empty() {
        return decided;
    }
    decided.branches = (followed == FollowedBranches::All).then(BTreeMap::new);
    for read in reads.iter().copied() {
        let reads = BTreeSet::from([read]);
        let own = ReachedValues::of(program, &webs, &reads, FollowedValues::OwnDecisions(&control)).moved;
        let all = ReachedValues::of(program, &webs, &reads, FollowedValues::Decisions(&control));
        if let Some(branches) = &mut decided.branches {
            for place in places(program, |_| true).filter(|place| all.leads(*place, instruction(program, *place))) {
                branches.entry(place).or_default().insert(read);
            }
        }
        for place in all.moved.iter().copied() {
            let action = &instruction(program, place).action;
            let Some(writes) = WriteMoment::of(action) else { continue };
            let deciders = decided.deciders.entry(place).or_default();
            deciders.reads.insert(read);
            deciders.redirecting.extend(all.redirected.get(&place).map(|_| read));
            deciders.may_be_of_others |= !own.contains(&place);
            if all.readdressed.contains(&place) {
                deciders.addressing.insert(read);
                deciders.may_be_in_other_memory |= !is_within_memory(program, &webs, &all, place);
            }
            deciders.is_asynchronous |= writes == WriteMoment::Later;
            let update = action.memory().update().filter(|atomic| atomic.order.sem != Sem::Weak);
            deciders.updates_in = update.map(|atomic| atomic.order.scope);
        }
    }
    let all = ReachedValues::of(program, &webs, &reads.into_iter().collect(), FollowedValues::Decisions(&control));
    decided.ways = all_ways(program, &all);
    decided.constant_guards = with_constant_guards(&program.functions[0], &webs[0]);
    decided.orders = value_dependent_orders(program, &all);
    decided.strong_writes = places(program, may_write_strongly).collect();
    decided.unread = unread_exchanges(&program.functions, live);
    decided
}

/// Whether an instruction writes to the same memory whatever the reads return, because their values are only added to a pointer.
fn is_within_memory(program: &MachineProgram, webs: &[RegisterWebs], values: &ReachedValues, place: CodePlace) -> bool {
    let memory = instruction(program, place).action.memory();
    let stored = memory.store().map(|store| store.address.base);
    let Some(base) = stored.or(memory.update().map(|atomic| atomic.address.base)) else { return false };
    let (code, webs) = (&program.functions[place.function as usize].code, &webs[place.function as usize]);
    let is_free = |web| !values.has_web(place.function, Some(web));
    let Source::Register(register) = base else { return true };
    let base = webs.instructions[place.instruction as usize].read(register);
    base.is_some_and(|base| pointer_sums(code, webs, is_free).contains_key(&base))
}

/// The possible next instructions after each instruction.
fn all_ways(program: &MachineProgram, values: &ReachedValues) -> BTreeMap<CodePlace, InstructionWays> {
    let all = places(program, |_| true).map(|place| (place, ways(program, place, values)));
    let mut all: BTreeMap<CodePlace, InstructionWays> = all.collect();
    let open: Vec<CodePlace> = all.values().filter(|ways| ways.is_open()).flat_map(|ways| ways.next.clone()).collect();
    for place in open {
        all.entry(place).or_default().is_after_branch = true;
    }
    all
}

/// The possible next instructions after an instruction.
fn ways(program: &MachineProgram, place: CodePlace, values: &ReachedValues) -> InstructionWays {
    let instruction = instruction(program, place);
    let mut next = Vec::new();
    successors(instruction, place.instruction as usize, |at| {
        next.push(CodePlace { instruction: at as u32, ..place });
    });
    InstructionWays { next, is_decided: values.reaches_branch(place, instruction), is_after_branch: false }
}

/// When an instruction writes to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteMoment {
    /// When the instruction is executed.
    Now,
    /// At any time afterwards.
    Later,
}

impl WriteMoment {
    fn of(action: &MachineAction) -> Option<Self> {
        match action.memory() {
            InstructionMemory::Store(_)
            | InstructionMemory::Update(_)
            | InstructionMemory::Matrix
            | InstructionMemory::Image(_) => Some(Self::Now),
            InstructionMemory::Copy(_)
            | InstructionMemory::TensorCopy(_)
            | InstructionMemory::Answer
            | InstructionMemory::Descriptors
            | InstructionMemory::TensorMap(_)
            | InstructionMemory::Fill(_)
            | InstructionMemory::Unknown => Some(Self::Later),
            // The order of arrivals is that of the mbarrier.
            InstructionMemory::None | InstructionMemory::Load(_) | InstructionMemory::Mbarrier(_) => None,
        }
    }
}

/// The instructions that write strongly, or that may lead to one that does. In a called function that is every instruction, because its caller may write.
fn before_strong_writes(program: &MachineProgram) -> BTreeSet<CodePlace> {
    let mut all = BTreeSet::new();
    if places(program, may_write_strongly).next().is_none() {
        return all;
    }
    for (function, body) in (0_u32..).zip(&program.functions) {
        let writes = |at: usize| function != 0 || may_write_strongly(&body.code[at].action);
        let leading = leading_to(&body.code, &writes);
        all.extend(
            (0_u32..)
                .zip(leading)
                .filter(|(_, leads)| *leads)
                .map(|(instruction, _)| CodePlace { function, instruction }),
        );
    }
    all
}

/// For each instruction, whether it is one of the wanted ones or leads to one.
fn leading_to(code: &[MachineInstruction], is_one: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let mut leads: Vec<bool> = (0..code.len()).map(is_one).collect();
    let mut before = vec![Vec::new(); code.len()];
    for (at, instruction) in code.iter().enumerate() {
        successors(instruction, at, |next| before.get_mut(next).into_iter().for_each(|one| one.push(at)));
    }
    let mut open: Vec<usize> = (0..code.len()).filter(|at| leads[*at]).collect();
    while let Some(at) = open.pop() {
        for one in &before[at] {
            if !std::mem::replace(&mut leads[*one], true) {
                open.push(*one);
            }
        }
    }
    leads
}
