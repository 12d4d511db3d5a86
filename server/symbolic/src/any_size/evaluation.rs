//! The values of registers at each block of a part of a kernel.
//!
//! Where ways meet with different values, a register has an unknown value of that place. What is more is tried: a value that grows by the same number
//! in each iteration of a loop, or one that stays in an interval. A [`Hypothesis`] is kept if it holds on each way into the block, supposed that all
//! of them do.

use crate::any_size::arithmetic::{TermValue, decided};
use crate::any_size::execute::{ExecutedInstruction, execute, predicate};
use crate::any_size::flow::BlockId;
use crate::any_size::part::KernelPart;
use crate::any_size::polynomial::{AtomId, Polynomial};
use crate::any_size::state::{TermContext, ThreadKnowledge};
use crate::any_size::terms::{Atom, NumberInterval, NumberType, PlaceKind, TermCondition, TermPlace, ZeroRelation};
use std::collections::{BTreeMap, BTreeSet};

/// What is supposed of a register at the begin of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// It grows in each iteration of the loop.
    Linear(LinearGrowth),
    /// It is in an interval, as an unsigned number of so many bits.
    Within(NumberInterval, u32),
}

/// A number that has a value when a loop is entered, and grows by another one in each iteration, modulo 2^bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearGrowth {
    first: Polynomial,
    step: Polynomial,
    bits: u32,
    /// The interval that it stays in without wrapping around, if that is supposed.
    within: Option<NumberInterval>,
}

impl LinearGrowth {
    /// The number in an iteration.
    fn at(&self, iteration: &Polynomial) -> Option<Polynomial> {
        let steps = self.step.product(iteration)?;
        Some(self.first.plus(&steps, 1).modulo(self.bits)).filter(Polynomial::is_small)
    }
}

/// A register at the begin of a block.
type Joined = (BlockId, u32);

/// The state of a part.
#[derive(Debug, Default)]
pub struct EvaluatedPart {
    /// What holds at the begin of each block that can be reached.
    pub begins: BTreeMap<BlockId, ThreadKnowledge>,
    /// What holds on each way from a block, by the number of the edge; `None` if it is never taken.
    pub ways: BTreeMap<(BlockId, usize), Option<ThreadKnowledge>>,
    /// What holds at the end of each block.
    pub ends: BTreeMap<BlockId, ThreadKnowledge>,
}

/// The evaluation took too many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySteps;

/// What is supposed of registers, and what else may be tried.
#[derive(Debug, Default)]
struct Hypotheses {
    current: BTreeMap<Joined, Hypothesis>,
    /// What is tried next.
    next: BTreeMap<Joined, Vec<Hypothesis>>,
    /// The registers for which nothing more is tried.
    finished: BTreeSet<Joined>,
    /// The registers that do not stay in an interval.
    unbounded: BTreeSet<Joined>,
    /// How often what was supposed of intervals was wrong. Terms of another attempt are other terms.
    attempt: u32,
}

/// The most evaluations of a part with other hypotheses, and the most rounds of one.
const MOST_ATTEMPTS: usize = 40;
const MOST_ROUNDS: usize = 40;

/// Evaluates a part.
///
/// # Errors
/// The part is too large.
pub fn evaluate(context: &mut TermContext, part: &KernelPart) -> Result<EvaluatedPart, TooManySteps> {
    let mut hypotheses = Hypotheses::default();
    for _ in 0..MOST_ATTEMPTS {
        let evaluated = evaluate_once(context, part, &hypotheses)?;
        let current = hypotheses.current.clone();
        let holds = |(joined, hypothesis): &(&Joined, &Hypothesis)| {
            !holds(context, (part, &evaluated), **joined, hypothesis, hypotheses.attempt)
        };
        let wrong: Vec<Joined> = current.iter().filter(holds).map(|(joined, _)| *joined).collect();
        hypotheses.drop_wrong(&wrong);
        if wrong.is_empty() && !propose(context, part, &evaluated, &mut hypotheses) {
            return Ok(evaluated);
        }
    }
    evaluate_once(context, part, &Hypotheses { attempt: u32::MAX, ..Hypotheses::default() })
}

