//! Waits for the mbarriers of stages whose parity does not change from one round to the next.

use crate::rules::asynchronous::mbarrier_protocol::parity::is_parity_wait;
use crate::rules::asynchronous::mbarrier_protocol::parity::repetition::Repetition;
use crate::rules::asynchronous::mbarrier_protocol::{MbarrierUse, MbarrierUses};
use analysis::effects::{Iterations, LoopBody, LoopValue, Loops, MbarrierOperation, ValueBase};
use analysis::values::{BasicBlocks, ThreadRoles};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;
use foldhash::{HashMap, HashSet};

/// The number of iterations that are computed.
const ITERATIONS: usize = 64;

/// The least number of waits for an mbarrier with the same parity. If its count is more than one arrival per wait, a right loop has some of them, too.
const VISITS: usize = 8;

/// The maximum number of operations in loops whose addresses are computed.
const MAX_USES: usize = 64;

/// The addresses of an operation in the iterations of its innermost loop that repeats more than the operation.
struct Sequence<'u, 'l, 'b> {
    operation: &'u MbarrierUse,
    body: &'l LoopBody<'b>,
    addresses: Vec<LoopValue>,
    /// Whether the same threads execute it in every iteration.
    is_steady: bool,
}

/// Checks every wait in a loop that goes round a number of mbarriers, one phase of each in every round.
pub(in crate::rules::asynchronous::mbarrier_protocol::parity) fn check(
    uses: &MbarrierUses,
    (loops, repetition): (&Loops, &Repetition),
    reported: &mut HashSet<usize>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let flow = uses.effects.flow;
    let Some(blocks) = flow.blocks() else { return };
    let Some(sequences) = sequences(uses, (loops, repetition), blocks) else { return };
    for wait in sequences.iter().filter(|one| is_parity_wait(flow, one.operation) && one.repeats()) {
        let mut iterations = Iterations::new(flow, blocks, wait.body);
        let parity = |(iteration, _): (usize, &LoopValue)| iterations.value(wait.operation.at, 2, iteration);
        let parities: Vec<Option<LoopValue>> = wait.addresses.iter().enumerate().map(parity).collect();
        let visits = wait.visits();
        let is_same =
            |(from, to, _): &&(usize, usize, LoopValue)| parities[*from].is_some() && parities[*from] == parities[*to];
        let is_repeated = || {
            wait.addresses.iter().any(|address| {
                let of_address = visits.iter().filter(|(.., visited)| visited == address);
                of_address.clone().all(|visit| is_same(&visit)) && of_address.count() + 1 >= VISITS
            })
        };
        let is_in_turn = visits.len() + 1 == wait.addresses.len() || visits.iter().all(|(from, to, _)| to - from > 1);
        let is_twice = visits.iter().any(|visit| is_same(&visit));
        let arrival = if is_twice && is_in_turn { wait.arrival(&sequences, &visits) } else { None };
        let arrival = arrival.filter(|arrival| is_repeated() || completes_phase(uses, arrival.operation));
        let begins_anew = |body: &LoopBody| uses.uses.iter().any(|one| begins(one) && body.contains(one.at));
        let Some(arrival) = arrival.filter(|arrival| !begins_anew(wait.body) && !begins_anew(arrival.body)) else {
            continue;
        };
        let arrival = arrival.operation.at;
        if parities.iter().all(Option::is_some) && reported.insert(wait.body.header) {
            let instruction = flow.instruction(wait.operation.at);
            let range =
                instruction.operands.get(2).map_or(instruction.range.clone(), |parity| parity.token.range.clone());
            let message =
                "parity of the wait is the same when the loop comes back to the mbarrier, but its phase has changed";
            let found = Diagnostic::new(&MBARRIER_PROTOCOL, range, message)
                .help("invert the parity whenever the stage returns to the first one, such as `(i / stages) & 1`");
            diagnostics.push(found.related(flow.instruction(arrival).range.clone(), "the arrival in the loop"));
        }
    }
}

/// The waits and arrivals in loops; `None` if the mbarrier of an arrival is not known.
fn sequences<'u, 'l, 'b>(
    uses: &'u MbarrierUses<'_, 'b, '_>,
    (loops, repetition): (&'l Loops<'b>, &Repetition),
    blocks: &'b BasicBlocks,
) -> Option<Vec<Sequence<'u, 'l, 'b>>> {
    let flow = uses.effects.flow;
    let mut found = Vec::new();
    for one in &uses.uses {
        let is_arrival = match one.operation {
            MbarrierOperation::Arrive(_) => true,
            // Bytes complete, or a phase that this function does not count.
            MbarrierOperation::AsyncArrive if !flow.has(one.at, "mbarrier::complete_tx::bytes") => return None,
            _ if is_parity_wait(flow, one) => false,
            _ => continue,
        };
        // The loop around a wait that only repeats the wait is not meant.
        let is_meant = |body: &&LoopBody| {
            is_arrival || uses.uses.iter().any(|other| other.at != one.at && body.contains(other.at))
        };
        let Some(body) = loops.around(one.at).find(is_meant) else {
            if is_arrival && one.fixed().is_none() {
                return None;
            }
            continue;
        };
        let mut iterations = Iterations::new(flow, blocks, body);
        let mut addresses = Vec::new();
        for iteration in 0..ITERATIONS {
            match iterations.address(one.at, iteration) {
                Some(address) => addresses.push(address),
                None if is_arrival => return None,
                None => break,
            }
            if iterations.ends(iteration) {
                break;
            }
        }
        if found.len() == MAX_USES {
            return None;
        }
        let is_steady = repetition.repeats(one.at, body);
        found.push(Sequence { operation: one, body, addresses, is_steady });
    }
    Some(found)
}

