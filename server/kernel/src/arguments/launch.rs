//! The launch of a kernel, as users write it, and the kernel with its memory.

use crate::arguments::argument_error::ArgumentError;
use crate::arguments::argument_values::{MOST_BYTES, ReadFile};
use crate::arguments::launch_memory::KernelMemory;
use crate::{Kernel, KernelError, KernelModule};
use machine::LaunchError;
use program::{BesideLaunch, Dimensions, Launch, LaunchStart, Processor, RunChecks, TraceRequest, UseRecording};

/// A launch as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelLaunch {
    /// The kernel.
    pub kernel: String,
    /// CTAs of the grid.
    pub grid: Dimensions,
    /// Threads of a CTA; those that the kernel requires by default, or one.
    pub block: Option<Dimensions>,
    /// CTAs of a cluster; those that the kernel requires by default, or one.
    pub cluster: Option<Dimensions>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Chooses the schedule.
    pub seed: u64,
    /// The arguments, as `NAME=SPEC`.
    pub arguments: Vec<String>,
    /// What an earlier kernel, which this one can overlap, does with buffers: `NAME=reads` or `NAME=writes`.
    pub earlier: Vec<String>,
    /// The kernels that run at the same time.
    pub beside: Vec<KernelLaunch>,
    /// Where it runs; on the host only beside another one.
    pub processor: Processor,
    /// When it may begin; before the end of an earlier kernel only after one.
    pub start: LaunchStart,
    /// The most bytes of a buffer; by default [`MOST_BYTES`].
    pub most_bytes: Option<u64>,
}

/// A kernel that can be launched.
#[derive(Debug)]
pub struct LaunchableKernel {
    /// The kernel.
    pub kernel: Kernel,
    /// Its arguments in memory.
    pub memory: KernelMemory,
    /// The launch.
    pub launch: Launch,
}

/// Why a kernel cannot be launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchFailure {
    /// The sizes of the launch do not fit the kernel.
    Sizes(String),
    /// The arguments do not fit it.
    Arguments(ArgumentError),
    /// The arguments of a kernel that runs at the same time do not fit that one.
    BesideArguments(ArgumentError),
    /// The kernel cannot be lowered.
    Kernel(KernelError),
}

/// Lowers the kernel of a launch and places its arguments. `read_file` gives the data of files.
///
/// # Errors
/// [`LaunchFailure`] with a message for users.
pub fn prepare(
    module: &mut KernelModule,
    options: &KernelLaunch,
    max_instructions: u64,
    read_file: ReadFile,
) -> Result<LaunchableKernel, LaunchFailure> {
    let mut beside: Vec<&KernelLaunch> = options.beside.iter().collect();
    beside.sort_by_key(|one| one.processor);
    let names: Vec<&str> = beside.iter().map(|one| &*one.kernel).collect();
    let kernel = module.lower(&options.kernel, &names).map_err(LaunchFailure::Kernel)?;
    let memory = KernelMemory::new(&kernel, &options.arguments, options.most_bytes.unwrap_or(MOST_BYTES), read_file);
    let mut prepared = with_memory(kernel, memory, options, max_instructions)?;
    for (at, one) in beside.into_iter().enumerate() {
        // Its parameters are its own.
        let kernel = module.lower(&one.kernel, &[]).map_err(LaunchFailure::Kernel)?;
        prepared.add_beside(prepared.kernel.beside[at], &kernel, one, read_file)?;
    }
    Ok(prepared)
}

impl LaunchableKernel {
    /// Adds a kernel that runs at the same time, by its index among the functions. It has the buffers of those before.
    fn add_beside(
        &mut self,
        index: usize,
        kernel: &Kernel,
        options: &KernelLaunch,
        read_file: ReadFile,
    ) -> Result<(), LaunchFailure> {
        let sizes = |result: Result<Dimensions, String>| result.map_err(LaunchFailure::Sizes);
        if !options.earlier.is_empty() {
            return Err(LaunchFailure::Sizes("`earlier` is about the first kernel".to_owned()));
        }
        if sizes(kernel.bounds.cluster(options.cluster))?.count() > 1 {
            return Err(LaunchFailure::Sizes(LaunchError::BesideCluster.to_string()));
        }
        let memory = self.memory.following(kernel, &options.arguments, read_file);
        self.memory = memory.map_err(LaunchFailure::BesideArguments)?;
        self.launch.beside.push(BesideLaunch {
            kernel: index,
            grid: options.grid,
            block: sizes(kernel.bounds.block(options.block))?,
            dynamic_shared: options.shared,
            parameters: std::mem::take(&mut self.memory.parameters),
            processor: options.processor,
        });
        Ok(())
    }
}

