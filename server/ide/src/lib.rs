//! The features of editors and the command line. Each is a pure function of an immutable snapshot.

pub mod batch;
pub mod evaluate;
pub mod explain;
pub mod features;
mod ide;
mod inline_asm;
mod litmus;
pub mod module_diff;
mod opcode_completion;
mod sass;
mod text;

pub use features::Hover;
pub use ide::Ide;
pub use opcode_completion::{OpcodeCompletion, OpcodeCompletionKind};
pub use text::{LintText, Text};
