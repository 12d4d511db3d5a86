//! Moves: registers, special registers, addresses.

use crate::memory::global::AllocationKind;
use crate::memory::locate::{cluster_address, rank_of};
use crate::state::Machine;
use crate::threads::executor::Executor;
use crate::threads::undefined_bits::UndefinedBits;
use crate::threads::warp::{PendingRegister, Warp};
use ordering::Agent;
use program::lanes::{LaneValues, WARP_SIZE, lanes_of};
use program::machine_program::AddressConversion;
use program::operand::{Destination, MemorySpace, Source};
use program::special::{LaunchPosition, SpecialValue};
use values::value::low_bits;

/// The multiprocessors of an H100.
const MULTIPROCESSORS: u64 = 132;

/// The value of a special register in a lane.
pub fn special(machine: &Machine<'_>, warp: &Warp, register: SpecialValue, lane: u32) -> u64 {
    let cta = &machine.ctas[warp.cta];
    let position = LaunchPosition {
        sizes: machine.launch.sizes(cta.grid),
        cta: cta.position,
        cta_in_cluster: cta.position_in_cluster,
        rank: cta.rank,
        thread: warp.number * WARP_SIZE + lane,
    };
    match register {
        SpecialValue::Multiprocessor => u64::from(cta.number) % MULTIPROCESSORS,
        SpecialValue::Multiprocessors => MULTIPROCESSORS,
        SpecialValue::Clock => clock(machine, warp, lane),
        SpecialValue::ClockHigh => clock(machine, warp, lane) >> 32,
        SpecialValue::TotalShared => cta.shared.len() as u64,
        SpecialValue::GridWorkspace(shift) => {
            let workspace = machine.parameter_memory.grid_workspaces.get(cta.grid).copied().unwrap_or_default();
            workspace >> shift & u64::from(u32::MAX)
        }
        register => register.at(&position).unwrap_or_default(),
    }
}

/// What a clock shows: instructions, as each takes some time.
fn clock(machine: &Machine<'_>, warp: &Warp, lane: u32) -> u64 {
    let agent = || Agent { lane, ..machine.first_agent(warp) };
    machine.explored.clock.as_ref().map_or(machine.executed, |clock| clock.value(agent()))
}

impl Executor<'_, '_> {
    /// Copies a register; an undefined value stays undefined.
    pub fn copy(&mut self, destination: Destination, source: Source, active: u32) {
        let value = *self.values(source);
        let missing = self.missing(source, active);
        if let Some(pending) = self.pending(source).filter(|_| missing == active) {
            // Compilers copy accumulators between products.
            self.frame.settle(|other| other.slot == destination.slot);
            self.frame.set(destination, &value, active);
            self.frame.defined[destination.slot as usize] = pending.defined;
            self.frame.suspend(PendingRegister { slot: destination.slot, ..pending });
            return;
        }
        let undefined: Vec<_> = lanes_of(missing).map(|lane| (lane, self.undefined(source, lane))).collect();
        self.frame.set(destination, &value, active);
        undefined.into_iter().for_each(|(lane, undefined)| self.set_undefined(destination, lane, undefined));
    }

    /// Concatenates registers.
    pub fn pack(&mut self, destination: Destination, parts: &[(Source, u32)], active: u32) {
        let (mut value, mut missing, mut shift) = ([0; 32], 0, 0);
        for (part, bits) in parts {
            let from = self.values(*part);
            let mask = low_bits(*bits) as u64;
            for lane in lanes_of(active) {
                value[lane] |= (from[lane] & mask) << shift;
            }
            shift += bits;
            missing |= self.missing(*part, active);
        }
        let undefined: Vec<_> = lanes_of(missing).map(|lane| (lane, self.packed_undefined(parts, lane))).collect();
        self.frame.set(destination, &value, active);
        undefined.into_iter().for_each(|(lane, undefined)| self.set_undefined(destination, lane, undefined));
    }

    fn packed_undefined(&self, parts: &[(Source, u32)], lane: usize) -> UndefinedBits {
        let (mut all, mut shift) = (UndefinedBits::default(), 0);
        for (part, bits) in parts {
            let mut undefined = self.undefined(*part, lane);
            all.bits |= (undefined.bits & low_bits(*bits) as u64) << shift;
            all.reads.append(&mut undefined.reads);
            shift += bits;
        }
        all
    }

    /// Takes a register apart.
    pub fn unpack(&mut self, source: Source, parts: &[(Option<Destination>, u32)], active: u32) {
        let value = *self.values(source);
        let missing = self.missing(source, active);
        let undefined: Vec<_> = lanes_of(missing).map(|lane| (lane, self.undefined(source, lane))).collect();
        let mut shift = 0;
        for (part, bits) in parts {
            if let Some(destination) = *part {
                let shifted = value.map(|value| value >> shift);
                self.frame.set(destination, &shifted, active);
                for (lane, undefined) in &undefined {
                    let bits = undefined.bits >> shift & low_bits(*bits) as u64;
                    self.set_undefined(destination, *lane, UndefinedBits { bits, reads: undefined.reads.clone() });
                }
            }
            shift += bits;
        }
    }

