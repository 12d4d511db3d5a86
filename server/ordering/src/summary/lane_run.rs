//! Runs of lanes: consecutive lanes that access consecutive elements, or all the same one.

use crate::clock::Clock;
use crate::shadow::row::ROW;
use crate::shadow::shadow_access::WORD;
use crate::shadow::warp_reads::AccessOffsets;
use crate::thread::WarpClock;
use program::lanes::lanes_of;
use std::ops::Range;

/// Bytes of a row.
const ROW_BYTES: usize = ROW * WORD;

/// Which lane accesses which byte of a memory: two accesses with the same map access each byte by the same lane.
///
/// It is the offset at which lane 0 begins, or would begin, times [`STEPS`], plus the bytes between the elements of two lanes, which are negative if higher
/// lanes access lower addresses, and 0 if it is not known which lane accesses what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMap(i64);

/// More than twice the bytes of the largest element.
const STEPS: i64 = 256;

impl LaneMap {
    /// All access the same element, or it is not known which.
    pub const UNKNOWN: Self = Self(0);

    /// Lanes access consecutive elements, from an offset of lane 0 on, which may be before the memory.
    pub const fn each(origin: isize, step: isize) -> Self {
        Self(origin as i64 * STEPS + step as i64 + STEPS / 2)
    }

    /// The offset of lane 0, and the bytes from one lane to the next.
    const fn parts(self) -> Option<(i64, i64)> {
        match self {
            Self::UNKNOWN => None,
            Self(packed) => Some((packed.div_euclid(STEPS), packed.rem_euclid(STEPS) - STEPS / 2)),
        }
    }

    /// The lane that accesses a word of a memory, if it is one that accesses whole words.
    fn lane(self, word: usize) -> Option<usize> {
        let (origin, step) = self.parts()?;
        let is_whole = step % WORD as i64 == 0 && origin.rem_euclid(WORD as i64) == 0;
        let at = (word * WORD) as i64 - origin;
        let lane = if step > 0 { at.div_euclid(step) } else { -at.div_euclid(-step) };
        is_whole.then_some(lane as usize)
    }
}

/// Accesses of lanes of a warp in an epoch.
#[derive(Clone, Copy, Debug)]
pub struct LaneRun<'c> {
    /// The warp.
    pub warp: u32,
    /// What the lanes know.
    pub clock: &'c WarpClock,
    /// The lanes, as a mask.
    pub lanes: u32,
    /// Which accesses what.
    pub map: LaneMap,
}

/// Accesses of lanes of a warp to words of a row, as they are remembered.
#[derive(Clone, Copy, Debug)]
pub struct LaneRecord {
    /// The warp.
    warp: u32,
    /// The last epoch of the warp in which they did.
    epoch: u32,
    /// The lanes, as a mask.
    lanes: u32,
    /// The words, as a mask; none in a record that is not used.
    pub words: u32,
    map: LaneMap,
}

impl LaneRun<'_> {
    /// Whether no byte is accessed by two lanes.
    pub fn is_exact(&self) -> bool {
        self.map != LaneMap::UNKNOWN
    }

    /// Its lane at a word of the memory.
    pub fn lane(&self, word: usize) -> Option<usize> {
        if self.lanes.is_power_of_two() { Some(self.lanes.trailing_zeros() as usize) } else { self.map.lane(word) }
    }

    /// Whether what other lanes of a warp did up to an epoch happens before the accesses of all of its lanes.
    pub fn knows(&self, warp: u32, others: u32, epoch: u32) -> bool {
        lanes_of(self.lanes).all(|lane| self.lane_knows(lane, warp, others, epoch))
    }

    /// The same of one of its lanes.
    pub fn lane_knows(&self, lane: usize, warp: u32, others: u32, epoch: u32) -> bool {
        let others = if warp == self.warp { others & !(1 << lane) } else { others };
        let known: &Clock = self.clock.known(lane);
        others == 0 || known.epochs(warp).is_some_and(|epochs| lanes_of(others).all(|other| epochs[other] >= epoch))
    }

    /// The record of its accesses to words.
    pub fn record(&self, words: u32) -> LaneRecord {
        LaneRecord { warp: self.warp, epoch: self.clock.epoch, lanes: self.lanes, words, map: self.map }
    }
}

