//! `ptxAtomics/executions`, an extension of the protocol: the executions of the litmus test at a position.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::work::CancelFlag;
use litmus::{ExecutionVerdict, ShownExecution};
use serde_json::{Value, json};
use tower_lsp::ls_types as lsp;

/// `{name, summary, range, decisive, executions}`; of each execution `{outcome, claimed, forbidden, problem, svg, text}`, where `forbidden` names the axiom
/// and `problem` says whether it refutes the kernel.
pub fn executions(snapshot: &DocumentSnapshot, position: lsp::Position, cancel: &CancelFlag) -> Option<Value> {
    let found = snapshot.source.executions(snapshot.offset(position), &|| cancel.is_cancelled())?;
    let one = |shown: &ShownExecution| {
        let forbidden = match &shown.verdict {
            ExecutionVerdict::Forbidden(axiom) => Some(axiom),
            ExecutionVerdict::Allowed | ExecutionVerdict::Problem => None,
        };
        json!({
            "outcome": shown.outcome,
            "claimed": shown.claimed,
            "forbidden": forbidden,
            "problem": shown.verdict == ExecutionVerdict::Problem,
            "svg": shown.svg,
            "text": shown.text,
        })
    };
    let executions: Vec<Value> = found.shown.iter().map(one).collect();
    Some(json!({
        "name": found.name,
        "summary": found.summary,
        "range": snapshot.range(&found.range),
        "decisive": found.decisive,
        "executions": executions,
    }))
}
