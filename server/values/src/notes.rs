//! Notes on a computation: rounding, flushing, wrapping, NaN. They explain a result that `ops` has computed, so the fast
//! path and the explained one cannot differ.

use crate::ops::{AccessedSpace, Operation, QUIET_F64, flushed};
use crate::value::{Element, Value, low_bits};
use isa::types::Op;
use std::fmt;

/// A note on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluationNote {
    /// The index of the element from the lowest address; `None` if there is only one.
    pub element: Option<u32>,
    /// What happened.
    pub event: ElementEvent,
}

impl fmt::Display for EvaluationNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            Some(index) => write!(f, "element {index}: {}", self.event),
            None => write!(f, "{}", self.event),
        }
    }
}

/// The inputs of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The value that was in memory.
    Memory,
    /// The operand `b`.
    B,
    /// Both of them.
    Both,
}

impl Inputs {
    fn of(memory: bool, b: bool) -> Option<Self> {
        match (memory, b) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Memory),
            (false, true) => Some(Self::B),
            (false, false) => None,
        }
    }

    const fn subject(self) -> &'static str {
        match self {
            Self::Memory => "memory is",
            Self::B => "b is",
            Self::Both => "memory and b are",
        }
    }
}

/// An event in the computation of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementEvent {
    /// Subnormal inputs were flushed to zero of the same sign.
    InputFlushed(Inputs),
    /// A subnormal sum became zero of the same sign.
    ResultFlushed,
    /// A NaN input gave the canonical NaN of the operation.
    NanCanonical {
        /// Which inputs were NaN.
        inputs: Inputs,
        /// The bits of the result.
        result: u64,
        /// The element type.
        of: Element,
    },
    /// An f64 sum propagated a NaN input.
    NanPropagated {
        /// The propagated input: memory or b.
        from: Inputs,
        /// Whether its quiet bit had to be set.
        quieted: bool,
        /// The memory of the sum, which decides the precedence.
        at: AccessedSpace,
    },
    /// Infinities of opposite sign were added.
    InfinitiesCancelled {
        /// The bits of the resulting NaN.
        result: u64,
        /// The element type.
        of: Element,
    },
    /// The minimum or maximum of a NaN and a number is the number.
    NanIgnored(Inputs),
    /// Zeros of both signs were compared: -0 is the smaller one.
    ZerosOrdered(Op),
    /// The sum of finite numbers is beyond the largest one and became infinity.
    Overflowed(Element),
    /// The sum is too large for a format without saturating arithmetic in the reference; taken as the largest number.
    Saturated(Element),
    /// The exact sum had more digits than the type and was rounded to nearest, ties to even.
    Rounded(Element),
    /// The sum of integers left the type's range and wrapped around.
    Wrapped(Element),
    /// The old value had reached the bound: inc wraps to 0.
    IncWrapped {
        /// The old value.
        old: u64,
        /// The bound, operand b.
        bound: u64,
    },
    /// The old value was 0 or above the bound: dec wraps to the bound.
    DecWrapped {
        /// The old value.
        old: u64,
        /// The bound, operand b.
        bound: u64,
    },
    /// The memory value is already the minimum or maximum, so it stays.
    Kept(Op),
    /// cas found the compared value and stored the new one.
    Swapped,
    /// cas found another value and stored nothing.
    CompareFailed,
    /// The result follows the PTX ISA and was not measured.
    NotMeasured,
}