/// Whether every arrival completes a phase: one thread arrives at an mbarrier whose count is 1.
fn completes_phase(uses: &MbarrierUses, arrival: &MbarrierUse) -> bool {
    let flow = uses.effects.flow;
    let Some(roles) = ThreadRoles::new(flow) else { return false };
    let mut inits = uses.uses.iter().filter(|one| one.operation == MbarrierOperation::Init).peekable();
    let is_for_one = |init: &MbarrierUse| {
        let count = flow.instruction(init.at).values.get(1);
        init.is_distinct(arrival) || count.and_then(|count| flow.constant(count, init.at)) == Some(1)
    };
    let is_one_thread = roles.of(arrival.at).is_one_thread(flow.thread_dimensions()) && !flow.is_guarded(arrival.at);
    is_one_thread && inits.peek().is_some() && inits.all(is_for_one)
}

/// Whether the phases of an mbarrier begin anew.
fn begins(one: &MbarrierUse) -> bool {
    matches!(one.operation, MbarrierOperation::Init | MbarrierOperation::Invalidate)
}

impl Sequence<'_, '_, '_> {
    fn is_arrival(&self) -> bool {
        matches!(self.operation.operation, MbarrierOperation::Arrive(_))
    }

    /// Whether it is executed in every iteration.
    fn repeats(&self) -> bool {
        self.is_steady && self.body.repeats(self.operation.at)
    }

    /// The iterations in which the same mbarrier is used one time and the next.
    fn visits(&self) -> Vec<(usize, usize, LoopValue)> {
        let mut last: HashMap<LoopValue, usize> = HashMap::default();
        let visit = |(at, address): (usize, &LoopValue)| Some((last.insert(*address, at)?, at, *address));
        self.addresses.iter().enumerate().filter_map(visit).collect()
    }

    fn meets(&self, other: &Sequence) -> bool {
        self.addresses.iter().any(|address| other.addresses.contains(address))
    }

    /// The only arrival in a loop at the mbarriers that are waited for, if it completes one phase between two waits for one of them.
    fn arrival<'s>(
        &self,
        all: &'s [Sequence<'s, 's, 's>],
        visits: &[(usize, usize, LoopValue)],
    ) -> Option<&'s Sequence<'s, 's, 's>> {
        // Addresses with different bases may be the same, other than those of variables.
        let is_comparable = |one: &Sequence| {
            one.addresses.iter().chain(&self.addresses).all(|address| matches!(address.base, ValueBase::Variable(_)))
                || one.addresses.iter().all(|address| Some(address.base) == self.addresses.first().map(|own| own.base))
        };
        if !all.iter().filter(|one| one.is_arrival()).all(is_comparable) {
            return None;
        }
        let mut arrivals = all.iter().filter(|one| one.is_arrival() && one.meets(self));
        let (Some(arrival), None) = (arrivals.next(), arrivals.next()) else { return None };
        let is_own = arrival.body.header == self.body.header;
        let is_one_phase = match is_own {
            true => arrival.is_once_between(visits),
            false => self.is_answered(arrival, all, visits),
        };
        is_one_phase.then_some(arrival)
    }

    /// Whether an arrival in the loop of the waits is executed once between two waits for an mbarrier.
    fn is_once_between(&self, visits: &[(usize, usize, LoopValue)]) -> bool {
        self.is_steady
            && visits.iter().all(|(from, to, address)| {
                self.addresses
                    .get(*from..*to)
                    .is_some_and(|between| between.iter().filter(|arrived| *arrived == address).count() == 1)
            })
    }

    /// Whether another loop arrives at each mbarrier only after it has waited for another one, at which the loop of the waits arrives once in between.
    fn is_answered(&self, arrival: &Sequence, all: &[Sequence], visits: &[(usize, usize, LoopValue)]) -> bool {
        let is_apart = !self.body.contains(arrival.operation.at) && !arrival.body.contains(self.operation.at);
        let is_wait = |one: &&Sequence| {
            !one.is_arrival()
                && one.body.header == arrival.body.header
                && one.repeats()
                && !one.meets(arrival)
                && one.addresses.len() == arrival.addresses.len()
        };
        let freed = |wait: &Sequence| {
            let mut answers = all.iter().filter(|one| one.is_arrival() && one.meets(wait));
            let (Some(answer), None) = (answers.next(), answers.next()) else { return false };
            let mut partners: HashMap<LoopValue, LoopValue> = HashMap::default();
            let pairs = arrival.addresses.iter().zip(&wait.addresses);
            let is_paired = { pairs }.all(|(filled, free)| *partners.entry(*filled).or_insert(*free) == *free);
            let freed: Option<Vec<_>> =
                visits.iter().map(|(from, to, filled)| Some((*from, *to, *partners.get(filled)?))).collect();
            is_paired
                && answer.body.header == self.body.header
                && freed.is_some_and(|freed| answer.is_once_between(&freed))
        };
        is_apart && arrival.is_steady && all.iter().filter(is_wait).any(freed)
    }
}
