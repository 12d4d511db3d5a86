//! Scattered reads of memory that nothing has written, noted one after another.
//!
//! They race with nothing until somebody writes. A record of each would be a line of the host's cache that every read waits for; the notes end
//! in one that stays there. Before anything else is asked of the memory, the reads are added to its records in their order, with what their threads
//! knew then, so that the records are those that each read would have left at once.

use crate::clock::Clock;
use crate::shadow::shadow_access::ShadowAccess;
use program::lanes::WARP_SIZE;
use program::problem::MachineAccessKind;
use program::proxy::AccessProxy;
use std::collections::HashMap;
use std::sync::Arc;

/// The words of a section, which has notes of its own: there are so few sections that all of their ends stay in the nearest cache.
pub const SECTION: usize = 1 << WORD_BITS;
/// The reads of a section that are noted before they are added to its records: no more than what the records take.
pub const MOST_READS: usize = 8 * SECTION;
/// The bits of a word in its section, and of a lane. The rest of a note is the number of its group.
const WORD_BITS: u32 = 13;
const LANE_BITS: u32 = WARP_SIZE.ilog2();
/// The groups that are kept, and the parts of the clocks in them.
const MOST_GROUPS: usize = 1 << (u32::BITS - WORD_BITS - LANE_BITS);
const MOST_PARTS: usize = 1 << 18;
/// Notes that copies share as soon as there are so many.
const CHUNK: usize = 1 << 10;

/// What reads of lanes of a warp have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadGroup {
    /// The warp.
    pub warp: u32,
    /// Its epoch.
    pub epoch: u32,
    /// The instruction, counted through all functions.
    pub instruction: u32,
    /// The bytes of each word.
    pub bytes: u8,
    /// What else there is to say about the form of the reads.
    pub form: ReadForm,
}

/// The size of an element, the number of words, and whether the read is coherent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadForm(u8);

impl ReadForm {
    /// `None` if a number is no power of two.
    pub fn new(size: u8, words: usize, proxy: AccessProxy) -> Option<Self> {
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

/// A read of a lane: the first word, counted in the section, the lane, and the number of the group.
#[derive(Clone, Copy, Debug)]
pub struct NotedRead(u32);

impl NotedRead {
    const fn new(word: usize, lane: usize, group: u32) -> Self {
        Self((word % SECTION) as u32 | (lane as u32) << WORD_BITS | group << (WORD_BITS + LANE_BITS))
    }

    /// The first word, counted in the section.
    pub const fn word(self) -> usize {
        self.0 as usize % SECTION
    }

    const fn lane(self) -> u32 {
        self.0 >> WORD_BITS & (WARP_SIZE - 1)
    }

    const fn group(self) -> usize {
        (self.0 >> (WORD_BITS + LANE_BITS)) as usize
    }
}

/// A read of a lane, as it was noted.
#[derive(Debug)]
pub struct LoggedRead<'l> {
    /// Its part in each word.
    pub access: ShadowAccess,
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
    sections: Vec<SectionReads>,
    /// The groups, with what their threads knew.
    groups: Vec<(ReadGroup, Clock)>,
    numbers: HashMap<ReadGroup, u32>,
    /// The last group of each warp.
    newest: Vec<u32>,
    /// The parts of all clocks.
    parts: usize,
}

/// The reads of a section: those that copies share, and the others.
#[derive(Clone, Debug, Default)]
struct SectionReads {
    shared: Vec<Arc<Vec<NotedRead>>>,
    own: Vec<NotedRead>,
}

impl SectionReads {
    fn add(&mut self, read: NotedRead) {
        if self.own.len() == CHUNK {
            self.shared.push(Arc::new(std::mem::replace(&mut self.own, Vec::with_capacity(CHUNK))));
        }
        self.own.push(read);
    }

    const fn len(&self) -> usize {
        self.shared.len() * CHUNK + self.own.len()
    }

    const fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = NotedRead> {
        self.shared.iter().flat_map(|chunk| &**chunk).chain(&self.own).copied()
    }
}

impl ReadLog {
    /// The number of sections up to the last one with reads.
    pub const fn sections(&self) -> usize {
        self.sections.len()
    }

    /// Whether there were reads in the section of a word or a later one.
    pub const fn has_reads_after(&self, word: usize) -> bool {
        self.sections.len() > section_of(word)
    }

    /// Whether there may be no room for the groups of the next instruction.
    pub const fn is_full(&self) -> bool {
        self.groups.len() + WARP_SIZE as usize > MOST_GROUPS || self.parts >= MOST_PARTS
    }

