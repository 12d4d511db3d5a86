//! The cause of a diagnostic as data, from which its message is rendered. Mapping to a host text or merging targets changes fields, not strings.

use crate::{OriginPlace, SettingOrigin, SettingOrigins};
use isa::{Raise, Reason, Requires};
use std::borrow::Cow;

/// The cause of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A message of a rule.
    Stated {
        /// The message.
        message: String,
        /// The help; may be empty.
        help: String,
    },
    /// The target or the PTX version does not support it.
    Requires {
        /// The requirement, and the actual target or version.
        requires: Requires,
        /// The sources of the actual target and version.
        sources: ModuleSources,
        /// Where the settings set them, if they do.
        origins: SettingOrigins,
        /// What to write instead; may be empty.
        help: String,
    },
    /// An address register that is too narrow.
    NarrowAddress {
        /// The type of the register.
        register: String,
        /// Whether the register is an operand of an `asm` statement.
        in_asm_statement: bool,
    },
}

/// The sources of the target and the PTX version that a text is checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleSources {
    /// The source of the target.
    pub target: TargetSource,
    /// The source of the version.
    pub version: TargetSource,
}

impl ModuleSources {
    /// Those of directives.
    pub const MODULE: Self = ModuleSources { target: TargetSource::Module, version: TargetSource::Module };
    /// Those of a text that has no directives.
    pub const SETTINGS: Self = ModuleSources { target: TargetSource::Settings, version: TargetSource::Settings };
}

/// The source of a target or a version that a text is checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetSource {
    /// A directive of the module.
    Module,
    /// The settings, which override the module.
    Settings,
    /// The settings, for an `asm` statement.
    Build,
    /// A lower bound in the code around an `asm` statement.
    AtLeast,
    /// An upper bound in the code around an `asm` statement.
    AtMost,
}

impl Cause {
    /// The cause of a reason of the tables.
    pub fn of(reason: &Reason, sources: ModuleSources) -> Self {
        let help = reason.help.clone();
        match &reason.requires {
            Some(requires) => {
                Cause::Requires { requires: requires.clone(), sources, origins: SettingOrigins::default(), help }
            }
            None => Cause::Stated { message: reason.message.clone(), help },
        }
    }

    /// The same cause with the origins that the settings have.
    pub fn with_origins(mut self, of_settings: &SettingOrigins) -> Self {
        self.set_origins(of_settings);
        self
    }

    /// The message.
    pub fn message(&self) -> Cow<'_, str> {
        match self {
            Cause::Stated { message, .. } => Cow::Borrowed(message),
            Cause::Requires { requires, sources, origins, .. } => Cow::Owned(requirement(requires, *sources, origins)),
            Cause::NarrowAddress { register, .. } => {
                Cow::Owned(format!("expected a 64-bit address register, found `{register}`"))
            }
        }
    }

    /// The help; may be empty.
    pub fn help_text(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Cause::Requires { requires, sources, origins, help } => {
                return Cow::Owned(help_of_requirement(requires, *sources, origins, help));
            }
            Cause::Stated { help, .. } => help,
            Cause::NarrowAddress { in_asm_statement: false, .. } => "use a `.b64` or `.u64` register",
            Cause::NarrowAddress { in_asm_statement: true, .. } => "pass the address as \"l\" (64 bits)",
        })
    }

    /// Sets the help, unless the cause has its own.
    pub fn set_help(&mut self, text: String) {
        if let Cause::Stated { help, .. } | Cause::Requires { help, .. } = self {
            *help = text;
        }
    }

    /// Sets the origins of a target and a version that are those of the settings.
    pub fn set_origins(&mut self, of_settings: &SettingOrigins) {
        let Cause::Requires { requires, sources, origins, .. } = self else { return };
        if requires.have.target.is_some() && matches!(sources.target, TargetSource::Settings | TargetSource::Build) {
            origins.target.clone_from(&of_settings.target);
        }
        if requires.have.version.is_some() && sources.version == TargetSource::Settings {
            origins.version.clone_from(&of_settings.version);
        }
    }

    /// The values in a settings file that are too old.
    pub fn settings_to_change(&self) -> Vec<OriginPlace<'_>> {
        let Cause::Requires { requires, origins, .. } = self else { return Vec::new() };
        let raise = requires.raise.as_ref();
        let target_file = origins.target.as_ref().and_then(SettingOrigin::file);
        let target = target_file.zip(requires.have.target).and_then(|(file, target)| {
            let needed = raise.and_then(|raise| raise.target).map(|target| target.to_string());
            Some(OriginPlace { file, range: file.range(target)?, setting: "target", needed })
        });
        let version = origins.version.as_ref().and_then(SettingOrigin::file).and_then(|file| {
            let needed = raise.and_then(|raise| raise.version).map(|version| version.to_string());
            Some(OriginPlace { file, range: file.version.clone()?, setting: "PTX version", needed })
        });
        target.into_iter().chain(version).collect()
    }

    /// Adapts the cause to an `asm` statement. Its target has another source; its version has not.
    pub fn in_asm_statement(&mut self, from: TargetSource) {
        match self {
            Cause::Stated { .. } => {}
            Cause::Requires { sources, .. } => sources.target = from,
            Cause::NarrowAddress { in_asm_statement, .. } => *in_asm_statement = true,
        }
    }
}

