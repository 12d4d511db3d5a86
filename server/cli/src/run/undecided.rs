//! Why a verdict of `check` is not about all executions, with the instructions that the reason is about: as text and as JSON.

use super::PreparedKernel;
use crate::render::counted;
use explorer::{BufferingReason, Omission};
use kernel::reports::omission_text::{OmissionBounds, OmissionPlace, OmissionText};
use kernel::stream::{StreamPlace, StreamVerification};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// What was left out.
pub struct Undecided<'u> {
    /// What was found.
    pub found: &'u StreamVerification,
    /// The kernels.
    pub prepared: &'u PreparedKernel,
    /// The bound on states.
    pub max_states: usize,
}

impl Undecided<'_> {
    /// Why the verdict is not about all executions, for people.
    pub fn text(&self) -> Option<String> {
        // Where buffered executions alone are left out, the launch has problems, or another reason stands beside this one.
        let mut omissions = self.found.total.omissions.iter().filter(|one| **one != Omission::BufferedExecutions);
        omissions.next().map(|omission| self.text_of(*omission))
    }

    fn text_of(&self, omission: Omission) -> String {
        let instructions = self.prepared.stream().first().map_or(0, |one| one.launch.max_instructions);
        let bounds = OmissionBounds {
            states: counted(self.max_states, "state"),
            instructions: counted(usize::try_from(instructions).unwrap_or(usize::MAX), "instruction"),
        };
        let text = OmissionText::of(omission, &bounds);
        // The summary of what was executed names the lines without an access.
        let lines = if text.place == OmissionPlace::NotExecuted { String::new() } else { listed(&self.shown_lines()) };
        let lines = match (&*lines, text.place == OmissionPlace::MostStates) {
            ("", _) => String::new(),
            (lines, true) => format!(" (most by {lines})"),
            (lines, false) => format!(" ({lines})"),
        };
        let advice = text.advice(|option| format!("raise {option}"));
        if advice.is_empty() { format!("{}{lines}", text.why) } else { format!("{}{lines}: {advice}", text.why) }
    }

    /// The same as a JSON object, if something is undecided.
    pub fn json(&self) -> Option<Json> {
        let total = &self.found.total;
        let file = &self.prepared.snapshot.file;
        let instruction = |(number, place): &StreamPlace| {
            let range = self.prepared.stream()[*number].kernel.range(*place);
            let text = file.text().byte_slice(range.clone()).to_string();
            let instruction = text.split_whitespace().collect::<Vec<_>>().join(" ");
            json!({ "line": file.position(range.start).line + 1, "instruction": instruction })
        };
        let reason = total.unfinished()?;
        let mut object = json!({
            "reason": reason.code(),
            "lines": self.lines(),
            "instructions": self.found.undecided.iter().map(instruction).collect::<Vec<_>>(),
        });
        if let Omission::LoadBuffering(cause) = reason {
            object["cause"] = json!(match cause {
                BufferingReason::DecidesWrites => "decides-writes",
                BufferingReason::PossibleProblem => "possible-problem",
                BufferingReason::Bound => "bound",
            });
        }
        Some(object)
    }

    fn lines(&self) -> BTreeSet<usize> {
        self.found.undecided.iter().map(|place| self.prepared.line(*place)).collect()
    }

    /// The lines for people.
    fn shown_lines(&self) -> BTreeSet<usize> {
        let places: Vec<StreamPlace> = self.found.undecided.iter().copied().collect();
        self.prepared.shown_lines(&places).into_iter().flatten().collect()
    }
}

/// `line 3`, or `lines 3, 5`.
fn listed(lines: &BTreeSet<usize>) -> String {
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!("{word} {}", numbers.join(", ")) }
}
