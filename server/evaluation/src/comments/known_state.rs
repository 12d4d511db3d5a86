//! The state known at a point of straight-line code: registers that the code sets to constants, and memory after evaluated lines.
//!
//! One thread is followed, and different base registers are assumed to refer to different memory.

use std::collections::{BTreeMap, HashMap};
use syntax::{Number, Operand, OperandKind};
use values::{AccessedSpace, Element, Shape, Value, literal};

/// The known value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterState {
    pub bits: u128,
    /// How many of the low bits are known.
    pub width: u32,
    /// Whether it depends on the inputs of a comment.
    pub assumed: bool,
}

/// The memory around a base address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryRegion {
    pub base: String,
    pub location: AccessedSpace,
    /// Whether it is a multimem address, which has replicas.
    pub replicated: bool,
}

/// Known values of registers and memory.
#[derive(Clone, Debug, Default)]
pub struct KnownState {
    registers: HashMap<String, RegisterState>,
    /// Bytes by their offset, once per replica.
    memory: HashMap<MemoryRegion, Vec<BTreeMap<i64, u8>>>,
}

impl KnownState {
    /// Forgets everything, as at a label.
    pub fn forget(&mut self) {
        *self = KnownState::default();
    }

    /// Forgets memory.
    pub fn forget_memory(&mut self) {
        self.memory.clear();
    }

    /// Forgets a register, its parts, and the memory based on it.
    pub fn forget_name(&mut self, name: &str) {
        let is_it = |other: &str| other.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.registers.retain(|register, _| !is_it(register));
        self.memory.retain(|region, _| !is_it(&region.base));
    }

    /// Forgets all registers that begin with the base of a newly declared range.
    pub fn forget_declared(&mut self, base: &str) {
        self.registers.retain(|register, _| !register.starts_with(base));
        self.memory.retain(|region, _| !region.base.starts_with(base));
    }

    /// Sets the value of a register.
    pub fn set(&mut self, name: &str, register: RegisterState) {
        self.forget_name(name);
        self.registers.insert(name.to_owned(), register);
    }

    /// Sets the assumed value of a register.
    pub fn assume(&mut self, name: &str, bits: u128, width: u32) {
        self.registers.insert(name.to_owned(), RegisterState { bits, width, assumed: true });
    }

    /// The value of an operand, if it is known or a constant.
    pub fn read(&self, operand: &Operand, shape: Shape) -> Option<RegisterState> {
        let width = shape.width();
        let text = &*operand.token.text;
        match operand.kind {
            OperandKind::Name | OperandKind::Element => {
                let register = self.registers.get(text).filter(|register| register.width >= width)?;
                Some(RegisterState { bits: Value::new(shape, register.bits).bits(), width, assumed: register.assumed })
            }
            OperandKind::Constant => {
                let value = literal::parse(text, shape).ok()?;
                Some(RegisterState { bits: value.bits(), width, assumed: false })
            }
            OperandKind::Vector => {
                let lanes = operand.lanes();
                let lane = width.checked_div(lanes.len() as u32).filter(|lane| [8, 16, 32, 64].contains(lane))?;
                let mut whole = RegisterState { bits: 0, width, assumed: false };
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
    pub fn load(&self, region: &MemoryRegion, offset: i64, shape: Shape) -> Option<Vec<Value>> {
        let replicas = self.memory.get(region)?.iter().map(|bytes| {
            let mut bits = 0;
            for at in 0..shape.bytes() {
                bits |= u128::from(*bytes.get(&(offset.checked_add(at.into())?))?) << (8 * at);
            }
            Some(Value::new(shape, bits))
        });
        replicas.collect()
    }

    /// Stores the values of all replicas. Without an offset, the region is forgotten.
    pub fn store(&mut self, region: MemoryRegion, offset: Option<i64>, values: &[Value]) {
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
}

/// The memory region of an address and the offset in it; no offset if it is not a number.
pub fn place(address: &Operand, location: AccessedSpace, replicated: bool) -> Option<(MemoryRegion, Option<i64>)> {
    let address = address.address()?;
    let base = address.base.token.text.to_string();
    let offset = match &address.offset {
        None => Some(0),
        Some(offset) => Number::signed_integer(&offset.text).and_then(|value| value.try_into().ok()),
    };
    Some((MemoryRegion { base, location, replicated }, offset))
}

/// The names of the registers of a destination operand.
pub fn names(destination: &Operand) -> Vec<String> {
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
    use isa::types::Type;
    use syntax::{SourceFile, WalkEvent, walk};

    #[test]
    fn memory_is_bytes_behind_a_base() {
        let region =
            |base: &str| MemoryRegion { base: base.to_owned(), location: AccessedSpace::Global, replicated: false };
        let word = Shape::scalar(Type::U32);
        let store = |known: &mut KnownState| known.store(region("p"), Some(4), &[Value::new(word, 0x0102_0304)]);
        let mut known = KnownState::default();
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
                if let WalkEvent::Instruction(instruction) = event {
                    known.follow(&instruction);
                }
            });
            assert_eq!(known.load(&region("p"), 4, word).is_some(), kept, "{code}");
        }
    }
}