impl fmt::Display for ElementEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InputFlushed(inputs) => {
                write!(f, "{} subnormal: flushed to zero (f32 add on global memory)", inputs.subject())
            }
            Self::ResultFlushed => {
                write!(f, "the sum is subnormal: flushed to zero (f32 add on global memory)")
            }
            Self::NanCanonical { inputs, result, of } => {
                write!(f, "{} NaN: the result is the canonical NaN {}", inputs.subject(), HexBits(result, of))
            }
            Self::NanPropagated { from, quieted, at } => {
                let how = if quieted { "quieted" } else { "unchanged" };
                let (space, precedence) = match at {
                    AccessedSpace::Global => ("global", "a NaN in b takes precedence"),
                    AccessedSpace::Shared => ("shared", "a NaN in memory takes precedence"),
                };
                write!(f, "{} NaN: propagated {how} (f64 add on {space} memory: {precedence})", from.subject())
            }
            Self::InfinitiesCancelled { result, of } => {
                write!(f, "infinities of opposite sign: the result is the NaN {}", HexBits(result, of))
            }
            Self::NanIgnored(inputs) => write!(f, "{} NaN: the result is the number", inputs.subject()),
            Self::ZerosOrdered(op) => {
                let taken = if op == Op::Min { "-0" } else { "+0" };
                write!(f, "zeros of opposite sign: -0 is less than +0, so {} is {taken}", op.word())
            }
            Self::Overflowed(of) => write!(f, "the sum overflows {}: infinity", of.name()),
            Self::Saturated(of) => write!(f, "the sum overflows {}: saturated to the largest number", of.name()),
            Self::Rounded(of) => {
                write!(f, "the sum is not representable in {}: rounded to nearest, ties to even", of.name())
            }
            Self::Wrapped(of) => write!(f, "the sum overflows {}: wrapped around", of.name()),
            Self::IncWrapped { old, bound } => {
                write!(f, "{old} has reached the bound {bound}: inc wraps to 0")
            }
            Self::DecWrapped { old: 0, bound } => write!(f, "0 reached: dec wraps to the bound {bound}"),
            Self::DecWrapped { old, bound } => {
                write!(f, "{old} exceeds the bound {bound}: dec wraps to the bound")
            }
            Self::Kept(op) => write!(f, "memory already holds the {}: unchanged", op.word()),
            Self::Swapped => write!(f, "memory equals b: c is stored"),
            Self::CompareFailed => write!(f, "memory differs from b: nothing is stored"),
            Self::NotMeasured => write!(f, "according to the PTX ISA; not measured on hardware"),
        }
    }
}

/// An element's bits in hexadecimal of full width.
struct HexBits(u64, Element);

impl fmt::Display for HexBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:0width$x}", self.0, width = (self.1.bits() / 4) as usize)
    }
}

/// Explains how `operation` came from `old` and `b` to `new`.
pub(crate) fn of(operation: Operation, old: Value, b: Value, new: Value) -> Vec<EvaluationNote> {
    if operation.op() == Op::Cas {
        let event = if old == b { ElementEvent::Swapped } else { ElementEvent::CompareFailed };
        return vec![EvaluationNote { element: None, event }];
    }
    let mut notes = Vec::new();
    let count = operation.shape().elements();
    for index in 0..count {
        let element = (count > 1).then_some(index);
        explain(operation, old.element(index), b.element(index), new.element(index), |event| {
            notes.push(EvaluationNote { element, event });
        });
    }
    notes
}

fn explain(operation: Operation, old: u64, b: u64, new: u64, mut emit: impl FnMut(ElementEvent)) {
    let element = operation.shape().element();
    match operation.op() {
        Op::And | Op::Or | Op::Xor | Op::Cas | Op::Exch => {}
        Op::Inc if old >= b => emit(ElementEvent::IncWrapped { old, bound: b }),
        Op::Dec if old == 0 || old > b => emit(ElementEvent::DecWrapped { old, bound: b }),
        Op::Inc | Op::Dec => {}
        Op::Add if element.is_float() => explain_sum(operation, old, b, new, emit),
        Op::Add => {
            if wraps(element, old, b) {
                emit(ElementEvent::Wrapped(element));
            }
        }
        Op::Min | Op::Max => match Inputs::of(element.is_nan(old), element.is_nan(b)) {
            Some(Inputs::Both) => emit(ElementEvent::NanCanonical { inputs: Inputs::Both, result: new, of: element }),
            Some(one) => emit(ElementEvent::NanIgnored(one)),
            None if element.is_float() && old != b && number(element, old) == number(element, b) => {
                emit(ElementEvent::ZerosOrdered(operation.op()));
            }
            None if old == new => emit(ElementEvent::Kept(operation.op())),
            None => {}
        },
    }
}

