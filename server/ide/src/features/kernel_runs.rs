//! Runs of kernels for editors: a lens on each kernel, and what a run did.

use crate::features::atomics::with_rows;
use diagnostics::{Context, Severity, Snapshot, Subject};
use evaluation::launches::statement::read_launch;
use evaluation::launches::{LaunchPurpose, written_launches};
use isa::types::Type;
use isa::{Resolution, Role, Spelling};
use kernel::Kernel;
use kernel::arguments::argument_error::{ArgumentError, example};
use kernel::arguments::launch::{KernelLaunch, LaunchFailure};
use kernel::reports::profile::{LaunchProfile, ProfileFailure, profile};
use lints::Checker;
use std::ops::Range;
use syntax::Opcode;

/// A code lens on a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchLens {
    /// The name of the kernel.
    pub range: Range<usize>,
    /// The name.
    pub kernel: String,
    /// The launch of a comment of the module, else one of one warp with an argument for each parameter, as in `//! run` after the name.
    pub launch: String,
    /// The same, small enough to be checked.
    pub check: String,
}

/// A run that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOfKernel {
    /// The kernel.
    pub kernel: String,
    /// The launch, as in `//! run` after the name.
    pub launch: String,
    /// The CTA and the thread in it whose registers are wanted.
    pub thread: [u32; 2],
}

/// Runs of kernels.
pub trait KernelRunProvider {
    /// A lens on each kernel that can run.
    fn launch_lenses(&self) -> Vec<LaunchLens> {
        Vec::new()
    }

    /// Runs a kernel, until it ends or is cancelled.
    ///
    /// # Errors
    /// A message for users if it cannot run.
    fn run_kernel(&self, _run: &RunOfKernel, _cancelled: &(dyn Fn() -> bool + Sync)) -> Result<LaunchProfile, String> {
        Err("kernels are run in PTX modules only".to_owned())
    }
}

/// Reads a launch as in `//! run` after the name of the kernel.
fn read_options(kernel: &str, launch: &str) -> Result<KernelLaunch, String> {
    let line = format!("run {kernel} {launch}");
    let read = read_launch(&line, 0..line.len());
    read.map(|(options, _)| options).map_err(|error| format!("{}; {}", error.message, error.help))
}

/// A launch of some threads with an argument for each parameter: a buffer has an element for each of them, and a number is that of the elements, which
/// most kernels compare with.
fn proposed_launch(snapshot: &Snapshot, kernel: &Kernel, name: &Range<usize>, sizes: &str) -> String {
    let (sizes, threads) = match kernel.bounds.block {
        Some(block) => ("grid 1", block.count()),
        None => (sizes, sizes.split(' ').filter_map(|word| word.parse::<u64>().ok()).product()),
    };
    let (element, count) = widest_access(snapshot, name);
    let parameters = kernel.parameters().iter().filter(|one| kernel.uses(one));
    let arguments = parameters.map(|parameter| {
        let value = match kernel.declared_type(parameter) {
            Some(ty) if parameter.size < 8 || ty.starts_with('f') => format!("{ty}={}", threads.min(largest(ty))),
            _ if parameter.size == 8 => format!("{}[{}]", element_name(element), threads * count),
            _ => example(parameter.size, threads),
        };
        format!(" {}={value}", parameter.name)
    });
    sizes.to_owned() + &arguments.collect::<String>()
}

/// A type of elements as an argument has it.
fn element_name(ty: Type) -> String {
    match ty.word() {
        "b128" => "u64".to_owned(),
        word => word.replacen('b', "u", usize::from(word.starts_with('b') && !word.starts_with("bf"))),
    }
}

/// The largest number of a type that is proposed.
fn largest(ty: &str) -> u64 {
    match ty {
        "u8" | "b8" => u8::MAX.into(),
        "s8" => i8::MAX as u64,
        _ => u16::MAX.into(),
    }
}

