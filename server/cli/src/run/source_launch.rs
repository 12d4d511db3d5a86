//! The launch that a source says, where the command line says no sizes: that of `<<<…>>>` or of a function of the runtime, and for `check` a smaller one
//! of which the code says how its sizes depend on each other.

use super::LaunchOptions;
use super::source::{GridPart, KernelSource, base_name};
use hosts::cpp::{CppArgument, CppLaunch, LaunchingCode};
use kernel::SourceParameter;
use program::Dimensions;
use std::fmt::Write;
use syntax::readable;

/// The most blocks of a small launch, and the most elements for each thread, if each thread of the whole one has as many as the others: two rounds show what
/// a loop over the elements does.
#[derive(Clone, Copy)]
struct SmallLaunch {
    blocks: u64,
    rounds: u64,
}

impl GridPart {
    /// The launch that is smaller than the whole one.
    const fn small(self) -> Option<SmallLaunch> {
        match self {
            Self::Whole => None,
            Self::Few => Some(SmallLaunch { blocks: 2, rounds: 2 }),
            Self::One => Some(SmallLaunch { blocks: 1, rounds: 1 }),
        }
    }
}

/// The most launches that are proposed.
const MOST_PROPOSED: usize = 4;

/// The launch of a kernel in its source.
#[derive(Default)]
pub struct SourceLaunch {
    /// The blocks of the grid, if they are certain and the options say none.
    pub grid: Option<Dimensions>,
    /// The threads of a block, if they are certain and the options say none.
    pub block: Option<Dimensions>,
    /// The blocks of a cluster, if the launch asks for some.
    pub cluster: Option<Dimensions>,
    /// The bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments that the source says, as they are written.
    pub arguments: Vec<String>,
    /// What was taken, for people.
    pub note: String,
}

/// The launches of a kernel in its source.
struct KernelLaunches<'l> {
    host: &'l LaunchingCode,
    /// The name of the kernel.
    name: &'l str,
    parameters: &'l [SourceParameter],
    options: &'l LaunchOptions,
}

/// Values of variables of the host.
type HostValues = Vec<(String, u64)>;

impl SourceLaunch {
    /// That of a kernel, by its name in the module; `None` if the source does not say one launch for certain, or nothing of it is left to take.
    pub fn of(source: &KernelSource, kernel: &str, options: &LaunchOptions) -> Option<Self> {
        let readable = readable(kernel);
        let launches = KernelLaunches::of(source, kernel, base_name(&readable), options)?;
        let given = launches.given();
        let whole = launches.certain(&given)?;
        let small = source.grid.small().filter(|_| options.grid.is_none());
        let (launch, grid) = match small {
            Some(small) => launches.few(&whole, given, small),
            None => (whole.clone(), whole.grid),
        };
        Self { arguments: launches.arguments(&launch), ..Self::default() }.with_sizes(
            &launches,
            (&whole, &launch),
            grid,
        )
    }

    fn with_sizes(
        self,
        launches: &KernelLaunches,
        (whole, launch): (&CppLaunch, &CppLaunch),
        grid: Option<[u32; 3]>,
    ) -> Option<Self> {
        let options = launches.options;
        let (said_grid, said_block) = (grid.map(Dimensions), launch.block.map(Dimensions));
        let (grid, block) =
            (said_grid.filter(|_| options.grid.is_none()), said_block.filter(|_| options.block.is_none()));
        let note =
            launches.note((whole, launch), (options.grid.or(said_grid), options.block.or(said_block)), &self.arguments);
        let cluster = launch.cluster.map(Dimensions).filter(|_| options.cluster.is_none());
        let is_something = grid.is_some() || block.is_some() || !self.arguments.is_empty();
        is_something.then(|| Self { grid, block, cluster, shared: launch.shared.unwrap_or(0), note, ..self })
    }

    /// What the source has instead of a certain launch, for people.
    pub fn proposed(source: &KernelSource, kernel: &str, options: &LaunchOptions) -> Option<String> {
        let readable = readable(kernel);
        let name = base_name(&readable);
        if options.grid.is_some() || options.block.is_some() {
            return None;
        }
        let launches = KernelLaunches::of(source, kernel, name, options)?;
        let all = launches.all(&launches.given());
        if all.is_empty() {
            return Some(format!("no launch of `{name}` in the source: use --grid and --block"));
        }
        let mut shown: Vec<String> = all.iter().filter_map(written_sizes).collect();
        shown.dedup();
        shown.truncate(MOST_PROPOSED);
        (launches.certain(&launches.given()).is_none() && !shown.is_empty())
            .then(|| format!("the source has several launches of `{name}`: {}", shown.join("; ")))
    }
}

