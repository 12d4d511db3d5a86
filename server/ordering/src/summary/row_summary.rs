//! What is known of the accesses to a row of 32 words.

use crate::shadow::row::ROW;
use crate::summary::lane_run::{LaneRecord, LaneRun};
use crate::summary::word_lanes::{WordAction, WordLanes};

/// The words of a row that were accessed, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccessedWords {
    /// Those that were read weakly.
    pub read: u32,
    /// Those that were written weakly.
    pub written: u32,
    /// Those that were accessed strongly.
    pub strong: u32,
}

impl AccessedWords {
    /// All of them.
    pub const fn all(self) -> u32 {
        self.read | self.written | self.strong
    }

    fn add(&mut self, other: Self) {
        self.read |= other.read;
        self.written |= other.written;
        self.strong |= other.strong;
    }
}

/// The accesses of a CTA in an era.
#[derive(Clone, Copy, Debug)]
pub struct Era {
    /// Its number, which no other one has.
    pub number: u32,
    /// The number of its CTA, in the order of their begin.
    pub cta: u32,
}

/// Accesses to words of a row.
#[derive(Clone, Copy, Debug)]
pub struct RowRun<'c> {
    /// The lanes.
    pub run: LaneRun<'c>,
    /// The words, as a mask.
    pub words: u32,
    /// The first word of the row.
    pub row: usize,
}

/// A row of 32 words.
#[derive(Clone, Debug)]
pub struct RowSummary {
    /// The era of the accesses that are known by their lanes.
    era: u32,
    /// The CTA of the era.
    cta: u32,
    /// The size of strong accesses in bytes.
    strong_size: u32,
    /// What other CTAs have accessed.
    others: AccessedWords,
    /// What the CTA of the era has, in all of its eras.
    own: AccessedWords,
    /// The words that several lanes have read in the era.
    shared_reads: u32,
    /// The words that were accessed strongly in the era.
    strong: u32,
    reads: LaneRecord,
    writes: LaneRecord,
    /// What does not fit into these.
    words: Option<Box<WordLanes>>,
}

impl RowSummary {
    /// Nothing was accessed.
    pub const EMPTY: Self = Self {
        era: 0,
        cta: 0,
        strong_size: 0,
        others: AccessedWords { read: 0, written: 0, strong: 0 },
        own: AccessedWords { read: 0, written: 0, strong: 0 },
        shared_reads: 0,
        strong: 0,
        reads: LaneRecord::NONE,
        writes: LaneRecord::NONE,
        words: None,
    };

    /// What all CTAs have accessed.
    pub fn accessed(&self) -> AccessedWords {
        let mut all = self.others;
        all.add(self.own);
        all
    }

    /// What was accessed in another era happens before, or is of another CTA.
    #[inline]
    pub fn begin(&mut self, era: Era) {
        if self.era != era.number {
            self.begin_era(era);
        }
    }

    fn begin_era(&mut self, era: Era) {
        if self.cta != era.cta {
            self.others.add(self.own);
            self.own = AccessedWords::default();
        }
        (self.era, self.cta) = (era.number, era.cta);
        (self.shared_reads, self.strong) = (0, 0);
        (self.reads.words, self.writes.words) = (0, 0);
        self.words = None;
    }

    /// Weak reads. Returns whether they race with nothing, as the following do.
    #[inline]
    pub fn read(&mut self, access: &RowRun<'_>) -> bool {
        let words = access.words;
        let other = self.others.written | self.others.strong | self.strong;
        if words & other != 0 {
            return false;
        }
        if words & !self.shared_reads == 0 && words & self.writes.words == 0 && self.words.is_none() {
            return true;
        }
        self.add_read(access)
    }

    fn add_read(&mut self, access: &RowRun<'_>) -> bool {
        let RowRun { run, words, row } = access;
        let is_before = self.writes.is_before(run, words & self.writes.words, *row);
        if !is_before || self.words.as_ref().is_some_and(|known| !known.are_before(run, *words, *row, WordAction::Read))
        {
            return false;
        }
        self.own.read |= words;
        let mut left = words & !self.shared_reads;
        if left == 0 || self.reads.extend(run, left) {
            return true;
        }
        left &= !self.reads.read_again(run, left, *row);
        // By another lane, or it is not known by which.
        let several = if run.is_exact() { left & self.reads.words } else { left };
        self.shared_reads |= several;
        left &= !several;
        if left != 0 {
            self.shared_reads |= self.words().read(run, left, *row);
        }
        true
    }

    /// Whether weak reads that see nothing that the kernel has written read some of that.
    pub fn reads_unseen(&self, words: u32) -> bool {
        let AccessedWords { written, strong, .. } = self.accessed();
        words & (written | strong) != 0
    }

    /// Weak writes.
    #[inline]
    pub fn write(&mut self, access: &RowRun<'_>) -> bool {
        let RowRun { run, words, row } = access;
        let is_apart = run.is_exact() || run.lanes.is_power_of_two();
        if words & (self.others.all() | self.strong | self.shared_reads) != 0 || !is_apart {
            return false;
        }
        let is_before = self.reads.is_before(run, words & self.reads.words, *row)
            && self.writes.is_before(run, words & self.writes.words, *row);
        if !is_before
            || self.words.as_ref().is_some_and(|known| !known.are_before(run, *words, *row, WordAction::Write))
        {
            return false;
        }
        self.own.written |= words;
        if !self.writes.extend(run, *words) {
            self.writes.words &= !words;
            if !self.writes.extend(run, *words) {
                self.words().write(run, *words, *row);
            }
        }
        true
    }

    /// Strong accesses of a size, all in each other's scope.
    #[inline]
    pub fn access_strongly(&mut self, words: u32, size: u32) -> bool {
        let weak = self.others.read | self.others.written | self.shared_reads | self.reads.words | self.writes.words;
        let known = self.others.strong | self.own.strong;
        if words & weak != 0 || self.words.is_some() || known != 0 && self.strong_size != size {
            return false;
        }
        self.strong_size = size;
        self.strong |= words;
        self.own.strong |= words;
        true
    }

    /// Whether words are known to be read by several lanes in an era, and not to be written.
    #[inline]
    pub const fn is_known_read(&self, words: u32, era: Era) -> bool {
        let is_read = words & !self.shared_reads == 0;
        self.era == era.number && is_read && words & self.writes.words == 0 && self.words.is_none()
    }

    /// Whether words are known to be accessed strongly in an era, with elements of a size.
    #[inline]
    pub const fn is_known_strong(&self, words: u32, size: u32, era: Era) -> bool {
        self.era == era.number && words & !self.strong == 0 && self.strong_size == size
    }

    /// Adds what was accessed, without looking for races.
    pub fn mark(&mut self, accessed: AccessedWords) {
        self.own.add(accessed);
    }

    fn words(&mut self) -> &mut WordLanes {
        self.words.get_or_insert_default()
    }
}

const _: () = assert!(size_of::<RowSummary>() <= ROW * 4, "summaries take no more than the memory");
