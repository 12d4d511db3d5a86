//! The search through all states.

use crate::choices::cluster_launches;
use crate::choices::commutative_updates::{commuting_updates, unread_updates};
use crate::choices::message_choices::Recency;
use crate::choices::sharing::SharedLocations;
use crate::choices::steps;
use crate::choices::transition::{PossibleSteps, Transition};
use crate::choices::waits;
use crate::choices::waits::Delay;
use crate::equivalence::fingerprint;
use crate::equivalence::state_permutations::StatePermutations;
use crate::equivalence::symmetry::ThreadSymmetry;
use crate::load_buffering::buffered_reads::BufferedReads;
use crate::load_buffering::dependent_write_analysis::value_dependent_writes;
use crate::result::{Verification, VerificationBounds, VerifyRequest};
use crate::search::earlier_problems::EarlierProblems;
use crate::search::fair_cycle::Successor;
use crate::search::omission::Omission;
use crate::search::replay;
use crate::search::replay::{RepeatedStep, traced};
use crate::search::search_limits::SearchLimits;
use crate::search::state_graph::{StateGraph, StateKind, StateOrigin};
use crate::search::state_search::StateSearch;
use crate::search::unconfirmed::Unconfirmed;
use machine::exploration::exploration_state::{ArrivalKind, ExplorationClock};
use machine::exploration::unconstrained_reads::UnconstrainedReads;
use machine::exploration::withheld_clusters;
use machine::launch::residency::Residency;
use machine::state::Machine;
use machine::threads::executed::ExecutedInstructions;
use ordering::load_buffering::value_dependent_writes;
use ordering::step_log;
use ordering::{Followed, SearchRules, SymmetryRule, ThreadPermutation};
use program::analysis::liveness::live_registers;
use program::launch::kernel_launch::UseRecording;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A state whose successors are being visited.
struct Open<'p> {
    state: u32,
    machine: Machine<'p>,
    transitions: Vec<Transition>,
    /// The steps of independent threads. They are taken if all the others lead back to states whose successors are being visited, too.
    independent: Vec<Transition>,
    /// Whether one of the others does not.
    leads_on: bool,
    /// The steps that end a round in vain of a loop that counts. They are taken only if there are no others.
    in_vain: Vec<Transition>,
    /// Whether another step that reads the last messages leads on.
    goes_on: bool,
}

/// Explores all executions within the bounds.
///
/// Some reads may have any value. Then a problem may be none, and ends the search.
pub fn search(
    request: VerifyRequest,
    bounds: VerificationBounds,
    rules: SearchRules,
    unconstrained_reads: &Arc<UnconstrainedReads>,
) -> Verification {
    let VerifyRequest { program, launch, memory, claims, cancelled, example, .. } = request;
    let live: Arc<[_]> = program.functions.iter().map(live_registers).collect();
    let has_unconstrained_reads = !unconstrained_reads.places.is_empty();
    let unread = unread_updates(&program.functions, &live);
    // Updates without what they read are stores.
    let commuting =
        if has_unconstrained_reads { BTreeSet::new() } else { commuting_updates(&program.functions, &unread) };
    let mut shared = SharedLocations::new(live.clone(), unread, commuting);
    shared.mbarriers = rules.mbarriers;
    shared.scale(rules.states);
    let decided = Arc::new(value_dependent_writes(program, &live, rules.branches));
    let mut reads = BufferedReads::of(decided.clone());
    let executed = (!has_unconstrained_reads).then(|| Arc::new(ExecutedInstructions::none_of(program)));
    let begin = |launch, followed: &Followed, rules| {
        let mut machine = Machine::new(program, launch, memory.clone());
        begin_all(&mut machine, followed.clone(), rules);
        machine.explored.unconstrained_reads = unconstrained_reads.clone();
        machine.explored.executed.clone_from(&executed);
        value_dependent_writes::follow_value_dependent_writes(&mut machine.races, decided.clone());
        machine
    };
    let traced = traced(launch);
    let mut symmetry = ThreadSymmetry::of(program, launch).filter(|_| rules.symmetry == SymmetryRule::On);
    let mut earlier = EarlierProblems::default();
    loop {
        shared.begin_search();
        let followed = Followed { locations: shared.followed.clone(), arrivals: shared.explored_arrivals() };
        let search = StateSearch {
            bounds,
            fences: rules.fences,
            unconstrained_reads,
            claims,
            cancelled,
            shared: &mut shared,
            reads: &mut reads,
            symmetry: symmetry.as_ref(),
            places: StatePermutations::default(),
            lost: BTreeSet::new(),
            limits: SearchLimits::new(bounds),
            live: &live,
            begin_traced: &|fences| begin(&traced, &followed, SearchRules { fences, ..rules }),
            graph: StateGraph::default(),
            polled: BTreeSet::new(),
            first_end: None,
            unconfirmed: Unconfirmed::default(),
            unconfirmed_notes: Unconfirmed::default(),
            example,
            found: Verification::default(),
        };
        let mut found = search.run(begin(launch, &followed, rules));
        found.executed = executed.iter().flat_map(|executed| executed.places()).collect();
        let (is_whole, is_settled) = (shared.is_whole(), shared.is_settled());
        if shared.surprised {
            // What it supposed about locations was wrong: a search that supposes nothing wrong has to show its problems.
            earlier.keep(std::mem::take(&mut found.problems), shared.followed.len() > followed.locations.len());
        }
        if is_settled && !is_whole && !found.problems.is_empty() && found.unfinished().is_none() {
            found.omissions.insert(Omission::AfterProblem);
        }
        shared.follow_found();
        let is_doubtful = std::mem::take(&mut shared.doubts_symmetry);
        if is_whole && is_doubtful && found.problems.is_empty() && found.unfinished().is_none() {
            symmetry = None;
            continue;
        }
        if is_whole || !found.problems.is_empty() || found.unsupported.is_some() || found.is_unconfirmed {
            return earlier.added_to(found);
        }
        // What surprised was not searched.
        if cancelled() {
            found.omissions.insert(Omission::Cancelled);
            return earlier.added_to(found);
        }
    }
}

