//! Copies of the run, from which it is repeated: a step back costs the instructions since the last copy, not those since the beginning.
//!
//! Near the position the copies are as close as [`SPACING`] has it; the farther away they are, the farther apart. So a run of any length has
//! few of them, and whoever goes back far gets close ones there, because each repetition leaves new ones.

use crate::breakpoints::Breakpoints;
use crate::debugger::RunPosition;
use emulator::machine::{Footprint, ObservedRun};

/// The fewest instructions of warps between two checkpoints.
const SPACING: u64 = 4096;
/// At a distance from the position, checkpoints are this part of it apart, or a larger one if they take too much memory.
const PART: u64 = 8;
/// The bytes that may be copied for each instruction of a warp when the run goes forward; that takes less time than the instruction.
const BYTES_PER_STEP: u64 = 2048;
/// The most bytes that all checkpoints take.
const MOST_BYTES: usize = 256 << 20;

/// A copy of the run.
#[derive(Debug)]
pub struct Checkpoint<'p> {
    /// How far it is.
    pub position: RunPosition,
    /// The breakpoints that count their hits, with the hits until then.
    pub counted: Breakpoints,
    /// The bytes that it took, before it was copied.
    pub footprint: Footprint,
    /// The run.
    pub run: ObservedRun<'p>,
}

/// The copies of a run, by their steps.
#[derive(Debug)]
pub struct Checkpoints<'p> {
    /// With the bytes that each takes beside those before it.
    kept: Vec<(Checkpoint<'p>, usize)>,
    /// How far apart they are near the position.
    spacing: u64,
    /// They are this part of their distance from the position apart.
    part: u64,
    /// The bytes that were copied for the last one.
    copied: usize,
}

impl Default for Checkpoints<'_> {
    fn default() -> Self {
        Self { kept: Vec::new(), spacing: SPACING, part: PART, copied: 0 }
    }
}

impl<'p> Checkpoints<'p> {
    /// Drops those that were made at a step or later.
    pub fn drop_from(&mut self, step: u64) {
        self.kept.retain(|(one, _)| one.position.step < step);
    }

    /// The last one before an instruction, by its number; those that do not know the hits of today's breakpoints are dropped.
    pub fn before(&mut self, step: u64, breakpoints: &Breakpoints) -> Option<&Checkpoint<'p>> {
        self.kept.retain(|(one, _)| breakpoints.have_hits_in(&one.counted));
        let behind = self.kept.partition_point(|(one, _)| one.position.step < step);
        self.kept.get(behind.checked_sub(1)?).map(|(one, _)| one)
    }

    /// The step of the next one, of a run that is at a step and repeated up to another, or goes forward if that is the same.
    pub fn due(&self, step: u64, goal: u64) -> u64 {
        let least = if goal > step { 0 } else { self.copied as u64 / BYTES_PER_STEP };
        step + self.distance(goal.saturating_sub(step)).max(least)
    }

    /// How far apart they are at a distance from the position.
    fn distance(&self, from_position: u64) -> u64 {
        (from_position / self.part).max(self.spacing)
    }

    /// Adds one, and drops others so that those near a step are close to each other.
    pub fn add(&mut self, one: Checkpoint<'p>, near: u64) {
        let footprint = one.footprint.unshared;
        self.copied = footprint;
        if footprint > MOST_BYTES {
            return;
        }
        let at = self.kept.partition_point(|(known, _)| known.position.step < one.position.step);
        if self.kept.get(at).is_none_or(|(known, _)| known.position.step != one.position.step) {
            self.kept.insert(at, (one, footprint));
        }
        self.thin(near);
        while self.kept.len() > 1 && self.kept.iter().map(|(_, footprint)| footprint).sum::<usize>() > MOST_BYTES {
            // Those far away go first.
            if self.part > 1 {
                self.part /= 2;
            } else {
                self.spacing *= 2;
            }
            self.thin(near);
        }
    }

    /// Drops those that are closer to each other than they have to be.
    fn thin(&mut self, near: u64) {
        let mut kept: Vec<(Checkpoint, usize)> = Vec::new();
        for (one, bytes) in std::mem::take(&mut self.kept).into_iter().rev() {
            let step = one.position.step;
            match kept.last_mut() {
                Some((later, of_later)) if 2 * (later.position.step - step) < self.distance(near.abs_diff(step)) => {
                    // What the two shared is kept.
                    *of_later = (*of_later + bytes).min(later.footprint.all);
                }
                _ => kept.push((one, bytes)),
            }
        }
        kept.reverse();
        self.kept = kept;
    }
}
