//! The settings of a user: targets, versions and rules.

use crate::registry::{RULES, rule};
use crate::suggest::did_you_mean;
use crate::{Preset, Rule, SettingOrigin, SettingOrigins, Severity};
use isa::target::{Target, Version};
use std::collections::BTreeMap;

/// The configured level of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleLevel {
    /// Disabled.
    Off,
    /// Enabled at the default severity.
    On,
    /// Enabled at a severity.
    At(Severity),
}

/// The settings that apply to a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Overrides the module's `.target`. Features that support only one target use this one.
    pub target: Option<Target>,
    /// Additional targets to check for.
    pub additional_targets: Vec<Target>,
    /// Overrides the module's `.version`.
    pub version: Option<Version>,
    /// Where the targets and the version are set.
    pub origins: SettingOrigins,
    /// The version of the CUDA toolkit whose assembler must accept the modules.
    pub toolkit: Option<String>,
    /// The names of pointers and variables whose memory other GPUs or the host share, with `*` for any text.
    pub system_memory: Vec<String>,
    /// The preset; `recommended` by default.
    pub preset: Option<Preset>,
    /// The levels of individual rules, by code.
    pub rules: BTreeMap<String, RuleLevel>,
}

impl Settings {
    /// Settings from a target and a version; the error is a user-facing message.
    pub fn new(target: Option<&str>, version: Option<&str>) -> Result<Self, String> {
        let version = version.map(self::version).transpose()?;
        Settings { version, ..Settings::default() }.for_targets(target)
    }

    /// Settings under which only rules report whose findings are errors, for who asks whether a module is legal and for nothing else.
    pub fn of_errors() -> Self {
        let others = RULES.iter().filter(|rule| rule.severity != Severity::Error);
        Settings { rules: others.map(|rule| (rule.code.to_owned(), RuleLevel::Off)).collect(), ..Settings::default() }
    }

    /// The same settings for targets by name, the most important first; the error is a user-facing message.
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

    /// The same settings for a toolkit version; the error is a user-facing message.
    pub fn for_toolkit(self, number: &str) -> Result<Self, String> {
        match Version::of_toolkit(number) {
            Some(_) => Ok(Settings { toolkit: Some(number.to_owned()), ..self }),
            None => Err(format!("unknown CUDA toolkit `{number}`; expected a version such as 11.5 or 12.9")),
        }
    }

    /// The same settings with the origin of their targets and their version, if they have any.
    pub fn with_origin(self, origin: SettingOrigin) -> Self {
        let target = self.target.map(|_| origin.clone());
        Settings { origins: SettingOrigins { target, version: self.version.map(|_| origin) }, ..self }
    }

    /// These settings, with missing values from others.
    pub fn or(mut self, others: &Settings) -> Self {
        if self.target.is_none() {
            self.target = others.target;
            self.additional_targets.clone_from(&others.additional_targets);
            self.origins.target.clone_from(&others.origins.target);
        }
        if self.version.is_none() {
            self.version = others.version;
            self.origins.version.clone_from(&others.origins.version);
        }
        self.toolkit = self.toolkit.or_else(|| others.toolkit.clone());
        if self.system_memory.is_empty() {
            self.system_memory.clone_from(&others.system_memory);
        }
        self.preset = self.preset.or(others.preset);
        for (code, level) in &others.rules {
            self.rules.entry(code.clone()).or_insert(*level);
        }
        self
    }

    /// Whether a rule is enabled.
    pub fn is_enabled(&self, rule: &Rule) -> bool {
        self.severity(rule).is_some()
    }

    /// The severity of a rule; `None` if it is disabled.
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        let in_preset = rule.preset <= self.preset.unwrap_or_default();
        // The level of a rule also applies to the rules that were split from it, if the preset includes them.
        let before = || rule.split_from.filter(|_| in_preset).and_then(|former| self.rules.get(former));
        match self.rules.get(rule.code).or_else(before) {
            Some(RuleLevel::Off) => None,
            Some(RuleLevel::On) => Some(rule.severity),
            Some(RuleLevel::At(severity)) => Some(*severity),
            None => in_preset.then_some(rule.severity),
        }
    }

    /// The same settings with a level of a rule; the error is a user-facing message.
    pub fn set(mut self, code: &str, level: RuleLevel) -> Result<Self, String> {
        if rule(code).is_none() {
            let message = format!("unknown rule `{code}`");
            let near = did_you_mean(&message, code, RULES.iter().map(|rule| rule.code));
            return Err(near.unwrap_or_else(|| format!("{message}; run `ptx-atomics explain` for a list")));
        }
        self.rules.insert(code.to_owned(), level);
        Ok(self)
    }

    /// The same settings with a rule enabled; the error is a user-facing message.
    pub fn enable(self, code: &str) -> Result<Self, String> {
        self.set(code, RuleLevel::On)
    }

    /// The settings for an evaluation, with a version that the toolkit supports and targets that the version supports.
    ///
    /// # Errors
    /// A user-facing message if the settings conflict.
    pub fn for_evaluation(mut self) -> Result<Self, String> {
        let newest = self.toolkit.as_deref().and_then(Version::of_toolkit);
        if let (Some(version), Some(newest)) = (self.version, newest)
            && newest < version
        {
            return Err(format!("--ptx-version is {version}, but --toolkit supports PTX up to {newest}"));
        }
        self.version = self.version.or(newest);
        let unknown =
            |version| self.target.iter().chain(&self.additional_targets).find(|target| !target.known_by(version));
        match self.version.and_then(|version| Some((version, unknown(version)?))) {
            Some((version, target)) => Err(format!(
                "{} requires PTX {}, but the requested version is {version}",
                target.name(),
                target.since()
            )),
            None => Ok(self),
        }
    }
}

/// A target by its name; the error is a user-facing message.
pub(crate) fn target(name: &str) -> Result<Target, String> {
    Target::parse(name).ok_or_else(|| unknown_target(name))
}

/// A PTX version by its number; the error is a user-facing message.
pub(crate) fn version(number: &str) -> Result<Version, String> {
    let known = Version::parse(number).filter(|version| version.is_known());
    known.ok_or_else(|| format!("unknown PTX version `{number}`; expected a version such as 7.8 or 9.5"))
}

fn unknown_target(name: &str) -> String {
    let message = format!("unknown target `{name}`");
    // A target with another number is not a likely typo.
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let same: Vec<_> = Target::all().map(Target::name).filter(|known| digits(known) == digits(name)).collect();
    did_you_mean(&message, name, same.into_iter())
        .unwrap_or_else(|| format!("{message}; expected a target such as sm_90, sm_90a or sm_100f"))
}
