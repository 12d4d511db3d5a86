//! What is remembered about the accesses to a range of memory: for each word of 4 bytes the accesses that a later one can race with.

use crate::clock::Agent;
use crate::relation::{RaceRelation, is_before};
use crate::shadow::read_log::{LoggedRead, MOST_READS, NotedRead, ReadLog, SECTION, section_of};
use crate::shadow::row::{ROW, RowAccess, RowAccesses};
use crate::shadow::shadow_access::ShadowAccess;
use crate::shadow::warp_reads::WarpReads;
use crate::shadow::word::{KeptAccesses, Word};
use crate::thread::WarpClock;
use isa::types::Scope;
use program::lanes::lanes_of;
use program::proxy::AccessProxy;
use std::ops::{Add, Range};
use std::sync::Arc;

/// Rows of a page.
const PAGE: usize = 32;
/// The pages whose records are in the caches of the host anyway: reads of smaller memory are not noted.
const SMALL: usize = 16;

/// The accesses to the words of a row, word by word.
type RowWords = [Word; ROW];

/// The accesses to a row that fit into records.
#[derive(Clone, Debug)]
struct Row {
    records: RowAccesses,
    /// The words whose last write another thread can synchronize with, a bit each.
    released: u32,
    /// The words that were ever written, a bit each.
    written: u32,
}

impl Row {
    const EMPTY: Self = Self { records: RowAccesses([RowAccess::NONE; 3]), released: 0, written: 0 };

    /// The records word by word, which leaves none.
    fn take_words(&mut self) -> Box<RowWords> {
        let mut words = Box::new([const { Word::EMPTY }; ROW]);
        for record in &mut self.records.0 {
            for word in lanes_of(record.words) {
                words[word].add(record.in_word(word), KeptAccesses::All);
            }
            record.words = 0;
        }
        words
    }
}

/// Rows. Scattered accesses touch the words only, so they are apart from the records.
#[derive(Clone, Debug)]
struct Page {
    /// The rows that do not fit into their records.
    words: [Option<Box<RowWords>>; PAGE],
    rows: [Row; PAGE],
}

impl Page {
    const EMPTY: Self = Self { words: [const { None }; PAGE], rows: [const { Row::EMPTY }; PAGE] };

    /// A page with an access to each row.
    fn begun(first: Option<RowAccess>) -> Self {
        let mut page = Self::EMPTY;
        if let Some(first) = first {
            page.rows.iter_mut().for_each(|row| row.records.0[0] = first);
        }
        page
    }
}

impl Page {
    /// The words of a row that this kernel has accessed, and those that it has written, a bit each.
    fn touched(&self, row: usize) -> (u32, u32) {
        let Row { records, written, .. } = &self.rows[row];
        let bit = |(at, word): (usize, &Word)| u32::from(word.is_touched()) << at;
        let is_own = |record: &&RowAccess| record.warp != Agent::EARLIER_KERNEL.warp;
        let accessed = match &self.words[row] {
            Some(words) => words.iter().enumerate().map(bit).fold(0, |all, bit| all | bit),
            None => records.0.iter().filter(is_own).fold(0, |all, record| all | record.words),
        };
        (accessed | written, *written)
    }

    /// Adds reads of words of a row that were noted.
    fn add_reads(&mut self, row: usize, reads: &[NotedRead], log: &ReadLog) {
        let own = self.words[row].get_or_insert_with(|| self.rows[row].take_words());
        for read in reads {
            let LoggedRead { access, words: count, proxy, known } = log.read(*read);
            let words = &mut own[read.word() % ROW..][..count];
            let is_before = |earlier: &ShadowAccess| is_before(earlier, &access, known);
            if proxy == AccessProxy::NonCoherent || !words.iter().all(|word| word.is_repeated(&access)) {
                words.iter_mut().for_each(|word| word.add_read(access, is_before));
            }
        }
    }
}

/// What was accessed in a row.
#[derive(Clone, Copy, Debug)]
pub struct TouchedRow {
    /// The number of the row.
    pub row: usize,
    /// The words that were accessed, a bit each.
    pub accessed: u32,
    /// Those that were written.
    pub written: u32,
}

