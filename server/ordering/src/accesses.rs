//! Checks of accesses against those before them.

use crate::Races;
use crate::checked_access::{CheckedAccess, RacingAccess};
use crate::clock::{Agent, Clock};
use crate::shadow::commutative_words;
use crate::shadow::shadow_memory::Shadow;
use crate::shadow::warp_reads;
use crate::summary::warp_accesses;
use crate::summary::warp_accesses::RaceRecords;
use crate::tensor_memory::operations;
use program::proxy::AccessProxy;

/// All threads of a warp have ended.
pub fn end_warp(races: &mut Races, warp: u32) {
    races.record_end(warp);
    if let Some(ended) = races.warps.get_mut(warp as usize) {
        *ended = None;
    }
}

/// Checks an access of a thread; returns an earlier access that it races with, or that it is not ordered to.
pub fn access(races: &mut Races, agent: Agent, access: &CheckedAccess) -> Option<RacingAccess> {
    let (offsets, lane) = ([access.offset; 32], 1 << agent.lane);
    if !races.keeps_all() {
        warp_accesses::note_lanes(races, agent.warp, access, &offsets, lane);
        return None;
    }
    if access.is_plain_read() && warp_reads::note_reads(races, agent.warp, access, &offsets, lane) == 0 {
        return None;
    }
    access_now(races, agent, access)
}

/// The same of an access that is not noted for later.
pub fn access_now(races: &mut Races, agent: Agent, access: &CheckedAccess) -> Option<RacingAccess> {
    commutative_words::note_words(races, access, access.bytes);
    let epoch = races.warp(agent.warp).epoch;
    let shadow = Races::shadow(&mut races.global, &mut races.shared, access.region);
    shadow.flush_words(&access.words());
    let is_repeated = |word| shadow.is_repeated(word, &access.in_word(word, agent, epoch, (0, 0)));
    // A read through another proxy may repeat an ordinary one, which sees what it does not.
    let is_plain = matches!(access.proxy, AccessProxy::Generic | AccessProxy::Async);
    if is_plain && races.program.surface_stores.is_empty() && access.words().all(is_repeated) {
        return None;
    }
    // Shared, not copied.
    let known = std::mem::take(&mut races.warp(agent.warp).thread(agent.lane as usize).known);
    let race = races.checked(agent, epoch, &known, access);
    races.warp(agent.warp).thread(agent.lane as usize).known = known;
    race
}

/// Checks an access of a thread to an mbarrier.
pub fn access_mbarrier(races: &mut Races, agent: Agent, access: &CheckedAccess) -> Option<RacingAccess> {
    if !races.fences_used.has_initialization {
        return self::access(races, agent, access);
    }
    let epoch = races.warp(agent.warp).epoch;
    let known = races.known(agent);
    access_mbarrier_knowing(races, (agent, epoch), &known, access)
}

/// The same of an agent with an epoch, before which happens what a clock says: fences may have ordered the initialization alone.
pub fn access_mbarrier_knowing(
    races: &mut Races,
    (agent, epoch): (Agent, u32),
    known: &Clock,
    access: &CheckedAccess,
) -> Option<RacingAccess> {
    let of_mbarriers = races.fences_used.has_initialization.then(|| known.for_mbarriers());
    access_knowing(races, agent, epoch, of_mbarriers.as_ref().unwrap_or(known), access)
}

/// Checks an access of an agent with an epoch, before which happens what a clock says.
pub fn access_knowing(
    races: &mut Races,
    agent: Agent,
    epoch: u32,
    known: &Clock,
    access: &CheckedAccess,
) -> Option<RacingAccess> {
    commutative_words::note_words(races, access, access.bytes);
    races.checked(agent, epoch, known, access)
}

/// The shared memory of a CTA is gone.
pub fn end_cta(races: &mut Races, slot: usize) {
    if let Some(shadow) = races.shared.get_mut(slot) {
        *shadow = Shadow::default();
    }
    if let RaceRecords::Summaries(summaries) = &mut races.kept {
        summaries.end_cta(slot);
    }
    operations::end_tensor_memory(races, slot);
    races.kernels.dependent_launch.end_cta(slot as u32);
}
