//! `ptxAtomics/executions`, a request of our own: the executions of the litmus test at a position.

use crate::view::View;
use crate::work::Cancel;
use serde_json::{Value, json};
use tower_lsp::ls_types as lsp;

/// `{name, summary, range, decisive, executions}`; of each execution `{outcome, claimed, forbidden, svg, text}`, where `forbidden` names the axiom.
pub fn executions(view: &View, position: lsp::Position, cancel: &Cancel) -> Option<Value> {
    let found = view.source.executions(view.offset(position), &|| cancel.is_cancelled())?;
    let one = |shown: &evaluation::litmus::ShownExecution| {
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
        "range": view.range(&found.range),
        "decisive": found.decisive,
        "executions": executions,
    }))
}
