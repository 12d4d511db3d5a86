//! The launch of a kernel, as users write it, and the kernel with its memory.

use super::arguments::ReadFile;
use super::launch_memory::{ArgumentError, KernelMemory};
use super::{Kernel, KernelError};
use emulator::machine::{Dimensions, Launch, TraceRequest};
use syntax::LintFile;

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
    /// The kernel cannot be lowered.
    Kernel(KernelError),
}

/// Lowers the kernel of a launch and places its arguments. `read_file` gives the data of files.
///
/// # Errors
/// [`LaunchFailure`] with a message for users.
pub fn prepare(
    file: &LintFile,
    module: isa::Module,
    options: &KernelLaunch,
    max_instructions: u64,
    read_file: ReadFile,
) -> Result<LaunchableKernel, LaunchFailure> {
    let kernel = Kernel::lower(file, module, &options.kernel).map_err(LaunchFailure::Kernel)?;
    let memory = KernelMemory::new(&kernel, &options.arguments, read_file);
    with_memory(kernel, memory, options, max_instructions)
}

/// The same for a kernel of the same module that runs behind others, whose last memory is given.
///
/// # Errors
/// [`LaunchFailure`] with a message for users.
pub fn prepare_following(
    file: &LintFile,
    module: isa::Module,
    options: &KernelLaunch,
    max_instructions: u64,
    (before, read_file): (&KernelMemory, ReadFile),
) -> Result<LaunchableKernel, LaunchFailure> {
    let kernel = Kernel::lower(file, module, &options.kernel).map_err(LaunchFailure::Kernel)?;
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
    let launch = Launch {
        kernel: kernel.index,
        grid: options.grid,
        block: kernel.bounds.block(options.block).map_err(LaunchFailure::Sizes)?,
        cluster: kernel.bounds.cluster(options.cluster).map_err(LaunchFailure::Sizes)?,
        dynamic_shared: options.shared,
        parameters: std::mem::take(&mut memory.parameters),
        seed: options.seed,
        max_instructions,
        trace: TraceRequest::default(),
    };
    Ok(LaunchableKernel { kernel, memory, launch })
}

/// Reads a size in one to three dimensions: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// A message with what is wrong.
pub fn dimensions(text: &str) -> Result<Dimensions, String> {
    let mut sizes = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > sizes.len() {
        return Err("expected at most three numbers".to_owned());
    }
    for (size, part) in sizes.iter_mut().zip(parts) {
        *size = part.trim().parse().map_err(|_| format!("`{part}` is not a number"))?;
    }
    Ok(Dimensions(sizes))
}