impl Hypotheses {
    /// Supposes something else of registers, or nothing.
    fn drop_wrong(&mut self, wrong: &[Joined]) {
        let is_bounded = |joined: &&Joined| {
            matches!(self.current.get(joined), Some(Hypothesis::Linear(LinearGrowth { within: Some(_), .. })))
        };
        let bounded: Vec<Joined> = wrong.iter().filter(is_bounded).copied().collect();
        if !bounded.is_empty() {
            let mut unbounded = std::mem::take(&mut self.unbounded);
            unbounded.extend(bounded);
            *self = Self { unbounded, attempt: self.attempt + 1, ..Self::default() };
            return;
        }
        for joined in wrong {
            match self.next.get_mut(joined).and_then(Vec::pop) {
                Some(next) => {
                    self.current.insert(*joined, next);
                }
                None => {
                    self.current.remove(joined);
                    self.finished.insert(*joined);
                }
            }
        }
    }
}

fn evaluate_once(
    context: &mut TermContext,
    part: &KernelPart,
    hypotheses: &Hypotheses,
) -> Result<EvaluatedPart, TooManySteps> {
    let mut evaluated = EvaluatedPart::default();
    let mut joined: BTreeSet<Joined> = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let mut has_changed = false;
        for block in &part.blocks {
            let Some(state) = begin(context, part, &evaluated, *block, (&mut joined, hypotheses)) else { continue };
            if evaluated.begins.get(block) == Some(&state) {
                continue;
            }
            has_changed = true;
            evaluated.begins.insert(*block, state.clone());
            leave(context, part, &mut evaluated, *block, state);
        }
        if !has_changed {
            return Ok(evaluated);
        }
    }
    Err(TooManySteps)
}

/// What holds at the begin of a block, as far as ways into it are known.
fn begin(
    context: &mut TermContext,
    part: &KernelPart,
    evaluated: &EvaluatedPart,
    block: BlockId,
    (joined, hypotheses): (&mut BTreeSet<Joined>, &Hypotheses),
) -> Option<ThreadKnowledge> {
    let first = (block == part.start).then_some(&part.begin);
    let ways = part.entries.get(&block).into_iter().flatten();
    let known = ways.filter_map(|way| evaluated.ways.get(way).and_then(Option::as_ref));
    let incoming: Vec<&ThreadKnowledge> = first.into_iter().chain(known).collect();
    let mut state = (*incoming.first()?).clone();
    for other in &incoming[1..] {
        state.facts.retain(|fact| other.facts.binary_search(fact).is_ok());
    }
    for fact in loop_facts(context, (part, evaluated), block, hypotheses.attempt) {
        if let Err(at) = state.facts.binary_search(&fact) {
            state.facts.insert(at, fact);
        }
    }
    for slot in 0..state.registers.len() {
        let at = (block, slot as u32);
        if let Some(hypothesis) = hypotheses.current.get(&at) {
            state.registers[slot] = supposed(context, (part, hypotheses.attempt), at, hypothesis, &mut state.facts);
            continue;
        }
        let differs = incoming.iter().any(|other| other.registers[slot] != state.registers[slot]);
        if differs || joined.contains(&at) {
            joined.insert(at);
            let bits = incoming.iter().map(|state| bits_of(context, state.registers[slot])).max().unwrap_or(64);
            state.registers[slot] = context.unknown(place(part, block), slot as u32, bits);
        }
    }
    Some(state)
}

