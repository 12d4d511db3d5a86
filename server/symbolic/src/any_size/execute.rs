//! What an instruction does to the values of registers, and which memory it accesses.

use crate::any_size::arithmetic::{TermComputation, TermValue, choice};
use crate::any_size::polynomial::Polynomial;
use crate::any_size::state::{TermContext, ThreadKnowledge};
use crate::any_size::terms::{Atom, NumberInterval, NumberType, PlaceKind, TermCondition, TermPlace};
use program::{
    Destination, Extension, Load, MachineAction, MachineAddress, MemorySpace, RegisterAccesses, ScalarAction,
    SecondTarget, Source, SpecialValue,
};

/// The instruction that is executed.
#[derive(Clone, Copy, Debug)]
pub struct ExecutedInstruction {
    /// The barrier interval.
    pub interval: u32,
    /// Its block.
    pub block: u32,
    /// Its index in the function.
    pub at: u32,
}

impl ExecutedInstruction {
    const fn place(self) -> TermPlace {
        TermPlace { interval: self.interval, kind: PlaceKind::Instruction(self.block, self.at) }
    }
}

/// The value of an operand.
pub fn source(context: &TermContext, state: &ThreadKnowledge, source: Source) -> TermValue {
    match source {
        Source::Register(slot) => context.values.get(state.registers[slot as usize]).clone(),
        Source::Constant(constant) => constant_value(context, constant),
    }
}

fn constant_value(context: &TermContext, constant: u32) -> TermValue {
    let bits = i128::from(context.function().constants[constant as usize][0]);
    let variable = context.kernel.variable_of(constant);
    let base = variable.and_then(|variable| {
        let atom = context.terms.find(&Atom::SharedVariable(variable))?;
        let first = i128::from(context.kernel.variables[usize::from(variable)].address);
        Some(Polynomial::atom(atom).offset(bits - first))
    });
    TermValue::number(&base.unwrap_or_else(|| Polynomial::number(bits)), 64)
}

/// The address of an access.
pub fn address(context: &TermContext, state: &ThreadKnowledge, address: &MachineAddress) -> TermValue {
    let offset = i128::from(address.offset);
    match source(context, state, address.base) {
        TermValue::Number(base, bits) => TermValue::number(&base.offset(offset), bits),
        predicate @ TermValue::Predicate(_) => predicate,
    }
}

/// The condition under which an instruction is executed.
pub fn guard(context: &mut TermContext, state: &ThreadKnowledge, at: usize) -> TermCondition {
    let Some(guard) = context.function().code[at].guard else { return TermCondition::ALWAYS };
    predicate(context, state, guard.predicate, guard.expected)
}

/// The condition under which a predicate has a value.
pub fn predicate(context: &mut TermContext, state: &ThreadKnowledge, slot: u32, expected: bool) -> TermCondition {
    let value = context.values.get(state.registers[slot as usize]).clone();
    let condition = match value {
        TermValue::Predicate(condition) => condition,
        number @ TermValue::Number(..) => {
            TermValue::Number(number.bits(1, &mut context.terms), 1).condition(&mut context.terms)
        }
    };
    if expected { condition } else { condition.negated() }
}

/// Executes an instruction for a thread.
pub fn execute(context: &mut TermContext, state: &mut ThreadKnowledge, executed: ExecutedInstruction) {
    let instruction = &context.function().code[executed.at as usize];
    let condition = guard(context, state, executed.at as usize);
    if condition == TermCondition::NEVER {
        return;
    }
    for (to, value) in results(context, state, &instruction.action, executed) {
        let slot = to.slot as usize;
        let value = if condition == TermCondition::ALWAYS {
            value
        } else {
            perhaps(context, &condition, value, state.registers[slot]).unwrap_or_else(|| {
                let bits = to.mask.count_ones();
                context.unknown(executed.place(), to.slot, bits)
            })
        };
        state.registers[slot] = value;
    }
}

/// A new value if a condition holds, else the old one; `None` if there is no term for that.
fn perhaps(context: &mut TermContext, condition: &TermCondition, new: u32, old: u32) -> Option<u32> {
    if new == old {
        return Some(new);
    }
    let value = match (context.values.get(new).clone(), context.values.get(old).clone()) {
        (TermValue::Number(new, bits), old @ TermValue::Number(..)) => {
            let old = old.bits(bits, &mut context.terms);
            if !condition.is_small() {
                return None;
            }
            TermValue::number(&choice(condition, &new, &old, &mut context.terms), bits)
        }
        (TermValue::Predicate(new), TermValue::Predicate(old)) => {
            let either = condition.and(&new).or(&condition.negated().and(&old));
            Some(either).filter(TermCondition::is_small).map(TermValue::Predicate)?
        }
        _ => return None,
    };
    Some(context.values.number(value))
}