fn explain_sum(operation: Operation, old: u64, b: u64, new: u64, mut emit: impl FnMut(ElementEvent)) {
    let of = operation.shape().element();
    let nans = Inputs::of(of.is_nan(old), of.is_nan(b));
    match (nans, of) {
        (Some(_), Element::F64) => {
            let global = operation.location() == AccessedSpace::Global;
            let b_wins = if global { of.is_nan(b) } else { !of.is_nan(old) };
            let (from, bits) = if b_wins { (Inputs::B, b) } else { (Inputs::Memory, old) };
            let quieted = !global && bits & QUIET_F64 == 0;
            return emit(ElementEvent::NanPropagated { from, quieted, at: operation.location() });
        }
        (Some(inputs), _) => return emit(ElementEvent::NanCanonical { inputs, result: new, of }),
        (None, _) if of.is_nan(new) => return emit(ElementEvent::InfinitiesCancelled { result: new, of }),
        (None, _) => {}
    }
    let (mut x, mut y) = (old, b);
    if operation.flushes() {
        x = flushed(old as u32).into();
        y = flushed(b as u32).into();
        if let Some(inputs) = Inputs::of(x != old, y != b) {
            emit(ElementEvent::InputFlushed(inputs));
        }
    }
    let (p, q, sum) = (number(of, x), number(of, y), number(of, new));
    if p.is_infinite() || q.is_infinite() {
        return;
    }
    if operation.flushes() && sum == 0.0 && p != -q {
        return emit(ElementEvent::ResultFlushed);
    }
    if sum.is_infinite() {
        return emit(ElementEvent::Overflowed(of));
    }
    if let Element::Small(format) = of
        && (p + q).abs() > f64::from(format.decode(format.largest()))
        && sum.abs() == f64::from(format.decode(format.largest()))
        && format.bits() == 8
    {
        return emit(ElementEvent::Saturated(of));
    }
    if !is_exact(p, q, sum) {
        emit(ElementEvent::Rounded(of));
    }
}

/// Whether `sum` is p + q exactly. All are finite.
///
/// The error of a rounded f64 sum is itself an f64 and computed here without error (Knuth's TwoSum); where the sum
/// was rounded to a narrower type afterwards, it then differs from the f64 sum.
fn is_exact(p: f64, q: f64, sum: f64) -> bool {
    let wide = p + q;
    let q_part = wide - p;
    let error = (p - (wide - q_part)) + (q - q_part);
    wide == sum && error == 0.0
}

/// The value of the bits as f64, which represents every element's numbers exactly.
fn number(element: Element, bits: u64) -> f64 {
    match element {
        Element::Bits(_) | Element::Unsigned(_) => bits as f64,
        Element::Signed(width) => ((bits << (64 - width)) as i64 >> (64 - width)) as f64,
        Element::Small(format) => format.decode(bits as u16).into(),
        Element::F32 => f32::from_bits(bits as u32).into(),
        Element::F64 => f64::from_bits(bits),
    }
}

fn wraps(element: Element, a: u64, b: u64) -> bool {
    match element {
        Element::Signed(width) => {
            let extend = |x: u64| i128::from((x << (64 - width)) as i64 >> (64 - width));
            let sum = extend(a) + extend(b);
            let half = 1_i128 << (width - 1);
            !(-half..half).contains(&sum)
        }
        Element::Bits(width) | Element::Unsigned(width) => u128::from(a) + u128::from(b) > low_bits(width),
        Element::Small(_) | Element::F32 | Element::F64 => false,
    }
}
