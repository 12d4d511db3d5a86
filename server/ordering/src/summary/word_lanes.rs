//! The lanes that have accessed the words of a row in an era, word by word.

use crate::shadow::row::ROW;
use crate::summary::lane_run::{LaneRecord, LaneRun};
use program::lanes::lanes_of;

/// The last accesses to a word of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct WordAccess {
    warp: u32,
    epoch: u32,
    /// The lanes; none if there was no access.
    lanes: u32,
}

/// The accesses to the words of a row.
#[derive(Clone, Debug, Default)]
pub struct WordLanes {
    reads: [WordAccess; ROW],
    writes: [WordAccess; ROW],
}

/// What lanes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordAction {
    /// They read.
    Read,
    /// They write.
    Write,
}

impl WordAccess {
    fn of(warp: u32, lane: Option<usize>, epoch: u32) -> Self {
        Self { warp, epoch, lanes: lane.map_or(u32::MAX, |lane| 1 << lane) }
    }

    /// Whether it happens before the access of a run to the word, or is of the same lane.
    fn is_before(&self, run: &LaneRun<'_>, lane: Option<usize>) -> bool {
        match lane {
            _ if self.lanes == 0 => true,
            Some(lane) => run.lane_knows(lane, self.warp, self.lanes, self.epoch),
            None => run.knows(self.warp, self.lanes, self.epoch),
        }
    }
}

impl WordLanes {
    /// Adds what a record has, of a row that begins at a word.
    pub fn add_record(&mut self, record: &LaneRecord, row: usize, usage: WordAction) {
        for word in lanes_of(record.words) {
            let (warp, lane, epoch) = record.of_word(row + word);
            self.of(usage)[word] = WordAccess::of(warp, lane, epoch);
        }
    }

    fn of(&mut self, usage: WordAction) -> &mut [WordAccess; ROW] {
        match usage {
            WordAction::Read => &mut self.reads,
            WordAction::Write => &mut self.writes,
        }
    }

    /// Whether all writes to words, and all reads if they are written now, happen before the accesses of a run.
    pub fn are_before(&self, run: &LaneRun<'_>, words: u32, row: usize, usage: WordAction) -> bool {
        lanes_of(words).all(|word| {
            let lane = run.lane(row + word);
            let reads = usage == WordAction::Read || self.reads[word].is_before(run, lane);
            reads && self.writes[word].is_before(run, lane)
        })
    }

    /// Adds writes.
    pub fn write(&mut self, run: &LaneRun<'_>, words: u32, row: usize) {
        self.add_record(&run.record(words), row, WordAction::Write);
    }

    /// Adds reads. Returns the words that another lane has read.
    pub fn read(&mut self, run: &LaneRun<'_>, words: u32, row: usize) -> u32 {
        let record = run.record(words);
        let mut several = 0;
        for word in lanes_of(words) {
            let (warp, lane, epoch) = record.of_word(row + word);
            let (new, known) = (WordAccess::of(warp, lane, epoch), &mut self.reads[word]);
            if known.lanes == 0 || (known.warp, known.lanes) == (new.warp, new.lanes) {
                *known = new;
            } else {
                several |= 1 << word;
            }
        }
        several
    }
}
