//! Requests that set breakpoints.

use crate::breakpoints::{CodeBreakpoint, DataBreakpoint, HitCondition, HitRules};
use crate::debugger::Debugger;
use crate::memory_reference::parse_reference;
use crate::protocol::{DebugAnswer, number};
use crate::target::source;
use kernel::expression::Expression;
use program::CodePlace;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The most breakpoints of a file, on functions and on memory: each is looked at before each instruction.
const MOST_BREAKPOINTS: usize = 10_000;

impl Debugger {
    /// Sets the breakpoints of a file.
    pub fn set_breakpoints(&mut self, arguments: &Value) -> DebugAnswer {
        let (path, answers) = self.place_breakpoints(arguments, &[])?;
        self.breakpoints.asked.retain(|(known, ..)| known.as_ref() != Some(&path));
        self.breakpoints.asked.push((Some(path), arguments.clone(), ids(&answers)));
        Ok(json!({ "breakpoints": answers }))
    }

    /// Sets the breakpoints on functions.
    pub fn set_function_breakpoints(&mut self, arguments: &Value) -> DebugAnswer {
        let answers = self.place_function_breakpoints(arguments, &[])?;
        self.breakpoints.asked.retain(|(known, ..)| known.is_some());
        self.breakpoints.asked.push((None, arguments.clone(), ids(&answers)));
        Ok(json!({ "breakpoints": answers }))
    }

    /// Sets the breakpoints anew in a module that was loaded again, and tells the client where they are.
    pub fn place_again(&mut self) {
        for (path, arguments, numbers) in self.breakpoints.asked.clone() {
            let placed = match path {
                Some(_) => self.place_breakpoints(&arguments, &numbers).map(|(_, answers)| answers),
                None => self.place_function_breakpoints(&arguments, &numbers),
            };
            for breakpoint in placed.unwrap_or_default() {
                self.client.event("breakpoint", json!({ "reason": "changed", "breakpoint": breakpoint }));
            }
        }
    }

    /// Places the breakpoints of a file; with the numbers that they had, if they had some.
    fn place_breakpoints(&mut self, arguments: &Value, numbers: &[u64]) -> Result<(PathBuf, Vec<Value>), String> {
        let path = PathBuf::from(arguments["source"]["path"].as_str().ok_or("missing the path of `source`")?);
        let wanted = list(arguments, "breakpoints")?;
        let (mut new, mut answers) = (Vec::new(), Vec::new());
        for (at, one) in wanted.iter().enumerate() {
            let answer = within_limit(at).and_then(|()| {
                let (line, places) = self.instructions_at(&path, number(one, "line")?)?;
                Ok((line, places, hit_rules(one)?))
            });
            let id = numbers.get(at).copied().unwrap_or_else(|| self.breakpoints.next_id());
            answers.push(match answer {
                Ok((line, places, rules)) => {
                    let (shown, path) = (source(&path), Some(path.clone()));
                    new.push(CodeBreakpoint { id, path, places, rules, hits: 0, is_reported: false });
                    json!({ "id": id, "verified": true, "line": line, "source": shown })
                }
                Err(message) => {
                    let mut answer = json!({ "id": id, "verified": false, "message": message });
                    if let Some(line) = one["line"].as_u64() {
                        answer["line"] = json!(line);
                    }
                    answer
                }
            });
        }
        self.breakpoints.replace(Some(&path), new);
        Ok((path, answers))
    }

    /// The line that has a breakpoint that is set on a line, and its instructions.
    fn instructions_at(&self, path: &Path, line: u64) -> Result<(u64, Vec<CodePlace>), String> {
        let found = self.target.as_ref().and_then(|target| target.lines.find(path, line));
        found.ok_or_else(|| "no instruction of the kernel at or after this line".to_owned())
    }

