//! Scattered reads of memory that nothing has written, noted one after another.
//!
//! They race with nothing until somebody writes. A record of each would be a line of the host's cache that every read waits for; the notes end
//! in one that stays there. Before anything else is asked of the memory, the reads are added to its records in their order, with what their threads
//! knew then, so that the records are those that each read would have left at once.

use super::super::lanes::lanes_of;
use super::super::problem::MachineAccessKind;
use super::super::proxy::AccessProxy;
use super::clock::Clock;
use super::shadow_access::ShadowAccess;
use std::ops::Range;
use std::sync::Arc;

/// The words of a section, which has notes of its own: there are so few sections that all of their ends stay in the nearest cache.
pub const SECTION: usize = 1 << 13;
/// The reads of a section that are noted before they are added to its records: these are in the caches of the host then.
pub const MOST_READS: usize = 2 * SECTION;
/// The states of warps that are kept, and the parts of the clocks in them.
const MOST_STATES: usize = 1 << 16;
const MOST_PARTS: usize = 1 << 18;

/// What the lanes of a warp knew when they read.
#[derive(Clone, Debug)]
struct ReaderState {
    warp: u32,
    epoch: u32,
    known: Clock,
}

/// A read of some lanes of a warp of the same bytes, by one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NotedRead {
    state: u32,
    instruction: u32,
    lanes: u32,
    /// The first word, counted in the section.
    word: u16,
    /// The bytes of each word.
    bytes: u8,
    form: ReadForm,
}

/// The size of an element, the number of words, and whether the read is coherent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReadForm(u8);

impl ReadForm {
    /// `None` if a number is no power of two.
    fn new(size: u8, words: usize, proxy: AccessProxy) -> Option<Self> {
        let is_known = size.is_power_of_two() && words.is_power_of_two() && words <= 8;
        let logs = || size.ilog2() as u8 | (words.ilog2() as u8) << 3;
        is_known.then(|| Self(logs() | u8::from(proxy == AccessProxy::NonCoherent) << 5))
    }

    const fn size(self) -> u8 {
        1 << (self.0 & 7)
    }

    const fn words(self) -> usize {
        1 << (self.0 >> 3 & 3)
    }

    const fn proxy(self) -> AccessProxy {
        if self.0 >> 5 == 0 { AccessProxy::Generic } else { AccessProxy::NonCoherent }
    }
}

/// A read of a lane, as it was noted.
#[derive(Debug)]
pub struct LoggedRead<'l> {
    /// Its part in each word.
    pub access: ShadowAccess,
    /// The first word.
    pub word: usize,
    /// The number of words.
    pub words: usize,
    /// The proxy.
    pub proxy: AccessProxy,
    /// What the thread knew.
    pub known: &'l Clock,
}

/// The section of a word.
pub const fn section_of(word: usize) -> usize {
    word / SECTION
}

/// The reads of all sections.
#[derive(Clone, Debug, Default)]
pub struct ReadLog {
    sections: Vec<Arc<SectionReads>>,
    states: Vec<ReaderState>,
    /// The last state of each warp.
    newest: Vec<u32>,
    /// The parts of all clocks.
    parts: usize,
}

/// The reads of a section.
#[derive(Clone, Debug, Default)]
struct SectionReads(Vec<NotedRead>);

impl ReadLog {
    /// The number of sections up to the last one with reads.
    pub const fn sections(&self) -> usize {
        self.sections.len()
    }

    /// Whether there were reads in the section of a word or a later one.
    pub const fn has_reads_after(&self, word: usize) -> bool {
        self.sections.len() > section_of(word)
    }

    /// Whether too much is kept of what threads knew.
    pub const fn is_full(&self) -> bool {
        self.states.len() >= MOST_STATES || self.parts >= MOST_PARTS
    }

