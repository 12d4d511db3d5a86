//! Which conditions are the same in all lanes of a warp.

use crate::effects::rounded_bounds::{is_multiple, zero_bits};
use crate::effects::threads::lanes::{LaneComparison, LaneCondition, LaneOffsets, offset_arithmetic, relation};
use crate::effects::threads::thread_values;
use crate::values::{DecodedInstruction, Definition, DefinitionSite, FunctionValues, OperandValue};
use foldhash::HashMap;
use syntax::OperandKind;

/// The maximum number of values that one query visits.
const MAX_VALUES: usize = 400;

/// The maximum number of values on a path.
const MAX_DEPTH: usize = 64;

/// The maximum depth of bitwise ors that are compared with zero.
const MAX_ORS: usize = 4;

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneValue {
    Uniform,
    Offsets(LaneOffsets),
    /// A predicate, or a number that is selected by one.
    Condition(LaneCondition),
    Unknown,
}

/// The uniformity of the registers of a function, computed on demand.
pub struct Uniformity<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    known: HashMap<Definition, LaneValue>,
    /// The merges on the path of the query; the value is assumed in the second visit of a loop.
    pending: Vec<(Definition, Option<LaneValue>)>,
    /// The lowest index in `pending` that the last values depend on.
    low: usize,
    depth: usize,
    budget: usize,
}

impl LaneValue {
    fn of(offsets: LaneOffsets) -> Self {
        if offsets.is_uniform() { LaneValue::Uniform } else { LaneValue::Offsets(offsets) }
    }

    fn condition(self) -> LaneCondition {
        match self {
            LaneValue::Uniform => LaneCondition::Uniform,
            LaneValue::Condition(condition) => condition,
            LaneValue::Offsets(_) | LaneValue::Unknown => LaneCondition::Unknown,
        }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (LaneValue::Offsets(one), LaneValue::Offsets(other)) => {
                one.join(other).map_or(LaneValue::Unknown, LaneValue::Offsets)
            }
            (one, other) if one == other => one,
            _ => LaneValue::Unknown,
        }
    }
}

impl<'f, 'a> Uniformity<'f, 'a> {
    /// Nothing is computed yet.
    pub fn new(flow: &'f FunctionValues<'a>) -> Self {
        let known = HashMap::default();
        Uniformity { flow, known, pending: Vec::new(), low: usize::MAX, depth: 0, budget: 0 }
    }

    /// The condition of the guard of an instruction.
    pub fn guard(&mut self, at: usize) -> LaneCondition {
        let Some((value, _)) = self.flow.guard(at) else { return LaneCondition::Uniform };
        let OperandValue::Register(register) = value else { return LaneCondition::Unknown };
        self.budget = MAX_VALUES;
        self.low = usize::MAX;
        let definition = self.flow.reaching(register, at);
        match self.definition(definition).map_or(LaneCondition::Unknown, LaneValue::condition) {
            known @ (LaneCondition::Unknown | LaneCondition::Bounded) => {
                let of_threads = thread_values::condition(self.flow, &OperandValue::Register(register), at);
                let found = of_threads.map(|of_threads| LaneCondition::of_threads(&of_threads));
                found.filter(|found| *found != LaneCondition::Unknown).unwrap_or(known)
            }
            known => known,
        }
    }

    /// The value of a definition; `None` if it depends only on itself.
    fn definition(&mut self, wanted: Definition) -> Option<LaneValue> {
        if let Some(known) = self.known.get(&wanted) {
            return Some(*known);
        }
        if let Some(level) = self.pending.iter().position(|(pending, _)| *pending == wanted) {
            self.low = self.low.min(level);
            return self.pending[level].1;
        }
        if self.budget == 0 || self.depth == MAX_DEPTH {
            self.low = 0;
            return Some(LaneValue::Unknown);
        }
        self.budget -= 1;
        let outer = std::mem::replace(&mut self.low, usize::MAX);
        self.depth += 1;
        let value = match wanted.site {
            DefinitionSite::Entry | DefinitionSite::Unknown(_) | DefinitionSite::Guarded(_) => Some(LaneValue::Unknown),
            DefinitionSite::Instruction(at) => self.computed(wanted.register, at),
            DefinitionSite::Merge(_) => self.merged(wanted),
        };
        self.depth -= 1;
        if let (true, Some(value)) = (self.low >= self.pending.len(), value) {
            self.known.insert(wanted, value);
            self.low = usize::MAX;
        }
        self.low = self.low.min(outer);
        value
    }