/// The conditions on an iteration that hold on each way back to the begin of a loop for the next one, and on each way into the loop for the first one.
fn loop_facts(
    context: &mut TermContext,
    (part, evaluated): (&KernelPart, &EvaluatedPart),
    block: BlockId,
    attempt: u32,
) -> Vec<u32> {
    let Some(iteration) = context.terms.find(&Atom::Iteration(place(part, block), attempt)) else { return Vec::new() };
    let (mut entering, mut returning): (Vec<&[u32]>, Vec<&[u32]>) = (Vec::new(), Vec::new());
    entering.extend((block == part.start).then_some(&*part.begin.facts));
    for way in part.entries.get(&block).into_iter().flatten() {
        let Some(Some(state)) = evaluated.ways.get(way) else { continue };
        let states = if part.leads_back(way.0, block) { &mut returning } else { &mut entering };
        states.push(&state.facts);
    }
    let Some((first, others)) = returning.split_first() else { return Vec::new() };
    let before = Polynomial::atom(iteration).offset(-1);
    let mut facts: Vec<u32> = Vec::new();
    for fact in *first {
        let condition = context.facts.get(*fact).clone();
        let is_of_loop = condition.numbers().iter().any(|number| mentions(context, number, iteration));
        let is_of_join = condition.numbers().iter().any(|number| {
            let of_block = |one: &TermPlace| *one == place(part, block);
            mentions_unknown(context, number, &of_block)
        });
        // What holds at the begin already is not about the next iteration.
        let is_known = evaluated.begins.get(&block).is_some_and(|begin| begin.facts.binary_search(fact).is_ok());
        // Other values that come into being in the loop are no longer those of the condition after that.
        let is_lasting = condition.numbers().iter().all(|number| {
            let others = places(context, number).into_iter().filter(|other| *other != place(part, block));
            others.into_iter().all(|other| !is_in_loop(part, block, other))
        });
        if !is_of_loop || is_of_join || is_known || !is_lasting {
            continue;
        }
        let next = condition.substituted(&mut |number| context.terms.replaced(number, iteration, &before));
        let begin = next.as_ref().and_then(|next| {
            next.substituted(&mut |number| context.terms.replaced(number, iteration, &Polynomial::default()))
        });
        let (Some(next), Some(begin)) = (next, begin) else { continue };
        let begin = decided(begin, &context.terms);
        let begin_fact = context.facts.number(begin.clone());
        let holds_first = |known: &&[u32]| begin == TermCondition::ALWAYS || known.binary_search(&begin_fact).is_ok();
        if entering.iter().all(holds_first) && others.iter().all(|known| known.binary_search(fact).is_ok()) {
            facts.push(context.facts.number(next));
        }
    }
    facts
}

/// Whether an atom occurs in a number.
fn mentions(context: &TermContext, number: &Polynomial, atom: AtomId) -> bool {
    let wanted = match context.terms.get(atom) {
        Atom::Iteration(place, _) => *place,
        _ => return false,
    };
    places(context, number).contains(&wanted)
}

/// Whether an unknown value of a place occurs in a number, other than an iteration.
fn mentions_unknown(context: &TermContext, number: &Polynomial, is_wanted: &impl Fn(&TermPlace) -> bool) -> bool {
    number.atoms().any(|atom| match context.terms.get(atom) {
        Atom::Unknown(place, ..) => is_wanted(place),
        Atom::Iteration(..) => false,
        Atom::Typed(inner, _) => mentions_unknown(context, inner, is_wanted),
        Atom::Quotient(one, other) => {
            mentions_unknown(context, one, is_wanted) || mentions_unknown(context, other, is_wanted)
        }
        // Terms that are not made anew are not replaced.
        _ => false,
    })
}

fn bits_of(context: &TermContext, value: u32) -> u32 {
    match context.values.get(value) {
        TermValue::Number(_, bits) => *bits,
        TermValue::Predicate(_) => 1,
    }
}

const fn place(part: &KernelPart, block: BlockId) -> TermPlace {
    TermPlace { interval: part.interval, kind: PlaceKind::Join(block as u32) }
}

/// How often the loop of a block was repeated.
fn iteration(context: &mut TermContext, (part, attempt): (&KernelPart, u32), block: BlockId) -> Polynomial {
    context.terms.value(Atom::Iteration(place(part, block), attempt), (0, 1 << 64))
}

/// The value of a register by a hypothesis.
fn supposed(
    context: &mut TermContext,
    (part, attempt): (&KernelPart, u32),
    (block, slot): Joined,
    hypothesis: &Hypothesis,
    facts: &mut Vec<u32>,
) -> u32 {
    let value = match hypothesis {
        Hypothesis::Linear(growth) => {
            let iteration = iteration(context, (part, attempt), block);
            let Some(number) = growth.at(&iteration) else {
                return context.unknown(place(part, block), slot, growth.bits);
            };
            if let Some(interval) = growth.within {
                context.terms.know(&number, interval);
                let at_least = ZeroRelation { holds: [false, true, true] };
                for bound in [number.offset(-interval.0), number.times(-1).offset(interval.1)] {
                    let fact = context.facts.number(TermCondition::compare(bound, at_least));
                    if let Err(at) = facts.binary_search(&fact) {
                        facts.insert(at, fact);
                    }
                }
            }
            TermValue::Number(number, growth.bits)
        }
        Hypothesis::Within(interval, bits) => {
            let atom = Atom::Unknown(place(part, block), slot, *interval);
            TermValue::Number(context.terms.value(atom, *interval), *bits)
        }
    };
    context.values.number(value)
}

