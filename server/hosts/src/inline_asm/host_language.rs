//! The languages that have statements of inline assembly.

use super::host_comment::HostComment;
use super::statement::AsmStatement;
use crate::documents::{markdown, notebook};
use crate::tokens::{self, HostSyntax};
use crate::{cpp, python};

/// A language with statements of inline assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostLanguage {
    /// C++ and CUDA C++.
    Cpp,
    /// Python.
    Python,
    /// Notebooks of Jupyter.
    Notebook,
    /// LLVM IR.
    LlvmIr,
    /// MLIR.
    Mlir,
    /// Rust.
    Rust,
    /// Julia.
    Julia,
    /// Mojo.
    Mojo,
    /// Markdown.
    Markdown,
}

/// How a language is read.
enum HostReader {
    Cpp,
    Python,
    Tokens(&'static HostSyntax),
    /// A document whose statements are all in other texts.
    Document(fn(&str) -> Vec<AsmStatement>),
}

impl HostLanguage {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            HostLanguage::Cpp => "C++",
            HostLanguage::Python => "Python",
            HostLanguage::Notebook => "a notebook",
            HostLanguage::LlvmIr => "LLVM IR",
            HostLanguage::Mlir => "MLIR",
            HostLanguage::Rust => "Rust",
            HostLanguage::Julia => "Julia",
            HostLanguage::Mojo => "Mojo",
            HostLanguage::Markdown => "Markdown",
        }
    }

    fn reader(self) -> HostReader {
        match self {
            HostLanguage::Cpp => HostReader::Cpp,
            HostLanguage::Python => HostReader::Python,
            HostLanguage::Notebook => HostReader::Document(notebook::scan),
            HostLanguage::LlvmIr => HostReader::Tokens(&tokens::LLVM_IR),
            HostLanguage::Mlir => HostReader::Tokens(&tokens::MLIR),
            HostLanguage::Rust => HostReader::Tokens(&tokens::RUST),
            HostLanguage::Julia => HostReader::Tokens(&tokens::JULIA),
            HostLanguage::Mojo => HostReader::Tokens(&tokens::MOJO),
            HostLanguage::Markdown => HostReader::Document(markdown::scan),
        }
    }

    /// What begins a comment that ends with its line; `None` in a document, where no comment is written.
    pub fn line_comment(self) -> Option<&'static str> {
        match self.reader() {
            HostReader::Cpp => Some("//"),
            HostReader::Python => Some("#"),
            HostReader::Tokens(syntax) => Some(syntax.line_comment),
            HostReader::Document(_) => None,
        }
    }

    /// The statements of a text, in order.
    pub fn scan(self, text: &str) -> Vec<AsmStatement> {
        match self.reader() {
            HostReader::Cpp => cpp::scan(text),
            HostReader::Python => python::scan(text),
            HostReader::Tokens(syntax) => syntax.scan(text),
            HostReader::Document(scan) => scan(text),
        }
    }

    /// The comments of a text that contain a word.
    pub fn comments(self, text: &str, word: &str) -> Vec<HostComment> {
        match self.reader() {
            HostReader::Cpp => cpp::comments(text, word),
            HostReader::Python => python::comments(text, word),
            HostReader::Tokens(syntax) => syntax.comments(text, word),
            HostReader::Document(_) => Vec::new(),
        }
    }

    /// Whether an offset is outside comments and literals. A line comment includes its end.
    pub fn is_code(self, text: &str, offset: usize) -> bool {
        match self.reader() {
            HostReader::Cpp => cpp::is_code(text, offset),
            HostReader::Python => python::is_code(text, offset),
            HostReader::Tokens(syntax) => syntax.is_code(text, offset),
            HostReader::Document(_) => false,
        }
    }
}
