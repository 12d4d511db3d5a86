//! The guard of an instruction and its value.

use syntax::{Instruction, SourceFile};

/// A guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardValue {
    /// The text, with `@` and `!`.
    pub text: String,
    /// The predicate.
    pub name: String,
    /// Whether it is `@!`.
    pub negated: bool,
}

impl GuardValue {
    /// The guard of an instruction, if it has one.
    pub fn of(file: &SourceFile, instruction: &Instruction) -> Option<Self> {
        let guard = instruction.guard()?;
        let before = file.text().byte_slice(instruction.range().start..guard.range.start);
        let negated = before.bytes().any(|byte| byte == b'!');
        let name = guard.text.to_string();
        Some(GuardValue { text: format!("@{}{name}", if negated { "!" } else { "" }), name, negated })
    }

    /// Parses the value of a predicate.
    pub fn read(text: &str) -> Option<bool> {
        match text {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        }
    }

    /// Whether the instruction executes with this value of the predicate.
    pub fn allows(&self, predicate: bool) -> bool {
        predicate != self.negated
    }

    /// The note if its value is not given.
    pub fn assumption_note(&self) -> String {
        format!("guard is assumed to be true: {} is not given", self.name)
    }

    /// The note if it is false.
    pub fn false_note(&self) -> String {
        format!("guard {} is false", self.text)
    }
}
