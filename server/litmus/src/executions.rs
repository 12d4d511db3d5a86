//! The allowed outcomes of a litmus test, each with an execution, and the forbidden ones, each with the axiom that forbids it.

use crate::module::{Block, blocks};
use crate::picture::picture;
use crate::report::{execution_text, violation_text};
use crate::result::INTERACTIVE;
use crate::test::Test;
use kernel::graph::PictureFormat;
use memory_model::{Bits, Condition, Observable, Outcomes, SortedOutcomes, counterexample, explore_cancellable};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::SourceFile;

/// The most allowed and the most forbidden executions shown.
const SHOWN: usize = 48;

/// The most forbidden executions that are examined.
const MAX_EXAMINED: usize = 2_000_000;

/// The executions of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executions {
    /// The test's name.
    pub name: String,
    /// The number of allowed outcomes, and whether the search is complete. No full stop.
    pub summary: String,
    /// The range of the claim, or of the comments that describe the test.
    pub range: Range<usize>,
    /// The index of the execution that decides the claim.
    pub decisive: usize,
    /// The allowed ones, then the forbidden ones.
    pub shown: Vec<ShownExecution>,
}

/// What is known of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionVerdict {
    /// The memory model allows it.
    Allowed,
    /// The memory model allows it, and it has a problem.
    Problem,
    /// An axiom forbids it: the name and the summary.
    Forbidden(String),
}

/// An execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownExecution {
    /// Its outcome, in one line.
    pub outcome: String,
    /// Whether it satisfies the condition of the claim.
    pub claimed: bool,
    /// What is known of it.
    pub verdict: ExecutionVerdict,
    /// The execution graph as SVG.
    pub svg: String,
    /// The execution as text.
    pub text: String,
}

/// The executions of a litmus test without errors; `None` if the request is cancelled.
pub fn executions(text: &str, test: &Test, cancelled: &dyn Fn() -> bool) -> Option<Executions> {
    let claim = test.claim.as_ref()?;
    show(text, test, &[&claim.condition], claim.range.clone(), cancelled)
}

/// The executions of the test at an offset of a module: the test whose comments or functions contain it, else the previous one.
pub fn executions_at(file: &SourceFile, offset: usize, cancelled: &dyn Fn() -> bool) -> Option<Executions> {
    let blocks = blocks(file);
    let in_comments = |block: &&Block| block.range.start <= offset && offset <= block.range.end;
    let in_functions = |block: &&Block| {
        let of = |thread| block.test.places.iter().filter(move |(t, ..)| *t == thread).map(|(.., range)| range);
        (0..block.test.program.threads.len()).any(|thread| {
            let (start, end) = (of(thread).map(|r| r.start).min(), of(thread).map(|r| r.end).max());
            start.zip(end).is_some_and(|(start, end)| start <= offset && offset <= end)
        })
    };
    let before = |block: &&Block| block.range.start <= offset;
    let chosen = blocks.iter().find(in_comments).or_else(|| blocks.iter().find(in_functions));
    let chosen = chosen.or_else(|| blocks.iter().rev().find(before)).or(blocks.first())?;
    if !chosen.test.errors.is_empty() {
        return None;
    }
    let conditions: Vec<&Condition> = chosen.expected.iter().map(|(_, _, condition)| condition).collect();
    let mut test = chosen.test.clone();
    test.observed = observed(&test, &conditions);
    show(&file.text().to_string(), &test, &conditions, chosen.range.clone(), cancelled)
}

/// The observables of conditions, with their names.
fn observed(test: &Test, conditions: &[&Condition]) -> Vec<(String, Observable)> {
    let all: BTreeSet<Observable> = conditions.iter().flat_map(|condition| condition.observables()).collect();
    all.into_iter().map(|observable| (test.name(&observable), observable)).collect()
}

