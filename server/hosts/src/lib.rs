//! The supported languages, and PTX inside other languages: the text of a statement of inline assembly, its operands, and the source map to
//! the host text.

pub mod cpp;
pub mod inline_asm;
mod language;
mod llvm;
pub mod python;

pub use language::{HEAD, Language};
