//! Why something is wrong, as data, and the words for it: a host or a target changes fields, never sentences.

use isa::{Reason, Requires};
use std::borrow::Cow;

/// Why something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// What a rule says in its own words.
    Stated {
        /// What is wrong.
        message: String,
        /// What to write instead; empty where nothing can be said.
        help: String,
    },
    /// The target or the PTX version does not have it.
    Requires {
        /// What needs what, and what there is instead.
        requires: Requires,
        /// Who says what there is.
        source: TargetSource,
        /// What to write instead.
        help: String,
    },
    /// A register that is too narrow for an address.
    NarrowAddress {
        /// The type of the register.
        register: String,
        /// Whether the register is an operand of an `asm` statement.
        in_statement: bool,
    },
}

/// Who says which target a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetSource {
    /// A directive of the module.
    Module,
    /// The settings, whatever the module says.
    Settings,
    /// The settings, for an `asm` statement.
    Build,
    /// The code around an `asm` statement, which promises no more.
    AtLeast,
    /// The code around an `asm` statement, which allows no more.
    AtMost,
}

impl Cause {
    /// A reason of the tables, and who says what the module is for.
    pub fn of(reason: &Reason, source: TargetSource) -> Self {
        let help = reason.help.clone();
        match &reason.requires {
            Some(requires) => Cause::Requires { requires: requires.clone(), source, help },
            None => Cause::Stated { message: reason.message.clone(), help },
        }
    }

    /// What is wrong and why.
    pub fn message(&self) -> Cow<'_, str> {
        match self {
            Cause::Stated { message, .. } => Cow::Borrowed(message),
            Cause::Requires { requires, source, .. } => Cow::Owned(requirement(requires, *source)),
            Cause::NarrowAddress { register, .. } => {
                Cow::Owned(format!("addresses of this space have 64 bits, this register is `{register}`"))
            }
        }
    }

    /// What to write instead; empty where nothing can be said.
    pub fn help_text(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Cause::Requires { source: TargetSource::AtLeast | TargetSource::AtMost, .. } => {
                "put it under a condition on `__CUDA_ARCH__` that promises such a target"
            }
            Cause::Stated { help, .. } | Cause::Requires { help, .. } => help,
            Cause::NarrowAddress { in_statement: false, .. } => "write a `.b64` or `.u64` register",
            Cause::NarrowAddress { in_statement: true, .. } => "give the address as \"l\", 64 bits",
        })
    }

    /// Says what to write instead, where the cause does not say it itself.
    pub fn advise(&mut self, text: String) {
        if let Cause::Stated { help, .. } | Cause::Requires { help, .. } = self {
            *help = text;
        }
    }

    /// The same in an `asm` statement, whose target comes from elsewhere; its version is everybody's.
    pub fn in_statement(&mut self, from: TargetSource) {
        match self {
            Cause::Stated { .. } => {}
            Cause::Requires { requires, source, .. } if requires.have.target.is_some() => *source = from,
            Cause::Requires { .. } => {}
            Cause::NarrowAddress { in_statement, .. } => *in_statement = true,
        }
    }
}

/// The words for what is needed and not there.
fn requirement(requires: &Requires, source: TargetSource) -> String {
    let needs = requires.needs();
    let target = requires.have.target.map_or("", isa::target::Target::name);
    match source {
        TargetSource::Module | TargetSource::Settings => requires.message(),
        TargetSource::Build => format!("{needs}; the target is {target}"),
        TargetSource::AtLeast => format!("guarded for {target}, but {needs}"),
        TargetSource::AtMost => format!("guarded for targets up to {target}, but {needs}"),
    }
}