    /// The value at a merge. In a loop, the values from outside of it are assumed, and kept if the loop confirms them.
    fn merged(&mut self, wanted: Definition) -> Option<LaneValue> {
        let Some(incoming) = self.flow.incoming_values(wanted) else { return Some(LaneValue::Unknown) };
        let level = self.pending.len();
        let outside = self.join_incoming(wanted, None, &incoming)?;
        if self.low > level {
            return Some(outside);
        }
        let mut assumed = outside;
        for attempt in 0..3 {
            let found = self.join_incoming(wanted, Some(assumed), &incoming)?;
            if found == assumed {
                // The results that depend on the assumption were confirmed.
                self.low = if self.low == level { usize::MAX } else { self.low };
                return Some(found);
            }
            assumed = match (assumed, found) {
                (LaneValue::Offsets(_), LaneValue::Offsets(found)) if attempt == 0 => {
                    LaneValue::Offsets(found.moved(found.zero_bits().unwrap_or(0)))
                }
                (LaneValue::Offsets(_), LaneValue::Offsets(found)) => LaneValue::Offsets(found.unaligned()),
                _ => break,
            };
        }
        Some(LaneValue::Unknown)
    }

    fn join_incoming(
        &mut self,
        wanted: Definition,
        assumed: Option<LaneValue>,
        incoming: &[Definition],
    ) -> Option<LaneValue> {
        self.pending.push((wanted, assumed));
        let mut joined: Option<LaneValue> = None;
        for definition in incoming {
            if let Some(value) = self.definition(*definition) {
                joined = Some(joined.map_or(value, |known| known.join(value)));
            }
        }
        self.pending.pop();
        joined
    }

    /// The result of an instruction.
    fn computed(&mut self, register: usize, at: usize) -> Option<LaneValue> {
        let flow = self.flow;
        let instruction = &flow.decode(at);
        let mnemonic = flow.mnemonic(at);
        let is_first = match instruction.values.first() {
            Some(OperandValue::Register(first)) => *first == register,
            Some(OperandValue::List(values)) => values.first() == Some(&OperandValue::Register(register)),
            _ => false,
        };
        Some(match mnemonic {
            "elect" => {
                let elected = instruction.values.first().is_some_and(|value| is_last(value, register));
                if elected { LaneValue::Condition(LaneCondition::Divergent) } else { LaneValue::Uniform }
            }
            "vote" | "redux" | "bar" | "barrier" | "activemask" => LaneValue::Uniform,
            "match" if flow.has(at, "all") => LaneValue::Uniform,
            "shfl" if is_first => self.shuffled(instruction)?,
            "ld" | "ldu" => self.loaded(instruction)?,
            "setp" => LaneValue::Condition(self.compared(instruction)?),
            "selp" if is_first => self.selected(instruction)?,
            _ if flow.fills_registers(at) => {
                let arithmetic = if is_first { self.arithmetic(instruction, mnemonic)? } else { None };
                match arithmetic {
                    Some(value) => value,
                    None => self.all_uniform(instruction)?,
                }
            }
            _ => LaneValue::Unknown,
        })
    }

    /// A shuffle from one lane of the whole warp.
    fn shuffled(&mut self, instruction: &DecodedInstruction) -> Option<LaneValue> {
        let source = self.operand(instruction, 2)?;
        let is_broadcast =
            instruction.has("idx") && source == LaneValue::Uniform && self.number(instruction, 3) == Some(31);
        Some(if is_broadcast { LaneValue::Uniform } else { LaneValue::Unknown })
    }

    /// A load from one address. Parameters of functions and local memory may differ between lanes.
    fn loaded(&mut self, instruction: &DecodedInstruction) -> Option<LaneValue> {
        let Some(OperandValue::Address { base, .. }) = instruction.values.get(1) else {
            return Some(LaneValue::Unknown);
        };
        if instruction.has("param") {
            let is_uniform = match **base {
                OperandValue::Variable { at, .. } => self.flow.is_entry() && self.flow.is_parameter(at),
                _ => false,
            };
            return Some(if is_uniform { LaneValue::Uniform } else { LaneValue::Unknown });
        }
        match &**base {
            _ if instruction.has("local") => Some(LaneValue::Unknown),
            OperandValue::Variable { .. } => Some(LaneValue::Uniform),
            OperandValue::Register(register) => {
                let address = self.definition(self.flow.reaching(*register, instruction.at))?;
                Some(if address == LaneValue::Uniform { LaneValue::Uniform } else { LaneValue::Unknown })
            }
            _ => Some(LaneValue::Unknown),
        }
    }

    /// A selection by a predicate between two values that are the same in all lanes.
    fn selected(&mut self, instruction: &DecodedInstruction) -> Option<LaneValue> {
        let condition = self.operand(instruction, 3)?.condition();
        let [one, other] = [self.operand(instruction, 1)?, self.operand(instruction, 2)?];
        let [a, b] = [1, 2].map(|operand| self.number(instruction, operand));
        Some(match condition {
            LaneCondition::Uniform if one == other => one,
            _ if a.is_some() && b.is_some() && a != b => LaneValue::Condition(condition),
            _ => LaneValue::Unknown,
        })
    }

