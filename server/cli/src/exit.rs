//! Exit codes, and fatal errors.

use crate::output;
use std::fmt::Display;
use std::process::ExitCode;

/// The result of a command; the maximum counts if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// No error found.
    Clean,
    /// A search limit was reached.
    Undecided,
    /// At least one error found.
    Errors,
    /// Something could not be read or done.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Clean => 0,
            Exit::Errors => 1,
            Exit::Failed => 2,
            Exit::Undecided => 3,
        })
    }
}

/// Prints an error to standard error, in one line.
pub fn fail(reason: impl Display) -> Exit {
    output::say(&format!("ptx-atomics: {reason}"));
    Exit::Failed
}

/// Prints a warning to standard error, in one line. It is no reason to fail.
pub fn warn(reason: impl Display) -> Exit {
    output::say(&format!("ptx-atomics: warning: {reason}"));
    Exit::Clean
}

/// Prints several errors to standard error, each in one line.
pub fn fail_all(reasons: Vec<String>) -> Exit {
    reasons.into_iter().map(fail).max().unwrap_or(Exit::Failed)
}

/// The reason why a command that only shipped programs have fails in this build, and how to get it.
#[cfg(not(feature = "dist"))]
pub fn missing_in_this_build(command: &str) -> String {
    format!(
        "this build has no `{command}`; build one that has: cargo install --profile dist --features dist --path server/cli"
    )
}
