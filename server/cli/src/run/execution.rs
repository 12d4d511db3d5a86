//! The execution that `check` shows: as text, as JSON, and as a picture in a file.

use super::PreparedKernel;
use super::report::number;
use crate::write::write_file;
use explorer::FoundProblem;
use kernel::execution::{ExecutionSource, KernelEdge, KernelEvent, KernelExecution, MissingOrder, MissingReason};
use kernel::graph::PictureFormat;
use kernel::reports::step_access::StepAccess;
use kernel::stream::{StreamKernel, StreamVerification};
use serde_json::{Value as Json, json};
use std::path::Path;
use values::Value;

/// The execution that leads to a problem.
pub fn of_problem((number, found): &(usize, FoundProblem), prepared: &PreparedKernel) -> KernelExecution {
    KernelExecution::of_problem(found, source(prepared, *number))
}

fn source(prepared: &PreparedKernel, number: usize) -> ExecutionSource<'_> {
    let StreamKernel { kernel, memory, launch } = prepared.stream().swap_remove(number);
    ExecutionSource { file: &prepared.snapshot.file, kernel, memory, grid: launch.grid }
}

/// What accesses do, as JSON.
pub fn accesses_json(accesses: &[StepAccess]) -> Json {
    let access = |access: &StepAccess| {
        let values = |values: &[Value]| values.iter().copied().map(number).collect::<Vec<_>>();
        let (read, written) = (values(&access.read), values(&access.written));
        json!({ "memory": access.memory, "read": read, "written": written })
    };
    accesses.iter().map(access).collect()
}

/// An execution as JSON: its events, and how they are related by their indices.
pub fn json(execution: &KernelExecution) -> Json {
    let event = |event: &KernelEvent| {
        let KernelEvent { line, thread, instruction, accesses, column, .. } = event;
        json!({
            "line": line,
            "cta": thread.cta,
            "thread": thread.thread,
            "column": execution.columns[*column],
            "instruction": instruction,
            "accesses": accesses_json(accesses),
        })
    };
    let edge = |KernelEdge { relation, from, to }: &KernelEdge| json!({ "relation": relation, "from": from, "to": to });
    let missing =
        |one: &MissingOrder| json!({ "relation": "sync", "from": one.from, "to": one.to, "reason": reason(one) });
    let cause = execution.cause.as_ref().map(|cause| {
        let misplaced = execution.missing.iter().filter_map(|one| one.misplaced).collect::<Vec<_>>();
        json!({ "kind": cause.kind.code(), "accesses": cause.accesses, "events": cause.events, "misplaced": misplaced })
    });
    json!({
        "cause": cause,
        "events": execution.events.iter().map(event).collect::<Vec<_>>(),
        "relations": execution.edges.iter().map(edge).collect::<Vec<_>>(),
        "missing": execution.missing.iter().map(missing).collect::<Vec<_>>(),
        "leftOut": execution.left_out,
    })
}

/// The key of a reason.
const fn reason(missing: &MissingOrder) -> &'static str {
    match missing.reason {
        MissingReason::NoRelease => "no-release",
        MissingReason::NoAcquire => "no-acquire",
        MissingReason::ReleaseScope(_) | MissingReason::WriteScope(_) => "release-scope",
        MissingReason::AcquireScope(_) | MissingReason::ReadScope(_) => "acquire-scope",
    }
}

/// A picture that is written to a file, whose name says the format.
pub struct PictureFile<'p> {
    path: &'p Path,
    format: PictureFormat,
}

impl<'p> PictureFile<'p> {
    /// The picture in a file.
    pub fn new(path: &'p Path) -> Result<Self, String> {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => PictureFormat::Svg,
            Some("dot" | "gv") => PictureFormat::Dot,
            _ => {
                return Err(format!("cannot write {}: expected a name that ends in .svg, .dot or .gv", path.display()));
            }
        };
        Ok(Self { path, format })
    }

    /// Writes the execution with the first problem, or else one that ends.
    pub fn write(&self, found: &StreamVerification, prepared: &PreparedKernel) -> Result<(), String> {
        let (number, execution) = match found.problems.first() {
            Some(first) => (first.0, of_problem(first, prepared)),
            None => (found.last, KernelExecution::of(&found.total.example, None, source(prepared, found.last))),
        };
        let kernel = source(prepared, number).kernel;
        let name = &kernel.program.functions[kernel.index].name;
        let picture = execution.graph(name).picture(self.format);
        let failed = |error| format!("cannot write {}: {error}", self.path.display());
        write_file(self.path, picture.as_bytes()).map_err(failed)
    }
}
