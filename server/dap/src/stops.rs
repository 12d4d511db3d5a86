//! Decides where a run stops.

use crate::debugger::Debugger;
use crate::goals::{RunGoal, RunMode, StepGoal, StepKind, StopEvent};
use crate::handles::FrameHandle;
use crate::launch::StepScope;
use kernel::expression::Expression;
use machine::{LaneGroup, ObservedAccess, RunState};
use program::ThreadId;
use serde_json::json;

impl Debugger {
    /// The stop before an instruction by a problem, a breakpoint or the client.
    pub fn stop_at(&mut self, state: &RunState, group: LaneGroup) -> Option<StopEvent> {
        let paused = self.pauses.then(|| StopEvent::new("pause", group.first()));
        if self.only_runs() {
            return paused;
        }
        let problem = self.new_problem(state);
        let accessed = self.counted_access(state);
        let breakpoint = self.breakpoint(state, group);
        problem.or(accessed).or(breakpoint).or(paused)
    }

    /// The stop at the end of the run: by problems that end it, such as a deadlock.
    pub fn stop_at_end(&mut self, state: &RunState) -> Option<StopEvent> {
        if self.only_runs() {
            return None;
        }
        let problem = self.new_problem(state);
        let unsupported = state.unsupported().map(|unsupported| {
            let text = format!("emulation of `{}` is not supported", unsupported.opcode);
            let thread = self.position.previous.map_or(ThreadId { cta: 0, thread: 0 }, LaneGroup::first);
            let detail = Some(("unsupported-instruction".to_owned(), text));
            StopEvent { place: Some(unsupported.place), detail, ..StopEvent::new("exception", thread) }
        });
        problem.or(unsupported).or_else(|| self.counted_access(state))
    }

