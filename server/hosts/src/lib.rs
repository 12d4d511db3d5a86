//! The supported languages, and PTX inside other languages: the text of an `asm` statement, its operands, and the source map to
//! the host text.

pub mod cpp;
mod language;

pub use language::{HEAD, Language};