/// The type and the number of elements of the widest access to global memory of a kernel, by its name.
fn widest_access(snapshot: &Snapshot, name: &Range<usize>) -> (Type, u64) {
    let items = snapshot.file.module_items();
    let function = items.iter().map(|item| item.range()).find(|range| range.contains(&name.start));
    let (module, mut widest) = (Context::new(snapshot).module, (Type::U32, 1));
    with_rows(&snapshot.file, function.unwrap_or(0..0), |_, token| {
        let opcode = Opcode::split(&token);
        let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &opcode.words() };
        let Resolution::Legal(access) = isa::resolve(&spelling, &module) else { return };
        let is_elsewhere =
            |word: &&str| ["shared", "param", "local", "const"].iter().any(|space| word.starts_with(space));
        let is_global = !spelling.modifiers.iter().any(is_elsewhere);
        if let Some(ty) = access.ty.filter(|_| is_global && access.place(Role::Address).is_some()) {
            let bytes = |(ty, count): (Type, u64)| u64::from(ty.bits().min(64)) * count;
            let found = (ty, u64::from(access.lanes) * if ty.bits() == 128 { 2 } else { 1 });
            if bytes(found) > bytes(widest) || bytes(found) == bytes(widest) && widest == (Type::U32, 1) {
                widest = found;
            }
        }
    });
    widest
}

/// The first error of a module, which has no meaning then. Those of launches in comments do not count.
pub(super) fn first_error(snapshot: &Snapshot) -> Result<(), String> {
    let diagnostics = Checker::once().check(&snapshot.for_lint(), &|| false).unwrap_or_default();
    let mut errors =
        diagnostics.iter().filter(|one| one.severity == Severity::Error && one.rule.subject != Subject::Launch);
    let Some(error) = errors.next() else { return Ok(()) };
    let line = snapshot.file.position(error.range.start).line + 1;
    Err(format!("line {line}: {}", error.message()))
}

impl KernelRunProvider for Snapshot {
    fn launch_lenses(&self) -> Vec<LaunchLens> {
        let module = Context::new(self).module;
        let file = self.file.as_ref();
        let kernels = Kernel::named(file);
        let text = if kernels.is_empty() { String::new() } else { file.text().to_string() };
        let written = written_launches(&text).0;
        let lens = |(kernel, range): (String, Range<usize>)| {
            let lowered = Kernel::lower(file, module, &kernel).ok()?;
            let in_comment = |purpose| {
                let mut of_kernel = written.iter().filter(|one| one.purpose == purpose && one.launch.kernel == kernel);
                of_kernel.next().map(|one| text[one.name.end..one.range.end].trim().to_owned())
            };
            let (run, check) = (in_comment(LaunchPurpose::Run), in_comment(LaunchPurpose::Check));
            let launch = run.or_else(|| check.clone());
            let launch = launch.unwrap_or_else(|| proposed_launch(self, &lowered, &range, "grid 1 block 32"));
            let check = check.unwrap_or_else(|| proposed_launch(self, &lowered, &range, "grid 2 block 2"));
            Some(LaunchLens { range, kernel, launch, check })
        };
        kernels.into_iter().filter_map(lens).collect()
    }

    fn run_kernel(&self, run: &RunOfKernel, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<LaunchProfile, String> {
        let RunOfKernel { kernel, launch, thread } = run;
        let options = read_options(kernel, launch)?;
        first_error(self)?;
        let profile = profile(self.file.as_ref(), Context::new(self).module, &options, *thread, cancelled);
        profile.map_err(|failure| match failure {
            ProfileFailure::Launch(LaunchFailure::Arguments(error) | LaunchFailure::BesideArguments(error)) => {
                let ArgumentError { message, missing } = error;
                if missing.is_empty() { message } else { format!("{message}; add `{}`", missing.join(" ")) }
            }
            ProfileFailure::Launch(LaunchFailure::Kernel(error)) => error.message,
            ProfileFailure::Launch(LaunchFailure::Sizes(message)) | ProfileFailure::Machine(message) => message,
            ProfileFailure::Unsupported(range, opcode) => {
                let line = self.file.position(range.start).line + 1;
                format!("line {line}: emulation of `{opcode}` is not supported")
            }
        })
    }
}
