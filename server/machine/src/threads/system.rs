//! The functions that every device provides: printing, allocation, assertions.

use crate::memory::global::AllocationKind;
use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::memory::region::MemoryBytes;
use crate::state::UnsupportedAt;
use crate::threads::executor::Executor;
use program::call::{Formal, MachineCall, SystemFunction};
use program::lanes::lanes_of;
use program::operand::MemorySpace;
use program::problem::{MachineAccessKind, ProblemKind};

/// The longest string that is read from memory.
const MAX_STRING: usize = 4096;
/// The largest width and precision of a conversion.
const MAX_FIELD: usize = 4096;
/// The most bytes of output that are kept of a kernel.
const MAX_OUTPUT: usize = 1 << 20;
/// What is in the place of the others.
const OUTPUT_NOTE: &str = "\n[the kernel printed more than 1 MiB; the rest is not kept]\n";
/// The bytes of a call of `printf`, format and text, that count as one instruction.
const SHORT_PRINT: u64 = 1024;
/// The bytes after them that count as one instruction each.
const PRINTED_BYTES: u64 = 64;
/// The largest allocation of a thread.
const MAX_ALLOCATION: u64 = 1 << 30;
/// The most bytes that all threads allocate.
const MAX_HEAP: u64 = 1 << 30;
/// The same where all executions are explored: each state has a copy.
const MAX_EXPLORED_HEAP: u64 = 1 << 20;
/// The most allocations.
const MAX_ALLOCATIONS: usize = 1 << 18;

/// Calls a function of the system, lane by lane.
pub fn system_call(executor: &mut Executor<'_, '_>, function: SystemFunction, call: &MachineCall, active: u32) {
    for lane in lanes_of(active) {
        let arguments: Vec<u64> = call.arguments.iter().map(|one| argument(executor, *one, lane)).collect();
        let argument = |at: usize| arguments.get(at).copied().unwrap_or(0);
        let result = match function {
            SystemFunction::Printf => print(executor, argument(0), argument(1), lane).unwrap_or_else(|problem| {
                executor.report(problem, lane);
                0
            }),
            SystemFunction::Allocate => allocate(executor, argument(0)),
            SystemFunction::Free => free(executor, argument(0), lane),
            SystemFunction::AssertionFailed => {
                let (message, file) =
                    (reported_string(executor, argument(0), lane), reported_string(executor, argument(1), lane));
                let message = format!("`{message}` ({file}:{})", argument(2) as u32);
                executor.report(ProblemKind::AssertionFailed { message }, lane);
                executor.machine.stopped = true;
                0
            }
        };
        if let Some(formal) = call.results.first() {
            set_result(executor, *formal, result, lane);
        }
    }
    executor.machine.version += 1;
}

fn argument(executor: &mut Executor<'_, '_>, formal: Formal, lane: usize) -> u64 {
    match formal {
        Formal::Register(slot) => executor.frame.registers[slot as usize][lane],
        Formal::Constant(at) => executor.function.constants[at as usize][lane],
        Formal::Memory { size: 0, .. } => 0,
        Formal::Memory { offset, size } => {
            let at = executor.frame.local + offset;
            executor.read(MemoryPlace::Local(at), 0, size.min(8), lane).0
        }
        Formal::Unused => 0,
    }
}

fn set_result(executor: &mut Executor<'_, '_>, formal: Formal, value: u64, lane: usize) {
    match formal {
        Formal::Register(slot) => {
            executor.frame.registers[slot as usize][lane] = value;
            executor.frame.defined[slot as usize] |= 1 << lane;
        }
        Formal::Memory { offset, size: size @ 1.. } => {
            executor.write(MemoryPlace::Local(executor.frame.local + offset), 0, size.min(8), value, lane);
        }
        Formal::Memory { size: 0, .. } | Formal::Constant(_) | Formal::Unused => {}
    }
}

