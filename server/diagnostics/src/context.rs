//! What a module is assembled for: its own directives, or what the settings put in their place.

use crate::Snapshot;
use crate::TargetSource;
use isa::Module;
use isa::target::{Target, Version};
use std::ops::Range;
use syntax::{Header, LintFile};

/// A module's version and target, and where they are written.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The head of the file.
    pub header: Header<'a>,
    /// What instructions are checked against.
    pub module: Module,
    /// The toolkit that shall take the module, by its number, and the newest version that it knows.
    pub toolkit: Option<(String, Version)>,
    /// Where the version that counts is written; `None` where a setting gives it or nobody does.
    pub version_at: Option<Range<usize>>,
    /// Where the target that counts is written; `None` where a setting gives it or nobody does.
    pub target_at: Option<Range<usize>>,
}

impl<'a> Context<'a> {
    /// Who says which version counts.
    pub fn version_source(&self) -> TargetSource {
        if self.version_at.is_some() { TargetSource::Module } else { TargetSource::Settings }
    }

    /// Who says which target counts.
    pub fn target_source(&self) -> TargetSource {
        if self.target_at.is_some() { TargetSource::Module } else { TargetSource::Settings }
    }

    /// The context of a snapshot.
    pub fn new<F: AsRef<LintFile>>(snapshot: &'a Snapshot<F>) -> Self {
        let header = snapshot.file.as_ref().header();
        let settings = &snapshot.settings;
        let items: Vec<&str> = header.targets.iter().map(|token| &*token.text).collect();
        let written = isa::header::module(header.version.as_ref().map_or("", |token| &token.text), &items);
        let version = header.version.as_ref().filter(|_| settings.version.is_none());
        let target = header.targets.iter().rev().find(|token| Target::parse(&token.text).is_some());
        let target = target.filter(|_| settings.target.is_none());
        Context {
            module: Module {
                version: settings.version.or(written.version),
                target: settings.target.or(written.target),
            },
            version_at: version.map(|token| token.range.clone()),
            target_at: target.map(|token| token.range.clone()),
            toolkit: settings.toolkit.clone().and_then(|number| Some((number.clone(), Version::of_toolkit(&number)?))),
            header,
        }
    }
}
