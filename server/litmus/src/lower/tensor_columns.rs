//! The columns of tensor memory that functions allocate and access.

use crate::lower::functions::Body;
use crate::lower::shared_variables::shared_key;
use crate::lower::source_instruction::SourceInstruction;
use crate::test::{LitmusError, LoadedAddress, Test};
use memory_model::{Location, ModelAddress, ModelInstruction, ModelOperand, Program, Thread, ThreadPosition};
use std::ops::Range;
use syntax::integer_value;

/// The columns of tensor memory, which an allocation has at most.
const ALL_COLUMNS: u64 = 512;

/// What is known of tensor memory while functions are lowered.
#[derive(Default)]
pub struct TensorColumns {
    /// The shared variables that allocations write, with the first column that they get.
    pub allocations: Vec<(String, u64)>,
    /// What operations access: the CTA and the columns.
    pub accessed: Vec<(ThreadPosition, Range<u64>)>,
}

impl TensorColumns {
    /// The allocations of all functions: each gets the columns after those of the one before.
    pub fn of(bodies: &[Body]) -> Self {
        let (mut memory, mut next) = (Self::default(), 0);
        for body in bodies {
            let sources: Vec<SourceInstruction> = body.code.iter().map(SourceInstruction::new).collect();
            for source in sources.iter().filter(|source| source.words.starts_with(&["tcgen05".into(), "alloc".into()]))
            {
                let Some((name, _)) = source.operands.first() else { continue };
                let name = name.trim_matches(['[', ']']);
                let moves = |one: &&SourceInstruction| {
                    matches!(one.mnemonic(), "mov" | "cvta") && one.operands.first().is_some_and(|(to, _)| to == name)
                };
                let moved = sources.iter().find(moves).and_then(|one| one.operands.get(1));
                let name = moved.map_or(name, |(from, _)| from).to_owned();
                let columns = source.operands.get(1).and_then(|(columns, _)| integer_value(columns));
                let columns = columns.and_then(|columns| u64::try_from(columns).ok());
                // A count in a register may be any.
                let columns = columns.unwrap_or(ALL_COLUMNS).min(ALL_COLUMNS);
                match memory.allocations.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => *known = columns.max(*known),
                    None => memory.allocations.push((name, columns)),
                }
            }
        }
        for (_, columns) in &mut memory.allocations {
            let first = next;
            next += std::mem::replace(columns, first);
        }
        memory
    }

    /// The shared variables that allocations write have no address before: a value that no allocation writes.
    pub fn mark_slots(&self, test: &mut Test) {
        let places: Vec<ThreadPosition> = test.program.threads.iter().map(|thread| thread.place).collect();
        for (name, _) in &self.allocations {
            let keys: Vec<String> = places.iter().map(|place| shared_key(test, name, *place)).collect();
            let is_slot = |location: &&mut Location| location.name == *name || keys.contains(&location.name);
            let slots = test.program.locations.iter_mut().filter(is_slot);
            slots.for_each(|slot| slot.init = LoadedAddress::NONE);
        }
    }

    /// The error of an instruction that writes the shared variable of an allocation, whose value is known everywhere.
    pub fn slot_error(&self, test: &Test) -> Option<LitmusError> {
        let program = &test.program;
        let slot = |place: ThreadPosition, (name, column): &(String, u64)| {
            let key = shared_key(test, name, place);
            let location = program.locations.iter().find(|location| location.name == key || location.name == *name)?;
            Some((location.address..location.address + u64::from(location.bytes), name.clone(), *column))
        };
        let places = program.threads.iter().map(|thread| thread.place);
        let slots: Vec<_> =
            places.flat_map(|place| self.allocations.iter().filter_map(move |one| slot(place, one))).collect();
        let written = program.threads.iter().enumerate().flat_map(|(number, thread)| {
            thread.code.iter().enumerate().filter_map(move |(at, instruction)| {
                let (to, value) = match instruction {
                    ModelInstruction::Store { at, value, .. } => (*at, Some(*value)),
                    ModelInstruction::Update { at, .. } => (*at, None),
                    _ => return None,
                };
                Some(((number, at), addresses(program, thread, to), value))
            })
        });
        let mut wrong = written.filter_map(|((thread, at), addresses, value)| {
            let is_written = |bytes: &Range<u64>| addresses.iter().any(|address| bytes.contains(address));
            let (.., name, column) = slots.iter().find(|(bytes, ..)| is_written(bytes))?;
            let is_allocation = value == Some(ModelOperand::Constant((*column).into()));
            (!is_allocation).then_some((thread, at, name))
        });
        let (thread, at, name) = wrong.next()?;
        Some(LitmusError {
            range: test.place(thread, at)?,
            message: format!("`{name}`, which `tcgen05.alloc` writes, is written by another instruction"),
            help: "use another variable".to_owned(),
        })
    }
}

/// Where an access may be: what is known of its address, or what any instruction sets its register to.
fn addresses(program: &Program, thread: &Thread, to: ModelAddress) -> Vec<u64> {
    let (base, offset) = match to {
        ModelAddress::Location(location) => return vec![program.locations[location].address],
        ModelAddress::Register(base, offset) => (base, offset),
    };
    let set = thread.code.iter().filter_map(|instruction| match instruction {
        ModelInstruction::Compute { to, alu, a: ModelOperand::Constant(a), b: ModelOperand::Constant(b) }
            if *to == base =>
        {
            Some(alu.apply(*a, *b))
        }
        _ => None,
    });
    let known = thread.static_value(ModelOperand::Register(base));
    known.into_iter().chain(set).map(|address| (address as u64).wrapping_add_signed(offset)).collect()
}