    /// The condition of a comparison.
    fn compared(&mut self, instruction: &DecodedInstruction) -> Option<LaneCondition> {
        let [one, other] = [self.operand(instruction, 1)?, self.operand(instruction, 2)?];
        let words = instruction.opcode.words();
        let signed = words.last().is_some_and(|ty| ty.starts_with('s'));
        let relation = words.first().and_then(|word| relation(word));
        let compared = match (one, other, relation) {
            (LaneValue::Uniform, LaneValue::Uniform, _) => LaneCondition::Uniform,
            (LaneValue::Offsets(offsets), LaneValue::Uniform, Some((relation, _))) => {
                self.bounded(offsets, relation, signed, (instruction, 2))
            }
            (LaneValue::Uniform, LaneValue::Offsets(offsets), Some((_, swapped))) => {
                self.bounded(offsets, swapped, signed, (instruction, 1))
            }
            (LaneValue::Condition(condition), LaneValue::Uniform, Some((LaneComparison::Equal, _))) => condition,
            (LaneValue::Unknown, LaneValue::Uniform, Some((LaneComparison::Equal, _)))
                if self.number(instruction, 2) == Some(0) =>
            {
                self.zero(instruction, 1, MAX_ORS)?
            }
            _ => LaneCondition::Unknown,
        };
        if instruction.values.len() < 4 {
            return Some(compared);
        }
        let further = self.operand(instruction, 3)?.condition();
        Some(if instruction.has("xor") { LaneCondition::Unknown } else { compared.combined(further) })
    }

    /// The condition of a comparison with an operand that all lanes share. A bound in whole warps, such as `32 * n`, does not divide one.
    fn bounded(
        &self,
        offsets: LaneOffsets,
        relation: LaneComparison,
        signed: bool,
        (instruction, operand): (&DecodedInstruction, usize),
    ) -> LaneCondition {
        let number = self.number(instruction, operand);
        let bound = &instruction.values[operand];
        let is_of_whole_warps =
            offsets.zero_bits().is_some_and(|bits| is_multiple(self.flow, bound, instruction.at, bits));
        let of_warps = is_of_whole_warps.then(|| offsets.compare_multiple(relation));
        of_warps
            .filter(|found| *found == LaneCondition::Uniform)
            .unwrap_or_else(|| offsets.compare(relation, signed, number))
    }

    /// The condition that an operand is zero. The bitwise or of two values is if both are, such as `%tid.x | %tid.y`.
    fn zero(&mut self, instruction: &DecodedInstruction, operand: usize, depth: usize) -> Option<LaneCondition> {
        match self.operand(instruction, operand)? {
            LaneValue::Uniform => return Some(LaneCondition::Uniform),
            LaneValue::Offsets(offsets) => return Some(offsets.compare(LaneComparison::Equal, false, Some(0))),
            LaneValue::Condition(_) => return Some(LaneCondition::Unknown),
            LaneValue::Unknown => {}
        }
        let Some(OperandValue::Register(register)) = instruction.values.get(operand) else {
            return Some(LaneCondition::Unknown);
        };
        match self.flow.reaching(*register, instruction.at).site {
            DefinitionSite::Instruction(at)
                if depth > 0 && self.flow.mnemonic(at) == "or" && !self.flow.is_guarded(at) =>
            {
                let either = self.flow.decode(at);
                Some(self.zero(&either, 1, depth - 1)?.combined(self.zero(&either, 2, depth - 1)?))
            }
            _ => Some(LaneCondition::Unknown),
        }
    }

