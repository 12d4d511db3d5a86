//! Accesses of a warp to consecutive elements, remembered as one for each row of 32 words.

use crate::clock::Clock;
use crate::shadow::shadow_access::ShadowAccess;
use crate::thread::WarpClock;
use program::lanes::lanes_of;
use program::problem::MachineAccessKind;

/// Words of a row.
pub const ROW: usize = 32;
/// The bytes of a word, as a mask.
pub const ALL_BYTES: u8 = 0xf;

/// The order of the lanes that access consecutive elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOrder {
    /// Higher lanes access higher addresses.
    Ascending,
    /// Higher lanes access lower addresses.
    Descending,
}

/// Weak accesses of lanes of a warp to the words of a row, each lane to one element of whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowAccess {
    /// The warp.
    pub warp: u32,
    /// The epoch of the warp.
    pub epoch: u32,
    /// The instruction, counted through all functions.
    pub instruction: u32,
    /// The words, as a mask; none in a record that is not used.
    pub words: u32,
    /// What the accesses do.
    pub kind: MachineAccessKind,
    /// The bytes of an element.
    pub size: u8,
    /// The lane of the first word, whether or not it has accessed it.
    pub first_lane: u8,
    /// Which lanes follow.
    pub order: LaneOrder,
    /// A lane has two to the power of this words.
    pub lane_words_log: u8,
}

impl RowAccess {
    /// A record that is not used.
    pub const NONE: Self = Self {
        warp: 0,
        epoch: 0,
        instruction: 0,
        words: 0,
        kind: MachineAccessKind::Read,
        size: 0,
        first_lane: 0,
        order: LaneOrder::Ascending,
        lane_words_log: 0,
    };

    /// The lane that has accessed a word.
    pub const fn lane(&self, word: usize) -> usize {
        let distance = word >> self.lane_words_log;
        match self.order {
            LaneOrder::Ascending => (self.first_lane as usize + distance) % 32,
            LaneOrder::Descending => (self.first_lane as usize + 32 - distance) % 32,
        }
    }

    /// Its part in a word.
    pub const fn in_word(&self, word: usize) -> ShadowAccess {
        ShadowAccess {
            warp: self.warp,
            lanes: 1 << self.lane(word),
            epoch: self.epoch,
            instruction: self.instruction,
            bytes: ALL_BYTES,
            size: self.size,
            kind: self.kind,
            scope: None,
            time: 0,
        }
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.kind != MachineAccessKind::Read
    }

    /// Whether each word that both have accessed belongs to the same lane.
    fn has_lanes_of(&self, other: &Self) -> bool {
        let lanes = |one: &Self| (one.warp, one.first_lane, one.order, one.lane_words_log);
        lanes(self) == lanes(other)
    }

    /// Whether all accesses to some words happen before later ones to the same words. `clock` is that of the warp of the later ones.
    fn happens_before(&self, later: &Self, words: u32, clock: &WarpClock) -> bool {
        if self.has_lanes_of(later) {
            return true;
        }
        // Lanes often know the same.
        let mut last: Option<(&Clock, Option<&[u32; 32]>)> = None;
        lanes_of(words).all(|word| {
            let lane = later.lane(word);
            if self.warp == later.warp && self.lane(word) == lane {
                return true;
            }
            let known = clock.known(lane);
            let epochs = match last {
                Some((clock, epochs)) if clock.is_shared_with(known) => epochs,
                _ => known.epochs(self.warp),
            };
            last = Some((known, epochs));
            epochs.is_some_and(|epochs| epochs[self.lane(word)] >= self.epoch)
        })
    }
}

/// The records of a row, if all of its accesses fit into them.
#[derive(Clone, Debug)]
pub struct RowAccesses(pub [RowAccess; 3]);

impl RowAccesses {
    /// Adds accesses to the row. Returns whether that was possible: nothing races, and there is room.
    pub fn add(&mut self, new: &RowAccess, clock: &WarpClock) -> bool {
        let mut records = self.0;
        for earlier in &mut records {
            let common = earlier.words & new.words;
            if common == 0 {
                continue;
            }
            if earlier.happens_before(new, common, clock) {
                // Whatever races with the earlier ones races with the new ones, too.
                if new.writes() || !earlier.writes() {
                    earlier.words &= !common;
                }
            } else if earlier.writes() || new.writes() {
                return false;
            }
        }
        let same = |known: &&mut RowAccess| known.words != 0 && RowAccess { words: new.words, ..**known } == *new;
        if let Some(known) = records.iter_mut().find(same) {
            known.words |= new.words;
        } else if let Some(free) = records.iter_mut().find(|known| known.words == 0) {
            *free = *new;
        } else {
            return false;
        }
        self.0 = records;
        true
    }
}
