//! Copies of the run, from which it is repeated: a step back costs the instructions since the last copy, not those since the beginning.
//!
//! Near the position the copies are as close as [`SPACING`] has it; the farther away they are, the farther apart. So a run of any length has
//! few of them, and whoever goes back far gets close ones there, because each repetition leaves new ones.

use crate::breakpoints::Breakpoints;
use crate::debugger::RunPosition;
use machine::ObservedRun;
use ordering::Footprint;

/// The fewest instructions of warps between two checkpoints.
const SPACING: u64 = 4096;
/// The distance of two checkpoints is this part of that from the position, times the growth.
const PART: u64 = 8;
/// The largest growth: it leaves one checkpoint.
const MOST_GROWTH: u64 = 1 << 24;
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
    /// How fast their distances grow: faster if they take too much memory.
    growth: u64,
    /// The bytes that were copied for the last one.
    copied: usize,
}

impl Default for Checkpoints<'_> {
    fn default() -> Self {
        Self { kept: Vec::new(), growth: 1, copied: 0 }
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
        let left = goal.saturating_sub(step);
        let least = if left > 0 { SPACING } else { SPACING.max(self.copied as u64 / BYTES_PER_STEP) };
        step + (left * self.growth / (PART + self.growth)).max(least)
    }

    /// Whether there is room for a copy of a run with a footprint. The next one is due later if the copy is large.
    pub fn have_room(&mut self, footprint: &Footprint) -> bool {
        self.copied = footprint.unshared;
        footprint.unshared <= MOST_BYTES
    }

    /// Adds one, and drops others so that those near a step are close to each other.
    pub fn add(&mut self, one: Checkpoint<'p>, near: u64) {
        let footprint = one.footprint.unshared;
        let at = self.kept.partition_point(|(known, _)| known.position.step < one.position.step);
        if self.kept.get(at).is_none_or(|(known, _)| known.position.step != one.position.step) {
            self.kept.insert(at, (one, footprint));
        }
        self.thin(near);
        let is_too_much = |all: &[(Checkpoint, usize)]| all.iter().map(|(_, bytes)| bytes).sum::<usize>() > MOST_BYTES;
        while self.growth < MOST_GROWTH && is_too_much(&self.kept) {
            self.growth *= 2;
            self.thin(near);
        }
    }

    /// Drops those that are closer to each other than they have to be, and those after the step: the run makes them again.
    fn thin(&mut self, near: u64) {
        let mut kept: Vec<(Checkpoint, usize)> = Vec::new();
        for (one, bytes) in std::mem::take(&mut self.kept).into_iter().rev() {
            let step = one.position.step;
            if step > near {
                continue;
            }
            match kept.last_mut() {
                Some((later, of_later)) if self.are_close(step, later.position.step, near) => {
                    // What the two shared is kept.
                    *of_later = (*of_later + bytes).min(later.footprint.all);
                }
                _ => kept.push((one, bytes)),
            }
        }
        kept.reverse();
        self.kept = kept;
    }

    /// Whether one before another is not needed.
    fn are_close(&self, step: u64, later: u64, near: u64) -> bool {
        2 * (later - step) < SPACING.max((near - later).max(SPACING) * self.growth / PART)
    }
}
