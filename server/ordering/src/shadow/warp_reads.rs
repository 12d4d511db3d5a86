//! Weak reads of lanes of a warp by one instruction.

use crate::Races;
use crate::checked_access::CheckedAccess;
use crate::shadow::commutative_words;
use crate::shadow::read_log::{ReadForm, ReadGroup};
use crate::shadow::shadow_access::WORD;
use crate::thread::WarpClock;
use program::lanes::lanes_of;

/// The offsets that the lanes of a warp access in an allocation.
pub type AccessOffsets = [usize; 32];

/// Weak reads of lanes of a warp by one instruction.
#[derive(Clone, Copy, Debug)]
pub struct WarpReads<'r> {
    /// What they have in common: all but the offset.
    pub access: &'r CheckedAccess,
    /// Where each lane reads.
    pub offsets: &'r AccessOffsets,
    /// The lanes.
    pub lanes: u32,
    /// The number of the warp.
    pub warp: u32,
    /// What it knows.
    pub clock: &'r WarpClock,
    /// The number of the instruction, counted through all functions.
    pub instruction: u32,
}

impl WarpReads<'_> {
    /// The form of all reads, if they can be noted.
    pub fn form(&self) -> Option<ReadForm> {
        let CheckedAccess { bytes, element, proxy, .. } = *self.access;
        let words = bytes.div_ceil(WORD);
        ReadForm::new(element as u8, words, proxy).filter(|_| bytes.is_power_of_two())
    }

    /// The first word that a lane reads.
    pub const fn word(&self, lane: usize) -> usize {
        self.offsets[lane] / WORD
    }

    /// The bytes that a lane reads of its first word, as a mask.
    #[inline]
    pub const fn bytes(&self, lane: usize) -> u8 {
        let from = self.offsets[lane] % WORD;
        let all = if self.access.bytes >= WORD { 0xf } else { (1 << self.access.bytes) - 1 };
        (all << from & 0xf) as u8
    }

    /// Whether a lane reads at a multiple of its bytes, a power of two.
    #[inline]
    pub const fn is_aligned(&self, lane: usize) -> bool {
        self.offsets[lane] & (self.access.bytes - 1) == 0
    }

    /// The group of a read.
    pub const fn group(&self, bytes: u8, form: ReadForm) -> ReadGroup {
        ReadGroup { warp: self.warp, epoch: self.clock.epoch, instruction: self.instruction, bytes, form }
    }
}

/// Notes reads of lanes of a warp that are alike but for their offsets, and returns the lanes whose reads have to be checked one by one.
pub fn note_reads(races: &mut Races, warp: u32, access: &CheckedAccess, offsets: &AccessOffsets, lanes: u32) -> u32 {
    if races.history.is_some() || !access.is_plain_read() {
        return lanes;
    }
    races.warp(warp);
    let Some(Some(clock)) = races.warps.get(warp as usize) else { return lanes };
    let instruction = races.program.first_instructions[access.place.function as usize] + access.place.instruction;
    let shadow = Races::shadow(&mut races.global, &mut races.shared, access.region);
    let left = shadow.note_reads(&WarpReads { access, offsets, lanes, warp, clock, instruction });
    if races.used.combined.is_some() {
        for lane in lanes_of(lanes & !left) {
            commutative_words::note_words(races, &CheckedAccess { offset: offsets[lane], ..*access }, access.bytes);
        }
    }
    left
}
