//! What is known at a place of straight-line code: registers that the code itself fixes, and memory as evaluated lines
//! left it.
//!
//! One thread is followed, and names are taken at their word: different bases are different memory. Must not know
//! evaluation comments.

use emulator::{Element, Location, Shape, Value, literal};
use isa::types::Type;
use std::collections::{BTreeMap, HashMap};
use syntax::{Instruction, Operand, OperandKind};

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    pub bits: u128,
    /// How many bits of it are known, from the lowest.
    pub width: u32,
    /// Whether it rests on a comment's word, and not on the code alone.
    pub assumed: bool,
}

/// Memory that one base address leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Region {
    pub base: String,
    pub location: Location,
    /// Whether it is a multimem address, behind which there are replicas.
    pub replicated: bool,
}

/// Registers and memory, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    registers: HashMap<String, Register>,
    /// Bytes by their offset, once per replica.
    memory: HashMap<Region, Vec<BTreeMap<i64, u8>>>,
}

/// Instructions that have an address and leave what is there alone.
const READERS: &[&str] = &["applypriority", "discard", "ld", "ldu", "prefetch", "prefetchu"];

impl Known {
    /// Forgets everything, as where code may be reached from elsewhere.
    pub fn forget(&mut self) {
        *self = Known::default();
    }

    /// Forgets what memory holds.
    pub fn forget_memory(&mut self) {
        self.memory.clear();
    }

    /// Forgets a register, its parts, and the memory that it leads to.
    pub fn forget_name(&mut self, name: &str) {
        let is_it = |other: &str| other.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.registers.retain(|register, _| !is_it(register));
        self.memory.retain(|region, _| !is_it(&region.base));
    }

    /// Forgets all registers that begin with the base of a range, which a declaration has just made anew.
    pub fn forget_declared(&mut self, base: &str) {
        self.registers.retain(|register, _| !register.starts_with(base));
        self.memory.retain(|region, _| !region.base.starts_with(base));
    }

    /// Takes up what a register holds from now on.
    pub fn set(&mut self, name: &str, register: Register) {
        self.forget_name(name);
        self.registers.insert(name.to_owned(), register);
    }

    /// Notes what a register is assumed to hold already.
    pub fn assume(&mut self, name: &str, bits: u128, width: u32) {
        self.registers.insert(name.to_owned(), Register { bits, width, assumed: true });
    }

    /// What an operand holds, if it is a constant or known: of the shape's width.
    pub fn read(&self, operand: &Operand, shape: Shape) -> Option<Register> {
        let width = shape.width();
        let text = &*operand.token.text;
        match operand.kind {
            OperandKind::Name | OperandKind::Element => {
                let register = self.registers.get(text).filter(|register| register.width >= width)?;
                Some(Register { bits: Value::new(shape, register.bits).bits(), width, assumed: register.assumed })
            }
            OperandKind::Constant => {
                let value = literal::parse(text, shape).ok()?;
                Some(Register { bits: value.bits(), width, assumed: false })
            }
            OperandKind::Vector => {
                let lanes = operand.lanes();
                let lane = width.checked_div(lanes.len() as u32).filter(|lane| [8, 16, 32, 64].contains(lane))?;
                let mut whole = Register { bits: 0, width, assumed: false };
                for (operand, at) in lanes.iter().zip(0..) {
                    let part = self.read(operand, Shape::of(Element::Bits(lane)))?;
                    whole.bits |= part.bits << (at * lane);
                    whole.assumed |= part.assumed;
                }
                Some(whole)
            }
            _ => None,
        }
    }

    /// The values of this shape at an address, one per replica.
    pub fn load(&self, region: &Region, offset: i64, shape: Shape) -> Option<Vec<Value>> {
        let replicas = self.memory.get(region)?.iter().map(|bytes| {
            let mut bits = 0;
            for at in 0..shape.bytes() {
                bits |= u128::from(*bytes.get(&(offset.checked_add(at.into())?))?) << (8 * at);
            }
            Some(Value::new(shape, bits))
        });
        replicas.collect()
    }

