//! The immutable state that every feature is a function of.

use crate::{Checker, Finding, rules};
use isa::target::{Target, Version};
use std::collections::BTreeSet;
use syntax::SourceFile;

/// What a user configured beside the text itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Overrides the module's `.target`.
    pub target: Option<Target>,
    /// Overrides the module's `.version`.
    pub version: Option<Version>,
    /// Codes of rules that are off by default and shall be on.
    pub enabled: BTreeSet<String>,
    /// Codes of rules that shall be off.
    pub disabled: BTreeSet<String>,
}

impl Settings {
    /// Settings from the words that a user wrote; the error is a sentence for people.
    pub fn new(target: Option<&str>, version: Option<&str>) -> Result<Self, String> {
        let target = target.map(|name| Target::parse(name).ok_or_else(|| unknown_target(name))).transpose()?;
        let known = |number: &str| Version::parse(number).filter(|version| version.is_known());
        let version = version.map(|number| known(number).ok_or_else(|| unknown_version(number))).transpose()?;
        Ok(Settings { target, version, ..Settings::default() })
    }

    /// These settings, and where they say nothing, what others say.
    pub fn or(mut self, others: &Settings) -> Self {
        self.target = self.target.or(others.target);
        self.version = self.version.or(others.version);
        self.disabled.extend(others.disabled.difference(&self.enabled).cloned());
        self.enabled.extend(others.enabled.difference(&self.disabled).cloned());
        self
    }

    /// Whether findings of a code are shown.
    pub fn shows(&self, code: &str) -> bool {
        let default = rules::rule(code).is_some_and(|rule| rule.default);
        !self.disabled.contains(code) && (default || self.enabled.contains(code))
    }

    /// The same settings with a rule switched on; the error is a sentence for people.
    pub fn enable(mut self, code: &str) -> Result<Self, String> {
        if rules::rule(code).is_none() {
            return Err(format!("no rule is called `{code}`; `ptx-atomics explain` lists them"));
        }
        self.enabled.insert(code.to_owned());
        Ok(self)
    }
}

fn unknown_target(name: &str) -> String {
    format!("no target is called `{name}`; write one such as sm_90, sm_90a or sm_100f")
}

fn unknown_version(number: &str) -> String {
    format!("there is no PTX version `{number}`; write one such as 7.8 or 9.5")
}

/// A text with its tree and the settings that apply to it. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The text and its tree.
    pub file: SourceFile,
    /// The settings that apply.
    pub settings: Settings,
}

impl Snapshot {
    /// A snapshot of a text under settings.
    pub fn new(file: SourceFile, settings: Settings) -> Self {
        Snapshot { file, settings }
    }

    /// All findings, ordered by position, then code.
    pub fn findings(&self) -> Vec<Finding> {
        self.findings_unless(&|| false).unwrap_or_default()
    }

    /// The same, or `None` as soon as the caller says that nobody waits for them any more.
    pub fn findings_unless(&self, cancelled: &dyn Fn() -> bool) -> Option<Vec<Finding>> {
        Checker::default().check(self, cancelled)
    }
}
