//! The `#if`s that are open where the reader stands, and what they promise together.

use super::condition::ArchCondition;
use std::ops::Range;

/// The open `#if`s, the outermost first.
#[derive(Clone, Debug, Default)]
pub(in crate::cpp) struct Conditionals(Vec<Frame>);

/// An `#if` with its branches.
#[derive(Clone, Debug)]
struct Frame {
    /// No branch so far was taken.
    otherwise: ArchCondition,
    /// The branch that is read is.
    here: ArchCondition,
    /// The condition around the `#if`.
    around: ArchCondition,
    /// The name of an `#ifndef`, as long as nothing else stood in it: it may guard a header.
    guards: Option<Range<usize>>,
}

impl Conditionals {
    /// How many are open.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// The condition of the current branch.
    pub fn here(&self) -> ArchCondition {
        self.0.last().map_or_else(ArchCondition::always, |frame| frame.around.and(&frame.here))
    }

    /// An `#if`; of an `#ifndef` where its name is written.
    pub(super) fn open(&mut self, condition: ArchCondition, guards: Option<Range<usize>>) {
        let around = self.here();
        self.0.push(Frame { otherwise: condition.clone().not(), here: condition, around, guards });
    }

    /// The next branch, taken under a condition if none before it was.
    pub(super) fn otherwise(&mut self, condition: &ArchCondition) {
        if let Some(frame) = self.0.last_mut() {
            frame.here = frame.otherwise.and(condition);
            frame.otherwise = frame.otherwise.and(&condition.clone().not());
        }
    }

    /// An `#endif`.
    pub(super) fn close(&mut self) {
        self.0.pop();
    }

    /// An `#ifndef` that does not begin with `#define` is not a header guard.
    pub(super) fn something_stands_here(&mut self) {
        if let Some(frame) = self.0.last_mut() {
            frame.guards = None;
        }
    }

    /// Whether a `#define` of a name is the first thing in an `#ifndef` of the same name. A header's own guard says nothing.
    pub(super) fn is_header_guard(&mut self, text: &str, name: &str) -> bool {
        let Some(frame) = self.0.last_mut() else { return false };
        let is_guard = frame.guards.take().is_some_and(|guards| &text[guards] == name);
        if is_guard {
            (frame.here, frame.otherwise) = (ArchCondition::always(), ArchCondition::never());
        }
        is_guard
    }
}
