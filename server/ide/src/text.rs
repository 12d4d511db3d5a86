//! A text in its language, for a check of it or for an editor: what a tree can be kept of is kept from one edit to the next.
//!
//! Must not know who edits.

use crate::Ide;
use diagnostics::{Settings, Snapshot};
use hosts::Language;
use hosts::cpp::HostText;
use lints::Check;
use lints::cpp::HostSource;
use lints::litmus::Litmus;
use lints::sass::Disassembly;
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::Listing;
use syntax::{LintFile, Rope, SourceFile};

/// A text in its language. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Text(Kept<SourceFile>);

/// A text of which nothing but its findings is asked: PTX is read several times as fast, and the findings are the same.
///
/// ```compile_fail
/// let text = ptx_ide::LintText::parse(hosts::Language::Ptx, ".entry k() { ret; }");
/// text.under(diagnostics::Settings::default()).hover(13);
/// ```
///
/// ```
/// let text = ptx_ide::LintText::parse(hosts::Language::Ptx, ".entry k() { ret; }");
/// assert!(!text.under(diagnostics::Settings::default()).findings().is_empty());
/// let text = ptx_ide::Text::parse(hosts::Language::Ptx, ".entry k() { ret; }");
/// text.under(diagnostics::Settings::default()).hover(13);
/// ```
#[derive(Clone, Debug)]
pub struct LintText(Kept<LintFile>);

#[derive(Clone, Debug)]
enum Kept<F> {
    Ptx(F),
    Sass(Listing),
    Cuda(HostText),
    Litmus(Rope),
}

impl<F> Kept<F> {
    fn read(language: Language, text: &str, ptx: impl FnOnce(&str) -> F) -> Self {
        match language {
            Language::Ptx => Kept::Ptx(ptx(text)),
            Language::Sass => Kept::Sass(Listing::parse(text)),
            Language::Cuda => Kept::Cuda(HostText::new(text)),
            Language::Litmus => Kept::Litmus(Rope::from_str(text)),
        }
    }
}

impl LintText {
    /// Reads a text.
    pub fn parse(language: Language, text: &str) -> Self {
        LintText(Kept::read(language, text, LintFile::parse))
    }

    /// What is wrong with it under settings.
    pub fn under(&self, settings: Settings) -> Arc<dyn Check> {
        match &self.0 {
            Kept::Ptx(file) => Arc::new(Snapshot::new(file.clone(), settings)),
            Kept::Sass(listing) => Arc::new(Disassembly { listing: listing.clone(), settings }),
            Kept::Cuda(host) => Arc::new(HostSource { text: host.clone(), settings }),
            Kept::Litmus(rope) => Arc::new(Litmus::new(rope.clone(), settings)),
        }
    }
}

impl Text {
    /// Reads a text.
    pub fn parse(language: Language, text: &str) -> Self {
        Text(Kept::read(language, text, SourceFile::parse))
    }

    /// Its language.
    pub fn language(&self) -> Language {
        match &self.0 {
            Kept::Ptx(_) => Language::Ptx,
            Kept::Sass(_) => Language::Sass,
            Kept::Cuda(_) => Language::Cuda,
            Kept::Litmus(_) => Language::Litmus,
        }
    }

    /// The text itself.
    pub fn rope(&self) -> &Rope {
        match &self.0 {
            Kept::Ptx(file) => file.text(),
            Kept::Sass(listing) => listing.text(),
            Kept::Cuda(host) => host.rope(),
            Kept::Litmus(rope) => rope,
        }
    }

    /// Applies edits one after the other, each byte range in the text that the former ones left.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        match &mut self.0 {
            Kept::Ptx(file) => file.edit_all(edits),
            Kept::Sass(listing) => listing.edit_all(edits),
            Kept::Cuda(host) => host.edit_all(edits),
            Kept::Litmus(rope) => {
                for (range, new) in edits {
                    let start = rope.byte_to_char(range.start);
                    rope.remove(start..rope.byte_to_char(range.end));
                    rope.insert(start, new);
                }
            }
        }
    }

    /// What can be asked of it under settings.
    pub fn under(&self, settings: Settings) -> Arc<dyn Ide> {
        match &self.0 {
            Kept::Ptx(file) => Arc::new(Snapshot::new(file.clone(), settings)),
            Kept::Sass(listing) => Arc::new(Disassembly { listing: listing.clone(), settings }),
            Kept::Cuda(host) => Arc::new(HostSource { text: host.clone(), settings }),
            Kept::Litmus(rope) => Arc::new(Litmus::new(rope.clone(), settings)),
        }
    }
}
