//! Fills traces: what chosen threads execute, and who accesses chosen memory.

use crate::copies::pending_copy::{MemoryRange, PendingCopy};
use crate::debug::trace::{MAX_EVENTS, TraceEvent, TraceEventKind, TracedAccess};
use crate::memory::global::AllocationKind;
use crate::memory::locate::MemoryPlace;
use crate::recording::recorded_access::RecordedAccess;
use crate::state::Machine;
use crate::threads::executor::{Executor, Step};
use program::lanes::lanes_of;
use program::launch::kernel_launch::ThreadId;
use program::machine_program::MachineAction;
use program::problem::MachineAccessKind;
use std::ops::Range;

/// Executes an instruction whose effect is traced in some lanes.
pub fn execute_traced<'m, 'p>(
    executor: &mut Executor<'m, 'p>,
    action: &MachineAction,
    active: u32,
    execute: impl FnOnce(&mut Executor<'m, 'p>) -> Step,
) -> Step {
    let (begin, place) = (executor.machine.trace.events.len(), executor.place());
    let lanes: Vec<usize> = lanes_of(active).filter(|lane| is_traced(executor, *lane)).collect();
    let threads: Vec<ThreadId> = lanes.iter().map(|lane| executor.thread(*lane)).collect();
    let step = execute(executor);
    let waits = |lane: usize| matches!(step, Step::WaitAt(_, waiting) if waiting >> lane & 1 == 1);
    for (lane, thread) in lanes.into_iter().zip(threads).rev().filter(|(lane, _)| !waits(*lane)) {
        // What lanes get that wait is not there yet, and what is not computed never is.
        let has_written = !matches!(step, Step::WaitBehind(_, waiting) if waiting >> lane & 1 == 1)
            && executor.machine.unsupported.is_none();
        let registers = if has_written && executor.has_frame() {
            let slots = action.written().into_iter().map(|one| one.slot);
            slots.map(|slot| (slot, executor.frame.registers[slot as usize][lane])).collect()
        } else {
            Vec::new()
        };
        let event = TraceEvent { thread, place, kind: TraceEventKind::Executed(registers) };
        let events = &mut executor.machine.trace.events;
        // Before its accesses.
        if events.len() < MAX_EVENTS {
            events.insert(begin, event);
        } else {
            executor.machine.trace.dropped += 1;
        }
    }
    step
}

fn is_traced(executor: &Executor<'_, '_>, lane: usize) -> bool {
    executor.machine.launch.trace.threads.contains(executor.thread(lane))
}

/// Adds an access of a lane to the trace, if its thread or its address is traced.
pub fn trace_access(executor: &mut Executor<'_, '_>, access: &RecordedAccess, lane: usize) {
    let RecordedAccess { place, address, element, count, kind, .. } = *access;
    let length = element * count;
    let is_global = matches!(place, MemoryPlace::Global(_));
    let request = &executor.machine.launch.trace;
    let meets = |range: &Range<u64>| range.start < address + u64::from(length) && address < range.end;
    if !(is_traced(executor, lane) || is_global && request.addresses.iter().any(meets)) {
        return;
    }
    let mut bytes = Vec::new();
    for at in 0..length {
        bytes.push(executor.read(place, at, 1, lane).0 as u8);
    }
    let allocation = match place {
        MemoryPlace::Global(place) => Some(executor.machine.memory.allocations()[place.allocation].kind),
        _ => None,
    };
    let space = match allocation {
        Some(AllocationKind::Parameters) => "parameter",
        Some(AllocationKind::Constant) => "constant",
        _ => place.space_name(),
    };
    let kind = TraceEventKind::Accessed(TracedAccess { kind, space, address, bytes });
    let event = TraceEvent { thread: executor.thread(lane), place: executor.place(), kind };
    executor.machine.trace.push(event);
}

/// Adds the end of a copy to the trace, if its thread or its destination is traced.
pub fn trace_copy(machine: &mut Machine<'_>, copy: &PendingCopy) {
    if machine.launch.trace.is_empty() {
        return;
    }
    for range in copy.part.written(copy.length).into_iter().filter(|range| !range.is_empty()) {
        trace_written(machine, copy, range);
    }
}

fn trace_written(machine: &mut Machine<'_>, copy: &PendingCopy, range: Range<usize>) {
    let (request, length) = (&machine.launch.trace, range.len());
    let is_traced = request.threads.contains(copy.thread);
    let (space, address, bytes) = match copy.destination {
        MemoryRange::Global(address) => {
            let address = address + range.start as u64;
            let meets = |range: &Range<u64>| range.start < address + length as u64 && address < range.end;
            let wanted = is_traced || request.addresses.iter().any(meets);
            let Some(place) = machine.memory.find(address, length as u64, 0).filter(|_| wanted) else { return };
            ("global", address, machine.memory.allocations()[place.allocation].region.read(place.offset, length).0)
        }
        MemoryRange::Shared(slot, offset) if is_traced => {
            let offset = offset as usize + range.start;
            ("shared", offset as u64, machine.ctas[slot].shared.read(offset, length).0)
        }
        MemoryRange::Shared(..) => return,
    };
    let kind = if copy.reduction.is_some() { MachineAccessKind::Atomic } else { MachineAccessKind::Write };
    let kind = TraceEventKind::Accessed(TracedAccess { kind, space, address, bytes });
    machine.trace.push(TraceEvent { thread: copy.thread, place: copy.place, kind });
}
