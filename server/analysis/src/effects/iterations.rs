//! The values of registers in the iterations of a loop, computed from the numbers that it begins with.

use crate::effects::LoopBody;
use crate::values::{BasicBlocks, DecodedInstruction, Definition, DefinitionSite, FunctionValues, OperandValue, holds};
use foldhash::HashMap;

/// The maximum number of values that are computed per loop.
const MAX_VALUES: usize = 20_000;

/// The maximum number of definitions between a value and the numbers that it is computed from, within an iteration.
const MAX_DEPTH: usize = 48;

/// A value in one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopValue {
    /// What the number is added to.
    pub base: ValueBase,
    /// The number.
    pub number: i64,
}

/// What the number of a value is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueBase {
    /// Nothing: the value is the number.
    Zero,
    /// The address of a variable.
    Variable(usize),
    /// A value from outside of the loop that is not known.
    Outside(Definition),
}

/// The iterations of a loop.
pub struct Iterations<'l, 'f, 'a> {
    flow: &'f FunctionValues<'a>,
    blocks: &'f BasicBlocks,
    body: &'l LoopBody<'f>,
    known: HashMap<(Definition, usize), Option<LoopValue>>,
    budget: usize,
}

impl LoopValue {
    fn number(number: i64) -> Self {
        LoopValue { base: ValueBase::Zero, number }
    }

    fn known(self) -> Option<i64> {
        (self.base == ValueBase::Zero).then_some(self.number)
    }
}

impl<'l, 'f, 'a> Iterations<'l, 'f, 'a> {
    /// Nothing is computed yet.
    pub fn new(flow: &'f FunctionValues<'a>, blocks: &'f BasicBlocks, body: &'l LoopBody<'f>) -> Self {
        Iterations { flow, blocks, body, known: HashMap::default(), budget: MAX_VALUES }
    }

    /// The address in an instruction of the loop in an iteration.
    pub fn address(&mut self, at: usize, iteration: usize) -> Option<LoopValue> {
        let values = &self.flow.instruction(at).values;
        let (base, offset) = values.iter().find_map(|value| match value {
            OperandValue::Address { base, offset } => Some((&**base, (*offset)?)),
            _ => None,
        })?;
        let base = self.operand(base, at, iteration, MAX_DEPTH)?;
        Some(LoopValue { number: base.number.checked_add(offset)?, ..base })
    }

    /// The value of an operand of an instruction of the loop in an iteration.
    pub fn value(&mut self, at: usize, operand: usize, iteration: usize) -> Option<LoopValue> {
        let value = self.flow.instruction(at).values.get(operand)?;
        self.operand(value, at, iteration, MAX_DEPTH)
    }

    /// Whether the loop certainly ends in an iteration.
    pub fn ends(&mut self, iteration: usize) -> bool {
        let exits: Vec<_> = self.body.exits().collect();
        exits.into_iter().any(|(block, outside)| self.next_block(block, iteration) == Some(outside))
    }

    /// The block that the branch at the end of a block leads to in an iteration.
    fn next_block(&mut self, block: usize, iteration: usize) -> Option<usize> {
        let end = self.blocks.end(block, self.flow.len());
        let branch = end.checked_sub(1)?;
        let taken = self.blocks.of(self.flow.target(branch).filter(|target| *target < self.flow.len())?);
        let (guard, is_negated) = self.flow.guard(branch)?;
        let holds = self.operand(&guard, branch, iteration, MAX_DEPTH)?.known()? != 0;
        match holds != is_negated {
            true => Some(taken),
            false => (end < self.flow.len()).then(|| self.blocks.of(end)),
        }
    }

    fn operand(&mut self, value: &OperandValue, at: usize, iteration: usize, depth: usize) -> Option<LoopValue> {
        match value {
            OperandValue::Register(register) => self.definition(self.flow.reaching(*register, at), iteration, depth),
            OperandValue::Number(number) => Some(LoopValue::number(i64::try_from(*number).ok()?)),
            OperandValue::Variable { at, offset } => {
                Some(LoopValue { base: ValueBase::Variable(*at), number: *offset })
            }
            OperandValue::Address { .. } | OperandValue::List(_) | OperandValue::Other => None,
        }
    }

