//! What is remembered about the accesses to a range of memory: for each word of 4 bytes the accesses that a later one can race with.

use super::super::problem::MachineAccessKind;
use super::clock::Agent;
use isa::types::Scope;

/// Bytes of a word.
pub const WORD: usize = 4;
/// Words of a page.
const PAGE: usize = 64;
/// The most accesses to a word that are kept beside the first two. Most words have few; those that many warps read would have one for each.
const KEPT: usize = 8;

/// An access of lanes of a warp, in the same epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowAccess {
    /// The agent's warp.
    pub warp: u32,
    /// The lanes; none in a record that is not used.
    pub lanes: u32,
    /// The epoch of the warp.
    pub epoch: u32,
    /// The instruction, counted through all functions.
    pub instruction: u32,
    /// The bytes of the word, as a mask.
    pub bytes: u8,
    /// The size of the access in bytes.
    pub size: u8,
    /// What it does.
    pub kind: MachineAccessKind,
    /// The scope of a strong access; `None` if it is weak.
    pub scope: Option<Scope>,
}

impl ShadowAccess {
    const NONE: Self = Self {
        warp: 0,
        lanes: 0,
        epoch: 0,
        instruction: 0,
        bytes: 0,
        size: 0,
        kind: MachineAccessKind::Read,
        scope: None,
    };

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.kind != MachineAccessKind::Read
    }

    /// One of its agents.
    pub const fn agent(&self) -> Agent {
        Agent { warp: self.warp, lane: self.lanes.trailing_zeros() }
    }

    /// Whether whatever races with an earlier access that happens before this one races with this one, too.
    fn covers(&self, earlier: &Self) -> bool {
        if earlier.bytes & !self.bytes != 0 {
            return false;
        }
        match self.scope {
            None => self.writes() || !earlier.writes(),
            Some(_) => {
                let same = (earlier.scope, earlier.size) == (self.scope, self.size);
                same && (self.writes() || !earlier.writes())
            }
        }
    }

    /// Adds the lanes of an access that is the same in all else.
    fn unite(&mut self, other: &Self) -> bool {
        let same = Self { lanes: other.lanes, ..*self } == *other;
        if same {
            self.lanes |= other.lanes;
        }
        same
    }
}

/// The accesses to a word.
#[derive(Clone, Debug)]
struct Word {
    first: [ShadowAccess; 2],
    more: Vec<ShadowAccess>,
}

#[derive(Clone, Debug)]
struct Page {
    words: [Word; PAGE],
    /// The words whose last write another thread can synchronize with, a bit each.
    released: u64,
}

impl Default for Page {
    fn default() -> Self {
        Self { words: std::array::from_fn(|_| Word { first: [ShadowAccess::NONE; 2], more: Vec::new() }), released: 0 }
    }
}

/// The accesses to a range of memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Option<Box<Page>>>,
}

/// How an earlier access is related to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceRelation {
    /// It happens before.
    Ordered,
    /// They are not ordered, and do not race.
    Compatible,
    /// They race.
    Race,
}

impl Shadow {
    fn page(&mut self, word: usize) -> &mut Page {
        let page = word / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        self.pages[page].get_or_insert_default()
    }

    /// Whether a word has an access of the same lane that is the same but for its instruction, and none of others.
    #[inline]
    pub fn is_repeated(&self, word: usize, access: &ShadowAccess) -> bool {
        let Some(Some(page)) = self.pages.get(word / PAGE) else { return false };
        let Word { first, more } = &page.words[word % PAGE];
        let is_own = |known: &ShadowAccess| (known.warp, known.lanes) == (access.warp, access.lanes);
        let same = |known: &ShadowAccess| ShadowAccess { instruction: access.instruction, ..*known } == *access;
        more.is_empty() && first.iter().any(same) && first.iter().all(|known| known.lanes == 0 || is_own(known))
    }

    /// Adds an access to a word, and returns an earlier one that it races with.
    #[inline]
    pub fn access(
        &mut self,
        word: usize,
        access: ShadowAccess,
        relation: impl Fn(&ShadowAccess) -> RaceRelation,
    ) -> Option<ShadowAccess> {
        let Word { first, more } = &mut self.page(word).words[word % PAGE];
        let (mut race, mut united) = (None, false);
        let mut keep = |earlier: &mut ShadowAccess| {
            if earlier.bytes & access.bytes != 0 {
                match relation(earlier) {
                    RaceRelation::Race => {
                        race = race.or(Some(*earlier));
                        // One race of a word is enough.
                        return earlier.bytes & !access.bytes != 0;
                    }
                    RaceRelation::Ordered if access.covers(earlier) && earlier.lanes != access.lanes => return false,
                    RaceRelation::Ordered if access.covers(earlier) => {
                        *earlier = ShadowAccess { epoch: access.epoch, instruction: access.instruction, ..*earlier };
                        united |= *earlier == access;
                        return *earlier == access;
                    }
                    RaceRelation::Ordered | RaceRelation::Compatible => {}
                }
            }
            united |= earlier.unite(&access);
            true
        };
        for earlier in first.iter_mut().filter(|earlier| earlier.lanes != 0) {
            if !keep(earlier) {
                earlier.lanes = 0;
            }
        }
        if !more.is_empty() {
            more.retain_mut(keep);
        }
        if !united {
            match first.iter_mut().find(|earlier| earlier.lanes == 0) {
                Some(free) => *free = access,
                None => {
                    if more.len() >= KEPT {
                        more.remove(0);
                    }
                    more.push(access);
                }
            }
        }
        race
    }

    /// All accesses that are remembered, with their words.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &ShadowAccess)> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_ref()?)));
        let words =
            pages.flat_map(|(at, page)| page.words.iter().enumerate().map(move |(word, one)| (at * PAGE + word, one)));
        let all = words.flat_map(|(at, word)| word.first.iter().chain(&word.more).map(move |access| (at, access)));
        all.filter(|(_, access)| access.lanes != 0)
    }

    /// Whether the last write of a word can be synchronized with.
    #[inline]
    pub fn is_released(&self, word: usize) -> bool {
        let page = self.pages.get(word / PAGE).and_then(Option::as_ref);
        page.is_some_and(|page| page.released >> (word % PAGE) & 1 == 1)
    }

    /// Remembers whether the last write of a word can be synchronized with.
    pub fn set_released(&mut self, word: usize, released: bool) {
        let page = self.page(word);
        let bit = 1 << (word % PAGE);
        page.released = if released { page.released | bit } else { page.released & !bit };
    }
}
