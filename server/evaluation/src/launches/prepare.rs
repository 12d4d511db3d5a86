//! Prepares a launch in a comment.

use crate::launches::blocks::{FollowingLaunch, WrittenLaunch};
use crate::launches::statement::{LaunchLineError, WrittenClaim, WrittenClaimContent};
use kernel::arguments::argument_error::ArgumentError;
use kernel::arguments::image_argument::ImageArgument;
use kernel::arguments::launch::{KernelLaunch, LaunchFailure, LaunchableKernel, prepare};
use kernel::arguments::tensor_argument::TensorArgument;
use kernel::claims::claim::MemoryClaim;
use kernel::claims::condition::MemoryCondition;
use kernel::claims::expectation::Expectation;
use kernel::stream::{StreamKernel, prepare_stream};
use kernel::{Kernel, KernelModule};
use machine::UnsupportedAt;
use program::{GridSizes, LaneValues, WARP_SIZE};
use std::ops::Range;
use values::Shape;

/// The most instructions of a launch, counted per thread.
const MAX_INSTRUCTIONS: u64 = 2_000_000;

/// The most elements of all buffers of a launch.
const MAX_ELEMENTS: u64 = 1 << 20;

/// The most bytes of the variables of a module: as many as the elements of buffers can have.
const MAX_VARIABLES: u64 = MAX_ELEMENTS * 16;

/// The most variables and buffers of all launches of a text: each launch has all variables of the module.
pub const MAX_ALLOCATIONS: usize = 1 << 18;

/// The most bytes of the registers and local variables of the threads that the machine may have at the same time.
const MAX_THREAD_BYTES: u64 = 1 << 30;

/// The most warps that the machine has at the same time: those of a GPU, if no CTA is larger.
const RESIDENT_WARPS: u64 = 132 * 64;

/// The most threads of a CTA.
const MAX_BLOCK: u64 = 1024;

/// The most kernels that an unknown name is compared with.
const COMPARED_KERNELS: usize = 64;

/// The most kernels that a message names.
const SHOWN_KERNELS: usize = 8;

/// A launch that can run, with its claims.
pub struct PreparedLaunch {
    /// The kernel, its memory and its launch.
    pub kernel: LaunchableKernel,
    /// The kernels that run after it.
    pub following: Vec<LaunchableKernel>,
    /// The claims; each has the same index as its line.
    pub claims: Vec<MemoryClaim>,
}

impl PreparedLaunch {
    /// All its kernels, one after another.
    pub fn stream(&self) -> Vec<StreamKernel<'_>> {
        std::iter::once(&self.kernel).chain(&self.following).map(StreamKernel::new).collect()
    }

    /// The last one, whose memory has the buffers of all.
    pub fn last(&self) -> StreamKernel<'_> {
        StreamKernel::new(self.following.last().unwrap_or(&self.kernel))
    }
}

/// Prepares a launch.
pub fn prepare_launch(
    module: &mut KernelModule,
    text: &str,
    written: &WrittenLaunch,
) -> Result<PreparedLaunch, LaunchLineError> {
    check_size(written)?;
    check_variables(module, written)?;
    let prepared = prepare(module, &written.launch, MAX_INSTRUCTIONS, &mut no_file);
    let mut kernel = prepared.map_err(|failure| launch_error(failure, module.names(), &WrittenPlace::of(written)))?;
    let launches: Vec<KernelLaunch> = written.following.iter().map(|one| one.launch.clone()).collect();
    let following = prepare_stream(module, &mut kernel.memory, &launches, MAX_INSTRUCTIONS, &mut no_file);
    let following = following.map_err(|(number, failure)| {
        launch_error(failure, module.names(), &WrittenPlace::of_following(&written.following[number]))
    })?;
    let mut prepared = PreparedLaunch { kernel, following, claims: Vec::new() };
    check_threads(&prepared, written)?;
    let claims = written.claims.iter().map(|one| claim(text, one, prepared.last())).collect::<Result<_, _>>()?;
    prepared.claims = claims;
    Ok(prepared)
}