    /// Writes the values of all replicas; without an offset all that is known of the region is lost.
    pub fn store(&mut self, region: Region, offset: Option<i64>, values: &[Value]) {
        let Some(offset) = offset else {
            self.memory.remove(&region);
            return;
        };
        let replicas = self.memory.entry(region).or_default();
        if replicas.len() != values.len() {
            *replicas = vec![BTreeMap::new(); values.len()];
        }
        for (bytes, value) in replicas.iter_mut().zip(values) {
            let all = value.bits().to_le_bytes();
            let addresses = (0..i64::from(value.shape().bytes())).map(|at| offset.saturating_add(at));
            bytes.extend(addresses.zip(all));
        }
    }

    /// Follows an instruction that is not evaluated.
    pub fn follow(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode();
        let mnemonic = &*opcode.mnemonic.text;
        if mnemonic == "call" {
            return self.forget();
        }
        let operands = instruction.operands();
        let touches = operands.iter().any(|operand| operand.kind == OperandKind::Address);
        if (touches && !READERS.contains(&mnemonic)) || ["bar", "barrier"].contains(&mnemonic) {
            self.forget_memory();
        }
        let Some((destination, sources)) = operands.split_first() else { return };
        let result = match instruction.guard() {
            None => self.compute(mnemonic, &opcode.words(), sources),
            Some(_) => None,
        };
        for name in names(destination) {
            self.forget_name(&name);
        }
        if let (OperandKind::Name | OperandKind::Element, Some(register)) = (destination.kind, result) {
            self.set(&destination.token.text, register);
        }
    }

    /// What simple arithmetic on known integers gives.
    fn compute(&self, mnemonic: &str, words: &[&str], sources: &[Operand]) -> Option<Register> {
        let ty = match (mnemonic, words) {
            ("mul", ["lo", ty]) => ty,
            ("mul", _) => return None,
            (_, [ty]) => ty,
            _ => return None,
        };
        let shape = Shape::scalar(Type::parse(ty)?);
        if mnemonic == "mov" {
            return self.read(sources.first()?, shape);
        }
        let width = shape.width();
        if shape.elements() > 1 || shape.element().is_float() || width > 64 {
            return None;
        }
        let is_shift = matches!(mnemonic, "shl" | "shr");
        let second = if is_shift { Shape::of(Element::Unsigned(32)) } else { shape };
        let (a, b) = match sources {
            [a, b] => (self.read(a, shape)?, self.read(b, second)?),
            _ => return None,
        };
        let (x, y) = (a.bits as u64, b.bits as u64);
        let signed = ((x << (64 - width)) as i64) >> (64 - width);
        let bits = match mnemonic {
            "add" => x.wrapping_add(y),
            "sub" => x.wrapping_sub(y),
            "mul" => x.wrapping_mul(y),
            "and" => x & y,
            "or" => x | y,
            "xor" => x ^ y,
            "shl" if y >= width.into() => 0,
            "shl" => x << y,
            "shr" if matches!(shape.element(), Element::Signed(_)) => (signed >> y.min(63)) as u64,
            "shr" if y >= width.into() => 0,
            "shr" => x >> y,
            _ => return None,
        };
        let bits = Value::new(shape, bits.into()).bits();
        Some(Register { bits, width, assumed: a.assumed || b.assumed })
    }
}