/// Executes a block, and notes what holds on each way from it.
fn leave(
    context: &mut TermContext,
    part: &KernelPart,
    evaluated: &mut EvaluatedPart,
    block: BlockId,
    mut state: ThreadKnowledge,
) {
    let (start, end) = context.flow.blocks[block].instructions;
    for at in start..end {
        execute(
            context,
            &mut state,
            ExecutedInstruction { interval: part.interval, block: block as u32, at: at as u32 },
        );
    }
    for number in 0..context.flow.blocks[block].edges.len() {
        let edge = context.flow.blocks[block].edges[number];
        let mut way = state.clone();
        let condition = edge
            .guard
            .map_or(TermCondition::ALWAYS, |guard| predicate(context, &state, guard.predicate, guard.expected));
        let is_possible = way.assume(&condition, &mut context.facts);
        evaluated.ways.insert((block, number), is_possible.then_some(way));
    }
    evaluated.ends.insert(block, state);
}

/// The values of a register on the ways into a block: whether each leads back to the begin of a loop, and the state there.
fn values_before<'e>(
    part: &'e KernelPart,
    evaluated: &'e EvaluatedPart,
    (block, slot): Joined,
) -> Vec<(bool, u32, &'e ThreadKnowledge)> {
    let first = (block == part.start).then(|| (false, part.begin.registers[slot as usize], &part.begin));
    let ways = part.entries.get(&block).into_iter().flatten().filter_map(|way| {
        let state = evaluated.ways.get(way)?.as_ref()?;
        Some((part.leads_back(way.0, block), state.registers[slot as usize], state))
    });
    first.into_iter().chain(ways).collect()
}

/// Whether a hypothesis holds on each way into the block.
fn holds(
    context: &mut TermContext,
    (part, evaluated): (&KernelPart, &EvaluatedPart),
    joined: Joined,
    hypothesis: &Hypothesis,
    attempt: u32,
) -> bool {
    let iteration = iteration(context, (part, attempt), joined.0);
    let is_invariant = match hypothesis {
        Hypothesis::Linear(growth) => {
            [&growth.first, &growth.step].iter().all(|one| is_invariant(context, part, joined.0, one))
        }
        Hypothesis::Within(..) => true,
    };
    is_invariant
        && values_before(part, evaluated, joined).into_iter().all(|(leads_back, value, state)| {
            let TermValue::Number(number, own) = context.values.get(value).clone() else { return false };
            match hypothesis {
                Hypothesis::Linear(growth) => {
                    let expected =
                        if leads_back { growth.at(&iteration.offset(1)) } else { growth.at(&Polynomial::default()) };
                    let is_expected = expected.is_some_and(|expected| expected == number);
                    own == growth.bits && is_expected && stays_within(context, growth, &iteration, (leads_back, state))
                }
                Hypothesis::Within((least, most), bits) => {
                    let interval = interval_on_way(context, &number, *bits, state);
                    own == *bits && interval.0 >= *least && interval.1 <= *most
                }
            }
        })
}

/// Whether a growing number is in its interval on a way into the block, without wrapping around.
fn stays_within(
    context: &TermContext,
    growth: &LinearGrowth,
    iteration: &Polynomial,
    (leads_back, state): (bool, &ThreadKnowledge),
) -> bool {
    let Some((least, most)) = growth.within else { return true };
    let interval = if leads_back {
        // The sum of the number before and the step, as whole numbers.
        let Some(before) = growth.at(iteration) else { return false };
        let (smallest, largest) = bounds_by_facts(context, &before, state);
        let step = context.terms.interval(&growth.step);
        (smallest + step.0, largest + step.1)
    } else {
        context.terms.interval(&growth.first)
    };
    interval.0 >= least && interval.1 <= most
}

