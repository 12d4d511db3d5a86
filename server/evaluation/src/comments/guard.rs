//! The guard of an instruction, and what is said of it.

use syntax::{Instruction, SourceFile};

/// A guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardValue {
    /// With its `@` and perhaps `!`.
    pub text: String,
    /// The predicate.
    pub name: String,
    /// Whether it is `@!`.
    pub negated: bool,
}

impl GuardValue {
    /// Of an instruction, if it has one.
    pub fn of(file: &SourceFile, instruction: &Instruction) -> Option<Self> {
        let guard = instruction.guard()?;
        let before = file.text().byte_slice(instruction.range().start..guard.range.start);
        let negated = before.bytes().any(|byte| byte == b'!');
        let name = guard.text.to_string();
        Some(GuardValue { text: format!("@{}{name}", if negated { "!" } else { "" }), name, negated })
    }

    /// What a text says of a predicate.
    pub fn read(text: &str) -> Option<bool> {
        match text {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        }
    }

    /// Whether the instruction takes part where the predicate is so.
    pub fn lets(&self, predicate: bool) -> bool {
        predicate != self.negated
    }

    /// What is noted where nothing is said of it.
    pub fn assumed(&self) -> String {
        format!("guard is assumed to be true: {} is not given", self.name)
    }

    /// What is noted where it is false.
    pub fn off(&self) -> String {
        format!("guard {} is false", self.text)
    }
}
