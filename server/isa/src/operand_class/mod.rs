//! What is accepted as an operand.

mod groups;
mod integer_set;

pub use crate::operand_class::groups::{
    ControlClass, CopyClass, LaneCount, MatrixClass, MoveClass, SynchronizationClass, TextureClass, VideoClass,
};
pub use crate::operand_class::integer_set::IntegerSet;

use crate::tables::rows::ReadPart;
use crate::types::Type;

/// What the assembler accepts as an operand, beyond what its role and type say (`tests/evidence/operands`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandClass {
    /// A register of the type; for what is read, a constant too.
    Typed,
    /// As [`OperandClass::Typed`], or `_` for a result that is not needed.
    Droppable,
    /// A register of 32 bits for an integer that takes the result.
    IntegerResult,
    /// A 32-bit integer, such as a shift count: a register or a constant.
    Count,
    /// As [`OperandClass::Count`], where a constant is at most 255.
    Byte,
    /// An integer constant.
    Immediate,
    /// A predicate, or its negation, or an integer constant.
    Predicate,
    /// A predicate, or its negation.
    PredicateRegister,
    /// A predicate register that takes the result.
    PredicateResult,
    /// A predicate register that takes the result, or `_`.
    DroppablePredicate,
    /// As [`OperandClass::DroppablePredicate`], or a pair `p|q` of which the second takes the opposite result.
    PredicatePair,
    /// A register of the type or `_`, followed by `|` and a predicate for whether it is not zero.
    WithPredicate,
    /// A constant that is one of these integers.
    Integer(IntegerSet),
    /// As [`OperandClass::Predicate`]; a constant must be one of these.
    PredicateAmong(IntegerSet),
    /// A 32-bit integer; a constant must be one of these.
    CountAmong(IntegerSet),
    /// An operand of a barrier, an mbarrier, a shuffle, a vote, or the like.
    Synchronization(SynchronizationClass),
    /// An operand of an asynchronous copy.
    Copy(CopyClass),
    /// An operand of a matrix instruction.
    Matrix(MatrixClass),
    /// An operand of a move or a conversion.
    Move(MoveClass),
    /// An operand of control flow or of the stack.
    Control(ControlClass),
    /// An operand of a video instruction.
    Video(VideoClass),
    /// An operand of a texture or surface instruction.
    Texture(TextureClass),
}

impl OperandClass {
    /// Reads the word of a class, as the rows write it. `None` if no class has this name.
    ///
    /// # Errors
    /// A set of integers that cannot be read.
    pub(crate) fn read(word: &'static str) -> ReadPart<Option<OperandClass>> {
        match word.strip_suffix(')').and_then(|word| word.split_once('(')) {
            Some((name, integers)) => Self::with_integers(name, integers),
            None => Ok(Self::named(word)),
        }
    }

    /// A class that names the integers that a constant may be.
    fn with_integers(name: &str, integers: &'static str) -> ReadPart<Option<OperandClass>> {
        let set = || IntegerSet::read(integers);
        Ok(Some(match name {
            "integer" => OperandClass::Integer(set()?),
            "count" => OperandClass::CountAmong(set()?),
            "predicate" => OperandClass::PredicateAmong(set()?),
            "wrapping" => OperandClass::Synchronization(SynchronizationClass::Wrapping(set()?)),
            "any_size" => OperandClass::Synchronization(SynchronizationClass::AnySize(set()?)),
            "selectors" => {
                let (first, second) = integers.split_once(';').ok_or_else(|| format!("missing `;` in `{integers}`"))?;
                OperandClass::Matrix(MatrixClass::Selectors(IntegerSet::read(first)?, IntegerSet::read(second)?))
            }
            _ => return Ok(None),
        }))
    }

    fn named(word: &str) -> Option<OperandClass> {
        Some(match word {
            "droppable" => OperandClass::Droppable,
            "count" => OperandClass::Count,
            "byte" => OperandClass::Byte,
            "immediate" => OperandClass::Immediate,
            "predicate" => OperandClass::Predicate,
            "predicate_register" => OperandClass::PredicateRegister,
            "predicate_result" => OperandClass::PredicateResult,
            "droppable_predicate" => OperandClass::DroppablePredicate,
            "predicate_pair" => OperandClass::PredicatePair,
            "with_predicate" => OperandClass::WithPredicate,
            "result" => OperandClass::IntegerResult,
            _ => return Self::of_group(word),
        })
    }

    /// A class of a group of instructions.
    fn of_group(word: &str) -> Option<OperandClass> {
        None.or_else(|| SynchronizationClass::named(word).map(OperandClass::Synchronization))
            .or_else(|| CopyClass::named(word).map(OperandClass::Copy))
            .or_else(|| MatrixClass::named(word).map(OperandClass::Matrix))
            .or_else(|| MoveClass::named(word).map(OperandClass::Move))
            .or_else(|| ControlClass::named(word).map(OperandClass::Control))
            .or_else(|| VideoClass::named(word).map(OperandClass::Video))
            .or_else(|| TextureClass::named(word).map(OperandClass::Texture))
    }

    /// The type of the operands of a class that is the same in every instruction.
    pub(crate) fn fixed_type(self) -> Option<Type> {
        match self {
            OperandClass::Predicate
            | OperandClass::PredicateAmong(_)
            | OperandClass::PredicateRegister
            | OperandClass::PredicateResult
            | OperandClass::DroppablePredicate
            | OperandClass::PredicatePair
            | OperandClass::Synchronization(SynchronizationClass::WaitResult) => Some(Type::Pred),
            OperandClass::Count
            | OperandClass::CountAmong(_)
            | OperandClass::Byte
            | OperandClass::Immediate
            | OperandClass::Integer(_)
            | OperandClass::Matrix(MatrixClass::TensorAddress | MatrixClass::Selectors(..))
            | OperandClass::Video(_) => Some(Type::U32),
            OperandClass::Matrix(MatrixClass::Descriptor) => Some(Type::U64),
            OperandClass::Synchronization(SynchronizationClass::Report) => Some(Type::U8),
            OperandClass::Synchronization(SynchronizationClass::Fraction) => Some(Type::F32),
            _ => None,
        }
    }
}
