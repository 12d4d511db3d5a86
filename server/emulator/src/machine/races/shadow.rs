//! What is remembered about the accesses to a range of memory: for each word of 4 bytes the accesses that a later one can race with.

use super::super::lanes::lanes_of;
use super::row::{ROW, RowAccess, RowAccesses};
use super::shadow_access::ShadowAccess;
use super::thread::ThreadClock;
use std::ops::Add;
use std::sync::Arc;

/// Bytes of a word.
pub const WORD: usize = 4;
/// Rows of a page.
const PAGE: usize = 32;
/// The most accesses to a word that are kept beside the first two. Most words have few; those that many warps read would have one for each.
const KEPT: usize = 8;

/// How many accesses to a word are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAccesses {
    /// The first two and the last others, in a run of one execution.
    Last,
    /// All that a later one may race with, where nothing may be missed.
    All,
}

/// The accesses to a word. They are in one line of the host's cache: scattered accesses wait for nothing else.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Word {
    first: [ShadowAccess; 2],
    more: Option<Box<MoreAccesses>>,
}

/// The accesses beside the first two, the oldest first.
#[derive(Clone, Debug, Default)]
struct MoreAccesses(Vec<ShadowAccess>);

const _: () = assert!(size_of::<Word>() == 64, "a word takes one line");

impl Word {
    const EMPTY: Self = Self { first: [ShadowAccess::NONE; 2], more: None };

    /// The accesses beside the first two.
    fn more(&self) -> &[ShadowAccess] {
        self.more.as_ref().map_or(&[], |more| &more.0)
    }

    /// Whether an access is remembered: the last one of all always is.
    fn is_touched(&self) -> bool {
        self.more.is_some() || self.first.iter().any(|access| access.lanes != 0)
    }

    /// Adds an access that is not in it, and forgets the oldest beside the first two if there are too many.
    fn add(&mut self, access: ShadowAccess, most: KeptAccesses) {
        match self.first.iter_mut().find(|known| known.lanes == 0) {
            Some(free) => *free = access,
            None => {
                let MoreAccesses(more) = &mut **self.more.get_or_insert_default();
                if most == KeptAccesses::Last && more.len() >= KEPT {
                    more.remove(0);
                }
                more.push(access);
            }
        }
    }
}

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
    /// The words of a row that were accessed, and those that were written, a bit each.
    fn touched(&self, row: usize) -> (u32, u32) {
        let Row { records, written, .. } = &self.rows[row];
        let bit = |(at, word): (usize, &Word)| u32::from(word.is_touched()) << at;
        let accessed = match &self.words[row] {
            Some(words) => words.iter().enumerate().map(bit).fold(0, |all, bit| all | bit),
            None => records.0.iter().fold(0, |all, record| all | record.words),
        };
        (accessed | written, *written)
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
        let list = Footprint::unshared(self.pages.len() * size_of::<Option<Arc<Page>>>());
        self.pages.iter().flatten().map(of_page).fold(list, Footprint::add)
    }
}

/// How an earlier access is related to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaceRelation {
    /// It happens before.
    Ordered,
    /// They are not ordered, and do not race.
    Compatible,
    /// They are not ordered; they do not race by the definition only, as volatile accesses.
    Unordered,
    /// They race.
    Race,
}

impl Shadow {
    /// A range of memory all words of which were accessed before, in the same way.
    pub fn accessed_before(first: RowAccess) -> Self {
        Self { pages: Vec::new(), first: Some(first) }
    }

    /// The page of a row.
    fn page(&mut self, row: usize) -> &mut Page {
        let (page, first) = (row / PAGE, self.first);
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        Arc::make_mut(self.pages[page].get_or_insert_with(|| Arc::new(Page::begun(first))))
    }

    fn known_page(&self, row: usize) -> Option<&Page> {
        self.pages.get(row / PAGE)?.as_deref()
    }

    /// Reads what is remembered of a word, so that it is in the caches of the host. Of several words they are read at the same time.
    pub fn prefetch(&self, word: usize) -> u32 {
        let row = word / ROW;
        let words = self.known_page(row).and_then(|page| page.words[row % PAGE].as_ref());
        words.map_or(0, |words| words[word % ROW].first[0].lanes)
    }

    /// Whether a word was accessed.
    pub fn is_touched(&self, word: usize) -> bool {
        let row = word / ROW;
        self.known_page(row).is_some_and(|page| page.touched(row % PAGE).0 >> (word % ROW) & 1 == 1)
    }

