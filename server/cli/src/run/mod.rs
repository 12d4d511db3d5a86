//! `run`: runs a kernel in the emulator.

mod any_size;
mod assumed;
mod at_source;
mod check;
mod check_report;
mod executed;
mod execution;
mod failure;
mod grids;
mod memory_limit;
mod npy;
mod orders;
mod python_source;
mod question;
mod repair;
mod report;
mod several;
mod source;
mod source_launch;
mod source_places;
mod stream;
mod trace;
mod undecided;

use crate::exit::{Exit, fail};
use crate::lint::MOST_JOBS;
use crate::output::{EscapeStyle, print_as};
use assumed::GivenAssumption;
pub use check::{CheckArguments, check};
use clap::{Args, ValueEnum, value_parser};
use diagnostics::{Context, Diagnostic, Settings, Severity, Snapshot, Subject};
use evaluation::launches::LaunchPurpose;
use evaluation::launches::statement::read_launch;
use failure::{ArgumentOption, failure_message};
use isa::target::{Target, TargetSet};
use kernel::arguments::launch;
use kernel::arguments::launch::{KernelLaunch, LaunchableKernel};
use kernel::arguments::launch_memory::{KernelMemory, bytes_at};
use kernel::claims::claim::MemoryClaim;
use kernel::claims::condition::{ConditionKind, MemoryCondition};
use kernel::claims::expectation::Expectation;
use kernel::{Kernel, KernelModule};
use lints::Checker;
use machine::UnsupportedAt;
use program::{Dimensions, Launch, LaunchStart, Processor, RunChecks};
use report::{KernelRun, RunProblem};
use several::{LaunchResult, LaunchRow, SeveralOptions, Sweep};
pub use source::CompilerOptions;
use source::{GridPart, KernelSource, ModuleSource};
use source_launch::SourceLaunch;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use stream::RanStream;
use syntax::LintFile;
use trace::RunTrace;
use values::Shape;

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RunOutput {
    /// The result, and the problems with their lines
    Text,
    /// One JSON object
    Json,
}

/// A kernel and its launch.
#[derive(Args, Clone)]
pub struct LaunchOptions {
    /// PTX module, CUDA C++ that nvcc compiles, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Kernel to run [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// CTAs of the grid: X, X,Y or X,Y,Z [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = sizes, allow_negative_numbers = true)]
    pub grid: Option<Dimensions>,
    /// Threads of a CTA [default: those that the kernel requires, or 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = sizes, allow_negative_numbers = true)]
    pub block: Option<Dimensions>,
    /// CTAs of a cluster [default: those that the kernel requires, or 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = sizes, allow_negative_numbers = true)]
    pub cluster: Option<Dimensions>,
    /// Bytes of dynamic shared memory
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = bytes)]
    pub shared: u32,
    /// Seed of the schedule: another seed is another order of the threads
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// GPU that the kernel runs on, such as sm_80, a100, h200 or rtx5090 [default: that of `.target`]
    #[arg(long, value_name = "GPU", value_parser = gpu)]
    pub gpu: Option<Target>,
    /// Argument of the kernel
    #[arg(long = "arg", value_name = "NAME=SPEC", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// What an earlier kernel that this one can overlap, up to `griddepcontrol.wait`, does with a buffer: NAME=reads or NAME=writes
    #[arg(long, value_name = "NAME=USE")]
    pub earlier: Vec<String>,
    /// Kernel of the module that runs at the same time, as its name, sizes and arguments: "consume grid 2 block 32 flag=flag". With `host` after its
    /// name its threads are of the host, which only accesses with the scope `.sys` include
    #[arg(long, value_name = "LAUNCH")]
    pub beside: Vec<String>,
    /// The compiler
    #[command(flatten)]
    pub compiler: CompilerOptions,
}

/// A run is stopped after so many instructions.
const RUN_INSTRUCTIONS: u64 = 1_000_000_000;

/// An execution that `check` explores is stopped after so many instructions: loops that do not end and count are noticed within half a minute.
const CHECK_INSTRUCTIONS: u64 = 100_000_000;

