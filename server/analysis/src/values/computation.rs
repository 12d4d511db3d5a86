//! The instructions through which the provenance of a value is traced.

use crate::values::PointedSpace;
use syntax::Opcode;

/// How an instruction computes its first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::values) enum TracedComputation {
    /// `mov`
    Move,
    /// `cvta`: to a generic address, or to one in a state space.
    ConvertAddress { is_generic: bool, space: Option<PointedSpace> },
    /// `cvt` between 32 and 64 bits, to the first of them.
    Resize { narrows: bool },
    /// `selp`
    Select,
    /// Integer arithmetic, of which the low half is the result.
    Arithmetic { operation: ArithmeticOperation, narrows: bool },
    /// `ld.param`
    LoadParameter,
}

/// An arithmetic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::values) enum ArithmeticOperation {
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    ShiftLeft,
}

impl TracedComputation {
    /// The computation of an opcode; `None` if its result is opaque.
    pub(in crate::values) fn of(opcode: &Opcode) -> Option<Self> {
        let has = |word: &str| opcode.modifiers.iter().any(|modifier| modifier.text == word);
        let arithmetic = |operation| Self::arithmetic(operation, opcode);
        match &*opcode.mnemonic.text {
            "mov" => Some(TracedComputation::Move),
            "cvta" => {
                let space = opcode.modifiers.iter().find_map(|word| PointedSpace::parse(&word.text));
                Some(TracedComputation::ConvertAddress { is_generic: !has("to"), space })
            }
            "cvt" if has("u64") && has("u32") => {
                let narrows = opcode.modifiers.first().is_some_and(|word| word.text == "u32");
                Some(TracedComputation::Resize { narrows })
            }
            "selp" => Some(TracedComputation::Select),
            "add" => arithmetic(ArithmeticOperation::Add),
            "sub" => arithmetic(ArithmeticOperation::Subtract),
            "mul" => arithmetic(ArithmeticOperation::Multiply),
            "mad" => arithmetic(ArithmeticOperation::MultiplyAdd),
            "shl" => arithmetic(ArithmeticOperation::ShiftLeft),
            "ld" if has("param") => Some(TracedComputation::LoadParameter),
            _ => None,
        }
    }

    /// Scalar integer arithmetic that returns the low half of the result.
    fn arithmetic(operation: ArithmeticOperation, opcode: &Opcode) -> Option<Self> {
        let has = |word: &str| opcode.modifiers.iter().any(|modifier| modifier.text == word);
        let ty = opcode.modifiers.last().map_or("", |word| &*word.text);
        let scalar = ty.starts_with(['u', 's', 'b']) && !ty.contains('x');
        let narrows = ty.ends_with("32") && !has("wide");
        (scalar && !["cc", "sat", "hi"].iter().any(|word| has(word)))
            .then_some(TracedComputation::Arithmetic { operation, narrows })
    }
}
