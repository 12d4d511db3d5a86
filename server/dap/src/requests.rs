//! Requests: which there are, and those that resume the run.

use crate::debugger::{Debugger, Resumption};
use crate::goals::{RunGoal, RunMode, StepGoal, StepKind};
use crate::handles::FrameHandle;
use crate::launch::{LineKind, StepScope};
use crate::protocol::{DebugAnswer, DebugRequest, capabilities, number};
use crate::target::{DebugTarget, source};
use kernel::expression::Expression;
use machine::RunState;
use program::{ProblemKind, ThreadId};
use serde_json::{Value, json};

/// The most threads that are listed one by one; of more, the first of each group of lanes is.
const LISTED_THREADS: u32 = 1024;
/// The most groups of lanes that are listed.
const LISTED_GROUPS: usize = 2048;

impl Debugger {
    /// Answers a request that does not resume the run.
    pub fn answer(&mut self, request: &DebugRequest, state: Option<&RunState>) -> DebugAnswer {
        let arguments = &request.arguments;
        match request.command.as_str() {
            "initialize" => Ok(capabilities(exception_filters())),
            "attach" => Err("a kernel is launched: there is no process to attach to".to_owned()),
            "launch" => Err("a kernel was launched already".to_owned()),
            "setExceptionBreakpoints" => self.set_exceptions(arguments),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments),
            "breakpointLocations" => self.breakpoint_locations(arguments),
            "setDataBreakpoints" => self.set_data_breakpoints(arguments),
            // Before the launch and after the end there is no thread, but clients ask.
            "threads" => Ok(json!({ "threads": state.map_or_else(Vec::new, |state| self.threads(state)) })),
            "pause" => {
                self.pauses = true;
                Ok(Value::Null)
            }
            "stackTrace" | "scopes" | "variables" | "evaluate" | "readMemory" | "dataBreakpointInfo"
            | "exceptionInfo" => {
                let target = self.target.clone().ok_or("no kernel is launched")?;
                let state = state.ok_or("the kernel does not run")?;
                self.inspect(request, &target, state)
            }
            "configurationDone" | "continue" | "next" | "stepIn" | "stepOut" | "stepBack" | "reverseContinue"
            | "restart" | "setVariable" | "setExpression" | "writeMemory" => {
                Err("the kernel is not stopped".to_owned())
            }
            other => Err(format!("unknown request `{other}`")),
        }
    }

    fn inspect(&mut self, request: &DebugRequest, target: &DebugTarget, state: &RunState) -> DebugAnswer {
        let arguments = &request.arguments;
        match request.command.as_str() {
            "stackTrace" => self.stack_trace(arguments, target, state),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments, target, state),
            "evaluate" => self.evaluate(arguments, target, state),
            "readMemory" => crate::memory::read_memory(arguments, state),
            "dataBreakpointInfo" => self.data_breakpoint_info(arguments, target, state),
            _ => self.exception_info(),
        }
    }

    /// What follows from a request if it resumes the run; `None` for others.
    pub fn resumption(&self, request: &DebugRequest, state: &RunState) -> Option<Result<Resumption, String>> {
        let back = |goal| Resumption::Again(RunMode::Search { before: self.position.step, goal, found: None });
        let step = |kind| self.step_goal(&request.arguments, kind, state).map(RunGoal::Step);
        Some(match request.command.as_str() {
            "continue" => Ok(Resumption::Forward(RunGoal::Continue)),
            "next" => step(StepKind::Over).map(Resumption::Forward),
            "stepIn" => step(StepKind::Into).map(Resumption::Forward),
            "stepOut" => step(StepKind::Out).map(Resumption::Forward),
            "stepBack" => step(StepKind::Over).map(back),
            "reverseContinue" => Ok(back(RunGoal::Continue)),
            _ => return None,
        })
    }

    fn step_goal(&self, arguments: &Value, kind: StepKind, state: &RunState) -> Result<StepGoal, String> {
        let target = self.target.as_ref().ok_or("no kernel is launched")?;
        let thread = thread(arguments, target)?;
        let by_line = target.configuration.lines == LineKind::Source && arguments["granularity"] != "instruction";
        let group = state.thread(thread).map(|thread| thread.group());
        let place = group.map(|group| group.place);
        let lines = place.filter(|_| by_line).and_then(|place| target.lines.at(place));
        Ok(StepGoal {
            // A thread that has ended cannot step.
            scope: if group.is_some() { self.stepping } else { StepScope::Everything },
            kind,
            thread,
            depth: group.map_or(1, |group| group.depth),
            place,
            line: lines.and_then(|lines| lines.source.clone()),
        })
    }

    /// The threads; of a large launch, the first of each group of lanes that run together.
    fn threads(&self, state: &RunState) -> Vec<Value> {
        let Some(target) = &self.target else { return Vec::new() };
        let groups = state.groups();
        let count: u32 = groups.iter().map(|group| group.lanes.count_ones()).sum();
        let named = |thread: ThreadId, name: String| json!({ "id": target.thread_number(thread), "name": name });
        if count <= LISTED_THREADS {
            let threads = groups.iter().flat_map(|group| group.threads());
            let mut threads: Vec<ThreadId> = threads.collect();
            threads.sort_unstable();
            return threads.into_iter().map(|thread| named(thread, thread_name(target, thread))).collect();
        }
        let mut listed: Vec<Value> = groups
            .iter()
            .take(LISTED_GROUPS)
            .map(|group| {
                let others = match group.lanes.count_ones() - 1 {
                    0 => String::new(),
                    others => format!(" and {others} more"),
                };
                named(group.first(), thread_name(target, group.first()) + &others)
            })
            .collect();
        // The thread that the client shows is always among them.
        if let Some(focus) = self.focus.filter(|focus| state.thread(*focus).is_some()) {
            let own = named(focus, thread_name(target, focus));
            if !listed.iter().any(|one| one["id"] == own["id"]) {
                listed.push(own);
            }
        }
        listed
    }

    fn stack_trace(&mut self, arguments: &Value, target: &DebugTarget, state: &RunState) -> DebugAnswer {
        let id = thread(arguments, target)?;
        let shown = self.stopped.as_ref().filter(|stop| stop.thread == id).and_then(|stop| stop.place);
        let thread = state.thread(id);
        let mut places = thread.map_or_else(Vec::new, |thread| thread.calls());
        match (places.first_mut(), shown) {
            (Some(first), Some(shown)) => *first = shown,
            (None, Some(shown)) => places.push(shown),
            _ => {}
        }
        let waits = thread.and_then(|thread| thread.waits_for());
        let mut frames = Vec::new();
        for (call, place) in places.into_iter().enumerate() {
            let function = target.loaded.kernel.program.functions.get(place.function as usize);
            let name = function.map_or("", |function| &function.name);
            let handle = self.handles.frame(FrameHandle { thread: id, call });
            for (number, line) in target.code_lines(place).into_iter().enumerate() {
                let file = line.path.file_name().unwrap_or_default().to_string_lossy();
                let name = match (&waits, call, number) {
                    (Some(reason), 0, 0) => format!("{name} (waits for {reason})"),
                    (_, _, 0) => name.to_owned(),
                    _ => format!("{name} ({file})"),
                };
                frames.push(json!({
                    "id": handle,
                    "name": name,
                    "source": source(&line.path),
                    "line": line.line,
                    "column": line.column,
                    "presentationHint": if number == 0 { "normal" } else { "subtle" },
                }));
            }
        }
        let total = frames.len();
        let start = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = arguments["levels"].as_u64().filter(|levels| *levels > 0).map_or(total, |levels| levels as usize);
        let frames: Vec<Value> = frames.into_iter().skip(start).take(levels).collect();
        Ok(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    fn exception_info(&self) -> DebugAnswer {
        let stop = self.stopped.as_ref().filter(|stop| stop.reason == "exception");
        let (code, text) = stop.and_then(|stop| stop.detail.clone()).ok_or("the run did not stop at a problem")?;
        Ok(json!({ "exceptionId": code, "description": text, "breakMode": "always" }))
    }

    /// The frame that a request names, or that of the thread of the last stop.
    ///
    /// # Errors
    /// A message, if there is no such frame.
    pub fn frame_or_focus(&self, arguments: &Value) -> Result<FrameHandle, String> {
        Ok(match &arguments["frameId"] {
            Value::Null => FrameHandle { thread: self.focus.ok_or("the kernel is not stopped")?, call: 0 },
            _ => self.handles.find_frame(number(arguments, "frameId")?).ok_or("unknown frame")?,
        })
    }

    fn evaluate(&mut self, arguments: &Value, target: &DebugTarget, state: &RunState) -> DebugAnswer {
        let text = arguments["expression"].as_str().ok_or("missing `expression`")?;
        if let Some(scope) = text.trim().strip_prefix("stepping ").filter(|_| arguments["context"] == "repl") {
            let scope = scope.trim();
            self.stepping = serde_json::from_value(json!(scope))
                .map_err(|_| format!("unknown scope `{scope}`: expected `thread`, `warp` or `everything`"))?;
            return Ok(json!({ "result": format!("steps are of: {scope}"), "variablesReference": 0 }));
        }
        let expression = Expression::parse(text)?;
        let frame = self.frame_or_focus(arguments)?;
        let view = target.view(state, frame).ok_or("the thread has ended")?;
        let value = view.evaluate(&expression)?;
        let mut shown = self.shown_value(&value, frame);
        shown["result"] = shown["value"].take();
        if let Some(object) = shown.as_object_mut() {
            object.remove("value");
        }
        Ok(shown)
    }
}

/// The thread that a request names.
fn thread(arguments: &Value, target: &DebugTarget) -> Result<ThreadId, String> {
    let number = number(arguments, "threadId")?;
    target.thread_id(number).ok_or_else(|| format!("unknown thread {number}"))
}

/// `CTA 3 warp 1 lane 5`, with the position of the CTA in a grid of more than one dimension.
fn thread_name(target: &DebugTarget, ThreadId { cta, thread }: ThreadId) -> String {
    let grid = target.loaded.launch.grid;
    let [x, y, z] = grid.position(cta.into());
    let cta = match grid.0 {
        [_, 1, 1] => x.to_string(),
        _ => format!("({x}, {y}, {z})"),
    };
    format!("CTA {cta} warp {} lane {}", thread / 32, thread % 32)
}

/// A filter for each kind of problem.
fn exception_filters() -> Vec<Value> {
    let filter = |code: &&str| {
        let words = code.replace('-', " ");
        let label = words[..1].to_uppercase() + &words[1..];
        json!({ "filter": code, "label": label, "default": true })
    };
    ProblemKind::CODES.iter().map(filter).collect()
}
