//! A text in its language. Syntax trees are kept and updated across edits.

use crate::Ide;
use diagnostics::{Settings, Snapshot};
use hosts::Language;
use hosts::cpp::MacroSet;
use hosts::inline_asm::HostText;
use lints::Check;
use lints::inline_asm::HostSource;
use lints::litmus::Litmus;
use lints::sass::Disassembly;
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::Listing;
use syntax::{LintFile, Rope, SourceFile};

/// A text in its language. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Text(ParsedText<SourceFile>);

/// A text that is only linted: PTX is read several times as fast, and the findings are the same.
///
/// ```compile_fail
/// let text = ptx_ide::LintText::parse(hosts::Language::Ptx, ".entry k() { ret; }");
/// text.under(diagnostics::Settings::default()).hover(13);
/// ```
///
/// ```
/// let text = ptx_ide::LintText::parse(hosts::Language::Ptx, ".entry k() { ret; }");
/// assert!(!text.under(diagnostics::Settings::default()).diagnostics().is_empty());
/// let text = ptx_ide::Text::parse(hosts::Language::Ptx, ".entry k() { ret; }");
/// text.under(diagnostics::Settings::default()).hover(13);
/// ```
#[derive(Clone, Debug)]
pub struct LintText(ParsedText<LintFile>);

#[derive(Clone, Debug)]
enum ParsedText<F> {
    Ptx(F),
    Sass(Listing),
    Host(HostText),
    Litmus(Rope),
}

impl<F> ParsedText<F> {
    fn read(language: Language, text: &str, ptx: impl FnOnce(&str) -> F) -> Self {
        match language {
            Language::Ptx => ParsedText::Ptx(ptx(text)),
            Language::Sass => ParsedText::Sass(Listing::parse(text)),
            Language::Host(host) => ParsedText::Host(HostText::new(host, text)),
            Language::Litmus => ParsedText::Litmus(Rope::from_str(text)),
        }
    }

    fn included_with(self, macros: Arc<[MacroSet]>) -> Self {
        match self {
            ParsedText::Host(host) if !macros.is_empty() => ParsedText::Host(host.included_with(macros)),
            other => other,
        }
    }
}

impl LintText {
    /// Parses a text.
    pub fn parse(language: Language, text: &str) -> Self {
        LintText(ParsedText::read(language, text, LintFile::parse))
    }

    /// Parses a text that is not needed afterwards, with less memory.
    pub fn parse_owned(language: Language, text: String) -> Self {
        match language {
            Language::Ptx => LintText(ParsedText::Ptx(LintFile::parse_owned(text))),
            _ => Self::parse(language, &text),
        }
    }

    /// The text with the macros of each place where others include it. They matter in C++ only.
    pub fn included_with(self, macros: Arc<[MacroSet]>) -> Self {
        LintText(self.0.included_with(macros))
    }

    /// The text with settings, for diagnostics.
    pub fn under(&self, settings: Settings) -> Arc<dyn Check> {
        match &self.0 {
            ParsedText::Ptx(file) => Arc::new(Snapshot::new(file.clone(), settings)),
            ParsedText::Sass(listing) => Arc::new(Disassembly { listing: listing.clone(), settings }),
            ParsedText::Host(host) => Arc::new(HostSource { text: host.clone(), settings }),
            ParsedText::Litmus(rope) => Arc::new(Litmus::new(rope.clone(), settings)),
        }
    }
}

impl Text {
    /// Parses a text.
    pub fn parse(language: Language, text: &str) -> Self {
        Text(ParsedText::read(language, text, SourceFile::parse))
    }

    /// The text with the macros of each place where others include it. They matter in C++ only.
    pub fn included_with(self, macros: Arc<[MacroSet]>) -> Self {
        Text(self.0.included_with(macros))
    }

    /// Another text in its place.
    pub fn replaced_by(&self, text: &str) -> Self {
        let new = Text::parse(self.language(), text);
        match &self.0 {
            ParsedText::Host(host) => new.included_with(host.included()),
            _ => new,
        }
    }

    /// Its language.
    pub fn language(&self) -> Language {
        match &self.0 {
            ParsedText::Ptx(_) => Language::Ptx,
            ParsedText::Sass(_) => Language::Sass,
            ParsedText::Host(host) => Language::Host(host.language()),
            ParsedText::Litmus(_) => Language::Litmus,
        }
    }

    /// The text itself.
    pub fn rope(&self) -> &Rope {
        match &self.0 {
            ParsedText::Ptx(file) => file.text(),
            ParsedText::Sass(listing) => listing.text(),
            ParsedText::Host(host) => host.rope(),
            ParsedText::Litmus(rope) => rope,
        }
    }

    /// Applies edits in order. Each range refers to the text after the previous edits.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        match &mut self.0 {
            ParsedText::Ptx(file) => file.edit_all(edits),
            ParsedText::Sass(listing) => listing.edit_all(edits),
            ParsedText::Host(host) => host.edit_all(edits),
            ParsedText::Litmus(rope) => {
                for (range, new) in edits {
                    syntax::replace(rope, range, new);
                }
            }
        }
    }

    /// The text with settings, for all features.
    pub fn under(&self, settings: Settings) -> Arc<dyn Ide> {
        match &self.0 {
            ParsedText::Ptx(file) => Arc::new(Snapshot::new(file.clone(), settings)),
            ParsedText::Sass(listing) => Arc::new(Disassembly { listing: listing.clone(), settings }),
            ParsedText::Host(host) => Arc::new(HostSource { text: host.clone(), settings }),
            ParsedText::Litmus(rope) => Arc::new(Litmus::new(rope.clone(), settings)),
        }
    }
}
