//! What editors and the command line ask of a text: each answer is a pure function of an immutable snapshot.

pub mod batch;
mod completion;
mod cpp;
pub mod evaluate;
pub mod explain;
pub mod features;
mod ide;
mod litmus;
mod sass;
mod text;

pub use completion::{Completion, CompletionKind};
pub use features::Hover;
pub use ide::Ide;
pub use text::{LintText, Text};
