//! Why a spelling is illegal, as data: code, place, words for people, and edits that mend it.
//!
//! Must not know how reasons are found.

use crate::form::Role;
use crate::since::Since;
use crate::target::{Module, Target, Version};
use std::fmt;

/// A stable name for a kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReasonCode {
    /// No PTX instruction has this name.
    UnknownInstruction,
    /// No PTX instruction of these families has such a modifier: a typo, or a word of another language.
    UnknownModifier,
    /// The modifier exists, but not on this instruction, or not with its operation and type.
    IllegalModifier,
    /// The same modifier stands twice.
    DuplicateModifier,
    /// Two modifiers exclude each other.
    ConflictingModifiers,
    /// A modifier that must be there is not.
    MissingModifier,
    /// The operation does not work on this type.
    IllegalType,
    /// The module's `.target` does not have it.
    RequiresTarget,
    /// The module's `.version` does not have it yet.
    RequiresPtxVersion,
    /// No PTX version has this number.
    UnknownVersion,
    /// No architecture or option of `.target` has this name.
    UnknownTarget,
    /// An option of `.target` does not go with the architecture or another option.
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

/// One thing that is wrong with a spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of mistake.
    pub code: ReasonCode,
    /// The index of the modifier at fault; `None` for the mnemonic.
    pub at: Option<usize>,
    /// The index of the other half of a conflict.
    pub other: Option<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Why, and what would be legal instead.
    pub help: String,
    /// What the module lacks, where that is the mistake; the message says the same.
    pub requires: Option<Requires>,
    /// Edits of which each alone mends this reason, the nearest first.
    pub fixes: Vec<SpellingFix>,
}

/// What a module must have for something to be legal, and what it has instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requires {
    /// What is in the module, for people: `` `.v2` ``.
    pub what: String,
    /// What it needs.
    pub needed: Since,
    /// What of the module falls short of it.
    pub have: Module,
}

impl Requires {
    /// What needs what: `` `.v2` needs sm_90 ``.
    pub fn needs(&self) -> String {
        let Since { version, targets, .. } = self.needed;
        match (self.have.target, self.have.version) {
            (Some(_), Some(_)) => format!("{} needs {targets} and PTX {version}", self.what),
            (Some(_), None) => format!("{} needs {targets}", self.what),
            (None, _) => format!("{} needs PTX {version}", self.what),
        }
    }

    /// What is wrong, in one sentence, where the module itself says what it is for.
    pub fn message(&self) -> String {
        let says = match (self.have.target, self.have.version) {
            (Some(target), Some(version)) => format!("{target} and {version}"),
            (Some(target), None) => target.to_string(),
            (None, version) => version.map_or(String::new(), |version| version.to_string()),
        };
        format!("{}; the module says {says}", self.needs())
    }
}

/// The target and the version that a module is to be raised to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raise {
    target: Option<Target>,
    version: Option<Version>,
}

impl Raise {
    /// Raises the module's target and version to what is needed; `None` if that is not possible or not needed.
    pub fn new(module: &Module, since: &Since) -> Option<Self> {
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
    pub fn edits(self) -> impl Iterator<Item = SpellingEdit> {
        self.target.map(SpellingEdit::Target).into_iter().chain(self.version.map(SpellingEdit::Version))
    }

    /// It alone, as a fix.
    pub fn fix(self) -> SpellingFix {
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

/// A way to mend a spelling that keeps the operation and the operands, unless they are what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpellingFix {
    /// What it does, as a command: "Write `.b32`".
    pub title: String,
    /// What to change; all of it together.
    pub edits: Vec<SpellingEdit>,
}

impl SpellingFix {
    /// The modifiers after the fix.
    pub fn apply<'a>(&self, modifiers: &[&'a str]) -> Vec<&'a str> {
        // Modifiers stand at odd places, so that insertions have even ones.
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
    /// Puts another word in the place of the mnemonic.
    Rename {
        /// The new word.
        word: &'static str,
    },
    /// Puts another word in the place of a modifier.
    Replace {
        /// The modifier to replace.
        at: usize,
        /// The new word, without a dot.
        word: &'static str,
    },
    /// Adds a modifier.
    Insert {
        /// The modifier to put it before; the number of modifiers to put it at the end.
        at: usize,
        /// The new word, without a dot.
        word: &'static str,
    },
    /// Takes a modifier away.
    Remove {
        /// The modifier to take away.
        at: usize,
    },
    /// Takes an operand away, if it is there: a cache policy goes with its hint.
    RemoveOperand {
        /// What the operand is for.
        role: Role,
    },
    /// Changes the module's `.target`.
    Target(Target),
    /// Changes the module's `.version`.
    Version(Version),
}