    fn place_function_breakpoints(&mut self, arguments: &Value, numbers: &[u64]) -> Result<Vec<Value>, String> {
        let wanted = list(arguments, "breakpoints")?;
        let (mut new, mut answers) = (Vec::new(), Vec::new());
        for (at, one) in wanted.iter().enumerate() {
            let name = one["name"].as_str().ok_or("missing `name`")?;
            let functions = self.target.as_ref().map(|target| &target.loaded.kernel.program.functions);
            let found = functions.and_then(|functions| functions.iter().position(|function| function.name == name));
            let found = found.ok_or_else(|| format!("no function `{name}` that the kernel calls"));
            let id = numbers.get(at).copied().unwrap_or_else(|| self.breakpoints.next_id());
            let found = within_limit(at).and_then(|()| Ok((found?, hit_rules(one)?)));
            answers.push(match found {
                Ok((function, rules)) => {
                    let places = vec![CodePlace { function: function as u32, instruction: 0 }];
                    new.push(CodeBreakpoint { id, path: None, places, rules, hits: 0, is_reported: false });
                    json!({ "id": id, "verified": true })
                }
                Err(message) => json!({ "id": id, "verified": false, "message": message }),
            });
        }
        self.breakpoints.replace(None, new);
        Ok(answers)
    }

    /// Sets the breakpoints on memory.
    pub fn set_data_breakpoints(&mut self, arguments: &Value) -> DebugAnswer {
        let wanted = list(arguments, "breakpoints")?;
        let (mut new, mut answers) = (Vec::new(), Vec::new());
        for (at, one) in wanted.iter().enumerate() {
            let text = one["dataId"].as_str().ok_or("missing `dataId`")?;
            let memory = text.split_once('+').and_then(|(reference, size)| {
                Some((parse_reference(reference)?, size.parse().ok().filter(|size| *size > 0)?))
            });
            let memory = memory.ok_or_else(|| format!("unknown memory `{text}`"));
            let (reads, writes) = match one["accessType"].as_str() {
                Some("read") => (true, false),
                Some("readWrite") => (true, true),
                _ => (false, true),
            };
            let id = self.breakpoints.next_id();
            let found = within_limit(at).and_then(|()| Ok((memory?, hit_rules(one)?)));
            answers.push(match found {
                Ok(((memory, size), rules)) => {
                    new.push(DataBreakpoint { id, memory, size, reads, writes, rules, hits: 0 });
                    json!({ "id": id, "verified": true })
                }
                Err(message) => json!({ "id": id, "verified": false, "message": message }),
            });
        }
        self.breakpoints.data = new;
        Ok(json!({ "breakpoints": answers }))
    }

    /// Sets the kinds of problems that stop the run.
    pub fn set_exceptions(&mut self, arguments: &Value) -> DebugAnswer {
        let filters = list(arguments, "filters")?;
        self.breakpoints.problems = filters.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
        Ok(Value::Null)
    }

    /// The lines of a range that can have a breakpoint.
    pub fn breakpoint_locations(&self, arguments: &Value) -> DebugAnswer {
        let path = arguments["source"]["path"].as_str().ok_or("missing the path of `source`")?;
        let first = number(arguments, "line")?;
        let last = arguments["endLine"].as_u64().unwrap_or(first);
        let target = self.target.as_ref().ok_or("no kernel is launched")?;
        let lines = target.lines.lines_of(Path::new(path)).into_iter().filter(|line| (first..=last).contains(line));
        let locations: Vec<Value> = lines.map(|line| json!({ "line": line })).collect();
        Ok(json!({ "breakpoints": locations }))
    }
}

/// Whether one more breakpoint may be set after a number of others.
fn within_limit(others: usize) -> Result<(), String> {
    if others < MOST_BREAKPOINTS { Ok(()) } else { Err("more than 10,000 breakpoints".to_owned()) }
}

/// The numbers of breakpoints.
fn ids(answers: &[Value]) -> Vec<u64> {
    answers.iter().filter_map(|answer| answer["id"].as_u64()).collect()
}

/// A list among the arguments; empty if it is missing.
fn list<'a>(arguments: &'a Value, name: &str) -> Result<&'a [Value], String> {
    match &arguments[name] {
        Value::Null => Ok(&[]),
        Value::Array(list) => Ok(list),
        _ => Err(format!("expected a list of `{name}`")),
    }
}

/// When a breakpoint stops.
fn hit_rules(breakpoint: &Value) -> Result<HitRules, String> {
    let text = |name: &str| breakpoint[name].as_str().filter(|text| !text.trim().is_empty());
    Ok(HitRules {
        condition: text("condition").map(Expression::parse).transpose()?,
        count: text("hitCondition").map(HitCondition::parse).transpose()?,
        log: text("logMessage").map(str::to_owned),
    })
}
