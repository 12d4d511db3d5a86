//! Tells summaries what lanes of a warp access.

use crate::Races;
use crate::checked_access::{CheckedAccess, WriteEffect};
use crate::shadow::commutative_words;
use crate::shadow::warp_reads::AccessOffsets;
use crate::summary::access_summaries::{AccessSummaries, SummaryAccess};
use crate::summary::lane_run::{LaneMap, LaneRun};
use crate::thread::WarpClock;
use isa::types::Scope;
use program::lanes::lanes_of;
use program::memory::location::RacedMemory;
use program::problem::MachineAccessKind;
use program::proxy::AccessProxy;

/// What is kept of the accesses of a run.
#[derive(Clone, Debug, Default)]
pub enum RaceRecords {
    /// All that later ones may race with.
    #[default]
    All,
    /// Summaries.
    Summaries(Box<AccessSummaries>),
    /// Nothing: races are not looked for.
    Nothing,
}

/// What lanes do by the access of one of them; `None` if summaries do not know it.
fn summary_access(access: &CheckedAccess) -> Option<SummaryAccess> {
    let is_read = access.kind == MachineAccessKind::Read;
    match (access.proxy, access.scope) {
        (AccessProxy::Generic, None) if is_read => Some(SummaryAccess::Read),
        (AccessProxy::NonCoherent, None) if is_read => Some(SummaryAccess::ReadUnseen),
        (AccessProxy::Generic, None) => Some(SummaryAccess::Write),
        // The CTA is its cluster.
        (AccessProxy::Generic, Some(scope))
            if scope >= Scope::Gpu || matches!(access.region, RacedMemory::Shared(_)) =>
        {
            Some(SummaryAccess::Strong { size: access.element, is_written: !is_read })
        }
        _ => None,
    }
}

/// Lets summaries know of an access of lanes of a warp, if they are kept.
#[inline]
fn note(
    races: &mut Races,
    warp: u32,
    access: &CheckedAccess,
    add: impl FnOnce(&mut AccessSummaries, (usize, RacedMemory), &WarpClock, SummaryAccess),
) {
    races.warp(warp);
    let (Some(Some(clock)), RaceRecords::Summaries(summaries)) = (races.warps.get(warp as usize), &mut races.kept)
    else {
        return;
    };
    let slot = (warp / races.numbers.of_cta) as usize;
    match summary_access(access) {
        Some(known) => add(summaries, (slot, access.region), clock, known),
        None => summaries.give_up(),
    }
}

/// Lanes access consecutive elements, or all the same one if there is no step between them; `access` is that of the first of them.
#[inline]
pub fn note_range(races: &mut Races, warp: u32, (lanes, step): (u32, isize), access: &CheckedAccess) {
    let (first, last) = (lanes.trailing_zeros() as isize, 31 - lanes.leading_zeros() as isize);
    let start = access.offset as isize;
    let end = start + step * (last - first);
    let bytes = start.min(end) as usize..start.max(end) as usize + access.bytes;
    let map = if step == 0 { LaneMap::UNKNOWN } else { LaneMap::each(start - first * step, step) };
    note(races, warp, access, |summaries, place, clock, known| {
        summaries.access_range(place, &LaneRun { warp, clock, lanes, map }, bytes, known);
    });
}

/// Lanes access elements at offsets; `access` is what they have in common.
pub fn note_lanes(races: &mut Races, warp: u32, access: &CheckedAccess, offsets: &AccessOffsets, lanes: u32) {
    if let WriteEffect::Combines(_) = access.effect {
        for lane in lanes_of(lanes) {
            commutative_words::note_words(races, &CheckedAccess { offset: offsets[lane], ..*access }, access.bytes);
        }
    }
    note(races, warp, access, |summaries, place, clock, known| {
        summaries.access_lanes(place, (warp, clock), (offsets, lanes, access.bytes), known);
    });
}
