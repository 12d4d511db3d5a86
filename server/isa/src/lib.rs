//! The capability tables of PTX atomics.
//!
//! Knows which forms exist, since which PTX version and target, and what each modifier means. Depends on std alone;
//! must not know text positions, trees or editors. Which combinations are legal is said in the rows of `tables/`;
//! everything else here is derived from them.

mod blame;
mod complete;
pub mod doc;
mod explain;
mod form;
pub mod header;
mod likeness;
pub mod lowering;
mod matching;
pub mod names;
mod notation;
mod opcode;
pub mod others;
mod reason;
mod resolve;
mod rows;
pub mod sass;
mod since;
pub mod special;
mod spelling;
mod table;
pub mod target;
pub mod types;
pub mod vocabulary;

pub use complete::{Candidate, complete};
pub use form::{Family, Form, OperandSpec, Role};
pub use likeness::closest;
pub use reason::{Reason, ReasonCode, Requires, SpellingEdit, SpellingFix};
pub use resolve::{GivenModifier, Resolution, ResolvedInstruction, is_legal, matching_rows, resolve};
pub use since::{Since, Until};
pub use spelling::Spelling;
pub use table::{families, family, mnemonics, opcodes};
pub use target::Module;
