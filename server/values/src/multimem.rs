//! multimem: one address, a replica of the value on each device.
//!
//! Follows the reference text. Nothing here was measured, and every outcome has a note about it. What the text leaves open is
//! implemented in the simplest way: the reduction uses the replicas in the given order, subnormals are kept, NaN
//! is treated as by atom and red on global memory.

use crate::float::SmallFloat;
use crate::notes;
use crate::notes::{ElementEvent, EvaluationNote};
use crate::ops::{AccessedSpace, Operation, Subnormals, UnsupportedOperation};
use crate::value::{Element, Shape, Value};
use isa::types::Op;

/// The precision in which `multimem.ld_reduce.add` keeps its intermediate sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulate {
    /// That of the element: each addition rounds to it.
    Element,
    /// `.acc::f16`: sums of e4m3 and e5m2 are kept in f16 and rounded once, at the end.
    F16,
    /// `.acc::f32`: sums of f16 and bf16 are kept in f32 and rounded once, at the end.
    F32,
}

/// The computation of `multimem.ld_reduce` or `multimem.red`, for any number of replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    operation: Operation,
    accumulate: Accumulate,
}

/// The result of a reduction over replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The destination register.
    pub destination: Value,
    /// The notes, replica by replica; the first is always [`Event::NotMeasured`].
    pub notes: Vec<EvaluationNote>,
    /// The value after each replica, the first one's own value first, rounded to the type as if it were the last.
    pub steps: Vec<Value>,
}

impl Reduction {
    /// The reduction with this operation on replicas of this shape.
    ///
    /// # Errors
    /// [`UnsupportedOperation`] if the operation is not defined for the element.
    pub fn new(op: Op, shape: Shape, accumulate: Accumulate) -> Result<Self, UnsupportedOperation> {
        Ok(Self { operation: Operation::new(op, shape, Subnormals::Preserved, AccessedSpace::Global)?, accumulate })
    }

    /// The shape of each replica.
    pub const fn shape(self) -> Shape {
        self.operation.shape()
    }

    /// One replica after `multimem.red` with `b`, as bit patterns and without notes.
    #[inline]
    pub fn apply(self, replica: u128, b: u128) -> u128 {
        self.operation.apply(replica, b, 0)
    }

    /// `multimem.ld_reduce`: reduces the replicas in the given order. `None` without a replica.
    pub fn load(self, replicas: &[Value]) -> Option<Reduced> {
        let shape = self.operation.shape();
        let (first, rest) = replicas.split_first()?;
        let first = Value::new(shape, first.bits());
        let mut notes = vec![EvaluationNote { element: None, event: ElementEvent::NotMeasured }];
        let mut steps = vec![first];
        if let Some(format) = self.widened() {
            let mut sums: Vec<f32> = elements(first).map(|bits| format.decode(bits as u16)).collect();
            for replica in rest {
                for (sum, bits) in sums.iter_mut().zip(elements(Value::new(shape, replica.bits()))) {
                    *sum = self.accumulate.keep(*sum + format.decode(bits as u16));
                }
                steps.push(Value::from_elements(shape, sums.iter().map(|&sum| format.encode(sum).into())));
            }
        } else {
            for replica in rest {
                let (old, replica) = (steps[steps.len() - 1], Value::new(shape, replica.bits()));
                let new = Value::new(shape, self.operation.apply(old.bits(), replica.bits(), 0));
                notes.extend(notes::of(self.operation, old, replica, new));
                steps.push(new);
            }
        }
        Some(Reduced { destination: steps[steps.len() - 1], notes, steps })
    }

    /// `multimem.red`: the new value of every replica.
    pub fn update(self, replicas: &[Value], b: Value) -> (Vec<Value>, Vec<EvaluationNote>) {
        let shape = self.operation.shape();
        let b = Value::new(shape, b.bits());
        let mut notes = vec![EvaluationNote { element: None, event: ElementEvent::NotMeasured }];
        let values = replicas.iter().map(|replica| {
            let old = Value::new(shape, replica.bits());
            let new = Value::new(shape, self.operation.apply(old.bits(), b.bits(), 0));
            notes.extend(notes::of(self.operation, old, b, new));
            new
        });
        (values.collect(), notes)
    }

    /// The format of the elements if sums are kept in a wider one.
    fn widened(self) -> Option<SmallFloat> {
        match (self.operation.op(), self.operation.shape().element(), self.accumulate) {
            (Op::Add, Element::Small(format), Accumulate::F16 | Accumulate::F32) => Some(format),
            _ => None,
        }
    }
}

impl Accumulate {
    /// A binary32 sum, rounded to the precision between two additions.
    fn keep(self, sum: f32) -> f32 {
        match self {
            Self::F16 => SmallFloat::F16.decode(SmallFloat::F16.encode(sum)),
            Self::Element | Self::F32 => sum,
        }
    }
}

fn elements(value: Value) -> impl Iterator<Item = u64> {
    (0..value.shape().elements()).map(move |index| value.element(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::types::Type;

    fn halves(bits: &[u128]) -> Vec<Value> {
        bits.iter().map(|&bits| Value::new(Shape::scalar(Type::F16), bits)).collect()
    }

    fn sum(accumulate: Accumulate, replicas: &[Value]) -> u128 {
        let reduction = Reduction::new(Op::Add, replicas[0].shape(), accumulate).expect("a sum of f16");
        reduction.load(replicas).expect("there are replicas").destination.bits()
    }

    #[test]
    fn the_accumulator_decides_what_is_lost() {
        // 2048 + 1 + 1: f16 has no 2049, so each 1 is lost unless the sum is kept in f32.
        let replicas = halves(&[0x6800, 0x3c00, 0x3c00]);
        assert_eq!(sum(Accumulate::Element, &replicas), 0x6800);
        assert_eq!(sum(Accumulate::F32, &replicas), 0x6801);
    }

    #[test]
    fn the_order_of_replicas_matters() {
        assert_eq!(sum(Accumulate::Element, &halves(&[0x3c00, 0x3c00, 0x6800])), 0x6801);
    }

    #[test]
    fn eight_bit_sums_saturate_unless_kept_in_f16_and_lowered() {
        let shape = Shape::new(Type::E4m3, 4).expect("32 bits");
        let replicas: Vec<_> = [0x7e_7e_38_7f, 0x7e_fe_38_00].map(|bits| Value::new(shape, bits)).to_vec();
        for accumulate in [Accumulate::Element, Accumulate::F16] {
            let reduced = Reduction::new(Op::Add, shape, accumulate).expect("a sum").load(&replicas).expect("two");
            assert_eq!(reduced.destination.bits(), 0x7e_00_40_7f, "{accumulate:?}");
            assert_eq!(reduced.notes[0].event, ElementEvent::NotMeasured);
        }
    }

    #[test]
    fn red_updates_every_replica() {
        let shape = Shape::scalar(Type::S32);
        let replicas = [1, 0xffff_ffff].map(|bits| Value::new(shape, bits));
        let reduction = Reduction::new(Op::Min, shape, Accumulate::Element).expect("min of s32");
        let (values, _) = reduction.update(&replicas, Value::new(shape, 0));
        assert_eq!(values.iter().map(|value| value.bits()).collect::<Vec<_>>(), [0, 0xffff_ffff]);
        assert_eq!(reduction.load(&[]), None);
    }
}
