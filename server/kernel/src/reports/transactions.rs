//! Into how many transactions the hardware divides an atomic of a warp.
//!
//! Measured on an H100 (`tests/evidence/transactions`):
//! - Global memory: a sector of 32 bytes is updated once for all lanes, but lanes at the same address take turns. A transaction is such an update.
//! - Shared memory: lanes whose addresses are in the same bank take turns, also those at the same address. There are 32 banks of 4 bytes;
//!   accesses of 8 bytes are made for half of the lanes at a time, which have 16 banks of 8 bytes. A transaction is a turn.

use machine::ObservedMemory;
use std::collections::HashMap;

/// The bytes of a sector of global memory.
const SECTOR_BYTES: u64 = 32;

/// The bytes that all banks of shared memory have in a row.
const BANK_ROW_BYTES: u64 = 128;

/// The bytes of a bank.
const BANK_BYTES: u64 = 4;

/// The access of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneAccess {
    /// The lane.
    pub lane: u32,
    /// Its first byte.
    pub memory: ObservedMemory,
    /// The number of bytes.
    pub size: u64,
}

/// The number of transactions of the accesses that lanes of a warp make together.
pub fn transactions(accesses: &[LaneAccess]) -> u64 {
    // By sector and address, and by group of lanes, CTA and bank.
    let mut sectors: HashMap<u64, HashMap<u64, u64>> = HashMap::new();
    let mut banks: HashMap<(u32, u32), HashMap<u64, u64>> = HashMap::new();
    for LaneAccess { lane, memory, size } in accesses {
        match memory {
            ObservedMemory::Global(address) => {
                *sectors.entry(address / SECTOR_BYTES).or_default().entry(*address).or_default() += 1;
            }
            ObservedMemory::Shared { cta, offset } => {
                let width = (*size).clamp(BANK_BYTES, BANK_ROW_BYTES);
                let group = u64::from(*lane) / (BANK_ROW_BYTES / width);
                let bank = offset % BANK_ROW_BYTES / width;
                *banks.entry((*cta, group as u32)).or_default().entry(bank).or_default() += 1;
            }
            // Not shared with other lanes.
            ObservedMemory::Local { .. } => {}
        }
    }
    let most = |lanes: HashMap<u64, u64>| lanes.into_values().max().unwrap_or_default();
    sectors.into_values().map(most).sum::<u64>() + banks.into_values().map(most).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(size: u64, memory: impl Fn(u64) -> ObservedMemory) -> u64 {
        let lane = |lane: u32| LaneAccess { lane, memory: memory(lane.into()), size };
        transactions(&(0..32).map(lane).collect::<Vec<_>>())
    }

    #[test]
    fn lanes_take_turns_at_an_address_and_share_a_sector() {
        let global = |size, address: fn(u64) -> u64| of(size, |lane| ObservedMemory::Global(address(lane)));
        assert_eq!(global(4, |_| 64), 32);
        assert_eq!(global(4, |lane| lane * 4), 4);
        assert_eq!(global(4, |lane| 4 + lane * 4), 5);
        assert_eq!(global(4, |lane| lane * 32), 32);
        assert_eq!(global(4, |lane| lane % 4 * 4), 8);
        assert_eq!(global(8, |lane| lane * 8), 8);
    }

    #[test]
    fn lanes_take_turns_in_a_bank() {
        let shared =
            |size, offset: fn(u64) -> u64| of(size, |lane| ObservedMemory::Shared { cta: 0, offset: offset(lane) });
        assert_eq!(shared(4, |_| 0), 32);
        assert_eq!(shared(4, |lane| lane * 4), 1);
        assert_eq!(shared(4, |lane| lane * 128), 32);
        assert_eq!(shared(4, |lane| lane * 8), 2);
        assert_eq!(shared(2, |lane| lane * 2), 2);
        assert_eq!(shared(8, |lane| lane * 8), 2);
        assert_eq!(shared(8, |lane| lane / 16 * 8), 32);
    }
}
