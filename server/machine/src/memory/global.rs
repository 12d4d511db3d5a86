//! Global and constant memory: allocations at distinct addresses, with unmapped space between them.

use crate::memory::region::MemoryBytes;
use ordering::kernel_use::{EarlierUse, OverlappedKernel};
use program::launch::address_size::AddressSize;
use program::memory::nearest::NearestMemory;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The alignment of allocations, as cudaMalloc has it.
const ALIGNMENT: u64 = 256;
/// The unmapped bytes after each allocation.
const GAP: u64 = 0x1_0000;

/// The origin of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationKind {
    /// A buffer that the host allocated.
    Buffer,
    /// A variable of the module.
    Variable,
    /// Constant memory, which kernels cannot write.
    Constant,
    /// The parameters of the kernel, which it cannot write.
    Parameters,
    /// Memory that the kernel allocated.
    Heap,
    /// Memory that the kernel allocated and freed.
    Freed,
}

/// A contiguous range of addresses.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Its name, for messages.
    pub name: Arc<str>,
    /// Its first address.
    pub address: u64,
    /// Its contents.
    pub region: MemoryBytes,
    /// Its origin.
    pub kind: AllocationKind,
    /// What an earlier kernel does with it.
    pub earlier: EarlierUse,
    /// Where tensor maps begin that kernels before this one have changed.
    pub changed_maps: BTreeSet<usize>,
}

/// All allocations, in the order of their addresses.
#[derive(Clone, Debug)]
pub struct GlobalMemory {
    allocations: Vec<Allocation>,
    next: u64,
    addresses: AddressSize,
    /// The bytes that kernels have allocated, also of memory that they have freed.
    heap_bytes: u64,
    /// The earlier kernels that may still run.
    overlapped: Vec<OverlappedKernel>,
    /// What the first allocations were before a run, if that is kept.
    before: Option<MemoryBefore>,
}

/// Memory before a run.
#[derive(Clone, Debug)]
struct MemoryBefore {
    /// The allocations that were changed.
    changed: Vec<Option<Allocation>>,
    next: u64,
    heap_bytes: u64,
}

/// An address in an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalPlace {
    /// The index of the allocation.
    pub allocation: usize,
    /// The offset in it, in bytes.
    pub offset: usize,
}

impl Default for GlobalMemory {
    fn default() -> Self {
        Self::new(AddressSize::default())
    }
}

impl GlobalMemory {
    /// Memory without allocations.
    pub const fn new(addresses: AddressSize) -> Self {
        let next = addresses.first_allocation();
        Self { allocations: Vec::new(), next, addresses, heap_bytes: 0, overlapped: Vec::new(), before: None }
    }

    /// The size of its addresses.
    pub const fn addresses(&self) -> AddressSize {
        self.addresses
    }

    /// The bytes that kernels have allocated, also of memory that they have freed.
    pub const fn heap_bytes(&self) -> u64 {
        self.heap_bytes
    }

    /// Whether so many bytes more have addresses.
    pub const fn has_room(&self, bytes: u64) -> bool {
        self.addresses.fits(self.next_address(), bytes)
    }

    /// Adds an allocation at the next free address, which is returned.
    pub fn allocate(&mut self, name: Arc<str>, region: MemoryBytes, kind: AllocationKind) -> u64 {
        let address = self.next_address();
        self.next = address + region.len() as u64 + GAP;
        if kind == AllocationKind::Heap {
            self.heap_bytes += region.len() as u64;
        }
        let changed_maps = BTreeSet::new();
        self.allocations.push(Allocation { name, address, region, kind, earlier: EarlierUse::None, changed_maps });
        address
    }

    /// The address of the next allocation.
    pub const fn next_address(&self) -> u64 {
        self.next.next_multiple_of(ALIGNMENT)
    }

    /// The allocations.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// An allocation by its index.
    #[inline]
    pub fn allocation_mut(&mut self, at: usize) -> &mut Allocation {
        if let Some(before) = &mut self.before
            && let Some(kept @ None) = before.changed.get_mut(at)
        {
            *kept = Some(self.allocations[at].clone());
        }
        &mut self.allocations[at]
    }

    /// Keeps what the allocations are now, of those that change.
    pub fn keep(&mut self) {
        let Self { allocations, next, heap_bytes, .. } = self;
        let changed = vec![None; allocations.len()];
        self.before = Some(MemoryBefore { changed, next: *next, heap_bytes: *heap_bytes });
    }

