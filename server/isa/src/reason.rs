//! Why a spelling is illegal: code, place, message, help and fixes.

use crate::since::Since;
use crate::tables::form::Role;
use crate::target::{Module, Target, Version};
use std::fmt;

/// The stable code of a kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReasonCode {
    /// No PTX instruction has this name.
    UnknownInstruction,
    /// No PTX instruction of these families has such a modifier: a typo, or a word of another language.
    UnknownModifier,
    /// The modifier exists, but not on this instruction, or not with its operation and type.
    IllegalModifier,
    /// A modifier is written twice.
    DuplicateModifier,
    /// Two modifiers conflict.
    ConflictingModifiers,
    /// A required modifier is missing.
    MissingModifier,
    /// The operation does not support the type.
    IllegalType,
    /// The module's `.target` does not support it.
    RequiresTarget,
    /// The module's `.version` is too old for it.
    RequiresPtxVersion,
    /// No PTX version has this number.
    UnknownVersion,
    /// No architecture or option of `.target` has this name.
    UnknownTarget,
    /// An option of `.target` conflicts with the architecture or with another option.
    IllegalTargetOption,
}

impl ReasonCode {
    /// All codes.
    pub fn all() -> impl Iterator<Item = ReasonCode> {
        [
            ReasonCode::UnknownInstruction,
            ReasonCode::UnknownModifier,
            ReasonCode::IllegalModifier,
            ReasonCode::DuplicateModifier,
            ReasonCode::ConflictingModifiers,
            ReasonCode::MissingModifier,
            ReasonCode::IllegalType,
            ReasonCode::RequiresTarget,
            ReasonCode::RequiresPtxVersion,
            ReasonCode::UnknownVersion,
            ReasonCode::UnknownTarget,
            ReasonCode::IllegalTargetOption,
        ]
        .into_iter()
    }

    /// The name that users see and configure.
    pub const fn as_str(self) -> &'static str {
        match self {
            ReasonCode::UnknownInstruction => "unknown-instruction",
            ReasonCode::UnknownModifier => "unknown-modifier",
            ReasonCode::IllegalModifier => "illegal-modifier",
            ReasonCode::DuplicateModifier => "duplicate-modifier",
            ReasonCode::ConflictingModifiers => "conflicting-modifiers",
            ReasonCode::MissingModifier => "missing-modifier",
            ReasonCode::IllegalType => "illegal-type",
            ReasonCode::RequiresTarget => "requires-target",
            ReasonCode::RequiresPtxVersion => "requires-ptx-version",
            ReasonCode::UnknownVersion => "unknown-version",
            ReasonCode::UnknownTarget => "unknown-target",
            ReasonCode::IllegalTargetOption => "illegal-target-option",
        }
    }
}

/// One error of a spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of error.
    pub code: ReasonCode,
    /// The index of the modifier at fault; `None` for the mnemonic.
    pub at: Option<usize>,
    /// The index of the other half of a conflict.
    pub other: Option<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead, in a module as it is.
    pub help: String,
    /// The missing target or version, where that is the error; the message states the same.
    pub requires: Option<Requires>,
    /// Fixes, each of which is enough alone; the closest first.
    pub fixes: Vec<SpellingFix>,
}

/// What a module must have for something to be legal, and what it has instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requires {
    /// The subject of the message: `` `.v2` ``.
    pub what: String,
    /// What it requires.
    pub needed: Since,
    /// The target and version of the module, where they are too old.
    pub have: Module,
    /// What to raise the module to; `None` if no target or version is enough.
    pub raise: Option<Raise>,
}

impl Requires {
    /// The requirement of a version where only that is too old.
    pub fn newer_version(what: String, needed: Version, have: Version) -> Self {
        Requires {
            what,
            needed: Since { version: needed, ..Since::ALWAYS },
            have: Module { version: Some(have), target: None },
            raise: Some(Raise { target: None, version: Some(needed) }),
        }
    }

    /// What requires what: `` `.v2` requires sm_90 ``.
    pub fn requirement(&self) -> String {
        let Since { version, targets, .. } = self.needed;
        match (self.have.target, self.have.version) {
            (Some(_), Some(_)) => format!("{} requires {targets} and PTX {version}", self.what),
            (Some(_), None) => format!("{} requires {targets}", self.what),
            (None, _) => format!("{} requires PTX {version}", self.what),
        }
    }

    /// The message where the target and the version are the module's own.
    pub fn message(&self) -> String {
        let requirement = self.requirement();
        match (self.have.target, self.have.version) {
            (Some(target), Some(version)) => {
                format!("{requirement}, but the module targets {target} and has version {version}")
            }
            (Some(target), None) => format!("{requirement}, but the module targets {target}"),
            (None, Some(version)) => format!("{requirement}, but the module has version {version}"),
            (None, None) => requirement,
        }
    }
}

