//! An earlier kernel that this one can overlap, as with programmatic dependent launch: what it does to memory happens before the accesses that are after
//! `griddepcontrol.wait`.

use crate::clock::{Agent, Clock};
use crate::dependent_launch::DependentLaunch;
use crate::kernel_use::EarlierUse;
use crate::kernel_use::{KernelUse, OverlapEnd, OverlappedAccess, OverlappedKernel, UsedRow};
use crate::shadow::row::{ALL_BYTES, LaneOrder, ROW, RowAccess};
use crate::shadow::shadow_access::{ShadowAccess, WORD};
use crate::shadow::shadow_memory::{Shadow, TouchedRow};
use crate::summary::access_summaries::AccessSummaries;
use crate::{CheckedAccess, Races};
use program::memory::location::RacedMemory;
use program::problem::MachineAccessKind;

/// The epoch of all accesses of the earlier kernel.
const EPOCH: u32 = 1;
/// That of kernels whose end nobody can wait for.
const NEVER: u32 = 2;

/// Reads by the earlier kernel of all words of a row.
const EARLIER: RowAccess = RowAccess {
    warp: Agent::EARLIER_KERNEL.warp,
    epoch: EPOCH,
    instruction: 0,
    words: u32::MAX,
    kind: MachineAccessKind::Read,
    size: WORD as u8,
    first_lane: Agent::EARLIER_KERNEL.lane as u8,
    order: LaneOrder::Ascending,
    // One lane has them all.
    lane_words_log: ROW.ilog2() as u8,
};

/// What is known of the kernels before and after this one.
#[derive(Clone, Debug, Default)]
pub struct AdjacentKernels {
    /// What the CTAs have done to begin the next kernel, or to wait for the one before.
    pub dependent_launch: DependentLaunch,
    /// Whether an earlier kernel that may still run has strong accesses.
    pub has_strong: bool,
    /// Whether the kernel may synchronize with an earlier one by them: what races with that one is not known from then on.
    pub may_synchronize: bool,
}

impl Races {
    /// What the CTAs have done so far.
    pub const fn dependent_launch(&self) -> &DependentLaunch {
        &self.kernels.dependent_launch
    }

    /// A thread waits until the earlier kernel has ended and what it has written can be read.
    pub fn wait_for_earlier_kernel(&mut self, agent: Agent) {
        self.kernels.dependent_launch.wait(self.position(agent).cta);
        self.know_earlier_kernel(agent);
    }

    /// A thread lets the next kernel begin.
    pub fn launch_dependents(&mut self, agent: Agent) {
        let slot = self.position(agent).cta;
        self.kernels.dependent_launch.launch(slot);
    }

    /// The earlier kernel uses all bytes of an allocation that this one has not accessed yet.
    pub fn use_earlier(&mut self, allocation: usize, usage: EarlierUse) {
        let kind = match usage {
            EarlierUse::None => return,
            EarlierUse::Reads => MachineAccessKind::Read,
            EarlierUse::Writes => MachineAccessKind::Write,
        };
        let access = RowAccess { kind, ..EARLIER };
        *Self::shadow(&mut self.global, &mut self.shared, RacedMemory::Global(allocation)) =
            Shadow::accessed_before(access);
    }

    /// An earlier kernel that may still run has accessed some words.
    pub fn overlap(&mut self, kernel: &OverlappedKernel) {
        let epoch = match kernel.end {
            OverlapEnd::Wait => EPOCH,
            OverlapEnd::Never => NEVER,
        };
        for (allocation, row, used) in kernel.usage.rows() {
            let shadow = Self::shadow(&mut self.global, &mut self.shared, RacedMemory::Global(allocation));
            for (words, kind) in [(used.read, MachineAccessKind::Read), (used.written, MachineAccessKind::Write)] {
                if words != 0 {
                    shadow.begin_row(row, RowAccess { epoch, words, kind, ..EARLIER });
                }
            }
        }
        for (allocation, word, OverlappedAccess { bytes, size, kind, scope }) in kernel.usage.words() {
            self.kernels.has_strong |= scope.is_some();
            let access = ShadowAccess { bytes, size, scope, ..RowAccess { epoch, kind, ..EARLIER }.in_word(0) };
            Self::shadow(&mut self.global, &mut self.shared, RacedMemory::Global(allocation)).begin_word(word, access);
        }
    }

