//! The capability tables of PTX.
//!
//! Which forms exist, since which PTX version and target, and what each modifier means. Depends on std alone. The rows of `tables/` list the
//! legal combinations; everything else here is derived from them.

mod pages;
mod tables;
pub use pages::{doc, glossary, reference};
mod complete;
pub mod coverage;
mod diagnose;
pub mod directives;
mod distance;
mod fragment;
mod fragment_layout;
pub mod header;
pub mod lowering;
mod matching;
mod matrix_operand;
pub mod names;
mod opcode;
mod operand_class;
mod reason;
mod resolve;
pub mod sass;
mod since;
pub mod special;
mod spelling;
pub mod target;
pub mod types;
pub mod unchecked;
pub mod vocabulary;

pub use crate::complete::{Candidate, complete, usage};
pub use crate::distance::closest;
pub use crate::fragment_layout::{ElementPosition, FragmentLayout, fragment_layout};
pub use crate::matrix_operand::{MatrixOperand, MatrixRole};
pub use crate::opcode::opcode_of;
pub use crate::operand_class::{
    ControlClass, CopyClass, IntegerSet, LaneCount, MatrixClass, MoveClass, OperandClass, SynchronizationClass,
    TextureClass, VideoClass,
};
pub use crate::reason::{Raise, Reason, ReasonCode, Requires, SpellingEdit, SpellingFix};
pub use crate::resolve::{GivenModifier, Resolution, ResolvedInstruction, is_legal, matching_rows, resolve};
pub use crate::since::{Since, Until};
pub use crate::spelling::Spelling;
pub use crate::tables::form::{AddressAlignment, Family, Form, OperandList, OperandSpec, Role};
pub use crate::tables::table::{families, family, mnemonics, only_computes, opcodes};
pub use crate::target::Module;
