//! Runs an atomic in the emulator, and describes the result.

use crate::request::Evaluation;
use values::{Computation, Value};

/// A computation with its inputs.
#[derive(Clone, Debug)]
pub struct AtomicRun {
    /// The computation.
    pub computation: Computation,
    /// The values in memory: exactly one for `atom` and `red`, one per replica for multimem.
    pub memory: Vec<Value>,
    /// Operand b; zero if the computation has none.
    pub b: Value,
    /// Operand c; for `cas` the new value.
    pub c: Option<Value>,
}

impl AtomicRun {
    /// Computes the result.
    pub fn evaluate(&self) -> Evaluation {
        let texts = |notes: &[values::EvaluationNote]| notes.iter().map(ToString::to_string).collect();
        match self.computation {
            Computation::Update { operation, returns } => {
                let outcome = values::evaluate(operation, self.memory[0], self.b, self.c);
                Evaluation {
                    memory: vec![outcome.memory],
                    destination: returns.then_some(outcome.destination),
                    notes: texts(&outcome.notes),
                    fault: None,
                }
            }
            Computation::Load(reduction) => {
                let reduced = reduction.load(&self.memory);
                let mut notes: Vec<String> = reduced.iter().flat_map(|reduced| texts(&reduced.notes)).collect();
                notes.push(format!("{} replicas are reduced in the given order", self.memory.len()));
                let destination = reduced.map(|one| one.destination);
                Evaluation { memory: self.memory.clone(), destination, notes, fault: None }
            }
            Computation::UpdateAll(reduction) => {
                let (memory, notes) = reduction.update(&self.memory, self.b);
                Evaluation { memory, destination: None, notes: texts(&notes), fault: None }
            }
            Computation::StoreAll(_) => Evaluation {
                memory: vec![self.b; self.memory.len()],
                destination: None,
                notes: vec!["every replica holds b".to_owned()],
                fault: None,
            },
        }
    }

    /// The steps of the computation, as messages without full stops.
    pub fn steps(&self) -> Vec<String> {
        let evaluation = self.evaluate();
        let bits_and_value = |value: &Value| match (format!("{value:#x}"), value.to_string()) {
            (bits, meaning) if bits == meaning => bits,
            (bits, meaning) => format!("{bits} ({meaning})"),
        };
        let mut steps = match self.computation {
            Computation::Update { operation, .. } => values::steps(operation, self.memory[0], self.b, self.c),
            Computation::Load(reduction) => {
                let sums = reduction.load(&self.memory).map(|reduced| reduced.steps).unwrap_or_default();
                let replicas = self.memory.iter().zip(&sums).enumerate();
                let changes = replicas.map(|(at, (replica, sum))| match at {
                    0 => format!("the reduction starts with replica 0: {}", bits_and_value(replica)),
                    _ => format!("after replica {at} ({replica}): {}", bits_and_value(sum)),
                });
                changes.chain(evaluation.notes).collect()
            }
            Computation::UpdateAll(_) | Computation::StoreAll(_) => {
                let replicas = self.memory.iter().zip(&evaluation.memory).enumerate();
                let changes = replicas
                    .map(|(at, (old, new))| format!("replica {at} changes from {old} to {}", bits_and_value(new)));
                std::iter::once(format!("b is {}", bits_and_value(&self.b)))
                    .chain(changes)
                    .chain(evaluation.notes)
                    .collect()
            }
        };
        steps
            .extend(evaluation.destination.map(|value| format!("the destination receives {}", bits_and_value(&value))));
        steps
    }
}
