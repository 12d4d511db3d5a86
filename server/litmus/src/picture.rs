//! The graphs of the executions of a litmus test.

use crate::graph::graph;
use crate::result::LitmusResult;
use crate::test::Test;
use kernel::graph::PictureFormat;
use memory_model::Execution;

/// The graphs of the executions of a result, one after the other.
pub fn pictures(source: &str, test: &Test, answer: &LitmusResult, format: PictureFormat) -> String {
    let allowed = answer.witnesses.iter().map(|(_, execution)| (execution, &[][..]));
    let forbidden = answer.counterexample.iter().map(|found| (&found.execution, &found.violation.edges[..]));
    allowed.chain(forbidden).map(|(execution, cycle)| picture(source, test, execution, cycle, format)).collect()
}

/// The graph of an execution. The edges of `cycle` are emphasised.
pub fn picture(
    source: &str,
    test: &Test,
    execution: &Execution,
    cycle: &[(usize, &'static str, usize)],
    format: PictureFormat,
) -> String {
    graph(source, test, execution, cycle).picture(format)
}
