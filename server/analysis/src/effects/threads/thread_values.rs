//! The values of registers in each thread of a CTA, as far as they depend on `%tid.x` and constants only.

use crate::values::{DecodedInstruction, DefinitionSite, FunctionValues, OperandValue, holds};
use std::cell::Cell;

/// The maximum number of threads of a CTA.
pub(in crate::effects) const THREADS: usize = 1024;

/// The maximum number of instructions between a condition and the index that it is computed from.
const MAX_DEPTH: usize = 12;

/// The maximum number of instructions that one query evaluates.
const MAX_VALUES: usize = 48;

/// A value in each thread.
type NumbersOfThreads = Box<[u32]>;

/// A predicate that an instruction uses, in each thread; `None` if it depends on more than the index of the thread.
pub(in crate::effects) fn condition(flow: &FunctionValues, value: &OperandValue, at: usize) -> Option<Box<[bool]>> {
    ThreadValues { flow, budget: Cell::new(MAX_VALUES) }.condition(value, at)
}

/// One query.
struct ThreadValues<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    budget: Cell<usize>,
}

impl<'a> ThreadValues<'_, 'a> {
    /// A predicate in each thread.
    fn condition(&self, value: &OperandValue, at: usize) -> Option<Box<[bool]>> {
        self.budget.set(self.budget.get().checked_sub(1)?);
        let comparison = self.writer(value, at)?;
        let words = comparison.opcode.words();
        let operand = |operand: usize| self.condition(comparison.values.get(operand)?, comparison.at);
        let both = |operation: fn(bool, bool) -> bool| {
            let (left, right) = (operand(1)?, operand(2)?);
            Some(left.iter().zip(&right).map(|(left, right)| operation(*left, *right)).collect())
        };
        match comparison.opcode.mnemonic() {
            "and" => return both(|left, right| left && right),
            "or" => return both(|left, right| left || right),
            "xor" => return both(|left, right| left != right),
            "not" => return operand(1).map(|values| values.iter().map(|value| !value).collect()),
            "setp" => {}
            _ => return None,
        }
        // The second destination of `setp` is the opposite.
        if comparison.values.len() != 3
            || comparison.values[0] != *value
            || !matches!(*words.last()?, "u32" | "s32" | "b32")
        {
            return None;
        }
        let [left, right] = [1, 2].map(|operand| self.values(&comparison.values[operand], comparison.at, MAX_DEPTH));
        let is_signed = words.last() == Some(&"s32");
        let key = |value: u32| if is_signed { i64::from(value as i32) } else { i64::from(value) };
        let relation = *words.first()?;
        let (left, right) = (left?, right?);
        left.iter().zip(&right).map(|(left, right)| holds(relation, key(*left).cmp(&key(*right)))).collect()
    }

    /// A number in each thread; `None` if it depends on more than the index of the thread.
    fn values(&self, value: &OperandValue, at: usize, depth: usize) -> Option<NumbersOfThreads> {
        if let Some(number) = self.flow.constant(value, at) {
            return Some(vec![number as u32; THREADS].into());
        }
        self.budget.set(self.budget.get().checked_sub(1)?);
        let writer = self.writer(value, at).filter(|_| depth > 0)?;
        let operand = |operand: usize| self.values(writer.values.get(operand)?, writer.at, depth - 1);
        let words = writer.opcode.words();
        let is_32_bits = words.last().is_some_and(|ty| matches!(*ty, "u32" | "s32" | "b32"));
        let is_wide = writer.has("wide") || writer.has("hi") || !is_32_bits;
        let each = |operation: fn(u32, u32) -> u32| {
            let (left, right) = (operand(1)?, operand(2)?);
            Some(left.iter().zip(&right).map(|(left, right)| operation(*left, *right)).collect())
        };
        match writer.opcode.mnemonic() {
            "mov" => match writer.operands.get(1)?.token.text.trim() {
                "%tid.x" => Some((0..THREADS as u32).collect()),
                "%laneid" => Some((0..THREADS as u32).map(|thread| thread % 32).collect()),
                _ => operand(1),
            },
            "and" if !is_wide => each(|left, right| left & right),
            "or" if !is_wide => each(|left, right| left | right),
            "xor" if !is_wide => each(|left, right| left ^ right),
            "add" if !is_wide => each(u32::wrapping_add),
            "sub" if !is_wide => each(u32::wrapping_sub),
            "mul" if !is_wide => each(u32::wrapping_mul),
            "shl" if !is_wide => each(|left, right| left.checked_shl(right).unwrap_or(0)),
            "shr" if !is_wide && !writer.has("s32") => each(|left, right| left.checked_shr(right).unwrap_or(0)),
            "shr" if !is_wide => each(|left, right| ((left as i32) >> right.min(31)) as u32),
            // The index of the warp, which its first lane broadcasts.
            "shfl" if writer.has("idx") && self.flow.constant(writer.values.get(2)?, writer.at) == Some(0) => {
                let values = operand(1)?;
                Some((0..THREADS).map(|thread| values[thread / 32 * 32]).collect())
            }
            _ => None,
        }
    }

    /// The instruction that always computes a register.
    fn writer(&self, value: &OperandValue, at: usize) -> Option<DecodedInstruction<'a>> {
        let OperandValue::Register(register) = value else { return None };
        let DefinitionSite::Instruction(writer) = self.flow.reaching(*register, at).site else { return None };
        (!self.flow.is_guarded(writer)).then(|| self.flow.decode(writer))
    }
}
