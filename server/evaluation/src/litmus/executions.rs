//! Every outcome of a litmus test with an execution of each, and every other one that its reads could have, with what forbids it.
//!
//! Must not know how any of that is found, nor who looks at it.

use super::module::{Block, blocks};
use super::picture::{PictureFormat, picture};
use super::report::{execution_text, violation_text};
use super::result::WAITING;
use super::test::Test;
use memory_model::{Bits, Condition, Observable, Outcomes, SortedOutcomes, counterexample, explore_cancellable};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::SourceFile;

/// How many executions of either kind are shown.
const SHOWN: usize = 48;

/// How many broken executions are looked at in order to show some.
const LOOKS: usize = 2_000_000;

/// The executions of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executions {
    /// The test's name.
    pub name: String,
    /// How many outcomes are allowed, and whether these are all, in one sentence without a full stop.
    pub summary: String,
    /// Where the test is claimed something of, or described.
    pub range: Range<usize>,
    /// Which one tells most about the claim, by index.
    pub decisive: usize,
    /// The allowed ones, then the forbidden ones.
    pub shown: Vec<ShownExecution>,
}

/// An execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownExecution {
    /// Its outcome, in one line.
    pub outcome: String,
    /// Whether it is as claimed.
    pub claimed: bool,
    /// The axiom that forbids it, and what that says.
    pub forbidden: Option<String>,
    /// A picture of it: SVG.
    pub svg: String,
    /// The same in words.
    pub text: String,
}

/// The executions of a litmus test without errors; nothing if nobody waits for them any more.
pub fn executions(text: &str, test: &Test, cancelled: &dyn Fn() -> bool) -> Option<Executions> {
    let claim = test.claim.as_ref()?;
    show(text, test, &[&claim.condition], claim.range.clone(), cancelled)
}

/// The executions of the test that an offset of a module belongs to: whose comments or whose functions are there, else the one before it.
pub fn executions_at(file: &SourceFile, offset: usize, cancelled: &dyn Fn() -> bool) -> Option<Executions> {
    let blocks = blocks(file);
    let says = |block: &&Block| block.range.start <= offset && offset <= block.range.end;
    let runs = |block: &&Block| {
        let of = |thread| block.test.places.iter().filter(move |(t, ..)| *t == thread).map(|(.., range)| range);
        (0..block.test.program.threads.len()).any(|thread| {
            let (start, end) = (of(thread).map(|r| r.start).min(), of(thread).map(|r| r.end).max());
            start.zip(end).is_some_and(|(start, end)| start <= offset && offset <= end)
        })
    };
    let before = |block: &&Block| block.range.start <= offset;
    let chosen = blocks.iter().find(says).or_else(|| blocks.iter().find(runs));
    let chosen = chosen.or_else(|| blocks.iter().rev().find(before)).or(blocks.first())?;
    if !chosen.test.errors.is_empty() {
        return None;
    }
    let conditions: Vec<&Condition> = chosen.expected.iter().map(|(_, _, condition)| condition).collect();
    let mut test = chosen.test.clone();
    test.observed = observed(&test, &conditions);
    show(&file.text().to_string(), &test, &conditions, chosen.range.clone(), cancelled)
}

/// What conditions name, as they name it.
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
    let question = ClaimedTest { text, test, conditions, observed: test.observables() };
    let found = explore_cancellable(&test.program, &question.observed, WAITING, cancelled);
    if cancelled() {
        return None;
    }
    let (allowed, mut shown) = question.allowed(&found);
    let complete = found.complete && found.not_modelled.is_empty();
    if complete {
        shown.extend(question.forbidden(&found.into_rows(), cancelled)?);
    }
    let summary = match (complete, allowed) {
        (true, 1) => "1 outcome is allowed".to_owned(),
        (true, count) => format!("{count} outcomes are allowed"),
        (false, count) => format!("at least {count} outcomes are allowed (search limit reached)"),
    };
    let decisive = shown.iter().position(|one| one.claimed).unwrap_or(0);
    Some(Executions { name: test.name.clone(), summary, range, decisive, shown })
}

/// A test and what is claimed of it.
struct ClaimedTest<'q> {
    text: &'q str,
    test: &'q Test,
    conditions: &'q [&'q Condition],
    observed: Vec<Observable>,
}

impl ClaimedTest<'_> {
    fn is_claimed(&self, outcome: &[Bits]) -> bool {
        self.conditions.iter().any(|condition| condition.holds(&self.observed, outcome))
    }

    fn keeps(&self, outcome: &[Bits]) -> bool {
        self.test.filter.as_ref().is_none_or(|filter| filter.holds(&self.observed, outcome))
    }

    /// How many outcomes are allowed, and executions of some, among them one that is as claimed.
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
                outcome: self.test.tell(outcome),
                claimed,
                forbidden: None,
                svg: picture(self.text, self.test, &execution, &[], PictureFormat::Svg),
                text: execution_text(self.text, self.test, &execution),
            });
        }
        (allowed, shown)
    }

    /// Executions of outcomes that are not allowed; nothing if nobody waits for them any more.
    fn forbidden(&self, allowed: &SortedOutcomes, cancelled: &dyn Fn() -> bool) -> Option<Vec<ShownExecution>> {
        let (text, test) = (self.text, self.test);
        // What reads could see if nothing were forbidden: the search for a counterexample passes by all of it.
        let others = RefCell::new(BTreeSet::new());
        let looks = Cell::new(1);
        counterexample(&test.program, &self.observed, &|outcome| {
            looks.set(looks.get() + 1);
            if !allowed.has(outcome) && self.keeps(outcome) {
                others.borrow_mut().insert((!self.is_claimed(outcome), outcome.to_vec()));
            }
            false
        });
        let mut shown = Vec::new();
        for (_, outcome) in others.into_inner().into_iter().take(SHOWN.min(1 + LOOKS / looks.get())) {
            if cancelled() {
                return None;
            }
            let Some(why) = counterexample(&test.program, &self.observed, &|other| other == outcome) else { continue };
            let axiom = why.violation.axiom;
            shown.push(ShownExecution {
                outcome: test.tell(&outcome),
                claimed: self.is_claimed(&outcome),
                forbidden: Some(format!("{}: {}", axiom.name(), axiom.summary())),
                svg: picture(text, test, &why.execution, &why.violation.edges, PictureFormat::Svg),
                text: execution_text(text, test, &why.execution) + &violation_text(text, test, &why),
            });
        }
        Some(shown)
    }
}
