//! The atomic that a comment belongs to, and the names of its operands.
//!
//! The text of an operand takes precedence over its role in the PTX ISA (`d`, `a`, `b`, `c`), because it is what the
//! reader sees on the line.

use crate::comments::guard::GuardValue;
use crate::comments::known_state::{MemoryRegion, place};
use isa::{ResolvedInstruction, Role};
use std::collections::HashMap;
use syntax::{Operand, OperandKind};
use values::{AccessedSpace, Shape, Value};

/// An atomic and its operands.
#[derive(Clone, Debug)]
pub struct EvaluatedAtomic<'a> {
    /// The resolved instruction.
    pub instruction: ResolvedInstruction,
    /// Operands b and c; `None` if not written.
    pub inputs: [Option<Operand<'a>>; 2],
    /// The address operand.
    pub address: Option<Operand<'a>>,
    /// The destination operand.
    pub destination: Option<Operand<'a>>,
    /// The guard.
    pub guard: Option<GuardValue>,
}

/// What a name before the arrow refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputName {
    /// The value in memory.
    Memory,
    /// The predicate of the guard.
    Guard,
    /// Operand b (0) or c (1).
    Whole(usize),
    /// A lane of it.
    Lane(usize, usize),
}

/// What a name after the arrow refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultName {
    /// The value in memory afterwards.
    Memory,
    /// The destination operand.
    Destination,
    /// A lane of it.
    Lane(usize),
}

impl<'a> EvaluatedAtomic<'a> {
    /// Assigns the operands to their roles.
    pub fn new(instruction: ResolvedInstruction, written: Vec<Operand<'a>>) -> Self {
        let mut subject =
            EvaluatedAtomic { instruction, inputs: [None, None], address: None, destination: None, guard: None };
        for (role, operand) in instruction.operands().zip(written) {
            match (role.role, role.name) {
                (Role::Destination, _) => subject.destination = Some(operand),
                (Role::Address, _) => subject.address = Some(operand),
                (Role::Value | Role::Compare, "c") => subject.inputs[1] = Some(operand),
                (Role::Value | Role::Compare, _) => subject.inputs[0] = Some(operand),
                (Role::Policy | Role::Other, _) => {}
            }
        }
        subject
    }

    /// Sets the guard.
    pub fn guarded(self, guard: Option<GuardValue>) -> Self {
        EvaluatedAtomic { guard, ..self }
    }

    /// The parts of operand b (0) or c (1), each with its shape: its lanes, or itself.
    pub fn parts(&self, at: usize, shape: Shape) -> (Vec<Operand<'a>>, Shape) {
        let Some(operand) = &self.inputs[at] else { return (Vec::new(), shape) };
        let lanes = operand.lanes();
        if lanes.len() == shape.vector() as usize { (lanes, shape.lane()) } else { (vec![operand.clone()], shape) }
    }

    /// The error if one register has two values.
    pub fn contradiction(&self, b: Option<Value>, c: Option<Value>) -> Option<String> {
        let mut known: HashMap<String, u128> = HashMap::new();
        for (at, value) in [b, c].into_iter().enumerate() {
            let Some(value) = value else { continue };
            let (parts, part) = self.parts(at, value.shape());
            for (operand, lane) in parts.iter().zip(0..) {
                let bits = Value::new(part, value.bits() >> (lane * part.width())).bits();
                let name = compact(operand);
                let is_name = matches!(operand.kind, OperandKind::Name | OperandKind::Element) && name != "_";
                if is_name && *known.entry(name.clone()).or_insert(bits) != bits {
                    return Some(format!("conflicting values of `{name}`"));
                }
            }
        }
        None
    }

    /// Everything that a name before the arrow refers to: a register that is used twice refers to both operands.
    pub fn inputs(&self, name: &str) -> Vec<InputName> {
        let mut found = Vec::new();
        for (at, input) in self.inputs.iter().enumerate() {
            let Some(operand) = input else { continue };
            if compact(operand) == name {
                found.push(InputName::Whole(at));
            }
            found.extend(lanes(operand, name).map(|lane| InputName::Lane(at, lane)));
        }
        if self.guard.as_ref().is_some_and(|guard| guard.name == name) {
            found.push(InputName::Guard);
        }
        if found.is_empty() {
            found.extend(match name {
                "b" if self.instruction.operands().any(|operand| operand.name == "b") => Some(InputName::Whole(0)),
                "c" if self.instruction.operands().any(|operand| operand.name == "c") => Some(InputName::Whole(1)),
                _ => self.is_memory(name).then_some(InputName::Memory),
            });
        }
        found
    }

    /// The name of operand b (0) or c (1): its role, unless the line uses that name for something else.
    pub fn name(&self, at: usize) -> String {
        let role = ["b", "c"][at];
        match &self.inputs[at] {
            Some(operand) if self.inputs(role) != [InputName::Whole(at)] => compact(operand),
            _ => role.to_owned(),
        }
    }

    /// What a name after the arrow refers to.
    pub fn result(&self, name: &str) -> Option<ResultName> {
        if let Some(operand) = &self.destination {
            if compact(operand) == name {
                return Some(ResultName::Destination);
            }
            if let Some(lane) = lanes(operand, name).next() {
                return Some(ResultName::Lane(lane));
            }
        }
        match name {
            "d" => self.returns().then_some(ResultName::Destination),
            _ => self.is_memory(name).then_some(ResultName::Memory),
        }
    }

    /// Whether the instruction has a destination.
    pub fn returns(&self) -> bool {
        self.instruction.operands().any(|operand| operand.role == Role::Destination)
    }

    fn is_memory(&self, name: &str) -> bool {
        let written = self.address.as_ref().is_some_and(|address| compact(address) == name);
        written || ["[a]", "mem"].contains(&name)
    }

    /// The memory region of the address and the offset in it; no offset if it is not a number.
    pub fn place(&self, location: AccessedSpace) -> Option<(MemoryRegion, Option<i64>)> {
        place(self.address.as_ref()?, location, self.instruction.family.name.starts_with("multimem."))
    }
}

/// The text of an operand without whitespace.
pub fn compact(operand: &Operand) -> String {
    operand.token.text.split_whitespace().collect()
}

fn lanes<'o>(operand: &'o Operand, name: &'o str) -> impl Iterator<Item = usize> + 'o {
    let lanes = operand.lanes().into_iter().enumerate();
    lanes.filter(move |(_, lane)| lane.kind == OperandKind::Name && lane.token.text == name).map(|(at, _)| at)
}
