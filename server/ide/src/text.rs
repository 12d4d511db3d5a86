//! A text that is being edited, in its language: what a tree can be kept of is kept from one edit to the next.
//!
//! Must not know who edits.

use crate::Ide;
use diagnostics::{Settings, Snapshot};
use hosts::Language;
use hosts::cpp::HostText;
use lints::cpp::HostSource;
use lints::litmus::Litmus;
use lints::sass::Disassembly;
use std::ops::Range;
use std::sync::Arc;
use syntax::Rope;
use syntax::SourceFile;
use syntax::sass::Listing;

/// A text in its language. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Text(Kept);

#[derive(Clone, Debug)]
enum Kept {
    Ptx(SourceFile),
    Sass(Listing),
    Cuda(HostText),
    Litmus(Rope),
}

impl Text {
    /// Reads a text.
    pub fn parse(language: Language, text: &str) -> Self {
        Text(match language {
            Language::Ptx => Kept::Ptx(SourceFile::parse(text)),
            Language::Sass => Kept::Sass(Listing::parse(text)),
            Language::Cuda => Kept::Cuda(HostText::new(text)),
            Language::Litmus => Kept::Litmus(Rope::from_str(text)),
        })
    }

    /// Reads a text for its findings alone, faster where that is possible: they are the same. Other answers may know less of it.
    pub fn skim(language: Language, text: &str) -> Self {
        Text(match language {
            Language::Ptx => Kept::Ptx(SourceFile::skim(text)),
            Language::Sass => Kept::Sass(Listing::parse(text)),
            Language::Cuda => Kept::Cuda(HostText::new(text)),
            Language::Litmus => Kept::Litmus(Rope::from_str(text)),
        })
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
