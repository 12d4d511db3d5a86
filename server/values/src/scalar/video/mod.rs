//! Video instructions: arithmetic on bytes, halves and words of registers.

mod lanes;
mod operands;
mod word;

pub use crate::scalar::video::operands::{VideoOperands, VideoSource};

use crate::scalar::compare::Comparison;
use crate::scalar::lanes::Apply;
use crate::scalar::types::Words;
use crate::scalar::video::lanes::VideoLanes;
use crate::scalar::video::word::{VideoMultiplyAdd, VideoWord};

/// The first step of a video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VideoOp {
    Add,
    Sub,
    Distance,
    Min,
    Max,
    Average,
    ShiftLeft { wrap: bool },
    ShiftRight { wrap: bool },
    Compare(Comparison),
}

impl VideoOp {
    /// The operation of a mnemonic without its number of lanes.
    fn of(name: &str, words: &Words<'_>) -> Option<Self> {
        let wrap = words.has("wrap");
        Some(match name {
            "vadd" => Self::Add,
            "vsub" => Self::Sub,
            "vabsdiff" => Self::Distance,
            "vmin" => Self::Min,
            "vmax" => Self::Max,
            "vavrg" => Self::Average,
            "vshl" => Self::ShiftLeft { wrap },
            "vshr" => Self::ShiftRight { wrap },
            "vset" => Self::Compare(Comparison::of(words)?),
            _ => return None,
        })
    }

    /// The exact result on two numbers.
    #[inline]
    fn compute(self, a: i64, b: i64) -> i64 {
        let count = |wrap: bool| if wrap { b & 31 } else { b.clamp(0, 32) };
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Distance => (a - b).abs(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Self::ShiftLeft { wrap } => a << count(wrap),
            Self::ShiftRight { wrap } => a >> count(wrap),
            Self::Compare(comparison) => comparison.holds(Some(a.cmp(&b))).into(),
        }
    }
}

/// The second step: what happens with the third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VideoAccumulation {
    None,
    Add,
    Min,
    Max,
}

/// A video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Video {
    Word(VideoWord),
    MultiplyAdd(VideoMultiplyAdd),
    Lanes(VideoLanes),
}

impl Video {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let name = words.mnemonic;
        if name == "vmad" {
            return VideoMultiplyAdd::of(words).map(Self::MultiplyAdd);
        }
        if let Some(name) = name.strip_suffix('2') {
            return VideoLanes::of(words, VideoOp::of(name, words)?, 2).map(Self::Lanes);
        }
        if let Some(name) = name.strip_suffix('4') {
            return VideoLanes::of(words, VideoOp::of(name, words)?, 4).map(Self::Lanes);
        }
        VideoWord::of(words, VideoOp::of(name, words)?).map(Self::Word)
    }

    /// The same instruction with selectors and signs.
    pub(super) fn with_operands(self, operands: &VideoOperands) -> Self {
        match self {
            Self::Word(video) => Self::Word(video.with_operands(operands)),
            Self::MultiplyAdd(video) => Self::MultiplyAdd(video.with_operands(operands)),
            Self::Lanes(video) => Self::Lanes(video.with_operands(operands)),
        }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        match self {
            Self::Word(video) => apply.value(move |sources| video.compute(sources)),
            Self::MultiplyAdd(video) => apply.value(move |sources| video.compute(sources)),
            Self::Lanes(video) => apply.value(move |sources| video.compute(sources)),
        }
    }
}

/// The accumulation that an instruction names.
fn accumulation(words: &Words<'_>) -> VideoAccumulation {
    words
        .one_of(&[("add", VideoAccumulation::Add), ("min", VideoAccumulation::Min), ("max", VideoAccumulation::Max)])
        .unwrap_or(VideoAccumulation::None)
}

/// The signs of the destination and of the sources.
fn signs(words: &Words<'_>) -> Option<(bool, [bool; 2])> {
    match *words.types.as_slice() {
        [to, a, b] => Some((to.is_signed(), [a.is_signed(), b.is_signed()])),
        [a, b] => Some((a.is_signed(), [a.is_signed(), b.is_signed()])),
        _ => None,
    }
}

/// A number limited to a type of this width.
fn saturated(number: i64, width: u32, signed: bool) -> i64 {
    if signed { number.clamp(-1 << (width - 1), (1 << (width - 1)) - 1) } else { number.clamp(0, (1 << width) - 1) }
}
