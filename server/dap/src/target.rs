//! A kernel under the debugger, with its lines.

use crate::frame_view::FrameView;
use crate::handles::FrameHandle;
use crate::initial_memory::InitialMemory;
use crate::launch::{LaunchConfiguration, LineKind, LoadKernel, LoadedKernel};
use crate::line_map::{CodeLine, LineMap};
use kernel::arguments::argument_values::values;
use kernel::expression::Expression;
use machine::{GlobalMemory, LaneGroup, RunResult, RunState};
use program::{CodePlace, Problem, ThreadId};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The most elements of a buffer that the summary shows.
const SHOWN_ELEMENTS: usize = 16;

/// A kernel under the debugger.
#[derive(Debug)]
pub struct DebugTarget {
    /// The configuration.
    pub configuration: LaunchConfiguration,
    /// The kernel.
    pub loaded: LoadedKernel,
    /// Its lines.
    pub lines: LineMap,
    initial: Mutex<InitialMemory>,
}

impl DebugTarget {
    /// A kernel that was loaded for a configuration.
    pub fn new(configuration: LaunchConfiguration, mut loaded: LoadedKernel) -> Self {
        let lines = LineMap::new(&loaded.kernel, &loaded.file, &configuration.program);
        let initial = Mutex::new(InitialMemory::new(std::mem::take(&mut loaded.memory)));
        Self { configuration, loaded, lines, initial }
    }

    /// The memory with which each run begins.
    ///
    /// # Errors
    /// A message for the user, if it has to be loaded again and is not the same.
    pub fn initial_memory(&self, loader: &dyn LoadKernel) -> Result<GlobalMemory, String> {
        let mut initial = self.initial.lock().unwrap_or_else(PoisonError::into_inner);
        initial.take(|| Ok(self.configuration.load(loader)?.memory))
    }

    /// The number of a thread for the client, from 1.
    pub fn thread_number(&self, ThreadId { cta, thread }: ThreadId) -> u64 {
        u64::from(cta) * self.loaded.launch.block.count() + u64::from(thread) + 1
    }

    /// The thread with a number; `None` if the launch has fewer.
    pub fn thread_id(&self, number: u64) -> Option<ThreadId> {
        let block = self.loaded.launch.block.count();
        let linear = number.checked_sub(1)?;
        let cta = Some(linear / block).filter(|cta| *cta < self.loaded.launch.grid.count())?;
        Some(ThreadId { cta: u32::try_from(cta).ok()?, thread: (linear % block) as u32 })
    }

    /// A call of a thread; `None` if the thread has ended.
    pub fn view<'v, 'p>(&'v self, state: &RunState<'v, 'p>, frame: FrameHandle) -> Option<FrameView<'v, 'p>> {
        let thread = state.thread(frame.thread)?;
        let place = *thread.calls().get(frame.call)?;
        Some(FrameView { loaded: &self.loaded, state: *state, thread, call: frame.call, place })
    }

    /// The first thread of a group in which a condition holds, the preferred one if it is among them. A condition that has no value holds.
    pub fn first_where(
        &self,
        state: &RunState,
        group: LaneGroup,
        condition: Option<&Expression>,
        preferred: Option<ThreadId>,
    ) -> Option<ThreadId> {
        let holds = |thread: &ThreadId| {
            let view = || self.view(state, FrameHandle { thread: *thread, call: 0 });
            condition.is_none_or(|condition| {
                let value = view().map(|view| view.evaluate(condition));
                value.is_none_or(|value| value.is_ok_and(|value| value.quantity.is_true()))
            })
        };
        preferred.filter(|thread| group.contains(*thread) && holds(thread)).or_else(|| group.threads().find(holds))
    }

    /// Why a condition has no value in the first thread of a group.
    pub fn condition_error(
        &self,
        state: &RunState,
        group: LaneGroup,
        condition: Option<&Expression>,
    ) -> Option<String> {
        let view = self.view(state, FrameHandle { thread: group.first(), call: 0 })?;
        view.evaluate(condition?).err()
    }

    /// The line that is shown for an instruction, and the other one.
    pub fn code_lines(&self, place: CodePlace) -> Vec<&CodeLine> {
        let Some(lines) = self.lines.at(place) else { return Vec::new() };
        let mut both: Vec<&CodeLine> = std::iter::once(&lines.ptx).chain(&lines.source).collect();
        if self.configuration.lines == LineKind::Source {
            both.reverse();
        }
        both
    }

    /// The message of a problem, for the console.
    pub fn problem_text(&self, problem: &Problem) -> String {
        let ThreadId { cta, thread } = problem.thread;
        format!("error[{}]: {} (thread {thread} of CTA {cta})\n", problem.kind.code(), problem.kind)
    }

    /// Adds the place of an instruction to the body of an event.
    pub fn located(&self, place: CodePlace, mut body: Value) -> Value {
        if let Some(CodeLine { path, line, column }) = self.code_lines(place).first() {
            (body["source"], body["line"], body["column"]) = (source(path), json!(line), json!(column));
        }
        body
    }

    /// The buffers after the run, and the number of problems.
    pub fn summary(&self, result: &RunResult) -> String {
        let mut text = String::new();
        for buffer in &self.loaded.buffers {
            let found = result.memory.allocations().iter().find(|one| one.address == buffer.address);
            let bytes = found.map_or(&[][..], |one| one.region.bytes());
            let list: Vec<String> =
                values(bytes, buffer.shape).take(SHOWN_ELEMENTS).map(|value| value.to_string()).collect();
            let more = if buffer.length > SHOWN_ELEMENTS as u64 { " …" } else { "" };
            let ty = buffer.shape.element().name();
            let _ = writeln!(text, "{}: {ty}[{}] = {}{more}", buffer.name, buffer.length, list.join(" "));
        }
        if let Some(unsupported) = &result.unsupported {
            let _ = writeln!(text, "emulation of `{}` is not supported", unsupported.opcode);
        }
        let problems = match result.problems.len() {
            0 => "no problem".to_owned(),
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        let _ = writeln!(text, "{problems}; {} instructions", result.executed);
        text
    }
}

/// A file for the client.
pub fn source(path: &Path) -> Value {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    json!({ "name": name, "path": path.to_string_lossy() })
}
