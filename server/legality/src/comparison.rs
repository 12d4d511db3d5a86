//! How the operands of an opcode are compared with those of an accepted instruction, computed once per spelling.

use isa::{OperandClass, ResolvedInstruction};

/// The families whose operands name labels and functions.
const NAMING: [&str; 2] = ["bra", "call"];

/// How to compare the operands of an opcode.
#[derive(Clone, Copy, Debug)]
pub struct OperandComparison {
    /// The number of the opcode.
    pub opcode: usize,
    pub constants: ConstantComparison,
}

/// How constants are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantComparison {
    ByType,
    ByValue,
}

impl OperandComparison {
    /// The comparison for an opcode of a number; `None` if its operands cannot be compared.
    pub fn new(instruction: &ResolvedInstruction, opcode: usize) -> Option<Self> {
        let by_type = instruction.operand_lists().flatten().all(|operand| has_typed_constants(operand.class));
        let constants = if by_type { ConstantComparison::ByType } else { ConstantComparison::ByValue };
        (!NAMING.contains(&instruction.family.name)).then_some(OperandComparison { opcode, constants })
    }
}

/// Whether of a constant only the type decides.
fn has_typed_constants(class: OperandClass) -> bool {
    matches!(
        class,
        OperandClass::Typed
            | OperandClass::Droppable
            | OperandClass::IntegerResult
            | OperandClass::Count
            | OperandClass::Predicate
            | OperandClass::PredicateRegister
            | OperandClass::PredicateResult
            | OperandClass::DroppablePredicate
            | OperandClass::PredicatePair
            | OperandClass::WithPredicate
            | OperandClass::Move(_)
    )
}