    fn definition(&mut self, wanted: Definition, iteration: usize, depth: usize) -> Option<LoopValue> {
        if let Some(known) = self.known.get(&(wanted, iteration)) {
            return *known;
        }
        self.budget = self.budget.checked_sub(1)?;
        let below = depth.checked_sub(1)?;
        let is_outside = self.body.is_outside(wanted);
        let computed = match wanted.site {
            DefinitionSite::Instruction(at) => self.computed(at, iteration, below),
            DefinitionSite::Guarded(at) => self.guarded(wanted.register, at, iteration, below),
            DefinitionSite::Merge(block) if !is_outside => self.merged(wanted, block, iteration, below),
            DefinitionSite::Merge(_) | DefinitionSite::Entry | DefinitionSite::Unknown(_) => None,
        };
        let opaque = is_outside.then_some(LoopValue { base: ValueBase::Outside(wanted), number: 0 });
        let value = computed.or(opaque);
        self.known.insert((wanted, iteration), value);
        value
    }

    fn guarded(&mut self, register: usize, at: usize, iteration: usize, depth: usize) -> Option<LoopValue> {
        let (guard, is_negated) = self.flow.guard(at)?;
        let holds = self.operand(&guard, at, iteration, depth)?.known()? != 0;
        match holds != is_negated {
            true => self.computed(at, iteration, depth),
            false => self.definition(self.flow.reaching(register, at), iteration, depth),
        }
    }

    /// The value at the start of a block: of the iteration before at the header, else of the path that the branch before takes.
    fn merged(&mut self, wanted: Definition, block: usize, iteration: usize, depth: usize) -> Option<LoopValue> {
        let incoming = self.flow.incoming_values(wanted)?;
        let before: Vec<usize> = self.blocks.predecessors(block).collect();
        if block != self.body.header {
            if let Some(taken) = self.taken_from(block, &before, iteration) {
                let place = before.iter().position(|before| *before == taken)?;
                return self.definition(*incoming.get(place)?, iteration, depth);
            }
            return self.common(&incoming, iteration, depth);
        }
        let is_first = iteration == 0;
        let of_round = before.iter().zip(incoming).filter(|(before, _)| self.body.has_block(**before) != is_first);
        let of_round: Vec<Definition> = of_round.map(|(_, incoming)| incoming).collect();
        // Each iteration is computed after the one before it, so the depth begins anew.
        self.common(&of_round, iteration.saturating_sub(1), if is_first { depth } else { MAX_DEPTH })
    }

    /// The value that all definitions have.
    fn common(&mut self, definitions: &[Definition], iteration: usize, depth: usize) -> Option<LoopValue> {
        let first = self.definition(*definitions.first()?, iteration, depth)?;
        let is_same = |other: &Definition| self.definition(*other, iteration, depth) == Some(first);
        definitions[1..].iter().all(is_same).then_some(first)
    }

    /// The predecessor that control comes from, after a branch around one block or between two.
    fn taken_from(&mut self, block: usize, before: &[usize], iteration: usize) -> Option<usize> {
        let [one, other] = *before else { return None };
        let only_before = |block: usize| {
            let mut all = self.blocks.predecessors(block);
            all.next().filter(|_| all.next().is_none())
        };
        let (before_one, before_other) = (only_before(one), only_before(other));
        let deciding = match () {
            () if before_other == Some(one) => one,
            () if before_one == Some(other) => other,
            () if before_one == before_other => before_one?,
            () => return None,
        };
        let next = self.next_block(deciding, iteration)?;
        if next == block { Some(deciding) } else { Some(next) }
    }

