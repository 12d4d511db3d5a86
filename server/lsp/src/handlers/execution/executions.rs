//! `ptxAtomics/executions`, an extension of the protocol: the executions of the litmus test at a position.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::work::CancelFlag;
use serde_json::{Value, json};
use tower_lsp::ls_types as lsp;

/// `{name, summary, range, decisive, executions}`; of each execution `{outcome, claimed, forbidden, svg, text}`, where `forbidden` names the axiom.
pub fn executions(snapshot: &DocumentSnapshot, position: lsp::Position, cancel: &CancelFlag) -> Option<Value> {
    let found = snapshot.source.executions(snapshot.offset(position), &|| cancel.is_cancelled())?;
    let one = |shown: &litmus::ShownExecution| {
        json!({
            "outcome": shown.outcome,
            "claimed": shown.claimed,
            "forbidden": shown.forbidden,
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
