//! Weak accesses of lanes of a warp to consecutive elements, checked row by row instead of word by word.

use crate::clock::Agent;
use crate::relation::{RaceRelation, is_before, observes, relation};
use crate::shadow::commutative_words;
use crate::shadow::row::{LaneOrder, ROW, RowAccess};
use crate::shadow::shadow_access::{ShadowAccess, WORD};
use crate::shadow::word::KeptAccesses;
use crate::{CheckedAccess, Races, RacingAccess};
use program::lanes::lanes_of;
use program::memory::location::RacedMemory;
use program::problem::MachineAccessKind;
use program::proxy::RaceCause;

/// The words of an access in a row, as a mask.
const fn mask(from: usize, to: usize) -> u32 {
    (u32::MAX << from) & (u32::MAX >> (ROW - to))
}

/// Checks the accesses of lanes of a warp that begin at consecutive multiples of their size, a power of two of words; `access` is that of the
/// lane with the lowest address. Returns the lanes that race, with the earlier access.
pub fn access_together(
    races: &mut Races,
    warp: u32,
    (lanes, order): (u32, LaneOrder),
    access: &CheckedAccess,
) -> Vec<(usize, RacingAccess)> {
    let lane_words = access.bytes / WORD;
    let first_lane = lanes.trailing_zeros() as usize;
    let last_lane = 31 - lanes.leading_zeros() as usize;
    let start = access.offset / WORD;
    let end = start + (last_lane + 1 - first_lane) * lane_words;
    commutative_words::note_words(races, access, (end - start) * WORD);
    let epoch = races.warp(warp).epoch;
    let instruction = races.program.first_instructions[access.place.function as usize] + access.place.instruction;
    if access.kind != MachineAccessKind::Read {
        Races::note_write(&mut races.used.written, access.region);
    }
    let mut racing = Vec::new();
    for row in start / ROW..end.div_ceil(ROW) {
        let (from, to) = (start.max(row * ROW), end.min((row + 1) * ROW));
        // The row may begin before the first lane.
        let words_before = (row * ROW) as isize - start as isize;
        let lanes_before = words_before.div_euclid(lane_words as isize);
        let lane_of_row = match order {
            LaneOrder::Ascending => first_lane as isize + lanes_before,
            LaneOrder::Descending => last_lane as isize - lanes_before,
        };
        let mut new = RowAccess {
            warp,
            epoch,
            instruction,
            words: mask(from - row * ROW, to - row * ROW),
            kind: access.kind,
            size: access.element as u8,
            first_lane: lane_of_row.rem_euclid(32) as u8,
            order,
            lane_words_log: lane_words.trailing_zeros() as u8,
        };
        if lanes != u32::MAX {
            let inactive = lanes_of(new.words).filter(|word| lanes >> new.lane(*word) & 1 == 0);
            new.words &= !inactive.fold(0, |words, word| words | 1 << word);
        }
        access_row(races, row, &new, access, &mut racing);
    }
    racing
}

fn access_row(
    races: &mut Races,
    row: usize,
    new: &RowAccess,
    access: &CheckedAccess,
    racing: &mut Vec<(usize, RacingAccess)>,
) {
    let has_more = races.fences_used.has_restricted && matches!(access.region, RacedMemory::Shared(_));
    let shadow = Races::shadow(&mut races.global, &mut races.shared, access.region);
    let Some(Some(warp)) = races.warps.get(new.warp as usize) else { return };
    if !shadow.add_to_row(row, new, warp) {
        let numbers = races.numbers;
        let position = numbers.position(new.warp);
        let mut found = Vec::new();
        for word in lanes_of(new.words) {
            let (one, lane) = (new.in_word(word), new.lane(word));
            let in_shared = has_more.then(|| warp.known(lane).for_shared_memory());
            let known = in_shared.as_ref().unwrap_or_else(|| warp.known(lane));
            let at = row * ROW + word;
            if shadow.is_repeated(at, &one) {
                continue;
            }
            let is_before = |earlier: &ShadowAccess| is_before(earlier, &one, known);
            let race = shadow.access(at, (one, KeptAccesses::Last), is_before, |earlier, read| {
                match relation(earlier, &one, known, numbers, position) {
                    RaceRelation::Race
                        if earlier.writes() && read.is_some_and(|read| observes(read, earlier, numbers)) =>
                    {
                        RaceRelation::Ordered
                    }
                    relation => relation,
                }
            });
            found.extend(race.map(|earlier| (lane, earlier)));
        }
        if new.kind == MachineAccessKind::Write && new.words == u32::MAX {
            shadow.overwrite_row(row, new);
        }
        for (lane, earlier) in found {
            if racing.last().is_none_or(|(last, _)| *last != lane) {
                let agent = Agent { warp: new.warp, lane: lane as u32 };
                racing.push((lane, races.racing(&earlier.0, agent, earlier.1, RaceCause::NotOrdered)));
            }
        }
    }
    if new.kind == MachineAccessKind::Write {
        prune_released(races, row, new.words, access);
    }
}

/// Weak writes: nobody synchronizes with the earlier ones through them.
fn prune_released(races: &mut Races, row: usize, words: u32, access: &CheckedAccess) {
    let shadow = Races::shadow(&mut races.global, &mut races.shared, access.region);
    if races.last_writes.is_empty() || !shadow.has_released(row, words) {
        return;
    }
    for word in lanes_of(words) {
        races.overwrite(access.region, (row * ROW + word) * WORD, WORD);
    }
}