    /// Whether nothing but the client stops the run.
    fn only_runs(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.configuration.no_debug)
    }

    /// The first problem since the last instruction that stops the run.
    fn new_problem(&mut self, state: &RunState) -> Option<StopEvent> {
        let new = state.problems().get(self.position.problems..)?;
        self.position.problems = state.problems().len();
        let stops = |code: &str| self.breakpoints.problems.iter().any(|known| known == code);
        let problem = new.iter().find(|problem| stops(problem.kind.code()))?;
        let detail = Some((problem.kind.code().to_owned(), problem.kind.to_string()));
        Some(StopEvent { place: Some(problem.place), detail, ..StopEvent::new("exception", problem.thread) })
    }

    /// Notes an access to memory with a breakpoint.
    pub fn watch(&mut self, access: &ObservedAccess) {
        if self.position.accessed.is_some() {
            return;
        }
        let found = self.breakpoints.data.iter().find(|one| one.watches(access));
        self.position.accessed = found.map(|found| {
            let detail = Some(("data breakpoint".to_owned(), format!("{} of {} bytes", access.kind, access.size)));
            let (place, breakpoints) = (Some(access.place), vec![found.id]);
            StopEvent { place, detail, breakpoints, ..StopEvent::new("data breakpoint", access.thread) }
        });
    }

    /// The stop of an access that was noted, if its breakpoint's conditions hold.
    fn counted_access(&mut self, state: &RunState) -> Option<StopEvent> {
        let stop = self.position.accessed.take()?;
        let target = self.target.clone()?;
        let one = self.breakpoints.data.iter_mut().find(|one| stop.breakpoints.contains(&one.id))?;
        let holds = |condition: &Expression| {
            let view = target.view(state, FrameHandle { thread: stop.thread, call: 0 });
            view.is_none_or(|view| view.evaluate(condition).is_ok_and(|value| value.quantity.is_true()))
        };
        if !one.rules.condition.as_ref().is_none_or(holds) {
            return None;
        }
        one.hits += 1;
        one.rules.counts(one.hits).then_some(stop)
    }

    /// The stop at breakpoints of the instruction; those with a text print it.
    fn breakpoint(&mut self, state: &RunState, group: LaneGroup) -> Option<StopEvent> {
        let target = self.target.clone()?;
        let is_forward = matches!(self.mode, RunMode::Forward(_));
        let mut stop: Option<StopEvent> = None;
        let mut logged = Vec::new();
        for one in self.breakpoints.code.iter_mut().filter(|one| one.places.contains(&group.place)) {
            if let Some(error) = target.condition_error(state, group, one.rules.condition.as_ref())
                && !std::mem::replace(&mut one.is_reported, true)
            {
                let body = json!({ "category": "stderr", "output": format!("condition of a breakpoint: {error}\n") });
                self.client.event("output", target.located(group.place, body));
            }
            let Some(thread) = target.first_where(state, group, one.rules.condition.as_ref(), self.focus) else {
                continue;
            };
            one.hits += 1;
            if !one.rules.counts(one.hits) {
                continue;
            }
            if let Some(text) = &one.rules.log {
                logged.push((text.clone(), thread));
                continue;
            }
            let reason = if one.path.is_some() { "breakpoint" } else { "function breakpoint" };
            stop.get_or_insert_with(|| StopEvent::new(reason, thread)).breakpoints.push(one.id);
        }
        for (text, thread) in logged.into_iter().filter(|_| is_forward) {
            let view = target.view(state, FrameHandle { thread, call: 0 });
            let value = |text: &str| {
                let value = Expression::parse(text).and_then(|parsed| match &view {
                    Some(view) => view.evaluate(&parsed),
                    None => Err("no such thread".to_owned()),
                });
                value.map_or_else(|error| format!("<{error}>"), |value| value.text)
            };
            let text = interpolated(&text, value) + "\n";
            self.client.event("output", target.located(group.place, json!({ "category": "console", "output": text })));
        }
        stop
    }

    /// The stop at which a goal is reached.
    pub fn reached(&self, goal: &RunGoal, state: &RunState, group: LaneGroup) -> Option<StopEvent> {
        match goal {
            RunGoal::Entry => Some(StopEvent::new("entry", group.first())),
            RunGoal::Continue => None,
            RunGoal::Step(step) => self.stepped(step, state, group).map(|thread| StopEvent::new("step", thread)),
        }
    }

    /// The thread that a finished step shows.
    fn stepped(&self, step: &StepGoal, state: &RunState, group: LaneGroup) -> Option<ThreadId> {
        let lines = &self.target.as_ref()?.lines;
        let has_run = self.position.previous.is_some_and(|previous| previous.is_in_warp(step.thread));
        let of_group = || Some(if group.contains(step.thread) { step.thread } else { group.first() });
        match step.scope {
            StepScope::Everything => lines.is_first(group.place).then(of_group)?,
            StepScope::Warp if group.is_in_warp(step.thread) => lines.is_first(group.place).then(of_group)?,
            StepScope::Thread if has_run || group.contains(step.thread) => {
                // A thread that has ended shows what runs next.
                let Some(thread) = state.thread(step.thread) else { return Some(group.first()) };
                let own = thread.group();
                let has_moved = step.place != Some(own.place) || step.depth != own.depth;
                let can_run = own.is_ready || group.contains(step.thread);
                let is_deep_enough = match step.kind {
                    StepKind::Into => true,
                    StepKind::Over => own.depth <= step.depth,
                    StepKind::Out => own.depth < step.depth,
                };
                let is_other_line = step.line.is_none() || {
                    let source = lines.at(own.place).and_then(|lines| lines.source.as_ref());
                    source.is_some() && source != step.line.as_ref()
                };
                let done = has_moved && can_run && is_deep_enough && is_other_line && lines.is_first(own.place);
                done.then_some(step.thread)
            }
            StepScope::Warp if has_run => {
                let lives = (0..32).any(|lane| {
                    let first = step.thread.thread / 32 * 32;
                    state.thread(ThreadId { thread: first + lane, ..step.thread }).is_some()
                });
                (!lives).then(|| group.first())
            }
            StepScope::Warp | StepScope::Thread => None,
        }
    }

    /// The stop at an instruction that a step back leads to, if it is the last one.
    pub fn passed(&self, goal: &RunGoal, group: LaneGroup) -> Option<StopEvent> {
        let RunGoal::Step(step) = goal else { return None };
        let lines = &self.target.as_ref()?.lines;
        let is_in_scope = match step.scope {
            StepScope::Thread => group.contains(step.thread) && group.depth <= step.depth,
            StepScope::Warp => group.is_in_warp(step.thread),
            StepScope::Everything => true,
        };
        let is_other_line = step.line.is_none() || {
            let source = lines.at(group.place).and_then(|lines| lines.source.as_ref());
            source.is_some() && source != step.line.as_ref()
        };
        let thread = if group.contains(step.thread) { step.thread } else { group.first() };
        (is_in_scope && is_other_line && lines.is_first(group.place)).then(|| StopEvent::new("step", thread))
    }
}

/// A text with the values of the expressions in its braces.
fn interpolated(text: &str, value: impl Fn(&str) -> String) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((expression, after)) = behind.split_once('}') else { break };
        result += before;
        result += &value(expression);
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::interpolated;

    #[test]
    fn expressions_in_braces() {
        let value = |text: &str| format!("<{text}>");
        assert_eq!(interpolated("a {x} b {y}", value), "a <x> b <y>");
        assert_eq!(interpolated("a {x", value), "a {x");
    }
}
