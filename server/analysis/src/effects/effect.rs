//! The effects of an instruction on memory and on its order.

use crate::values::{PointedSpace, Provenance, Root};
use isa::types::{Scope, Sem};

/// One effect of an instruction. An instruction may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryEffect {
    /// An access to memory.
    Access(SyncAccess),
    /// `fence` or `membar`, not of a proxy.
    Fence(FenceOrder, Scope),
    /// A fence between proxies.
    ProxyFence(ProxyFence),
    /// `bar.sync`, `bar.red` and `barrier` with `.sync` or `.red`.
    CtaBarrier,
    /// `bar.arrive` and `barrier.arrive`.
    CtaArrive,
    /// `bar.warp.sync`.
    WarpBarrier,
    /// Other operations that a warp executes together: votes, shuffles, `elect.sync`.
    WarpOperation,
    /// `barrier.cluster.arrive` with its order.
    ClusterArrive(Sem),
    /// `barrier.cluster.wait` with its order.
    ClusterWait(Sem),
    /// An operation on the mbarrier at the address in this operand.
    Mbarrier(MbarrierOperation, usize),
    /// `griddepcontrol.wait`
    GridWait,
    /// `griddepcontrol.launch_dependents`
    GridLaunch,
    /// An operation on a group of asynchronous operations.
    Group(CopyGroup),
    /// A call or a broken statement, which may have any effect.
    Unknown,
}

impl MemoryEffect {
    /// Whether it orders the accesses before it towards other threads of the GPU, by itself.
    pub fn releases(&self) -> bool {
        match self {
            MemoryEffect::Fence(order, _) => *order != FenceOrder::Acquire,
            MemoryEffect::ClusterArrive(order) => *order == Sem::Release,
            MemoryEffect::Unknown => true,
            _ => false,
        }
    }
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncAccess {
    /// What it does.
    pub kind: AccessKind,
    /// The proxy that it goes through.
    pub proxy: SyncProxy,
    /// The state space.
    pub space: AddressSpace,
    /// Whether the access may still be pending after its instruction.
    pub asynchronous: bool,
    /// `None` if the access is weak.
    pub order: Option<Sem>,
    /// The scope of an access that is not weak.
    pub scope: Scope,
    /// Whether it is `.volatile`: relaxed, at system scope.
    pub volatile: bool,
    /// The operand with the address; `None` if a descriptor holds it.
    pub operand: Option<usize>,
}

impl SyncAccess {
    /// Whether it is an access to global memory, for a generic address of a parameter by assumption.
    pub fn is_global(&self, address: &Provenance) -> bool {
        match self.space {
            AddressSpace::Global => true,
            AddressSpace::Shared | AddressSpace::SharedCluster => false,
            AddressSpace::Generic => match address.space {
                Some(space) => space == PointedSpace::Global,
                None => matches!(address.root, Root::Parameter(..)),
            },
        }
    }

    /// Whether it is certainly an access to shared memory, at an address if that is known.
    pub fn is_shared(&self, address: Option<&Provenance>) -> bool {
        match self.space {
            AddressSpace::Shared | AddressSpace::SharedCluster => true,
            AddressSpace::Generic => address.is_some_and(|address| address.space == Some(PointedSpace::Shared)),
            AddressSpace::Global => false,
        }
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// Read, modify and write.
    Update,
}

/// The proxy of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncProxy {
    /// The generic proxy.
    Generic,
    /// The asynchronous proxy.
    Async,
    /// `ld.global.nc`
    NonCoherent,
    /// The read of a tensor map by a tensor copy.
    TensorMap,
}

/// The state space of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// No space is written.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory of this CTA.
    Shared,
    /// Shared memory of any CTA of the cluster.
    SharedCluster,
}

/// The order of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceOrder {
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Both, with or without sequential consistency.
    Both,
}

/// A fence between proxies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyFence {
    /// `fence.proxy.async` in any form.
    Async,
    /// `fence.mbarrier_init`
    MbarrierInit,
    /// `fence.proxy.tensormap` and `tensormap.cp_fenceproxy`, with the operand of the tensor map.
    TensorMap(FenceOrder, Option<usize>),
    /// Any other.
    Other,
}

/// An operation on an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierOperation {
    /// `init`
    Init,
    /// `inval`
    Invalidate,
    /// `mbarrier.expect_tx`
    ExpectTx,
    /// `mbarrier.complete_tx`
    CompleteTx,
    /// `mbarrier.arrive` and `mbarrier.arrive_drop`.
    Arrive(Arrival),
    /// An asynchronous arrival or completion: of a bulk copy, of `cp.async.mbarrier.arrive`, of `tcgen05.commit`.
    AsyncArrive,
    /// `mbarrier.test_wait`
    Test(Sem, Scope),
    /// `mbarrier.try_wait`
    Try(Sem, Scope),
}

/// An arrival at an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its semantics.
    pub order: Sem,
    /// Its scope.
    pub scope: Scope,
    /// Whether the order and the scope are written.
    pub explicit: bool,
    /// Whether it may be an mbarrier of another CTA.
    pub cluster: bool,
    /// Whether it also expects bytes.
    pub expects: bool,
}

/// An operation on a group of asynchronous operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyGroup {
    /// `cp.async.commit_group`, `cp.async.wait_group` and `cp.async.wait_all`.
    Commit,
    /// `cp.async.wait_group`
    Wait,
    /// `cp.async.wait_all`
    WaitAll,
    /// `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group` with and without `.read`.
    BulkCommit,
    /// `cp.async.bulk.wait_group`
    BulkWait,
    /// `cp.async.bulk.wait_group.read`
    BulkWaitRead,
    /// `wgmma.fence`, `wgmma.commit_group` and `wgmma.wait_group`.
    WgmmaFence,
    /// `wgmma.commit_group`
    WgmmaCommit,
    /// `wgmma.wait_group`
    WgmmaWait,
    /// `tcgen05.commit` and `tcgen05.wait`.
    TensorCommit,
    /// `tcgen05.wait`
    TensorWait,
}
