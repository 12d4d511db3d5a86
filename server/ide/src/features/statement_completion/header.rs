//! Completions in `.version`, `.target` and `.address_size`: versions, targets and options.

use super::{CompletionList, StatementCompletionKind};
use crate::features::architectures;
use diagnostics::Context;
use isa::directives::{self, DirectivePlace};
use isa::target::{Suffix, Target, Version};
use std::cmp::Reverse;
use syntax::is_name_char;

/// A directive at the start of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderDirective {
    /// `.version`.
    Version,
    /// `.target`, before its first item.
    Target,
    /// `.target`, after a comma.
    TargetOption,
    /// `.address_size`.
    AddressSize,
}

/// The directive whose argument is at the end of a text, and the rest of the text after complete directives. They end without a
/// semicolon, so they are part of the statement that follows.
pub(super) fn split(mut text: &str) -> (Option<HeaderDirective>, &str) {
    while let Some((word, arguments)) = text.split_once(char::is_whitespace) {
        let mut directive = match word {
            ".version" => HeaderDirective::Version,
            ".target" => HeaderDirective::Target,
            ".address_size" => HeaderDirective::AddressSize,
            _ => break,
        };
        let mut rest = arguments.trim_start();
        loop {
            let end = rest.find(|c: char| !(is_name_char(c) || c == '.')).unwrap_or(rest.len());
            if end == rest.len() {
                return (Some(directive), rest);
            }
            rest = rest[end..].trim_start();
            let Some(next) = rest.strip_prefix(',').filter(|_| word == ".target") else { break };
            (directive, rest) = (HeaderDirective::TargetOption, next.trim_start());
        }
        text = rest;
    }
    (None, text)
}

impl CompletionList<'_> {
    /// Adds the arguments of a directive.
    pub(super) fn header_arguments(&mut self, directive: HeaderDirective) {
        match directive {
            HeaderDirective::Version => self.versions(),
            HeaderDirective::Target => self.targets(),
            HeaderDirective::TargetOption => self.options(DirectivePlace::TargetOption),
            HeaderDirective::AddressSize => self.values(&[("64", "64-bit addresses"), ("32", "32-bit addresses")]),
        }
    }

    /// Adds the options of a directive.
    pub(super) fn options(&mut self, place: DirectivePlace) {
        for (rank, option) in (0..).zip(directives::at(place)) {
            self.directive(rank, StatementCompletionKind::Value, option);
        }
    }

    fn values(&mut self, values: &[(&str, &str)]) {
        for (rank, (value, meaning)) in (0..).zip(values) {
            self.item(rank, StatementCompletionKind::Value, (*value).to_owned(), (*meaning).to_owned(), "");
        }
    }

    /// Adds the versions, the newest first.
    fn versions(&mut self) {
        let mut all: Vec<Version> = Version::all().collect();
        all.sort_unstable_by_key(|version| Reverse(*version));
        for (rank, version) in (0..).zip(all) {
            let meaning = match version.toolkit() {
                Some(toolkit) => format!("CUDA {toolkit} and newer"),
                None => "before CUDA 4.0".to_owned(),
            };
            // The dot begins another word for editors: they have to ask again.
            self.item(rank, StatementCompletionKind::Value, version.to_string(), meaning, "").is_truncated = true;
        }
    }

    /// Adds the targets that the module's version supports, the newest first, and those with a suffix after the others.
    fn targets(&mut self) {
        let version = Context::new(self.snapshot).module.version;
        let mut all: Vec<Target> =
            Target::all().filter(|target| version.is_none_or(|version| target.known_by(version))).collect();
        all.sort_by_key(|target| (target.suffix() != Suffix::None, Reverse(target.number())));
        for (rank, target) in (0..).zip(all) {
            let since = || format!("requires PTX {}", target.since());
            let meaning = architectures::summary(target).unwrap_or_else(since);
            self.item(
                rank,
                StatementCompletionKind::Value,
                target.to_string(),
                meaning,
                &architectures::details(target),
            );
        }
    }
}
