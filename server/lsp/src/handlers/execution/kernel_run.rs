//! `ptxAtomics.run`: runs a kernel of a document, and returns what it did line by line.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers::source_lines::sources_of;
use ide::features::RunOfKernel;
use kernel::arguments::argument_values::values;
use kernel::reports::profile::{InstructionProfile, LaunchProfile, Problem, ProfiledBuffer};
use serde_json::{Value, json};
use std::ops::Range;
use tower_lsp::ls_types as lsp;

/// The command. Its argument is `{uri, kernel, launch, thread}`: the launch as in `//! run` after the name of the kernel, and the thread
/// `{cta, thread}` whose registers are returned, the first one by default.
pub const COMMAND: &str = "ptxAtomics.run";

/// The most elements of a buffer that are returned.
const MAX_ELEMENTS: usize = 4096;

/// Arguments of the command.
pub struct LaunchQuestion {
    /// The document.
    pub uri: lsp::Uri,
    run: RunOfKernel,
}

impl LaunchQuestion {
    /// Parses the command's arguments; `None` if they are invalid.
    pub fn read(arguments: &[Value]) -> Option<Self> {
        let argument = arguments.first()?;
        let text = |name: &str| argument.get(name)?.as_str().map(str::to_owned);
        let number = |name: &str| {
            let number = argument.get("thread").and_then(|thread| thread.get(name)).and_then(Value::as_u64);
            number.unwrap_or_default().try_into().ok()
        };
        Some(Self {
            uri: text("uri")?.parse().ok()?,
            run: RunOfKernel {
                kernel: text("kernel")?,
                launch: text("launch")?,
                thread: [number("cta")?, number("thread")?],
            },
        })
    }

    /// What the run did, or an error message.
    pub fn answer(&self, snapshot: &DocumentSnapshot, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Value, String> {
        let profile = snapshot.source.run_kernel(&self.run, cancelled)?;
        Ok(json!({
            "kernel": self.run.kernel,
            "launch": self.run.launch,
            "thread": {"cta": self.run.thread[0], "thread": self.run.thread[1]},
            "instructions": profile.executed,
            "output": String::from_utf8_lossy(&profile.output),
            "problems": problems(&profile, snapshot),
            "memory": profile.buffers.iter().map(buffer).collect::<Vec<_>>(),
            "lines": profile.instructions.iter().map(|(range, one)| instruction(range, one, snapshot)).collect::<Vec<_>>(),
        }))
    }
}

fn problems(profile: &LaunchProfile, snapshot: &DocumentSnapshot) -> Vec<Value> {
    let kernel = &profile.kernel;
    let problem = |problem: &Problem| {
        json!({
            "code": problem.kind.code(),
            "message": kernel.problem_message(problem),
            "range": snapshot.range(&kernel.range(problem.place)),
            "sources": sources_of(snapshot, &kernel.range(problem.place)),
            "thread": {"cta": problem.thread.cta, "thread": problem.thread.thread},
            "count": problem.count,
        })
    };
    profile.problems.iter().map(problem).collect()
}

/// The elements before and after, and the indices of those that differ.
fn buffer(buffer: &ProfiledBuffer) -> Value {
    let texts = |bytes: &[u8]| -> Vec<String> {
        values(bytes, buffer.shape).take(MAX_ELEMENTS).map(|value| value.to_string()).collect()
    };
    let (before, after) = (texts(&buffer.before), texts(&buffer.after));
    let changed: Vec<usize> = (0..before.len()).filter(|at| before[*at] != after[*at]).collect();
    json!({
        "name": buffer.name,
        "type": buffer.shape.element().name(),
        "length": buffer.before.len() / buffer.shape.bytes() as usize,
        "before": before,
        "after": after,
        "changed": changed,
    })
}

fn instruction(range: &Range<usize>, profile: &InstructionProfile, snapshot: &DocumentSnapshot) -> Value {
    let registers: Vec<Value> =
        profile.registers.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    let contention = profile.contention.map(|one| {
        json!({
            "executions": one.executions,
            "accesses": one.accesses,
            "mostLanes": one.most_lanes,
            "transactions": one.transactions,
            "heat": one.heat(),
        })
    });
    json!({
        "range": snapshot.range(range),
        "executions": profile.executions,
        "threads": profile.threads,
        "divergent": profile.divergent,
        "contention": contention,
        "registers": registers,
    })
}
