//! The launch of a kernel: its dimensions, its parameters and the bounds of its run.

use crate::lanes::WARP_SIZE;
use std::fmt;
use std::ops::Range;

/// A three-dimensional size or index: x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions(pub [u32; 3]);

impl Default for Dimensions {
    fn default() -> Self {
        Self([1; 3])
    }
}

impl fmt::Display for Dimensions {
    /// Without trailing ones: `8`, `8,4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [x, 1, 1] => write!(f, "{x}"),
            [x, y, 1] => write!(f, "{x},{y}"),
            [x, y, z] => write!(f, "{x},{y},{z}"),
        }
    }
}

impl Dimensions {
    /// The product of the three, or the largest number if it is larger.
    pub fn count(self) -> u64 {
        self.0.iter().fold(1, |product, size| product.saturating_mul(u64::from(*size)))
    }

    /// The index of a position in this size: x varies fastest.
    pub fn position(self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.0.map(u64::from);
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    /// The number of a CTA of a grid of this size, with its index if that has more than one dimension: `3`, `3 (1, 1)`.
    pub fn cta_name(self, cta: u32) -> String {
        let [x, y, z] = self.position(cta.into());
        match self.0 {
            [_, 1, 1] => cta.to_string(),
            // Of a kernel that runs at the same time.
            _ if u64::from(cta) >= self.count() => cta.to_string(),
            [_, _, 1] => format!("{cta} ({x}, {y})"),
            _ => format!("{cta} ({x}, {y}, {z})"),
        }
    }

    /// The number of a position in this size.
    pub fn linear(self, [x, y, z]: [u32; 3]) -> u64 {
        let [width, height, _] = self.0.map(u64::from);
        (u64::from(z) * height + u64::from(y)) * width + u64::from(x)
    }
}

/// How a kernel is launched.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The index of the kernel among the functions.
    pub kernel: usize,
    /// CTAs of the grid.
    pub grid: Dimensions,
    /// Threads of a CTA.
    pub block: Dimensions,
    /// CTAs of a cluster.
    pub cluster: Dimensions,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameter memory.
    pub parameters: Vec<u8>,
    /// Chooses the schedule.
    pub seed: u64,
    /// The number of thread instructions after which the run is given up.
    pub max_instructions: u64,
    /// What is traced.
    pub trace: TraceRequest,
    /// The kernels that run at the same time; those of the host are the last ones.
    pub beside: Vec<BesideLaunch>,
    /// When it may begin.
    pub start: LaunchStart,
    /// Whether it is asked for what the kernel does to global memory.
    pub uses: UseRecording,
    /// Which mistakes are looked for.
    pub checks: RunChecks,
}

/// When a kernel may begin that is launched after another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LaunchStart {
    /// When that one has ended.
    #[default]
    AfterEnd,
    /// Earlier, by programmatic dependent launch: `griddepcontrol.wait` waits for its end.
    Programmatic,
}

/// Which mistakes a run looks for, beside those that end it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunChecks {
    /// None.
    None,
    /// Those of memory: bounds, alignment, lifetime, and values that nothing has written.
    Memory,
    /// Data races.
    Races,
    /// Both.
    #[default]
    All,
}

impl RunChecks {
    /// Whether data races are looked for.
    pub const fn has_races(self) -> bool {
        matches!(self, Self::Races | Self::All)
    }

    /// Whether mistakes of memory are.
    pub const fn has_memory(self) -> bool {
        matches!(self, Self::Memory | Self::All)
    }
}

/// Whether what a kernel does to global memory is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UseRecording {
    /// It is not.
    #[default]
    Off,
    /// It is, as the next kernel may begin before this one has ended.
    On,
}

/// A kernel that runs at the same time as another one. It has no clusters.
#[derive(Clone, Debug)]
pub struct BesideLaunch {
    /// The index of the kernel among the functions.
    pub kernel: usize,
    /// CTAs of the grid.
    pub grid: Dimensions,
    /// Threads of a CTA.
    pub block: Dimensions,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameter memory.
    pub parameters: Vec<u8>,
    /// Where it runs.
    pub processor: Processor,
}

/// Where threads run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Processor {
    /// On the device.
    #[default]
    Device,
    /// On the host, which only accesses with the scope of the system include.
    Host,
}

/// The sizes of one of the grids of a launch.
#[derive(Clone, Copy, Debug)]
pub struct GridSizes {
    /// The index of the kernel among the functions.
    pub kernel: usize,
    /// CTAs of the grid.
    pub grid: Dimensions,
    /// Threads of a CTA.
    pub block: Dimensions,
    /// CTAs of a cluster.
    pub cluster: Dimensions,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

impl Launch {
    /// The sizes of a grid: the kernel's own is the first one.
    pub fn sizes(&self, grid: usize) -> GridSizes {
        match grid.checked_sub(1).and_then(|at| self.beside.get(at)) {
            None => GridSizes {
                kernel: self.kernel,
                grid: self.grid,
                block: self.block,
                cluster: self.cluster,
                dynamic_shared: self.dynamic_shared,
            },
            Some(BesideLaunch { kernel, grid, block, dynamic_shared, .. }) => GridSizes {
                kernel: *kernel,
                grid: *grid,
                block: *block,
                cluster: Dimensions::default(),
                dynamic_shared: *dynamic_shared,
            },
        }
    }

    /// The sizes of all grids.
    pub fn all_sizes(&self) -> impl Iterator<Item = GridSizes> {
        (0..=self.beside.len()).map(|grid| self.sizes(grid))
    }

    /// The number of clusters of all grids.
    pub fn clusters(&self) -> u64 {
        let of_grid = |sizes: GridSizes| sizes.grid.count() / sizes.cluster.count();
        self.all_sizes().map(of_grid).fold(0, u64::saturating_add)
    }

    /// The first CTA of the host, counted through all grids, if there is one.
    pub fn first_host_cta(&self) -> Option<u64> {
        let at = self.beside.iter().position(|one| one.processor == Processor::Host)?;
        Some(self.all_sizes().take(at + 1).map(|sizes| sizes.grid.count()).fold(0, u64::saturating_add))
    }

    /// The most warps of a CTA.
    pub fn warps_of_cta(&self) -> u32 {
        self.all_sizes().map(|sizes| sizes.block.count().div_ceil(WARP_SIZE.into()) as u32).max().unwrap_or_default()
    }
}

/// What is traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceRequest {
    /// The threads whose instructions and accesses are traced.
    pub threads: TracedThreads,
    /// Addresses of global memory, to which all accesses are traced.
    pub addresses: Vec<Range<u64>>,
}

impl TraceRequest {
    /// Whether nothing is traced.
    pub const fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.addresses.is_empty()
    }
}

/// The threads of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TracedThreads {
    /// These.
    Listed(Vec<ThreadId>),
    /// All.
    All,
}

impl Default for TracedThreads {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

impl TracedThreads {
    /// Whether a thread is traced.
    pub fn contains(&self, thread: ThreadId) -> bool {
        match self {
            Self::Listed(threads) => threads.contains(&thread),
            Self::All => true,
        }
    }

    const fn is_empty(&self) -> bool {
        match self {
            Self::Listed(threads) => threads.is_empty(),
            Self::All => false,
        }
    }
}

/// A thread of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    /// The number of its CTA.
    pub cta: u32,
    /// Its number in the CTA.
    pub thread: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_numbers() {
        let size = Dimensions([4, 3, 2]);
        assert_eq!(size.count(), 24);
        assert_eq!(size.position(17), [1, 1, 1]);
        assert!((0..24).all(|linear| size.linear(size.position(linear)) == linear));
    }
}
