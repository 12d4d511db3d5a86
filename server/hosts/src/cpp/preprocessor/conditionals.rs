//! The open `#if`s at the current position, and their combined condition.

use super::condition::ArchCondition;
use super::function_scopes::FunctionScopes;
use std::ops::Range;

/// The open `#if`s, and the functions at the current position.
#[derive(Clone, Debug, Default)]
pub(in crate::cpp) struct Conditionals {
    /// The outermost first.
    frames: Vec<Frame>,
    /// Each branch of an `#if` begins with those before it, and the first one says which follow.
    pub(super) scopes: FunctionScopes,
}

/// An `#if` with its branches.
#[derive(Clone, Debug)]
struct Frame {
    /// The condition that no branch so far was taken.
    otherwise: ArchCondition,
    /// The condition that the current branch is taken.
    here: ArchCondition,
    /// The condition around the `#if`.
    around: ArchCondition,
    /// The range of the name of an `#ifndef` without content so far: it may be a header guard.
    guards: Option<Range<usize>>,
    /// The offset at which the current branch begins; `None` in a header guard.
    start: Option<usize>,
    /// The functions before it.
    scopes: FunctionScopes,
    /// The functions at the end of its first branch, if it has several.
    scopes_of_first: Option<FunctionScopes>,
}

impl Conditionals {
    /// The number of open `#if`s.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The condition of the current branch.
    pub fn here(&self) -> ArchCondition {
        self.frames.last().map_or_else(ArchCondition::always, |frame| frame.around.and(&frame.here))
    }

    /// The offset at which the current branch begins; `None` outside of any `#if`, and in a header guard.
    pub(super) fn branch_start(&self) -> Option<usize> {
        self.frames.last()?.start
    }

    /// Enters an `#if`, whose first branch begins at an offset; for an `#ifndef`, `guards` is the range of its name.
    pub(super) fn open(&mut self, condition: ArchCondition, guards: Option<Range<usize>>, start: usize) {
        let around = self.here();
        self.frames.push(Frame {
            otherwise: condition.clone().not(),
            here: condition,
            around,
            guards,
            start: Some(start),
            scopes: self.scopes.clone(),
            scopes_of_first: None,
        });
    }

    /// Enters the next branch, with its condition, at an offset.
    pub(super) fn otherwise(&mut self, condition: &ArchCondition, start: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.start = Some(start);
            let before = std::mem::replace(&mut self.scopes, frame.scopes.clone());
            frame.scopes_of_first.get_or_insert(before);
            frame.here = frame.otherwise.and(condition);
            frame.otherwise = frame.otherwise.and(&condition.clone().not());
        }
    }

    /// An `#endif`.
    pub(super) fn close(&mut self) {
        if let Some(scopes) = self.frames.pop().and_then(|frame| frame.scopes_of_first) {
            self.scopes = scopes;
        }
    }

    /// An `#ifndef` that does not begin with `#define` is not a header guard.
    pub(super) fn mark_content(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.guards = None;
        }
    }

    /// Whether a `#define` is the first directive in an `#ifndef` of the same name: a header guard implies nothing.
    pub(super) fn is_header_guard(&mut self, text: &str, name: &str) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        let is_guard = frame.guards.take().is_some_and(|guards| &text[guards] == name);
        if is_guard {
            (frame.here, frame.otherwise) = (ArchCondition::always(), ArchCondition::never());
            frame.start = None;
        }
        is_guard
    }
}
