//! Which languages there are, and PTX inside other languages: the text that an `asm` statement stands for, its operands, and where in the host text each
//! byte of it is written.

pub mod cpp;
mod language;

pub use language::{HEAD, Language};