    /// Arithmetic with a value that differs between lanes; `Some(None)` if there is none.
    fn arithmetic(&mut self, instruction: &DecodedInstruction, mnemonic: &str) -> Option<Option<LaneValue>> {
        let value = self.operand(instruction, 1)?;
        if instruction.values.len() == 2 {
            if let (LaneValue::Offsets(offsets), "not") = (value, mnemonic) {
                return Some(Some(LaneValue::of(offsets.subtracted_from(u32::MAX))));
            }
            let copies = match mnemonic {
                "mov" => true,
                "not" => matches!(value, LaneValue::Condition(_)),
                "cvt" => !instruction.opcode.words().iter().any(|word| word.starts_with('f') || *word == "u8"),
                _ => false,
            };
            return Some(copies.then_some(value));
        }
        let other = self.operand(instruction, 2)?;
        let (a, b) = (self.number(instruction, 1), self.number(instruction, 2));
        Some(match (value, other) {
            (LaneValue::Condition(one), LaneValue::Condition(other)) if matches!(mnemonic, "and" | "or") => {
                Some(LaneValue::Condition(one.combined(other)))
            }
            (LaneValue::Condition(condition), LaneValue::Uniform)
            | (LaneValue::Uniform, LaneValue::Condition(condition))
                if matches!(mnemonic, "and" | "or" | "xor") && instruction.has("pred") =>
            {
                Some(LaneValue::Condition(condition))
            }
            (LaneValue::Offsets(offsets), LaneValue::Uniform) if mnemonic == "add" && b.is_none() => {
                Some(LaneValue::of(offsets.moved(zero_bits(self.flow, &instruction.values[2], instruction.at))))
            }
            (LaneValue::Uniform, LaneValue::Offsets(offsets)) if mnemonic == "add" && a.is_none() => {
                Some(LaneValue::of(offsets.moved(zero_bits(self.flow, &instruction.values[1], instruction.at))))
            }
            (LaneValue::Offsets(offsets), LaneValue::Uniform) => {
                offset_arithmetic(offsets, b, instruction, mnemonic).map(LaneValue::of)
            }
            (LaneValue::Uniform, LaneValue::Offsets(offsets)) if mnemonic == "sub" => {
                let difference = offsets.subtracted_from(a.unwrap_or(0));
                Some(LaneValue::of(if a.is_some() { difference } else { difference.unaligned() }))
            }
            (LaneValue::Uniform, LaneValue::Offsets(offsets)) if !matches!(mnemonic, "shl" | "shr" | "bfe") => {
                offset_arithmetic(offsets, a, instruction, mnemonic).map(LaneValue::of)
            }
            (LaneValue::Uniform, LaneValue::Uniform) if mnemonic == "mad" => match self.operand(instruction, 3)? {
                LaneValue::Offsets(offsets) => Some(LaneValue::Offsets(offsets.unaligned())),
                _ => None,
            },
            _ => None,
        })
    }

    /// A result that is uniform if all operands are.
    fn all_uniform(&mut self, instruction: &DecodedInstruction) -> Option<LaneValue> {
        for operand in 1..instruction.values.len() {
            if self.operand(instruction, operand)? != LaneValue::Uniform {
                return Some(LaneValue::Unknown);
            }
        }
        Some(LaneValue::Uniform)
    }

    /// The value of an operand; `None` if it depends only on itself.
    fn operand(&mut self, instruction: &DecodedInstruction, operand: usize) -> Option<LaneValue> {
        Some(match instruction.values.get(operand) {
            Some(OperandValue::Register(register)) => {
                return self.definition(self.flow.reaching(*register, instruction.at));
            }
            Some(OperandValue::Number(_) | OperandValue::Variable { .. }) => LaneValue::Uniform,
            Some(_) => {
                let written = &instruction.operands[operand];
                let is_constant = written.kind == OperandKind::Constant;
                if is_constant { LaneValue::Uniform } else { special_register(&written.token.text) }
            }
            None => LaneValue::Unknown,
        })
    }

    /// The value of a constant operand, truncated to 32 bits.
    fn number(&self, instruction: &DecodedInstruction, operand: usize) -> Option<u32> {
        self.flow.constant(instruction.values.get(operand)?, instruction.at).map(|number| number as u32)
    }
}

/// Whether a register is the last of an operand.
fn is_last(value: &OperandValue, register: usize) -> bool {
    match value {
        OperandValue::List(values) => values.last() == Some(&OperandValue::Register(register)),
        value => *value == OperandValue::Register(register),
    }
}

fn special_register(name: &str) -> LaneValue {
    match name.trim() {
        "%tid.x" => LaneValue::Offsets(LaneOffsets::thread()),
        "%laneid" => LaneValue::Offsets(LaneOffsets::exact(|lane| lane)),
        "%lanemask_eq" => LaneValue::Offsets(LaneOffsets::exact(|lane| 1 << lane)),
        "%lanemask_lt" => LaneValue::Offsets(LaneOffsets::exact(|lane| (1 << lane) - 1)),
        "%lanemask_ge" => LaneValue::Offsets(LaneOffsets::exact(|lane| !((1 << lane) - 1))),
        name => {
            // As for `%tid.x`, the first dimension of the CTA is a multiple of the size of a warp.
            const UNIFORM: [&str; 11] = [
                "%ctaid", "%nctaid", "%ntid", "%tid.y", "%tid.z", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid",
                "%cluster",
            ];
            let is_uniform = UNIFORM.iter().any(|uniform| name.starts_with(uniform));
            if is_uniform { LaneValue::Uniform } else { LaneValue::Unknown }
        }
    }
}
