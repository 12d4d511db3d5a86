//! The requests that edit the state, and edits that are made again when the run is repeated.

use crate::debugger::Debugger;
use crate::edit_history::{AfterEdit, EditAnswer, Writable};
use crate::frame_view::moved;
use crate::goals::StopEvent;
use crate::handles::{FrameHandle, VariableList};
use crate::memory::written;
use crate::protocol::{DebugAnswer, DebugRequest, number};
use crate::target::DebugTarget;
use kernel::expression::Expression;
use machine::{RunControl, RunState, StateEdit};
use serde_json::Value;

impl Debugger {
    /// Whether a request edits the state.
    pub fn edits_state(request: &DebugRequest) -> bool {
        matches!(request.command.as_str(), "setVariable" | "setExpression" | "writeMemory")
    }

    /// Lets the machine make the edits of a request, after which it is answered.
    pub fn edit(&mut self, request: DebugRequest, state: &RunState) -> Option<RunControl> {
        match self.requested_edits(&request, state) {
            Ok((edits, answer)) => {
                self.edits.add(self.position.step, &edits);
                self.forget_shown(state);
                self.to_edit = edits;
                self.after_edit = Some(AfterEdit::Answer(request, answer));
                Some(RunControl::Edit)
            }
            Err(message) => {
                self.client.respond(&request, Err(message));
                None
            }
        }
    }

    /// Goes on after edits were made; `None` if there were none.
    pub fn after_edit(&mut self, state: &RunState) -> Option<RunControl> {
        Some(match self.after_edit.take()? {
            AfterEdit::GoOn => RunControl::Continue,
            AfterEdit::Stop(stop) => self.stop(state, stop),
            AfterEdit::Answer(request, answer) => {
                let answer = self.edited(answer, state);
                self.client.respond(&request, answer);
                self.serve_stop(state)
            }
        })
    }

    /// Makes the edits again that were made before this step, if any, and stops then if it would have stopped.
    pub fn repeat_edits(&mut self, reached: Option<StopEvent>) -> Result<RunControl, Option<StopEvent>> {
        self.to_edit = self.edits.at(self.position.step);
        if self.to_edit.is_empty() {
            return Err(reached);
        }
        self.after_edit = Some(reached.map_or(AfterEdit::GoOn, AfterEdit::Stop));
        Ok(RunControl::Edit)
    }

    fn requested_edits(
        &mut self,
        request: &DebugRequest,
        state: &RunState,
    ) -> Result<(Vec<StateEdit>, EditAnswer), String> {
        let target = self.target.clone().ok_or("no kernel is launched")?;
        if state.running().is_none() {
            return Err("the run has ended: nothing can be changed".to_owned());
        }
        let arguments = &request.arguments;
        if request.command == "writeMemory" {
            let (edit, body) = written(arguments, state)?;
            return Ok((vec![edit], EditAnswer::Body(body)));
        }
        let text = arguments["value"].as_str().ok_or("missing `value`")?;
        let (frame, writable) = match request.command.as_str() {
            "setVariable" => self.variable_to_set(arguments, &target, state)?,
            _ => self.expression_to_set(arguments, &target, state)?,
        };
        let view = target.view(state, frame).ok_or("the thread has ended")?;
        let edits = view.assigned(&writable, text)?;
        Ok((edits, EditAnswer::Value(frame, writable)))
    }

    fn variable_to_set(
        &self,
        arguments: &Value,
        target: &DebugTarget,
        state: &RunState,
    ) -> Result<(FrameHandle, Writable), String> {
        let number = number(arguments, "variablesReference")?;
        let name = arguments["name"].as_str().ok_or("missing `name`")?;
        match self.handles.find_list(number).ok_or("unknown variables")? {
            VariableList::Scope(frame, kind) => {
                let view = target.view(state, frame).ok_or("the thread has ended")?;
                Ok((frame, view.writable_in(kind, name)?))
            }
            VariableList::Elements { frame, memory, shape, ty, count } => {
                let index = name.trim_matches(['[', ']']).parse().ok().filter(|index: &u64| *index < count);
                let place = index.and_then(|index| moved(memory, index * u64::from(shape.bytes())));
                let memory = place.ok_or_else(|| format!("no element `{name}`"))?;
                Ok((frame, Writable::Memory { memory, shape, ty }))
            }
        }
    }

    fn expression_to_set(
        &self,
        arguments: &Value,
        target: &DebugTarget,
        state: &RunState,
    ) -> Result<(FrameHandle, Writable), String> {
        let text = arguments["expression"].as_str().ok_or("missing `expression`")?;
        let frame = self.frame_or_focus(arguments)?;
        let view = target.view(state, frame).ok_or("the thread has ended")?;
        Ok((frame, view.writable(&Expression::parse(text)?, text)?))
    }

    fn edited(&mut self, answer: EditAnswer, state: &RunState) -> DebugAnswer {
        match answer {
            EditAnswer::Body(body) => Ok(body),
            EditAnswer::Value(frame, writable) => {
                let target = self.target.clone().ok_or("no kernel is launched")?;
                let view = target.view(state, frame).ok_or("the thread has ended")?;
                let value = view.value_of(&writable).ok_or("the value cannot be read")?;
                Ok(self.shown_value(&value, frame))
            }
        }
    }
}
