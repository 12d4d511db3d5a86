//! The session: a run that stops, and the requests that are answered while it does.
//!
//! The kernel runs inside of this loop: the machine calls the debugger before each instruction, which answers requests as long as the run is
//! stopped. A run is deterministic, so a step back repeats it from a checkpoint to the step before.

use crate::breakpoints::Breakpoints;
use crate::edit_history::{AfterEdit, EditHistory};
use crate::goals::{RunGoal, RunMode, StopEvent};
use crate::handles::Handles;
use crate::launch::{LaunchConfiguration, LoadKernel, StepScope};
use crate::protocol::{AdapterMessage, DebugAnswer, DebugClient, DebugRequest};
use crate::target::DebugTarget;
use machine::{LaneGroup, ObservedAccess, RunControl, RunObserver, RunState, StateEdit};
use program::ThreadId;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

/// Requests are looked for after this number of instructions of warps.
const POLL_INTERVAL: u64 = 4096;

/// How far a run is.
#[derive(Clone, Debug, Default)]
pub struct RunPosition {
    /// The number of the instruction of a warp that is next, from 1.
    pub step: u64,
    /// The lanes that executed the last one.
    pub previous: Option<LaneGroup>,
    /// The problems that were looked at.
    pub problems: usize,
    /// The stop of a breakpoint on memory that was accessed.
    pub accessed: Option<StopEvent>,
    /// The accesses since the last instruction was looked at.
    pub recent: Vec<ObservedAccess>,
}

/// A session.
#[derive(Debug)]
pub struct Debugger {
    requests: Receiver<AdapterMessage>,
    /// Requests that came while a run was repeated.
    deferred: VecDeque<DebugRequest>,
    /// The client.
    pub client: DebugClient,
    /// The breakpoints.
    pub breakpoints: Breakpoints,
    /// The kernel.
    pub target: Option<Arc<DebugTarget>>,
    /// How far the run is.
    pub position: RunPosition,
    /// The frames and variables that the client knows.
    pub handles: Handles,
    /// What a step is of.
    pub stepping: StepScope,
    /// The stop, while the run is stopped.
    pub stopped: Option<StopEvent>,
    /// The thread of the last stop.
    pub focus: Option<ThreadId>,
    /// Whether the client wants the run to stop.
    pub pauses: bool,
    /// How the run goes on.
    pub mode: RunMode,
    /// How the next run begins, after this one has ended early.
    pub next: Option<RunMode>,
    /// The step at which the run pauses for a checkpoint.
    pub pause_at: u64,
    /// The edits of the run.
    pub edits: EditHistory,
    /// The edits that the machine is to make.
    pub to_edit: Vec<StateEdit>,
    /// What follows then.
    pub after_edit: Option<AfterEdit>,
    /// The arguments of the request that begins the session anew, if there is one.
    pub restarts: Option<Value>,
    is_connected: bool,
    is_terminated: bool,
    /// The bytes of output and the number of problems that the client has seen.
    shown: (usize, usize),
}

/// What follows from a request while the run is stopped.
#[derive(Debug)]
pub enum Resumption {
    /// The run goes on.
    Forward(RunGoal),
    /// The run begins again.
    Again(RunMode),
}

impl Debugger {
    /// A session before its first request.
    pub fn new(requests: Receiver<AdapterMessage>, client: DebugClient) -> Self {
        Self {
            requests,
            deferred: VecDeque::new(),
            client,
            breakpoints: Breakpoints::default(),
            target: None,
            position: RunPosition::default(),
            handles: Handles::default(),
            stepping: StepScope::default(),
            stopped: None,
            focus: None,
            pauses: false,
            mode: RunMode::Forward(RunGoal::Continue),
            next: None,
            pause_at: 0,
            edits: EditHistory::default(),
            to_edit: Vec::new(),
            after_edit: None,
            restarts: None,
            is_connected: true,
            is_terminated: false,
            shown: (0, 0),
        }
    }

    /// Serves until the client disconnects.
    pub fn serve(&mut self, loader: &dyn LoadKernel) {
        while self.is_connected
            && let Some(request) = self.next_request()
        {
            match request.command.as_str() {
                "launch" => {
                    let answer = self.launch(&request, loader);
                    let is_launched = answer.is_ok();
                    self.client.respond(&request, answer);
                    if is_launched {
                        self.client.event("initialized", Value::Null);
                    }
                }
                "configurationDone" if self.target.is_some() => {
                    self.client.respond(&request, Ok(Value::Null));
                    self.run(RunGoal::Continue, loader);
                    self.run_again(loader);
                }
                "restart" if self.target.is_some() => {
                    self.client.respond(&request, Ok(Value::Null));
                    self.restarts = Some(request.arguments);
                    self.run_again(loader);
                }
                "disconnect" | "terminate" => self.end(&request),
                _ => {
                    let answer = self.answer(&request, None);
                    self.client.respond(&request, answer);
                }
            }
        }
    }