/// Arguments of `run`.
#[derive(Args)]
#[command(after_help = "\
Arguments are written NAME=TYPE=VALUE for a value and NAME=TYPE[COUNT] for a buffer of zeros, whose address is passed:
  n=u32=1000   scale=f32=0.5   out=u32[256]   in=f32[4]=1,2,3   in=u32[256]=iota   in=u32[256]=random(7)   in=f32[64]=@in.npy
  out=f32[256]=undefined, which the host has not written   last=&in+1020, a pointer into a buffer   table=u64[2]=&a,&b+256
  map=tensor(f16[64x32],box=64x8,swizzle=128)=iota, and strides=, steps=, fill=, of=NAME
  map=tensor(f16[64x14x14x4],im2col,channels=64,pixels=128,lower=-1x-1,upper=-1x-1)
  img=surface(u32[64x32])=iota   img=texture(f32x4[64x32],address=border), and layered, read=normalized, of=NAME
NAME is the parameter's name, or its number from 0 on. NAME+BYTES is a part of a structure: s+0=u32=5   s+8=f32[64].

Examples:
  ptx-atomics run histogram.ptx --grid 2 --block 64 --arg 'in=u32[128]=iota' --arg 'out=u32[8]'
  ptx-atomics run histogram.ptx --block 64 --arg 'in=u32[128]=@in.npy' --arg 'out=u32[8]' --save out=out.npy

Exit codes: 0 no problem, 1 a problem was found, 2 the kernel could not be run.")]
pub struct RunCommand {
    #[command(flatten)]
    run: RunArguments,
    /// Number of threads; 0 for one per core. The result does not depend on it: CTAs that exchange nothing run at the same time
    #[arg(long, short, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MOST_JOBS))]
    jobs: u16,
    /// Mistakes that are looked for. With less a run is faster, and says what it has not looked for
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Checks::All)]
    checks: Checks,
}

/// Which mistakes are looked for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Checks {
    /// Only what ends a run: traps, deadlocks, what cannot be executed
    None,
    /// Bounds, alignment, lifetime and undefined values
    Memory,
    /// Data races
    Races,
    /// Memory and data races
    All,
}

impl From<Checks> for RunChecks {
    fn from(checks: Checks) -> Self {
        match checks {
            Checks::None => Self::None,
            Checks::Memory => Self::Memory,
            Checks::Races => Self::Races,
            Checks::All => Self::All,
        }
    }
}

/// What is run and shown.
#[derive(Args, Clone)]
pub struct RunArguments {
    #[command(flatten)]
    launch: LaunchOptions,
    /// Kernel of the module that runs after the one before, as its name, sizes and arguments: "scale grid 2 block 32 in=out n=u32=4". An argument
    /// that is the name of an earlier buffer passes it.
    /// With `programmatic` after the name it may begin before that one has ended: a programmatic dependent launch
    #[arg(long = "then", value_name = "LAUNCH")]
    following: Vec<String>,
    /// Values that a buffer or variable has afterwards; fewer values are compared with the first elements
    #[arg(long = "expect", value_name = "NAME=VALUES", allow_hyphen_values = true)]
    expected: Vec<String>,
    /// Condition on memory that holds afterwards: out[0] + out[1] == 3
    #[arg(long = "require", value_name = "CONDITION")]
    required: Vec<String>,
    /// Condition on memory that does not hold afterwards
    #[arg(long = "forbid", value_name = "CONDITION")]
    forbidden: Vec<String>,
    /// Write a buffer or variable to a file afterwards
    #[arg(long = "save", value_name = "NAME=FILE.npy")]
    saved: Vec<String>,
    /// Show what a thread executes (thread=5, thread=CTA:5), or who accesses memory (out, out[3], 0x700000000000)
    #[arg(long = "trace", value_name = "WHAT")]
    traced: Vec<String>,
    /// Assume what the memory model does not promise, by its name, or with `check --any-size` a condition on launches: %ntid.x <= 256. The verdict says so
    #[arg(long = "assume", value_name = "ASSUMPTION", value_parser = GivenAssumption::parse)]
    assumptions: Vec<GivenAssumption>,
    /// Values that a size or an argument takes: a launch for each of them, or for each combination of several options
    #[arg(long = "sweep", value_name = "NAME=VALUES", value_parser = Sweep::parse)]
    swept: Vec<Sweep>,
    /// Stop after this number of instructions, counted per thread [default: 1000000000]
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value_t = RunOutput::Text)]
    format: RunOutput,
}