    /// The result of an instruction.
    fn computed(&mut self, at: usize, iteration: usize, depth: usize) -> Option<LoopValue> {
        let flow = self.flow;
        let instruction = flow.instruction(at);
        let values = &instruction.values;
        if !matches!(values.first(), Some(OperandValue::Register(_))) {
            return None;
        }
        let mut operands = Vec::new();
        let mnemonic = flow.mnemonic(at);
        if mnemonic == "selp" {
            let holds = self.operand(values.get(3)?, at, iteration, depth)?.known()? != 0;
            return self.operand(values.get(if holds { 1 } else { 2 })?, at, iteration, depth);
        }
        for value in &values[1..] {
            operands.push(self.operand(value, at, iteration, depth)?);
        }
        computed(instruction, mnemonic, &operands)
    }
}

/// The result of an instruction on known operands.
fn computed(instruction: &DecodedInstruction, mnemonic: &str, operands: &[LoopValue]) -> Option<LoopValue> {
    let words = instruction.opcode.words();
    let ty = *words.last()?;
    let is_wide = instruction.has("wide");
    match (mnemonic, operands) {
        ("mov" | "cvta", [value]) => return Some(*value),
        ("cvt", [value]) if value.base != ValueBase::Zero => return Some(*value),
        ("add", [one, other]) if one.base != ValueBase::Zero || other.base != ValueBase::Zero => {
            let base = match (one.base, other.base) {
                (base, ValueBase::Zero) | (ValueBase::Zero, base) => base,
                _ => return None,
            };
            let number = signed(one.number).checked_add(signed(other.number))?;
            return Some(LoopValue { base, number });
        }
        ("mad", [one, other, sum]) if sum.base != ValueBase::Zero => {
            let product = signed(one.known()?).checked_mul(signed(other.known()?))?;
            return Some(LoopValue { base: sum.base, number: sum.number.checked_add(product)? });
        }
        _ => {}
    }
    let numbers: Option<Vec<i64>> = operands.iter().map(|operand| operand.known()).collect();
    let numbers = numbers?;
    let is_signed = ty.starts_with('s');
    let read = |number: i64| if is_signed && !ty.ends_with("64") { i64::from(number as i32) } else { number };
    let number = match (mnemonic, numbers.as_slice()) {
        ("setp", [one, other]) => {
            return holds(words.first()?, read(*one).cmp(&read(*other))).map(|held| LoopValue::number(held.into()));
        }
        ("not", [one]) if ty == "pred" => i64::from(*one == 0),
        ("and", [one, other]) => one & other,
        ("or", [one, other]) => one | other,
        ("xor", [one, other]) => one ^ other,
        ("not", [one]) => !one,
        ("neg", [one]) => one.wrapping_neg(),
        ("cvt", [one]) => read(*one),
        ("add", [one, other]) => one.wrapping_add(*other),
        ("sub", [one, other]) => one.wrapping_sub(*other),
        ("mul", [one, other]) if !instruction.has("hi") => read(*one).wrapping_mul(read(*other)),
        ("mad", [one, other, sum]) if !instruction.has("hi") => {
            read(*one).wrapping_mul(read(*other)).wrapping_add(*sum)
        }
        ("shl", [one, bits @ 0..=31]) => one << bits,
        ("shr", [one, bits @ 0..=31]) => read(*one) >> bits,
        ("div", [one, other]) => read(*one).checked_div(read(*other))?,
        ("rem", [one, other]) => read(*one).checked_rem(read(*other))?,
        ("min", [one, other]) => read(*one).min(read(*other)),
        ("max", [one, other]) => read(*one).max(read(*other)),
        _ => return None,
    };
    let is_64_bits = is_wide || ty.ends_with("64");
    let of_pointer = mnemonic == "cvt" && words.iter().rev().nth(1).is_some_and(|to| to.ends_with("64"));
    Some(LoopValue::number(if is_64_bits || of_pointer { number } else { i64::from(number as u32) }))
}

/// The number of a 32-bit register that is added to an address.
fn signed(number: i64) -> i64 {
    if (0..=i64::from(u32::MAX)).contains(&number) { i64::from(number as u32 as i32) } else { number }
}