/// The accesses to a range of memory. Copies share the pages that have not changed since.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Option<Arc<Page>>>,
    /// The access to each row before all others.
    first: Option<RowAccess>,
    /// Whether a page was written.
    written: Vec<bool>,
    /// Reads that were not added to the pages yet, of pages that were not written.
    log: ReadLog,
}

/// The bytes that a state takes, about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// All of them.
    pub all: usize,
    /// Those that it does not share with copies.
    pub unshared: usize,
}

impl Footprint {
    /// Of something that copies do not share.
    pub const fn unshared(bytes: usize) -> Self {
        Self { all: bytes, unshared: bytes }
    }
}

impl Add for Footprint {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { all: self.all + other.all, unshared: self.unshared + other.unshared }
    }
}

impl Shadow {
    /// The bytes that it takes.
    pub fn footprint(&self) -> Footprint {
        let of_page = |page: &Arc<Page>| {
            let bytes = size_of::<Page>() + page.words.iter().flatten().count() * size_of::<RowWords>();
            Footprint { all: bytes, unshared: if Arc::strong_count(page) == 1 { bytes } else { 0 } }
        };
        let (own, shared) = self.log.bytes();
        let list = Footprint::unshared(self.pages.len() * size_of::<Option<Arc<Page>>>() + own);
        let list = list + Footprint { all: shared, unshared: 0 };
        self.pages.iter().flatten().map(of_page).fold(list, Footprint::add)
    }
}

impl Shadow {
    /// A range of memory all words of which were accessed before, in the same way.
    pub fn accessed_before(first: RowAccess) -> Self {
        Self { first: Some(first), ..Self::default() }
    }

    /// Adds an access to words of a row before all those of this kernel.
    pub fn begin_row(&mut self, row: usize, access: RowAccess) {
        self.set_written(row / PAGE);
        let Page { words, rows } = self.page(row);
        let (words, row) = (&mut words[row % PAGE], &mut rows[row % PAGE]);
        match row.records.0.iter_mut().find(|record| record.words == 0) {
            Some(free) if words.is_none() => *free = access,
            _ => {
                let words = words.get_or_insert_with(|| row.take_words());
                lanes_of(access.words).for_each(|word| words[word].add(access.in_word(word), KeptAccesses::All));
            }
        }
    }

    /// The same of a word.
    pub fn begin_word(&mut self, word: usize, access: ShadowAccess) {
        let row = word / ROW;
        self.set_written(row / PAGE);
        let Page { words, rows } = self.page(row);
        let words = words[row % PAGE].get_or_insert_with(|| rows[row % PAGE].take_words());
        words[word % ROW].add(access, KeptAccesses::All);
    }

    /// The words of a row, if accesses were added one by one.
    pub fn row_words(&self, row: usize) -> &[Word] {
        let words = self.known_page(row).and_then(|page| page.words[row % PAGE].as_ref());
        words.map_or(&[], |words| &words[..])
    }

    /// The page of a row, with the reads that were noted.
    fn page(&mut self, row: usize) -> &mut Page {
        self.flush(section_of(row * ROW));
        self.page_of_records(row / PAGE)
    }

    fn page_of_records(&mut self, page: usize) -> &mut Page {
        let first = self.first;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        Arc::make_mut(self.pages[page].get_or_insert_with(|| Arc::new(Page::begun(first))))
    }

    /// Adds the reads of a section that were noted to the records of its pages.
    #[inline]
    fn flush(&mut self, section: usize) {
        if self.log.has(section) {
            self.flush_reads(section);
        }
    }

    fn flush_reads(&mut self, section: usize) {
        let log = std::mem::take(&mut self.log);
        for reads in log.reads(section).chunk_by(|one, next| one.word() / ROW == next.word() / ROW) {
            let row = (section * SECTION + reads[0].word()) / ROW;
            self.page_of_records(row / PAGE).add_reads(row % PAGE, reads, &log);
        }
        self.log = log;
        self.log.clear(section);
    }

    /// Adds the reads of some words that were noted to their records.
    #[inline]
    pub fn flush_words(&mut self, words: &Range<usize>) {
        (section_of(words.start)..section_of(words.end) + 1).for_each(|section| self.flush(section));
    }

