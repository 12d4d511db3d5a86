//! The languages that have statements of inline assembly.

use super::host_comment::HostComment;
use super::statement::AsmStatement;
use crate::{cpp, python};

/// A language with statements of inline assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLanguage {
    /// C++ and CUDA C++.
    Cpp,
    /// Python.
    Python,
}

impl HostLanguage {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            HostLanguage::Cpp => "C++",
            HostLanguage::Python => "Python",
        }
    }

    /// What begins a comment that ends with its line.
    pub fn line_comment(self) -> &'static str {
        match self {
            HostLanguage::Cpp => "//",
            HostLanguage::Python => "#",
        }
    }

    /// The statements of a text, in order.
    pub fn scan(self, text: &str) -> Vec<AsmStatement> {
        match self {
            HostLanguage::Cpp => cpp::scan(text),
            HostLanguage::Python => python::scan(text),
        }
    }

    /// The comments of a text that contain a word.
    pub fn comments(self, text: &str, word: &str) -> Vec<HostComment> {
        match self {
            HostLanguage::Cpp => cpp::comments(text, word),
            HostLanguage::Python => python::comments(text, word),
        }
    }

    /// Whether an offset is outside comments and literals. A line comment includes its end.
    pub fn is_code(self, text: &str, offset: usize) -> bool {
        match self {
            HostLanguage::Cpp => cpp::is_code(text, offset),
            HostLanguage::Python => python::is_code(text, offset),
        }
    }
}
