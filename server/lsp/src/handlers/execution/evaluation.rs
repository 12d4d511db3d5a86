//! `textDocument/codeLens`, and the command of the lenses.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers::execution::{kernel_check, kernel_run};
use ide::features::LaunchLens;
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
    snapshot.source.evaluation_lenses().into_iter().map(lens).chain(kernel_lenses(snapshot)).collect()
}

/// Lenses on every kernel: to run it with a launch that could be meant, and to check it with a small one.
fn kernel_lenses(snapshot: &DocumentSnapshot) -> Vec<lsp::CodeLens> {
    let features = &snapshot.features;
    if !features.kernel_runs && !features.kernel_checks {
        return Vec::new();
    }
    let kernels = snapshot.source.launch_lenses();
    let lens = |title: &str, command: &str, kernel: &LaunchLens, launch: &str| {
        let arguments = json!({"uri": snapshot.uri, "kernel": kernel.kernel, "launch": launch});
        let (title, command) = (title.to_owned(), command.to_owned());
        let command = lsp::Command { title, command, arguments: Some(vec![arguments]) };
        lsp::CodeLens { range: snapshot.range(&kernel.range), command: Some(command), data: None }
    };
    let run = |kernel: &LaunchLens| lens("Run", kernel_run::COMMAND, kernel, &kernel.launch);
    let check = |kernel: &LaunchLens| lens("Check", kernel_check::COMMAND, kernel, &kernel.check);
    let runs = kernels.iter().filter(|_| features.kernel_runs).map(run);
    runs.chain(kernels.iter().filter(|_| features.kernel_checks).map(check)).collect()
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
