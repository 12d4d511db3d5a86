//! What the emulator computes for a PTX instruction, as sentences.

use crate::request::Evaluation;
use emulator::{Computation, Value};

/// A computation with the values it works on: as many replicas as it may have, and the operands that it takes.
#[derive(Clone, Debug)]
pub struct AtomicRun {
    /// What is computed.
    pub computation: Computation,
    /// At least one value, for `atom` and `red` exactly one.
    pub memory: Vec<Value>,
    /// Zero where the computation takes none.
    pub b: Value,
    /// Operand c; for cas the new value.
    pub c: Option<Value>,
}

impl AtomicRun {
    /// Computes what it leaves behind.
    pub fn evaluate(&self) -> Evaluation {
        let sentences = |notes: &[emulator::EvaluationNote]| notes.iter().map(ToString::to_string).collect();
        match self.computation {
            Computation::Update { operation, returns } => {
                let outcome = emulator::evaluate(operation, self.memory[0], self.b, self.c);
                Evaluation {
                    memory: vec![outcome.memory],
                    destination: returns.then_some(outcome.destination),
                    notes: sentences(&outcome.notes),
                    fault: None,
                }
            }
            Computation::Load(reduction) => {
                let reduced = reduction.load(&self.memory);
                let mut notes: Vec<String> = reduced.iter().flat_map(|reduced| sentences(&reduced.notes)).collect();
                notes.push(format!("{} replicas are reduced in the given order", self.memory.len()));
                let destination = reduced.map(|one| one.destination);
                Evaluation { memory: self.memory.clone(), destination, notes, fault: None }
            }
            Computation::UpdateAll(reduction) => {
                let (memory, notes) = reduction.update(&self.memory, self.b);
                Evaluation { memory, destination: None, notes: sentences(&notes), fault: None }
            }
            Computation::StoreAll(_) => Evaluation {
                memory: vec![self.b; self.memory.len()],
                destination: None,
                notes: vec!["every replica holds b".to_owned()],
                fault: None,
            },
        }
    }

    /// What it does step by step, a sentence each without a full stop.
    pub fn steps(&self) -> Vec<String> {
        let after = self.evaluate();
        let both = |value: &Value| match (format!("{value:#x}"), value.to_string()) {
            (bits, meaning) if bits == meaning => bits,
            (bits, meaning) => format!("{bits}, that is {meaning}"),
        };
        let mut steps = match self.computation {
            Computation::Update { operation, .. } => emulator::steps(operation, self.memory[0], self.b, self.c),
            Computation::Load(reduction) => {
                let sums = reduction.load(&self.memory).map(|reduced| reduced.steps).unwrap_or_default();
                let replicas = self.memory.iter().zip(&sums).enumerate();
                let told = replicas.map(|(at, (replica, sum))| match at {
                    0 => format!("the reduction starts with replica 0: {}", both(replica)),
                    _ => format!("after replica {at} ({replica}): {}", both(sum)),
                });
                told.chain(after.notes).collect()
            }
            Computation::UpdateAll(_) | Computation::StoreAll(_) => {
                let replicas = self.memory.iter().zip(&after.memory).enumerate();
                let told = replicas.map(|(at, (old, new))| format!("replica {at} changes from {old} to {}", both(new)));
                std::iter::once(format!("b is {}", both(&self.b))).chain(told).chain(after.notes).collect()
            }
        };
        steps.extend(after.destination.map(|value| format!("the destination receives {}", both(&value))));
        steps
    }
}
