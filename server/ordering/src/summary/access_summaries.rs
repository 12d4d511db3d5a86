//! What all threads have accessed, in summary.

use crate::shadow::warp_reads::AccessOffsets;
use crate::summary::lane_run::{LaneMap, LaneRun, RunRange, divide, rows};
use crate::summary::memory_summary::{MemorySummary, first_word};
use crate::summary::row_summary::{AccessedWords, Era, RowRun};
use crate::thread::WarpClock;
use program::lanes::lanes_of;
use program::memory::location::RacedMemory;
use std::collections::BTreeSet;
use std::ops::Range;

/// What summaries are kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryUse {
    /// To find out whether something may race.
    Races,
    /// To find out which words of global memory were accessed.
    Words,
}

/// An access that summaries cannot tell to be free of races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It may race.
    Race,
    /// An allocation is read and written, and it is not known which of its words are read.
    Reads(usize),
}

/// What lanes do, by what others may do at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryAccess {
    /// They read weakly.
    Read,
    /// They read weakly, and see nothing that the kernel has written.
    ReadUnseen,
    /// They write weakly.
    Write,
    /// They access elements of a size strongly; `is_written` if they may write.
    Strong {
        /// The bytes of an element.
        size: u32,
        /// Whether they may write.
        is_written: bool,
    },
}

/// What all threads have accessed.
#[derive(Clone, Debug)]
pub struct AccessSummaries {
    usage: SummaryUse,
    global: Vec<MemorySummary>,
    /// By the slot of the CTA, those of CTAs that have not ended.
    shared: Vec<(usize, MemorySummary)>,
    /// By the slot of the CTA, those of CTAs that have not ended.
    eras: Vec<(usize, Era)>,
    last: Era,
    /// The allocations whose reads are known by their words.
    detailed: BTreeSet<usize>,
    /// Whether a barrier of all threads of a CTA is waited for by all of them.
    pub has_eras: bool,
    doubt: Option<Doubt>,
}

impl AccessSummaries {
    /// Nothing was accessed. The reads of some allocations are to be known by their words.
    pub fn new(usage: SummaryUse, has_eras: bool, detailed: BTreeSet<usize>) -> Self {
        Self {
            usage,
            global: Vec::new(),
            shared: Vec::new(),
            eras: Vec::new(),
            last: Era { number: 0, cta: 0 },
            detailed,
            has_eras,
            doubt: None,
        }
    }

    /// The same before anything was accessed.
    pub fn emptied(&self) -> Self {
        Self::new(self.usage, self.has_eras, self.detailed.clone())
    }

    /// The first access that may race.
    pub const fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// Whether something has written to an allocation.
    pub fn is_written(&self, allocation: usize) -> bool {
        self.global.get(allocation).is_some_and(|memory| memory.is_written)
    }

    /// The allocations whose reads are not known by their words: whether something has read each, and whether something has written it.
    pub fn whole(&self) -> impl Iterator<Item = (usize, bool, bool)> {
        let all = self.global.iter().enumerate().filter(|(at, _)| !self.detailed.contains(at));
        all.map(|(at, memory)| (at, memory.is_read, memory.is_written))
    }

    /// The rows of global memory that were accessed: allocations, rows, words.
    pub fn rows(&self) -> impl Iterator<Item = (usize, usize, AccessedWords)> {
        self.global.iter().enumerate().flat_map(|(at, memory)| memory.rows().map(move |(row, words)| (at, row, words)))
    }

    /// The bytes that they take, about.
    pub fn bytes(&self) -> usize {
        let shared = self.shared.iter().map(|(_, memory)| memory.bytes()).sum::<usize>();
        self.global.iter().map(MemorySummary::bytes).sum::<usize>() + shared
    }

    /// All threads of a CTA have come to a barrier that all of them wait at.
    pub fn end_era(&mut self, slot: usize) {
        if self.has_eras
            && let Some((_, era)) = self.eras.iter_mut().find(|(of, _)| *of == slot)
        {
            match self.last.number.checked_add(1) {
                Some(number) => (self.last.number, era.number) = (number, number),
                None => self.doubt = self.doubt.or(Some(Doubt::Race)),
            }
        }
    }

    /// A CTA has ended.
    pub fn end_cta(&mut self, slot: usize) {
        self.shared.retain(|(of, _)| *of != slot);
        self.eras.retain(|(of, _)| *of != slot);
    }

    #[inline]
    fn era(&mut self, slot: usize) -> Era {
        match self.eras.first() {
            Some((of, era)) if *of == slot => *era,
            _ => self.find_era(slot),
        }
    }

    fn find_era(&mut self, slot: usize) -> Era {
        let at = self.eras.iter().position(|(of, _)| *of == slot).unwrap_or_else(|| {
            let Era { number, cta } = self.last;
            match (number.checked_add(1), cta.checked_add(1)) {
                (Some(number), Some(cta)) => self.last = Era { number, cta },
                _ => self.doubt = self.doubt.or(Some(Doubt::Race)),
            }
            self.eras.push((slot, self.last));
            self.eras.len() - 1
        });
        self.eras.swap(0, at);
        self.eras[0].1
    }

