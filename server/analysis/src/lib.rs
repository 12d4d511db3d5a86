//! The engine: what is asked of a text is a pure function of an immutable [`Source`]; of PTX, that is a [`Snapshot`].
//!
//! Knows PTX and SASS text and the capability tables. Must not know files, protocols, threads or clocks; its answers are total and in a fixed order.

mod allow;
pub mod batch;
mod checker;
mod completion;
pub mod config;
mod coverage;
mod cuda;
pub mod diagnostics;
pub mod evaluate;
pub mod explain;
pub mod features;
mod flow;
mod interest;
mod language;
pub mod litmus;
mod lowering;
mod module;
mod ptx;
mod rules;
mod sass;
mod snapshot;
mod source;
mod suggest;
mod summary;
mod targets;
mod text;
mod words;

pub use allow::Suppressed;
pub use checker::Checker;
pub use completion::{Completion, CompletionKind, complete};
pub use coverage::Coverage;
pub use diagnostics::{Applicability, Diagnostic, Edit, Fix, Preset, Related, Rule, Severity, Tag};
pub use emulator::{Location, Value};
pub use features::{Hover, hover};
pub use language::Language;
pub use snapshot::{Level, Settings, Snapshot};
pub use source::Source;
pub use suggest::suggest;
pub use syntax::{Position, Rope, SourceFile};
pub use text::Text;