/// The options for the sizes of a launch, with its line.
fn written_sizes(launch: &CppLaunch) -> Option<String> {
    let (grid, block) = (option("grid", launch.grid?), option("block", launch.block?));
    Some(format!("line {}: {grid} {block}", launch.line))
}

fn option(name: &str, [x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => format!("--{name} {x}"),
        (_, 1) => format!("--{name} {x},{y}"),
        _ => format!("--{name} {x},{y},{z}"),
    }
}

impl<'l> KernelLaunches<'l> {
    fn of(source: &'l KernelSource, kernel: &str, name: &'l str, options: &'l LaunchOptions) -> Option<Self> {
        let parameters = source.names.parameters.get(kernel).map_or(&[][..], |known| known);
        Some(Self { host: source.host.as_deref()?, name, parameters, options })
    }

    /// All of them, if variables have some values.
    fn all(&self, values: &[(String, u64)]) -> Vec<CppLaunch> {
        let mut launches = self.host.launches(values);
        launches.retain(|one| one.kernel == self.name);
        launches
    }

    /// The only one, with the arguments that all have.
    fn certain(&self, values: &[(String, u64)]) -> Option<CppLaunch> {
        let mut all = self.all(values).into_iter();
        let mut launch = all.next()?;
        let sizes = |one: &CppLaunch| (one.grid, one.block, one.cluster, one.shared);
        for other in all {
            if sizes(&other) != sizes(&launch) {
                return None;
            }
            for (at, argument) in launch.arguments.iter_mut().enumerate() {
                if other.arguments.get(at) != Some(argument) {
                    *argument = CppArgument::default();
                }
            }
        }
        Some(launch)
    }

    /// The values of variables of the host that the command line says, as arguments.
    fn given(&self) -> HostValues {
        let Some(launch) = self.all(&[]).into_iter().next() else { return Vec::new() };
        let value = |written: &String| {
            let (name, spec) = written.split_once('=')?;
            let is_it = |parameter: &SourceParameter| parameter.name == name.trim();
            let at = self.parameters.iter().position(is_it).or_else(|| name.trim().parse().ok())?;
            let variable = launch.arguments.get(at)?.variable.clone()?;
            let number = spec.rsplit('=').next()?.trim().parse().ok()?;
            (!spec.contains('[')).then_some((variable, number))
        };
        self.options.arguments.iter().filter_map(value).collect()
    }

    /// A launch of few blocks, and its grid: variables that the grid depends on become smaller; else the grid does, and with it the arguments that are
    /// multiples of its threads.
    fn few(&self, whole: &CppLaunch, mut values: HostValues, small: SmallLaunch) -> (CppLaunch, Option<[u32; 3]>) {
        let most = small.blocks.max(whole.cluster.map_or(1, count));
        let mut launch = whole.clone();
        let variables = self.shrinkable(whole, &values);
        for (variable, value) in &variables {
            let Some(blocks) = launch.grid.map(count).filter(|blocks| *blocks > most) else { break };
            let with = |value: u64| [&values[..], &[(variable.clone(), value)]].concat();
            let blocks_with = |value: u64| self.certain(&with(value)).and_then(|one| one.grid).map_or(0, count);
            let fewer = fewer(*value, (blocks, most), &blocks_with);
            if let Some(fewer) = fewer.into_iter().find(|fewer| self.host.allows(&with(*fewer)))
                && let Some(smaller) = self.certain(&with(fewer))
            {
                (launch, values) = (smaller, with(fewer));
            }
        }
        let Some(blocks) = launch.grid.map(count).filter(|blocks| *blocks > most) else {
            let grid = launch.grid;
            return (launch, grid);
        };
        let threads = blocks * launch.block.map_or(1, count);
        let is_free = |name: &String| values.iter().all(|(known, _)| known != name);
        let multiples =
            variables.iter().filter(|(name, value)| is_free(name) && *value >= threads && value.is_multiple_of(blocks));
        let smaller = multiples.filter_map(|(variable, value)| {
            let rounds = if value.is_multiple_of(threads) { (value / threads).min(small.rounds) } else { 0 };
            let fewer = if rounds > 0 { threads / blocks * most * rounds } else { value / blocks * most };
            let with = [&values[..], &[(variable.clone(), fewer)]].concat();
            self.certain(&with).filter(|_| self.host.allows(&with))
        });
        let launch = smaller.into_iter().next().unwrap_or(launch);
        (launch, Some([u32::try_from(most).unwrap_or(1), 1, 1]))
    }