fn allocate(executor: &mut Executor<'_, '_>, size: u64) -> u64 {
    if size == 0 || size > MAX_ALLOCATION || !executor.machine.memory.has_room(size) {
        return 0;
    }
    let is_explored = executor.machine.explored.clock.is_some();
    let most = if is_explored { MAX_EXPLORED_HEAP } else { MAX_HEAP };
    let memory = &executor.machine.memory;
    if memory.heap_bytes().saturating_add(size) > most || memory.allocations().len() >= MAX_ALLOCATIONS {
        // A device may have room: it uses memory again, which is kept here so that uses after `free` are found.
        executor.machine.unsupported = Some(UnsupportedAt { place: executor.place(), opcode: "malloc".to_owned() });
        executor.machine.stopped = true;
        return 0;
    }
    let region = MemoryBytes::undefined(size as usize);
    executor.machine.memory.allocate("memory of `malloc`".into(), region, AllocationKind::Heap)
}

fn free(executor: &mut Executor<'_, '_>, address: u64, lane: usize) -> u64 {
    if address == 0 {
        return 0;
    }
    let place = executor.machine.memory.find(address, 1, executor.hint).filter(|place| place.offset == 0);
    let allocation = place.map(|place| executor.machine.memory.allocation_mut(place.allocation));
    match allocation {
        Some(heap) if heap.kind == AllocationKind::Heap => heap.kind = AllocationKind::Freed,
        Some(freed) if freed.kind == AllocationKind::Freed => {
            executor.report(ProblemKind::UseAfterFree { access: MachineAccessKind::Write, address }, lane);
        }
        _ => {
            let access = MachineAccessKind::Write;
            executor.report(ProblemKind::OutOfBounds { access, address, size: 1, nearest: None }, lane);
        }
    }
    0
}

/// Where memory of some bytes is read at a generic address.
fn generic(executor: &mut Executor<'_, '_>, address: u64, size: u64) -> Result<MemoryPlace, ProblemKind> {
    let (space, kind) = (MemorySpace::Generic, MachineAccessKind::Read);
    executor.locate(MachineAccess { space, address, size, kind }, 1)
}

