//! `textDocument/codeLens`, and the command of the lenses.

use super::{kernel_check, kernel_run};
use crate::document_snapshot::DocumentSnapshot;
use serde_json::{Value, json};
use tower_lsp::ls_types as lsp;

/// The command that evaluates an atomic. Its argument is `{uri, position, input}`, and `inputs` with further suggestions.
pub const COMMAND: &str = "ptxAtomics.evaluate";

/// A lens on every atomic that can be evaluated, and on every kernel for clients that ask for it.
pub fn code_lens(snapshot: &DocumentSnapshot) -> Vec<lsp::CodeLens> {
    let lens = |lens: ide::features::EvaluationLens| {
        let range = snapshot.range(&lens.range);
        let input = lens.inputs.first().cloned().unwrap_or_default();
        let arguments = json!({"uri": snapshot.uri, "position": range.start, "input": input, "inputs": lens.inputs});
        let command = lsp::Command {
            title: format!("Evaluate {input}"),
            command: COMMAND.to_owned(),
            arguments: Some(vec![arguments]),
        };
        lsp::CodeLens { range, command: Some(command), data: None }
    };
    let runs = snapshot.features.kernel_runs.then(|| kernel_run::launch_lenses(snapshot)).into_iter().flatten();
    let checks = snapshot.features.kernel_checks.then(|| kernel_check::check_lenses(snapshot)).into_iter().flatten();
    snapshot.source.evaluation_lenses().into_iter().map(lens).chain(runs).chain(checks).collect()
}

/// Arguments of the command.
pub struct EvaluationQuestion {
    /// The document.
    pub uri: lsp::Uri,
    position: lsp::Position,
    input: String,
}

impl EvaluationQuestion {
    /// Parses the command's arguments; `None` if they are invalid.
    pub fn read(arguments: &[Value]) -> Option<Self> {
        let argument = arguments.first()?;
        Some(EvaluationQuestion {
            uri: argument.get("uri")?.as_str()?.parse().ok()?,
            position: serde_json::from_value(argument.get("position")?.clone()).ok()?,
            input: argument.get("input")?.as_str()?.to_owned(),
        })
    }

    /// The result in one line, or an error message.
    pub fn answer(&self, snapshot: &DocumentSnapshot) -> Result<String, String> {
        snapshot.source.evaluate_here(snapshot.offset(self.position), &self.input)
    }
}
