//! The search through all states.

use super::super::explored::{ArrivalKind, ExploredClock};
use super::super::free_reads::FreeReads;
use super::super::global::GlobalMemory;
use super::super::kernel_use::UseRecording;
use super::super::launch::ThreadId;
use super::super::liveness::{RegisterSet, live_registers};
use super::super::mbarrier::MbarrierMistake;
use super::super::problem::{Problem, ProblemKind};
use super::super::races::{
    BufferedLoads, Followed, LocationKey, LostRead, Renaming, SearchRules, SequentialFenceOrder, SymmetryRule,
};
use super::super::residency::Residency;
use super::super::state::Machine;
use super::buffered_reads::BufferedReads;
use super::choices::Recency;
use super::commuting_updates::{commuting_updates, unread_updates};
use super::fair_cycle::{Successor, fair_cycle};
use super::places::PlacesOfStates;
use super::progress::state_without_end;
use super::replay::{Repeated, RepeatedStep, replay, replay_with_late_fences, traced};
use super::result::{FoundProblem, ProvedExample, Unfinished, Verification, VerificationBounds, VerifiedLaunch};
use super::sharing::SharedLocations;
use super::symmetry::CtaSymmetry;
use super::transition::Transition;
use super::unconfirmed::{Finding, Unconfirmed};
use super::waits::{Delay, has_clock, is_meant_by_limit};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most messages of a location in a search that forgets none.
const LONGEST_HISTORY: usize = 12;

/// What visits of states may cost in which locations have more messages than [`LONGEST_HISTORY`], at least: threads write again and again, and the
/// writes that others may read are ever more. A visit costs as the square of the messages.
const MOST_WRITES: usize = 1_000_000;

/// The same after a problem: the search goes on only to find others.
const MOST_WRITES_AFTER_PROBLEM: usize = 50_000;

/// The most states of a search that cannot show something that it has found: it may show something else.
const MOST_STATES_UNCONFIRMED: usize = 20_000;

/// The states that are still visited after the last problem, and how many times those before it: a search that goes on only to find others.
const MORE_STATES_AFTER_PROBLEM: (usize, usize) = (2_000, 4);

/// The states that are still visited after a problem, if the search has left something out.
const STATES_AFTER_PROBLEM: usize = 100;

/// How a state was reached: from which one, and by which step.
#[derive(Clone, Debug)]
struct StateOrigin {
    state: u32,
    repeated: RepeatedStep,
}

/// A state whose successors are being visited.
struct Open<'p> {
    state: u32,
    machine: Machine<'p>,
    transitions: Vec<Transition>,
    /// The steps that end a round in vain of a loop that counts. They are taken only if there are no others.
    in_vain: Vec<Transition>,
    /// Whether another step that reads the last messages leads on.
    goes_on: bool,
}