/// A size of a launch, without zeros.
fn sizes(text: &str) -> Result<Dimensions, String> {
    match launch::dimensions(text)? {
        Dimensions(sizes) if sizes.contains(&0) => Err("a size is 0: write at least 1".to_owned()),
        sizes => Ok(sizes),
    }
}

/// The target of a GPU.
fn gpu(name: &str) -> Result<Target, String> {
    Target::of_gpu(name).ok_or_else(|| "expected a target or a GPU, such as sm_80, a100, h200 or rtx5090".to_owned())
}

/// The version of a module, and the target of the GPU that it runs on.
///
/// # Errors
/// A message if the GPU cannot run its code.
fn on_gpu(module: isa::Module, gpu: Option<Target>) -> Result<isa::Module, String> {
    match (module.target, gpu) {
        (Some(target), Some(gpu)) if !TargetSet::including(target).contains(gpu) => {
            Err(format!("{gpu} cannot run code for {target}"))
        }
        (_, Some(gpu)) => Ok(isa::Module { target: Some(gpu), ..module }),
        (_, None) => Ok(module),
    }
}

/// A number of bytes.
fn bytes(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "expected a number of bytes, such as 49152".to_owned())
}

/// Runs the kernel.
pub fn run(arguments: &RunCommand) -> Exit {
    run_kernel(arguments).unwrap_or_else(fail)
}

/// A kernel that can run.
pub struct PreparedKernel {
    /// The name of the module.
    pub name: String,
    /// The module.
    pub snapshot: Snapshot<LintFile>,
    /// Its version, and the target that it runs on.
    pub module: isa::Module,
    /// Its source.
    pub source: KernelSource,
    /// The kernel.
    pub kernel: Kernel,
    /// Its arguments in memory.
    pub memory: KernelMemory,
    /// The launch.
    pub launch: Launch,
    /// The launch as it is asked for.
    pub wanted: KernelLaunch,
    /// The kernels that run after it, one after another.
    pub following: Vec<LaunchableKernel>,
    /// What the launch takes from the source, for people.
    pub source_launch: Option<String>,
    /// What the source has instead of a launch that could be taken, for people.
    pub proposed_launch: Option<String>,
}

impl PreparedKernel {
    /// What the launch takes from the source, or what could be taken.
    fn source_launch_text(&self) -> String {
        let taken = self.source_launch.iter().map(|launch| format!("launch: {launch}\n"));
        taken.chain(self.proposed_launch.iter().map(|launch| format!("note: {launch}\n"))).collect()
    }
}

/// Reads and checks a module, and lowers a kernel of it.
pub fn prepare(options: &LaunchOptions, max_instructions: u64) -> Result<PreparedKernel, String> {
    prepare_source(options, ModuleSource::read(&options.file)?, max_instructions)
}

fn prepare_source(
    options: &LaunchOptions,
    source: ModuleSource,
    max_instructions: u64,
) -> Result<PreparedKernel, String> {
    let ModuleSource { name, text, source } = source;
    let snapshot = without_errors(&name, &text)?;
    prepare_module(options, (name, snapshot, source), max_instructions)
}

/// A module that has no error.
fn without_errors(name: &str, text: &str) -> Result<Snapshot<LintFile>, String> {
    let snapshot = Snapshot::new(LintFile::parse(text), Settings::of_errors());
    reject_errors(name, &snapshot)?;
    Ok(snapshot)
}

/// The version and target of a module, for a GPU if one is named.
fn module_on(name: &str, snapshot: &Snapshot<LintFile>, gpu: Option<Target>) -> Result<isa::Module, String> {
    on_gpu(Context::new(snapshot).module, gpu).map_err(|message| format!("{name}: {message}"))
}

