//! The engine: findings, hover and completion as pure functions of an immutable [`Snapshot`].
//!
//! Knows PTX text and the capability tables. Must not know files, protocols, threads or clocks; its answers are total and in a fixed order.

pub mod batch;
mod checker;
mod completion;
pub mod config;
pub mod evaluate;
pub mod explain;
pub mod features;
mod finding;
mod hover;
mod module;
pub mod rules;
mod snapshot;

pub use checker::Checker;
pub use completion::{Completion, CompletionKind, complete};
pub use emulator::{Location, Value};
pub use finding::{Edit, Finding, Fix, Related, Severity};
pub use hover::{Hover, hover};
pub use snapshot::{Settings, Snapshot};
pub use syntax::SourceFile;
