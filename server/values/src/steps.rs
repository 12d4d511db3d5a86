//! The steps of an operation as sentences, rendered from the results of `ops` and the events of `notes`.

use crate::evaluate::{AtomicResult, evaluate};
use crate::notes::{ElementEvent, EvaluationNote};
use crate::ops::Operation;
use crate::value::{Shape, Value};
use isa::types::Op;

/// The steps from the old to the new value in memory, one sentence each without a full stop: the value that is read, the
/// computation of each element with its special cases, and the value that is stored. The operands are those of [`evaluate`].
pub fn steps(operation: Operation, memory: Value, b: Value, c: Option<Value>) -> Vec<String> {
    let AtomicResult { memory: new, destination: old, notes } = evaluate(operation, memory, b, c);
    let shape = operation.shape();
    let b = Value::new(shape, b.bits());
    let mut steps = vec![format!("memory holds {}", shown(old)), operand(operation, b)];
    if let (Op::Cas, Some(c)) = (operation.op(), c) {
        steps.push(format!("c, the new value, is {}", shown(Value::new(shape, c.bits()))));
    }
    match operation.op() {
        Op::And | Op::Or | Op::Xor | Op::Exch | Op::Cas => {
            steps.extend(formula(operation.op(), old, b, new));
            steps.extend(notes.iter().map(ToString::to_string));
        }
        Op::Add | Op::Inc | Op::Dec | Op::Min | Op::Max => {
            let count = shape.elements();
            for index in 0..count {
                let element = (count > 1).then_some(index);
                let own: Vec<&EvaluationNote> = notes.iter().filter(|note| note.element == element).collect();
                let one = |value: Value| Value::new(Shape::of(shape.element()), value.element(index).into());
                let name = element.map_or(String::new(), |index| format!("element {index}: "));
                let flushed = |note: &&&EvaluationNote| matches!(note.event, ElementEvent::InputFlushed(_));
                steps.extend(own.iter().filter(flushed).map(ToString::to_string));
                steps.extend(formula(operation.op(), one(old), one(b), one(new)).map(|text| name + &text));
                steps.extend(own.iter().filter(|note| !flushed(note)).map(ToString::to_string));
            }
        }
    }
    steps.push(if new == old { "memory is unchanged".to_owned() } else { format!("memory now holds {}", shown(new)) });
    steps
}

fn operand(operation: Operation, b: Value) -> String {
    let role = match operation.op() {
        Op::Cas => "b, the compared value,",
        Op::Inc | Op::Dec => "b, the bound,",
        Op::Exch => "b, the new value,",
        Op::And | Op::Or | Op::Xor | Op::Add | Op::Min | Op::Max => "b",
    };
    format!("{role} is {}", shown(b))
}

/// The bits, with the typed value if it looks different.
fn shown(value: Value) -> String {
    let (bits, meaning) = (format!("{value:#x}"), value.to_string());
    if bits == meaning { bits } else { format!("{bits} ({meaning})") }
}

/// The computation, unless a note describes it.
fn formula(op: Op, old: Value, b: Value, new: Value) -> Option<String> {
    let text = match op {
        Op::And => format!("{old:#x} and {b:#x} = {new:#x}"),
        Op::Or => format!("{old:#x} or {b:#x} = {new:#x}"),
        Op::Xor => format!("{old:#x} xor {b:#x} = {new:#x}"),
        Op::Add => format!("{old} + {b} = {new}"),
        Op::Min => format!("min({old}, {b}) = {new}"),
        Op::Max => format!("max({old}, {b}) = {new}"),
        Op::Inc if old.bits() < b.bits() => format!("{old} is below the bound {b}: incremented to {new}"),
        Op::Dec if old.bits() != 0 && old.bits() <= b.bits() => {
            format!("{old} is neither 0 nor above the bound {b}: decremented to {new}")
        }
        Op::Inc | Op::Dec | Op::Exch | Op::Cas => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal;
    use crate::ops::{AccessedSpace, Subnormals};
    use isa::types::Type;

    fn steps_of(op: Op, ty: Type, lanes: u32, [memory, b, c]: [&str; 3]) -> Vec<String> {
        let shape = Shape::new(ty, lanes).expect("at most 128 bits");
        let operation =
            Operation::new(op, shape, Subnormals::Default, AccessedSpace::Global).expect("it has a meaning");
        let [memory, b, c] = [memory, b, c].map(|text| literal::parse(text, shape).expect(text));
        steps(operation, memory, b, Some(c))
    }

    #[test]
    fn a_flushed_sum() {
        assert_eq!(
            steps_of(Op::Add, Type::F32, 1, ["0x00000001", "1.5", "0"]),
            [
                "memory holds 0x00000001 (1e-45)",
                "b is 0x3fc00000 (1.5)",
                "memory is subnormal: flushed to zero (f32 add on global memory)",
                "1e-45 + 1.5 = 1.5",
                "memory now holds 0x3fc00000 (1.5)",
            ]
        );
    }

    #[test]
    fn a_failing_cas() {
        assert_eq!(
            steps_of(Op::Cas, Type::B32, 1, ["1", "2", "3"]),
            [
                "memory holds 0x00000001",
                "b, the compared value, is 0x00000002",
                "c, the new value, is 0x00000003",
                "memory differs from b: nothing is stored",
                "memory is unchanged",
            ]
        );
    }

    #[test]
    fn counters_and_vectors() {
        assert_eq!(steps_of(Op::Inc, Type::U32, 1, ["3", "7", "0"])[2], "3 is below the bound 7: incremented to 4");
        assert_eq!(steps_of(Op::Inc, Type::U32, 1, ["7", "7", "0"])[2], "7 has reached the bound 7: inc wraps to 0");
        assert_eq!(
            steps_of(Op::Max, Type::F16, 2, ["{1, nan}", "{2, 3}", "{0, 0}"])[2..],
            [
                "element 0: max(1.0, 2.0) = 2.0",
                "element 1: max(nan, 3.0) = 3.0",
                "element 1: memory is NaN: the result is the number",
                "memory now holds 0x42004000 ({2.0, 3.0})",
            ]
        );
    }
}
