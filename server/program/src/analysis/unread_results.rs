//! Results of atomics that are only passed on and never used. Debug builds return what an atomic read from function to function, through memory for
//! parameters, and drop it in the end.
//!
//! All reads of a register or of such memory in a function count, whichever execution comes to them.

use crate::call::{CallTarget, Formal};
use crate::effects::{ControlTransfer, RegisterAccesses};
use crate::machine_program::MachineFunction;
use crate::operand::{MachineAddress, MemorySpace, Source};
use std::collections::BTreeSet;
use std::ops::Range;

/// Where a value is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ResultPlace {
    /// A register of a function.
    Register(usize, u32),
    /// Bytes of the frame of a function.
    Frame(usize, u32, u32),
    /// A result of a function, by its index.
    Result(usize, usize),
}

/// Whether the value of a register of a function is only passed on, wherever the function reads it.
pub fn is_never_used(functions: &[MachineFunction], function: usize, register: u32) -> bool {
    let mut known = BTreeSet::new();
    let mut open = vec![ResultPlace::Register(function, register)];
    while let Some(place) = open.pop() {
        if !known.insert(place.clone()) {
            continue;
        }
        match passed_on(functions, &place) {
            Some(next) => open.extend(next),
            None => return false,
        }
    }
    true
}

/// Where a value is passed on to; `None` if it may be used.
fn passed_on(functions: &[MachineFunction], place: &ResultPlace) -> Option<Vec<ResultPlace>> {
    match *place {
        ResultPlace::Register(function, register) => register_passed_on(&functions[function], (function, register)),
        ResultPlace::Frame(function, start, end) => frame_passed_on(&functions[function], function, start..end),
        ResultPlace::Result(function, result) => result_passed_on(functions, function, result),
    }
}

fn register_passed_on(function: &MachineFunction, (number, register): (usize, u32)) -> Option<Vec<ResultPlace>> {
    let source = Source::Register(register);
    let mut next = Vec::new();
    for instruction in &function.code {
        if instruction.guard.is_some_and(|guard| guard.predicate == register) {
            return None;
        }
        let action = &instruction.action;
        if let Some((destination, from)) = action.copied_register()
            && from == source
        {
            next.push(ResultPlace::Register(number, destination.slot));
        } else if let Some(store) = action.memory().store()
            && store.elements.contains(&source)
        {
            let bytes = frame_bytes(function, &store.address, store.element_bytes, store.elements.len())?;
            let (start, end) = formal_around(function, bytes)?;
            next.push(ResultPlace::Frame(number, start, end));
        } else if !matches!(action.flow(), ControlTransfer::Return)
            && RegisterAccesses::of(action)?.read.contains(&register)
        {
            return None;
        }
    }
    let results = function.formals.results.iter().enumerate();
    let is_result = |(_, formal): &(usize, &Formal)| **formal == Formal::Register(register);
    next.extend(results.filter(is_result).map(|(at, _)| ResultPlace::Result(number, at)));
    Some(next)
}

fn frame_passed_on(function: &MachineFunction, number: usize, bytes: Range<u32>) -> Option<Vec<ResultPlace>> {
    let overlaps = |start: u32, end: u32| start < bytes.end && bytes.start < end;
    let holds = |formal: &Formal| matches!(formal, Formal::Memory { offset, size } if overlaps(*offset, offset + size));
    let mut next = Vec::new();
    for instruction in &function.code {
        let action = &instruction.action;
        if action.flow().call().is_some_and(|call| call.arguments.iter().any(holds)) {
            return None;
        }
        if let Some(load) = action.memory().load().filter(|load| load.address.space == MemorySpace::Frame) {
            let (start, end) = frame_bytes(function, &load.address, load.element_bytes, load.elements.len())?;
            if overlaps(start, end) {
                let registers = load.elements.iter().flatten().map(|element| element.slot);
                next.extend(registers.map(|register| ResultPlace::Register(number, register)));
            }
        } else if let Some((_, Source::Constant(at))) = action.converted_address() {
            // A pointer to a variable leads to no other one.
            let address = constant(function, at)?;
            if u64::from(bytes.start) <= address && address < u64::from(bytes.end) {
                return None;
            }
        } else if action.may_access_frame_otherwise() {
            return None;
        }
    }
    let results = function.formals.results.iter().enumerate();
    next.extend(results.filter(|(_, formal)| holds(formal)).map(|(at, _)| ResultPlace::Result(number, at)));
    Some(next)
}

fn result_passed_on(functions: &[MachineFunction], function: usize, result: usize) -> Option<Vec<ResultPlace>> {
    let mut next = Vec::new();
    for (number, caller) in functions.iter().enumerate() {
        for instruction in &caller.code {
            let Some(call) = instruction.action.flow().call() else { continue };
            match call.target {
                CallTarget::Function(called) if called as usize == function => {}
                CallTarget::Function(_) | CallTarget::System(_) => continue,
                // It may be any function.
                CallTarget::Register(_) => return None,
            }
            match call.results.get(result) {
                Some(Formal::Register(register)) => next.push(ResultPlace::Register(number, *register)),
                Some(Formal::Memory { offset, size }) => next.push(ResultPlace::Frame(number, *offset, offset + size)),
                Some(Formal::Constant(_) | Formal::Unused) | None => {}
            }
        }
    }
    Some(next)
}

/// The argument or result in memory that some bytes of a frame belong to: a pointer to it may lead to all of it.
fn formal_around(function: &MachineFunction, (start, end): (u32, u32)) -> Option<(u32, u32)> {
    let calls = function.code.iter().filter_map(|instruction| instruction.action.flow().call());
    let calls = calls.map(|call| call.arguments.iter().chain(&call.results));
    let own = function.formals.parameters.iter().chain(&function.formals.results);
    own.chain(calls.flatten()).find_map(|formal| match *formal {
        Formal::Memory { offset, size } if offset <= start && end <= offset + size => Some((offset, offset + size)),
        _ => None,
    })
}

/// The bytes of a frame that an access to some elements is about; `None` if they are not known, or not of a frame.
fn frame_bytes(function: &MachineFunction, address: &MachineAddress, element: u32, count: usize) -> Option<(u32, u32)> {
    let Source::Constant(at) = address.base else { return None };
    let start = constant(function, at)?.checked_add_signed(address.offset)?;
    let start = u32::try_from(start).ok().filter(|_| address.space == MemorySpace::Frame)?;
    Some((start, start.checked_add(element * count as u32)?))
}

/// The value of a constant, if all lanes have the same.
fn constant(function: &MachineFunction, at: u32) -> Option<u64> {
    let values = function.constants.get(at as usize)?;
    values.iter().all(|value| *value == values[0]).then_some(values[0])
}