    /// Makes it what it was when it was kept.
    pub fn restore(&mut self) {
        let Some(MemoryBefore { changed, next, heap_bytes }) = self.before.take() else { return };
        self.allocations.truncate(changed.len());
        (self.next, self.heap_bytes) = (next, heap_bytes);
        for (now, before) in self.allocations.iter_mut().zip(changed) {
            if let Some(before) = before {
                *now = before;
            }
        }
    }

    /// Forgets what it was when it was kept.
    pub fn forget(&mut self) {
        self.before = None;
    }

    /// Forgets what earlier kernels do: they have ended.
    pub fn end_earlier(&mut self) {
        self.allocations.iter_mut().for_each(|one| one.earlier = EarlierUse::None);
        self.overlapped.clear();
    }

    /// Earlier kernels may still run while the next one does.
    pub fn overlap(&mut self, kernels: Vec<OverlappedKernel>) {
        self.overlapped = kernels;
    }

    /// The earlier kernels that may still run.
    pub fn overlapped(&self) -> &[OverlappedKernel] {
        &self.overlapped
    }

    /// Whether an earlier kernel may still run.
    pub fn has_earlier(&self) -> bool {
        !self.overlapped.is_empty() || self.allocations.iter().any(|one| one.earlier != EarlierUse::None)
    }

    /// The allocation of a range of addresses; `hint` is tried first.
    #[inline]
    pub fn find(&self, address: u64, size: u64, hint: usize) -> Option<GlobalPlace> {
        let inside = |at: usize| {
            let allocation = self.allocations.get(at)?;
            let offset = address.checked_sub(allocation.address)?;
            let fits = offset.checked_add(size).is_some_and(|end| end <= allocation.region.len() as u64);
            fits.then_some(GlobalPlace { allocation: at, offset: offset as usize })
        };
        inside(hint).or_else(|| inside(self.preceding(address)?))
    }

    /// The last allocation that begins at or before an address.
    fn preceding(&self, address: u64) -> Option<usize> {
        self.allocations.partition_point(|one| one.address <= address).checked_sub(1)
    }

    /// What is nearest to an address, for messages: its name and size, and where in it or beside it the address is.
    pub fn nearest_memory(&self, address: u64) -> Option<NearestMemory> {
        self.nearest(address).map(|nearest| NearestMemory {
            name: nearest.name.clone(),
            offset: address.wrapping_sub(nearest.address) as i64,
            length: nearest.region.len() as u64,
            reason: None,
        })
    }

    /// The allocation that is nearest to an address, for messages.
    pub fn nearest(&self, address: u64) -> Option<&Allocation> {
        let before = self.preceding(address);
        let after = before.map_or(0, |at| at + 1);
        let end_distance = |at: usize| {
            let one = &self.allocations[at];
            address.saturating_sub(one.address + one.region.len() as u64)
        };
        match (before, self.allocations.get(after)) {
            (Some(at), Some(next)) if next.address - address < end_distance(at) => Some(next),
            (Some(at), _) => self.allocations.get(at),
            (None, next) => next,
        }
        .filter(|one| {
            let distance = address.abs_diff(one.address).min(address.abs_diff(one.address + one.region.len() as u64));
            distance <= GAP || address >= one.address && address < one.address + one.region.len() as u64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_their_allocation() {
        let mut memory = GlobalMemory::default();
        let a = memory.allocate("a".into(), MemoryBytes::defined(vec![0; 100]), AllocationKind::Buffer);
        let b = memory.allocate("b".into(), MemoryBytes::defined(vec![0; 8]), AllocationKind::Buffer);
        assert!(a.is_multiple_of(256) && b.is_multiple_of(256) && b > a + 100);
        assert_eq!(memory.find(a + 96, 4, 1), Some(GlobalPlace { allocation: 0, offset: 96 }));
        assert_eq!(memory.find(a + 97, 4, 0), None);
        assert_eq!(memory.find(b, 8, 0), Some(GlobalPlace { allocation: 1, offset: 0 }));
        assert_eq!(memory.find(a - 1, 1, 0), None);
        assert_eq!(memory.find(u64::MAX, 8, 0), None);
        let nearest = |address| memory.nearest(address).map(|one| &*one.name);
        assert_eq!((nearest(a + 100), nearest(b - 4), nearest(0)), (Some("a"), Some("b"), None));
    }
}