/// Explores all executions within the bounds.
///
/// Some reads may have any value. Then a problem may be none, and ends the search.
pub fn search(
    asked: VerifiedLaunch,
    bounds: VerificationBounds,
    rules: SearchRules,
    free_reads: &Arc<FreeReads>,
) -> Verification {
    let VerifiedLaunch { program, launch, memory, claims, cancelled, example, .. } = asked;
    let live: Arc<[_]> = program.functions.iter().map(live_registers).collect();
    let has_free_reads = !free_reads.places.is_empty();
    let unread = unread_updates(&program.functions, &live);
    // Updates without what they read are stores.
    let commuting = if has_free_reads { BTreeSet::new() } else { commuting_updates(&program.functions, &unread) };
    let mut shared = SharedLocations::new(live.clone(), unread, commuting);
    let mut reads = BufferedReads::default();
    let begin = |launch, followed: &Followed, rules| {
        let mut machine = Machine::new(program, launch, memory.clone());
        machine.begin_all(followed.clone(), rules);
        machine.explored.free_reads = free_reads.clone();
        machine
    };
    let traced = traced(launch);
    let mut symmetry = CtaSymmetry::of(program, launch).filter(|_| rules.symmetry == SymmetryRule::Ctas);
    loop {
        shared.begin_search();
        let arrivals = shared.ordered_arrivals.union(&shared.overrun).copied().collect();
        let followed = Followed { locations: shared.followed.clone(), arrivals };
        let search = StateSearch {
            bounds,
            fences: rules.fences,
            free_reads,
            claims,
            cancelled,
            shared: &mut shared,
            reads: &mut reads,
            symmetry: symmetry.as_ref(),
            places: PlacesOfStates::default(),
            lost: BTreeSet::new(),
            has_long_history: false,
            writes: 0,
            has_unordered_allocations: false,
            last_state: None,
            last_problem: 0,
            live: &live,
            begin_traced: &|fences| begin(&traced, &followed, SearchRules { fences, ..rules }),
            visited: HashMap::new(),
            origins: Vec::new(),
            successors: Vec::new(),
            ends: Vec::new(),
            withholding: BTreeSet::new(),
            shortened: BTreeSet::new(),
            polled: BTreeSet::new(),
            first_end: None,
            unconfirmed: Unconfirmed::default(),
            unconfirmed_notes: Unconfirmed::default(),
            example,
            found: Verification::default(),
        };
        let mut found = search.run(begin(launch, &followed, rules));
        let is_whole = shared.is_whole();
        shared.follow_found();
        let is_doubtful = std::mem::take(&mut shared.doubts_symmetry);
        if is_whole && is_doubtful && found.problems.is_empty() && found.unfinished.is_none() {
            symmetry = None;
            continue;
        }
        if is_whole || !found.problems.is_empty() || found.unsupported.is_some() || found.is_unconfirmed {
            return found;
        }
        // What surprised was not searched.
        if cancelled() {
            found.unfinished.get_or_insert(Unfinished::Cancelled);
            return found;
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

struct StateSearch<'s, 'p> {
    bounds: VerificationBounds,
    fences: SequentialFenceOrder,
    free_reads: &'s FreeReads,
    claims: &'s dyn Fn(&GlobalMemory) -> Vec<String>,
    cancelled: &'s dyn Fn() -> bool,
    shared: &'s mut SharedLocations,
    reads: &'s mut BufferedReads,
    /// Which CTAs may change places in states that are alike.
    symmetry: Option<&'s CtaSymmetry>,
    places: PlacesOfStates,
    /// The sequences of reads that are not explored, if their threads read.
    lost: BTreeSet<(LocationKey, LostRead)>,
    /// Whether a location has more messages than a search can follow.
    has_long_history: bool,
    /// What visits of states with many messages of a location have cost; see [`MOST_WRITES`].
    writes: usize,
    /// Whether only one order of changes of what is allocated in tensor memory is explored, and nothing orders them.
    has_unordered_allocations: bool,
    /// The number of states after which the search ends, if it is known to be incomplete.
    last_state: Option<usize>,
    /// The number of states when the last problem was found.
    last_problem: usize,
    /// The registers that matter at each instruction of each function.
    live: &'s [Vec<RegisterSet>],
    /// Makes the first state, with steps that are traced.
    begin_traced: &'s dyn Fn(SequentialFenceOrder) -> Machine<'p>,
    visited: HashMap<u64, u32>,
    /// How each state was reached first; the first one was not.
    origins: Vec<Option<StateOrigin>>,
    /// The states that each one leads to by steps that read the last messages.
    successors: Vec<Vec<Successor>>,
    ends: Vec<bool>,
    /// The states in which clusters have neither begun nor been cancelled. Whether those come to an end is not asked.
    withholding: BTreeSet<u32>,
    /// The states at which rounds of loops that wait and count were left out.
    shortened: BTreeSet<usize>,
    /// The addresses that loops wait for.
    polled: BTreeSet<u64>,
    /// How the first end was reached.
    first_end: Option<StateOrigin>,
    unconfirmed: Unconfirmed,
    /// The same of notes. Which does not refute and is not found again is not worth a search through all orders.
    unconfirmed_notes: Unconfirmed,
    example: ProvedExample,
    found: Verification,
}

impl<'p> StateSearch<'_, 'p> {
    fn run(mut self, first: Machine<'p>) -> Verification {
        let root = first.clone();
        let mut open = Vec::new();
        let mut machine = first;
        machine.settle(self.shared);
        machine.begin_waits(self.live);
        self.visit(machine, None, &mut open);
        while !self.is_over() {
            let Some(last) = open.last_mut() else { break };
            if let Some(transition) = last.transitions.pop() {
                self.step(transition, WaitRounds::Bounded, &mut open);
            } else if !last.goes_on
                && let Some(transition) = last.in_vain.pop()
            {
                self.step(transition, WaitRounds::Any, &mut open);
            } else {
                if !last.in_vain.is_empty() {
                    self.shortened.insert(last.state as usize);
                }
                open.pop();
            }
        }
        self.leave_out_polled();
        self.found.states = self.origins.len();
        self.found.has_shortened_waits = !self.shortened.is_empty() || has_clock(root.program);
        self.found.loses_reads = self.lost.iter().any(|(key, lost)| self.shared.may_read(*key, *lost));
        self.found.buffered_loads = self.reads.may_matter(&root, self.shared);
        self.check_moved_threads(&root);
        // Else some steps are missing, and with them ways to the end.
        let is_whole = self.shared.is_whole();
        if self.found.unfinished.is_none() && is_whole && self.found.problems.is_empty() {
            self.report_livelock(root);
            if self.found.problems.is_empty() {
                match fair_cycle(&self.successors, self.places.changes()) {
                    Ok(found) => self.found.fair_cycle = found,
                    Err(_) => self.shared.doubts_symmetry = true,
                }
            }
        }
        self.found.is_unconfirmed = !self.unconfirmed.is_empty();
        if self.has_unordered_allocations {
            self.found.unfinished.get_or_insert(Unfinished::Allocations);
        }
        let is_example = self.example == ProvedExample::Shown && self.found.problems.is_empty();
        if is_whole && is_example {
            match self.repeat(self.first_end.as_ref(), None, &|_| true) {
                Some(shown) => self.found.example = shown.execution,
                None => self.found.is_unconfirmed = true,
            }
        }
        self.found
    }

    /// Takes a step from the last state.
    fn step(&mut self, transition: Transition, rounds: WaitRounds, open: &mut Vec<Open<'p>>) {
        let Some(last) = open.last_mut() else { return };
        let (state, mut machine) = (last.state, last.machine.clone());
        let step = machine.step_of(&transition);
        if let Some(step) = step.filter(|step| self.free_reads.places.contains(&step.place)) {
            let elements = 0..transition.elements();
            self.found.free_reads.extend(elements.map(|element| (step.thread, step.place, element)));
        }
        machine.begin_test(&transition, self.live);
        machine.take(&transition, self.shared);
        if matches!(transition, Transition::Launch(_)) && !machine.chooses_clusters() {
            machine.begin_waits(self.live);
        }
        // A round that changes nothing is left out below, but may have met a write that nothing followed.
        self.shared.follow(machine.races.take_missing());
        self.has_unordered_allocations |= machine.races.take_unordered_allocations();
        let (recency, mut delay) = (transition.recency(), Delay::None);
        let arrival = machine.arrival(&transition, step.map(|step| step.place), self.live, self.bounds.wait_rounds);
        if arrival != ArrivalKind::New {
            self.note_rounds(&machine);
            self.polled.extend(machine.last_read(&transition));
        }
        match arrival {
            // The step leads back to where it began, as far as others and the end are concerned.
            ArrivalKind::Same if machine.problems.list().is_empty() => {
                return self.add_successor(state, recency, Successor { to: state, step, changes: None });
            }
            ArrivalKind::InVain if rounds == WaitRounds::Bounded => {
                last.in_vain.push(transition.clone());
                delay = Delay::TimeOut;
                if !machine.pass_time(&transition, delay) {
                    return;
                }
            }
            ArrivalKind::InVain => {
                delay = Delay::Stall;
                machine.pass_time(&transition, delay);
            }
            _ => last.goes_on |= rounds == WaitRounds::Bounded && recency == Recency::Latest,
        }
        let repeated = RepeatedStep { transition, delay, step };
        self.visit(machine, Some(StateOrigin { state, repeated }), open);
    }

    fn is_over(&mut self) -> bool {
        if self.origins.len() >= self.bounds.states || self.has_long_history || self.shared.has_too_many_choices {
            self.found.unfinished = Some(Unfinished::States);
        } else if self.has_too_many_writes() {
            self.found.unfinished = Some(Unfinished::Writes);
        } else if (self.cancelled)() {
            self.found.unfinished = Some(Unfinished::Cancelled);
        } else if self.has_gone_on_for_long() {
            self.found.unfinished = Some(Unfinished::AfterProblem);
        }
        if !self.found.problems.is_empty() && self.shared.has_found_overrun() {
            // What was left out is not made up for: some more states show other problems.
            self.last_state.get_or_insert(self.origins.len() + STATES_AFTER_PROBLEM);
        }
        let is_in_doubt = !self.found.problems.is_empty() || !self.unconfirmed.is_empty();
        is_in_doubt && !self.free_reads.places.is_empty()
            || self.last_state.is_some_and(|last| self.origins.len() >= last)
            || self.shared.has_found_ordered()
            || self.found.unfinished.is_some()
            || self.found.unsupported.is_some()
            || self.shared.surprised
            || self.unconfirmed.has_given_up() && self.origins.len() >= MOST_STATES_UNCONFIRMED
    }

    /// Whether many states after a problem have not shown another one.
    fn has_gone_on_for_long(&self) -> bool {
        let (more, times) = MORE_STATES_AFTER_PROBLEM;
        !self.found.problems.is_empty() && self.origins.len() > self.last_problem.saturating_mul(times) + more
    }

    /// Whether states with ever more messages would take memory and time without end.
    fn has_too_many_writes(&self) -> bool {
        let bounded = MOST_WRITES.max(self.bounds.states.saturating_mul(3));
        self.writes > if self.found.problems.is_empty() { bounded } else { MOST_WRITES_AFTER_PROBLEM }
    }

    /// Visits a state that a step of another one leads to.
    fn visit(&mut self, mut machine: Machine<'p>, origin: Option<StateOrigin>, open: &mut Vec<Open<'p>>) {
        let transitions = machine.settle_stalls(self.shared);
        self.reads.add(&mut machine);
        for (key, value) in machine.races.take_written_values() {
            self.found.written_values.entry(key).or_default().insert(value);
        }
        self.lost.append(&mut machine.races.take_lost_reads());
        let messages = machine.races.longest_history();
        if messages > LONGEST_HISTORY {
            self.has_long_history |= machine.races.forgets_nothing();
            self.writes += messages * messages / 64;
        }
        self.shared.follow(machine.races.take_missing());
        self.has_unordered_allocations |= machine.races.take_unordered_allocations();
        // Also if the state is known: what was wrong on this way to it may have left no trace.
        let goes_on = self.report(&mut machine, origin.as_ref());
        if goes_on && transitions.is_empty() && machine.launch.uses == UseRecording::On {
            machine.races.add_use(&mut self.found.usage);
        }
        let step = origin
            .as_ref()
            .map(|StateOrigin { state, repeated }| (*state, repeated.transition.recency(), repeated.step));
        let symmetry = self.symmetry;
        let renaming = symmetry.map_or(Renaming::NONE, |symmetry| symmetry.renaming(&machine, self.live, self.shared));
        let fingerprint = machine.fingerprint(self.live, &renaming);
        let next = self.origins.len() as u32;
        let state = *self.visited.entry(fingerprint).or_insert(next);
        let changes = self.places.note(&machine, state, renaming, &mut self.shared.moved);
        if let Some((parent, recency, step)) = step {
            self.add_successor(parent, recency, Successor { to: state, step, changes });
        }
        self.note_rounds(&machine);
        if state != next {
            self.found.executions += 1;
            if self.unconfirmed.has_end(state) {
                self.end(&machine, origin.as_ref(), state);
            }
            return;
        }
        self.successors.push(Vec::new());
        let is_end = transitions.is_empty() && !machine.withholds_clusters();
        self.ends.push(!goes_on || transitions.is_empty() || machine.has_timed_out() || machine.withholds_clusters());
        if machine.withholds_clusters() {
            self.withholding.insert(next);
        }
        self.found.executions += usize::from(!goes_on || is_end);
        if goes_on && is_end {
            self.end(&machine, origin.as_ref(), state);
        } else if goes_on {
            open.push(Open { state, machine, transitions, in_vain: Vec::new(), goes_on: false });
        }
        self.origins.push(origin);
    }

    /// What was found about threads is true of those that have changed places with them, too. Where it is not known that this changes nothing,
    /// the search has to do without.
    fn check_moved_threads(&mut self, root: &Machine) {
        if self.shared.moved.is_empty() {
            return;
        }
        let loses_reads = self.lost.iter().any(|(key, lost)| self.shared.may_read_moved(*key, *lost));
        let buffered_loads = self.reads.may_matter_moved(root, self.shared);
        let found = &mut self.found;
        let is_new = buffered_loads != BufferedLoads::None && found.buffered_loads == BufferedLoads::None;
        self.shared.doubts_symmetry = loses_reads && !found.loses_reads || is_new;
        (found.loses_reads, found.buffered_loads) = (loses_reads, buffered_loads);
    }

    /// An execution has ended.
    fn end(&mut self, machine: &Machine, origin: Option<&StateOrigin>, state: u32) {
        let is_claimed = !machine.has_timed_out();
        // Whoever makes claims may remember the memory, so that it has to be possible.
        if is_claimed && !self.is_possible_end(machine, origin) {
            self.unconfirmed.add(Finding::End(state));
            return;
        }
        self.unconfirmed.remove(&Finding::End(state));
        self.found.ends += usize::from(is_claimed);
        if is_claimed && self.first_end.is_none() {
            self.first_end = origin.cloned();
        }
        let unknown = machine.unknown.of_global().map(|place| machine.result_at(place));
        let claims = if is_claimed && unknown.is_none() { (self.claims)(&machine.memory) } else { Vec::new() };
        self.found.unknown_result = self.found.unknown_result.take().or(unknown);
        for claim in claims {
            self.add(None, Some(claim), origin);
        }
    }

    /// Keeps the most rounds of each loop.
    fn note_rounds(&mut self, machine: &Machine) {
        for (place, rounds) in machine.explored.rounds.most() {
            let most = self.found.rounds.entry(place).or_default();
            *most = rounds.max(*most);
        }
    }

    /// Whether threads come to their ends is decided by what reads see in the long run: the last messages.
    fn add_successor(&mut self, from: u32, recency: Recency, successor: Successor) {
        if recency == Recency::Latest && !self.withholding.contains(&from) {
            self.successors[from as usize].push(successor);
        }
    }

    /// Reports the problems of a state. Returns whether its successors are worth a visit.
    fn report(&mut self, machine: &mut Machine, origin: Option<&StateOrigin>) -> bool {
        self.found.unsupported = self.found.unsupported.take().or(machine.unsupported.take());
        let mut goes_on = !machine.stopped;
        for note in std::mem::take(&mut machine.notes).into_list() {
            self.add_note(note, origin);
        }
        for problem in std::mem::take(&mut machine.problems).into_list() {
            match problem.kind {
                ProblemKind::InstructionLimit { .. } => {
                    self.found.unfinished = Some(Unfinished::Instructions);
                    continue;
                }
                ProblemKind::DataRace { .. }
                | ProblemKind::Deadlock { .. }
                | ProblemKind::Livelock { .. }
                | ProblemKind::Mbarrier { mistake: MbarrierMistake::NotInitialized, .. } => {
                    goes_on = false;
                }
                _ => {}
            }
            if machine.has_timed_out() && is_meant_by_limit(&problem.kind) {
                continue;
            }
            self.add(Some(problem), None, origin);
        }
        goes_on
    }

    fn add(&mut self, problem: Option<Problem>, claim: Option<String>, origin: Option<&StateOrigin>) {
        let of_problem = |one: &Problem| Some((one.place, one.kind.code()));
        let key = |problem: &Option<Problem>| problem.as_ref().and_then(of_problem);
        let claims = self.claims;
        let is_known = |known: &FoundProblem| key(&known.problem) == key(&problem) && known.claim == claim;
        if !self.found.problems.iter().any(is_known) {
            let is_there = |machine: &Machine| match &problem {
                // Found by what can follow, which is the same with any order of the fences before.
                Some(Problem { kind: ProblemKind::Livelock { .. }, .. }) => true,
                Some(_) => machine.problems.list().iter().any(|shown| of_problem(shown) == key(&problem)),
                None => machine.has_ended() && claim.iter().all(|claim| (claims)(&machine.memory).contains(claim)),
            };
            let thread = problem.as_ref().map(|problem| problem.thread);
            let finding = match (&problem, &claim) {
                (Some(problem), _) => Finding::Problem(problem.place, problem.kind.code()),
                (None, claim) => Finding::Claim(claim.clone().unwrap_or_default()),
            };
            if self.unconfirmed.is_given_up(&finding) {
                return;
            }
            let Some(Repeated { steps, execution, .. }) = self.repeat(origin, thread, &is_there) else {
                self.unconfirmed.add(finding);
                return;
            };
            self.unconfirmed.remove(&finding);
            self.last_problem = self.origins.len();
            self.found.problems.push(FoundProblem { problem, claim, steps, execution });
        }
    }

    /// Adds volatile accesses that nothing orders. The same two instructions are named once, whichever of them is executed first.
    fn add_note(&mut self, note: Problem, origin: Option<&StateOrigin>) {
        let pair = |note: &Problem| {
            let mut places: Vec<_> = note.related.iter().map(|(_, place)| *place).chain([note.place]).collect();
            places.sort_unstable();
            places
        };
        let is_known = |known: &FoundProblem| known.problem.as_ref().is_some_and(|known| pair(known) == pair(&note));
        let finding = Finding::Note(pair(&note));
        if self.found.notes.iter().any(is_known) || self.unconfirmed_notes.is_given_up(&finding) {
            return;
        }
        let is_there = |machine: &Machine| machine.notes.list().iter().any(|shown| pair(shown) == pair(&note));
        match self.repeat(origin, Some(note.thread), &is_there) {
            Some(Repeated { steps, execution, .. }) => {
                self.found.notes.push(FoundProblem { problem: Some(note), claim: None, steps, execution });
            }
            None => self.unconfirmed_notes.add(finding),
        }
    }

    /// Whether an order of all `fence.sc` allows an execution that has ended. That of the steps does if each of them reads the last messages.
    fn is_possible_end(&self, end: &Machine, origin: Option<&StateOrigin>) -> bool {
        let memory = |machine: &Machine| machine.fingerprint(self.live, &Renaming::NONE);
        let is_end = |machine: &Machine| machine.has_ended() && memory(machine) == memory(end);
        let is_latest = |origin: &&StateOrigin| origin.repeated.transition.recency() == Recency::Latest;
        self.fences != SequentialFenceOrder::Implied
            || self.way(origin).iter().all(is_latest)
            || self.repeat(origin, None, &is_end).is_some()
    }

    /// Repeats the way to a state, and on until `is_there`. If orders of `fence.sc` are not explored, it is repeated with one that allows what was
    /// found; else there is no result.
    fn repeat(
        &self,
        origin: Option<&StateOrigin>,
        thread: Option<ThreadId>,
        is_there: &dyn Fn(&Machine) -> bool,
    ) -> Option<Repeated<'p>> {
        let way: Vec<_> = self.way(origin).iter().map(|origin| origin.repeated.clone()).collect();
        if self.fences != SequentialFenceOrder::Implied {
            return Some(replay((self.begin_traced)(self.fences), &way, self.shared.clone()));
        }
        let is_confirmed = |repeated: &Repeated| repeated.is_possible && is_there(&repeated.machine);
        let early = replay((self.begin_traced)(SequentialFenceOrder::Executed), &way, self.shared.clone());
        if is_confirmed(&early) {
            return Some(early);
        }
        let machine = (self.begin_traced)(SequentialFenceOrder::Explored);
        let late = replay_with_late_fences(machine, &way, self.shared.clone(), thread, is_there);
        is_confirmed(&late).then_some(late)
    }

    /// Leaves out the notes about addresses that loops wait for: those accesses are the synchronization.
    fn leave_out_polled(&mut self) {
        let polled = &self.polled;
        self.found.notes.retain(|note| match note.problem.as_ref().map(|note| &note.kind) {
            Some(ProblemKind::UnorderedAccess { address, .. }) => !polled.contains(address),
            _ => true,
        });
    }

    /// The steps from the first state on.
    fn way<'o>(&'o self, last: Option<&'o StateOrigin>) -> Vec<&'o StateOrigin> {
        let before = |origin: &&'o StateOrigin| self.origins[origin.state as usize].as_ref();
        let mut way: Vec<&StateOrigin> = std::iter::successors(last, before).collect();
        way.reverse();
        way
    }

    /// Reports threads that run forever under every schedule.
    fn report_livelock(&mut self, mut machine: Machine) {
        let next = |all: &Vec<Successor>| all.iter().map(|successor| successor.to).collect();
        let successors: Vec<Vec<u32>> = self.successors.iter().map(next).collect();
        if state_without_end(&successors, &self.ends).is_none() {
            return;
        }
        // What was left out may lead to an end.
        let mut ends = self.ends.clone();
        self.shortened.iter().for_each(|state| ends[*state] = true);
        let Some(state) = state_without_end(&successors, &ends) else {
            self.found.unfinished = Some(Unfinished::Waits);
            return;
        };
        let origin = self.origins[state].clone();
        machine.settle(self.shared);
        let way: Vec<_> = self.way(origin.as_ref()).iter().map(|origin| origin.repeated.clone()).collect();
        for RepeatedStep { transition, delay, .. } in way {
            machine.settle_stalls(self.shared);
            machine.take(&transition, self.shared);
            machine.pass_time(&transition, delay);
        }
        if machine.waits_for_time() {
            self.found.unfinished = Some(Unfinished::Waits);
            return;
        }
        // What they look at in vain is not on the way there: such rounds are left out.
        for transition in machine.transitions(self.shared) {
            let mut after = machine.clone();
            after.take(&transition, self.shared);
            machine.note_polled(&after, &transition);
        }
        machine.report_livelock();
        self.report(&mut machine, origin.as_ref());
    }
}

impl Machine<'_> {
    /// Begins all CTAs, each lane on its own, and keeps histories.
    fn begin_all(&mut self, followed: Followed, rules: SearchRules) {
        self.races.keep_history(self.program, followed, rules);
        self.explored.clock = Some(ExploredClock::default());
        // Each order of the clusters is explored.
        self.residency = Residency::All;
        self.begin_clusters();
    }
}
