//! What is remembered about the accesses to a word.

use crate::relation::RaceRelation;
use crate::shadow::shadow_access::ShadowAccess;
use isa::types::Scope;

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
pub struct Word {
    first: [ShadowAccess; 2],
    more: Option<Box<MoreAccesses>>,
}

/// The accesses beside the first two, the oldest first.
#[derive(Clone, Debug, Default)]
struct MoreAccesses(Vec<ShadowAccess>);

const _: () = assert!(size_of::<Word>() == 64, "a word takes one line");

impl Word {
    /// A word that was not accessed.
    pub const EMPTY: Self = Self { first: [ShadowAccess::NONE; 2], more: None };

    /// The accesses beside the first two.
    fn more(&self) -> &[ShadowAccess] {
        self.more.as_ref().map_or(&[], |more| &more.0)
    }

    /// The accesses that are remembered.
    pub fn accesses(&self) -> impl Iterator<Item = &ShadowAccess> {
        self.first.iter().chain(self.more()).filter(|access| access.lanes != 0)
    }

    /// Reads its line of the host's cache.
    pub const fn prefetch(&self) -> u32 {
        self.first[0].lanes
    }

    /// Whether an access of this kernel is remembered: its last one always is.
    pub fn is_touched(&self) -> bool {
        self.accesses().any(|access| !access.is_of_earlier_kernel())
    }

    /// Adds an access that is not in it, and forgets the oldest beside the first two if there are too many.
    pub fn add(&mut self, access: ShadowAccess, most: KeptAccesses) {
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

    /// Whether an access would change nothing: there is one of the same lane that is the same but for its instruction, and no others that it could race
    /// with.
    #[inline]
    pub fn is_repeated(&self, access: &ShadowAccess) -> bool {
        let is_own = |known: &ShadowAccess| (known.warp, known.lanes) == (access.warp, access.lanes);
        let is_same = |known: &ShadowAccess| {
            let (lanes, instruction, time) = (known.lanes, known.instruction, known.time);
            let all = ShadowAccess { lanes, instruction, time, ..*access };
            known.lanes & access.lanes != 0 && *known == all
        };
        let only_reads = |known: &ShadowAccess| !access.writes() && !known.writes();
        self.more.is_none()
            && self.first.iter().any(is_same)
            && self.first.iter().all(|known| known.lanes == 0 || is_own(known) || only_reads(known))
    }

    /// Adds a strong access that can race with none of the earlier ones, wherever their threads are. Returns whether that was so: otherwise nothing was
    /// added. `widest` is the scope that includes all threads.
    #[inline]
    pub fn add_strong(&mut self, access: ShadowAccess, most: KeptAccesses, widest: Scope) -> bool {
        // A record of the same lane alone is replaced, which depends on what it covers.
        let is_own = |known: &ShadowAccess| (known.warp, known.lanes) == (access.warp, access.lanes);
        if !self.accesses().all(|known| known.is_always_morally_strong(&access, widest) && !is_own(known)) {
            return false;
        }
        let more = self.more.iter_mut().flat_map(|more| &mut more.0);
        let used = self.first.iter_mut().filter(|known| known.lanes != 0).chain(more);
        if used.filter_map(|known| known.unite(&access).then_some(())).count() == 0 {
            self.add(access, most);
        }
        true
    }

    /// Adds an access, and returns an earlier one that it races with, or that is unordered to it.
    ///
    /// `is_before` says whether all accesses of a record are the agent's own or happen before. The relation is given the last strong read of
    /// those.
    #[inline]
    pub fn access(
        &mut self,
        (access, most): (ShadowAccess, KeptAccesses),
        is_before: impl Fn(&ShadowAccess) -> bool,
        mut relation: impl FnMut(&ShadowAccess, Option<&ShadowAccess>) -> RaceRelation,
    ) -> Option<(ShadowAccess, RaceRelation)> {
        let is_read =
            |known: &&ShadowAccess| known.bytes & access.bytes != 0 && known.reads_strongly() && is_before(known);
        // Only a strong write that races otherwise can have been observed.
        let may_be_observed = |known: &ShadowAccess| {
            known.writes() && known.scope.is_some() && !known.is_always_morally_strong(&access, Scope::Gpu)
        };
        let last_read = if self.accesses().any(may_be_observed) {
            self.accesses().filter(is_read).max_by_key(|known| known.time).copied()
        } else {
            None
        };
        self.add_related((access, most), |earlier| relation(earlier, last_read.as_ref()))
    }

    /// Adds an access, by how the earlier ones are related to it.
    #[inline]
    fn add_related(
        &mut self,
        (access, most): (ShadowAccess, KeptAccesses),
        mut relation: impl FnMut(&ShadowAccess) -> RaceRelation,
    ) -> Option<(ShadowAccess, RaceRelation)> {
        let (mut race, mut unordered, mut united) = (None, None, false);
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
        for earlier in self.first.iter_mut().filter(|earlier| earlier.lanes != 0) {
            if !keep(earlier) {
                earlier.lanes = 0;
            }
        }
        if let Some(more) = &mut self.more {
            more.0.retain_mut(keep);
        }
        if self.more().is_empty() {
            self.more = None;
        }
        if !united {
            self.add(access, most);
        }
        let race = race.map(|earlier| (earlier, RaceRelation::Race));
        race.or(unordered.map(|earlier| (earlier, RaceRelation::Unordered)))
    }

    /// Adds a weak read of a word that nothing has written.
    #[inline]
    pub fn add_read(&mut self, read: ShadowAccess, is_before: impl Fn(&ShadowAccess) -> bool) {
        self.add_related((read, KeptAccesses::Last), |earlier| match is_before(earlier) {
            true => RaceRelation::Ordered,
            false => RaceRelation::Compatible,
        });
    }
}
