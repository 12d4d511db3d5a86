//! Exchanges between the lanes of a warp: shuffles, votes, matches, reductions, elections.

use crate::lanes::{LaneValues, holding, lanes_of};
use crate::operand::{Destination, Source};

/// The sign of an f32.
const SIGN: u32 = 1 << 31;
/// The NaN that f32 instructions give.
const CANONICAL_NAN: u32 = 0x7fff_ffff;

/// An instruction that exchanges values between lanes.
#[derive(Debug)]
pub struct Collective {
    /// What it computes.
    pub operation: CollectiveOperation,
    /// The lanes that have to execute it together; `None` for the instructions without `.sync`, which take those that are there.
    pub members: Option<Source>,
    /// The operands.
    pub sources: [Source; 3],
    /// The result.
    pub destination: Option<Destination>,
    /// The predicate of `shfl`, `match.all` and `elect`.
    pub predicate: Option<Destination>,
}

/// What lanes exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveOperation {
    /// A value of another lane: value, lane or distance, and clamp with segment mask.
    Shuffle(Shuffle),
    /// A vote on a predicate.
    Vote(Vote),
    /// The lanes with the same value; values have this mask.
    MatchAny(u64),
    /// Whether all lanes have the same value; values have this mask.
    MatchAll(u64),
    /// A reduction over the lanes.
    Reduce(LaneReduction),
    /// One of the lanes.
    Elect,
    /// The lanes that execute the instruction.
    ActiveMask,
}

/// The source lane of a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// A lower lane.
    Up,
    /// A higher lane.
    Down,
    /// The lane whose number differs in the bits of the operand.
    Butterfly,
    /// A numbered lane.
    Index,
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Whether it holds in all lanes.
    All,
    /// Whether it holds in one lane.
    Any,
    /// Whether it is the same in all lanes.
    Uniform,
    /// The lanes in which it holds.
    Ballot,
}

/// A reduction of values of 32 bits over lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant is the PTX spelling
pub enum LaneReduction {
    Add,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
    Float(FloatReduction),
}

/// A reduction of f32 values to the least or the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatReduction {
    /// Whether it is the largest.
    pub is_maximum: bool,
    /// Whether the absolute values count.
    pub is_absolute: bool,
    /// Whether one NaN makes the result NaN.
    pub keeps_nan: bool,
}

/// The results of an exchange.
#[derive(Clone, Debug)]
pub struct CollectiveResult {
    /// The value of each lane.
    pub value: LaneValues,
    /// The predicate of each lane.
    pub predicate: LaneValues,
}

impl CollectiveOperation {
    /// Computes the exchange between the lanes of `mask`.
    pub fn compute(self, mask: u32, [a, b, c]: [&LaneValues; 3]) -> CollectiveResult {
        let mut result = CollectiveResult { value: [0; 32], predicate: [0; 32] };
        match self {
            Self::Shuffle(kind) => {
                for lane in lanes_of(mask) {
                    let (source, in_range) = kind.source(lane as u32, b[lane] as u32, c[lane] as u32);
                    result.value[lane] = a[source as usize];
                    result.predicate[lane] = in_range.into();
                }
            }
            Self::Vote(vote) => {
                let votes = holding(a, mask);
                let value = match vote {
                    Vote::All => u64::from(votes == mask),
                    Vote::Any => u64::from(votes != 0),
                    Vote::Uniform => u64::from(votes == mask || votes == 0),
                    Vote::Ballot => votes.into(),
                };
                result.value = [value; 32];
            }
            Self::MatchAny(width) => {
                for lane in lanes_of(mask) {
                    let same = |other: &usize| a[*other] & width == a[lane] & width;
                    result.value[lane] = lanes_of(mask).filter(same).fold(0, |found, other| found | 1 << other);
                }
            }
            Self::MatchAll(width) => {
                let first = mask.trailing_zeros() as usize % 32;
                let all = lanes_of(mask).all(|lane| a[lane] & width == a[first] & width);
                result.value = [if all { mask.into() } else { 0 }; 32];
                result.predicate = [all.into(); 32];
            }
            Self::Reduce(reduction) => {
                let values = lanes_of(mask).map(|lane| reduction.operand(a[lane] as u32));
                result.value = [values.reduce(|x, y| reduction.combine(x, y)).unwrap_or(0).into(); 32];
            }
            Self::Elect => {
                let leader = mask.trailing_zeros();
                result.value = [leader.into(); 32];
                result.predicate[leader as usize % 32] = 1;
            }
            Self::ActiveMask => result.value = [mask.into(); 32],
        }
        result
    }
}

