//! The version and target of a module, from its directives or from the settings.

use crate::{ModuleSources, Snapshot, TargetSource};
use isa::Module;
use isa::target::{Target, Version};
use std::ops::Range;
use syntax::{Header, LintFile};

/// The version and target of a module, and the ranges of the directives.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The header of the file.
    pub header: Header<'a>,
    /// The version and target that instructions are checked for.
    pub module: Module,
    /// The configured toolkit, and the newest version that it supports.
    pub toolkit: Option<(String, Version)>,
    /// The range of the effective version; `None` if the settings override it or it is missing.
    pub version_at: Option<Range<usize>>,
    /// The range of the effective target; `None` if the settings override it or it is missing.
    pub target_at: Option<Range<usize>>,
}

impl<'a> Context<'a> {
    /// The sources of the target and the version.
    pub fn sources(&self) -> ModuleSources {
        let source = |directive: &Option<Range<usize>>| match directive {
            Some(_) => TargetSource::Module,
            None => TargetSource::Settings,
        };
        ModuleSources { target: source(&self.target_at), version: source(&self.version_at) }
    }

    /// Whether textures and samplers are separate, by the option `texmode_independent` of `.target`.
    pub fn has_independent_samplers(&self) -> bool {
        self.header.targets.iter().any(|option| option.text == "texmode_independent")
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
        // A compiler with inline assembly writes a version that has lost what the first versions had.
        let of_compiler = snapshot.fragment.then_some(Version::NEWEST);
        Context {
            module: Module {
                version: settings.version.or(written.version).or(of_compiler),
                target: settings.target.or(written.target),
            },
            version_at: version.map(|token| token.range.clone()),
            target_at: target.map(|token| token.range.clone()),
            toolkit: settings.toolkit.clone().and_then(|number| Some((number.clone(), Version::of_toolkit(&number)?))),
            header,
        }
    }
}