    /// Notes weak reads, to be added to the records later, and returns the lanes whose reads have to be added now: the memory is small, or something
    /// has written the page. A read of several words takes all of their bytes.
    pub fn note_reads(&mut self, reads: &WarpReads<'_>) -> u32 {
        let Some(form) = reads.form().filter(|_| self.first.is_none()) else { return reads.lanes };
        if self.log.is_full() {
            (0..self.log.sections()).for_each(|section| self.flush(section));
            self.log.forget_groups();
        }
        const END: usize = SMALL * PAGE * ROW;
        let is_small = self.pages.len() <= SMALL && !self.log.has_reads_after(END);
        let first = if is_small { END } else { 0 };
        let (mut left, mut last) = (0, None);
        for lane in lanes_of(reads.lanes) {
            let (word, bytes, known) = (reads.word(lane), reads.bytes(lane), reads.clock.known(lane));
            let page = word / ROW / PAGE;
            if word < first || self.is_written(page) || !reads.is_aligned(lane) {
                left |= 1 << lane;
                continue;
            }
            // Lanes often know the same.
            let number = match last {
                Some((same, of, number)) if of == bytes && known.is_shared_with(same) => number,
                _ => self.log.group(&reads.group(bytes, form), known),
            };
            last = Some((known, bytes, number));
            if self.log.add(word, lane, number) >= MOST_READS {
                self.flush(section_of(word));
            }
        }
        left
    }

    /// Whether somebody has written a page.
    #[inline]
    fn is_written(&self, page: usize) -> bool {
        self.written.get(page).is_some_and(|written| *written)
    }

    /// Somebody writes a page.
    fn set_written(&mut self, page: usize) {
        if page >= self.written.len() {
            self.written.resize(page + 1, false);
        }
        self.written[page] = true;
    }

    fn known_page(&self, row: usize) -> Option<&Page> {
        self.pages.get(row / PAGE)?.as_deref()
    }

    fn known_word(&self, word: usize) -> Option<&Word> {
        let row = word / ROW;
        let words = self.known_page(row).and_then(|page| page.words[row % PAGE].as_ref());
        words.map(|words| &words[word % ROW])
    }

    /// Reads what is remembered of a word, so that it is in the caches of the host. Of several words they are read at the same time.
    pub fn prefetch(&self, word: usize) -> u32 {
        self.known_word(word).map_or(0, Word::prefetch)
    }

    /// The words of some rows that were accessed, a bit each.
    pub fn touched(&self, rows: Range<usize>) -> Vec<u32> {
        let known = |row: usize| self.known_page(row).map_or(0, |page| page.touched(row % PAGE).0);
        let mut touched: Vec<u32> = rows.clone().map(known).collect();
        for section in section_of(rows.start * ROW)..=section_of(rows.end * ROW) {
            for word in self.log.words(section) {
                if rows.contains(&(word / ROW)) {
                    touched[word / ROW - rows.start] |= 1 << (word % ROW);
                }
            }
        }
        touched
    }

    /// Whether an access would change nothing: the word has one of the same lane that is the same but for its instruction, and no others that it
    /// could race with.
    #[inline]
    pub fn is_repeated(&self, word: usize, access: &ShadowAccess) -> bool {
        self.known_word(word).is_some_and(|word| word.is_repeated(access))
    }

    /// Adds accesses to a row of words. Returns whether that was possible: otherwise its words have to be checked one by one.
    pub fn add_to_row(&mut self, row: usize, new: &RowAccess, clock: &WarpClock) -> bool {
        if new.writes() {
            self.set_written(row / PAGE);
        }
        let page = self.page(row);
        let known = &mut page.rows[row % PAGE];
        let is_added = page.words[row % PAGE].is_none() && known.records.add(new, clock);
        if is_added && new.writes() {
            known.written |= new.words;
        }
        is_added
    }

    /// Weak writes to all words of a row were checked one by one: nothing else is remembered.
    pub fn overwrite_row(&mut self, row: usize, new: &RowAccess) {
        let page = self.page(row);
        page.words[row % PAGE] = None;
        page.rows[row % PAGE].records = RowAccesses([*new, RowAccess::NONE, RowAccess::NONE]);
    }

