//! What threads have read before they write: what load buffering would turn around.

use crate::load_buffering::earlier_reads::{EarlierReads, PassedReads, ThreadKey};
use crate::load_buffering::read_values::ReadDependencies;
use crate::load_buffering::value_dependent_writes::ValueDependentWriteLog;
use std::collections::BTreeMap;

/// The reads of threads, and what they may have decided about.
#[derive(Clone, Debug, Default)]
pub struct ReadLogs {
    /// The strong reads of each thread that a later write may be executed before.
    pub earlier: EarlierReads,
    /// The reads of each thread before its barriers, arrivals, copies and sequential fences, in their order.
    pub passed: BTreeMap<ThreadKey, Vec<PassedReads>>,
    /// What is computed from strong reads.
    pub dependencies: ReadDependencies,
    /// What strong reads may have decided about.
    pub decided: ValueDependentWriteLog,
}