/// The same for a kernel of the same module that runs after others, whose last memory is given.
///
/// # Errors
/// [`LaunchFailure`] with a message for users.
pub fn prepare_following(
    module: &mut KernelModule,
    options: &KernelLaunch,
    max_instructions: u64,
    (before, read_file): (&KernelMemory, ReadFile),
) -> Result<LaunchableKernel, LaunchFailure> {
    let kernel = module.lower(&options.kernel, &[]).map_err(LaunchFailure::Kernel)?;
    let memory = before.following(&kernel, &options.arguments, read_file);
    with_memory(kernel, memory, options, max_instructions)
}

fn with_memory(
    kernel: Kernel,
    memory: Result<KernelMemory, ArgumentError>,
    options: &KernelLaunch,
    max_instructions: u64,
) -> Result<LaunchableKernel, LaunchFailure> {
    let mut memory = memory.map_err(LaunchFailure::Arguments)?;
    memory.use_earlier(&options.earlier).map_err(LaunchFailure::Arguments)?;
    let block = kernel.bounds.block(options.block).map_err(LaunchFailure::Sizes)?;
    let cluster = kernel.bounds.cluster(options.cluster).map_err(LaunchFailure::Sizes)?;
    check_cluster(options.grid, cluster).map_err(LaunchFailure::Sizes)?;
    let launch = Launch {
        kernel: kernel.index,
        grid: options.grid,
        block,
        cluster,
        dynamic_shared: options.shared,
        parameters: std::mem::take(&mut memory.parameters),
        seed: options.seed,
        max_instructions,
        trace: TraceRequest::default(),
        beside: Vec::new(),
        start: options.start,
        uses: UseRecording::Off,
        checks: RunChecks::All,
    };
    Ok(LaunchableKernel { kernel, memory, launch })
}

/// Rejects a grid that is not a multiple of the cluster; the machine rejects sizes of 0.
fn check_cluster(grid: Dimensions, cluster: Dimensions) -> Result<(), String> {
    let mut sizes = grid.0.into_iter().zip(cluster.0);
    if sizes.all(|(ctas, size)| size == 0 || ctas.is_multiple_of(size)) {
        return Ok(());
    }
    let [grid, cluster] = [grid, cluster].map(|Dimensions([x, y, z])| format!("{x},{y},{z}"));
    Err(format!("grid {grid} is not a multiple of cluster {cluster}"))
}

/// Reads a size in one to three dimensions: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// A message with what is wrong.
pub fn dimensions(text: &str) -> Result<Dimensions, String> {
    let mut sizes = [1; 3];
    let by_x: Vec<&str> = text.split('x').map(str::trim).collect();
    if by_x.len() > 1 && by_x.iter().all(|part| part.parse::<u32>().is_ok()) {
        return Err(format!("separate sizes by commas: `{}`", by_x.join(",")));
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > sizes.len() {
        return Err("expected at most three numbers".to_owned());
    }
    for (size, part) in sizes.iter_mut().zip(parts) {
        *size = part.parse().map_err(|_| match part {
            "" => "missing size".to_owned(),
            _ if part.bytes().all(|byte| byte.is_ascii_digit()) => format!("size `{part}` is too large"),
            _ => format!("size `{part}` is not a positive number"),
        })?;
    }
    Ok(Dimensions(sizes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_their_mistakes_named() {
        assert_eq!(dimensions("2, 3"), Ok(Dimensions([2, 3, 1])));
        for (text, message) in [
            ("2x2", "separate sizes by commas: `2,2`"),
            ("-1", "size `-1` is not a positive number"),
            ("2,", "missing size"),
            ("4294967296", "size `4294967296` is too large"),
            ("1,1,1,1", "expected at most three numbers"),
        ] {
            assert_eq!(dimensions(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_grid_is_a_multiple_of_its_cluster() {
        let message = "grid 1,1,1 is not a multiple of cluster 3,1,1".to_owned();
        assert_eq!(check_cluster(Dimensions([1, 1, 1]), Dimensions([3, 1, 1])), Err(message));
        assert_eq!(check_cluster(Dimensions([6, 2, 1]), Dimensions([3, 2, 1])), Ok(()));
    }
}
