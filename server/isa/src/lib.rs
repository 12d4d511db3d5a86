//! The capability tables of PTX.
//!
//! Which forms exist, since which PTX version and target, and what each modifier means. Depends on std alone. The rows of `tables/` list the
//! legal combinations; everything else here is derived from them.

mod complete;
pub mod coverage;
mod diagnose;
pub mod directives;
mod distance;
pub mod doc;
mod form;
mod form_doc;
mod fragment;
pub mod glossary;
pub mod header;
pub mod lowering;
mod matching;
pub mod names;
mod narrowing;
mod opcode;
mod operand_class;
mod operand_doc;
mod operand_syntax;
mod reason;
pub mod reference;
mod resolve;
mod row_syntax;
mod rows;
pub mod sass;
mod since;
pub mod special;
mod spelling;
mod table;
pub mod target;
pub mod types;
pub mod unchecked;
pub mod vocabulary;
mod word_set;

pub use complete::{Candidate, complete, usage};
pub use distance::closest;
pub use form::{AddressAlignment, Family, Form, OperandList, OperandSpec, Role};
pub use opcode::opcode_of;
pub use operand_class::{
    ControlClass, CopyClass, IntegerSet, LaneCount, MatrixClass, MoveClass, OperandClass, SynchronizationClass,
    TextureClass, VideoClass,
};
pub use reason::{Raise, Reason, ReasonCode, Requires, SpellingEdit, SpellingFix};
pub use resolve::{GivenModifier, Resolution, ResolvedInstruction, is_legal, matching_rows, resolve};
pub use since::{Since, Until};
pub use spelling::Spelling;
pub use table::{families, family, mnemonics, only_computes, opcodes};
pub use target::Module;
