//! The launch of a kernel, as users write it, and the kernel with its memory.

use super::arguments::ReadFile;
use super::launch_memory::{ArgumentError, KernelMemory};
use super::{Kernel, KernelError};
use emulator::machine::{
    BesideLaunch, Dimensions, Launch, LaunchError, LaunchStart, Processor, TraceRequest, UseRecording,
};
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
    /// The kernels that run at the same time.
    pub beside: Vec<KernelLaunch>,
    /// Where it runs; on the host only beside another one.
    pub processor: Processor,
    /// When it may begin; before the end of an earlier kernel only after one.
    pub start: LaunchStart,
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
    let mut beside: Vec<&KernelLaunch> = options.beside.iter().collect();
    beside.sort_by_key(|one| one.processor);
    let names: Vec<&str> = beside.iter().map(|one| &*one.kernel).collect();
    let kernel = Kernel::lower_beside(file, module, &options.kernel, &names).map_err(LaunchFailure::Kernel)?;
    let memory = KernelMemory::new(&kernel, &options.arguments, read_file);
    let mut prepared = with_memory(kernel, memory, options, max_instructions)?;
    for (at, one) in beside.into_iter().enumerate() {
        // Its parameters are its own.
        let kernel = Kernel::lower(file, module, &one.kernel).map_err(LaunchFailure::Kernel)?;
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
        self.memory = memory.map_err(LaunchFailure::Arguments)?;
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
        beside: Vec::new(),
        start: options.start,
        uses: UseRecording::Off,
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