/// Lowers a kernel of a module that has no error.
fn prepare_module(
    options: &LaunchOptions,
    (name, snapshot, source): (String, Snapshot<LintFile>, KernelSource),
    max_instructions: u64,
) -> Result<PreparedKernel, String> {
    let module = module_on(&name, &snapshot, options.gpu)?;
    let known = Kernel::names(&snapshot.file);
    let beside = options.beside.iter().map(|written| read_written(("beside", written), (&name, &known)));
    let kernel = chosen(&name, &known, options.kernel.as_deref())?;
    let said = SourceLaunch::of(&source, &kernel, options);
    let said_arguments = said.iter().flat_map(|said| said.arguments.clone());
    let wanted = KernelLaunch {
        kernel,
        grid: options.grid.or(said.as_ref().and_then(|said| said.grid)).unwrap_or_default(),
        block: options.block.or(said.as_ref().and_then(|said| said.block)),
        cluster: options.cluster.or(said.as_ref().and_then(|said| said.cluster)),
        shared: if options.shared > 0 { options.shared } else { said.as_ref().map_or(0, |said| said.shared) },
        seed: options.seed,
        arguments: options.arguments.iter().cloned().chain(said_arguments).collect(),
        earlier: options.earlier.clone(),
        beside: beside.collect::<Result<_, _>>()?,
        processor: Processor::Device,
        start: LaunchStart::AfterEnd,
        most_bytes: memory_limit::most_buffer_bytes(&options.arguments)?,
    };
    let mut kernels = KernelModule::of(&snapshot.file, module).with_source_names(&source.names);
    let prepared = launch::prepare(&mut kernels, &wanted, max_instructions, &mut read_array);
    let proposed = || SourceLaunch::proposed(&source, &wanted.kernel, options);
    let LaunchableKernel { kernel, memory, launch } = prepared.map_err(|failure| {
        let message = failure_message(failure, (&name, &snapshot.file), ArgumentOption::Own);
        proposed().map_or_else(|| message.clone(), |proposed| format!("{message}; {proposed}"))
    })?;
    let proposed_launch = if said.is_none() { proposed() } else { None };
    let source_launch = said.map(|said| said.note);
    Ok(PreparedKernel {
        name,
        snapshot,
        module,
        source,
        kernel,
        memory,
        launch,
        wanted,
        following: Vec::new(),
        source_launch,
        proposed_launch,
    })
}

/// A launch as it is written after an option, of a kernel of a module.
fn read_written((option, written): (&str, &str), (module, known): (&str, &[String])) -> Result<KernelLaunch, String> {
    let text = format!("{option} {written}");
    let read = read_launch(&text, 0..text.len());
    let (launch, _) = read.map_err(|error| format!("--{option} \"{written}\": {}; {}", error.message, error.help))?;
    let kernel = source::named_kernel(module, known, &launch.kernel)?;
    Ok(KernelLaunch { kernel, ..launch })
}

/// The kernel of a name, or the only one.
fn chosen(name: &str, known: &[String], kernel: Option<&str>) -> Result<String, String> {
    match (kernel, known) {
        (Some(kernel), _) => source::named_kernel(name, known, kernel),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(format!("{name}: the module has no kernel")),
        (None, _) => Err(format!("{name}: several kernels; choose one with --kernel: {}", source::listed(known))),
    }
}

/// The data of an array in a file.
fn read_array(path: &str, shape: Shape) -> Result<Vec<u8>, String> {
    npy::read(Path::new(path), shape)
}

impl RunCommand {
    /// The number of cores to run on.
    fn cores(&self) -> NonZeroUsize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        NonZeroUsize::new(self.jobs.into()).unwrap_or_else(all)
    }
}

impl RunArguments {
    /// The module, of which launches take a part of the grid of their source.
    fn module(&self, grid: GridPart) -> Result<ModuleSource, String> {
        let mut module =
            ModuleSource::compiled(&self.launch.file, &self.launch.compiler, self.launch.kernel.as_deref())?;
        module.source.grid = grid;
        Ok(module)
    }

    /// Whether something is claimed about memory afterwards.
    fn has_claims(&self) -> bool {
        [&self.expected, &self.required, &self.forbidden].iter().any(|list| !list.is_empty())
    }