    /// Whether an access would change nothing: the word has one of the same lane that is the same but for its instruction, and no others that it
    /// could race with.
    #[inline]
    pub fn is_repeated(&self, word: usize, access: &ShadowAccess) -> bool {
        let row = word / ROW;
        let words = self.known_page(row).and_then(|page| page.words[row % PAGE].as_ref());
        let Some(Word { first, more }) = words.map(|words| &words[word % ROW]) else { return false };
        let is_own = |known: &ShadowAccess| (known.warp, known.lanes) == (access.warp, access.lanes);
        let is_same = |known: &ShadowAccess| {
            let (lanes, instruction, time) = (known.lanes, known.instruction, known.time);
            let all = ShadowAccess { lanes, instruction, time, ..*access };
            known.lanes & access.lanes != 0 && *known == all
        };
        let only_reads = |known: &ShadowAccess| !access.writes() && !known.writes();
        more.is_none()
            && first.iter().any(is_same)
            && first.iter().all(|known| known.lanes == 0 || is_own(known) || only_reads(known))
    }

    /// Adds accesses to a row of words. Returns whether that was possible: otherwise its words have to be checked one by one.
    pub fn add_to_row(&mut self, row: usize, new: &RowAccess, threads: &[ThreadClock]) -> bool {
        let page = self.page(row);
        let known = &mut page.rows[row % PAGE];
        let is_added = page.words[row % PAGE].is_none() && known.records.add(new, threads);
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
        mut relation: impl FnMut(&ShadowAccess, Option<&ShadowAccess>) -> RaceRelation,
    ) -> Option<(ShadowAccess, RaceRelation)> {
        let row = word / ROW;
        let Page { words, rows } = self.page(row);
        if access.writes() {
            rows[row % PAGE].written |= 1 << (word % ROW);
        }
        let words = words[row % PAGE].get_or_insert_with(|| rows[row % PAGE].take_words());
        let known = &mut words[word % ROW];
        let is_read =
            |known: &&ShadowAccess| known.bytes & access.bytes != 0 && known.reads_strongly() && is_before(known);
        // Only a strong write that races otherwise can have been observed.
        let may_be_observed = |known: &ShadowAccess| {
            known.writes() && known.scope.is_some() && !known.is_always_morally_strong(&access, isa::types::Scope::Gpu)
        };
        let all = || known.first.iter().chain(known.more()).filter(|known| known.lanes != 0);
        let last_read = if all().any(may_be_observed) {
            all().filter(is_read).max_by_key(|known| known.time).copied()
        } else {
            None
        };
        let (mut race, mut unordered, mut united) = (None, None, false);
        let mut keep = |earlier: &mut ShadowAccess| {
            if earlier.bytes & access.bytes != 0 {
                match relation(earlier, last_read.as_ref()) {
                    RaceRelation::Race => {
                        race = race.or(Some(*earlier));
                        // One race of a word is enough.
                        return earlier.bytes & !access.bytes != 0;
                    }
                    RaceRelation::Ordered if access.covers(earlier) && earlier.lanes != access.lanes => return false,
                    RaceRelation::Ordered if access.covers(earlier) => {
                        let (epoch, instruction, time) = (access.epoch, access.instruction, access.time);
                        *earlier = ShadowAccess { epoch, instruction, time, ..*earlier };
                        united |= *earlier == access;
                        return *earlier == access;
                    }
                    RaceRelation::Unordered => unordered = unordered.or(Some(*earlier)),
                    RaceRelation::Ordered | RaceRelation::Compatible => {}
                }
            }
            united |= earlier.unite(&access);
            true
        };
        for earlier in known.first.iter_mut().filter(|earlier| earlier.lanes != 0) {
            if !keep(earlier) {
                earlier.lanes = 0;
            }
        }
        if let Some(more) = &mut known.more {
            more.0.retain_mut(keep);
        }
        if known.more().is_empty() {
            known.more = None;
        }
        if !united {
            known.add(access, most);
        }
        let race = race.map(|earlier| (earlier, RaceRelation::Race));
        race.or(unordered.map(|earlier| (earlier, RaceRelation::Unordered)))
    }

    /// All accesses that were added one by one, with their words.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &ShadowAccess)> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_ref()?)));
        let rows =
            pages.flat_map(|(at, page)| page.words.iter().enumerate().map(move |(row, one)| (at * PAGE + row, one)));
        let rows = rows.filter_map(|(at, row)| Some((at, row.as_ref()?)));
        let words = rows.flat_map(|(at, row)| row.iter().enumerate().map(move |(word, one)| (at * ROW + word, one)));
        let all = words.flat_map(|(at, word)| word.first.iter().chain(word.more()).map(move |access| (at, access)));
        all.filter(|(_, access)| access.lanes != 0)
    }

    /// The rows in which words were accessed, in their order.
    pub fn rows(&self) -> impl Iterator<Item = TouchedRow> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_ref()?)));
        let rows = pages.flat_map(|(at, page)| (0..PAGE).map(move |row| (at * PAGE + row, page.touched(row))));
        let rows = rows.map(|(row, (accessed, written))| TouchedRow { row, accessed, written });
        rows.filter(|row| row.accessed != 0)
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