/// The names of registers that an operand in first place takes a result for.
pub(crate) fn names(destination: &Operand) -> Vec<String> {
    let text = &*destination.token.text;
    match destination.kind {
        OperandKind::Name | OperandKind::Element => vec![text.to_owned()],
        OperandKind::Vector => destination.lanes().iter().map(|lane| lane.token.text.to_string()).collect(),
        OperandKind::Pair => text.split('|').map(|name| name.trim().to_owned()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::{Event, SourceFile, Token, walk};

    fn after(code: &str) -> Known {
        let file = SourceFile::parse(&format!(".version 8.6\n.target sm_90\n.entry k() {{ {code} }}"));
        let mut known = Known::default();
        walk(&file, |event| {
            if let Event::Instruction(instruction) = event {
                known.follow(&instruction);
            }
        });
        known
    }

    fn holds(code: &str, name: &str) -> Option<u128> {
        let operand = Operand::new(Token { text: name.into(), range: 0..name.len() });
        after(code).read(&operand, Shape::of(Element::Bits(32))).map(|register| register.bits)
    }

    #[test]
    fn constants_and_arithmetic_on_them() {
        for (code, value) in [
            ("mov.u32 r, 5;", Some(5)),
            ("mov.s32 r, -1;", Some(0xffff_ffff)),
            ("mov.f32 r, 0f3F800000;", Some(0x3f80_0000)),
            ("mov.u32 a, 5; add.u32 r, a, 0xffffffff;", Some(4)),
            ("mov.u32 a, 5; sub.s32 r, 2, a;", Some(0xffff_fffd)),
            ("mov.u32 a, 7; mul.lo.u32 r, a, a;", Some(49)),
            ("mov.u32 a, 1; shl.b32 r, a, 31;", Some(0x8000_0000)),
            ("mov.u32 a, 1; shl.b32 r, a, 32;", Some(0)),
            ("mov.s32 a, -8; shr.s32 r, a, 40;", Some(0xffff_ffff)),
            ("mov.s32 a, -8; shr.u32 r, a, 28;", Some(15)),
            ("mov.b32 a, 12; xor.b32 r, a, 10;", Some(6)),
            ("mov.b16 a, 1; mov.b16 b, 2; mov.b32 r, {a, b};", Some(0x2_0001)),
        ] {
            assert_eq!(holds(code, "r"), value, "{code}");
        }
    }

    #[test]
    fn what_is_not_fixed_is_not_known() {
        for code in [
            "",
            "mov.u32 r, a;",
            "mov.u32 r, 5; ld.global.u32 r, [p];",
            "mov.u32 r, 5; @q mov.u32 r, 6;",
            "mov.u32 r, 5; call f;",
            "mov.u32 r, 5; setp.eq.u32 r|s, a, b;",
            "mov.u32 r, 5; ld.global.v2.u32 {s, r}, [p];",
            "mov.u32 a, 5; mul.hi.u32 r, a, a;",
            "mov.u32 a, 5; add.sat.s32 r, a, a;",
            "mov.b16 r, 5;",
        ] {
            assert_eq!(holds(code, "r"), None, "{code}");
        }
    }

    #[test]
    fn memory_is_bytes_behind_a_base() {
        let region = |base: &str| Region { base: base.to_owned(), location: Location::Global, replicated: false };
        let word = Shape::scalar(Type::U32);
        let store = |known: &mut Known| known.store(region("p"), Some(4), &[Value::new(word, 0x0102_0304)]);
        let mut known = Known::default();
        store(&mut known);
        let byte = known.load(&region("p"), 5, Shape::scalar(Type::U8)).unwrap();
        assert_eq!(byte[0].bits(), 3);
        assert_eq!(known.load(&region("p"), 2, word), None);
        assert_eq!(known.load(&region("q"), 4, word), None);
        known.forget_name("p");
        assert_eq!(known.load(&region("p"), 4, word), None);
        for (code, kept) in [("ld.global.u32 r, [p];", true), ("st.global.u32 [q], r;", false), ("bar.sync 0;", false)]
        {
            store(&mut known);
            let file = SourceFile::parse(&format!(".version 8.6\n.target sm_90\n.entry k() {{ {code} }}"));
            walk(&file, |event| {
                if let Event::Instruction(instruction) = event {
                    known.follow(&instruction);
                }
            });
            assert_eq!(known.load(&region("p"), 4, word).is_some(), kept, "{code}");
        }
    }
}