    /// Whether the command line says something of a launch.
    fn names_a_launch(&self) -> bool {
        let LaunchOptions { kernel, grid, block, cluster, arguments, earlier, beside, .. } = &self.launch;
        let lists = [arguments, earlier, beside, &self.following];
        let has_size = grid.is_some() || block.is_some() || cluster.is_some();
        kernel.is_some() || has_size || self.has_claims() || lists.iter().any(|list| !list.is_empty())
    }

    /// The kernel and those after it, of a module that is checked for errors, with the number of instructions after which an execution is stopped if
    /// none is given.
    fn prepare_checked(&self, module: ModuleSource, default_instructions: u64) -> Result<PreparedKernel, String> {
        let max_instructions = self.max_instructions.unwrap_or(default_instructions);
        self.with_following(prepare_source(&self.launch, module, max_instructions)?, max_instructions)
    }

    /// The same of a module that has no error.
    fn prepare_accepted(&self, module: &ModuleSource, default_instructions: u64) -> Result<PreparedKernel, String> {
        let snapshot = Snapshot::new(LintFile::parse(&module.text), Settings::of_errors());
        let max_instructions = self.max_instructions.unwrap_or(default_instructions);
        let module = (module.name.clone(), snapshot, module.source.clone());
        self.with_following(prepare_module(&self.launch, module, max_instructions)?, max_instructions)
    }

    /// The same of a changed text of the module.
    fn prepare_changed(
        &self,
        (before, text): (&PreparedKernel, &str),
        default_instructions: u64,
    ) -> Result<PreparedKernel, String> {
        let snapshot = Snapshot::new(LintFile::parse(text), Default::default());
        let max_instructions = self.max_instructions.unwrap_or(default_instructions);
        let prepared =
            prepare_module(&self.launch, (before.name.clone(), snapshot, before.source.clone()), max_instructions)?;
        self.with_following(prepared, max_instructions)
    }

    fn with_following(&self, mut prepared: PreparedKernel, max_instructions: u64) -> Result<PreparedKernel, String> {
        prepared.add_following(&self.following, max_instructions)?;
        prepared.assume(&self.assumed()?);
        Ok(prepared)
    }

    /// What is claimed about memory afterwards.
    fn claims(&self, kernel: &Kernel, memory: &KernelMemory) -> Result<Vec<MemoryClaim>, String> {
        let expected = self
            .expected
            .iter()
            .map(|text| Expectation::parse(text, kernel, memory, &mut read_array).map(MemoryClaim::Values));
        let condition =
            |kind, text: &String| MemoryCondition::parse(kind, text, kernel, memory).map(MemoryClaim::Condition);
        let required = self.required.iter().map(|text| condition(ConditionKind::Require, text));
        let forbidden = self.forbidden.iter().map(|text| condition(ConditionKind::Forbid, text));
        expected.chain(required).chain(forbidden).collect()
    }
}

/// The message about an instruction that is not emulated.
fn unsupported(name: &str, file: &LintFile, kernel: &Kernel, unsupported: &UnsupportedAt) -> String {
    let place = file.position(kernel.range(unsupported.place).start);
    let (line, column) = (place.line + 1, place.column + 1);
    format!("{name}:{line}:{column}: emulation of `{}` is not supported", unsupported.opcode)
}

fn run_kernel(command: &RunCommand) -> Result<Exit, String> {
    let arguments = &command.run;
    let module = arguments.module(GridPart::Whole)?;
    let rows = several::rows(arguments, &module, LaunchPurpose::Run)?;
    if !rows.is_empty() {
        return run_several(command, &module, &rows);
    }
    let prepared = arguments.prepare_checked(module, RUN_INSTRUCTIONS)?;
    let (exit, output) = with_run(arguments, prepared, (command.cores(), command.checks.into()), &|run| {
        let output = match arguments.format {
            RunOutput::Text => run.text(),
            RunOutput::Json => run.json().to_string() + "\n",
        };
        (run.exit(), output)
    })?;
    let style = if arguments.format == RunOutput::Json { EscapeStyle::Json } else { EscapeStyle::Text };
    print_as(style, &output)?;
    Ok(exit)
}