/// The values of a number, by comparisons of sums in which it occurs.
fn bounds_by_facts(context: &TermContext, number: &Polynomial, state: &ThreadKnowledge) -> NumberInterval {
    let (mut least, mut most) = context.terms.interval(number);
    for fact in &state.facts {
        let TermCondition::Compare(sum, ZeroRelation { holds: [less, equal, greater] }) = context.facts.get(*fact)
        else {
            continue;
        };
        let strict = i128::from(!equal);
        let (plus, minus) =
            (context.terms.interval(&number.plus(sum, -1)), context.terms.interval(&number.plus(sum, 1)));
        if !greater {
            most = most.min(plus.1 - strict);
            least = least.max(minus.0 + strict);
        }
        if !less {
            least = least.max(plus.0 + strict);
            most = most.min(minus.1 - strict);
        }
    }
    (least, most)
}

/// The values of a number modulo 2^bits, where some conditions hold.
fn interval_on_way(context: &TermContext, number: &Polynomial, bits: u32, state: &ThreadKnowledge) -> NumberInterval {
    let known = state.intervals(context);
    let of = |atom: AtomId| known.get(&atom).copied().unwrap_or(context.terms.interval_of(atom));
    let ty = NumberType::Unsigned(bits);
    let typed = context.terms.find(&Atom::Typed(number.clone(), ty));
    let interval = typed.map_or_else(|| context.terms.interval_with(number, &of), of);
    let all = ty.interval();
    if interval.0 >= all.0 && interval.1 <= all.1 { interval } else { all }
}

/// Supposes more of registers of which nothing was supposed yet; whether there is something.
fn propose(
    context: &mut TermContext,
    part: &KernelPart,
    evaluated: &EvaluatedPart,
    hypotheses: &mut Hypotheses,
) -> bool {
    let mut has_new = false;
    for (block, state) in &evaluated.begins {
        for slot in 0..state.registers.len() as u32 {
            let joined = (*block, slot);
            if hypotheses.current.contains_key(&joined) || hypotheses.finished.contains(&joined) {
                continue;
            }
            let TermValue::Number(number, bits) = context.values.get(state.registers[slot as usize]).clone() else {
                continue;
            };
            let interval = NumberType::Unsigned(bits).interval();
            let atom = context.terms.find(&Atom::Unknown(place(part, *block), slot, interval));
            let Some(atom) = atom.filter(|atom| number == Polynomial::atom(*atom)) else { continue };
            let mut proposals = within(context, part, evaluated, joined, bits);
            let is_unbounded = hypotheses.unbounded.contains(&joined);
            if let Some(growth) = linear(context, part, evaluated, joined, (atom, bits)) {
                let bounded = (!is_unbounded).then(|| bounded(context, &growth)).flatten();
                proposals.push(Hypothesis::Linear(LinearGrowth { within: bounded, ..growth }));
            }
            match proposals.pop() {
                Some(proposal) => {
                    has_new = true;
                    hypotheses.current.insert(joined, proposal);
                    hypotheses.next.insert(joined, proposals);
                }
                None => {
                    hypotheses.finished.insert(joined);
                }
            }
        }
    }
    has_new
}

/// The same step on each way back to the begin of a loop.
fn linear(
    context: &TermContext,
    part: &KernelPart,
    evaluated: &EvaluatedPart,
    joined: Joined,
    (atom, bits): (AtomId, u32),
) -> Option<LinearGrowth> {
    let (mut first, mut step) = (None, None);
    for (leads_back, value, _) in values_before(part, evaluated, joined) {
        let TermValue::Number(number, own) = context.values.get(value) else { return None };
        if *own != bits {
            return None;
        }
        let (known, new) = match leads_back {
            true => (&mut step, number.plus(&Polynomial::atom(atom), -1).modulo(bits)),
            false => (&mut first, number.clone()),
        };
        if known.get_or_insert_with(|| new.clone()) != &new {
            return None;
        }
    }
    let (first, step) = first.zip(step)?;
    let are_invariant = is_invariant(context, part, joined.0, &first) && is_invariant(context, part, joined.0, &step);
    are_invariant.then_some(LinearGrowth { first, step, bits, within: None })
}