    /// Notes a read of some words by a thread. Returns how many their section has, or `None` if it is of no form that can be noted.
    #[inline]
    pub fn add(
        &mut self,
        words: &Range<usize>,
        access: &ShadowAccess,
        (proxy, known): (AccessProxy, &Clock),
    ) -> Option<usize> {
        let form = ReadForm::new(access.size, words.len(), proxy)?;
        let state = self.state(access.warp, access.epoch, known);
        let ShadowAccess { instruction, lanes, bytes, .. } = *access;
        let new = NotedRead { state, instruction, lanes, word: (words.start % SECTION) as u16, bytes, form };
        let section = section_of(words.start);
        if section >= self.sections.len() {
            self.sections.resize(section + 1, Arc::default());
        }
        let reads = &mut Arc::make_mut(&mut self.sections[section]).0;
        match reads.last_mut() {
            // The lanes of a record follow each other in their order.
            Some(last) if last.lanes < lanes && NotedRead { lanes, ..*last } == new => last.lanes |= lanes,
            _ => reads.push(new),
        }
        Some(reads.len())
    }

    #[inline]
    fn state(&mut self, warp: u32, epoch: u32, known: &Clock) -> u32 {
        let at = warp as usize;
        if at >= self.newest.len() {
            self.newest.resize(at + 1, u32::MAX);
        }
        let newest = self.newest[at];
        if let Some(state) = self.states.get(newest as usize)
            && state.epoch == epoch
            && state.known.is_shared_with(known)
        {
            return newest;
        }
        self.newest[at] = self.states.len() as u32;
        self.states.push(ReaderState { warp, epoch, known: known.clone() });
        self.parts += known.parts();
        self.newest[at]
    }

    fn reads_of(&self, section: usize) -> &[NotedRead] {
        self.sections.get(section).map_or(&[], |reads| &reads.0)
    }

    /// Reads where a read of a word will be noted, so that it is in the caches of the host.
    pub fn prefetch(&self, word: usize) -> u32 {
        self.reads_of(section_of(word)).last().map_or(0, |read| read.lanes)
    }

    /// Whether a section has reads.
    #[inline]
    pub fn has(&self, section: usize) -> bool {
        !self.reads_of(section).is_empty()
    }

    /// The reads of a section have been added to the records.
    pub fn clear(&mut self, section: usize) {
        match Arc::get_mut(&mut self.sections[section]) {
            Some(reads) => reads.0.clear(),
            None => self.sections[section] = Arc::default(),
        }
    }

    /// No section has reads: what threads knew is of no use.
    pub fn forget_states(&mut self) {
        self.states.clear();
        self.newest.clear();
        self.parts = 0;
    }

    /// The reads of a section in their order, lane by lane.
    pub fn reads(&self, section: usize) -> impl Iterator<Item = LoggedRead<'_>> {
        let lanes = self.reads_of(section).iter().flat_map(|read| lanes_of(read.lanes).map(move |lane| (read, lane)));
        lanes.map(move |(read, lane)| {
            let ReaderState { warp, epoch, known } = &self.states[read.state as usize];
            let access = ShadowAccess {
                warp: *warp,
                lanes: 1 << lane,
                epoch: *epoch,
                instruction: read.instruction,
                bytes: read.bytes,
                size: read.form.size(),
                kind: MachineAccessKind::Read,
                scope: None,
                time: 0,
            };
            let (word, words) = (section * SECTION + usize::from(read.word), read.form.words());
            LoggedRead { access, word, words, proxy: read.form.proxy(), known }
        })
    }

    /// The words that the reads of a section have accessed.
    pub fn words(&self, section: usize) -> impl Iterator<Item = usize> {
        let first = move |read: &NotedRead| section * SECTION + usize::from(read.word);
        self.reads_of(section).iter().flat_map(move |read| first(read)..first(read) + read.form.words())
    }

    /// The bytes that it takes, those of what copies share last.
    pub fn bytes(&self) -> (usize, usize) {
        let of_section =
            |reads: &Arc<SectionReads>| (Arc::strong_count(reads) > 1, reads.0.capacity() * size_of::<NotedRead>());
        let own = self.sections.len() * size_of::<usize>() + self.states.len() * size_of::<ReaderState>();
        self.sections.iter().map(of_section).fold((own, 0), |(own, shared), (is_shared, bytes)| {
            if is_shared { (own, shared + bytes) } else { (own + bytes, shared) }
        })
    }
}