fn show(
    text: &str,
    test: &Test,
    conditions: &[&Condition],
    range: Range<usize>,
    cancelled: &dyn Fn() -> bool,
) -> Option<Executions> {
    let claimed_test = ClaimedTest { text, test, conditions, observed: test.observables() };
    let found = explore_cancellable(&test.program, &claimed_test.observed, INTERACTIVE, cancelled);
    if cancelled() {
        return None;
    }
    let (allowed, mut shown) = claimed_test.allowed(&found);
    let found_bound = match found.not_modelled.first() {
        Some(what) => Some(format!("not modelled: {what}")),
        None if found.complete => None,
        None => Some("search limit reached".to_owned()),
    };
    if found_bound.is_none() {
        shown.extend(claimed_test.forbidden(&found.into_rows(), cancelled)?);
    }
    let summary = match (found_bound, allowed) {
        (None, 1) => "1 outcome is allowed".to_owned(),
        (None, count) => format!("{count} outcomes are allowed"),
        (Some(why), count) => format!("at least {count} outcomes are allowed ({why})"),
    };
    let decisive = shown.iter().position(|one| one.claimed).unwrap_or(0);
    Some(Executions { name: test.name.clone(), summary, range, decisive, shown })
}

/// A test with the conditions of its claims.
struct ClaimedTest<'t> {
    text: &'t str,
    test: &'t Test,
    conditions: &'t [&'t Condition],
    observed: Vec<Observable>,
}

impl ClaimedTest<'_> {
    fn is_claimed(&self, outcome: &[Bits]) -> bool {
        self.conditions.iter().any(|condition| condition.holds(&self.observed, outcome))
    }

    fn keeps(&self, outcome: &[Bits]) -> bool {
        self.test.filter.as_ref().is_none_or(|filter| filter.holds(&self.observed, outcome))
    }

    /// The number of allowed outcomes, and executions of some, including one that satisfies the claim.
    fn allowed(&self, found: &Outcomes) -> (usize, Vec<ShownExecution>) {
        let mut shown: Vec<ShownExecution> = Vec::new();
        let mut allowed = 0;
        for (at, outcome) in found.all().enumerate().filter(|(_, outcome)| self.keeps(outcome)) {
            allowed += 1;
            let claimed = self.is_claimed(outcome);
            if allowed > SHOWN && !(claimed && shown.iter().all(|one| !one.claimed)) {
                continue;
            }
            let Some(execution) = found.witness(at) else { continue };
            shown.push(ShownExecution {
                outcome: self.test.outcome_text(outcome),
                claimed,
                verdict: ExecutionVerdict::Allowed,
                svg: picture(self.text, self.test, &execution, &[], PictureFormat::Svg),
                text: execution_text(self.text, self.test, &execution),
            });
        }
        (allowed, shown)
    }

    /// Executions with forbidden outcomes; `None` if the request is cancelled.
    fn forbidden(&self, allowed: &SortedOutcomes, cancelled: &dyn Fn() -> bool) -> Option<Vec<ShownExecution>> {
        let (text, test) = (self.text, self.test);
        // The search for a counterexample visits the outcomes of all choices of reads-from.
        let candidates = RefCell::new(BTreeSet::new());
        let examined = Cell::new(1);
        counterexample(&test.program, &self.observed, &|outcome| {
            examined.set(examined.get() + 1);
            if !allowed.contains(outcome) && self.keeps(outcome) {
                candidates.borrow_mut().insert((!self.is_claimed(outcome), outcome.to_vec()));
            }
            false
        });
        let mut shown = Vec::new();
        for (_, outcome) in candidates.into_inner().into_iter().take(SHOWN.min(1 + MAX_EXAMINED / examined.get())) {
            if cancelled() {
                return None;
            }
            let Some(why) = counterexample(&test.program, &self.observed, &|other| other == outcome) else { continue };
            let axiom = why.violation.axiom;
            shown.push(ShownExecution {
                outcome: test.outcome_text(&outcome),
                claimed: self.is_claimed(&outcome),
                verdict: ExecutionVerdict::Forbidden(format!("{}: {}", axiom.name(), axiom.summary())),
                svg: picture(text, test, &why.execution, &why.violation.edges, PictureFormat::Svg),
                text: execution_text(text, test, &why.execution) + &violation_text(text, test, &why),
            });
        }
        Some(shown)
    }
}
