//! Executions that are not defined.

use crate::relations::execution::Execution;

/// An execution with a data race.
#[derive(Clone, Debug)]
pub struct DataRace {
    /// The execution.
    pub execution: Execution,
    /// The indices of the two accesses.
    pub accesses: [usize; 2],
}

/// An execution that is not defined.
#[derive(Clone, Debug)]
pub enum UndefinedExecution {
    /// It has a data race.
    Race(Box<DataRace>),
    /// A thread reads the initial value of memory that nothing has written.
    UndefinedRead,
}
