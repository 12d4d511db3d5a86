//! Skips the operands of an instruction if another one of the same shape was accepted.
//!
//! The shape of an instruction is its opcode with the parts of its guard and operands, where a name counts as what it is declared as. A module repeats a few
//! thousand shapes. The checks depend on nothing else, except those of branches and calls, which have no shapes.

use crate::comparison::{ConstantComparison, OperandComparison};
use crate::operands::OperandChecks;
use foldhash::HashSet;
use foldhash::fast::FixedState;
use isa::special;
use std::cell::RefCell;
use std::hash::{BuildHasher, Hash, Hasher};
use syntax::{Instruction, InstructionPart};

/// The shapes of accepted instructions, as hashes.
pub(super) type AcceptedShapes = RefCell<HashSet<u64>>;

impl OperandChecks<'_> {
    /// The shape of an instruction; `None` if it has none.
    pub fn shape(&self, instruction: &Instruction, comparison: Option<OperandComparison>) -> Option<u64> {
        let comparison = comparison.filter(|_| self.certain && !instruction.has_error())?;
        let mut shape = FixedState::default().build_hasher();
        shape.write_usize(comparison.opcode);
        let mut before = PartBefore::Other;
        let is_whole = instruction.parts(|part| {
            let by_type = before == PartBefore::Offset || comparison.constants == ConstantComparison::ByType;
            before = before.followed_by(part);
            match part {
                InstructionPart::Name(name) => match self.names.shape(name) {
                    Some(declared) => shape.write_u64(declared),
                    None if is_predefined(name) => name.hash(&mut shape),
                    None => return false,
                },
                InstructionPart::Constant(ty, _) if by_type => shape.write_u64(ty as u64),
                InstructionPart::Constant(_, text) | InstructionPart::Other(text) => text.hash(&mut shape),
            }
            true
        });
        is_whole.then(|| shape.finish())
    }

    /// Whether an instruction of a shape was accepted.
    pub fn is_accepted(&self, shape: u64) -> bool {
        self.accepted.borrow().contains(&shape)
    }

    /// Adds the shape of an instruction without a diagnostic.
    pub fn accept(&self, shape: u64) {
        self.accepted.borrow_mut().insert(shape);
    }
}

/// What precedes a part. The value of an offset after a name is not checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartBefore {
    Name,
    /// The `+` or `+-` after a name.
    Offset,
    Other,
}

impl PartBefore {
    fn followed_by(self, part: InstructionPart) -> Self {
        match (self, part) {
            (_, InstructionPart::Name(_)) => PartBefore::Name,
            (PartBefore::Name, InstructionPart::Other("+")) | (PartBefore::Offset, InstructionPart::Other("-")) => {
                PartBefore::Offset
            }
            _ => PartBefore::Other,
        }
    }
}

/// Whether a name has a meaning without a declaration.
fn is_predefined(name: &str) -> bool {
    name == "_" || special::is_special(name)
}