/// The interval that a growing number stays in if it does not wrap around as a signed one.
fn bounded(context: &TermContext, growth: &LinearGrowth) -> Option<NumberInterval> {
    let ((least, most), (smallest, largest)) =
        (context.terms.interval(&growth.first), context.terms.interval(&growth.step));
    let all = NumberType::Signed(growth.bits).interval();
    match () {
        () if growth.bits > 32 || least < all.0 || most > all.1 => None,
        () if smallest >= 0 => Some((least, all.1)),
        () if largest <= 0 => Some((all.0, most)),
        () => None,
    }
}

/// Intervals that the register may stay in, the narrowest last.
fn within(
    context: &TermContext,
    part: &KernelPart,
    evaluated: &EvaluatedPart,
    joined: Joined,
    bits: u32,
) -> Vec<Hypothesis> {
    let (mut entered, mut all): (Option<NumberInterval>, Option<NumberInterval>) = (None, None);
    let union = |known: &mut Option<NumberInterval>, (least, most): NumberInterval| {
        let (a, b) = known.unwrap_or((least, most));
        *known = Some((a.min(least), b.max(most)));
    };
    for (leads_back, value, state) in values_before(part, evaluated, joined) {
        let TermValue::Number(number, own) = context.values.get(value) else { return Vec::new() };
        if *own != bits {
            return Vec::new();
        }
        let interval = interval_on_way(context, number, bits, state);
        union(&mut all, interval);
        if !leads_back {
            union(&mut entered, interval);
        }
    }
    let Some(((a, b), (c, d))) = entered.zip(all) else { return Vec::new() };
    let full = NumberType::Unsigned(bits).interval();
    let mut intervals = vec![(c, d), (a, d), (c, b), (a, b)];
    intervals.dedup();
    intervals.into_iter().filter(|one| *one != full).map(|one| Hypothesis::Within(one, bits)).collect()
}

/// Whether a number is the same in all iterations of the loop that begins with a block.
fn is_invariant(context: &TermContext, part: &KernelPart, first: BlockId, number: &Polynomial) -> bool {
    part.loops.contains_key(&first) && places(context, number).into_iter().all(|place| !is_in_loop(part, first, place))
}

/// Whether values come into being at a place in the loop that begins with a block.
fn is_in_loop(part: &KernelPart, first: BlockId, place: TermPlace) -> bool {
    let block = match place.kind {
        PlaceKind::Entry => return false,
        PlaceKind::Join(block) | PlaceKind::Instruction(block, _) => block as usize,
    };
    place.interval == part.interval && part.loops.get(&first).is_some_and(|found| found.blocks.contains(&block))
}

/// The places at which atoms of a number come into being.
pub fn places(context: &TermContext, number: &Polynomial) -> BTreeSet<TermPlace> {
    let mut places = BTreeSet::new();
    number.atoms().for_each(|atom| add_places(context, atom, &mut places));
    places
}

fn add_places(context: &TermContext, atom: AtomId, places: &mut BTreeSet<TermPlace>) {
    let mut add = |number: &Polynomial| number.atoms().for_each(|atom| add_places(context, atom, places));
    match context.terms.get(atom) {
        Atom::Unknown(place, ..) | Atom::Iteration(place, _) => {
            places.insert(*place);
        }
        Atom::Quotient(one, other)
        | Atom::Xor(one, other, _)
        | Atom::Minimum(one, other)
        | Atom::Maximum(one, other) => [one, other].into_iter().for_each(add),
        Atom::Typed(number, _) | Atom::Wraps(number, _) => add(number),
        Atom::Function(_, operands) => operands.iter().for_each(add),
        Atom::Choice(condition, one, other) => {
            condition.numbers().into_iter().chain([one, other]).for_each(add);
        }
        Atom::InThread(_, atom) => add_places(context, *atom, places),
        Atom::ThreadIndex(_)
        | Atom::BlockSize(_)
        | Atom::CtaIndex(_)
        | Atom::GridSize(_)
        | Atom::Parameter(..)
        | Atom::SharedVariable(_) => {}
    }
}