    fn memory(&mut self, region: RacedMemory) -> &mut MemorySummary {
        match region {
            RacedMemory::Global(at) => {
                if at >= self.global.len() {
                    self.global.resize_with(at + 1, MemorySummary::default);
                }
                &mut self.global[at]
            }
            RacedMemory::Shared(slot) => {
                let known = self.shared.iter().position(|(of, _)| *of == slot);
                let at = known.unwrap_or_else(|| {
                    self.shared.push((slot, MemorySummary::default()));
                    self.shared.len() - 1
                });
                &mut self.shared[at].1
            }
        }
    }

    /// Lanes of a warp access consecutive elements, or all the same one: bytes of a memory; `slot` is that of their CTA.
    #[inline]
    pub fn access_range(
        &mut self,
        (slot, region): (usize, RacedMemory),
        run: &LaneRun<'_>,
        bytes: Range<usize>,
        access: SummaryAccess,
    ) {
        if self.needs_rows(region, access) {
            let era = self.era(slot);
            let usage = self.usage;
            let memory = self.memory(region);
            if !access_rows(memory, usage, era, run, bytes, access) {
                self.give_up();
            }
        }
    }

    /// Lanes of a warp access elements of a size at offsets.
    pub fn access_lanes(
        &mut self,
        (slot, region): (usize, RacedMemory),
        (warp, clock): (u32, &WarpClock),
        (offsets, lanes, size): (&AccessOffsets, u32, usize),
        access: SummaryAccess,
    ) {
        if !self.needs_rows(region, access) {
            return;
        }
        let era = self.era(slot);
        let usage = self.usage;
        let memory = self.memory(region);
        let mut is_certain = true;
        if let SummaryAccess::Strong { .. } = access {
            for lane in lanes_of(lanes) {
                if usage == SummaryUse::Races && memory.is_known_strong(offsets[lane], size, era) {
                    continue;
                }
                let run = LaneRun { warp, clock, lanes: 1 << lane, map: LaneMap::UNKNOWN };
                is_certain &= access_rows(memory, usage, era, &run, offsets[lane]..offsets[lane] + size, access);
            }
        } else if access != SummaryAccess::Read || !memory.is_known_read(offsets, lanes, size, era) {
            divide(offsets, lanes, size, |RunRange { lanes, bytes, map }| {
                let run = LaneRun { warp, clock, lanes, map };
                is_certain &= access_rows(memory, usage, era, &run, bytes, access);
            });
        }
        if !is_certain {
            self.give_up();
        }
    }

    /// Whether it matters which words an access is to: of memory that is only read, or only written, it does not.
    #[inline]
    fn needs_rows(&mut self, region: RacedMemory, access: SummaryAccess) -> bool {
        let RacedMemory::Global(at) = region else { return self.usage == SummaryUse::Races };
        let is_detailed = self.detailed.contains(&at);
        let memory = self.memory(region);
        memory.is_read |= !access.may_write();
        memory.is_written |= access.may_write();
        if is_detailed {
            return true;
        }
        if memory.is_read && memory.is_written && self.usage == SummaryUse::Races {
            self.doubt = self.doubt.or(Some(Doubt::Reads(at)));
        }
        access.may_write()
    }

    /// Something that summaries do not know happens.
    pub fn give_up(&mut self) {
        self.doubt = self.doubt.or(Some(Doubt::Race));
    }
}

/// Lanes access bytes of a memory. Returns whether they race with nothing.
#[inline]
fn access_rows(
    memory: &mut MemorySummary,
    usage: SummaryUse,
    era: Era,
    run: &LaneRun<'_>,
    bytes: Range<usize>,
    access: SummaryAccess,
) -> bool {
    rows(bytes).fold(true, |is_certain, (number, words)| {
        let row = memory.row(number);
        if usage == SummaryUse::Words {
            row.mark(access.words(words));
            return is_certain;
        }
        row.begin(era);
        let accesses = RowRun { run: *run, words, row: first_word(number) };
        is_certain
            & match access {
                SummaryAccess::Read => row.read(&accesses),
                SummaryAccess::ReadUnseen => !row.reads_unseen(words) && row.read(&accesses),
                SummaryAccess::Write => row.write(&accesses),
                SummaryAccess::Strong { size, .. } => row.access_strongly(words, size),
            }
    })
}

impl SummaryAccess {
    const fn may_write(self) -> bool {
        match self {
            Self::Read | Self::ReadUnseen => false,
            Self::Write => true,
            Self::Strong { is_written, .. } => is_written,
        }
    }

    fn words(self, words: u32) -> AccessedWords {
        match self {
            Self::Read | Self::ReadUnseen => AccessedWords { read: words, ..AccessedWords::default() },
            Self::Write => AccessedWords { written: words, ..AccessedWords::default() },
            Self::Strong { .. } => AccessedWords { strong: words, ..AccessedWords::default() },
        }
    }
}