    /// Notes a read of a lane. Returns how many its section has.
    #[inline]
    pub fn add(&mut self, word: usize, lane: usize, group: u32) -> usize {
        let section = section_of(word);
        if section >= self.sections.len() {
            self.sections.resize(section + 1, SectionReads::default());
        }
        let reads = &mut self.sections[section];
        reads.add(NotedRead::new(word, lane, group));
        reads.len()
    }

    /// The number of a group whose threads know what a clock says.
    #[inline]
    pub fn group(&mut self, group: &ReadGroup, known: &Clock) -> u32 {
        let at = group.warp as usize;
        if at >= self.newest.len() {
            self.newest.resize(at + 1, u32::MAX);
        }
        if !self.is_group(self.newest[at], group, known) {
            self.newest[at] = self.other_group(group, known);
        }
        self.newest[at]
    }

    fn is_group(&self, number: u32, group: &ReadGroup, known: &Clock) -> bool {
        let is_same = |(own, clock): &(ReadGroup, Clock)| own == group && clock.is_shared_with(known);
        self.groups.get(number as usize).is_some_and(is_same)
    }

    fn other_group(&mut self, group: &ReadGroup, known: &Clock) -> u32 {
        if let Some(number) = self.numbers.get(group)
            && self.is_group(*number, group, known)
        {
            return *number;
        }
        let is_known = self.groups.last().is_some_and(|(_, last)| last.is_shared_with(known));
        self.parts += if is_known { 0 } else { known.parts() };
        let number = self.groups.len() as u32;
        self.groups.push((*group, known.clone()));
        self.numbers.insert(*group, number);
        number
    }

    /// Whether a section has reads.
    #[inline]
    pub fn has(&self, section: usize) -> bool {
        self.sections.get(section).is_some_and(|reads| !reads.is_empty())
    }

    /// The reads of a section have been added to the records.
    pub fn clear(&mut self, section: usize) {
        let SectionReads { shared, own } = &mut self.sections[section];
        shared.clear();
        own.clear();
    }

    /// No section has reads: what threads knew is of no use.
    pub fn forget_groups(&mut self) {
        self.groups.clear();
        self.numbers.clear();
        self.newest.clear();
        self.parts = 0;
    }

    /// The reads of a section in an order in which those of each word are in theirs.
    pub fn reads(&self, section: usize) -> Vec<NotedRead> {
        let reads = &self.sections[section];
        if reads.iter().any(|read| self.groups[read.group()].0.form.words() > 1) {
            return reads.iter().collect();
        }
        // Word by word, so that each record is needed once: the words are counted, then each read goes to its place.
        let mut places = vec![0_u32; SECTION];
        reads.iter().for_each(|read| places[read.word()] += 1);
        let mut end = 0;
        for place in &mut places {
            let count = std::mem::replace(place, end);
            end += count;
        }
        let mut sorted = vec![NotedRead(0); reads.len()];
        for read in reads.iter() {
            let place = &mut places[read.word()];
            sorted[*place as usize] = read;
            *place += 1;
        }
        sorted
    }

    /// What is known of a read.
    pub fn read(&self, read: NotedRead) -> LoggedRead<'_> {
        let (ReadGroup { warp, epoch, instruction, bytes, form }, known) = &self.groups[read.group()];
        let access = ShadowAccess {
            warp: *warp,
            lanes: 1 << read.lane(),
            epoch: *epoch,
            instruction: *instruction,
            bytes: *bytes,
            size: form.size(),
            kind: MachineAccessKind::Read,
            scope: None,
            time: 0,
        };
        LoggedRead { access, words: form.words(), proxy: form.proxy(), known }
    }

    /// The words that the reads of a section have accessed.
    pub fn words(&self, section: usize) -> impl Iterator<Item = usize> {
        let words = move |read: NotedRead| {
            let first = section * SECTION + read.word();
            first..first + self.groups[read.group()].0.form.words()
        };
        self.sections.get(section).into_iter().flat_map(SectionReads::iter).flat_map(words)
    }

    /// The bytes that it takes, those of what copies share last.
    pub fn bytes(&self) -> (usize, usize) {
        const OF_GROUP: usize = 2 * size_of::<(ReadGroup, Clock)>();
        let own = self.sections.len() * size_of::<SectionReads>() + self.groups.len() * OF_GROUP;
        self.sections.iter().fold((own, 0), |(own, shared), reads| {
            let is_shared = |chunk: &&Arc<Vec<NotedRead>>| Arc::strong_count(chunk) > 1;
            let count = reads.shared.iter().filter(is_shared).count();
            let bytes = |count: usize| count * size_of::<NotedRead>();
            (own + bytes(reads.own.capacity() + (reads.shared.len() - count) * CHUNK), shared + bytes(count * CHUNK))
        })
    }
}