/// Runs each of several launches.
fn run_several(command: &RunCommand, module: &ModuleSource, rows: &[LaunchRow]) -> Result<Exit, String> {
    let arguments = &command.run;
    if !arguments.saved.is_empty() || !arguments.traced.is_empty() {
        return Err("`--save` and `--trace` are about one launch".to_owned());
    }
    let run = |row: &LaunchRow| {
        let prepared = row.arguments.prepare_accepted(module, RUN_INSTRUCTIONS)?;
        with_run(&row.arguments, prepared, (NonZeroUsize::MIN, command.checks.into()), &|run| LaunchResult {
            exit: run.exit(),
            verdict: if run.problems.is_empty() { "no problem" } else { "problem" },
            reason: run.problems.first().map(RunProblem::summary).unwrap_or_default(),
            text: run.text(),
            json: run.json(),
            comment: None,
        })
    };
    several::evaluate(SeveralOptions { path: &arguments.launch.file, format: arguments.format }, rows, &run)
}

/// Runs a launch on so many cores, looking for these mistakes, and shows its result.
fn with_run<R>(
    arguments: &RunArguments,
    mut prepared: PreparedKernel,
    (cores, checks): (NonZeroUsize, RunChecks),
    show: &dyn Fn(&KernelRun) -> R,
) -> Result<R, String> {
    let last = prepared.last();
    let (claims, assumed) = (arguments.claims(last.kernel, last.memory)?, arguments.assumed()?);
    let launches: Vec<&Launch> = prepared.stream().into_iter().map(|one| one.launch).collect();
    let request = trace::request(&arguments.traced, &launches, (last.kernel, last.memory))?;
    prepared.following.iter_mut().for_each(|one| one.launch.trace.clone_from(&request));
    prepared.launch.trace = request;
    prepared.following.iter_mut().for_each(|one| one.launch.checks = checks);
    prepared.launch.checks = checks;
    let RanStream { result, mut problems, notes, traces } = prepared.run(cores)?;
    problems.extend(claims.iter().filter_map(|one| one.failure(&result.memory)).map(RunProblem::unexpected));
    let last = prepared.last();
    let buffers = last.memory.results(&result.memory);
    for saved in &arguments.saved {
        let (name, path) = saved.split_once('=').ok_or_else(|| format!("`{saved}`: write NAME=FILE.npy"))?;
        let (shape, address) = last.memory.named(name, last.kernel)?;
        npy::write(Path::new(path), shape, bytes_at(&result.memory, address))?;
    }
    let PreparedKernel { name, snapshot, .. } = &prepared;
    let kernels = prepared.stream().into_iter().map(|one| one.kernel).zip(&traces);
    let traced = |(kernel, trace)| RunTrace { name, file: &snapshot.file, kernel, trace, memory: &result.memory };
    let traces: Vec<RunTrace> = kernels.map(traced).collect();
    let traces = (!arguments.traced.is_empty()).then_some(&*traces);
    Ok(show(&KernelRun {
        file: name,
        buffers: &buffers,
        problems: &problems,
        notes: &notes,
        result: &result,
        traces,
        assumed: &assumed,
        prepared: &prepared,
    }))
}

/// A module with errors does not run: the message has the first one and how many others there are. Those of launches in comments are about other runs.
fn reject_errors(name: &str, snapshot: &Snapshot<LintFile>) -> Result<(), String> {
    let diagnostics = Checker::once().check(snapshot, &|| false).unwrap_or_default();
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error && one.rule.subject != Subject::Launch;
    let mut errors = diagnostics.iter().filter(is_error);
    let Some(error) = errors.next() else { return Ok(()) };
    let place = snapshot.file.position(error.range.start);
    let (line, column) = (place.line + 1, place.column + 1);
    let others = match errors.count() {
        0 => String::new(),
        1 => format!("; `ptx-atomics lint {name}` shows another error"),
        count => format!("; `ptx-atomics lint {name}` shows {count} more errors"),
    };
    Err(format!("{name}:{line}:{column}: error[{}]: {}{others}", error.code(), error.message()))
}
