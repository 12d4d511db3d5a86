//! The result of a run, as text and as JSON.

use super::source_places::{self, SourcePlaces};
use super::trace::RunTrace;
use super::{PreparedKernel, assumed, grids};
use crate::exit::Exit;
use crate::output::SCHEMA;
use diagnostics::Severity;
use isa::target::Target;
use kernel::HardwareAssumption;
use kernel::arguments::argument_values::values;
use kernel::arguments::launch_memory::NamedBuffer;
use kernel::stream::StreamKernel;
use machine::RunResult;
use program::{Dimensions, Problem, ThreadId};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use syntax::LintFile;
use values::{Element, Shape, Value};

/// The most elements of a buffer that the text shows.
const SHOWN_ELEMENTS: usize = 64;
/// The most lines beside its own that a problem names in text.
const OTHER_LINES: usize = 4;

/// A problem with its lines.
#[derive(Debug)]
pub struct RunProblem {
    severity: Severity,
    code: &'static str,
    message: String,
    /// The line and the column of the instruction; `None` if it is about memory afterwards.
    place: Option<(usize, usize)>,
    /// The lines of all instructions that take part, that of the instruction first.
    lines: Vec<usize>,
    /// Their places in the source, where the module has them.
    source: SourcePlaces,
    thread: Option<ThreadId>,
    /// The CTAs of the grid of the thread.
    grid: Dimensions,
    count: u64,
    /// The problem at its source, for people, if it is shown there.
    at_source: Option<String>,
}

/// A run and its result.
pub struct KernelRun<'r> {
    /// The name of the file.
    pub file: &'r str,
    /// The buffers afterwards.
    pub buffers: &'r [NamedBuffer<'r>],
    /// The problems.
    pub problems: &'r [RunProblem],
    /// What is worth to know and no mistake.
    pub notes: &'r [RunProblem],
    /// The result.
    pub result: &'r RunResult,
    /// What was traced of each kernel, if that was asked for.
    pub traces: Option<&'r [RunTrace<'r>]>,
    /// What is assumed.
    pub assumed: &'r [HardwareAssumption],
    /// What was run.
    pub prepared: &'r PreparedKernel,
}

impl RunProblem {
    /// A problem of the machine.
    pub fn of(problem: &Problem, StreamKernel { kernel, launch, .. }: StreamKernel, file: &LintFile) -> Self {
        let place = file.position(kernel.range(problem.place).start);
        let mut lines = vec![place.line + 1];
        let mut offsets = vec![kernel.range(problem.place).start];
        for (_, related) in &problem.related {
            let offset = kernel.range(*related).start;
            let line = file.position(offset).line + 1;
            if !lines.contains(&line) {
                lines.push(line);
                offsets.push(offset);
            }
        }
        Self {
            severity: Severity::Error,
            code: problem.kind.code(),
            message: kernel.problem_message(problem),
            place: Some((place.line + 1, place.column + 1)),
            lines,
            source: source_places::of(file, &offsets),
            thread: Some(problem.thread),
            grid: launch.grid,
            count: problem.count,
            at_source: None,
        }
    }

    /// A note of the machine.
    pub fn note(problem: &Problem, kernel: StreamKernel, file: &LintFile) -> Self {
        Self { severity: Severity::Info, ..Self::of(problem, kernel, file) }
    }

    /// The same with the text for people, if the problem is shown at its source.
    pub fn shown_as(self, at_source: Option<String>) -> Self {
        Self { at_source, ..self }
    }

    /// A value that is not as expected.
    pub fn unexpected(message: String) -> Self {
        let (severity, code, lines) = (Severity::Error, "unexpected-value", Vec::new());
        Self {
            severity,
            code,
            message,
            place: None,
            lines,
            source: SourcePlaces::new(),
            thread: None,
            grid: Dimensions::default(),
            count: 1,
            at_source: None,
        }
    }

    /// A note on products of matrices whose rounding on a target was published and not measured.
    pub fn published_arithmetic(target: Target) -> Self {
        let message = format!(
            "products of matrices are rounded as published for {target} (arXiv 2511.10909), which was not measured"
        );
        Self { severity: Severity::Info, code: "published-arithmetic", ..Self::unexpected(message) }
    }

    /// A claim about memory afterwards that does not hold in every execution.
    pub fn claim(message: String) -> Self {
        Self { code: "claim", ..Self::unexpected(message) }
    }
}