/// The target and the version that a module is to be raised to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raise {
    /// The target, if it is too old.
    pub target: Option<Target>,
    /// The version, if it is too old.
    pub version: Option<Version>,
}

impl Raise {
    /// Raises the module's target and version to what is needed; `None` if that is not possible or not needed.
    pub(crate) fn new(module: &Module, since: &Since) -> Option<Self> {
        if module.is_past(since) {
            return None;
        }
        let mut raise = Raise { target: None, version: None };
        let mut version = since.version;
        if let Some(target) = module.target.filter(|target| !since.targets.contains(*target)) {
            let raised = since.targets.nearest(target, module.version)?;
            version = version.max(raised.since());
            raise.target = Some(raised);
        }
        raise.version = module.effective_version().filter(|given| *given < version).map(|_| version);
        (raise.target.is_some() || raise.version.is_some()).then_some(raise)
    }

    /// The edits that do it.
    pub(crate) fn edits(self) -> impl Iterator<Item = SpellingEdit> {
        self.target.map(SpellingEdit::Target).into_iter().chain(self.version.map(SpellingEdit::Version))
    }

    /// The fix that only raises the module.
    pub(crate) fn fix(self) -> SpellingFix {
        SpellingFix { title: format!("Raise {self}"), edits: self.edits().collect() }
    }
}

/// What is raised, and to what: `` `.target` to sm_90 ``.
impl fmt::Display for Raise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.target, self.version) {
            (Some(target), Some(version)) => write!(f, "`.target` to {target} and `.version` to {version}"),
            (Some(target), None) => write!(f, "`.target` to {target}"),
            (None, Some(version)) => write!(f, "`.version` to {version}"),
            (None, None) => Ok(()),
        }
    }
}

/// A fix of a spelling. It keeps the operation and the operands, unless they are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpellingFix {
    /// The title: "Replace `.u32` with `.b32`".
    pub title: String,
    /// The edits, which belong together.
    pub edits: Vec<SpellingEdit>,
}

impl SpellingFix {
    /// The modifiers after the fix.
    pub fn apply<'a>(&self, modifiers: &[&'a str]) -> Vec<&'a str> {
        // Modifiers have odd positions, insertions even ones.
        let mut out: Vec<(usize, &str)> = (0..).map(|at| 2 * at + 1).zip(modifiers.iter().copied()).collect();
        for edit in &self.edits {
            match *edit {
                SpellingEdit::Replace { at, word } => {
                    out.iter_mut().filter(|(place, _)| *place == 2 * at + 1).for_each(|o| o.1 = word)
                }
                SpellingEdit::Remove { at } => out.retain(|(place, _)| *place != 2 * at + 1),
                SpellingEdit::Insert { at, word } => out.push((2 * at, word)),
                SpellingEdit::Rename { .. }
                | SpellingEdit::RemoveOperand { .. }
                | SpellingEdit::AppendOperand { .. }
                | SpellingEdit::Target(_)
                | SpellingEdit::Version(_) => {}
            }
        }
        out.sort_by_key(|(place, _)| *place);
        out.into_iter().map(|(_, word)| word).collect()
    }

    /// The module after the fix.
    pub fn apply_to_module(&self, module: &Module) -> Module {
        let mut module = *module;
        for edit in &self.edits {
            match *edit {
                SpellingEdit::Target(target) => module.target = Some(target),
                SpellingEdit::Version(version) => module.version = Some(version),
                _ => {}
            }
        }
        module
    }
}

/// One change. Indices refer to the modifiers as they were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpellingEdit {
    /// Replaces the mnemonic.
    Rename {
        /// The new word.
        word: &'static str,
    },
    /// Replaces a modifier.
    Replace {
        /// The modifier to replace.
        at: usize,
        /// The new word, without a dot.
        word: &'static str,
    },
    /// Adds a modifier.
    Insert {
        /// The modifier before which it is inserted; the number of modifiers for the end.
        at: usize,
        /// The new word, without a dot.
        word: &'static str,
    },
    /// Removes a modifier.
    Remove {
        /// The modifier to remove.
        at: usize,
    },
    /// Removes an operand if it is present, such as the cache policy of a removed hint.
    RemoveOperand {
        /// The role of the operand.
        role: Role,
    },
    /// Adds an operand behind the last one, such as the member mask of `.sync`.
    AppendOperand {
        /// The operand.
        text: &'static str,
    },
    /// Changes the module's `.target`.
    Target(Target),
    /// Changes the module's `.version`.
    Version(Version),
}
