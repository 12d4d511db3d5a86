//! The functions that every device provides: printing, allocation, assertions.

use super::execute::Executor;
use super::global::AllocationKind;
use super::lanes::lanes_of;
use super::locate::{MachineAccess, MemoryPlace};
use super::operand::MemorySpace;
use super::problem::{MachineAccessKind, ProblemKind};
use super::program::{Formal, MachineCall, SystemFunction};
use super::region::MemoryBytes;

/// The longest string that is read from memory.
const MAX_STRING: u64 = 4096;
/// The largest allocation of a thread.
const MAX_ALLOCATION: u64 = 1 << 30;

impl Executor<'_, '_> {
    /// Calls a function of the system, lane by lane.
    pub fn system_call(&mut self, function: SystemFunction, call: &MachineCall, active: u32) {
        for lane in lanes_of(active) {
            let arguments: Vec<u64> = call.arguments.iter().map(|one| self.argument(*one, lane)).collect();
            let argument = |at: usize| arguments.get(at).copied().unwrap_or(0);
            let result = match function {
                SystemFunction::Printf => self.print(argument(0), argument(1), lane),
                SystemFunction::Allocate => self.allocate(argument(0)),
                SystemFunction::Free => self.free(argument(0), lane),
                SystemFunction::AssertionFailed => {
                    let (message, file) = (self.string(argument(0), lane), self.string(argument(1), lane));
                    let message = format!("`{message}` ({file}:{})", argument(2) as u32);
                    self.report(ProblemKind::AssertionFailed { message }, lane);
                    self.machine.stopped = true;
                    0
                }
            };
            if let Some(formal) = call.results.first() {
                self.set_result(*formal, result, lane);
            }
        }
        self.machine.version += 1;
    }

    fn argument(&mut self, formal: Formal, lane: usize) -> u64 {
        match formal {
            Formal::Register(slot) => self.frame.registers[slot as usize][lane],
            Formal::Constant(at) => self.function.constants[at as usize][lane],
            Formal::Memory { offset, size } => {
                let at = self.frame.local + offset;
                self.read(MemoryPlace::Local(at), 0, size.min(8), lane).0
            }
            Formal::Unused => 0,
        }
    }

    fn set_result(&mut self, formal: Formal, value: u64, lane: usize) {
        match formal {
            Formal::Register(slot) => {
                self.frame.registers[slot as usize][lane] = value;
                self.frame.defined[slot as usize] |= 1 << lane;
            }
            Formal::Memory { offset, size } => {
                self.write(MemoryPlace::Local(self.frame.local + offset), 0, size.min(8), value, lane);
            }
            Formal::Constant(_) | Formal::Unused => {}
        }
    }

    fn allocate(&mut self, size: u64) -> u64 {
        if size == 0 || size > MAX_ALLOCATION || !self.machine.memory.has_room(size) {
            return 0;
        }
        let region = MemoryBytes::undefined(size as usize);
        self.machine.memory.allocate("memory of `malloc`".into(), region, AllocationKind::Heap)
    }

    fn free(&mut self, address: u64, lane: usize) -> u64 {
        if address == 0 {
            return 0;
        }
        let place = self.machine.memory.find(address, 1, self.hint).filter(|place| place.offset == 0);
        let allocation = place.map(|place| self.machine.memory.allocation_mut(place.allocation));
        match allocation {
            Some(heap) if heap.kind == AllocationKind::Heap => heap.kind = AllocationKind::Freed,
            Some(freed) if freed.kind == AllocationKind::Freed => {
                self.report(ProblemKind::UseAfterFree { access: MachineAccessKind::Write, address }, lane);
            }
            _ => {
                let access = MachineAccessKind::Write;
                self.report(ProblemKind::OutOfBounds { access, address, size: 1, nearest: None }, lane);
            }
        }
        0
    }

    /// One byte at a generic address; `None` if there is none.
    fn byte(&mut self, address: u64, lane: usize) -> Option<u8> {
        let access = MachineAccess { space: MemorySpace::Generic, address, size: 1, kind: MachineAccessKind::Read };
        let place = self.locate(access, 1).ok()?;
        Some(self.read(place, 0, 1, lane).0 as u8)
    }

    /// The text at a generic address, up to its zero byte.
    fn string(&mut self, address: u64, lane: usize) -> String {
        let bytes = (address..address + MAX_STRING).map_while(|at| self.byte(at, lane).filter(|byte| *byte != 0));
        let bytes: Vec<u8> = bytes.collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn word(&mut self, address: u64, size: u64, lane: usize) -> u64 {
        let bytes: Vec<u8> = (0..size).map(|at| self.byte(address + at, lane).unwrap_or(0)).collect();
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    /// Prints as `printf` does: the format, and the address of the arguments, each aligned to its size. Returns their number.
    fn print(&mut self, format: u64, mut arguments: u64, lane: usize) -> u64 {
        let format = self.string(format, lane);
        let mut printed = 0;
        let mut rest = &*format;
        while let Some(at) = rest.find('%') {
            let (text, conversion) = rest.split_at(at);
            self.machine.output.extend_from_slice(text.as_bytes());
            let Some(length) =
                conversion[1..].find(|c: char| c.is_ascii_alphabetic() && !"hlLqjzt".contains(c) || c == '%')
            else {
                rest = conversion;
                break;
            };
            let (specification, behind) = conversion.split_at(length + 2);
            rest = behind;
            if specification == "%%" {
                self.machine.output.push(b'%');
                continue;
            }
            let kind = specification.chars().last().unwrap_or('d');
            let wide = "eEfFgGaAps".contains(kind) || specification.contains('l') || specification.contains('z');
            let size = match kind {
                'p' | 's' => self.addresses().bytes().into(),
                _ if wide => 8,
                _ => 4,
            };
            arguments = arguments.next_multiple_of(size);
            let value = self.word(arguments, size, lane);
            arguments += size;
            printed += 1;
            let shown = match kind {
                's' => self.string(value, lane),
                'c' => char::from(value as u8).to_string(),
                _ => formatted(specification, kind, value, wide),
            };
            self.machine.output.extend_from_slice(shown.as_bytes());
        }
        self.machine.output.extend_from_slice(rest.as_bytes());
        printed
    }
}

/// A number as a conversion of `printf` shows it; width, zeros and precision are kept, other flags are not.
fn formatted(specification: &str, kind: char, value: u64, wide: bool) -> String {
    let inner: String = specification[1..].chars().take_while(|c| !c.is_ascii_alphabetic()).collect();
    let (width, precision) = inner.split_once('.').unwrap_or((&inner, ""));
    let precision: Option<usize> = precision.parse().ok();
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
    let size: usize = least.trim_start_matches('0').parse().unwrap_or(0);
    match () {
        () if width.starts_with('-') => format!("{digits:<size$}"),
        () if least.starts_with('0') => format!("{digits:0>size$}"),
        () => format!("{digits:>size$}"),
    }
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
    }
}
