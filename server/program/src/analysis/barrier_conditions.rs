//! What is known about the conditions under which barriers are executed that take all lanes of a warp (`.aligned`): where they are, and which way each lane
//! went.

use crate::lanes::{WARP_SIZE, lanes_of};
use crate::problem::CodePlace;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// The conditions of a function under which aligned barriers are executed.
#[derive(Debug, Default)]
pub struct BarrierConditions {
    /// By barrier, the conditional instructions with ways that lead around it and meet after it, except where the function ends.
    pub of_barrier: HashMap<u32, Vec<u32>>,
    /// All of them.
    pub all: HashSet<u32>,
}

/// Which way each lane of a warp went last from a conditional instruction, and how often it has come there: lanes whose numbers are the same and
/// whose ways are not were parted there.
#[derive(Clone, Debug)]
pub struct ConditionWays {
    /// The instruction.
    pub condition: CodePlace,
    /// How often each lane has executed it.
    times: [u32; WARP_SIZE as usize],
    /// The lanes that went on where the guard leads.
    held: u32,
}

impl ConditionWays {
    /// No lane has come there yet.
    pub const fn new(condition: CodePlace) -> Self {
        Self { condition, times: [0; WARP_SIZE as usize], held: 0 }
    }

    /// Some lanes execute the instruction, and its guard holds in some of them.
    pub fn add(&mut self, lanes: u32, held: u32) {
        self.held = self.held & !lanes | held;
        for (lane, times) in self.times.iter_mut().enumerate() {
            *times = times.wrapping_add(lanes >> lane & 1);
        }
    }

    /// The lanes of `among` that were parted from one at their last common execution; `ahead` is how often that one has yet to be counted.
    pub fn parted_from(&self, lane: usize, ahead: u32, among: u32) -> u32 {
        let way = if ahead == 1 || self.held >> lane & 1 == 1 { !self.held } else { self.held };
        let is_parted = |other: &usize| self.times[*other] == self.times[lane].wrapping_add(ahead);
        lanes_of(among & way).filter(is_parted).fold(0, |all, other| all | 1 << other)
    }

    /// What the reports depend on of a lane: by how much it is ahead of the last one that has not ended, and which way it went; `None` if it is behind.
    pub fn of_lane(&self, lane: usize, live: u32) -> Option<(u32, u32)> {
        let last = lanes_of(live).map(|lane| self.times[lane]).min()?;
        Some((self.times[lane].checked_sub(last)?, self.held >> lane & 1))
    }

    /// Adds to a hash what the reports depend on: by how much lanes are ahead of the last one that has not ended.
    pub fn hash(&self, live: u32, hash: &mut impl Hasher) {
        let Some(last) = lanes_of(live).map(|lane| self.times[lane]).min() else { return };
        self.condition.instruction.hash(hash);
        for lane in lanes_of(u32::MAX).filter(|lane| self.times[*lane] >= last) {
            (lane, self.times[lane] - last, self.held >> lane & 1).hash(hash);
        }
    }
}