    /// The writes to some words of a row that are remembered, as their warps and epochs.
    pub fn writes(&self, row: usize, words: u32) -> Vec<(u32, u32)> {
        let Some(page) = self.known_page(row) else { return Vec::new() };
        let of_words =
            page.words[row % PAGE].iter().flat_map(|own| lanes_of(words).flat_map(|word| own[word].accesses()));
        let of_words = of_words.filter(|access| access.writes()).map(|access| (access.warp, access.epoch));
        let of_row =
            page.rows[row % PAGE].records.0.iter().filter(|record| record.words & words != 0 && record.writes());
        of_words.chain(of_row.map(|record| (record.warp, record.epoch))).collect()
    }

    /// Whether the last writes of some words of a row can be synchronized with.
    pub fn has_released(&self, row: usize, words: u32) -> bool {
        self.known_page(row).is_some_and(|page| page.rows[row % PAGE].released & words != 0)
    }

    /// Adds an access to a word, and returns an earlier one that it races with, or that is unordered to it.
    ///
    /// `is_before` says whether all accesses of a record are the agent's own or happen before. The relation is given the last strong read of
    /// those.
    #[inline]
    pub fn access(
        &mut self,
        word: usize,
        (access, most): (ShadowAccess, KeptAccesses),
        is_before: impl Fn(&ShadowAccess) -> bool,
        relation: impl FnMut(&ShadowAccess, Option<&ShadowAccess>) -> RaceRelation,
    ) -> Option<(ShadowAccess, RaceRelation)> {
        self.word_for(word, &access).access((access, most), is_before, relation)
    }

    /// Adds a strong access to a word, see [`Word::add_strong`].
    #[inline]
    pub fn add_strong(&mut self, word: usize, access: ShadowAccess, most: KeptAccesses, widest: Scope) -> bool {
        self.word_for(word, &access).add_strong(access, most, widest)
    }

    /// A word that is checked on its own, for an access.
    fn word_for(&mut self, word: usize, access: &ShadowAccess) -> &mut Word {
        let row = word / ROW;
        if access.writes() {
            self.set_written(row / PAGE);
        }
        let Page { words, rows } = self.page(row);
        if access.writes() {
            rows[row % PAGE].written |= 1 << (word % ROW);
        }
        let words = words[row % PAGE].get_or_insert_with(|| rows[row % PAGE].take_words());
        &mut words[word % ROW]
    }

    /// All accesses that were added one by one, with their words. None are noted where all executions are explored, which is where it is asked for.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &ShadowAccess)> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_ref()?)));
        let rows =
            pages.flat_map(|(at, page)| page.words.iter().enumerate().map(move |(row, one)| (at * PAGE + row, one)));
        let rows = rows.filter_map(|(at, row)| Some((at, row.as_ref()?)));
        let words = rows.flat_map(|(at, row)| row.iter().enumerate().map(move |(word, one)| (at * ROW + word, one)));
        words.flat_map(|(at, word)| word.accesses().map(move |access| (at, access)))
    }

    /// The rows in which words were accessed, in their order.
    pub fn rows(&self) -> impl Iterator<Item = TouchedRow> {
        let end = (self.pages.len() * PAGE * ROW).div_ceil(SECTION).max(self.log.sections());
        let rows = (0..end).flat_map(|section| {
            let first = section * SECTION / ROW;
            (first..).zip(self.touched(first..first + SECTION / ROW))
        });
        rows.filter(|(_, accessed)| *accessed != 0).map(|(row, accessed)| {
            let written = self.known_page(row).map_or(0, |page| page.rows[row % PAGE].written);
            TouchedRow { row, accessed, written }
        })
    }

    /// Whether the last write of a word can be synchronized with.
    #[inline]
    pub fn is_released(&self, word: usize) -> bool {
        self.has_released(word / ROW, 1 << (word % ROW))
    }

    /// Remembers whether the last write of a word can be synchronized with.
    pub fn set_released(&mut self, word: usize, released: bool) {
        let row = &mut self.page(word / ROW).rows[word / ROW % PAGE];
        let bit = 1 << (word % ROW);
        row.released = if released { row.released | bit } else { row.released & !bit };
    }
}