    fn launch(&mut self, request: &DebugRequest, loader: &dyn LoadKernel) -> DebugAnswer {
        if self.target.is_some() {
            return Err("a kernel was launched already".to_owned());
        }
        let configuration: LaunchConfiguration = serde_json::from_value(request.arguments.clone())
            .map_err(|error| format!("invalid launch configuration: {error}"))?;
        let loaded = configuration.load(loader)?;
        self.stepping = configuration.stepping;
        self.target = Some(Arc::new(DebugTarget::new(configuration, loaded)));
        Ok(Value::Null)
    }

    /// The next request, which is waited for; `None` if the client has gone.
    fn next_request(&mut self) -> Option<DebugRequest> {
        if let Some(request) = self.deferred.pop_front() {
            return Some(request);
        }
        loop {
            match self.requests.recv() {
                Ok(AdapterMessage::Request(request)) => return Some(self.client.received(request)),
                Ok(AdapterMessage::Malformed(error)) => self.client.output("stderr", &format!("{error}\n")),
                Err(_) => {
                    self.is_connected = false;
                    return None;
                }
            }
        }
    }

    /// The session or the run ends.
    fn end(&mut self, request: &DebugRequest) {
        self.client.respond(request, Ok(Value::Null));
        if request.command == "terminate" {
            self.is_terminated = true;
            self.client.event("terminated", Value::Null);
        } else {
            self.is_connected = false;
        }
    }

    /// A session of runs begins.
    pub fn begin_session(&mut self, mode: RunMode) {
        (self.mode, self.shown, self.is_terminated) = (mode, (0, 0), false);
        (self.next, self.pauses) = (None, false);
        self.edits.clear();
    }

    /// What the run prints and reports from now on is shown even if it was before, because an edit changes it.
    pub fn forget_shown(&mut self, state: &RunState) {
        self.shown = (state.output().len(), state.problems().len());
    }

    /// Whether the client wants nothing more of the run.
    pub const fn has_left(&self) -> bool {
        !self.is_connected || self.is_terminated || self.restarts.is_some()
    }

    /// Stops, and answers requests until one of them resumes the run.
    pub fn stop(&mut self, state: &RunState, stop: StopEvent) -> RunControl {
        self.handles.clear();
        self.pauses = false;
        let mut body = json!({
            "reason": stop.reason,
            "threadId": self.target.as_ref().map_or(0, |target| target.thread_number(stop.thread)),
            "allThreadsStopped": true,
        });
        if let Some((title, text)) = &stop.detail {
            (body["description"], body["text"]) = (json!(title), json!(text));
        }
        if !stop.breakpoints.is_empty() {
            body["hitBreakpointIds"] = json!(stop.breakpoints);
        }
        self.focus = Some(stop.thread);
        self.stopped = Some(stop);
        self.client.event("stopped", body);
        self.serve_stop(state)
    }

    /// Answers requests until one of them resumes the run or edits its state.
    pub fn serve_stop(&mut self, state: &RunState) -> RunControl {
        while let Some(request) = self.next_request() {
            if matches!(request.command.as_str(), "disconnect" | "terminate") {
                self.end(&request);
                return RunControl::Stop;
            }
            if request.command == "restart" {
                self.client.respond(&request, Ok(Value::Null));
                (self.stopped, self.restarts) = (None, Some(request.arguments));
                return RunControl::Stop;
            }
            if Self::edits_state(&request) {
                match self.edit(request, state) {
                    Some(control) => return control,
                    None => continue,
                }
            }
            let Some(resumption) = self.resumption(&request, state) else {
                let answer = self.answer(&request, Some(state));
                self.client.respond(&request, answer);
                continue;
            };
            match resumption {
                Err(error) => self.client.respond(&request, Err(error)),
                Ok(resumption) => {
                    let body = if request.command == "continue" || request.command == "reverseContinue" {
                        json!({ "allThreadsContinued": true })
                    } else {
                        Value::Null
                    };
                    self.client.respond(&request, Ok(body));
                    self.stopped = None;
                    return self.resume(resumption);
                }
            }
        }
        RunControl::Stop
    }

