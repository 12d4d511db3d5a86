//! The languages that have statements of inline assembly.

use super::host_comment::HostComment;
use super::unread::FoundStatements;
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

/// What tells a language from others.
struct HostDescription {
    name: &'static str,
    /// The identifiers that editors use, our own first.
    ids: &'static [&'static str],
    /// The endings of file names, without the dot.
    endings: &'static [&'static str],
    reader: HostReader,
}

/// How a language is read.
enum HostReader {
    Cpp,
    Python,
    Tokens(&'static HostSyntax),
    /// A document whose statements are all in other texts.
    Document(fn(&str) -> FoundStatements),
}

impl HostLanguage {
    /// All of them, in the order of their declaration. A variant that is missing here does not compile.
    pub const ALL: [HostLanguage; HostLanguage::Markdown as usize + 1] = [
        HostLanguage::Cpp,
        HostLanguage::Python,
        HostLanguage::Notebook,
        HostLanguage::LlvmIr,
        HostLanguage::Mlir,
        HostLanguage::Rust,
        HostLanguage::Julia,
        HostLanguage::Mojo,
        HostLanguage::Markdown,
    ];

    fn description(self) -> HostDescription {
        let (name, ids, endings, reader): (_, &[&str], &[&str], _) = match self {
            HostLanguage::Cpp => (
                "C++",
                &["cuda-cpp", "cuda", "cpp", "c"],
                &["cu", "cuh", "h", "hpp", "hxx", "cpp", "cc", "cxx", "inl"],
                HostReader::Cpp,
            ),
            HostLanguage::Python => ("Python", &["python"], &["py", "pyi"], HostReader::Python),
            HostLanguage::Notebook => ("a notebook", &["jupyter"], &["ipynb"], HostReader::Document(notebook::scan)),
            HostLanguage::LlvmIr => ("LLVM IR", &["llvm"], &["ll"], HostReader::Tokens(&tokens::LLVM_IR)),
            HostLanguage::Mlir => ("MLIR", &["mlir"], &["mlir"], HostReader::Tokens(&tokens::MLIR)),
            HostLanguage::Rust => ("Rust", &["rust"], &["rs"], HostReader::Tokens(&tokens::RUST)),
            HostLanguage::Julia => ("Julia", &["julia"], &["jl"], HostReader::Tokens(&tokens::JULIA)),
            HostLanguage::Mojo => ("Mojo", &["mojo"], &["mojo"], HostReader::Tokens(&tokens::MOJO)),
            HostLanguage::Markdown => {
                ("Markdown", &["markdown"], &["md", "markdown"], HostReader::Document(markdown::scan))
            }
        };
        HostDescription { name, ids, endings, reader }
    }

    fn reader(self) -> HostReader {
        self.description().reader
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// The identifiers that editors use, our own first.
    pub fn ids(self) -> &'static [&'static str] {
        self.description().ids
    }

    /// The endings of file names, without the dot.
    pub fn endings(self) -> &'static [&'static str] {
        self.description().endings
    }

    /// Whether it is read by tokens alone.
    #[cfg(test)]
    pub(crate) fn is_read_by_tokens(self) -> bool {
        matches!(self.reader(), HostReader::Tokens(_))
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

    /// The statements of a text, and what is not read of it.
    pub fn scan(self, text: &str) -> FoundStatements {
        match self.reader() {
            HostReader::Cpp => cpp::scan(text).into(),
            HostReader::Python => python::scan(text),
            HostReader::Tokens(syntax) => syntax.scan(text).into(),
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
