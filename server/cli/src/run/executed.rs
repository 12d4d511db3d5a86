//! What of a kernel some execution has executed: a proof says nothing about the rest.

use super::PreparedKernel;
use crate::render::counted;
use kernel::stream::{StreamKernel, StreamPlace};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The most ranges of lines that the text names.
const SHOWN_RANGES: usize = 12;

/// How many there are, and how many some execution has executed.
#[derive(Clone, Copy, Debug, Default)]
struct ExecutedCount {
    executed: usize,
    all: usize,
}

impl ExecutedCount {
    const fn add(&mut self, is_executed: bool) {
        self.executed += is_executed as usize;
        self.all += 1;
    }
}

/// The instructions of the kernels of a launch.
#[derive(Debug, Default)]
pub struct ExecutedSummary {
    instructions: ExecutedCount,
    /// Those that access global, shared or local memory.
    accesses: ExecutedCount,
    /// The lines with instructions that none has executed.
    missing: BTreeSet<usize>,
    /// The lines of the source of which none has executed an instruction, if problems are shown there.
    missing_at_source: Option<BTreeSet<usize>>,
}

impl ExecutedSummary {
    /// Of kernels, of which executions have executed some places.
    pub fn new(prepared: &PreparedKernel, executed: &BTreeSet<StreamPlace>) -> Self {
        // An instruction of the module is one or more of the machine.
        let mut instructions: BTreeMap<(usize, usize), (bool, bool)> = BTreeMap::new();
        for (number, StreamKernel { kernel, .. }) in prepared.stream().into_iter().enumerate() {
            for (place, instruction) in kernel.instructions() {
                let range = kernel.range(place);
                // The end of a function returns without an instruction of the module.
                if prepared.snapshot.file.text().byte_slice(range.clone()).to_string().starts_with('}') {
                    continue;
                }
                let (accesses, is_executed) = instructions.entry((range.start, range.end)).or_default();
                *accesses |= instruction.action.accesses_memory();
                *is_executed |= executed.contains(&(number, place));
            }
        }
        let missing_at_source = prepared.source_view().map(|view| {
            let offsets: Vec<usize> = instructions.keys().map(|(start, _)| *start).collect();
            let lines = view.lines(&offsets).into_iter().zip(instructions.values());
            let of = |wanted: bool| {
                let lines = lines.clone().filter(move |(_, (_, is_executed))| *is_executed == wanted);
                lines.filter_map(|(line, _)| line).collect::<BTreeSet<usize>>()
            };
            of(false).difference(&of(true)).copied().collect()
        });
        let mut summary = Self { missing_at_source, ..Self::default() };
        for ((start, _), (accesses, is_executed)) in instructions {
            summary.instructions.add(is_executed);
            if accesses {
                summary.accesses.add(is_executed);
            }
            if !is_executed {
                summary.missing.insert(prepared.snapshot.file.position(start).line + 1);
            }
        }
        summary
    }

    /// A line for people, if something was not executed.
    pub fn text(&self) -> String {
        let missing = self.missing_at_source.as_ref().unwrap_or(&self.missing);
        if missing.is_empty() {
            return String::new();
        }
        let of = |count: ExecutedCount, what: &str| format!("{} of {}", count.executed, counted(count.all, what));
        let mut text = format!("executed: {}", of(self.instructions, "instruction"));
        if self.accesses.all > 0 {
            let accesses = format!("{} of {}", self.accesses.executed, self.accesses.all);
            let _ = write!(text, ", {accesses} memory accesses");
        }
        let ranges = ranges(missing);
        let shown: Vec<String> = ranges.iter().take(SHOWN_RANGES).map(|(first, last)| named(*first, *last)).collect();
        let more = if ranges.len() > SHOWN_RANGES { ", …" } else { "" };
        let word = if missing.len() == 1 { "line" } else { "lines" };
        let _ = writeln!(text, "; no execution executes {word} {}{more}", shown.join(", "));
        text
    }

    /// The same for programs.
    pub fn json(&self) -> Json {
        json!({
            "instructions": self.instructions.executed,
            "of_instructions": self.instructions.all,
            "accesses": self.accesses.executed,
            "of_accesses": self.accesses.all,
            "missing": self.missing,
        })
    }
}

/// `12`, or `12 to 15`
fn named(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

/// Lines as ranges of their first and last one.
fn ranges(lines: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match ranges.last_mut().filter(|(_, last)| last + 1 == *line) {
            Some((_, last)) => *last = *line,
            None => ranges.push((*line, *line)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_ranges() {
        assert_eq!(ranges(&BTreeSet::from([3, 4, 5, 9, 11, 12])), [(3, 5), (9, 9), (11, 12)]);
        assert_eq!([named(3, 5), named(9, 9)], ["3 to 5", "9"]);
    }
}