    fn resume(&mut self, resumption: Resumption) -> RunControl {
        match resumption {
            Resumption::Forward(goal) => {
                self.mode = RunMode::Forward(goal);
                RunControl::Continue
            }
            Resumption::Again(mode) => {
                if matches!(mode, RunMode::Forward(_)) {
                    self.edits.clear();
                }
                self.next = Some(mode);
                RunControl::Stop
            }
        }
    }

    /// Answers requests that came while the run is not stopped; those that a repeated run cannot answer wait.
    fn poll(&mut self, state: &RunState) {
        loop {
            let request = match self.requests.try_recv() {
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => return self.hang_up(state),
                Ok(AdapterMessage::Request(request)) => self.client.received(request),
                Ok(AdapterMessage::Malformed(error)) => {
                    self.client.output("stderr", &format!("{error}\n"));
                    continue;
                }
            };
            match request.command.as_str() {
                "disconnect" | "terminate" => return self.end(&request),
                "restart" => {
                    self.client.respond(&request, Ok(Value::Null));
                    self.restarts = Some(request.arguments);
                    return;
                }
                "pause" => {
                    self.pauses = true;
                    self.client.respond(&request, Ok(Value::Null));
                }
                _ if !matches!(self.mode, RunMode::Forward(_)) => self.deferred.push_back(request),
                _ => {
                    let answer = self.answer(&request, Some(state));
                    self.client.respond(&request, answer);
                }
            }
        }
    }

    /// Ends the session of a client that has closed its stream: nobody could stop the run. A client may still read the answers to what waits.
    fn hang_up(&mut self, state: &RunState) {
        self.is_connected = false;
        while let Some(request) = self.deferred.pop_front() {
            let answer = self.answer(&request, Some(state));
            self.client.respond(&request, answer);
        }
    }

    /// Shows what was printed and reported since the last time, once also if the run is repeated.
    fn show_progress(&mut self, state: &RunState) {
        if let Some(new) = state.output().get(self.shown.0..)
            && !new.is_empty()
        {
            self.client.output("stdout", &String::from_utf8_lossy(new));
            self.shown.0 = state.output().len();
        }
        let Some(target) = self.target.clone() else { return };
        for problem in state.problems().iter().skip(self.shown.1) {
            let text = target.problem_text(problem);
            let body = target.located(problem.place, json!({ "category": "stderr", "output": text }));
            self.client.event("output", body);
            self.shown.1 += 1;
        }
    }
}

impl RunObserver for Debugger {
    fn before(&mut self, state: &RunState) -> RunControl {
        let Some(group) = state.running() else { return RunControl::Continue };
        if let Some(control) = self.after_edit(state) {
            return control;
        }
        self.position.step += 1;
        let step = self.position.step;
        self.show_progress(state);
        if step.is_multiple_of(POLL_INTERVAL) {
            self.poll(state);
            if self.has_left() {
                return RunControl::Stop;
            }
        }
        let hit = self.stop_at(state, group);
        let reached = match &self.mode {
            RunMode::Forward(goal) => hit.or_else(|| self.reached(goal, state, group)),
            RunMode::Search { before, .. } if step >= *before => return RunControl::Stop,
            RunMode::Search { goal, .. } => {
                let found = if *goal == RunGoal::Continue { hit } else { self.passed(goal, group) };
                if let (Some(stop), RunMode::Search { found, .. }) = (found, &mut self.mode) {
                    *found = Some((step, stop));
                }
                None
            }
            RunMode::Replay { until, stop } => (step == *until).then(|| stop.clone()),
        };
        self.position.previous = Some(group);
        self.position.recent.clear();
        match self.repeat_edits(reached) {
            Ok(control) => control,
            Err(reached) => reached.map_or(RunControl::Continue, |reached| self.stop(state, reached)),
        }
    }

    fn accessed(&mut self, access: &ObservedAccess) {
        self.position.recent.push(*access);
        if !self.breakpoints.data.is_empty() {
            self.watch(access);
        }
    }

    fn ended(&mut self, state: &RunState) {
        if self.has_left() || self.next.is_some() {
            return;
        }
        self.position.step += 1;
        let step = self.position.step;
        self.show_progress(state);
        let reached = match &self.mode {
            RunMode::Forward(_) => self.stop_at_end(state),
            RunMode::Replay { until, stop } => (step == *until).then(|| stop.clone()),
            RunMode::Search { .. } => None,
        };
        if let Some(stop) = reached {
            self.stop(state, stop);
        }
    }

    fn edits(&mut self) -> Vec<StateEdit> {
        std::mem::take(&mut self.to_edit)
    }

    fn pauses(&mut self) -> bool {
        self.position.step >= self.pause_at
    }
}
