//! What `check` asks about a kernel, and the answer.

use crate::exit::Exit;
use emulator::machine::{GlobalMemory, ProvedExample, Unfinished, VerificationBounds};

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
    pub const fn new(problems: usize, unfinished: Option<Unfinished>) -> Self {
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

/// What is asked about a kernel.
pub struct CheckQuestion<'q> {
    /// The bounds.
    pub bounds: VerificationBounds,
    /// What does not hold at the end of an execution.
    pub claims: &'q dyn Fn(&GlobalMemory) -> Vec<String>,
    /// Whether the time is over.
    pub is_late: &'q dyn Fn() -> bool,
    /// Whether an execution of a proved stream is shown.
    pub example: ProvedExample,
}
