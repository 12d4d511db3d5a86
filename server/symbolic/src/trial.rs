//! A launch in which a kernel is tried: the size of its blocks and the values of its parameters.

use program::{Dimensions, GridSizes, KernelParameter, LaunchPosition, SpecialValue};

/// The address that the first parameter points to, and the distance to the next one.
const POINTERS: u64 = 0x7000_0000_0000;
const POINTER_DISTANCE: u64 = 1 << 32;

/// The CTAs of the grid in each dimension that is used.
const GRID: [u32; 3] = [64, 64, 64];

/// A launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrialLaunch {
    /// The size of a block.
    pub block: Dimensions,
    /// The value of each integer parameter.
    pub integer: u64,
}

impl TrialLaunch {
    /// The value of a special register in a thread.
    pub fn special(&self, value: SpecialValue, thread: u32) -> Option<u64> {
        let sizes = GridSizes {
            kernel: 0,
            grid: Dimensions(GRID),
            block: self.block,
            cluster: Dimensions::default(),
            dynamic_shared: 0,
        };
        match value {
            SpecialValue::DynamicShared
            | SpecialValue::CtaRank
            | SpecialValue::CtaRanks
            | SpecialValue::IsCluster
            | SpecialValue::CtaInCluster(_)
            | SpecialValue::ClusterSize(_)
            | SpecialValue::ClusterIndex(_)
            | SpecialValue::ClusterCount(_) => None,
            value => value.at(&LaunchPosition { sizes, cta: [0; 3], cta_in_cluster: [0; 3], rank: 0, thread }),
        }
    }

    /// The value of so many bytes of a parameter from an offset on.
    pub fn integer(&self, bytes: u32) -> u64 {
        if bytes >= 2 { self.integer } else { 1 }
    }

    /// The address that is passed at an offset.
    pub fn pointer(offset: u64) -> u64 {
        POINTERS + offset / 8 * POINTER_DISTANCE
    }
}

/// The sizes of blocks to try, in the order of their preference.
pub(crate) fn blocks(required: Option<Dimensions>, most_threads: Option<u64>, dimensions: usize) -> Vec<Dimensions> {
    if let Some(block) = required {
        return vec![block];
    }
    let sizes: &[[u32; 3]] = match dimensions {
        0 | 1 => &ONE_DIMENSION,
        2 => &TWO_DIMENSIONS,
        _ => &THREE_DIMENSIONS,
    };
    let fits = |size: &Dimensions| most_threads.is_none_or(|most| size.count() <= most);
    let mut sizes: Vec<Dimensions> = sizes.iter().map(|size| Dimensions(*size)).filter(fits).collect();
    // A kernel is mostly launched with the number of threads that it is compiled for.
    if let Some(most) = most_threads.filter(|_| dimensions < 2) {
        let most = Dimensions([most.min(1024) as u32, 1, 1]);
        sizes.retain(|size| *size != most);
        sizes.insert(0, most);
        sizes.retain(|size| size.count() * 2 >= most.count());
    }
    sizes
}

const ONE_DIMENSION: [[u32; 3]; 10] = [
    [256, 1, 1],
    [128, 1, 1],
    [64, 1, 1],
    [32, 1, 1],
    [16, 1, 1],
    [8, 1, 1],
    [4, 1, 1],
    [2, 1, 1],
    [1024, 1, 1],
    [512, 1, 1],
];

const TWO_DIMENSIONS: [[u32; 3]; 29] = [
    [16, 16, 1],
    [32, 8, 1],
    [32, 32, 1],
    [8, 8, 1],
    [32, 4, 1],
    [64, 4, 1],
    [16, 8, 1],
    [8, 16, 1],
    [8, 32, 1],
    [32, 16, 1],
    [16, 32, 1],
    [128, 2, 1],
    [64, 8, 1],
    [16, 4, 1],
    [32, 2, 1],
    [64, 2, 1],
    [8, 4, 1],
    [16, 2, 1],
    [32, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [512, 1, 1],
    [1, 32, 1],
    [1, 128, 1],
    [1, 256, 1],
    [8, 2, 1],
    [4, 4, 1],
    [2, 2, 1],
];

const THREE_DIMENSIONS: [[u32; 3]; 12] = [
    [8, 8, 4],
    [8, 8, 8],
    [4, 4, 4],
    [16, 4, 4],
    [32, 4, 2],
    [16, 16, 4],
    [16, 16, 1],
    [32, 8, 1],
    [32, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [2, 2, 2],
];

/// The threads of a block that are evaluated: the first ones, those at powers of two and beside them, the first of each warp, and the last ones.
pub(crate) fn sampled(threads: u32) -> Vec<u32> {
    let powers = (0..10).flat_map(|bit| [(1u32 << bit).wrapping_sub(1), 1 << bit, (1 << bit) + 1]);
    let warps = (0..threads.div_ceil(32)).map(|warp| warp * 32);
    let mut sampled: Vec<u32> = powers.chain(warps).chain([threads.wrapping_sub(2), threads - 1]).collect();
    sampled.retain(|thread| *thread < threads);
    sampled.sort_unstable();
    sampled.dedup();
    sampled
}

/// The parameter at an offset, and how far behind its first byte that is.
pub(crate) fn parameter_at(parameters: &[KernelParameter], offset: u64) -> Option<(usize, u64)> {
    let is_in = |parameter: &KernelParameter| {
        (u64::from(parameter.offset)..u64::from(parameter.offset + parameter.size)).contains(&offset)
    };
    let index = parameters.iter().position(is_in)?;
    Some((index, offset - u64::from(parameters[index].offset)))
}
