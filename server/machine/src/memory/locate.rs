//! Addresses: state spaces, windows of generic addresses, bounds.

use crate::memory::global::{AllocationKind, GlobalPlace};
use crate::threads::executor::Executor;
use ordering::WriteEffect;
use program::launch::address_size::AddressSize;
use program::memory::nearest::NearestMemory;
use program::operand::MemorySpace;
use program::problem::{MachineAccessKind, ProblemKind};

/// The addresses that a register of 32 bits can hold, which those of shared and local memory are.
const NARROW: u64 = 1 << 32;
/// In an address of the cluster's shared memory: where the rank of the CTA begins. Rank 0 is the own CTA, others are one more than their rank.
pub const RANK_SHIFT: u32 = 24;

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// In an allocation.
    Global(GlobalPlace),
    /// In shared memory of a CTA: its slot, and the offset.
    Shared(usize, u32),
    /// In local memory of the lane, at an offset.
    Local(u32),
}

impl MemoryPlace {
    /// The name of its space in messages.
    pub const fn space_name(self) -> &'static str {
        match self {
            Self::Global(_) => "global",
            Self::Shared(..) => "shared",
            Self::Local(_) => "local",
        }
    }
}

/// An access whose address is looked up.
#[derive(Clone, Copy, Debug)]
pub struct MachineAccess {
    /// The space of the instruction.
    pub space: MemorySpace,
    /// The address.
    pub address: u64,
    /// The size in bytes.
    pub size: u64,
    /// What it does.
    pub kind: MachineAccessKind,
}

/// The address of a CTA's shared memory in the cluster.
pub const fn cluster_address(rank: u32, offset: u64) -> u64 {
    ((rank as u64 + 1) << RANK_SHIFT) | (offset & ((1 << RANK_SHIFT) - 1))
}

/// The rank in an address of the cluster's shared memory; `None` in that of the own CTA.
pub fn rank_of(address: u64) -> Option<u32> {
    ((address as u32) >> RANK_SHIFT).checked_sub(1)
}

/// The name of a space in messages.
pub const fn space_name(space: MemorySpace) -> &'static str {
    match space {
        MemorySpace::Generic => "generic",
        MemorySpace::Global => "global",
        MemorySpace::Constant => "constant",
        MemorySpace::SharedCta | MemorySpace::SharedCluster => "shared",
        MemorySpace::Local | MemorySpace::Frame => "local",
        MemorySpace::Parameter => "parameter",
    }
}

impl Executor<'_, '_> {
    /// Reads up to 8 bytes at an offset from a place; the value, and whether some of it is defined.
    #[inline]
    pub fn read(&mut self, place: MemoryPlace, offset: u32, size: u32, lane: usize) -> (u64, bool) {
        let (region, at) = match place {
            MemoryPlace::Global(place) => {
                (&self.machine.memory.allocations()[place.allocation].region, place.offset + offset as usize)
            }
            MemoryPlace::Shared(slot, start) => (&self.machine.ctas[slot].shared, (start + offset) as usize),
            MemoryPlace::Local(start) => {
                let end = (start + offset + size) as usize;
                (&*self.warp.local_memory(lane, end), (start + offset) as usize)
            }
        };
        // Compilers load padding together with what is next to it.
        (region.load(at, size), region.is_partly_defined(at, size as usize))
    }

    /// Writes up to 8 bytes at an offset from a place.
    #[inline]
    pub fn write(&mut self, place: MemoryPlace, offset: u32, size: u32, value: u64, lane: usize) -> WriteEffect {
        let (region, at) = match place {
            MemoryPlace::Global(place) => {
                let allocation = self.machine.memory.allocation_mut(place.allocation);
                (&mut allocation.region, place.offset + offset as usize)
            }
            MemoryPlace::Shared(slot, start) => (&mut self.machine.ctas[slot].shared, (start + offset) as usize),
            MemoryPlace::Local(start) => {
                let end = (start + offset + size) as usize;
                (self.warp.local_memory(lane, end), (start + offset) as usize)
            }
        };
        let changes = region.exchange(at, size as usize, value);
        self.machine.version += u64::from(changes);
        if changes { WriteEffect::Changes } else { WriteEffect::None }
    }

    /// The size of the program's addresses.
    #[inline]
    pub fn addresses(&self) -> AddressSize {
        self.program.addresses
    }

    /// The place of an access of a lane.
    #[inline]
    pub fn locate(&mut self, access: MachineAccess, alignment: u64) -> Result<MemoryPlace, ProblemKind> {
        let MachineAccess { space, address, kind, .. } = access;
        if !address.is_multiple_of(alignment) {
            return Err(ProblemKind::Misaligned { access: kind, address, size: alignment });
        }
        match space {
            MemorySpace::Global | MemorySpace::Constant => self.locate_global(access),
            MemorySpace::Generic => match self.addresses().window(address) {
                MemorySpace::SharedCluster => self.locate_shared(access, address - self.addresses().shared_window()),
                MemorySpace::Local => self.locate_local(access, address - self.addresses().local_window()),
                _ => self.locate_global(access),
            },
            MemorySpace::SharedCta | MemorySpace::SharedCluster => self.locate_shared(access, address),
            MemorySpace::Local => self.locate_local(access, address),
            MemorySpace::Frame => self.locate_local(access, address.wrapping_add(u64::from(self.frame.local))),
            MemorySpace::Parameter => {
                let address = address.wrapping_add(self.machine.parameters_of(self.warp.cta));
                self.locate_global(MachineAccess { address, ..access })
            }
        }
    }

