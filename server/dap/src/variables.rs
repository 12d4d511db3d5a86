//! Scopes and variables.

use crate::debugger::Debugger;
use crate::frame_view::{FrameView, TypedValue, moved};
use crate::handles::{FrameHandle, ScopeKind, VariableList};
use crate::memory_reference::memory_reference;
use crate::protocol::{DebugAnswer, number};
use crate::target::DebugTarget;
use kernel::arguments::argument_values::shape_of;
use kernel::expression::Expression;
use kernel::{NamedRegister, NamedVariable};
use machine::RunState;
use program::MemorySpace;
use serde_json::{Value, json};

/// The special registers that are listed.
const SPECIAL: [&str; 13] = [
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%ntid.x",
    "%nctaid.x",
    "%laneid",
    "%warpid",
    "%smid",
    "%cluster_ctarank",
    "%clock",
];
/// The most elements that one answer has.
const MOST_ELEMENTS: u64 = 10_000;

/// A variable with its name.
type NamedValue = (String, TypedValue);

impl Debugger {
    /// The scopes of a frame.
    pub fn scopes(&mut self, arguments: &Value) -> DebugAnswer {
        let frame = self.handles.find_frame(number(arguments, "frameId")?).ok_or("unknown frame")?;
        let scopes = ScopeKind::ALL.map(|kind| {
            let mut scope = json!({
                "name": kind.name(),
                "variablesReference": self.handles.list(VariableList::Scope(frame, kind)),
                "expensive": kind == ScopeKind::Special,
            });
            match kind {
                ScopeKind::Registers => scope["presentationHint"] = json!("registers"),
                ScopeKind::Parameters => scope["presentationHint"] = json!("arguments"),
                ScopeKind::Local => scope["presentationHint"] = json!("locals"),
                _ => {}
            }
            scope
        });
        Ok(json!({ "scopes": scopes }))
    }

    /// The variables of a list.
    pub fn variables(&mut self, arguments: &Value, target: &DebugTarget, state: &RunState) -> DebugAnswer {
        let list = self.handles.find_list(number(arguments, "variablesReference")?).ok_or("unknown variables")?;
        let start = arguments["start"].as_u64().unwrap_or(0);
        let count = arguments["count"].as_u64().filter(|count| *count > 0).unwrap_or(MOST_ELEMENTS).min(MOST_ELEMENTS);
        let (frame, found) = match &list {
            VariableList::Scope(frame, kind) => {
                let view = target.view(state, *frame).ok_or("the thread has ended")?;
                let found = in_scope(&view, *kind).into_iter().skip(start as usize).take(count as usize);
                (*frame, found.collect::<Vec<NamedValue>>())
            }
            VariableList::Elements { frame, memory, shape, ty, count: length } => {
                let view = target.view(state, *frame).ok_or("the thread has ended")?;
                let elements = (start..start.saturating_add(count).min(*length))
                    .filter_map(|index| Some((format!("[{index}]"), view.element(*memory, *shape, ty, index)?)));
                (*frame, elements.collect())
            }
        };
        let shown: Vec<Value> = found
            .into_iter()
            .map(|(name, value)| {
                let mut shown = self.shown_value(&value, frame);
                shown["name"] = json!(name);
                if !name.starts_with('[') {
                    shown["evaluateName"] = json!(name);
                }
                shown
            })
            .collect();
        Ok(json!({ "variables": shown }))
    }

    /// A value for the client, with a list of its elements if it is an array.
    pub fn shown_value(&mut self, value: &TypedValue, frame: FrameHandle) -> Value {
        let mut shown = json!({ "value": value.text, "type": value.ty, "variablesReference": 0 });
        let Some(memory) = value.memory else { return shown };
        shown["memoryReference"] = json!(memory_reference(memory));
        let element = value.ty.split('[').next().unwrap_or_default();
        if let Some(shape) = shape_of(element).filter(|_| value.elements > 1) {
            let (ty, count) = (element.to_owned(), value.elements);
            let list = VariableList::Elements { frame, memory, shape, ty, count };
            shown["variablesReference"] = json!(self.handles.list(list));
            shown["indexedVariables"] = json!(count);
        }
        shown
    }

