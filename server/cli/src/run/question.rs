//! What `check` answers about a kernel.

use crate::exit::Exit;
use explorer::Omission;

/// What is known about all executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelVerdict {
    /// None has a problem.
    Proved,
    /// One has a problem.
    Refuted,
    /// Not all were explored.
    Unknown,
}

impl KernelVerdict {
    /// What so many problems and a search say.
    pub const fn new(problems: usize, unfinished: Option<Omission>) -> Self {
        match unfinished {
            _ if problems > 0 => Self::Refuted,
            Some(_) => Self::Unknown,
            None => Self::Proved,
        }
    }

    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
        }
    }

    /// The exit code.
    pub const fn exit(self) -> Exit {
        match self {
            Self::Proved => Exit::Clean,
            Self::Refuted => Exit::Errors,
            Self::Unknown => Exit::Undecided,
        }
    }
}
