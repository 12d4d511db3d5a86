//! Values of the 32 lanes of a warp.

/// One 64-bit value per lane. Narrower registers use the low bits; the others are zero.
pub type LaneValues = [u64; 32];

/// The number of lanes of a warp.
pub const WARP_SIZE: u32 = 32;

/// The lanes whose bit is set in `mask`, in ascending order.
#[inline]
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> + Clone {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            lane as usize
        })
    })
}

/// A mask of the lowest `count` lanes.
pub const fn first_lanes(count: u32) -> u32 {
    if count >= WARP_SIZE { u32::MAX } else { (1 << count) - 1 }
}

/// The lanes in which a predicate holds.
#[inline]
pub fn holding(predicate: &LaneValues, mask: u32) -> u32 {
    if mask == u32::MAX {
        return predicate.iter().enumerate().fold(0, |found, (lane, value)| found | ((*value as u32 & 1) << lane));
    }
    lanes_of(mask).fold(0, |found, lane| found | ((predicate[lane] as u32 & 1) << lane))
}
