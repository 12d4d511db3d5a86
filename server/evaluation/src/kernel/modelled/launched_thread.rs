//! A thread of a launch before it has code of the memory model, and the words of memory that it may access.

use emulator::machine::{AddressSize, AllocationKind, GlobalMemory, Launch, MachineFunction, SpecialValue, ThreadId};
use std::collections::BTreeSet;

/// The most threads.
pub const MOST_THREADS: u64 = 12;

/// The lanes of a warp.
pub const WARP_SIZE: u32 = 32;

/// Where shared memory is: that of each CTA has addresses of its own, the first of which are those that generic addresses of it have.
const SHARED_BYTES: u64 = 1 << 32;

/// The bytes of the location of a trap.
pub const TRAP_BYTES: u32 = 4;

/// A word of memory that is only accessed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelledWord {
    /// The address.
    pub address: u64,
    /// The size in bytes.
    pub bytes: u32,
}

/// A thread of a launch.
pub struct LaunchedThread<'l> {
    pub function: &'l MachineFunction,
    /// The index of the function in the program.
    pub index: u32,
    pub launch: &'l Launch,
    pub memory: &'l GlobalMemory,
    pub id: ThreadId,
    /// The size of addresses.
    pub addresses: AddressSize,
    /// The allocations that some thread writes. A location is made of no word of another one that a thread reads at a known address: a program that
    /// accesses it at an address that depends on reads is not modelled.
    pub written: &'l BTreeSet<usize>,
}

impl ModelledWord {
    /// Whether it is in shared memory.
    pub const fn is_shared(self, addresses: AddressSize) -> bool {
        self.address >= addresses.shared_window() && self.address < addresses.shared_window() + (MOST_THREADS << 32)
    }
}

/// Whether an allocation is memory that the model has locations for.
pub const fn is_writable(kind: AllocationKind) -> bool {
    matches!(kind, AllocationKind::Buffer | AllocationKind::Variable)
}

impl LaunchedThread<'_> {
    /// The address of shared memory of the thread's CTA in the program, by its offset.
    pub const fn shared_address(&self, offset: u64) -> u64 {
        self.addresses.shared_window() + self.id.cta as u64 * SHARED_BYTES + (offset & (SHARED_BYTES - 1))
    }

    /// The bytes of shared memory of the thread's CTA.
    pub const fn shared_bytes(&self) -> u64 {
        self.function.shared.static_bytes as u64 + self.launch.dynamic_shared as u64
    }

    /// Whether the kernel has shared memory.
    pub const fn uses_shared(&self) -> bool {
        self.shared_bytes() > 0 || self.function.shared.uses_dynamic
    }

    /// The value of a special register; `None` if it is not the same in all executions, or not known.
    pub fn special(&self, register: SpecialValue) -> Option<u64> {
        let Self { launch, id, .. } = self;
        let position = launch.grid.position(id.cta.into());
        let lane = id.thread % WARP_SIZE;
        Some(match register {
            SpecialValue::ThreadIndex(axis) => launch.block.position(id.thread.into())[axis].into(),
            SpecialValue::BlockSize(axis) => launch.block.0[axis].into(),
            SpecialValue::CtaIndex(axis) | SpecialValue::ClusterIndex(axis) => position[axis].into(),
            SpecialValue::GridSize(axis) | SpecialValue::ClusterCount(axis) => launch.grid.0[axis].into(),
            SpecialValue::CtaInCluster(_) | SpecialValue::CtaRank | SpecialValue::IsCluster | SpecialValue::Zero => 0,
            SpecialValue::ClusterSize(_) | SpecialValue::CtaRanks => 1,
            SpecialValue::Lane => lane.into(),
            SpecialValue::Warp => (id.thread / WARP_SIZE).into(),
            SpecialValue::Warps => launch.block.count().div_ceil(WARP_SIZE.into()),
            SpecialValue::LaneMask(relation) => relation.mask(lane).into(),
            SpecialValue::DynamicShared => launch.dynamic_shared.into(),
            _ => return None,
        })
    }

    /// The bytes of a parameter or of constant memory, at a known address.
    pub fn parameter(&self, address: u64, bytes: u32) -> Option<u64> {
        let start = usize::try_from(address).ok()?;
        let bytes = self.launch.parameters.get(start..start.checked_add(bytes as usize)?)?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}