    fn locate_global(&mut self, access: MachineAccess) -> Result<MemoryPlace, ProblemKind> {
        let MachineAccess { space, address, size, kind } = access;
        let Some(place) = self.machine.memory.find(address, size, self.hint) else {
            return Err(match self.addresses().window(address) {
                MemorySpace::Global => self.out_of_bounds(access),
                found => ProblemKind::WrongSpace { address, expected: space_name(space), found: space_name(found) },
            });
        };
        self.hint = place.allocation;
        let allocation = &self.machine.memory.allocations()[place.allocation];
        let constant = matches!(allocation.kind, AllocationKind::Constant | AllocationKind::Parameters);
        if allocation.kind == AllocationKind::Freed {
            Err(ProblemKind::UseAfterFree { access: kind, address })
        } else if constant && kind != MachineAccessKind::Read {
            Err(ProblemKind::ReadOnly { name: allocation.name.clone() })
        } else {
            Ok(MemoryPlace::Global(place))
        }
    }

    fn out_of_bounds(&self, MachineAccess { address, size, kind, .. }: MachineAccess) -> ProblemKind {
        ProblemKind::OutOfBounds { access: kind, address, size, nearest: self.machine.nearest(address) }
    }

    fn locate_shared(&self, access: MachineAccess, address: u64) -> Result<MemoryPlace, ProblemKind> {
        let MachineAccess { space, size, kind, .. } = access;
        let own = self.warp.cta;
        let cta = &self.machine.ctas[own];
        // Addresses have 32 bits in registers and 64 after an offset was added.
        let signed = if address < NARROW { i64::from(address as u32 as i32) } else { address as i64 };
        if (-(1 << RANK_SHIFT)..0).contains(&signed) {
            let length = cta.shared.len() as u64;
            let nearest = Some(NearestMemory { name: "shared memory".into(), offset: signed, length, reason: None });
            return Err(ProblemKind::OutOfBounds { access: kind, address, size, nearest });
        }
        if address >= NARROW {
            let found = space_name(self.addresses().window(address));
            return Err(ProblemKind::WrongSpace { address, expected: "shared", found });
        }
        let offset = address & ((1 << RANK_SHIFT) - 1);
        let slot = match address >> RANK_SHIFT {
            0 => Some(own),
            rank => self.machine.clusters[cta.cluster].ctas.get(rank as usize - 1).copied(),
        };
        let outside = || {
            let name = "shared memory".into();
            let length = cta.shared.len() as u64;
            let sizes = self.machine.launch.sizes(self.machine.ctas[self.warp.cta].grid);
            let kernel = &self.machine.program.functions[sizes.kernel];
            let lacks_dynamic = kernel.shared.uses_dynamic && sizes.dynamic_shared == 0;
            let reason = lacks_dynamic.then_some("the launch has no dynamic shared memory (`--shared`)");
            let nearest = NearestMemory { name, offset: offset as i64, length, reason };
            let nearest = (address >> RANK_SHIFT == 0).then_some(nearest);
            ProblemKind::OutOfBounds { access: kind, address, size, nearest }
        };
        let slot = slot.ok_or_else(outside)?;
        if slot != own && space == MemorySpace::SharedCta {
            return Err(ProblemKind::WrongSpace {
                address,
                expected: "the CTA's own shared",
                found: "another CTA's shared",
            });
        }
        if slot != own && self.machine.ctas[slot].live == 0 {
            return Err(ProblemKind::EndedCta { access: kind, offset, cta: self.machine.ctas[slot].number });
        }
        let fits = offset.saturating_add(size) <= self.machine.ctas[slot].shared.len() as u64;
        if fits { Ok(MemoryPlace::Shared(slot, offset as u32)) } else { Err(outside()) }
    }

    fn locate_local(&self, access: MachineAccess, address: u64) -> Result<MemoryPlace, ProblemKind> {
        let length = u64::from(self.frame.local) + u64::from(self.frame.local_bytes);
        if address < length && address.saturating_add(access.size) <= length {
            return Ok(MemoryPlace::Local(address as u32));
        }
        let found = self.addresses().window(access.address);
        if access.space == MemorySpace::Local && address >= NARROW {
            let (address, found) = (access.address, space_name(found));
            return Err(ProblemKind::WrongSpace { address, expected: "local", found });
        }
        let offset = if address < NARROW { i64::from(address as u32 as i32) } else { address as i64 };
        let nearest = NearestMemory { name: "local memory".into(), offset, length, reason: None };
        let MachineAccess { size, kind, .. } = access;
        Err(ProblemKind::OutOfBounds { access: kind, address: access.address, size, nearest: Some(nearest) })
    }
}
