//! Exit codes, and the one way to say why the job could not be done.

use crate::output;
use std::fmt::Display;
use std::process::ExitCode;

/// How a command ended; the worse wins when several ends meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done, and no error found.
    Clean,
    /// Done, and something could not be decided.
    Undecided,
    /// Done, and at least one error found.
    Errors,
    /// The job could not be done.
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

/// Says on standard error why something could not be done, in one line.
pub fn fail(reason: impl Display) -> Exit {
    output::say(&format!("ptx-atomics: {reason}"));
    Exit::Failed
}
