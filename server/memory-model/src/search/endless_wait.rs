//! How threads wait without end.

/// How a thread waits without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndlessWait {
    /// In a loop. Its execution has two equal iterations, and the second stands for all that follow.
    Loop {
        /// The first event of the first iteration, in the numbering of the execution. Events of other threads may be between.
        first: usize,
        /// The first event of the second iteration.
        second: usize,
    },
    /// At a barrier, or for operations of a thread that waits without end, too.
    At {
        /// The end of the wait, which is never reached.
        event: usize,
    },
}
