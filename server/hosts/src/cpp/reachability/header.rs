//! The header before a `{`, and whether a build keeps the function.

use crate::cpp::lexer::{CppToken, CppTokenKind};

/// Which use of a function causes it to be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Linkage {
    /// Nothing: it is a kernel and not a template.
    Kernel,
    /// Another function, possibly of another text.
    External,
    /// Another function of the same text: it is inline, static or a template, possibly by a macro.
    Local,
    /// Another function. It is a member, so its name cannot be resolved.
    Member,
}

/// The construct that a `{` opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opens<'t> {
    Namespace,
    Class,
    Function(&'t str, Linkage),
    /// The value of a variable or a parameter.
    Value,
    /// Unknown.
    Unknown,
}

/// The words since the last `;`, `{` or `}`.
#[derive(Debug, Default)]
pub(super) struct DeclarationHeader<'t> {
    words: Vec<HeaderWord<'t>>,
    /// The number of open `<` of template parameters.
    angles: usize,
    is_template: bool,
    last: u8,
}

#[derive(Debug)]
struct HeaderWord<'t> {
    text: &'t str,
    takes_arguments: bool,
    /// Whether it follows `::` or `~`.
    is_member: bool,
}

/// The maximum number of words in a header.
const LONGEST: usize = 256;
/// Names that have arguments but are not functions.
const ATTRIBUTES: [&str; 12] = [
    "__attribute__",
    "__launch_bounds__",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__align__",
    "__declspec",
    "alignas",
    "decltype",
    "explicit",
    "noexcept",
    "requires",
];
/// Attributes of functions that a build keeps.
const HARMLESS: [&str; 5] = ["__device__", "__host__", "__noinline__", "__restrict__", "__launch_bounds__"];

impl<'t> DeclarationHeader<'t> {
    /// Adds a token.
    pub fn push(&mut self, text: &'t str, token: &CppToken) {
        match token.kind {
            CppTokenKind::Sign(b'<') if self.angles > 0 || self.ends_with_template() => self.angles += 1,
            CppTokenKind::Sign(b'>') => self.angles = self.angles.saturating_sub(1),
            CppTokenKind::Word if self.angles == 0 && self.words.len() < LONGEST => {
                let before = text[..token.range.start].trim_end();
                let word = HeaderWord {
                    text: &text[token.range.clone()],
                    takes_arguments: text[token.range.end..].trim_start().starts_with('('),
                    is_member: before.ends_with("::") || before.ends_with('~'),
                };
                self.is_template |= word.text == "template";
                self.words.push(word);
            }
            _ => {}
        }
        self.last = match token.kind {
            CppTokenKind::Sign(sign) => sign,
            _ => 0,
        };
    }

    fn ends_with_template(&self) -> bool {
        self.last == 0 && self.words.last().is_some_and(|word| word.text == "template")
    }

    /// The construct that a `{` after it opens outside functions.
    pub fn opens(&self, in_class: bool) -> Opens<'t> {
        if self.last == b'=' {
            return Opens::Value;
        }
        let is_name = |word: &HeaderWord| word.takes_arguments && !ATTRIBUTES.contains(&word.text);
        let name = self.words.iter().position(is_name);
        let before = &self.words[..name.unwrap_or(self.words.len())];
        if before.iter().any(|word| matches!(word.text, "class" | "struct" | "union" | "enum")) {
            return Opens::Class;
        }
        let Some(name) = name.map(|at| &self.words[at]) else {
            return if self.words.is_empty() { Opens::Unknown } else { Opens::Namespace };
        };
        let hidden = |word: &HeaderWord| {
            matches!(word.text, "static" | "inline" | "constexpr" | "consteval")
                || is_constant(word.text)
                || (word.text.starts_with("__") && !HARMLESS.contains(&word.text))
        };
        let linkage = match () {
            () if in_class || name.is_member || name.text == "operator" => Linkage::Member,
            () if self.is_template => Linkage::Local,
            () if before.iter().any(|word| word.text == "__global__") => Linkage::Kernel,
            () if before.is_empty() || before.iter().any(hidden) => Linkage::Local,
            () => Linkage::External,
        };
        Opens::Function(name.text, linkage)
    }

    /// Whether it begins a construct that is not allowed inside a function.
    pub fn is_outside(&self) -> bool {
        let first = self.words.first().map(|word| word.text);
        matches!(first, Some("namespace" | "template")) || self.words.iter().any(|word| word.text == "__global__")
    }
}

/// Whether a name is written like that of a macro.
pub(super) fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
