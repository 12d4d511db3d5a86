//! The columns of tensor memory that functions allocate and access.

use super::functions::Body;
use super::source_instruction::SourceInstruction;
use memory_model::ThreadPosition;
use std::ops::Range;

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
        let (mut memory, mut next) = (TensorColumns::default(), 0);
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
                if memory.allocations.iter().all(|(known, _)| *known != name) {
                    memory.allocations.push((name, next));
                    next += source.operands.get(1).and_then(|(columns, _)| columns.parse().ok()).unwrap_or(0);
                }
            }
        }
        memory
    }
}
