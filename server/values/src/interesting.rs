//! Interesting values: operands that show the special cases of an operation.
//!
//! For tables in a hover and for prefilled inputs. These are limits of types and special cases; `evaluate` computes
//! their results.

use crate::ops::Operation;
use crate::value::{Element, Shape, Value};
use isa::types::Op;

/// A set of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The value in memory.
    pub memory: Value,
    /// Operand b.
    pub b: Value,
    /// Operand c, for cas alone.
    pub c: Option<Value>,
}

/// Interesting operands for an operation, an ordinary case first; never empty. Each element of a vector or packed value
/// gets its own case.
pub fn examples(operation: Operation) -> Vec<Example> {
    let shape = operation.shape();
    if operation.op() == Op::Cas {
        return [(1, 1), (1, 2)]
            .map(|(memory, b)| {
                let [memory, b, c] = [memory, b, 3].map(|bits| Value::new(shape, bits));
                Example { memory, b, c: Some(c) }
            })
            .to_vec();
    }
    let cases = cases(operation.op(), shape.element());
    let lanes = shape.elements() as usize;
    (0..cases.len())
        .step_by(lanes)
        .map(|start| {
            let lane = |index: usize| cases[(start + index) % cases.len()];
            let memory = Value::from_elements(shape, (0..lanes).map(|index| lane(index).0));
            let b = Value::from_elements(shape, (0..lanes).map(|index| lane(index).1));
            Example { memory, b, c: None }
        })
        .collect()
}

/// Pairs of memory value and operand b of one element.
fn cases(op: Op, element: Element) -> Vec<(u64, u64)> {
    let ones = Value::new(Shape::of(element), u128::MAX).element(0);
    let half = ones / 2;
    match op {
        Op::And | Op::Or | Op::Xor => vec![(0b1100, 0b1010)],
        Op::Exch | Op::Cas => vec![(1, 2)],
        Op::Inc => vec![(3, 7), (7, 7), (9, 7)],
        Op::Dec => vec![(3, 7), (0, 7), (9, 7)],
        Op::Add => match element {
            Element::Signed(_) => vec![(5, 3), (half, 1), (half + 1, ones)],
            Element::Bits(_) | Element::Unsigned(_) => vec![(5, 3), (ones, 2)],
            Element::Small(_) | Element::F32 | Element::F64 => sums(FloatEdges::of(element)),
        },
        Op::Min | Op::Max => match element {
            Element::Signed(_) => vec![(3, 5), (ones, 1)],
            Element::Bits(_) | Element::Unsigned(_) => vec![(3, 5), (ones, 1)],
            Element::Small(_) | Element::F32 | Element::F64 => {
                let edges = FloatEdges::of(element);
                vec![(edges.one, edges.two), (edges.nan, edges.one), (edges.sign, 0), (edges.nan, edges.nan)]
            }
        },
    }
}

fn sums(edges: FloatEdges) -> Vec<(u64, u64)> {
    let FloatEdges { one, two, sign, tiny, tied, largest, infinity, nan } = edges;
    let mut cases = vec![(one, two), (tiny, tiny), (one, tied), (nan, one), (largest, largest)];
    cases.extend(infinity.map(|infinity| (infinity, infinity | sign)));
    cases
}

/// The bits of some numbers of a floating-point element.
struct FloatEdges {
    one: u64,
    two: u64,
    sign: u64,
    /// The smallest subnormal number.
    tiny: u64,
    /// Half a unit in the last place of one, so that the sum with one is a tie.
    tied: u64,
    largest: u64,
    infinity: Option<u64>,
    nan: u64,
}

impl FloatEdges {
    /// The numbers of the element; those of f64 if it is not a floating-point type.
    fn of(element: Element) -> Self {
        let (fraction, bias, largest, infinity, nan) = match element {
            Element::Small(format) => (
                format.fraction_bits(),
                format.bias() as u64,
                u64::from(format.largest()),
                format.infinity().map(u64::from),
                u64::from(format.nan()),
            ),
            Element::F32 => (23, 127, 0x7f7f_ffff, Some(0x7f80_0000), 0x7fc0_0000),
            Element::F64 | Element::Bits(_) | Element::Unsigned(_) | Element::Signed(_) => {
                (52, 1023, f64::MAX.to_bits(), Some(f64::INFINITY.to_bits()), 0x7ff0_0000_0000_0001)
            }
        };
        let exponent = |power: u64| power << fraction;
        Self {
            one: exponent(bias),
            two: exponent(bias + 1),
            sign: 1 << (element.bits() - 1),
            tiny: 1,
            tied: exponent(bias - u64::from(fraction) - 1),
            largest,
            infinity,
            nan,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccessedSpace, ElementEvent, Subnormals, evaluate};
    use isa::types::Type;

    fn events(op: Op, ty: Type, lanes: u32, at: AccessedSpace) -> Vec<ElementEvent> {
        let operation = Operation::new(op, Shape::new(ty, lanes).expect("fits"), Subnormals::Default, at)
            .expect("it has a meaning");
        let examples = examples(operation);
        examples.iter().flat_map(|e| evaluate(operation, e.memory, e.b, e.c).notes).map(|note| note.event).collect()
    }

    fn shows(op: Op, ty: Type, lanes: u32, at: AccessedSpace, wanted: impl Fn(&ElementEvent) -> bool) {
        let events = events(op, ty, lanes, at);
        assert!(events.iter().any(wanted), "{op:?} {ty:?}: {events:?}");
    }

    #[test]
    fn what_is_special_is_shown() {
        use AccessedSpace::{Global, Shared};
        shows(Op::Add, Type::U32, 1, Global, |event| matches!(event, ElementEvent::Wrapped(_)));
        shows(Op::Add, Type::S64, 1, Global, |event| matches!(event, ElementEvent::Wrapped(_)));
        shows(Op::Inc, Type::U32, 1, Shared, |event| matches!(event, ElementEvent::IncWrapped { .. }));
        shows(Op::Dec, Type::U32, 1, Shared, |event| matches!(event, ElementEvent::DecWrapped { .. }));
        shows(Op::Cas, Type::B128, 1, Global, |event| matches!(event, ElementEvent::Swapped));
        shows(Op::Cas, Type::B16, 1, Global, |event| matches!(event, ElementEvent::CompareFailed));
        shows(Op::Add, Type::F32, 1, Global, |event| matches!(event, ElementEvent::InputFlushed(_)));
        assert!(
            !events(Op::Add, Type::F32, 1, Shared).iter().any(|event| matches!(event, ElementEvent::InputFlushed(_)))
        );
        shows(Op::Add, Type::F64, 1, Shared, |event| {
            matches!(event, ElementEvent::NanPropagated { quieted: true, .. })
        });
        for (ty, lanes) in [(Type::F16, 1), (Type::Bf16, 8), (Type::F16x2, 4), (Type::Bf16x2, 1), (Type::F32, 4)] {
            shows(Op::Add, ty, lanes, Global, |event| matches!(event, ElementEvent::Rounded(_)));
            shows(Op::Add, ty, lanes, Global, |event| matches!(event, ElementEvent::Overflowed(_)));
            shows(Op::Add, ty, lanes, Global, |event| matches!(event, ElementEvent::InfinitiesCancelled { .. }));
        }
        shows(Op::Min, Type::F16, 8, Global, |event| matches!(event, ElementEvent::NanIgnored(_)));
        shows(Op::Max, Type::Bf16x2, 2, Global, |event| matches!(event, ElementEvent::ZerosOrdered(_)));
        shows(Op::Add, Type::E4m3, 4, Global, |event| matches!(event, ElementEvent::Saturated(_)));
    }
}
