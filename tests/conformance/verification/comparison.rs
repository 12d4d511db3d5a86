//! A litmus test and a kernel of the same threads, and how the axioms and `check` compare on them.

use crate::checked::{CheckedModule, sized};
use explorer::{BufferingReason, Omission, Verification};
use fastrand::Rng;
use kernel::arguments::launch::KernelLaunch;
use litmus::parse;
use memory_model::{Budget, RaceSearch, data_race, explore};
use program::Dimensions;
use std::collections::{BTreeMap, BTreeSet};

/// The words that are compared.
type Outcome = Vec<u32>;

/// A litmus test and a kernel.
pub struct ComparedProgram {
    pub litmus: String,
    pub kernel: String,
    pub ctas: u32,
    pub threads: u32,
    /// The arguments of the kernel: buffers of 32-bit words.
    pub arguments: Vec<String>,
    /// What is compared: the name of a register or location of the litmus test, and the word of all buffers.
    pub observed: Vec<(String, usize)>,
    /// The registers that are 1 in each execution of the kernel: those of waits.
    pub waits: BTreeSet<String>,
}

/// What the axioms say.
#[derive(Debug, PartialEq, Eq)]
enum ByAxioms {
    Race,
    Outcomes(BTreeSet<Outcome>),
    Unknown,
}

/// How `check` and the axioms compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Comparison {
    Proved,
    Refuted,
    WronglyProved,
    WronglyRefuted,
    OtherOutcomes,
    /// No execution ends.
    Stuck,
    UnknownToAxioms,
    /// With the reason.
    UnknownToCheck(&'static str),
}

impl Comparison {
    /// Whether the two contradict each other.
    pub const fn is_wrong(self) -> bool {
        matches!(self, Self::WronglyProved | Self::WronglyRefuted | Self::OtherOutcomes)
    }
}

impl ComparedProgram {
    /// How the two compare, and what to show if they should not.
    pub fn compare(&self) -> (Comparison, String) {
        let texts = format!("{}{}", self.litmus, self.kernel);
        let wanted = match self.by_axioms() {
            ByAxioms::Unknown => return (Comparison::UnknownToAxioms, texts),
            ByAxioms::Outcomes(outcomes) if outcomes.is_empty() => return (Comparison::Stuck, texts),
            wanted => wanted,
        };
        let (found, ends) = self.by_check();
        if !found.problems.is_empty() {
            let problem = |one: &explorer::FoundProblem| {
                one.problem.as_ref().map(|one| format!("{:?} at {:?}", one.kind, one.place))
            };
            let problems: Vec<_> = found.problems.iter().map(problem).collect();
            let comparison = if wanted == ByAxioms::Race { Comparison::Refuted } else { Comparison::WronglyRefuted };
            return (comparison, format!("{texts}{problems:?}"));
        }
        if let Some(why) = undecided(&found) {
            return (Comparison::UnknownToCheck(why), texts);
        }
        let ByAxioms::Outcomes(wanted) = wanted else {
            return (Comparison::WronglyProved, format!("{texts}a data race"));
        };
        let comparison = match (wanted == ends, wanted.is_subset(&ends)) {
            (true, _) => Comparison::Proved,
            (false, true) => Comparison::OtherOutcomes,
            (false, false) => Comparison::WronglyProved,
        };
        (comparison, format!("{texts}wanted {wanted:?}\nfound {ends:?}"))
    }

    fn by_axioms(&self) -> ByAxioms {
        let test = parse(&self.litmus);
        assert!(test.errors.is_empty(), "{:?}\n{}", test.errors, self.litmus);
        match data_race(&test.program, Budget::default(), &|| false) {
            RaceSearch::Found(_) => return ByAxioms::Race,
            RaceSearch::None => {}
            RaceSearch::Unknown | RaceSearch::NotModelled(_) => return ByAxioms::Unknown,
        }
        let observables = test.observables();
        let found = explore(&test.program, &observables, Budget::default());
        if !found.complete || !found.not_modelled.is_empty() {
            return ByAxioms::Unknown;
        }
        let names: Vec<String> = observables.iter().map(|observable| test.name(observable)).collect();
        let at = |name: &String| names.iter().position(|one| one == name);
        let waits: Vec<usize> = self.waits.iter().filter_map(at).collect();
        let observed: Vec<Option<usize>> = self.observed.iter().map(|(name, _)| at(name)).collect();
        let complete = found.all().filter(|values| waits.iter().all(|wait| values[*wait] == 1));
        let outcome = |values: &[memory_model::Bits]| -> Outcome {
            observed.iter().map(|at| at.map_or(0, |at| values[at] as u32)).collect()
        };
        ByAxioms::Outcomes(complete.map(outcome).collect())
    }

    fn by_check(&self) -> (Verification, BTreeSet<Outcome>) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let cluster = Some(Dimensions([self.ctas, 1, 1]));
        let launch = KernelLaunch { cluster, ..sized("k", self.ctas, self.threads, &arguments) };
        let (found, memories) = CheckedModule::new(&self.kernel).launch(&launch).explored(20_000);
        let word =
            |bytes: &Vec<u8>, at: usize| bytes[4 * at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        let outcome = |bytes: &Vec<u8>| -> Outcome { self.observed.iter().map(|(_, at)| word(bytes, *at)).collect() };
        let ends = memories.iter().map(outcome).collect();
        (found, ends)
    }
}

/// Why a search is not about all executions.
fn undecided(found: &Verification) -> Option<&'static str> {
    match found.unfinished() {
        Some(Omission::LoadBuffering(BufferingReason::DecidesWrites)) => Some("load-buffering: decides-writes"),
        Some(Omission::LoadBuffering(BufferingReason::PossibleProblem)) => Some("load-buffering: possible-problem"),
        Some(Omission::LoadBuffering(BufferingReason::Bound)) => Some("load-buffering: bound"),
        Some(why) => Some(why.code()),
        None => found.may_buffer_loads().then_some("load-buffering"),
    }
}

/// Compares random programs. Returns how many there are of each kind; a contradiction fails.
pub fn compared(
    seed: u64,
    programs: usize,
    random_program: impl Fn(&mut Rng) -> ComparedProgram,
) -> BTreeMap<Comparison, usize> {
    let mut random = Rng::with_seed(seed);
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    for _ in 0..programs {
        let (comparison, text) = random_program(&mut random).compare();
        *counts.entry(comparison).or_default() += 1;
        if comparison.is_wrong() {
            wrong.push(format!("{comparison:?}\n{text}"));
        }
    }
    let shown = std::env::var("PTX_ATOMICS_LIST").map_or(1, |shown| shown.parse().unwrap_or(100));
    assert!(wrong.is_empty(), "{counts:?}\n{}", wrong[..wrong.len().min(shown)].join("\n----\n"));
    counts
}

/// A number that the environment gives, or else the usual one.
pub fn given(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}