fn claim(text: &str, written: &WrittenClaim, launch: StreamKernel) -> Result<MemoryClaim, LaunchLineError> {
    let StreamKernel { kernel, memory, .. } = launch;
    let (found, help) = match &written.content {
        WrittenClaimContent::Values { target, values } => {
            let expected = Expectation::of(target, &text[values.clone()], kernel, memory, &mut no_file);
            let help = "write `expect out[3] == 7`, or `expect out == 1, 2, 3` for the first elements";
            (expected.map(MemoryClaim::Values), help)
        }
        WrittenClaimContent::Condition(kind, condition) => {
            let condition = MemoryCondition::parse(*kind, &text[condition.clone()], kernel, memory);
            let help = "write a condition on buffers and variables, such as `out[0] + out[1] == 3`";
            (condition.map(MemoryClaim::Condition), help)
        }
    };
    found.map_err(|message| LaunchLineError::new(written.range.clone(), message, help))
}

fn no_file(path: &str, _: Shape) -> Result<Vec<u8>, String> {
    Err(format!("`@{path}`: comments cannot read files; use `ptx-atomics run`"))
}

/// Rejects buffers that are too large for a run beside typing.
fn check_size(written: &WrittenLaunch) -> Result<(), LaunchLineError> {
    let count = |argument: &String| {
        let spec = argument.split_once('=')?.1;
        if let Some(elements) = TensorArgument::own_elements(spec).or_else(|| ImageArgument::own_elements(spec)) {
            return Some(elements);
        }
        let (_, rest) = spec.split_once('[')?;
        let mut sizes = rest.split_once(']')?.0.split('x').map(|size| size.trim().parse::<u64>().ok());
        sizes.try_fold(1_u64, |product, size| Some(product.saturating_mul(size?)))
    };
    let following = written.following.iter().map(|one| &one.launch);
    let launches = std::iter::once(&written.launch).chain(&written.launch.beside).chain(following);
    let elements = launches.flat_map(|one| &one.arguments).filter_map(count).fold(0_u64, u64::saturating_add);
    if elements <= MAX_ELEMENTS {
        return Ok(());
    }
    Err(LaunchLineError::new(
        written.range.clone(),
        format!("{elements} elements in buffers: a launch in a comment has at most {MAX_ELEMENTS}"),
        "use smaller buffers, or `ptx-atomics run`",
    ))
}

/// Rejects modules whose variables are too large for a run beside typing.
fn check_variables(module: &KernelModule, written: &WrittenLaunch) -> Result<(), LaunchLineError> {
    let bytes = module.variable_bytes();
    if bytes <= MAX_VARIABLES {
        return Ok(());
    }
    Err(LaunchLineError::new(
        written.range.clone(),
        format!("{bytes} bytes in variables of the module: a launch in a comment has at most {MAX_VARIABLES}"),
        "use smaller variables, or `ptx-atomics run`",
    ))
}

/// Rejects launches whose threads take too much memory for a run beside typing.
fn check_threads(prepared: &PreparedLaunch, written: &WrittenLaunch) -> Result<(), LaunchLineError> {
    let bytes = prepared.stream().into_iter().map(thread_bytes).max().unwrap_or_default();
    if bytes <= MAX_THREAD_BYTES {
        return Ok(());
    }
    Err(LaunchLineError::new(
        written.range.clone(),
        format!("{bytes} bytes in registers and local memory: a launch in a comment has at most {MAX_THREAD_BYTES}"),
        "use fewer threads, registers or variables, or `ptx-atomics run`",
    ))
}