/// The text at a generic address, up to its zero byte.
fn string(executor: &mut Executor<'_, '_>, address: u64, lane: usize) -> Result<String, ProblemKind> {
    let mut text = Vec::new();
    while text.len() < MAX_STRING {
        let place = generic(executor, address.saturating_add(text.len() as u64), 1)?;
        let byte;
        let part = if let MemoryPlace::Global(place) = place {
            &executor.machine.memory.allocations()[place.allocation].region.bytes()[place.offset..]
        } else {
            byte = [executor.read(place, 0, 1, lane).0 as u8];
            &byte
        };
        let part = &part[..part.len().min(MAX_STRING - text.len())];
        let end = part.iter().position(|byte| *byte == 0);
        text.extend_from_slice(&part[..end.unwrap_or(part.len())]);
        if end.is_some() {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The text at a generic address; an empty one if it cannot be read, which is reported.
fn reported_string(executor: &mut Executor<'_, '_>, address: u64, lane: usize) -> String {
    string(executor, address, lane).unwrap_or_else(|problem| {
        executor.report(problem, lane);
        String::new()
    })
}

/// Prints as `printf` does: the format, and the address of the arguments. Returns their number.
fn print(executor: &mut Executor<'_, '_>, format: u64, mut arguments: u64, lane: usize) -> Result<u64, ProblemKind> {
    let format = string(executor, format, lane)?;
    let (mut text, mut printed, mut rest) = (String::new(), 0, &*format);
    while let Some(at) = rest.find('%') {
        let (before, conversion) = rest.split_at(at);
        text.push_str(before);
        let Some(length) =
            conversion[1..].find(|c: char| c.is_ascii_alphabetic() && !"hlLqjzt".contains(c) || c == '%')
        else {
            rest = conversion;
            break;
        };
        let (specification, behind) = conversion.split_at(length + 2);
        rest = behind;
        if specification == "%%" {
            text.push('%');
            continue;
        }
        text.push_str(&converted(executor, specification, &mut arguments, lane)?);
        printed += 1;
    }
    text.push_str(rest);
    add_output(executor, text.as_bytes());
    let bytes = (format.len() + text.len()) as u64;
    // The bound on the number of instructions is one on the time, too.
    executor.machine.executed += bytes.saturating_sub(SHORT_PRINT) / PRINTED_BYTES;
    Ok(printed)
}

/// An argument as a conversion shows it. Each argument is aligned to its size; `arguments` moves on to the next one.
fn converted(
    executor: &mut Executor<'_, '_>,
    specification: &str,
    arguments: &mut u64,
    lane: usize,
) -> Result<String, ProblemKind> {
    let kind = specification.chars().last().unwrap_or('d');
    let wide = "eEfFgGaAps".contains(kind) || specification.contains('l') || specification.contains('z');
    let size: u32 = match kind {
        'p' | 's' => executor.addresses().bytes(),
        _ if wide => 8,
        _ => 4,
    };
    // After the last address there is no memory, as there is none at it.
    let address = arguments.checked_next_multiple_of(size.into()).unwrap_or(u64::MAX);
    let place = generic(executor, address, size.into())?;
    let value = executor.read(place, 0, size, lane).0;
    *arguments = address.saturating_add(size.into());
    Ok(match kind {
        's' if value == 0 => String::new(),
        's' => string(executor, value, lane)?,
        'c' => char::from(value as u8).to_string(),
        _ => formatted(specification, kind, value, wide),
    })
}

/// Adds to what the kernel has printed, as far as it is kept.
fn add_output(executor: &mut Executor<'_, '_>, text: &[u8]) {
    let output = &mut executor.machine.output;
    // It is longer only with the note at its end.
    let Some(room) = MAX_OUTPUT.checked_sub(output.len()) else { return };
    output.extend_from_slice(&text[..text.len().min(room)]);
    if text.len() > room {
        output.extend_from_slice(OUTPUT_NOTE.as_bytes());
    }
}

/// A number as a conversion of `printf` shows it; width, zeros and precision are kept, other flags are not.
fn formatted(specification: &str, kind: char, value: u64, wide: bool) -> String {
    let inner: String = specification[1..].chars().take_while(|c| !c.is_ascii_alphabetic()).collect();
    let (width, precision) = inner.split_once('.').map_or((&*inner, None), |(width, digits)| (width, field(digits)));
    let signed = if wide { value as i64 } else { i64::from(value as u32 as i32) };
    let number = f64::from_bits(value);
    let digits = match kind {
        'd' | 'i' => signed.to_string(),
        'x' => format!("{value:x}"),
        'X' => format!("{value:X}"),
        'o' => format!("{value:o}"),
        'p' => format!("{value:#x}"),
        'f' | 'F' => format!("{number:.*}", precision.unwrap_or(6)),
        'e' | 'E' => exponent(number, precision.unwrap_or(6)),
        'g' | 'G' => number.to_string(),
        _ => value.to_string(),
    };
    let least = width.trim_start_matches(['-', '+', ' ', '#']);
    let size = field(least).unwrap_or(0);
    match () {
        () if width.starts_with('-') => format!("{digits:<size$}"),
        () if least.starts_with('0') => format!("{digits:0>size$}"),
        () => format!("{digits:>size$}"),
    }
}

/// A width or a precision; `None` if it is no number.
fn field(digits: &str) -> Option<usize> {
    let add = |number: usize, digit: u8| {
        digit.is_ascii_digit().then(|| (10 * number + usize::from(digit - b'0')).min(MAX_FIELD))
    };
    digits.bytes().try_fold(0, add)
}

/// A number with an exponent of at least two digits, as C has it.
fn exponent(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
            format!("{digits}e{sign}{power:0>2}")
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_printf_shows_them() {
        let bits = |number: f64| number.to_bits();
        assert_eq!(formatted("%d", 'd', 0xffff_ffff, false), "-1");
        assert_eq!(formatted("%5u", 'u', 7, false), "    7");
        assert_eq!(formatted("%08x", 'x', 0xbeef, false), "0000beef");
        assert_eq!(formatted("%.2f", 'f', bits(1.005), true), "1.00");
        assert_eq!(formatted("%e", 'e', bits(12345.678), true), "1.234568e+04");
        assert_eq!(formatted("%-4d", 'd', 3, false), "3   ");
        assert_eq!(formatted("%.f", 'f', bits(2.25), true), "2");
        let long = [
            formatted("%70000d", 'd', 7, false),
            formatted("%-99999999999999999999999d", 'd', 7, false),
            formatted("%070000x", 'x', 7, false),
        ];
        assert_eq!(long.map(|text| text.len()), [MAX_FIELD; 3]);
        assert_eq!(formatted("%.70000f", 'f', bits(0.5), true).len(), "0.".len() + MAX_FIELD);
        assert_eq!(formatted("%.70000e", 'e', bits(0.5), true).len(), "5.e-01".len() + MAX_FIELD);
    }
}