    /// The rows of global memory in which words were accessed, with their allocations.
    pub fn touched_rows(&self) -> impl Iterator<Item = (usize, TouchedRow)> {
        let summaries = self.summaries().into_iter().flat_map(AccessSummaries::rows);
        let summarized = summaries.map(|(at, row, words)| {
            (at, TouchedRow { row, accessed: words.all(), written: words.written | words.strong })
        });
        self.recorded_rows().chain(summarized)
    }

    /// The rows with records.
    fn recorded_rows(&self) -> impl Iterator<Item = (usize, TouchedRow)> {
        self.global.iter().enumerate().flat_map(|(at, shadow)| shadow.rows().map(move |row| (at, row)))
    }

    /// Adds what was done to global memory, at the end of an execution.
    pub fn add_use(&self, usage: &mut KernelUse) {
        usage.ends_without_wait |= !self.dependent_launch().has_waited;
        usage.launches_early |= !self.dependent_launch().has_waited_first;
        for (allocation, TouchedRow { row, accessed, written }) in self.recorded_rows() {
            let mut apart = 0;
            for (at, word) in self.global[allocation].row_words(row).iter().enumerate() {
                let own = || word.accesses().filter(|one| !one.is_of_earlier_kernel());
                if own().all(|one| one.bytes == ALL_BYTES && one.scope.is_none()) {
                    continue;
                }
                apart |= 1 << at;
                for &ShadowAccess { bytes, size, kind, scope, .. } in own() {
                    usage.add_word(allocation, row * ROW + at, OverlappedAccess { bytes, size, kind, scope });
                }
            }
            usage.add_row(allocation, row, UsedRow { read: accessed & !written & !apart, written: written & !apart });
        }
    }

    /// A strong access; those of an earlier kernel that nothing orders are noted.
    pub fn note_unordered_kernels(&mut self, access: &CheckedAccess, known: &Clock) {
        let RacedMemory::Global(allocation) = access.region else { return };
        let Some(shadow) = self.global.get(allocation) else { return };
        let writes = access.kind != MachineAccessKind::Read;
        let is_unordered = |earlier: &ShadowAccess| {
            let is_strong = earlier.is_of_earlier_kernel() && earlier.scope.is_some();
            is_strong && (writes || earlier.writes()) && !known.has_epoch(Agent::EARLIER_KERNEL, earlier.epoch)
        };
        let of_word = |word: usize| shadow.row_words(word / ROW).get(word % ROW);
        if access.words().filter_map(of_word).any(|word| word.accesses().any(is_unordered)) {
            self.log.unordered_kernels.insert(access.place);
            self.kernels.may_synchronize = true;
        }
    }

    /// A kernel before this one has changed what can be a tensor map, and has ended.
    pub fn note_changed_maps(&mut self) {
        self.fences_used.has_changed_maps = true;
    }

    /// Whether a thread knows of an acquire in its CTA, after the kernels before this one, of the tensor map at an offset of an allocation.
    pub fn has_acquired_map(&mut self, agent: Agent, map: (usize, usize)) -> bool {
        let known = self.warp(agent.warp).known(agent.lane as usize).clone();
        self.acquired_maps.knows_acquire(map, self.numbers.position(agent.warp).cta, &known)
    }

    /// The earlier kernel has ended before what a thread does next.
    pub fn know_earlier_kernel(&mut self, agent: Agent) {
        self.warp(agent.warp).thread(agent.lane as usize).known.raise(Agent::EARLIER_KERNEL, EPOCH);
    }
}

/// Whether an earlier access is of a kernel whose end nobody can wait for.
pub fn is_never_over(earlier: &ShadowAccess) -> bool {
    earlier.is_of_earlier_kernel() && earlier.epoch == NEVER
}
