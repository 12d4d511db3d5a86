//! Checks of accesses against those before them.

use crate::machine::ordering::Races;
use crate::machine::ordering::checked_access::{CheckedAccess, RacingAccess};
use crate::machine::ordering::clock::{Agent, Clock};
use crate::machine::ordering::shadow::shadow_memory::Shadow;
use crate::machine::program::proxy::AccessProxy;

impl Races {
    /// All threads of a warp have ended.
    pub fn end_warp(&mut self, warp: u32) {
        self.record_end(warp);
        if let Some(ended) = self.warps.get_mut(warp as usize) {
            *ended = None;
        }
    }

    /// Checks an access of a thread; returns an earlier access that it races with, or that it is not ordered to.
    pub fn access(&mut self, agent: Agent, access: &CheckedAccess) -> Option<RacingAccess> {
        let (offsets, lane) = ([access.offset; 32], 1 << agent.lane);
        if access.is_plain_read() && self.note_reads(agent.warp, access, &offsets, lane) == 0 {
            return None;
        }
        self.access_now(agent, access)
    }

    /// The same of an access that is not noted for later.
    pub fn access_now(&mut self, agent: Agent, access: &CheckedAccess) -> Option<RacingAccess> {
        self.note_words(access, access.bytes);
        let epoch = self.warp(agent.warp).epoch;
        let shadow = Self::shadow(&mut self.global, &mut self.shared, access.region);
        shadow.flush_words(&access.words());
        let is_repeated = |word| shadow.is_repeated(word, &access.in_word(word, agent, epoch, (0, 0)));
        // A read through another proxy may repeat an ordinary one, which sees what it does not.
        let is_plain = matches!(access.proxy, AccessProxy::Generic | AccessProxy::Async);
        if is_plain && self.program.surface_stores.is_empty() && access.words().all(is_repeated) {
            return None;
        }
        // Shared, not copied.
        let known = std::mem::take(&mut self.warp(agent.warp).thread(agent.lane as usize).known);
        let race = self.checked(agent, epoch, &known, access);
        self.warp(agent.warp).thread(agent.lane as usize).known = known;
        race
    }

    /// Checks an access of a thread to an mbarrier.
    pub fn access_mbarrier(&mut self, agent: Agent, access: &CheckedAccess) -> Option<RacingAccess> {
        if !self.fences_used.has_initialization {
            return self.access(agent, access);
        }
        let epoch = self.warp(agent.warp).epoch;
        let known = self.known(agent);
        self.access_mbarrier_knowing((agent, epoch), &known, access)
    }

    /// The same of an agent with an epoch, before which happens what a clock says: fences may have ordered the initialization alone.
    pub fn access_mbarrier_knowing(
        &mut self,
        (agent, epoch): (Agent, u32),
        known: &Clock,
        access: &CheckedAccess,
    ) -> Option<RacingAccess> {
        let of_mbarriers = self.fences_used.has_initialization.then(|| known.for_mbarriers());
        self.access_knowing(agent, epoch, of_mbarriers.as_ref().unwrap_or(known), access)
    }

    /// Checks an access of an agent with an epoch, before which happens what a clock says.
    pub fn access_knowing(
        &mut self,
        agent: Agent,
        epoch: u32,
        known: &Clock,
        access: &CheckedAccess,
    ) -> Option<RacingAccess> {
        self.note_words(access, access.bytes);
        self.checked(agent, epoch, known, access)
    }

    /// The shared memory of a CTA is gone.
    pub fn end_cta(&mut self, slot: usize) {
        if let Some(shadow) = self.shared.get_mut(slot) {
            *shadow = Shadow::default();
        }
        self.end_tensor_memory(slot);
        self.kernels.dependent_launch.end_cta(slot as u32);
    }
}
