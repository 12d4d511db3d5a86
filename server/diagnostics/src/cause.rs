//! The cause of a diagnostic as data, from which its message is rendered. Mapping to a host text or merging targets changes fields, not strings.

use crate::TargetOrigin;
use isa::target::Target;
use isa::{Reason, Requires};
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
        /// The source of the actual target or version.
        source: TargetSource,
        /// Where the settings set the target, if they do.
        origin: Option<TargetOrigin>,
        /// The help.
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

/// The source of the target that a text is checked for.
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
    pub fn of(reason: &Reason, source: TargetSource) -> Self {
        let help = reason.help.clone();
        match &reason.requires {
            Some(requires) => Cause::Requires { requires: requires.clone(), source, origin: None, help },
            None => Cause::Stated { message: reason.message.clone(), help },
        }
    }

    /// The message.
    pub fn message(&self) -> Cow<'_, str> {
        match self {
            Cause::Stated { message, .. } => Cow::Borrowed(message),
            Cause::Requires { requires, source, origin, .. } => {
                Cow::Owned(requirement(requires, *source, origin.as_ref()))
            }
            Cause::NarrowAddress { register, .. } => {
                Cow::Owned(format!("expected a 64-bit address register, found `{register}`"))
            }
        }
    }

    /// The help; may be empty.
    pub fn help_text(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Cause::Requires { source: TargetSource::AtLeast | TargetSource::AtMost, .. } => {
                "guard the statement with an `__CUDA_ARCH__` check for such a target"
            }
            Cause::Stated { help, .. } | Cause::Requires { help, .. } => help,
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

    /// Sets the origin of the target, if the target is that of the settings.
    pub fn set_origin(&mut self, of_settings: &TargetOrigin) {
        if let Cause::Requires { requires, source: TargetSource::Settings | TargetSource::Build, origin, .. } = self
            && requires.have.target.is_some()
        {
            *origin = Some(of_settings.clone());
        }
    }

    /// The origin of a target of the settings that is too old, with the target, and the one to change it to.
    pub fn target_to_change(&self) -> Option<(&TargetOrigin, Target, Option<Target>)> {
        let Cause::Requires { requires, origin: Some(origin), .. } = self else { return None };
        let target = requires.have.target?;
        Some((origin, target, requires.needed.targets.nearest(target, requires.have.version)))
    }

    /// Adapts the cause to an `asm` statement. Its target has another source; its version has not.
    pub fn in_asm_statement(&mut self, from: TargetSource) {
        match self {
            Cause::Stated { .. } => {}
            Cause::Requires { requires, source, .. } if requires.have.target.is_some() => *source = from,
            Cause::Requires { .. } => {}
            Cause::NarrowAddress { in_asm_statement, .. } => *in_asm_statement = true,
        }
    }
}

/// The message of a requirement.
fn requirement(requires: &Requires, source: TargetSource, origin: Option<&TargetOrigin>) -> String {
    let needs = requires.requirement();
    let target = requires.have.target.map_or("", isa::target::Target::name);
    // The conditions around code name a number without a suffix.
    let generation = target.trim_end_matches(['a', 'f']);
    match source {
        TargetSource::Module => requires.message(),
        TargetSource::Settings | TargetSource::Build if origin.is_some() => {
            let subject = origin.map_or(String::new(), TargetOrigin::subject);
            let version =
                requires.have.version.map_or(String::new(), |version| format!(" and the version is {version}"));
            format!("{needs}, but {subject} targets {target}{version}")
        }
        TargetSource::Settings => match (requires.have.target, requires.have.version) {
            (None, Some(version)) => format!("{needs}, but the configured version is {version}"),
            _ => requires.message(),
        },
        TargetSource::Build => format!("{needs}, but the target is {target}"),
        TargetSource::AtLeast => format!("{needs}, but this code is compiled for {generation} and newer"),
        TargetSource::AtMost => format!("{needs}, but this code is compiled for {generation} and older"),
    }
}