impl LaneRecord {
    /// A record that is not used.
    pub const NONE: Self = Self { warp: 0, epoch: 0, lanes: 0, words: 0, map: LaneMap::UNKNOWN };

    /// Whether a run accesses each byte by the same lane.
    fn has_lanes_of(&self, run: &LaneRun<'_>) -> bool {
        let is_one = self.lanes == run.lanes && self.lanes.is_power_of_two();
        self.warp == run.warp && (is_one || self.map == run.map && run.is_exact())
    }

    /// Whether the accesses are those of the same lanes, or happen before those of a run to the same words, which begin in the row that begins at a word.
    pub fn is_before(&self, run: &LaneRun<'_>, words: u32, row: usize) -> bool {
        let is_own = |word: usize| self.is_of_lane(run, row + word);
        words == 0
            || self.has_lanes_of(run)
            || run.knows(self.warp, self.lanes, self.epoch)
            || lanes_of(words).all(is_own)
    }

    /// Whether the lane that has accessed a word is that of a run.
    fn is_of_lane(&self, run: &LaneRun<'_>, word: usize) -> bool {
        let (_, lane, _) = self.of_word(word);
        self.warp == run.warp && lane.is_some() && lane == run.lane(word)
    }

    /// Lanes of a run read words. Returns those that each of them has read before.
    pub fn read_again(&mut self, run: &LaneRun<'_>, words: u32, row: usize) -> u32 {
        let known = lanes_of(self.words & words).filter(|word| self.is_of_lane(run, row + word));
        let known = known.fold(0, |all, word| all | 1 << word);
        if known != 0 {
            self.epoch = run.clock.epoch;
        }
        known
    }

    /// Adds accesses of a run to words, if each lane has its own. Returns whether that was so.
    pub fn extend(&mut self, run: &LaneRun<'_>, words: u32) -> bool {
        if self.words == 0 {
            *self = run.record(words);
            return true;
        }
        let is_same = self.has_lanes_of(run) && self.map == run.map && run.is_exact();
        if is_same {
            // A later epoch asks those for more that come later.
            (self.epoch, self.lanes, self.words) = (run.clock.epoch, self.lanes | run.lanes, self.words | words);
        }
        is_same
    }

    /// The lanes that have accessed a word of the row that begins at a word: the only one, if that is known.
    pub fn of_word(&self, word: usize) -> (u32, Option<usize>, u32) {
        let one = self.lanes.is_power_of_two().then(|| self.lanes.trailing_zeros() as usize);
        (self.warp, one.or_else(|| self.map.lane(word)), self.epoch)
    }
}

/// The rows of a range of bytes, and the words of each that it touches.
pub fn rows(bytes: Range<usize>) -> impl Iterator<Item = (usize, u32)> {
    let (first, end) = (bytes.start / WORD, bytes.end.div_ceil(WORD));
    (bytes.start / ROW_BYTES..bytes.end.div_ceil(ROW_BYTES)).map(move |row| {
        let (from, to) = (first.max(row * ROW) - row * ROW, end.min((row + 1) * ROW) - row * ROW);
        (row, (u32::MAX << from) & (u32::MAX >> (ROW - to)))
    })
}

/// Lanes that access consecutive elements, or all the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRange {
    /// The lanes, as a mask.
    pub lanes: u32,
    /// What they access.
    pub bytes: Range<usize>,
    /// Which accesses what.
    pub map: LaneMap,
}

