//! Why a spelling is illegal, as data: code, place, words for people, and edits that mend it.
//!
//! Must not know how reasons are found.

use crate::form::Role;
use crate::since::Since;
use crate::target::{Module, Target, Version};

/// A stable name for a kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
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

impl Code {
    /// All codes.
    pub fn all() -> impl Iterator<Item = Code> {
        [
            Code::UnknownInstruction,
            Code::UnknownModifier,
            Code::IllegalModifier,
            Code::DuplicateModifier,
            Code::ConflictingModifiers,
            Code::MissingModifier,
            Code::IllegalType,
            Code::RequiresTarget,
            Code::RequiresPtxVersion,
            Code::UnknownVersion,
            Code::UnknownTarget,
            Code::IllegalTargetOption,
        ]
        .into_iter()
    }

    /// The name that users see and configure.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::UnknownInstruction => "unknown-instruction",
            Code::UnknownModifier => "unknown-modifier",
            Code::IllegalModifier => "illegal-modifier",
            Code::DuplicateModifier => "duplicate-modifier",
            Code::ConflictingModifiers => "conflicting-modifiers",
            Code::MissingModifier => "missing-modifier",
            Code::IllegalType => "illegal-type",
            Code::RequiresTarget => "requires-target",
            Code::RequiresPtxVersion => "requires-ptx-version",
            Code::UnknownVersion => "unknown-version",
            Code::UnknownTarget => "unknown-target",
            Code::IllegalTargetOption => "illegal-target-option",
        }
    }
}

/// One thing that is wrong with a spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of mistake.
    pub code: Code,
    /// The index of the modifier at fault; `None` for the mnemonic.
    pub at: Option<usize>,
    /// The index of the other half of a conflict.
    pub other: Option<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Why, and what would be legal instead.
    pub help: String,
    /// Edits of which each alone mends this reason, the nearest first.
    pub fixes: Vec<Fix>,
}

/// A way to mend a spelling that keeps the operation and the operands, unless they are what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a command: "Write `.b32`".
    pub title: String,
    /// What to change; all of it together.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Raises the module's target and version to what is asked for; `None` if that is not possible or not needed.
    pub fn raise(module: &Module, since: &Since) -> Option<Fix> {
        let mut edits = Vec::new();
        let mut titles = Vec::new();
        let mut version = since.version;
        if let Some(target) = module.target.filter(|target| !since.targets.contains(*target)) {
            let raised = since.targets.nearest(target, module.version)?;
            version = version.max(raised.since());
            titles.push(format!("`.target` to {raised}"));
            edits.push(Edit::Target(raised));
        }
        if module.effective_version().is_some_and(|given| given < version) {
            titles.push(format!("`.version` to {version}"));
            edits.push(Edit::Version(version));
        }
        let title = format!("Raise {}", titles.join(" and "));
        (!edits.is_empty()).then_some(Fix { title, edits })
    }

    /// The modifiers after the fix.
    pub fn apply<'a>(&self, modifiers: &[&'a str]) -> Vec<&'a str> {
        // Modifiers stand at odd places, so that insertions have even ones.
        let mut out: Vec<(usize, &str)> = (0..).map(|at| 2 * at + 1).zip(modifiers.iter().copied()).collect();
        for edit in &self.edits {
            match *edit {
                Edit::Replace { at, word } => {
                    out.iter_mut().filter(|(place, _)| *place == 2 * at + 1).for_each(|o| o.1 = word)
                }
                Edit::Remove { at } => out.retain(|(place, _)| *place != 2 * at + 1),
                Edit::Insert { at, word } => out.push((2 * at, word)),
                Edit::Rename { .. } | Edit::RemoveOperand { .. } | Edit::Target(_) | Edit::Version(_) => {}
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
                Edit::Target(target) => module.target = Some(target),
                Edit::Version(version) => module.version = Some(version),
                _ => {}
            }
        }
        module
    }
}

/// One change. Indices refer to the modifiers as they were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
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
