//! The columns of tensor memory that functions allocate and access.

use super::functions::Body;
use super::source_instruction::SourceInstruction;
use memory_model::ThreadPosition;
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
}