    /// Which memory a breakpoint on a variable watches.
    pub fn data_breakpoint_info(&mut self, arguments: &Value, target: &DebugTarget, state: &RunState) -> DebugAnswer {
        let name = arguments["name"].as_str().ok_or("missing `name`")?;
        let found = match arguments["variablesReference"].as_u64().filter(|number| *number > 0) {
            Some(number) => match self.handles.find_list(number).ok_or("unknown variables")? {
                VariableList::Scope(frame, kind) => {
                    let view = target.view(state, frame).ok_or("the thread has ended")?;
                    let found = in_scope(&view, kind).into_iter().find(|(known, _)| known == name);
                    found.and_then(|(_, value)| Some((value.memory?, value.size)))
                }
                VariableList::Elements { memory, shape, count, .. } => {
                    let index = name.trim_matches(['[', ']']).parse().ok().filter(|index| *index < count);
                    let size = u64::from(shape.bytes());
                    index.and_then(|index: u64| Some((moved(memory, index * size)?, size)))
                }
            },
            None => {
                let frame = arguments["frameId"].as_u64().and_then(|number| self.handles.find_frame(number));
                let focus = self.focus.map(|thread| FrameHandle { thread, call: 0 });
                let frame = frame.or(focus).ok_or("the kernel is not stopped")?;
                let view = target.view(state, frame).ok_or("the thread has ended")?;
                let value = view.evaluate(&Expression::parse(name)?)?;
                value.memory.map(|memory| (memory, value.size))
            }
        };
        Ok(match found {
            Some((memory, size)) => json!({
                "dataId": format!("{}+{size}", memory_reference(memory)),
                "description": format!("{name} ({size} bytes)"),
                "accessTypes": ["read", "write", "readWrite"],
            }),
            None => json!({ "dataId": null, "description": format!("`{name}` is not in memory") }),
        })
    }
}

/// The variables of a scope.
pub fn in_scope(view: &FrameView, kind: ScopeKind) -> Vec<NamedValue> {
    let of_space = |holds: &dyn Fn(&NamedVariable) -> bool| {
        let found = view.variables().filter(|one| holds(one));
        found.filter_map(|one| Some((one.name.clone(), view.variable(one)?))).collect()
    };
    match kind {
        ScopeKind::Registers => view.registers().flat_map(|register| registers(view, register)).collect(),
        ScopeKind::Special => {
            SPECIAL.iter().filter_map(|name| Some(((*name).to_owned(), view.special(name)?))).collect()
        }
        ScopeKind::Parameters => of_space(&|one| one.space == MemorySpace::Parameter),
        ScopeKind::Buffers => {
            view.loaded.buffers.iter().map(|buffer| (buffer.name.clone(), view.buffer(buffer))).collect()
        }
        ScopeKind::Shared => of_space(&|one| one.space == MemorySpace::SharedCta),
        ScopeKind::Local => of_space(&|one| one.space == MemorySpace::Frame),
        ScopeKind::Module => of_space(&|one| matches!(one.space, MemorySpace::Global | MemorySpace::Constant)),
    }
}

/// The registers of a declaration that have a value.
fn registers(view: &FrameView, register: &NamedRegister) -> Vec<NamedValue> {
    let mut found = Vec::new();
    for number in 0..register.count.unwrap_or(1) {
        for element in 0..register.lanes {
            let Some(value) = view.register(register, number, element).filter(|value| value.is_defined) else {
                continue;
            };
            let mut name = register.name.clone();
            if register.count.is_some() {
                name += &number.to_string();
            }
            if register.lanes > 1 {
                name = format!("{name}.{}", ["x", "y", "z", "w"].get(element as usize).unwrap_or(&"?"));
            }
            found.push((name, value));
        }
    }
    found
}
