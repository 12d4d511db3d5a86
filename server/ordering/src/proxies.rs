//! Proxies: bulk copies access memory through the async proxy, which sees what was written through the generic one after a proxy fence only.
//!
//! A clock knows for each warp which of its accesses happen before, and in entries of their own which of these a proxy fence follows. So what a fence has
//! done is handed on as everything else that a thread knows. Non-coherent reads and those of textures see no write of the kernel, whatever orders them.

use crate::Races;
use crate::acquired_maps::{AcquiredMaps, MapAcquirer};
use crate::clock::{Agent, Clock};
use crate::shadow::shadow_access::ShadowAccess;
use program::lanes::lanes_of;
use program::machine_program::{MachineInstruction, MachineProgram};
use program::memory::image::ImageAction;
use program::memory::location::RacedMemory;
use program::proxy::{AccessProxy, FencedMemory};

const fn fenced_memory(region: RacedMemory) -> FencedMemory {
    match region {
        RacedMemory::Global(_) => FencedMemory::Global,
        RacedMemory::Shared(_) => FencedMemory::Shared,
    }
}

/// Which instructions of a program are stores to surfaces, counted through all functions; empty if there are none.
pub fn surface_stores(program: &MachineProgram) -> Vec<bool> {
    let is_store = |instruction: &MachineInstruction| {
        let image = instruction.action.memory().image();
        image.is_some_and(|image| matches!(image.action, ImageAction::Store(..)))
    };
    let stores: Vec<bool> = program.instructions().map(is_store).collect();
    if stores.contains(&true) { stores } else { Vec::new() }
}

impl Races {
    /// Whether an access is a store to a surface.
    pub fn is_surface_store(&self, access: &ShadowAccess) -> bool {
        self.program.surface_stores.get(access.instruction as usize) == Some(&true)
    }

    /// A proxy fence of some lanes of a warp. It begins a new epoch.
    pub fn fence_proxy(&mut self, warp: u32, lanes: impl Iterator<Item = usize>, memory: FencedMemory) {
        self.fences_used.has_proxies = true;
        let restricted = self.fences_used.has_restricted;
        let clocks = self.warp(warp);
        let epoch = clocks.epoch;
        for lane in lanes {
            let thread = clocks.thread(lane);
            let agent = Agent { warp, lane: lane as u32 };
            let now = thread.now(epoch).clock(agent);
            for kind in memory.kinds() {
                let in_shared = (restricted && *kind == FencedMemory::Shared).then(|| now.for_shared_memory());
                thread.known.join(&in_shared.as_ref().unwrap_or(&now).fenced(*kind));
            }
        }
        clocks.epoch += 1;
    }

    /// A thread acquires the tensor map at an offset of an allocation.
    pub fn acquire_map(&mut self, agent: Agent, map: (usize, usize)) {
        self.fences_used.has_proxies = true;
        let epoch = self.warp(agent.warp).epoch;
        let mut known = std::mem::take(&mut self.warp(agent.warp).thread(agent.lane as usize).known);
        let (cta, follows_changes) = (self.numbers.position(agent.warp).cta, self.fences_used.has_changed_maps);
        let acquirer = MapAcquirer { thread: agent, epoch, cta, follows_changes };
        self.acquired_maps.acquire(map, acquirer, self.global.get(map.0), &mut known);
        let clocks = self.warp(agent.warp);
        clocks.thread(agent.lane as usize).known = known;
        clocks.epoch += 1;
    }
}

impl Races {
    /// What happens before an access to a region, if that is more than a clock says: a fence may have ordered accesses to shared memory only.
    pub fn known_for(&self, region: RacedMemory, known: &Clock) -> Option<Clock> {
        let is_more = self.fences_used.has_restricted && matches!(region, RacedMemory::Shared(_));
        is_more.then(|| known.for_shared_memory())
    }
}

/// What wrote earlier, for an access that happens after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierWriter {
    /// An instruction that is no store to a surface.
    Other,
    /// A store to a surface of the same CTA.
    OwnSurface,
    /// A store to a surface of another CTA.
    OtherSurface,
}

/// Whether a new access of a CTA through a proxy does not see an earlier one, although that happens before.
///
/// There is no fence between textures or surfaces and other memory within a kernel; accesses through the proxy of surfaces see those of their CTA.
pub fn is_unseen(
    (proxy, writer): (AccessProxy, EarlierWriter),
    earlier: &ShadowAccess,
    (region, word): (RacedMemory, usize),
    (known, cta, acquired): (&Clock, u32, &AcquiredMaps),
) -> bool {
    let is_own_write = earlier.writes() && !earlier.is_of_earlier_kernel();
    match proxy {
        AccessProxy::Generic => writer != EarlierWriter::Other && earlier.writes(),
        AccessProxy::TensorMap => is_own_write && !acquired.is_acquired(earlier, (region, word), (cta, known)),
        AccessProxy::Async => writer != EarlierWriter::Other && earlier.writes() || is_unfenced(earlier, region, known),
        AccessProxy::NonCoherent | AccessProxy::Texture => is_own_write,
        AccessProxy::Surface => is_own_write && writer != EarlierWriter::OwnSurface,
    }
}

/// Whether an earlier access that happens before a new one through the async proxy is a write without a proxy fence between them.
fn is_unfenced(earlier: &ShadowAccess, region: RacedMemory, known: &Clock) -> bool {
    earlier.writes() && needs_fence(earlier) && !is_fenced_for_copies(earlier, fenced_memory(region), known)
}

/// Whether an access is through the generic proxy: those of threads, and the writes of `cp.async`.
pub fn needs_fence(access: &ShadowAccess) -> bool {
    let agent = access.agent();
    agent == agent.thread() || agent.fenced_copies().is_some()
}

/// Whether a clock knows of a fence to the async proxy after an access through the generic one.
pub fn is_fenced_for_copies(earlier: &ShadowAccess, memory: FencedMemory, known: &Clock) -> bool {
    let agent = earlier.agent();
    let fenced = agent.fenced_copies().unwrap_or(agent.fenced(memory));
    known.epochs(fenced.warp).is_some_and(|epochs| lanes_of(earlier.lanes).all(|lane| epochs[lane] >= earlier.epoch))
}

/// Whether an earlier access is a read, or of a copy that an mbarrier expected, and is over: a copy that begins later does not change what was read,
/// and comes after that one.
pub fn is_finished(earlier: &ShadowAccess, known: &Clock) -> bool {
    let has_come = |epochs: &[u32; 32]| lanes_of(earlier.lanes).all(|lane| epochs[lane] >= earlier.epoch);
    let agent = earlier.agent();
    let finished = agent.finished().filter(|_| !earlier.writes() || agent.notifier().is_some());
    finished.and_then(|finished| known.epochs(finished.warp)).is_some_and(has_come)
}

/// Whether a clock knows of a proxy fence after an access. A copy counts as an access of its thread, which has begun an epoch with each copy: the
/// number of its group is no larger.
pub fn is_fenced(earlier: &ShadowAccess, memory: FencedMemory, known: &Clock) -> bool {
    let fenced = |epochs: &[u32; 32]| lanes_of(earlier.lanes).all(|lane| epochs[lane] >= earlier.epoch);
    known.epochs(earlier.agent().thread().fenced(memory).warp).is_some_and(fenced)
}
