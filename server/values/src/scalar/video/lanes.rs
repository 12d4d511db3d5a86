//! Video instructions on two halves or four bytes.

use crate::scalar::lanes::Sources;
use crate::scalar::types::Words;
use crate::scalar::video::operands::VideoOperands;
use crate::scalar::video::{VideoAccumulation, VideoOp, accumulation, saturated, signs};

/// `vadd2` to `vset4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct VideoLanes {
    op: VideoOp,
    accumulates: bool,
    signed: bool,
    source_signs: [bool; 2],
    saturates: bool,
    count: u32,
    /// The lanes that are computed.
    mask: u32,
    /// For each source and lane the element of the first two sources that is used.
    elements: [[u32; 4]; 2],
}

impl VideoLanes {
    pub(super) fn of(words: &Words<'_>, op: VideoOp, count: u32) -> Option<Self> {
        let (signed, source_signs) = signs(words)?;
        Some(Self {
            op,
            accumulates: accumulation(words) == VideoAccumulation::Add,
            signed,
            source_signs,
            saturates: words.has("sat"),
            count,
            mask: (1 << count) - 1,
            elements: [std::array::from_fn(|lane| lane as u32), std::array::from_fn(|lane| lane as u32 + count)],
        })
    }

    pub(super) fn with_operands(self, operands: &VideoOperands) -> Self {
        let mut changed = self;
        if !operands.destination.is_empty() {
            changed.mask = digits(&operands.destination).fold(0, |mask, lane| mask | 1 << (lane & 3));
        }
        for (source, elements) in changed.elements.iter_mut().enumerate() {
            // The first digit is the highest lane.
            let lanes = digits(&operands.sources[source].selector).rev();
            for (element, digit) in elements.iter_mut().zip(lanes) {
                *element = digit & (2 * self.count - 1);
            }
        }
        changed
    }

    pub(super) fn compute(self, [a, b, c, _]: Sources) -> u64 {
        let width = 32 / self.count;
        let pair = b << 32 | a & 0xffff_ffff;
        let mask = (1_u64 << width) - 1;
        let number = |bits: u64, signed: bool| {
            let unused = 64 - width;
            if signed { (bits << unused) as i64 >> unused } else { (bits & mask) as i64 }
        };
        let mut merged = c & 0xffff_ffff;
        let mut sum = c as u32;
        for lane in (0..self.count).filter(|lane| self.mask >> lane & 1 != 0) {
            let source =
                |index: usize| number(pair >> (self.elements[index][lane as usize] * width), self.source_signs[index]);
            let exact = self.op.compute(source(0), source(1));
            let value = if self.saturates { saturated(exact, width, self.signed) } else { exact };
            let shift = lane * width;
            merged = merged & !(mask << shift) | (value as u64 & mask) << shift;
            // The sum takes the whole number, not its lane.
            sum = sum.wrapping_add(value as u32);
        }
        let value = if self.accumulates { sum } else { merged as u32 };
        if self.signed { value as i32 as u64 } else { u64::from(value) }
    }
}

/// The digits of a selector such as `b3210`.
fn digits(selector: &str) -> impl DoubleEndedIterator<Item = u32> {
    selector.chars().filter_map(|letter| letter.to_digit(10))
}
