//! What `check` asks about a kernel, and the answer.

use super::PreparedKernel;
use crate::exit::Exit;
use emulator::machine::{
    GlobalMemory, Launch, ProvedExample, Unfinished, Verification, VerificationBounds, VerifiedLaunch, verify,
};
use evaluation::kernel::Kernel;

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
    /// What a verification says.
    pub fn of(found: &Verification) -> Self {
        Self::new(found.problems.len(), found.unfinished)
    }

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

impl CheckQuestion<'_> {
    /// Asks about a kernel, which may be another one than the prepared one, with the same parameters.
    pub fn ask(&self, kernel: &Kernel, prepared: &PreparedKernel) -> Result<Verification, String> {
        let PreparedKernel { launch, memory, .. } = prepared;
        let launch = Launch { kernel: kernel.index, ..launch.clone() };
        let asked = VerifiedLaunch {
            program: &kernel.program,
            launch: &launch,
            memory: &memory.memory,
            claims: self.claims,
            cancelled: self.is_late,
            example: ProvedExample::Hidden,
        };
        verify(asked, self.bounds).map_err(|error| error.to_string())
    }
}
