//! The cause of a data race in sentences about the source: what should have ordered its accesses, and why it does not.

use super::labels::ThreadNames;
use super::places::AuthorPlace;
use super::words::{SourceWords, ValueReach};
use kernel::execution::{CauseKind, ExecutionCause, KernelExecution, MissingOrder, MissingReason};
use std::collections::BTreeMap;

/// The most values that are passed on without order and named.
const MOST_VALUES: usize = 2;

/// Words the cause of an execution.
pub struct CauseSentences<'c> {
    /// The execution.
    pub execution: &'c KernelExecution,
    /// The places of the events of its cause.
    pub places: &'c BTreeMap<usize, AuthorPlace>,
    /// The names of threads.
    pub names: &'c ThreadNames,
    /// The words of the source.
    pub words: SourceWords,
}

impl CauseSentences<'_> {
    /// The sentences.
    pub fn all(&self) -> Vec<(&'static str, String)> {
        let Some(cause) = &self.execution.cause else { return Vec::new() };
        if cause.kind == CauseKind::Unsynchronized {
            let missing = self.execution.missing.iter().take(MOST_VALUES);
            return missing.map(|one| ("cause", self.value(one, cause))).collect();
        }
        self.without_value(cause).map(|sentence| ("cause", sentence)).into_iter().collect()
    }

    /// The line of an event, with its file if that is not the file of the problem.
    fn line(&self, at: usize) -> String {
        let place = |at: &usize| self.places.get(at).map(|one| &one.place);
        let own = self.execution.cause.as_ref().and_then(|cause| place(&cause.accesses[1]));
        match (place(&at), own) {
            (Some(place), Some(own)) if place.path != own.path => format!("line {} of {}", place.line, place.path),
            (Some(place), _) => format!("line {}", place.line),
            (None, _) => "the call".to_owned(),
        }
    }

    fn between(&self, [first, second]: [usize; 2]) -> String {
        let line = |at| self.places.get(&at).map(|one| one.place.line);
        // In the order of the text.
        let [first, second] = if line(first) > line(second) { [second, first] } else { [first, second] };
        match (self.line(first), self.line(second)) {
            (one, other) if one == other => format!("between the two accesses of {one}"),
            (one, other) => format!("between {one} and {other}"),
        }
    }

    fn without_value(&self, ExecutionCause { accesses, kind, events }: &ExecutionCause) -> Option<String> {
        let between = self.between(*accesses);
        let [first, second] = accesses.map(|at| self.execution.events[at].thread);
        Some(match kind {
            CauseKind::Stated | CauseKind::Unsynchronized => return None,
            CauseKind::NoWarpBarrier => format!("no {} {between}", self.words.warp_barriers()),
            CauseKind::NoBarrier => format!("no {} {between}", self.words.barrier()),
            CauseKind::OtherBarriers => {
                format!(
                    "no barrier {between} that both {} and {} pass",
                    self.names.thread(first),
                    self.names.thread(second)
                )
            }
            CauseKind::Copy => {
                let waiting = if self.execution.is_copy(accesses[0]) { second } else { first };
                let thread = self.names.thread(waiting);
                match events.first() {
                    Some(wait) => format!(
                        "{thread} has not waited for this copy: its last wait, {}, ends before the copy does",
                        self.line(*wait)
                    ),
                    None => format!("{thread} has not waited for this copy"),
                }
            }
            CauseKind::NothingPassed => {
                let [one, other] = [first, second].map(|thread| self.names.block(thread.cta));
                format!("{one} and {other} do not synchronize {between}: no value is passed on from one to the other")
            }
        })
    }

    /// A value that is passed on without order.
    fn value(&self, missing: &MissingOrder, cause: &ExecutionCause) -> String {
        let MissingOrder { from, to, reason, misplaced } = missing;
        let [write, read] = [*from, *to].map(|at| &self.execution.events[at]);
        let memory = write.accesses.first().map_or("the value", |access| &access.memory);
        let [first, second] = cause.accesses;
        let is_of_one_block = write.thread.cta == read.thread.cta;
        let reach_of_value = if is_of_one_block { ValueReach::Block } else { ValueReach::OtherBlock };
        let misplaced = misplaced.map(|at| self.line(at));
        let (written, is_read) = (self.line(*from), self.line(*to));
        let reader = self.names.block(read.thread.cta);
        match reason {
            MissingReason::NoRelease => {
                let own = write.thread == self.execution.events[first].thread;
                let place = if own {
                    format!("between {} and {written}", self.line(first))
                } else {
                    format!("before {written}")
                };
                let misplaced = misplaced.map_or_else(String::new, |fence| {
                    format!("; the fence of {fence} is before the access of {}", self.line(first))
                });
                let release = self.words.release(reach_of_value);
                format!("`{memory}` is written without release: no {release} {place}{misplaced}")
            }
            MissingReason::NoAcquire => {
                let own = read.thread == self.execution.events[second].thread;
                let place = if own { self.between([*to, second]) } else { format!("after {is_read}") };
                let misplaced =
                    misplaced.map_or_else(String::new, |fence| format!("; the fence of {fence} is before that read"));
                let acquire = self.words.acquire(reach_of_value);
                format!("`{memory}` is read without acquire: no {acquire} {place}{misplaced}")
            }
            MissingReason::ReleaseScope(scope) | MissingReason::WriteScope(scope) => {
                let what = if matches!(reason, MissingReason::WriteScope(_)) { "write" } else { "release" };
                format!(
                    "the {what} of `{memory}` at {written} is for its {} only, and {reader} reads it",
                    reach(scope.word())
                )
            }
            MissingReason::AcquireScope(scope) | MissingReason::ReadScope(scope) => {
                let what = if matches!(reason, MissingReason::ReadScope(_)) { "read" } else { "acquire" };
                let writer = self.names.block(write.thread.cta);
                format!(
                    "the {what} of `{memory}` at {is_read} is for its {} only, and {writer} writes it",
                    reach(scope.word())
                )
            }
        }
    }
}

/// The threads that a scope includes.
fn reach(scope: &str) -> &'static str {
    match scope {
        "cta" => "block",
        "cluster" => "cluster",
        "gpu" => "GPU",
        _ => "system",
    }
}
