//! One value for what is wrong with a text, what a rule is, and the settings that decide which diagnostics are shown. Nothing here knows how a
//! diagnostic is found.

mod cause;
pub mod config;
mod context;
mod diagnostic;
mod fix;
pub mod registry;
mod rule;
mod settings;
mod severity;
mod snapshot;
mod suggest;
pub mod suppressions;
pub mod targets;

pub use cause::{Cause, TargetSource};
pub use context::Context;
pub use diagnostic::{Diagnostic, Related};
pub use fix::{Applicability, Edit, Fix, applicability, insert, remove, replace};
pub use rule::{Preset, Rule, Subject, Tag};
pub use settings::{RuleLevel, Settings};
pub use severity::Severity;
pub use snapshot::Snapshot;
pub use suggest::{did_you_mean, suggest};
pub use suppressions::SuppressedDiagnostic;

/// What a check gives: nothing to say, or the one cause.
pub type Verdict<T = ()> = Result<T, Diagnostic>;
