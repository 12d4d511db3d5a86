//! The size of addresses, and what lies at which generic addresses.

use crate::operand::MemorySpace;

/// The size of the addresses of a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressSize {
    /// `.address_size 64`
    #[default]
    Bits64,
    /// `.address_size 32`
    Bits32,
}

impl AddressSize {
    /// The bytes of an address.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Bits64 => 8,
            Self::Bits32 => 4,
        }
    }

    /// The generic address of shared memory; after it are the addresses in the cluster's shared memory.
    pub const fn shared_window(self) -> u64 {
        match self {
            Self::Bits64 => 0x0001_0000_0000_0000,
            Self::Bits32 => 0x1000_0000,
        }
    }

    /// The generic address of local memory.
    pub const fn local_window(self) -> u64 {
        match self {
            Self::Bits64 => 0x0002_0000_0000_0000,
            Self::Bits32 => 0x3000_0000,
        }
    }

    /// The size of a window.
    const fn window_size(self) -> u64 {
        match self {
            Self::Bits64 => 1 << 32,
            Self::Bits32 => 0x2000_0000,
        }
    }

    /// The address of a function is its index plus this.
    pub const fn function_address(self) -> u64 {
        match self {
            Self::Bits64 => 0x00f0_0000_0000,
            Self::Bits32 => 0x0800_0000,
        }
    }

    /// The address of the first allocation.
    pub const fn first_allocation(self) -> u64 {
        match self {
            Self::Bits64 => 0x7000_0000_0000,
            Self::Bits32 => 0x5000_0000,
        }
    }

    /// Whether so many bytes have addresses from one on.
    pub const fn fits(self, address: u64, bytes: u64) -> bool {
        match self {
            Self::Bits64 => true,
            Self::Bits32 => address.saturating_add(bytes) <= 1 << 32,
        }
    }

    /// The space of a generic address.
    #[inline]
    pub fn window(self, address: u64) -> MemorySpace {
        let is_in = |start: u64| address.wrapping_sub(start) < self.window_size();
        match () {
            () if is_in(self.shared_window()) => MemorySpace::SharedCluster,
            () if is_in(self.local_window()) => MemorySpace::Local,
            () => MemorySpace::Global,
        }
    }

    /// The address in the cluster's shared memory of an address there, generic or not.
    pub fn shared_address(self, address: u64) -> u64 {
        if self.window(address) == MemorySpace::SharedCluster { address - self.shared_window() } else { address }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_do_not_overlap() {
        for size in [AddressSize::Bits64, AddressSize::Bits32] {
            let (shared, local) = (size.shared_window(), size.local_window());
            assert_eq!((size.window(shared), size.window(local)), (MemorySpace::SharedCluster, MemorySpace::Local));
            assert_eq!(size.window(shared - 1), MemorySpace::Global);
            assert_eq!(size.window(size.first_allocation()), MemorySpace::Global);
            assert_eq!(size.window(size.function_address()), MemorySpace::Global);
            assert_eq!((size.shared_address(shared + 5), size.shared_address(5)), (5, 5));
        }
        assert!(AddressSize::Bits32.fits(0xffff_0000, 0x1_0000) && !AddressSize::Bits32.fits(0xffff_0001, 0x1_0000));
    }
}