/// The bytes of the registers and local variables of the threads that a launch has at the same time.
fn thread_bytes(StreamKernel { kernel, launch, .. }: StreamKernel) -> u64 {
    let bytes = launch.all_sizes().map(|GridSizes { kernel: index, grid, block, .. }| {
        let function = &kernel.program.functions[index];
        // A launch of larger CTAs is refused for that.
        let threads = block.count().clamp(1, MAX_BLOCK);
        let warps = threads.div_ceil(WARP_SIZE.into());
        let registers = warps * u64::from(function.registers) * size_of::<LaneValues>() as u64;
        let ctas = grid.count().min(RESIDENT_WARPS.div_ceil(warps));
        (registers + threads * u64::from(function.frame_bytes)).saturating_mul(ctas)
    });
    bytes.fold(0, u64::saturating_add)
}

/// Where a launch is written.
struct WrittenPlace<'w> {
    launch: &'w KernelLaunch,
    range: &'w Range<usize>,
    name: &'w Range<usize>,
}

impl<'w> WrittenPlace<'w> {
    const fn of(WrittenLaunch { launch, range, name, .. }: &'w WrittenLaunch) -> Self {
        Self { launch, range, name }
    }

    const fn of_following(FollowingLaunch { launch, range, name }: &'w FollowingLaunch) -> Self {
        Self { launch, range, name }
    }
}

fn arguments_error(ArgumentError { message, missing }: ArgumentError, line: Range<usize>) -> LaunchLineError {
    if missing.is_empty() {
        let help = "write arguments as in `n=u32=5`, `out=u32[64]` or `in=f32[2]=1,2`";
        return LaunchLineError::new(line, message, help);
    }
    let (missing, end) = (missing.join(" "), line.end);
    let insertion = (format!("Add `{missing}`"), end, format!(" {missing}"));
    LaunchLineError { range: line, message, help: format!("add `{missing}`"), insertion: Some(insertion) }
}

fn launch_error(failure: LaunchFailure, known: &[String], written: &WrittenPlace) -> LaunchLineError {
    let line = written.range.clone();
    match failure {
        LaunchFailure::Sizes(message) => LaunchLineError::new(line, message, "change the sizes of the launch"),
        LaunchFailure::Arguments(error) | LaunchFailure::BesideArguments(error) => arguments_error(error, line),
        LaunchFailure::Kernel(error) => {
            let beside = written.launch.beside.iter().find(|one| !known.contains(&one.kernel));
            if beside.is_some() {
                return LaunchLineError::new(line, error.message, "name a kernel of the module after `beside`");
            }
            if known.contains(&written.launch.kernel) {
                return LaunchLineError::new(error.range, error.message, "the kernel cannot run in the emulator");
            }
            let compared = &known[..known.len().min(COMPARED_KERNELS)];
            let help = match isa::closest(&written.launch.kernel, compared.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "the module has no kernel".to_owned(),
                None => {
                    let more = if known.len() > SHOWN_KERNELS { " and others" } else { "" };
                    format!("the module has `{}`{more}", known[..known.len().min(SHOWN_KERNELS)].join("`, `"))
                }
            };
            LaunchLineError::new(written.name.clone(), format!("no kernel `{}`", written.launch.kernel), help)
        }
    }
}

/// The mistake of an instruction that is not emulated.
pub fn unsupported(kernel: &Kernel, at: &UnsupportedAt) -> LaunchLineError {
    let message = format!("emulation of `{}` is not supported", at.opcode);
    LaunchLineError::new(kernel.range(at.place), message, "remove the launch from the comments")
}

/// The mistake of a launch that was not followed to its end.
pub fn too_long(range: Range<usize>) -> LaunchLineError {
    LaunchLineError::new(
        range,
        format!("launch was stopped after {MAX_INSTRUCTIONS} instructions"),
        "use a smaller launch, or `ptx-atomics run`",
    )
}

/// The error of a launch behind others that have used up the memory for launches.
pub fn too_many_allocations(range: Range<usize>) -> LaunchLineError {
    LaunchLineError::new(
        range,
        format!("launch was not run: those above it have more than {MAX_ALLOCATIONS} variables and buffers"),
        "write fewer launches in a file, or use `ptx-atomics run`",
    )
}