    /// Writes a register in the active lanes; its value is defined in some of them.
    pub fn set(&mut self, destination: Destination, value: &LaneValues, active: u32, defined: u32) {
        self.frame.set(destination, value, active);
        for lane in lanes_of(active & !defined) {
            self.set_undefined(destination, lane, UndefinedBits { bits: u64::MAX, reads: Vec::new() });
        }
    }

    /// Reads a special register.
    pub fn read_special(&mut self, destination: Destination, register: SpecialValue, active: u32) {
        let value: LaneValues = std::array::from_fn(|lane| special(self.machine, self.warp, register, lane as u32));
        self.frame.set(destination, &value, active);
    }

    /// Converts an address between a space and the generic one.
    pub fn convert_address(
        &mut self,
        destination: Destination,
        source: Source,
        conversion: AddressConversion,
        active: u32,
    ) {
        self.require_defined(source, active);
        let parameters = self.machine.parameters_of(self.warp.cta);
        let frame = u64::from(self.frame.local);
        let windows = self.addresses();
        let convert = |address: u64| match conversion {
            AddressConversion::FromSpace(space) => match space {
                MemorySpace::SharedCta | MemorySpace::SharedCluster => {
                    windows.shared_window() + (address & 0xffff_ffff)
                }
                MemorySpace::Local => windows.local_window().wrapping_add(address),
                MemorySpace::Frame => (windows.local_window() + frame).wrapping_add(address),
                MemorySpace::Parameter => parameters.wrapping_add(address),
                MemorySpace::Generic | MemorySpace::Global | MemorySpace::Constant => address,
            },
            AddressConversion::ToSpace(space) => match space {
                MemorySpace::SharedCta | MemorySpace::SharedCluster => address.wrapping_sub(windows.shared_window()),
                MemorySpace::Local => address.wrapping_sub(windows.local_window()),
                MemorySpace::Parameter => address.wrapping_sub(parameters),
                _ => address,
            },
            AddressConversion::FrameToLocal => frame.wrapping_add(address),
        };
        let value = self.values(source).map(convert);
        self.frame.set(destination, &value, active);
    }

    /// Tests the space of generic addresses.
    pub fn is_space(&mut self, destination: Destination, source: Source, space: MemorySpace, active: u32) {
        self.require_defined(source, active);
        let own = self.machine.ctas[self.warp.cta].rank;
        let windows = self.addresses();
        let is_in = |address: u64| match (space, windows.window(address)) {
            (MemorySpace::SharedCta, MemorySpace::SharedCluster) => {
                rank_of(windows.shared_address(address)).unwrap_or(own) == own
            }
            (MemorySpace::SharedCluster, MemorySpace::SharedCluster) => true,
            (MemorySpace::Local | MemorySpace::Frame, MemorySpace::Local) => true,
            // The window of the parameters is a part of that of global memory.
            (MemorySpace::Global, MemorySpace::Global) => !self.is_of_kind(address, AllocationKind::Constant),
            (MemorySpace::Constant, MemorySpace::Global) => self.is_of_kind(address, AllocationKind::Constant),
            (MemorySpace::Parameter, MemorySpace::Global) => self.is_of_kind(address, AllocationKind::Parameters),
            _ => false,
        };
        let value = self.values(source).map(|address| u64::from(is_in(address)));
        self.frame.set(destination, &value, active);
    }

    /// The address of the same variable in the CTA with a rank.
    pub fn map_to_rank(&mut self, destination: Destination, address: Source, rank: Source, active: u32) {
        self.require_defined(address, active);
        self.require_defined(rank, active);
        let (addresses, ranks, windows) = (self.values(address), self.values(rank), self.addresses());
        let value: LaneValues = std::array::from_fn(|lane| {
            let base = addresses[lane] - windows.shared_address(addresses[lane]);
            base + cluster_address(ranks[lane] as u32, addresses[lane])
        });
        self.frame.set(destination, &value, active);
    }

    /// The rank of the CTA that a shared address belongs to.
    pub fn rank_of(&mut self, destination: Destination, address: Source, active: u32) {
        self.require_defined(address, active);
        let (own, windows) = (self.machine.ctas[self.warp.cta].rank, self.addresses());
        let value = self.values(address).map(|address| rank_of(windows.shared_address(address)).unwrap_or(own).into());
        self.frame.set(destination, &value, active);
    }

    fn is_of_kind(&self, address: u64, kind: AllocationKind) -> bool {
        let memory = &self.machine.memory;
        let place = memory.find(address, 1, 0);
        place.is_some_and(|place| memory.allocations()[place.allocation].kind == kind)
    }
}
