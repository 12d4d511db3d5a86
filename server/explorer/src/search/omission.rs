//! What a verification has left out.

/// Why executions with load buffering are not ruled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BufferingReason {
    /// What is written, or where, may depend on the reads.
    DecidesWrites,
    /// With other values of the reads, a search finds a possible problem.
    PossibleProblem,
    /// The searches with other values of the reads have reached their bounds.
    Bound,
}

/// A reason why a verification is not about all executions. The first of several is the one that is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
    /// Problems were found, and many more states have not shown another one.
    AfterProblem,
    /// The bound on states.
    States,
    /// The bound on the combinations of values that the elements of one access may have.
    Choices,
    /// A thread writes again and again what others may read, all of it at any later time.
    Writes,
    /// The bound on the memories that a kernel may leave to a later one.
    Memories,
    /// It was cancelled.
    Cancelled,
    /// The bound on instructions of an execution.
    Instructions,
    /// Some rounds of loops that wait and count were left out, and without them some executions do not end.
    Waits,
    /// Nothing orders changes of what is allocated in tensor memory, or uses of it after them, and one order was explored.
    Allocations,
    /// A part of a warpgroup multiplies alone, and one order of what it does and the others do was explored.
    Warpgroups,
    /// Strong accesses of this kernel and of an earlier one that it overlaps are not ordered; one order was explored.
    Overlap,
    /// Executions with load buffering may exist, and no search has ruled out that they have a problem.
    LoadBuffering(BufferingReason),
    /// The kernel accesses memory, and no execution of the launch does.
    NoAccess,
    /// Rounds of loops that wait and count, beyond the bound, or the times that a clock may show. Every execution ends without them.
    WaitRounds,
    /// Sequences of reads of values that are written again and again.
    ReadSequences,
    /// Groups of lanes that could have executed `activemask` together.
    LaneGroups,
    /// Executions with load buffering, which nobody looked at, as the launch has problems anyway, or which another omission tells of.
    BufferedExecutions,
}

impl Omission {
    /// Its name in results.
    pub const fn code(self) -> &'static str {
        match self {
            Self::AfterProblem => "after-problem",
            Self::States => "states",
            Self::Choices => "choices",
            Self::Writes => "writes",
            Self::Memories => "memories",
            Self::Cancelled => "time",
            Self::Instructions => "instructions",
            Self::Waits => "waits",
            Self::Allocations => "allocations",
            Self::Warpgroups => "warpgroups",
            Self::Overlap => "overlap",
            Self::LoadBuffering(_) | Self::BufferedExecutions => "load-buffering",
            Self::NoAccess => "no-access",
            Self::WaitRounds => "wait-rounds",
            Self::ReadSequences => "read-sequences",
            Self::LaneGroups => "lane-groups",
        }
    }

    /// Whether a launch without problems is not proved because of it. The others leave a proof incomplete, which says so.
    pub const fn leaves_open(self) -> bool {
        match self {
            Self::WaitRounds | Self::ReadSequences | Self::BufferedExecutions | Self::LaneGroups => false,
            Self::AfterProblem
            | Self::States
            | Self::Choices
            | Self::Writes
            | Self::Memories
            | Self::Cancelled
            | Self::Instructions
            | Self::Waits
            | Self::Allocations
            | Self::Warpgroups
            | Self::Overlap
            | Self::LoadBuffering(_)
            | Self::NoAccess => true,
        }
    }
}