impl Shuffle {
    /// The source lane, and whether it is in range; else it is the lane itself. `clamp` has the bound in bits 0 to 4 and the segment mask in bits 8 to 12.
    const fn source(self, lane: u32, distance: u32, clamp: u32) -> (u32, bool) {
        let (bound, segment, distance) = (clamp & 31, clamp >> 8 & 31, distance & 31);
        let highest = (lane & segment) | (bound & !segment);
        let lowest = lane & segment;
        let (source, in_range) = match self {
            Self::Up => (lane.wrapping_sub(distance), lane >= distance && lane - distance >= highest),
            Self::Down => (lane + distance, lane + distance <= highest),
            Self::Butterfly => (lane ^ distance, lane ^ distance <= highest),
            Self::Index => (lowest | (distance & !segment), lowest | (distance & !segment) <= highest),
        };
        if in_range { (source & 31, true) } else { (lane, false) }
    }
}

impl LaneReduction {
    /// The value of a lane as it takes part.
    const fn operand(self, x: u32) -> u32 {
        match self {
            Self::Float(FloatReduction { is_absolute: true, .. }) => x & !SIGN,
            _ => x,
        }
    }

    fn combine(self, x: u32, y: u32) -> u32 {
        let pick = |first: bool| if first { x } else { y };
        match self {
            Self::Add => x.wrapping_add(y),
            Self::MinUnsigned => pick(x < y),
            Self::MaxUnsigned => pick(x > y),
            Self::MinSigned => pick((x as i32) < y as i32),
            Self::MaxSigned => pick(x as i32 > y as i32),
            Self::And => x & y,
            Self::Or => x | y,
            Self::Xor => x ^ y,
            Self::Float(reduction) => reduction.combine(x, y),
        }
    }
}

impl FloatReduction {
    fn combine(self, x: u32, y: u32) -> u32 {
        let is_nan = |bits: u32| f32::from_bits(bits).is_nan();
        // Negative numbers, -0 included, are below positive ones, and in reverse order.
        let order = |bits: u32| if bits & SIGN != 0 { !bits } else { bits | SIGN };
        match (is_nan(x), is_nan(y)) {
            (true, true) => CANONICAL_NAN,
            (true, false) | (false, true) if self.keeps_nan => CANONICAL_NAN,
            (true, false) => y,
            (false, true) => x,
            (false, false) if (order(x) > order(y)) == self.is_maximum => x,
            (false, false) => y,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane_numbers() -> LaneValues {
        std::array::from_fn(|lane| lane as u64)
    }

    fn shuffle(kind: Shuffle, distance: u64, clamp: u64) -> CollectiveResult {
        let operation = CollectiveOperation::Shuffle(kind);
        operation.compute(u32::MAX, [&lane_numbers(), &[distance; 32], &[clamp; 32]])
    }

    #[test]
    fn shuffles_stay_in_their_segment() {
        let down = shuffle(Shuffle::Down, 2, 0x1f);
        assert_eq!((down.value[0], down.value[29], down.value[30], down.predicate[30]), (2, 31, 30, 0));
        let up = shuffle(Shuffle::Up, 1, 0);
        assert_eq!((up.value[0], up.predicate[0], up.value[5]), (0, 0, 4));
        let butterfly = shuffle(Shuffle::Butterfly, 16, 0x1f);
        assert_eq!((butterfly.value[0], butterfly.value[20]), (16, 4));
        // Segments of 8 lanes: __shfl_sync(…, 3, 8).
        let index = shuffle(Shuffle::Index, 3, 0x181f);
        assert_eq!((index.value[0], index.value[9], index.value[31]), (3, 11, 27));
        let down = shuffle(Shuffle::Down, 1, 0x181f);
        assert_eq!((down.value[6], down.value[7], down.predicate[7]), (7, 7, 0));
    }

    #[test]
    fn votes_matches_and_reductions() {
        let odd: LaneValues = std::array::from_fn(|lane| lane as u64 & 1);
        let compute = |operation: CollectiveOperation, mask| operation.compute(mask, [&odd, &odd, &odd]).value[1];
        assert_eq!(compute(CollectiveOperation::Vote(Vote::Ballot), 0xff), 0xaa);
        assert_eq!(compute(CollectiveOperation::Vote(Vote::All), 0xaa), 1);
        assert_eq!(compute(CollectiveOperation::Vote(Vote::Uniform), 0x55), 1);
        assert_eq!(compute(CollectiveOperation::MatchAny(0xffff_ffff), 0xf), 0xa);
        assert_eq!(compute(CollectiveOperation::MatchAll(0xffff_ffff), 0xa), 0xa);
        assert_eq!(compute(CollectiveOperation::Reduce(LaneReduction::Add), u32::MAX), 16);
        assert_eq!(compute(CollectiveOperation::Elect, 0xc), 2);
    }
}