/// Which rounds of loops that count are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitRounds {
    /// As many as the bound allows.
    Bounded,
    /// All.
    Any,
}

impl<'p> StateSearch<'_, 'p> {
    fn run(mut self, first: Machine<'p>) -> Verification {
        let root = first.clone();
        let mut open = Vec::new();
        let mut machine = first;
        steps::settle(&mut machine, self.shared, self.cancelled);
        waits::begin_waits(&mut machine, self.live);
        self.visit(machine, None, &mut open);
        while !self.is_over() {
            let Some(last) = open.last_mut() else { break };
            if let Some(transition) = last.transitions.pop() {
                self.step(transition, WaitRounds::Bounded, &mut open);
            } else if !last.leads_on && !last.independent.is_empty() {
                last.transitions = std::mem::take(&mut last.independent);
            } else if !last.goes_on
                && let Some(transition) = last.in_vain.pop()
            {
                self.step(transition, WaitRounds::Any, &mut open);
            } else {
                if !last.in_vain.is_empty() {
                    self.graph.shorten(last.state);
                }
                open.pop();
            }
        }
        self.conclude(root)
    }

    /// Takes a step from the last state.
    fn step(&mut self, transition: Transition, rounds: WaitRounds, open: &mut Vec<Open<'p>>) {
        let Some(last) = open.last_mut() else { return };
        let (state, mut machine) = (last.state, last.machine.clone());
        let step = replay::step_of(&machine, &transition);
        if let Some(step) = step.filter(|step| self.unconstrained_reads.places.contains(&step.place)) {
            let elements = 0..transition.elements();
            self.found.unconstrained_reads.extend(elements.map(|element| (step.thread, step.place, element)));
        }
        waits::begin_test(&mut machine, &transition, self.live);
        steps::take(&mut machine, &transition, self.shared, self.cancelled);
        if matches!(transition, Transition::Launch(_)) && !withheld_clusters::chooses_clusters(&machine) {
            waits::begin_waits(&mut machine, self.live);
        }
        // A round that changes nothing is left out below, but may have met a write that nothing followed.
        self.note_left_out(&mut machine);
        let (recency, mut delay) = (transition.recency(), Delay::None);
        let arrival =
            waits::arrival(&mut machine, &transition, step.map(|step| step.place), self.live, self.bounds.wait_rounds);
        if arrival != ArrivalKind::New {
            self.note_rounds(&machine);
            self.polled.extend(waits::last_read(&machine, &transition));
        }
        match arrival {
            // The step leads back to where it began, as far as others and the end are concerned.
            ArrivalKind::Same if machine.problems.list().is_empty() => {
                return self.graph.add_successor(state, recency, Successor { to: state, step, changes: None });
            }
            ArrivalKind::InVain if rounds == WaitRounds::Bounded => {
                self.found.omitted.waits.extend(step.map(|step| step.place));
                last.in_vain.push(transition.clone());
                delay = Delay::TimeOut;
                if !waits::pass_time(&mut machine, &transition, delay) {
                    return;
                }
            }
            ArrivalKind::InVain => {
                self.found.omitted.waits.extend(step.map(|step| step.place));
                delay = Delay::Stall;
                waits::pass_time(&mut machine, &transition, delay);
            }
            _ => last.goes_on |= rounds == WaitRounds::Bounded && recency == Recency::Latest,
        }
        let repeated = RepeatedStep { transition, delay, step };
        let at = open.len() - 1;
        let reached = self.visit(machine, Some(StateOrigin { state, repeated }), open);
        let leads_back = reached.is_some_and(|reached| open[..=at].iter().any(|known| known.state == reached));
        open[at].leads_on |= !leads_back;
    }

    fn is_over(&mut self) -> bool {
        let states = self.graph.len();
        if self.limits.has_too_many_states(states) {
            self.found.omissions.insert(Omission::States);
        } else if self.shared.has_too_many_choices {
            self.found.omissions.insert(Omission::Choices);
        } else if self.limits.has_too_many_writes(&self.found) {
            self.found.omissions.insert(Omission::Writes);
        } else if (self.cancelled)() {
            self.found.omissions.insert(Omission::Cancelled);
        } else if self.limits.has_gone_on_for_long(states, &self.found) {
            self.found.omissions.insert(Omission::AfterProblem);
        }
        if !self.found.problems.is_empty() && self.shared.has_found_overrun() {
            self.limits.note_omission(states);
        }
        let is_in_doubt = !self.found.problems.is_empty() || !self.unconfirmed.is_empty();
        is_in_doubt && !self.unconstrained_reads.places.is_empty()
            || self.limits.has_omitted_enough(states)
            || self.shared.has_found_ordered()
            || self.found.unfinished().is_some()
            || self.found.unsupported.is_some()
            || self.shared.surprised
            || self.limits.has_shown_nothing(states, &self.unconfirmed)
    }

    /// Visits a state that a step of another one leads to. Returns its number if it is known.
    fn visit(
        &mut self,
        mut machine: Machine<'p>,
        origin: Option<StateOrigin>,
        open: &mut Vec<Open<'p>>,
    ) -> Option<u32> {
        let transitions = steps::settle_deadlocks(&mut machine, self.shared, self.cancelled);
        if (self.cancelled)() {
            self.found.omitted.cancelled = machine.places();
            return None;
        }
        self.note_left_out(&mut machine);
        let mut log = step_log::drain_log(&mut machine.races);
        self.reads.add(&mut log);
        for (key, value) in std::mem::take(&mut log.written_values) {
            self.found.written_values.entry(key).or_default().insert(value);
        }
        self.lost.append(&mut log.lost_reads);
        self.limits.count_visit(&machine);
        self.found.omitted.overlaps.append(&mut log.unordered_kernels);
        // Also if the state is known: what was wrong on this way to it may have left no trace.
        let goes_on = self.report(&mut machine, origin.as_ref());
        if goes_on && transitions.is_empty() && machine.launch.uses == UseRecording::On {
            machine.races.add_use(&mut self.found.usage);
        }
        let step = origin
            .as_ref()
            .map(|StateOrigin { state, repeated }| (*state, repeated.transition.recency(), repeated.step));
        let symmetry = self.symmetry;
        let permutation =
            symmetry.map_or(ThreadPermutation::NONE, |symmetry| symmetry.permutation(&machine, self.live, self.shared));
        let fingerprint = fingerprint::fingerprint(&machine, self.live, &permutation);
        let state = self.graph.number(fingerprint);
        let changes = self.places.note(&machine, state, permutation, &mut self.shared.moved);
        if let Some((parent, recency, step)) = step {
            self.graph.add_successor(parent, recency, Successor { to: state, step, changes });
        }
        self.note_rounds(&machine);
        if !self.graph.is_new(state) {
            self.found.executions += 1;
            if self.unconfirmed.has_end(state) {
                self.end(&machine, origin.as_ref(), state);
            }
            return Some(state);
        }
        let is_end = transitions.is_empty() && !withheld_clusters::withholds_clusters(&machine);
        let kind = if withheld_clusters::withholds_clusters(&machine) {
            StateKind::Withholding
        } else if !goes_on || is_end || machine.has_timed_out() {
            StateKind::End
        } else {
            StateKind::Inner
        };
        self.found.executions += usize::from(!goes_on || is_end);
        if goes_on && is_end {
            self.end(&machine, origin.as_ref(), state);
        } else if goes_on {
            let PossibleSteps { kept, independent } = transitions;
            let (in_vain, goes_on, leads_on) = (Vec::new(), false, false);
            open.push(Open { state, machine, transitions: kept, independent, leads_on, in_vain, goes_on });
        }
        if let Some(step) = origin.as_ref().and_then(|origin| origin.repeated.step) {
            self.found.omitted.count_state(step.place);
        }
        self.graph.add(origin, kind);
        None
    }

    /// Keeps the most rounds of each loop.
    fn note_rounds(&mut self, machine: &Machine) {
        for (place, rounds) in machine.explored.rounds.most() {
            let most = self.found.rounds.entry(place).or_default();
            *most = rounds.max(*most);
        }
    }
}

/// Begins all CTAs, each lane on its own, and keeps histories.
fn begin_all(machine: &mut Machine<'_>, followed: Followed, rules: SearchRules) {
    machine.races.keep_history(machine.program, followed, rules);
    machine.explored.clock = Some(ExplorationClock::default());
    // Each order of the clusters is explored.
    machine.queue.residency = Residency::All;
    cluster_launches::begin_clusters(machine);
}