/// The registers that an instruction writes, with their values.
fn results(
    context: &mut TermContext,
    state: &ThreadKnowledge,
    action: &MachineAction,
    executed: ExecutedInstruction,
) -> Vec<(Destination, u32)> {
    let known = match action {
        MachineAction::Scalar(scalar) => computed(context, state, scalar, executed),
        MachineAction::Move(to, from) => vec![(*to, Some(source(context, state, *from)))],
        MachineAction::ConvertAddress(to, from, _) => vec![(*to, Some(source(context, state, *from)))],
        MachineAction::Pack(to, parts) => vec![(*to, packed(context, state, parts))],
        MachineAction::Unpack(from, parts) => unpacked(context, state, *from, parts),
        MachineAction::ReadSpecial(to, special) => vec![(*to, special_value(context, *special))],
        MachineAction::Load(load) => loaded(context, state, load, executed),
        other => other.written().into_iter().map(|to| (to, None)).collect(),
    };
    let mut results = Vec::with_capacity(known.len());
    for (to, value) in known {
        let bits = to.mask.count_ones();
        let value = match value {
            Some(TermValue::Number(number, own)) if bits > 1 => {
                let number = TermValue::Number(number, own).bits(bits, &mut context.terms);
                context.values.number(TermValue::number(&number, bits))
            }
            Some(predicate @ TermValue::Predicate(_)) if bits == 1 => context.values.number(predicate),
            _ => context.unknown(executed.place(), to.slot, bits),
        };
        results.push((to, value));
    }
    results
}

fn computed(
    context: &mut TermContext,
    state: &ThreadKnowledge,
    scalar: &ScalarAction,
    executed: ExecutedInstruction,
) -> Vec<(Destination, Option<TermValue>)> {
    let types = scalar.operation.source_types();
    let sources: Vec<TermValue> =
        (0..types.len().min(4)).map(|at| source(context, state, scalar.sources[at])).collect();
    let result = scalar.operation.destination_type();
    let value = scalar.operation.integer_function().and_then(|function| {
        let computation = TermComputation { function, types, result, sources: &sources };
        computation.value(&mut context.terms)
    });
    let reads_more = scalar.operation.reads_carry();
    let value = value.or_else(|| {
        let to = scalar.destination.filter(|to| !reads_more && to.mask.count_ones() > 1)?;
        Some(function(context, &sources, executed.at, to.mask.count_ones()))
    });
    let second = match (scalar.second, &value) {
        (SecondTarget::None, _) => None,
        (SecondTarget::Register(to), Some(TermValue::Predicate(condition))) if types.len() == 2 => {
            Some((to, Some(TermValue::Predicate(condition.negated()))))
        }
        (SecondTarget::Register(to), _) => Some((to, None)),
        (SecondTarget::Carry(slot), _) => Some((Destination { slot, mask: 1 }, None)),
    };
    scalar.destination.map(|to| (to, value)).into_iter().chain(second).collect()
}

/// The result of an instruction that is a function of its sources.
fn function(context: &mut TermContext, sources: &[TermValue], at: u32, bits: u32) -> TermValue {
    let operands = sources.iter().map(|source| source.bits(64, &mut context.terms)).collect();
    let interval = (0, (1i128 << bits) - 1);
    TermValue::Number(context.terms.value(Atom::Function(at, operands), interval), bits)
}

fn packed(context: &mut TermContext, state: &ThreadKnowledge, parts: &[(Source, u32)]) -> Option<TermValue> {
    let (mut sum, mut shift) = (Polynomial::default(), 0);
    for (part, bits) in parts {
        let part = source(context, state, *part).bits(*bits, &mut context.terms);
        let part = context.terms.as_type(&part, NumberType::Unsigned(*bits));
        sum = sum.plus(&part.product(&Polynomial::number(1 << shift))?, 1);
        shift += bits;
    }
    (shift <= 64 && sum.is_small()).then(|| TermValue::number(&sum, shift))
}

