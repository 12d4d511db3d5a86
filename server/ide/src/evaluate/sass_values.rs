//! The registers, memory and windows of a request.

use isa::types::Type;
use lints::sass::operands::register;
use syntax::decimal_or_hex;
use values::{AccessError, Memory, Shape, Value, literal};

/// The most 32-bit registers of a value.
const MAX_REGISTERS: u32 = 4;

/// The values of registers and predicates, as text.
#[derive(Debug, Default)]
pub(super) struct Registers<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Registers<'a> {
    /// Reads `R0=0x1000` and `P0=1`; the error is a message.
    pub fn read(texts: &[&'a str]) -> Result<Self, String> {
        let read = |text: &&'a str| {
            let (name, value) = text.split_once('=').ok_or_else(|| format!("invalid --reg {text}: write R0=0x1000"))?;
            let name = name.trim();
            let known = register(name).is_some_and(|number| number.is_some()) || predicate(name);
            match known {
                true => Ok((name, value.trim())),
                false => Err(format!("register `{name}` cannot be set: write R0 to R254, UR0 to UR254 or P0 to P6")),
            }
        };
        let all: Vec<(&str, &str)> = texts.iter().map(read).collect::<Result<_, _>>()?;
        for (at, (name, _)) in all.iter().enumerate() {
            if all[..at].iter().any(|(before, _)| before == name) {
                return Err(format!("duplicate --reg {name}"));
            }
        }
        Ok(Registers(all))
    }

    /// An error if a register is not used by the instruction, by name or as part of a register group.
    pub fn all_in(&self, instruction: &str) -> Result<(), String> {
        let split = |name: &str| {
            let letters = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            Some((name[..letters].to_owned(), name[letters..].parse::<u32>().ok()?))
        };
        let written: Vec<(String, u32)> =
            instruction.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(split).collect();
        let belongs = |name: &str| {
            let Some((letters, number)) = split(name) else { return false };
            let group = if letters.ends_with('P') { 1 } else { MAX_REGISTERS };
            written.iter().any(|(other, first)| *other == letters && (*first..first + group).contains(&number))
        };
        match self.0.iter().find(|(name, _)| !belongs(name)) {
            Some((name, _)) => Err(format!("unused --reg {name}: the instruction does not use it")),
            None => Ok(()),
        }
    }

    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a register has a value.
    pub fn holds(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of a register group: 32 bits of each register, or the whole value if only the first is given.
    pub fn value(&self, first: &str, shape: Shape) -> Result<Value, String> {
        let Some(number) = register(first).ok_or_else(|| format!("invalid register `{first}`"))? else {
            return Ok(Value::new(shape, 0));
        };
        let letter = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let count = shape.width().div_ceil(32);
        let read =
            |name: &str, text: &str, shape| literal::parse(text, shape).map_err(|error| format!("{name}: {error}"));
        let text =
            |name: &str| self.text(name).ok_or_else(|| format!("missing value of {name}: add --reg {name}=VALUE"));
        let rest: Vec<String> = (1..count).map(|at| format!("{letter}{}", number + at)).collect();
        if rest.iter().all(|name| self.text(name).is_none()) {
            return read(first, text(first)?, shape);
        }
        let word = Shape::scalar(Type::U32);
        let mut bits = read(first, text(first)?, word)?.bits();
        for (name, at) in rest.iter().zip(1..) {
            bits |= read(name, text(name)?, word)?.bits() << (32 * at);
        }
        Ok(Value::new(shape, bits))
    }

    /// The value of a predicate; `None` if it is not given.
    pub fn predicate(&self, name: &str) -> Result<Option<bool>, String> {
        match (name, self.text(name)) {
            ("PT" | "UPT", _) => Ok(Some(true)),
            (_, None) => Ok(None),
            (_, Some("1" | "true")) => Ok(Some(true)),
            (_, Some("0" | "false")) => Ok(Some(false)),
            (_, Some(text)) => Err(format!("invalid value `{text}` of predicate {name}: write 0 or 1")),
        }
    }
}

