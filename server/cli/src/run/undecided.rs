//! Why a verdict of `check` is not about all executions, with the instructions that the reason is about: as text and as JSON.

use super::PreparedKernel;
use crate::render::counted;
use emulator::machine::{BufferingReason, Omission};
use evaluation::kernel::stream::{StreamPlace, StreamVerification};
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

/// Why, and what to do.
struct LimitText {
    why: String,
    /// What stands before the lines.
    relation: &'static str,
    advice: &'static str,
}

impl LimitText {
    fn new(why: impl Into<String>, advice: &'static str) -> Self {
        Self { why: why.into(), relation: "", advice }
    }

    /// The lines are those with the most states.
    fn with_most(why: String, advice: &'static str) -> Self {
        Self { why, relation: "most by ", advice }
    }
}

impl Undecided<'_> {
    /// Why the verdict is not about all executions, for people.
    pub fn text(&self) -> Option<String> {
        self.found.total.omissions.iter().find_map(|omission| self.text_of(*omission))
    }

    fn text_of(&self, omission: Omission) -> Option<String> {
        let text = match omission {
            Omission::LoadBuffering(cause) => return Some(self.load_buffering(cause)),
            // The summary of what was executed names the lines.
            Omission::NoAccess => {
                "the kernel accesses memory, and no execution of this launch does: change the arguments or sizes so that threads reach an access"
            }
            Omission::AfterProblem => "other executions were left out: fix these problems first",
            Omission::WaitRounds => {
                "of loops that wait and count, or read a clock, only the first rounds were explored: see --wait-rounds"
            }
            Omission::ReadSequences => {
                "of values that threads write again and again, not all sequences that others may read were explored: raise --max-states"
            }
            Omission::LaneGroups => {
                "of groups of lanes that may execute `activemask` together, only some were explored"
            }
            // The launch has problems, or another reason stands beside this one.
            Omission::BufferedExecutions => return None,
            Omission::States
            | Omission::Choices
            | Omission::Writes
            | Omission::Memories
            | Omission::Cancelled
            | Omission::Instructions
            | Omission::Waits
            | Omission::Allocations
            | Omission::Warpgroups
            | Omission::Overlap => return Some(self.limit(omission)),
        };
        Some(text.to_owned())
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

    fn limit(&self, why: Omission) -> String {
        let LimitText { why, relation, advice } = self.limit_of(why);
        match &*listed(&self.shown_lines()) {
            "" => format!("{why}: {advice}"),
            lines => format!("{why} ({relation}{lines}): {advice}"),
        }
    }

    fn limit_of(&self, why: Omission) -> LimitText {
        const MORE_STATES: &str = "raise --max-states, or check a smaller launch";
        let states = counted(self.max_states, "state");
        match why {
            Omission::Choices => LimitText::with_most(
                "an access has more combinations of values than the bound on states allows".to_owned(),
                MORE_STATES,
            ),
            Omission::Memories => LimitText::with_most(
                "a kernel leaves more different memories to the next one than the bound on states allows".to_owned(),
                MORE_STATES,
            ),
            Omission::Writes => LimitText::with_most(
                format!(
                    "the bound on writes that others may still read was reached, which grows with that of {states}"
                ),
                MORE_STATES,
            ),
            Omission::Instructions => {
                let instructions = self.prepared.stream().first().map_or(0, |one| one.launch.max_instructions);
                let instructions = counted(usize::try_from(instructions).unwrap_or(usize::MAX), "instruction");
                LimitText::new(format!("the bound of {instructions} was reached"), "raise --max-instructions")
            }
            Omission::Waits => LimitText::new("loops that wait and count may not end", "raise --wait-rounds"),
            Omission::Allocations => LimitText::new(
                "of allocations, uses and frees of tensor memory by several warps that nothing orders, one order was explored",
                "synchronize them",
            ),
            Omission::Warpgroups => LimitText::new(
                "warps of a warpgroup wait for products of others that do not multiply with them, and one order was explored",
                "execute `wgmma` in all four warps",
            ),
            Omission::Overlap => LimitText::new(
                "of strong accesses of kernels that overlap, one order was explored",
                "wait before them, by `griddepcontrol.wait`",
            ),
            Omission::Cancelled => LimitText::with_most(
                "the time of --seconds has passed".to_owned(),
                "raise it, or check a smaller launch",
            ),
            Omission::States
            | Omission::LoadBuffering(_)
            | Omission::NoAccess
            | Omission::AfterProblem
            | Omission::WaitRounds
            | Omission::ReadSequences
            | Omission::LaneGroups
            | Omission::BufferedExecutions => {
                LimitText::with_most(format!("the bound of {states} was reached"), MORE_STATES)
            }
        }
    }

    /// Why executions with load buffering are not ruled out, and which reads they are about.
    fn load_buffering(&self, cause: BufferingReason) -> String {
        let why = match cause {
            BufferingReason::DecidesWrites => "what is written may depend on these reads",
            BufferingReason::PossibleProblem => "with other values of these reads a search finds a possible problem",
            BufferingReason::Bound => {
                "the searches with other values of these reads have reached their bounds: raise --max-states"
            }
        };
        let lines = self.shown_lines();
        let reads = match lines.len() {
            0 => "order reads".to_owned(),
            1 => format!("order the read at {}", listed(&lines)),
            _ => format!("order the reads at {}", listed(&lines)),
        };
        format!(
            "executions in which threads read what others write after their own reads (load buffering) may have a problem, as {why}; {reads} before the writes after them, by acquire and release"
        )
    }
}

/// `line 3`, or `lines 3, 5`.
fn listed(lines: &BTreeSet<usize>) -> String {
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!("{word} {}", numbers.join(", ")) }
}
