//! Diagnostics, the registry of rules, suppressions, and the settings that
//! select diagnostics.

mod cause;
pub mod config;
mod context;
mod diagnostic;
mod fix;
pub mod registry;
mod rule;
mod setting_origin;
mod settings;
mod severity;
mod snapshot;
mod suggest;
mod suppression_fixes;
pub mod suppressions;
pub mod targets;

pub use cause::{Cause, ModuleSources, TargetSource};
pub use context::Context;
pub use diagnostic::{Diagnostic, Related};
pub use fix::{Applicability, Edit, Fix, applicability, insert, remove, replace};
pub use rule::{Preset, Rule, Subject, Tag};
pub use setting_origin::{OriginFile, OriginPlace, SettingOrigin, SettingOrigins};
pub use settings::{RuleLevel, Settings};
pub use severity::Severity;
pub use snapshot::Snapshot;
pub use suggest::{did_you_mean, suggest};
pub use suppression_fixes::CommentPlaces;
pub use suppressions::SuppressedDiagnostic;

/// The result of a check that reports at most one diagnostic.
pub type CheckResult<T = ()> = Result<T, Diagnostic>;
