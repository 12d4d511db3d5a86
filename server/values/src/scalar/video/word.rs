//! Video instructions on one byte, half or word per source.

use crate::scalar::lanes::Sources;
use crate::scalar::types::Words;
use crate::scalar::video::operands::{RegisterPart, VideoOperands};
use crate::scalar::video::{VideoAccumulation, VideoOp, accumulation, saturated, signs};

/// `vadd` to `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct VideoWord {
    op: VideoOp,
    accumulation: VideoAccumulation,
    signed: bool,
    source_signs: [bool; 2],
    saturates: bool,
    parts: [RegisterPart; 2],
    /// The part of the destination, whose other bits are those of the third source.
    destination: RegisterPart,
}

impl VideoWord {
    pub(super) fn of(words: &Words<'_>, op: VideoOp) -> Option<Self> {
        let (signed, source_signs) = signs(words)?;
        Some(Self {
            op,
            accumulation: accumulation(words),
            signed,
            source_signs,
            saturates: words.has("sat"),
            parts: [RegisterPart::WORD; 2],
            destination: RegisterPart::WORD,
        })
    }

    pub(super) fn with_operands(self, operands: &VideoOperands) -> Self {
        let part = |index: usize| RegisterPart::parse(&operands.sources[index].selector);
        Self { parts: [part(0), part(1)], destination: RegisterPart::parse(&operands.destination), ..self }
    }

    pub(super) fn compute(self, [a, b, c, _]: Sources) -> u64 {
        let [a, b] = [(a, 0), (b, 1)].map(|(bits, index)| self.parts[index].number(bits, self.source_signs[index]));
        let first = self.first(self.op.compute(a, b));
        let extended = if self.signed { i64::from(c as i32) } else { i64::from(c as u32) };
        let pick = |greater: bool| {
            let is_greater = if self.signed { first > extended } else { first as u64 > extended as u64 };
            if is_greater == greater { first } else { extended }
        };
        let value = match self.accumulation {
            VideoAccumulation::Add => first.wrapping_add(extended),
            VideoAccumulation::Min => pick(false),
            VideoAccumulation::Max => pick(true),
            VideoAccumulation::None => {
                let mask = self.destination.mask();
                i64::from((first as u32) << self.destination.shift & mask | c as u32 & !mask)
            }
        };
        if self.signed { value as i32 as u64 } else { u64::from(value as u32) }
    }

    /// The result of the first step, saturated as the assembler's code does it.
    fn first(self, exact: i64) -> i64 {
        let is_word = self.destination == RegisterPart::WORD;
        let saturated = match (self.op, is_word, self.signed) {
            _ if !self.saturates => exact,
            // A saturated shift keeps 34 bits.
            (VideoOp::ShiftLeft { .. } | VideoOp::ShiftRight { .. }, ..) => {
                saturated(exact << 30 >> 30, 32, self.signed) as i32 as i64
            }
            (_, true, false) => exact.max(0),
            (_, true, true) => saturated(exact, 32, true),
            // Parts are saturated as unsigned numbers: a negative one is larger than the limit.
            (_, false, signed) => {
                let limit = (1_u64 << (self.destination.width - u32::from(signed))) - 1;
                (exact as u64).min(limit) as i64
            }
        };
        // Sums are cut to 32 bits before the second step.
        match self.op {
            VideoOp::Add | VideoOp::Sub => (saturated as i32).into(),
            _ => saturated,
        }
    }
}

/// `vmad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct VideoMultiplyAdd {
    signs: [bool; 2],
    signed: bool,
    signed_destination: bool,
    parts: [RegisterPart; 2],
    /// Whether the product is negated.
    negates_product: bool,
    /// Whether the third source is negated.
    negates_addend: bool,
    plus_one: bool,
    saturates: bool,
    shift: u32,
}

impl VideoMultiplyAdd {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let (signed_destination, signs) = signs(words)?;
        Some(Self {
            signs,
            signed: signs[0] || signs[1],
            signed_destination,
            parts: [RegisterPart::WORD; 2],
            negates_product: false,
            negates_addend: false,
            plus_one: words.has("po"),
            saturates: words.has("sat"),
            shift: words.one_of(&[("shr7", 7), ("shr15", 15)]).unwrap_or(0),
        })
    }

    pub(super) fn with_operands(self, operands: &VideoOperands) -> Self {
        let [a, b, c] = &operands.sources;
        let negates_product = a.negated != b.negated;
        Self {
            parts: [RegisterPart::parse(&a.selector), RegisterPart::parse(&b.selector)],
            negates_product,
            negates_addend: c.negated,
            signed: self.signed || negates_product || c.negated,
            ..self
        }
    }

    pub(super) fn compute(self, [a, b, c, _]: Sources) -> u64 {
        // The product is one of signed words, whatever the types say.
        let [a, b] =
            [(a, 0), (b, 1)].map(|(bits, index)| i64::from(self.parts[index].number(bits, self.signs[index]) as i32));
        let product = if self.negates_product { -(a * b) } else { a * b };
        let addend = if self.negates_addend { -i64::from(c as i32) } else { i64::from(c as i32) };
        let sum = product + addend + i64::from(self.plus_one);
        let (shifted, smallest, largest) = if self.signed {
            (sum >> self.shift, i64::from(i32::MIN), i64::from(i32::MAX))
        } else {
            ((sum as u64 >> self.shift) as i64, 0, i64::from(u32::MAX))
        };
        let value = if self.saturates { shifted.clamp(smallest, largest) } else { shifted };
        if self.signed_destination { value as i32 as u64 } else { u64::from(value as u32) }
    }
}