    /// The variables of the host that are arguments with a value, and that the command line says nothing about.
    fn shrinkable(&self, launch: &CppLaunch, values: &[(String, u64)]) -> HostValues {
        let mut found = HostValues::new();
        for CppArgument { variable, number, .. } in &launch.arguments {
            let Some((variable, number)) = variable.clone().zip(*number) else { continue };
            if values.iter().chain(&found).all(|(known, _)| *known != variable) {
                found.push((variable, number));
            }
        }
        found
    }

    /// The arguments that the source says and the command line does not.
    fn arguments(&self, launch: &CppLaunch) -> Vec<String> {
        let given = |name: &str| {
            let begins = |one: &String| one.split(['=', '+']).next().is_some_and(|given| given.trim() == name);
            self.options.arguments.iter().any(begins)
        };
        if self.parameters.len() != launch.arguments.len() {
            return Vec::new();
        }
        let all = self.parameters.iter().zip(&launch.arguments).enumerate();
        let free = all.filter(|(at, (parameter, _))| !given(&parameter.name) && !given(&at.to_string()));
        free.filter_map(|(_, both)| argument(both)).collect()
    }

    /// What is taken, and what of it is smaller than in the source.
    fn note(
        &self,
        (whole, launch): (&CppLaunch, &CppLaunch),
        (grid, block): (Option<Dimensions>, Option<Dimensions>),
        arguments: &[String],
    ) -> String {
        let size = |size: Option<Dimensions>| size.unwrap_or_default().to_string();
        let mut note = format!("{}<<<{}, {}>>> by line {}", self.name, size(grid), size(block), launch.line);
        match whole.grid.map(Dimensions) {
            Some(whole) if Some(whole) != grid => _ = write!(note, ", of a grid of {whole}"),
            None if self.options.grid.is_none() => note.push_str(", whose grid is not certain"),
            _ => {}
        }
        for argument in arguments {
            let name = argument.split('=').next().unwrap_or_default();
            let at = self.parameters.iter().position(|parameter| parameter.name == name);
            let number = |launch: &CppLaunch| launch.arguments.get(at?)?.number;
            let of = number(whole).filter(|_| number(whole) != number(launch));
            let _ = write!(note, ", {argument}{}", of.map_or_else(String::new, |of| format!(" of {of}")));
        }
        note
    }
}

fn count(size: [u32; 3]) -> u64 {
    size.into_iter().map(u64::from).product()
}

/// Smaller values of a variable with at most so many blocks, the best first: one that leaves the last block as full as it was, and the largest one.
fn fewer(value: u64, (blocks, most): (u64, u64), blocks_with: &dyn Fn(u64) -> u64) -> Vec<u64> {
    if blocks_with(1) == blocks {
        return Vec::new();
    }
    // The smallest value with at least so many blocks.
    let first_with = |wanted: u64| {
        let (mut low, mut high) = (1, value);
        while low < high {
            let middle = low + (high - low) / 2;
            if blocks_with(middle) >= wanted { high = middle } else { low = middle + 1 }
        }
        low
    };
    let largest = first_with(most + 1) - 1;
    let fewest = if largest == 0 { 0 } else { blocks_with(largest) };
    if fewest == 0 {
        return Vec::new();
    }
    let as_full = first_with(fewest) + (value - first_with(blocks));
    [as_full, largest].into_iter().filter(|one| *one <= largest && blocks_with(*one) == fewest).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_value_leaves_the_last_block_as_full() {
        let by_256 = |value: u64| value.div_ceil(256);
        assert_eq!(fewer(1000, (4, 2), &by_256), [488, 512]);
        assert_eq!(fewer(1 << 20, (4096, 2), &by_256), [512, 512]);
        assert_eq!(fewer(64, (16, 2), &|value| (value / 16).pow(2)), [16, 31]);
        assert_eq!(fewer(1000, (8, 2), &|_| 8), Vec::<u64>::new());
    }
}
