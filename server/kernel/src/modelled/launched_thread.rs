//! A thread of a launch before it has code of the memory model, and the words of memory that it may access.

use machine::{AllocationKind, GlobalMemory, MemoryBytes};
use program::{AddressSize, Launch, LaunchPosition, MachineFunction, SpecialValue, ThreadId};
use std::collections::BTreeSet;

/// The most threads.
pub const MOST_THREADS: u64 = 12;

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
        self.address.wrapping_sub(addresses.shared_window()) < MOST_THREADS * SHARED_BYTES
    }

    /// Its state space and its address there, as messages name them.
    pub const fn shown_address(self, addresses: AddressSize) -> (&'static str, u64) {
        if self.is_shared(addresses) {
            ("shared", (self.address - addresses.shared_window()) % SHARED_BYTES)
        } else {
            ("global", self.address)
        }
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
        // A CTA is a cluster of its own.
        register.at(&LaunchPosition {
            sizes: launch.sizes(0),
            cta: launch.grid.position(id.cta.into()),
            cta_in_cluster: [0; 3],
            rank: 0,
            thread: id.thread,
        })
    }

    /// The value of so many bytes of the parameters.
    pub fn parameter(&self, address: u64, bytes: u32) -> Option<u64> {
        let start = usize::try_from(address).ok()?;
        self.launch.parameters.get(start..start.checked_add(bytes as usize)?).map(MemoryBytes::value)
    }
}
