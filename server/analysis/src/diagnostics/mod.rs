//! One value for what is wrong with a text, and what a rule is; nothing here knows how anything is found.

mod cause;
mod diagnostic;
mod fix;
pub mod registry;
mod rule;
mod severity;

pub use cause::{Cause, TargetSource};
pub use diagnostic::{Diagnostic, Related};
pub use fix::{Applicability, Edit, Fix};
pub(crate) use fix::{applicability, insert, remove, replace};
pub use rule::{Preset, Rule, Subject, Tag};
pub use severity::Severity;

/// What a check gives: nothing to say, or the one cause.
pub(crate) type Verdict<T = ()> = Result<T, Diagnostic>;