fn unpacked(
    context: &mut TermContext,
    state: &ThreadKnowledge,
    from: Source,
    parts: &[(Option<Destination>, u32)],
) -> Vec<(Destination, Option<TermValue>)> {
    let value = source(context, state, from);
    let (mut results, mut shift) = (Vec::new(), 0);
    let total: u32 = parts.iter().map(|(_, bits)| bits).sum();
    for (to, bits) in parts {
        if let Some(to) = to {
            let part = (total <= 64).then(|| {
                let number = value.bits(total, &mut context.terms);
                let part = context.terms.quotient(&number, &Polynomial::number(1 << shift));
                TermValue::number(&part, *bits)
            });
            results.push((*to, part));
        }
        shift += bits;
    }
    results
}

fn special_value(context: &mut TermContext, special: SpecialValue) -> Option<TermValue> {
    let number = match special {
        SpecialValue::ThreadIndex(axis) => context.thread_index(axis),
        SpecialValue::BlockSize(axis) => context.block_size(axis),
        SpecialValue::CtaIndex(axis) => context.cta_index(axis),
        SpecialValue::GridSize(axis) => context.grid_size(axis),
        SpecialValue::Lane => {
            let row = context.thread_index(2).product(&context.block_size(1))?.plus(&context.thread_index(1), 1);
            let flat = row.product(&context.block_size(0))?.plus(&context.thread_index(0), 1);
            let warps = context.terms.quotient(&flat, &Polynomial::number(32));
            flat.plus(&warps, -32)
        }
        _ => return None,
    };
    Some(TermValue::number(&number, 32))
}

impl TermContext<'_> {
    /// `%tid` in a dimension.
    pub fn thread_index(&mut self, axis: usize) -> Polynomial {
        let most = self.sizes.block[axis].1 - 1;
        self.terms.value(Atom::ThreadIndex(axis), (0, most))
    }

    /// `%ntid` in a dimension.
    pub fn block_size(&mut self, axis: usize) -> Polynomial {
        let interval = self.sizes.block[axis];
        self.terms.value(Atom::BlockSize(axis), interval)
    }

    /// `%ctaid` in a dimension.
    pub fn cta_index(&mut self, axis: usize) -> Polynomial {
        let most = self.sizes.grid[axis].1 - 1;
        self.terms.value(Atom::CtaIndex(axis), (0, most))
    }

    /// `%nctaid` in a dimension.
    pub fn grid_size(&mut self, axis: usize) -> Polynomial {
        let interval = self.sizes.grid[axis];
        self.terms.value(Atom::GridSize(axis), interval)
    }
}

/// The registers that a load writes: what it reads is known of parameters only.
fn loaded(
    context: &mut TermContext,
    state: &ThreadKnowledge,
    load: &Load,
    executed: ExecutedInstruction,
) -> Vec<(Destination, Option<TermValue>)> {
    let bits = 8 * load.element_bytes;
    let ty = match load.extension {
        Extension::Zero => NumberType::Unsigned(bits),
        Extension::Sign => NumberType::Signed(bits),
    };
    let parameter = match (load.address.space, address(context, state, &load.address)) {
        (MemorySpace::Parameter, TermValue::Number(offset, _)) => offset.as_number(),
        _ => None,
    };
    let mut results = Vec::new();
    for (number, to) in load.elements.iter().enumerate() {
        let Some(to) = to else { continue };
        let value = match parameter {
            Some(first) => {
                let at = first as u64 + number as u64 * u64::from(load.element_bytes);
                let (least, most) = NumberType::Unsigned(bits).interval();
                let known = context.sizes.parameters.get(&at).copied().unwrap_or((least, most));
                let interval = (known.0.max(least), known.1.min(most));
                let value = context.terms.value(Atom::Parameter(at, load.element_bytes), interval);
                TermValue::Number(context.terms.as_type(&value, ty), 64)
            }
            None => element(context, executed.place(), to.slot, ty.interval()),
        };
        results.push((*to, (to.mask.count_ones() > 1).then_some(value)));
    }
    results
}

fn element(context: &mut TermContext, place: TermPlace, slot: u32, interval: NumberInterval) -> TermValue {
    TermValue::Number(context.terms.value(Atom::Unknown(place, slot, interval), interval), 64)
}

/// Whether the registers that an instruction writes are known.
pub fn writes_known_registers(action: &MachineAction) -> bool {
    action.flow().leaves_function() || RegisterAccesses::of(action).is_some()
}