fn predicate(name: &str) -> bool {
    let number = name.strip_prefix('U').unwrap_or(name).strip_prefix('P');
    number.is_some_and(|number| matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6"))
}

/// Memory: one cell at any address, or cells at given addresses.
#[derive(Debug)]
pub(super) enum Cells {
    /// One value at any address.
    Anywhere(Value),
    /// Values with their addresses.
    At(Vec<(u64, Value)>),
}

impl Cells {
    /// Reads `5` or `0x1000=5`; the error is a message.
    pub fn read(texts: &[&str], shape: Shape) -> Result<Self, String> {
        let value = |text: &str| literal::parse(text, shape).map_err(|error| format!("--mem: {error}"));
        match texts {
            [] => Err("missing --mem: the value in memory, or ADDRESS=VALUE for each cell".to_owned()),
            [one] if !one.contains('=') => value(one).map(Cells::Anywhere),
            all => {
                let cell = |text: &&str| {
                    let (address, text) = text.split_once('=').ok_or_else(|| {
                        format!("--mem {text}: several values require addresses: write 0x1000={text}")
                    })?;
                    Ok((number(address).ok_or_else(|| format!("--mem: invalid address `{address}`"))?, value(text)?))
                };
                let cells: Vec<(u64, Value)> = all.iter().map(cell).collect::<Result<_, String>>()?;
                for (at, (address, _)) in cells.iter().enumerate() {
                    if cells[..at].iter().any(|(before, _)| before == address) {
                        return Err(format!("duplicate --mem address {address:#x}"));
                    }
                }
                Ok(Cells::At(cells))
            }
        }
    }

    /// The values in the order of the request.
    pub fn values(&self) -> Vec<Value> {
        match self {
            Cells::Anywhere(value) => vec![*value],
            Cells::At(cells) => cells.iter().map(|(_, value)| *value).collect(),
        }
    }

    /// The index of the cell at an address.
    pub fn find(&self, address: Option<u64>, shape: Shape) -> Result<usize, AccessError> {
        let Some(address) = address else { return Ok(0) };
        match self {
            Cells::Anywhere(value) => {
                let bytes = vec![0; shape.bytes() as usize];
                // The size of memory is unknown, so only misaligned addresses are faults.
                Memory::new(address, bytes).load(address, value.shape()).map(|_| 0)
            }
            Cells::At(cells) => {
                let at = cells.iter().position(|(start, _)| *start == address);
                let nearest =
                    cells.iter().min_by_key(|(start, _)| start.abs_diff(address)).map_or(0, |(start, _)| *start);
                let bytes = vec![0; shape.bytes() as usize];
                Memory::new(nearest, bytes).load(address, shape).map(|_| at.unwrap_or_default())
            }
        }
    }
}

/// An address, decimal or hexadecimal.
pub(super) fn number(text: &str) -> Option<u64> {
    decimal_or_hex(text.trim())
}

/// A window of the generic address space that is not global memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// `shared` or `local`.
    pub name: &'static str,
    first: u64,
    last: u64,
}

impl Window {
    /// Reads `shared=0x1000000..0x1ffffff`, the last address included; the error is a message.
    pub fn read(text: &str) -> Result<Self, String> {
        let wrong = || format!("invalid --window {text}: write shared=FIRST..LAST or local=FIRST..LAST");
        let (name, range) = text.split_once('=').ok_or_else(wrong)?;
        let (first, last) = range.split_once("..").ok_or_else(wrong)?;
        let name = ["shared", "local"].into_iter().find(|known| *known == name.trim()).ok_or_else(wrong)?;
        let (first, last) = (number(first).ok_or_else(wrong)?, number(last).ok_or_else(wrong)?);
        if first > last { Err(wrong()) } else { Ok(Window { name, first, last }) }
    }

    /// Whether it contains an address.
    pub fn holds(&self, address: u64) -> bool {
        (self.first..=self.last).contains(&address)
    }
}
