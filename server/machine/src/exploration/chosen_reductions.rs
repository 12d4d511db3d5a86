//! Asynchronous reductions in an exploration: each element updates the message that was chosen for it.

use crate::copies::pending_copy::{MemoryRange, PendingCopy, element_value};
use crate::state::Machine;
use ordering::Agent;
use ordering::load_buffering::buffering;
use program::memory::location::{LocationKey, RacedMemory};
use std::ops::Range;
use values::Operation;

/// The locations of the elements that a copy writes, and their bytes in its data.
pub fn reduced_elements(machine: &Machine<'_>, copy: &PendingCopy, element: u32) -> Vec<(LocationKey, Range<usize>)> {
    let mut elements = Vec::new();
    for part in copy.part.parts(copy.length) {
        let place = match copy.destination {
            MemoryRange::Global(address) => machine
                .memory
                .find(address + part.to as u64, part.length as u64, 0)
                .map(|place| (RacedMemory::Global(place.allocation), place.offset)),
            MemoryRange::Shared(slot, offset) => Some((RacedMemory::Shared(slot), offset as usize + part.to)),
        };
        let Some((region, offset)) = place else { continue };
        let numbers = 0..part.length / element as usize;
        let bytes = numbers.map(|number| number * element as usize);
        elements.extend(bytes.map(|at| ((region, offset + at), part.from + at..part.from + at + element as usize)));
    }
    elements
}

/// A reduction begins: its writes come after the reads of its thread.
pub fn note_reduction(machine: &mut Machine<'_>, copy: &PendingCopy) {
    let Some(operation) = copy.reduction.filter(|_| machine.races.history().is_some()) else { return };
    let elements = reduced_elements(machine, copy, operation.shape().bytes());
    let written: Vec<LocationKey> = elements.into_iter().map(|(key, _)| key).collect();
    buffering::reduce_behind_reads(&mut machine.races, copy.begin.agent, &written);
}

/// A reduction ends: its elements update the chosen messages.
pub fn reduce_messages(
    machine: &mut Machine<'_>,
    copy: &PendingCopy,
    by: (Agent, u32),
    bytes: &[u8],
    operation: Operation,
) {
    let element = operation.shape().bytes();
    for (number, (key, data)) in reduced_elements(machine, copy, element).into_iter().enumerate() {
        let b = element_value(&bytes[data]);
        let location = machine.races.history().and_then(|history| history.get(&key));
        let Some(location) = location.filter(|location| location.size == element) else {
            machine.races.erase_history(key.0, key.1, element as usize, None);
            let memory = machine.region_mut(key.0);
            let new = operation.apply(memory.load_wide(key.1, element), b, 0);
            memory.store_wide(key.1, element, new);
            continue;
        };
        let chosen = machine.explored.chosen_messages.get(number).copied();
        let at = chosen.unwrap_or(location.messages.len() - 1);
        let new = operation.apply(location.messages[at].value, b, 0);
        machine.races.add_reduced_message(by, key, at, new);
        machine.write_last_message(key);
    }
}
