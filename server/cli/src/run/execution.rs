//! The execution that `check` shows: as text, as JSON, and as a picture in a file.

use super::PreparedKernel;
use super::report::number;
use crate::write::write_file;
use emulator::Value;
use emulator::machine::{FoundProblem, Verification};
use evaluation::graph::PictureFormat;
use evaluation::kernel::execution::{ExecutionSource, KernelEdge, KernelEvent, KernelExecution};
use evaluation::kernel::step_access::StepAccess;
use serde_json::{Value as Json, json};
use std::path::Path;

/// The execution that leads to a problem.
pub fn of_problem(found: &FoundProblem, prepared: &PreparedKernel) -> KernelExecution {
    KernelExecution::of_problem(found, source(prepared))
}

fn source(prepared: &PreparedKernel) -> ExecutionSource<'_> {
    ExecutionSource { file: &prepared.snapshot.file, kernel: &prepared.kernel, memory: &prepared.memory }
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
    json!({
        "events": execution.events.iter().map(event).collect::<Vec<_>>(),
        "relations": execution.edges.iter().map(edge).collect::<Vec<_>>(),
        "leftOut": execution.left_out,
    })
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
    pub fn write(&self, found: &Verification, prepared: &PreparedKernel) -> Result<(), String> {
        let execution = match found.problems.first() {
            Some(first) => of_problem(first, prepared),
            None => KernelExecution::of(&found.example, None, source(prepared)),
        };
        let name = &prepared.kernel.program.functions[prepared.kernel.index].name;
        let picture = execution.graph(name).picture(self.format);
        let failed = |error| format!("cannot write {}: {error}", self.path.display());
        write_file(self.path, picture.as_bytes()).map_err(failed)
    }
}