/// Divides the accesses of lanes, to elements of a size, into runs. Runs that access the same bytes one after another are one.
#[inline]
pub fn divide(offsets: &AccessOffsets, lanes: u32, size: usize, mut each: impl FnMut(RunRange)) {
    let mut left = lanes;
    let mut last: Option<RunRange> = None;
    while left != 0 {
        let next = take_run(offsets, &mut left, size);
        match &mut last {
            Some(known) if known.bytes == next.bytes => {
                (known.lanes, known.map) = (known.lanes | next.lanes, LaneMap::UNKNOWN);
            }
            _ => last.replace(next).into_iter().for_each(&mut each),
        }
    }
    last.into_iter().for_each(each);
}

/// Takes the first run of some lanes.
#[inline]
fn take_run(offsets: &AccessOffsets, left: &mut u32, size: usize) -> RunRange {
    let first = left.trailing_zeros() as usize;
    let start = offsets[first];
    *left &= *left - 1;
    let (mut lanes, mut last, mut step) = (1_u32 << first, first, None);
    while *left != 0 {
        let next = left.trailing_zeros() as usize;
        let distance = offsets[next] as isize - offsets[last] as isize;
        let full = (size * (next - last)) as isize;
        let one = match distance {
            0 => 0,
            _ if distance == full => size as isize,
            _ if distance == -full => -(size as isize),
            _ => break,
        };
        if *step.get_or_insert(one) != one {
            break;
        }
        (lanes, last, *left) = (lanes | 1 << next, next, *left & (*left - 1));
    }
    let step = step.unwrap_or(size as isize);
    let origin = start as isize - first as isize * step;
    let map = if step == 0 { LaneMap::UNKNOWN } else { LaneMap::each(origin, step) };
    let (low, high) = (start.min(offsets[last]), start.max(offsets[last]));
    RunRange { lanes, bytes: low..high + size, map }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_divided_where_they_do_not_follow_one_another() {
        let runs = |offsets: &dyn Fn(usize) -> usize, lanes: u32| {
            let mut all = Vec::new();
            divide(&std::array::from_fn(offsets), lanes, 4, |run| all.push((run.lanes, run.bytes, run.map)));
            all
        };
        let each = LaneMap::each;
        assert_eq!(runs(&|lane| 64 + 4 * lane, u32::MAX), [(u32::MAX, 64..192, each(64, 4))]);
        assert_eq!(runs(&|lane| 124 - 4 * lane, u32::MAX), [(u32::MAX, 0..128, each(124, -4))]);
        assert_eq!(runs(&|_| 8, 0b1110), [(0b1110, 8..12, LaneMap::UNKNOWN)]);
        assert_eq!(runs(&|lane| lane % 16 * 4, u32::MAX), [(u32::MAX, 0..64, LaneMap::UNKNOWN)]);
        let halves = runs(&|lane| lane % 16 * 4 + lane / 16 * 512, u32::MAX);
        assert_eq!(halves, [(0xffff, 0..64, each(0, 4)), (0xffff_0000, 512..576, each(448, 4))]);
        assert_eq!(runs(&|lane| lane * 12, 0b101), [(1, 0..4, each(0, 4)), (4, 24..28, each(16, 4))]);
    }

    #[test]
    fn maps_say_which_lane_accesses_a_word() {
        let map = LaneMap::each(-8, 8);
        assert_eq!([0, 1, 2, 3, 4].map(|word| map.lane(word)), [1, 1, 2, 2, 3].map(Some));
        let map = LaneMap::each(24, -8);
        assert_eq!([0, 1, 2, 6, 7].map(|word| map.lane(word)), [3, 3, 2, 0, 0].map(Some));
        assert_eq!(LaneMap::each(0, 2).lane(3), None);
    }

    #[test]
    fn ranges_touch_words_of_rows() {
        let all = |bytes| rows(bytes).collect::<Vec<_>>();
        assert_eq!(all(4..12), [(0, 0b110)]);
        assert_eq!(all(127..130), [(0, 1 << 31), (1, 1)]);
        assert_eq!(all(128..256), [(1, u32::MAX)]);
    }
}
