//! Checks an access against the earlier ones to its words: how they are related, with all that a run knows of both, and why they race.

use crate::acquired_maps::AcquiredMaps;
use crate::checked_access::{CheckedAccess, RacingAccess};
use crate::clock::{Agent, Clock};
use crate::earlier_kernel::is_never_over;
use crate::messages::observed_writes::ObservedWrites;
use crate::proxies::{EarlierWriter, is_fenced, is_finished, is_unseen};
use crate::relation::{RaceRelation, conflicts, is_before, is_doubtful, observes, relation};
use crate::release::ScopePosition;
use crate::rules::OrderRule;
use crate::shadow::shadow_access::ShadowAccess;
use crate::shadow::word::KeptAccesses;
use crate::{Races, WarpNumbers};
use program::memory::location::RacedMemory;
use program::problem::{CodePlace, MachineAccessKind};
use program::proxy::{AccessProxy, EarlierAgent, FencedMemory, RaceCause};

/// An access that is compared with earlier ones.
struct AccessComparison<'r> {
    access: &'r CheckedAccess,
    agent: Agent,
    epoch: u32,
    /// What happens before it.
    known: &'r Clock,
    position: ScopePosition,
    numbers: WarpNumbers,
    keeps_history: bool,
    without: Option<OrderRule>,
    volatile: &'r [bool],
    surface_stores: &'r [bool],
    acquired_maps: &'r AcquiredMaps,
    observed: &'r mut ObservedWrites,
}

impl AccessComparison<'_> {
    /// How an earlier access to a word is related to the new one. `read` is the last strong read of the word by the agent.
    fn relation(
        &mut self,
        word: usize,
        new: &ShadowAccess,
        earlier: &ShadowAccess,
        read: Option<&ShadowAccess>,
    ) -> RaceRelation {
        match relation(earlier, new, self.known, self.numbers, self.position) {
            RaceRelation::Ordered if self.keeps_earlier(word, new) && !earlier.is_observed_with(new) => {
                RaceRelation::Compatible
            }
            RaceRelation::Race if self.is_observed(word, earlier, read) || self.is_finished(earlier) => {
                RaceRelation::Ordered
            }
            RaceRelation::Race if self.would_be_strong(new, earlier) => RaceRelation::Compatible,
            RaceRelation::Compatible if self.is_doubtful(new, earlier) => RaceRelation::Unordered,
            RaceRelation::Ordered if self.is_unseen(word, earlier) => RaceRelation::Race,
            relation => relation,
        }
    }

    /// Whether who observes the new access is after it, but not after what happens before it.
    fn keeps_earlier(&self, word: usize, new: &ShadowAccess) -> bool {
        let is_observable = new.writes_strongly() && self.without != Some(OrderRule::Observation);
        is_observable && self.observed.follows((self.access.region, new.offset(word)))
    }

    fn is_observed(&mut self, word: usize, earlier: &ShadowAccess, read: Option<&ShadowAccess>) -> bool {
        // The copies of a thread share an agent, and none observes what another one has written.
        let is_of_copies = earlier.warp == self.agent.warp && earlier.agent() != earlier.agent().thread();
        let is_left_out = self.without == Some(OrderRule::Observation);
        if earlier.scope.is_none() || !earlier.writes() || is_of_copies || is_left_out {
            return false;
        }
        if self.keeps_history {
            return self.observed.is_before((self.access.region, word), earlier, (self.agent, self.known));
        }
        read.is_some_and(|read| observes(read, earlier, self.numbers))
    }

    /// Whether an earlier access is over when a copy begins, which need not see what that has written. A store to shared memory comes after a copy there
    /// that is over, too: of its bytes there is one place.
    fn is_finished(&self, earlier: &ShadowAccess) -> bool {
        let is_copy = self.agent != self.agent.thread();
        let is_write = self.access.kind == MachineAccessKind::Write;
        let overwrites = match self.access.proxy {
            AccessProxy::Async => is_copy && is_write,
            AccessProxy::Generic => {
                is_write && earlier.writes() && matches!(self.access.region, RacedMemory::Shared(_))
            }
            _ => false,
        };
        (overwrites || is_copy && !earlier.writes()) && is_finished(earlier, self.known)
    }

    /// Whether both are strong, and the rule is left out that they must be in each other's scope.
    fn would_be_strong(&self, new: &ShadowAccess, earlier: &ShadowAccess) -> bool {
        let are_strong = earlier.scope.and(new.scope).is_some();
        self.without == Some(OrderRule::RaceScopes) && earlier.size == new.size && are_strong
    }

    fn is_doubtful(&self, new: &ShadowAccess, earlier: &ShadowAccess) -> bool {
        let is_volatile = |instruction: u32| self.volatile.get(instruction as usize).is_some_and(|volatile| *volatile);
        is_doubtful([earlier, new], is_volatile) && conflicts(earlier, new, self.known)
    }

    fn is_unseen(&self, word: usize, earlier: &ShadowAccess) -> bool {
        self.without != Some(OrderRule::ProxyFences)
            && is_unseen(
                (self.access.proxy, self.writer(earlier)),
                earlier,
                (self.access.region, word),
                (self.known, self.position.cta, self.acquired_maps),
            )
    }

    fn writer(&self, earlier: &ShadowAccess) -> EarlierWriter {
        match self.surface_stores.get(earlier.instruction as usize) {
            Some(true) if self.numbers.position(earlier.warp).cta == self.position.cta => EarlierWriter::OwnSurface,
            Some(true) => EarlierWriter::OtherSurface,
            _ => EarlierWriter::Other,
        }
    }

    /// Why the new access races with an earlier one.
    fn cause(&self, earlier: &ShadowAccess) -> RaceCause {
        let (agent, epoch) = (self.agent, self.epoch);
        let new = ShadowAccess { warp: agent.warp, lanes: 1 << agent.lane, epoch, ..*earlier };
        let is_before = is_before(earlier, &new, self.known);
        let is_released = |earlier: &ShadowAccess| {
            let is_own = earlier.agent().thread() == self.agent;
            is_own || is_fenced(earlier, FencedMemory::ReleasedTensorMap, self.known)
        };
        match self.access.proxy {
            AccessProxy::TensorMap if !is_before => RaceCause::UnorderedTensorMap,
            _ if !is_before => RaceCause::NotOrdered,
            _ if self.writer(earlier) != EarlierWriter::Other => RaceCause::ImageProxy,
            AccessProxy::NonCoherent => RaceCause::NonCoherentRead,
            AccessProxy::TensorMap if is_released(earlier) => RaceCause::NoTensorMapFence,
            AccessProxy::TensorMap => RaceCause::NoTensorMapRelease,
            AccessProxy::Texture | AccessProxy::Surface => RaceCause::ImageProxy,
            AccessProxy::Generic | AccessProxy::Async => RaceCause::NoProxyFence,
        }
    }
}

