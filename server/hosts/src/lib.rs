//! The supported languages, and PTX inside other languages: the text of a statement of inline assembly, its operands, and the source map to
//! the host text.

mod braces;
pub mod cpp;
mod documents;
mod escapes;
pub mod inline_asm;
mod language;
mod llvm;
pub mod python;
mod tokens;

pub use language::{HEAD, Language};
