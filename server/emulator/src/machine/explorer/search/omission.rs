//! Why a verification is not about all executions.

/// Why executions with load buffering are not ruled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferingReason {
    /// What is written, or where, may depend on the reads.
    DecidesWrites,
    /// With other values of the reads, a search finds a possible problem.
    PossibleProblem,
    /// The searches with other values of the reads have reached their bounds.
    Bound,
}

/// Why a verification ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The bound on states.
    States,
    /// The bound on the combinations of values that the elements of one access may have.
    Choices,
    /// The bound on the memories that a kernel may leave to a later one.
    Memories,
    /// The bound on instructions of an execution.
    Instructions,
    /// Some rounds of loops that wait and count were left out, and without them some executions do not end.
    Waits,
    /// Nothing orders changes of what is allocated in tensor memory, or uses of it after them, and one order was explored.
    Allocations,
    /// A part of a warpgroup multiplies alone, and one order of what it does and the others do was explored.
    Warpgroups,
    /// A thread writes again and again what others may read, all of it at any later time.
    Writes,
    /// Executions with load buffering may exist, and no search has ruled out that they have a problem.
    LoadBuffering,
    /// Strong accesses of this kernel and of an earlier one that it overlaps are not ordered; one order was explored.
    Overlap,
    /// The kernel accesses memory, and no execution of the launch does.
    NoAccess,
    /// Problems were found, and many more states have not shown another one.
    AfterProblem,
    /// It was cancelled.
    Cancelled,
}

impl Unfinished {
    /// Its name in results.
    pub const fn code(self) -> &'static str {
        match self {
            Self::States => "states",
            Self::Choices => "choices",
            Self::Memories => "memories",
            Self::Instructions => "instructions",
            Self::Waits => "waits",
            Self::Allocations => "allocations",
            Self::Warpgroups => "warpgroups",
            Self::Writes => "writes",
            Self::LoadBuffering => "load-buffering",
            Self::Overlap => "overlap",
            Self::NoAccess => "no-access",
            Self::AfterProblem => "after-problem",
            Self::Cancelled => "time",
        }
    }
}