impl Races {
    /// Checks an access of an agent with an epoch, and remembers it.
    pub fn checked(&mut self, agent: Agent, epoch: u32, known: &Clock, access: &CheckedAccess) -> Option<RacingAccess> {
        let in_shared = self.known_for(access.region, known);
        let known = in_shared.as_ref().unwrap_or(known);
        if self.kernels.has_strong && access.scope.is_some() {
            self.note_unordered_kernels(access, known);
        }
        self.strong_accesses = self.strong_accesses.wrapping_add(u32::from(access.scope.is_some()));
        if access.kind != MachineAccessKind::Read {
            Self::note_write(&mut self.used.written, access.region);
        }
        let numbers = self.numbers;
        let counted = (
            self.program.first_instructions[access.place.function as usize] + access.place.instruction,
            self.strong_accesses,
        );
        let most = if self.history.is_some() { KeptAccesses::All } else { KeptAccesses::Last };
        let mut comparison = AccessComparison {
            access,
            agent,
            epoch,
            known,
            position: self.position(agent),
            numbers,
            keeps_history: self.history.is_some(),
            without: self.without,
            volatile: &self.program.volatile,
            surface_stores: &self.program.surface_stores,
            acquired_maps: &self.acquired_maps,
            observed: &mut self.observed,
        };
        let is_plain_rule = comparison.volatile.is_empty() && comparison.without.is_none();
        let shadow = Self::shadow(&mut self.global, &mut self.shared, access.region);
        let mut race: Option<(ShadowAccess, RaceRelation)> = None;
        for word in access.words() {
            let new = access.in_word(word, agent, epoch, counted);
            let is_simple = new.scope.is_some() && is_plain_rule;
            if is_simple && shadow.add_strong(word, new, most, numbers.widest()) {
                continue;
            }
            let is_before = |earlier: &ShadowAccess| is_before(earlier, &new, known);
            let relation =
                |earlier: &ShadowAccess, read: Option<&ShadowAccess>| comparison.relation(word, &new, earlier, read);
            let found = shadow.access(word, (new, most), is_before, relation);
            let is_worse = |found: &RaceRelation| race.is_none_or(|(_, known)| *found > known);
            race = found.filter(|(_, found)| is_worse(found)).or(race);
        }
        let is_unknown = self.kernels.may_synchronize;
        let (earlier, relation) = race.filter(|(earlier, _)| !is_unknown || !earlier.is_of_earlier_kernel())?;
        let cause = comparison.cause(&earlier);
        Some(self.racing(&earlier, agent, relation, cause))
    }

    /// The earlier access of a race with an access of an agent.
    pub fn racing(
        &self,
        earlier: &ShadowAccess,
        agent: Agent,
        relation: RaceRelation,
        cause: RaceCause,
    ) -> RacingAccess {
        let own = if earlier.warp == agent.warp { 1 << agent.lane } else { 0 };
        // Copies of one thread can race with each other.
        let others = Some(earlier.lanes & !own).filter(|others| *others != 0).unwrap_or(earlier.lanes);
        let other = ShadowAccess { lanes: others, ..*earlier }.agent();
        let cause = match earlier.is_of_earlier_kernel() {
            true if is_never_over(earlier) => RaceCause::KernelBeforeEarlier,
            true => RaceCause::EarlierKernel,
            false => cause,
        };
        let function = self.program.first_instructions.partition_point(|first| *first <= earlier.instruction) - 1;
        let place = CodePlace {
            function: function as u32,
            instruction: earlier.instruction - self.program.first_instructions[function],
        };
        let is_own = !earlier.is_of_earlier_kernel() && self.owner(other) == self.owner(agent);
        let by = match (other.is_thread(), agent.is_thread()) {
            _ if !is_own => EarlierAgent::AnotherThread,
            (true, _) => EarlierAgent::Issuer,
            (false, true) => EarlierAgent::OwnOperation,
            (false, false) => EarlierAgent::OperationOfIssuer,
        };
        let (thread, kind, scope) = (self.owner(other), earlier.kind, earlier.scope);
        RacingAccess { thread, by, place, kind, scope, relation, cause }
    }
}
