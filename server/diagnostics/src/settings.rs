//! What a user configured: targets, versions, and which rules.

use crate::registry::{RULES, rule};
use crate::suggest::did_you_mean;
use crate::{Preset, Rule, Severity};
use isa::target::{Target, Version};
use std::collections::BTreeMap;

/// What a user wants of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleLevel {
    /// No findings of it.
    Off,
    /// Its findings, as bad as the rule has them.
    On,
    /// Its findings, as bad as the user has them.
    At(Severity),
}

/// What a user configured beside the text itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Overrides the module's `.target`; what depends on one target alone depends on this.
    pub target: Option<Target>,
    /// Further targets that findings are looked for.
    pub additional_targets: Vec<Target>,
    /// Overrides the module's `.version`.
    pub version: Option<Version>,
    /// The CUDA toolkit whose assembler shall take the modules, by its number.
    pub toolkit: Option<String>,
    /// The choice of rules; `recommended` where nobody says otherwise.
    pub preset: Option<Preset>,
    /// What is wanted of single rules, by code.
    pub rules: BTreeMap<String, RuleLevel>,
}

impl Settings {
    /// Settings from the words that a user wrote; the error is a sentence for people.
    pub fn new(target: Option<&str>, version: Option<&str>) -> Result<Self, String> {
        let version = version.map(self::version).transpose()?;
        Settings { version, ..Settings::default() }.for_targets(target)
    }

    /// The same settings for targets by name, the most important first; the error is a sentence for people.
    pub fn for_targets<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let targets: Vec<_> = names.into_iter().map(target).collect::<Result<_, _>>()?;
        Ok(self.with_targets(targets))
    }

    /// The same settings for targets, the most important first, each once.
    pub(crate) fn with_targets(self, all: impl IntoIterator<Item = Target>) -> Self {
        let mut targets = Vec::new();
        for target in all {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        Settings { target: targets.first().copied(), additional_targets: targets.into_iter().skip(1).collect(), ..self }
    }

    /// The same settings for a toolkit by its number; the error is a sentence for people.
    pub fn for_toolkit(self, number: &str) -> Result<Self, String> {
        match Version::of_toolkit(number) {
            Some(_) => Ok(Settings { toolkit: Some(number.to_owned()), ..self }),
            None => Err(format!("there is no CUDA toolkit `{number}`; write one such as 11.5 or 12.9")),
        }
    }

    /// These settings, and where they say nothing, what others say.
    pub fn or(mut self, others: &Settings) -> Self {
        if self.target.is_none() {
            self.target = others.target;
            self.additional_targets.clone_from(&others.additional_targets);
        }
        self.version = self.version.or(others.version);
        self.toolkit = self.toolkit.or_else(|| others.toolkit.clone());
        self.preset = self.preset.or(others.preset);
        for (code, level) in &others.rules {
            self.rules.entry(code.clone()).or_insert(*level);
        }
        self
    }

    /// Whether findings of a rule are shown.
    pub fn shows(&self, rule: &Rule) -> bool {
        self.severity(rule).is_some()
    }

    /// How bad findings of a rule are; `None` where they are not shown.
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        let in_preset = rule.preset <= self.preset.unwrap_or_default();
        // What was said of a rule before it was split holds for its parts, as far as the preset has them.
        let before = || rule.former.filter(|_| in_preset).and_then(|former| self.rules.get(former));
        match self.rules.get(rule.code).or_else(before) {
            Some(RuleLevel::Off) => None,
            Some(RuleLevel::On) => Some(rule.severity),
            Some(RuleLevel::At(severity)) => Some(*severity),
            None => in_preset.then_some(rule.severity),
        }
    }

    /// The same settings with something wanted of a rule; the error is a sentence for people.
    pub fn set(mut self, code: &str, level: RuleLevel) -> Result<Self, String> {
        if rule(code).is_none() {
            let complaint = format!("no rule is called `{code}`");
            let near = did_you_mean(&complaint, code, RULES.iter().map(|rule| rule.code));
            return Err(near.unwrap_or_else(|| format!("{complaint}; `ptx-atomics explain` lists them")));
        }
        self.rules.insert(code.to_owned(), level);
        Ok(self)
    }

    /// The same settings with a rule switched on; the error is a sentence for people.
    pub fn enable(self, code: &str) -> Result<Self, String> {
        self.set(code, RuleLevel::On)
    }

    /// Settings that an evaluation can hold to: the version that a toolkit knows, and targets that the version knows.
    ///
    /// # Errors
    /// A sentence for people where they contradict each other.
    pub fn for_evaluation(mut self) -> Result<Self, String> {
        let newest = self.toolkit.as_deref().and_then(Version::of_toolkit);
        if let (Some(version), Some(newest)) = (self.version, newest)
            && newest < version
        {
            return Err(format!("--ptx-version is {version}, but --toolkit knows PTX up to {newest}"));
        }
        self.version = self.version.or(newest);
        let unknown =
            |version| self.target.iter().chain(&self.additional_targets).find(|target| !target.known_by(version));
        match self.version.and_then(|version| Some((version, unknown(version)?))) {
            Some((version, target)) => {
                Err(format!("{} needs PTX {}, but the version asked for is {version}", target.name(), target.since()))
            }
            None => Ok(self),
        }
    }
}

/// A target by its name; the error is a sentence for people.
pub(crate) fn target(name: &str) -> Result<Target, String> {
    Target::parse(name).ok_or_else(|| unknown_target(name))
}

/// A version of PTX by its number; the error is a sentence for people.
pub(crate) fn version(number: &str) -> Result<Version, String> {
    let known = Version::parse(number).filter(|version| version.is_known());
    known.ok_or_else(|| format!("there is no PTX version `{number}`; write one such as 7.8 or 9.5"))
}

fn unknown_target(name: &str) -> String {
    let complaint = format!("no target is called `{name}`");
    // Another number is another target, and no typo.
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let same: Vec<_> = Target::all().map(Target::name).filter(|known| digits(known) == digits(name)).collect();
    did_you_mean(&complaint, name, same.into_iter())
        .unwrap_or_else(|| format!("{complaint}; write one such as sm_90, sm_90a or sm_100f"))
}
