//! Which launches there can be: sizes of grids, blocks, clusters and memory.

use program::launch::kernel_launch::{GridSizes, Launch};
use program::machine_program::MachineProgram;
use std::fmt;

/// The largest number of CTAs in each dimension of a grid.
const MAX_GRID: [u32; 3] = [i32::MAX as u32, u16::MAX as u32, u16::MAX as u32];
/// The largest number of threads of a CTA.
const MAX_BLOCK: u64 = 1024;
/// The largest number of CTAs of a cluster.
const MAX_CLUSTER: u64 = 16;
/// The most bytes of shared memory of a CTA, on any target.
const MAX_SHARED: u64 = 228 << 10;
/// The most local memory of a thread.
pub const MAX_LOCAL: u64 = 512 << 10;
/// The most threads of a launch whose executions are explored.
const MAX_EXPLORED_THREADS: u64 = 1 << 14;

/// Why a kernel cannot be launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// A dimension of the grid, block or cluster is zero.
    Empty,
    /// More CTAs in a dimension of the grid than there can be.
    GridTooLarge(u32),
    /// More threads in a CTA than there can be.
    BlockTooLarge(u64),
    /// More CTAs in a cluster than there can be.
    ClusterTooLarge(u64),
    /// The grid is not a multiple of the cluster in each dimension.
    GridNotDivisible,
    /// More shared memory than a CTA can have.
    SharedTooLarge(u64),
    /// More local memory than a thread can have.
    LocalTooLarge(u64),
    /// Clusters in a launch with kernels that run at the same time.
    BesideCluster,
    /// More threads than there can be where each execution is explored.
    TooManyToExplore(u64),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a size of the grid, the block or the cluster is 0"),
            Self::GridTooLarge(ctas) => write!(f, "grid of {ctas} CTAs: at most 2147483647 in x, 65535 in y and z"),
            Self::BlockTooLarge(threads) => write!(f, "block of {threads} threads: a CTA has at most {MAX_BLOCK}"),
            Self::ClusterTooLarge(ctas) => write!(f, "cluster of {ctas} CTAs: a cluster has at most {MAX_CLUSTER}"),
            Self::GridNotDivisible => write!(f, "the grid is not a multiple of the cluster in each dimension"),
            Self::BesideCluster => write!(f, "kernels that run at the same time cannot have clusters"),
            Self::TooManyToExplore(threads) => {
                write!(
                    f,
                    "a launch of {threads} threads: at most {MAX_EXPLORED_THREADS} can be verified; use a smaller grid"
                )
            }
            Self::SharedTooLarge(bytes) => {
                write!(f, "{bytes} bytes of shared memory: a CTA has at most {MAX_SHARED}")
            }
            Self::LocalTooLarge(bytes) => {
                write!(f, "{bytes} bytes of local memory: a thread has at most {MAX_LOCAL}")
            }
        }
    }
}

impl std::error::Error for LaunchError {}

/// Whether a launch is one that the machine can run.
///
/// # Errors
/// [`LaunchError`] if it is not.
pub fn check(program: &MachineProgram, launch: &Launch) -> Result<(), LaunchError> {
    if !launch.beside.is_empty() && launch.cluster.count() > 1 {
        return Err(LaunchError::BesideCluster);
    }
    launch.all_sizes().try_for_each(|sizes| check_sizes(program, &sizes))
}

/// The same for a search of all executions, each state of which has all threads.
pub fn check_explored(program: &MachineProgram, launch: &Launch) -> Result<(), LaunchError> {
    check(program, launch)?;
    let threads = launch
        .all_sizes()
        .fold(0, |threads: u64, sizes| threads.saturating_add(sizes.grid.count().saturating_mul(sizes.block.count())));
    if threads > MAX_EXPLORED_THREADS { Err(LaunchError::TooManyToExplore(threads)) } else { Ok(()) }
}

fn check_sizes(program: &MachineProgram, sizes: &GridSizes) -> Result<(), LaunchError> {
    let GridSizes { grid, block, cluster, dynamic_shared, .. } = sizes;
    let kernel = &program.functions[sizes.kernel];
    let shared = u64::from(kernel.shared.static_bytes) + u64::from(*dynamic_shared);
    if [grid, block, cluster].iter().any(|size| size.0.contains(&0)) {
        Err(LaunchError::Empty)
    } else if let Some((ctas, _)) = grid.0.iter().zip(MAX_GRID).find(|(ctas, most)| **ctas > *most) {
        Err(LaunchError::GridTooLarge(*ctas))
    } else if block.count() > MAX_BLOCK {
        Err(LaunchError::BlockTooLarge(block.count()))
    } else if cluster.count() > MAX_CLUSTER {
        Err(LaunchError::ClusterTooLarge(cluster.count()))
    } else if grid.0.iter().zip(cluster.0).any(|(ctas, cluster)| ctas % cluster != 0) {
        Err(LaunchError::GridNotDivisible)
    } else if shared > MAX_SHARED {
        Err(LaunchError::SharedTooLarge(shared))
    } else if u64::from(kernel.frame_bytes) > MAX_LOCAL {
        Err(LaunchError::LocalTooLarge(kernel.frame_bytes.into()))
    } else {
        Ok(())
    }
}