impl KernelRun<'_> {
    /// The result for people.
    pub fn text(&self) -> String {
        let mut text: String = self.traces.into_iter().flatten().map(RunTrace::text).collect();
        text.push_str(&String::from_utf8_lossy(&self.result.output));
        for NamedBuffer { name, shape, bytes } in self.buffers {
            let length = bytes.len() / shape.bytes() as usize;
            let values: Vec<String> =
                values(bytes, *shape).take(SHOWN_ELEMENTS).map(|value| value.to_string()).collect();
            let more = match length.saturating_sub(SHOWN_ELEMENTS) {
                0 => String::new(),
                more => format!(" … and {more} more"),
            };
            let values: String = values.iter().map(|value| format!(" {value}")).collect();
            let _ = writeln!(text, "{name}: {}{values}{more}", type_name(*shape, length));
        }
        self.notes.iter().chain(self.problems).for_each(|problem| text.push_str(&problem.text(self.file)));
        let problems = match self.problems.len() {
            0 => "no problem".to_owned(),
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        let unchecked = match &*self.not_looked_for() {
            [] => String::new(),
            kinds => format!("; not looked for: {}", kinds.join(", ")),
        };
        let _ = writeln!(text, "{problems}; {} instructions{unchecked}", self.result.executed);
        text.push_str(&self.prepared.source_launch_text());
        text.push_str(&assumed::text(self.assumed));
        text + &grids::text(self.prepared)
    }

    /// The mistakes that the run has not looked for.
    fn not_looked_for(&self) -> Vec<&'static str> {
        let checks = self.prepared.launch.checks;
        let kinds = [("mistakes of memory", checks.has_memory()), ("data races", checks.has_races())];
        kinds.into_iter().filter_map(|(kind, is_checked)| (!is_checked).then_some(kind)).collect()
    }

    /// The exit code.
    pub const fn exit(&self) -> Exit {
        if self.problems.is_empty() { Exit::Clean } else { Exit::Errors }
    }

    /// The result as one JSON object.
    pub fn json(&self) -> Json {
        let memory: Map<String, Json> =
            self.buffers.iter().map(|buffer| (buffer.name.clone(), numbers(buffer))).collect();
        let [problems, notes] =
            [self.problems, self.notes].map(|list| list.iter().map(RunProblem::json).collect::<Vec<Json>>());
        let mut object = json!({
            "schema": SCHEMA,
            "path": self.file,
            "memory": memory,
            "problems": problems,
            "notes": notes,
            "output": String::from_utf8_lossy(&self.result.output),
            "instructions": self.result.executed,
        });
        let unchecked = self.not_looked_for();
        if !unchecked.is_empty() {
            object["notLookedFor"] = json!(unchecked);
        }
        if !self.assumed.is_empty() {
            object["assumptions"] = self.assumed.iter().map(|one| one.name()).collect();
        }
        if let Some(grids) = grids::json(self.prepared) {
            object["kernels"] = grids;
        }
        if let Some(launch) = &self.prepared.source_launch {
            object["launch"] = json!(launch);
        }
        if let Some(traces) = self.traces {
            object["trace"] = traces.iter().flat_map(RunTrace::json).collect();
        }
        object
    }
}

impl RunProblem {
    /// The problem for people: at its source, or in a line, with a further one for its places in the source.
    pub fn text(&self, file: &str) -> String {
        if let Some(at_source) = &self.at_source {
            return at_source.clone();
        }
        let Self { severity, code, message, place, thread, grid, count, lines, source, at_source: _ } = self;
        let severity = severity.name();
        let place = place.map_or_else(String::new, |(line, column)| format!("{file}:{line}:{column}: "));
        let thread = thread.as_ref().map_or_else(String::new, |ThreadId { cta, thread }| {
            let times = if *count == 1 { String::new() } else { format!("; {count} times in all") };
            let others: Vec<String> = lines.iter().skip(1).take(OTHER_LINES).map(usize::to_string).collect();
            let others = match &others[..] {
                [] => String::new(),
                [line] => format!("; see also line {line}"),
                lines => format!("; see also lines {}", lines.join(", ")),
            };
            format!(" (thread {thread} of CTA {}{times}{others})", grid.cta_name(*cta))
        });
        format!("{place}{severity}[{code}]: {message}{thread}\n{}", source_places::text(source))
    }

    /// The problem in a few words: its code, with its line of the source or of the module.
    pub fn summary(&self) -> String {
        let line = self.source.first().map(|place| place.line.to_string());
        match line.or_else(|| self.lines.first().map(usize::to_string)) {
            Some(line) => format!("{} at line {line}", self.code),
            None => format!("{}: {}", self.code, self.message),
        }
    }

    /// The problem as a JSON object.
    pub fn json(&self) -> Json {
        let mut object = json!({
            "code": self.code,
            "lines": self.lines,
            "message": self.message,
            "count": self.count,
        });
        if let Some(ThreadId { cta, thread }) = self.thread {
            object["thread"] = json!({ "cta": cta, "thread": thread });
        }
        if let Some((_, column)) = self.place {
            object["column"] = json!(column);
        }
        if !self.source.is_empty() {
            object["source"] = source_places::json(&self.source);
        }
        object
    }
}

/// `u32[8]`
fn type_name(shape: Shape, length: usize) -> String {
    format!("{}[{length}] =", shape.element().name())
}

/// The elements of a buffer as numbers; those of packed types as their bits. JSON has no NaN and no infinity: they are strings.
fn numbers(buffer: &NamedBuffer) -> Json {
    values(buffer.bytes, buffer.shape).map(number).collect()
}

/// A value as a number.
pub fn number(value: Value) -> Json {
    let bits = value.bits();
    let float =
        |number: f64| serde_json::Number::from_f64(number).map_or_else(|| json!(number.to_string()), Json::from);
    match value.shape().element() {
        Element::Bits(128) => json!(format!("{bits:#x}")),
        _ if value.shape().elements() > 1 => json!(bits as u64),
        Element::F64 => float(f64::from_bits(bits as u64)),
        Element::F32 => float(f32::from_bits(bits as u32).into()),
        Element::Small(_) => value.to_string().parse().map_or_else(|_| json!(value.to_string()), float),
        Element::Signed(width) => json!(((bits << (128 - width)) as i128 >> (128 - width)) as i64),
        Element::Bits(_) | Element::Unsigned(_) => json!(bits as u64),
    }
}
