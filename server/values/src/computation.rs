//! Maps resolved instructions to computations.
//!
//! Only this file maps families of instructions.

use crate::multimem::{Accumulate, Reduction};
use crate::ops::{AccessedSpace, Operation, Subnormals, UnsupportedOperation};
use crate::value::Shape;
use isa::ResolvedInstruction;
use isa::types::{Op, Type};
use std::fmt;

/// The computation of an instruction, which can be applied to any number of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computation {
    /// `atom` and `red`: one value in memory is updated.
    Update {
        /// The update.
        operation: Operation,
        /// Whether the old value is returned, as `atom` does.
        returns: bool,
    },
    /// `multimem.ld_reduce`: the replicas are reduced into the destination.
    Load(Reduction),
    /// `multimem.red`: every replica is updated.
    UpdateAll(Reduction),
    /// `multimem.st`: every replica becomes operand b.
    StoreAll(Shape),
}

/// Why an instruction cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputationError {
    /// Its family is not supported: it is not an atomic on one location.
    Family(&'static str),
    /// It has no type, no operation, or more lanes than fit into 128 bits.
    Incomplete,
    /// Its operation is not defined for its type.
    UnsupportedOperation(UnsupportedOperation),
    /// It requires global memory, but its address is stated to be in shared memory.
    GlobalOnly,
}

impl fmt::Display for ComputationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Family(name) => write!(f, "evaluation of `{name}` is not supported"),
            Self::Incomplete => write!(f, "incomplete instruction: missing type or operation"),
            Self::UnsupportedOperation(unsupported) => unsupported.fmt(f),
            Self::GlobalOnly => write!(f, "vectors and multimem require global memory"),
        }
    }
}

impl std::error::Error for ComputationError {}

/// The class of computation of a family.
#[derive(Clone, Copy)]
enum ComputationRule {
    Update { returns: bool },
    Load,
    UpdateAll,
    StoreAll,
}

impl ComputationRule {
    fn of(family: &str) -> Option<Self> {
        Some(match family {
            "atom" => Self::Update { returns: true },
            "red" => Self::Update { returns: false },
            "multimem.ld_reduce" => Self::Load,
            "multimem.red" => Self::UpdateAll,
            "multimem.st" => Self::StoreAll,
            _ => return None,
        })
    }
}

impl Computation {
    /// Whether the instructions of a family, such as `multimem.red`, can be computed.
    pub fn covers(family: &str) -> bool {
        ComputationRule::of(family).is_some()
    }

    /// The computation of a legal instruction; `generic` is the space of its address if it names none.
    ///
    /// # Errors
    /// [`ComputationError`] if it is not supported.
    pub fn of(instruction: &ResolvedInstruction, generic: AccessedSpace) -> Result<Self, ComputationError> {
        let family = instruction.family.name;
        let rule = ComputationRule::of(family).ok_or(ComputationError::Family(family))?;
        let shape = instruction.ty.and_then(|ty| Shape::new(ty, instruction.lanes.into()));
        let (shape, op) =
            (shape.ok_or(ComputationError::Incomplete)?, instruction.op.ok_or(ComputationError::Incomplete));
        let location = AccessedSpace::of(instruction.space.value, generic);
        if location == AccessedSpace::Shared && (shape.vector() > 1 || family.starts_with("multimem.")) {
            return Err(ComputationError::GlobalOnly);
        }
        let reduction =
            |accumulate| Reduction::new(op?, shape, accumulate).map_err(ComputationError::UnsupportedOperation);
        match rule {
            ComputationRule::Update { returns } => {
                let operation = Operation::new(op?, shape, Subnormals::of(instruction.noftz), location);
                let operation = operation.map_err(ComputationError::UnsupportedOperation)?;
                Ok(Self::Update { operation, returns })
            }
            ComputationRule::Load => Ok(Self::Load(reduction(match instruction.acc {
                Some(Type::F16) => Accumulate::F16,
                Some(Type::F32) => Accumulate::F32,
                _ => Accumulate::Element,
            })?)),
            ComputationRule::UpdateAll => Ok(Self::UpdateAll(reduction(Accumulate::Element)?)),
            ComputationRule::StoreAll => Ok(Self::StoreAll(shape)),
        }
    }

    /// The shape of the values in memory and of the operands.
    pub const fn shape(self) -> Shape {
        match self {
            Self::Update { operation, .. } => operation.shape(),
            Self::Load(reduction) | Self::UpdateAll(reduction) => reduction.shape(),
            Self::StoreAll(shape) => shape,
        }
    }

    /// Whether there is an operand b.
    pub const fn takes_b(self) -> bool {
        !matches!(self, Self::Load(_))
    }

    /// Whether there is an operand c: only cas has one.
    pub fn takes_c(self) -> bool {
        matches!(self, Self::Update { operation, .. } if operation.op() == Op::Cas)
    }

    /// Whether memory has a replica per device.
    pub const fn has_replicas(self) -> bool {
        !matches!(self, Self::Update { .. })
    }

    /// Memory and destination of a single value or replica. The fast path: bit patterns without notes.
    ///
    /// Unused operands are ignored.
    #[inline]
    pub fn apply(self, memory: u128, b: u128, c: u128) -> (u128, Option<u128>) {
        match self {
            Self::Update { operation, returns } => (operation.apply(memory, b, c), returns.then_some(memory)),
            Self::Load(_) => (memory, Some(memory)),
            Self::UpdateAll(reduction) => (reduction.apply(memory, b), None),
            Self::StoreAll(_) => (b, None),
        }
    }
}
