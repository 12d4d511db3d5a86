//! The launch that a source says, `kernel<<<grid, block>>>(arguments)`, where the command line says no sizes.

use super::LaunchOptions;
use super::source::{GridPart, KernelSource, base_name};
use hosts::cpp::{CppArgument, CppLaunch};
use kernel::SourceParameter;
use program::Dimensions;
use syntax::readable;

/// The most blocks of a grid that all executions of are explored, if nothing else is asked for.
const MOST_CHECKED_BLOCKS: u32 = 2;

/// The launch of a kernel in its source.
pub struct SourceLaunch {
    /// The blocks of the grid.
    pub grid: Dimensions,
    /// The threads of a block.
    pub block: Dimensions,
    /// The bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments that the source says, as they are written.
    pub arguments: Vec<String>,
    /// What was taken, for people.
    pub note: String,
}

impl SourceLaunch {
    /// That of a kernel, by its name in the module; `None` if the options have sizes, or the source does not say one launch for certain.
    pub fn of(source: &KernelSource, kernel: &str, options: &LaunchOptions) -> Option<Self> {
        if options.grid.is_some() || options.block.is_some() {
            return None;
        }
        let readable = readable(kernel);
        let name = base_name(&readable);
        let mut launches = source.launches.iter().filter(|one| one.kernel == name);
        let launch = launches.next()?;
        let sizes = |one: &CppLaunch| (one.grid, one.block, one.shared);
        if launches.any(|other| sizes(other) != sizes(launch)) {
            return None;
        }
        let (whole, block) = (Dimensions(launch.grid?), Dimensions(launch.block?));
        let is_small = whole.count() <= MOST_CHECKED_BLOCKS.into() || source.grid == GridPart::Whole;
        let grid = if is_small { whole } else { Dimensions([MOST_CHECKED_BLOCKS, 1, 1]) };
        let parameters = source.names.parameters.get(kernel).map_or(&[][..], |known| known);
        let is_given = |name: &str| {
            options.arguments.iter().any(|one| one.split(['=', '+']).next().is_some_and(|given| given.trim() == name))
        };
        let known = parameters.iter().zip(&launch.arguments).filter(|_| parameters.len() == launch.arguments.len());
        let arguments: Vec<String> =
            known.filter(|(parameter, _)| !is_given(&parameter.name)).filter_map(argument).collect();
        let of = if grid == whole { String::new() } else { format!(", of a grid of {whole}") };
        let taken = arguments.iter().map(|one| format!(", {one}")).collect::<String>();
        let note = format!("{name}<<<{grid}, {block}>>> by line {}{of}{taken}", launch.line);
        Some(Self { grid, block, shared: launch.shared?, arguments, note })
    }
}

/// An argument that the source says: a number, or memory that the host has allocated, which is taken as zeros.
fn argument((parameter, said): (&SourceParameter, &CppArgument)) -> Option<String> {
    let SourceParameter { name, is_pointer, .. } = parameter;
    match (is_pointer, said) {
        (false, CppArgument { number: Some(number), .. }) => {
            parameter.ty.as_ref().filter(|ty| !ty.contains('f')).map(|_| format!("{name}={number}"))
        }
        (true, CppArgument { bytes: Some(bytes), .. }) => {
            let size = u64::from(parameter.element_bytes()?);
            Some(format!("{name}=[{}]", bytes / size))
        }
        _ => None,
    }
}
