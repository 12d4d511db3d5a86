//! What strong accesses can choose: the messages that they read or are written after, and the values of reads that read no message.

use crate::choices::sharing::SharedLocations;
use isa::types::Op;
use machine::exploration::unconstrained_reads::{UnconstrainedChoice, UnconstrainedReads};
use machine::threads::executor::Executor;
use ordering::{Agent, Clock, LocationHistory};
use program::machine_program::MachineInstruction;
use program::memory::location::LocationKey;

/// The messages that a strong access reads or is written after, one for each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenMessages {
    /// Their indices.
    pub indices: Vec<usize>,
    /// How recent they are.
    pub recency: Recency,
}

/// Whether an access reads, or is written after, the last message of each of its locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recency {
    /// All are the last ones.
    Latest,
    /// Some are not.
    Earlier,
}

/// All ways to choose one of each list of messages, each of which has the last message at its end. If they are too many, the last ones are chosen
/// and the search has no result.
pub fn combinations(mut lists: Vec<Vec<usize>>, shared: &mut SharedLocations) -> Vec<ChosenMessages> {
    let count = lists.iter().try_fold(1_usize, |count, list| count.checked_mul(list.len().max(1)));
    if count.is_none_or(|count| count > shared.most_choices) {
        shared.has_too_many_choices = true;
        lists.iter_mut().for_each(|list| drop(list.drain(..list.len().saturating_sub(1))));
    }
    let all = lists.iter().fold(vec![Vec::new()], |all, list| {
        let extend = |chosen: &Vec<usize>| {
            let with = |one: &usize| chosen.iter().copied().chain([*one]).collect();
            list.iter().map(with).collect::<Vec<_>>()
        };
        all.iter().flat_map(extend).collect()
    });
    let last: Vec<usize> = lists.iter().filter_map(|list| list.last().copied()).collect();
    let recency = |indices: &Vec<usize>| if *indices == last { Recency::Latest } else { Recency::Earlier };
    all.into_iter().map(|indices| ChosenMessages { recency: recency(&indices), indices }).collect()
}

/// Which values a read has that reads no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnconstrainedValues {
    /// It reads a message.
    None,
    /// One: nothing depends on it, and no write follows that does.
    One,
    /// Any value of its location; the write of the same instruction, if there is one, may be after any other.
    Any,
    /// Any value of its location, which it only reads.
    Read,
}

/// The choices of a read with free values, and of the write of the same instruction, for an agent that knows what a clock says.
pub fn unconstrained_choices(
    location: &LocationHistory,
    (key, agent, known): (LocationKey, Agent, &Clock),
    (free, compared): (UnconstrainedValues, Option<u128>),
    reads: &UnconstrainedReads,
) -> Vec<usize> {
    let last = location.messages.len() - 1;
    let values = reads.values(key, location.messages[last].value);
    let first = if free == UnconstrainedValues::One { values.len() - 1 } else { 0 };
    let after = |value: u128| match compared {
        // It writes nothing.
        Some(compared) if compared != value => vec![last],
        _ if free == UnconstrainedValues::Read => vec![last],
        _ => location.predecessors(agent, known),
    };
    let choices = values.iter().enumerate().skip(first);
    choices
        .flat_map(|(at, value)| {
            after(*value).into_iter().map(move |after| UnconstrainedChoice { value: at, after }.number())
        })
        .collect()
}

/// Which values the next instruction reads.
pub fn unconstrained_values(
    executor: &Executor<'_, '_>,
    instruction: &MachineInstruction,
    shared: &SharedLocations,
) -> UnconstrainedValues {
    let place = executor.place();
    if !executor.is_unconstrained_read() {
        return UnconstrainedValues::None;
    }
    let Some(atomic) = instruction.action.memory().update() else { return UnconstrainedValues::Read };
    let function = shared.live.get(place.function as usize);
    let after = function.and_then(|function| function.get(place.instruction as usize + 1));
    let is_read = |slot: u32| after.is_none_or(|live| live.contains(slot as usize));
    let is_unread = !atomic.destination.iter().flatten().any(|result| is_read(result.slot));
    if is_unread && atomic.in_global.op() == Op::Exch { UnconstrainedValues::One } else { UnconstrainedValues::Any }
}
