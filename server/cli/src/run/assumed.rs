//! `--assume`: what is assumed beyond the memory model, and which assumptions would turn a refutation into a proof.

use super::orders::OrderSearch;
use super::question::KernelVerdict;
use super::{CHECK_INSTRUCTIONS, PreparedKernel, RunArguments};
use explorer::VerificationBounds;
use kernel::HardwareAssumption;
use kernel::stream::StreamQuestion;

/// The most states of a launch with an assumption that nobody has asked for.
const MAX_STATES: usize = 20_000;
/// The most instructions of its threads, each counted once.
const MAX_INSTRUCTIONS: u64 = 200_000;

/// What `--assume` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenAssumption {
    /// More about memory than the model promises.
    Hardware(HardwareAssumption),
    /// A condition on the launches of `--any-size`.
    Launches(String),
}

impl GivenAssumption {
    /// Reads the name of an assumption, or a condition.
    pub fn parse(text: &str) -> Result<Self, String> {
        let known = HardwareAssumption::ALL.into_iter().find(|one| one.name() == text);
        let condition = || text.contains(['<', '>', '=']).then(|| Self::Launches(text.to_owned()));
        known.map(Self::Hardware).or_else(condition).ok_or_else(|| {
            let names = HardwareAssumption::ALL.map(|one| format!("`{}`", one.name())).join(", ");
            format!("expected {names}, or a condition such as `%ntid.x <= 256`")
        })
    }
}

impl RunArguments {
    /// What is assumed of memory.
    ///
    /// # Errors
    /// A condition on launches: the launch is known.
    pub fn assumed(&self) -> Result<Vec<HardwareAssumption>, String> {
        let of_memory = |one: &GivenAssumption| match one {
            GivenAssumption::Hardware(assumption) => Ok(*assumption),
            GivenAssumption::Launches(text) => {
                Err(format!("`--assume '{text}'` is about all launches: add `--any-size` to `check`"))
            }
        };
        self.assumptions.iter().map(of_memory).collect()
    }

    /// What is assumed of all launches.
    ///
    /// # Errors
    /// An assumption about memory: a proof about all launches knows none.
    pub fn launch_conditions(&self) -> Result<Vec<String>, String> {
        let of_launches = |one: &GivenAssumption| match one {
            GivenAssumption::Launches(text) => Ok(text.clone()),
            GivenAssumption::Hardware(assumption) => {
                Err(format!("`--assume {}` is about one launch, and `--any-size` about all", assumption.name()))
            }
        };
        self.assumptions.iter().map(of_launches).collect()
    }
}

/// A line for each assumption.
pub fn text(assumed: &[HardwareAssumption]) -> String {
    assumed.iter().map(|one| format!("assumed: {}: {}\n", one.name(), one.meaning())).collect()
}

/// A line for each assumption that would turn a refutation into a proof.
pub fn proving_text(proving: &[HardwareAssumption]) -> String {
    let line = |one: &HardwareAssumption| {
        let (name, meaning) = (one.name(), one.meaning());
        format!("note: with `--assume {name}` no execution of this launch has a problem: {meaning}\n")
    };
    proving.iter().map(line).collect()
}

/// The assumptions each of which would turn a refutation into a proof.
pub fn proving(search: OrderSearch) -> Vec<HardwareAssumption> {
    let prepared = search.prepared;
    let threads = prepared.launch.all_sizes().map(|sizes| sizes.grid.count() * sizes.block.count()).sum::<u64>();
    let instructions = prepared.kernel.program.functions[prepared.kernel.index].code.len() as u64;
    if threads * instructions > MAX_INSTRUCTIONS {
        return Vec::new();
    }
    let assumed = search.arguments.assumed().unwrap_or_default();
    let is_new = |one: &HardwareAssumption| !assumed.contains(one);
    HardwareAssumption::ALL.into_iter().filter(is_new).filter(|one| proves(search, *one)).collect()
}

fn proves(search: OrderSearch, assumption: HardwareAssumption) -> bool {
    let text = search.prepared.snapshot.file.text().to_string();
    let Ok(mut prepared) = search.arguments.prepare_changed((search.prepared, &text), CHECK_INSTRUCTIONS) else {
        return false;
    };
    if !prepared.assume(&[assumption]) {
        return false;
    }
    let bounds = VerificationBounds { states: MAX_STATES.min(search.question.bounds.states), ..search.question.bounds };
    let found = prepared.verify(&StreamQuestion { bounds, ..*search.question });
    found.is_ok_and(|found| KernelVerdict::new(found.problems.len(), found.total.unfinished()) == KernelVerdict::Proved)
}

impl PreparedKernel {
    /// Changes the kernels to ones for which assumptions hold. Returns whether some instruction depends on one.
    pub fn assume(&mut self, assumed: &[HardwareAssumption]) -> bool {
        let kernels = std::iter::once(&mut self.kernel).chain(self.following.iter_mut().map(|one| &mut one.kernel));
        let changed = kernels.flat_map(|kernel| assumed.iter().map(|one| kernel.assume(*one)));
        changed.filter(|is_changed| *is_changed).count() > 0
    }
}