/// The message of a requirement.
fn requirement(requires: &Requires, sources: ModuleSources, origins: &SettingOrigins) -> String {
    let needs = requires.requirement();
    let subject = |origin: &Option<SettingOrigin>| origin.as_ref().map(SettingOrigin::subject);
    let target = requires.have.target.map(|target| {
        // The conditions around code name a number without a suffix.
        let generation = target.name().trim_end_matches(['a', 'f']);
        match (sources.target, subject(&origins.target)) {
            (TargetSource::Module, _) => ("the module".to_owned(), format!("targets {target}")),
            (TargetSource::Settings | TargetSource::Build, Some(origin)) => (origin, format!("targets {target}")),
            (TargetSource::Settings | TargetSource::Build, None) => ("the target".to_owned(), format!("is {target}")),
            (TargetSource::AtLeast, _) => ("this code".to_owned(), format!("is compiled for {generation} and newer")),
            (TargetSource::AtMost, _) => ("this code".to_owned(), format!("is compiled for {generation} and older")),
        }
    });
    let version = requires.have.version.map(|version| match (sources.version, subject(&origins.version)) {
        (TargetSource::Module, _) => ("the module".to_owned(), format!("has version {version}")),
        (_, Some(origin)) => (origin, format!("sets PTX version {version}")),
        (_, None) => ("the PTX version".to_owned(), format!("is {version}")),
    });
    match (target, version) {
        (Some((subject, target)), Some((same, version))) if subject == same => {
            format!("{needs}, but {subject} {target} and {version}")
        }
        (Some((subject, target)), Some((other, version))) => {
            format!("{needs}, but {subject} {target} and {other} {version}")
        }
        (Some((subject, verb)), None) | (None, Some((subject, verb))) => format!("{needs}, but {subject} {verb}"),
        (None, None) => needs,
    }
}

/// The help of a requirement: what to write instead, or where to raise the target and the version.
fn help_of_requirement(requires: &Requires, sources: ModuleSources, origins: &SettingOrigins, instead: &str) -> String {
    if requires.have.target.is_some() && matches!(sources.target, TargetSource::AtLeast | TargetSource::AtMost) {
        return "guard the statement with an `__CUDA_ARCH__` check for such a target".to_owned();
    }
    let change = requires.raise.map(|raise| match sources {
        ModuleSources::MODULE => format!("raise {raise}"),
        _ => changes(raise, sources, origins).join(" and "),
    });
    match change {
        None => instead.to_owned(),
        Some(change) if instead.is_empty() => change,
        Some(change) => format!("{instead}; or {change}"),
    }
}

/// How to raise the target and the version, each where it is set.
fn changes(raise: Raise, sources: ModuleSources, origins: &SettingOrigins) -> Vec<String> {
    let target = raise.target.map(|target| match (sources.target, &origins.target) {
        (TargetSource::Module, _) => format!("raise `.target` to {target}"),
        (_, Some(SettingOrigin::CommandLine)) => format!("pass `--target {target}`"),
        (_, Some(SettingOrigin::CompileCommands)) => format!("compile for {target}"),
        (_, origin) => format!("change the target to {target}{}", place(origin.as_ref())),
    });
    let version = raise.version.map(|version| match (sources.version, &origins.version) {
        (TargetSource::Module, _) => format!("raise `.version` to {version}"),
        (_, Some(SettingOrigin::CommandLine)) => format!("pass `--ptx-version {version}`"),
        (_, origin) => format!("change the PTX version to {version}{}", place(origin.as_ref())),
    });
    target.into_iter().chain(version).collect()
}

fn place(origin: Option<&SettingOrigin>) -> String {
    origin.map_or(String::new(), |origin| format!(" in {}", origin.subject()))
}
