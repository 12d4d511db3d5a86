//! `ptxAtomics.check`: checks every execution of a launch of a kernel of a document.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers::source_lines::sources_of;
use evaluation::launches::{LaunchProblem, LaunchRelated};
use ide::features::CheckVerdict;
use serde_json::{Value, json};
use tower_lsp::ls_types as lsp;

/// The command. Its argument is `{uri, kernel, launch}`: the launch as in `//! check` after the name of the kernel.
pub const COMMAND: &str = "ptxAtomics.check";

/// Arguments of the command.
pub struct CheckRequest {
    /// The document.
    pub uri: lsp::Uri,
    kernel: String,
    launch: String,
}

impl CheckRequest {
    /// Parses the command's arguments; `None` if they are invalid.
    pub fn read(arguments: &[Value]) -> Option<Self> {
        let argument = arguments.first()?;
        let text = |name: &str| argument.get(name)?.as_str().map(str::to_owned);
        Some(Self { uri: text("uri")?.parse().ok()?, kernel: text("kernel")?, launch: text("launch")? })
    }

    /// The verdict and the problems with the steps that lead to each, or an error message.
    pub fn answer(&self, snapshot: &DocumentSnapshot, cancelled: &dyn Fn() -> bool) -> Result<Value, String> {
        let found = snapshot.source.check_kernel(&self.kernel, &self.launch, cancelled)?;
        let (verdict, problems, reason) = match &found.verdict {
            CheckVerdict::Proved => ("proved", &[][..], ""),
            CheckVerdict::Refuted(problems) => ("refuted", &problems[..], ""),
            CheckVerdict::Unknown(reason) => ("unknown", &[][..], reason.as_str()),
        };
        Ok(json!({
            "kernel": self.kernel,
            "launch": self.launch,
            "verdict": verdict,
            "reason": reason,
            "problems": problems.iter().map(|one| problem(one, snapshot)).collect::<Vec<_>>(),
            "notes": found.notes.iter().map(|one| problem(one, snapshot)).collect::<Vec<_>>(),
        }))
    }
}

fn problem(problem: &LaunchProblem, snapshot: &DocumentSnapshot) -> Value {
    let related = |LaunchRelated { range, message, .. }: &LaunchRelated| json!({"range": snapshot.range(range), "message": message});
    json!({
        "range": snapshot.range(&problem.range),
        "message": problem.message,
        "sources": sources_of(snapshot, &problem.range),
        "related": problem.related.iter().map(related).collect::<Vec<_>>(),
    })
}
