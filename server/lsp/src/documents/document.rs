//! An open document: text, tree, and the state of its check.

use crate::connection::surrogates::{Halves, without_marks};
use crate::convert::Encoding;
use crate::scheduling::work::CancelFlag;
use crate::typing::{self, EarlierDiagnostics, Replacement, Typing};
use diagnostics::{Diagnostic, Settings};
use ide::Text;
use lints::Checker;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use syntax::Rope;
use tower_lsp::ls_types as lsp;

/// The bytes of a text that is parsed at once.
pub const SHORT_TEXT: usize = 128 << 10;

/// An open document.
pub struct Document {
    /// The client's version number of the text.
    pub version: i32,
    /// Number of this text under these settings; unique over all documents.
    pub revision: u64,
    /// The settings of the project's file for it.
    pub project: ProjectSettings,
    /// The effective settings.
    pub settings: Settings,
    /// Diagnostics, and the revision they belong to.
    pub found: Option<(u64, Arc<[Diagnostic]>)>,
    /// What the client was shown last.
    pub shown: EarlierDiagnostics,
    /// The user types in it.
    pub typing: Option<Typing>,
    /// Revision of the last check, and its cancellation flag while it runs.
    pub check: Option<(u64, Option<CancelFlag>)>,
    /// Version and digest of the diagnostics published last.
    pub published: Option<(i32, u64)>,
    /// Diagnostics that were not published yet, with their version and digest.
    pub unpublished: Option<((i32, u64), Vec<lsp::Diagnostic>)>,
    /// The semantic tokens sent last, encoded, and their revision.
    pub tokens: Option<(u64, Arc<[u32]>)>,
    /// The client pulls this document's diagnostics.
    pub pulled: bool,
    /// Cached results of earlier checks.
    pub checker: Arc<Mutex<Checker>>,
    /// The current text.
    rope: Rope,
    halves: Halves,
    /// The text with its tree, as of the last snapshot.
    text: Text,
    pending: PendingEdits,
}

/// The settings of a project's file for a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectSettings {
    /// Its settings.
    pub settings: Settings,
    /// Whether `include` and `exclude` leave it out: it has no diagnostics.
    pub is_excluded: bool,
    /// The file; `None` if there is none.
    pub file: Option<PathBuf>,
}

/// Changes of the text since the tree was last updated.
enum PendingEdits {
    Edits(Vec<(Range<usize>, String)>),
    Everything,
}

impl Document {
    /// A newly opened document.
    pub fn open(version: i32, revision: u64, text: Text, project: ProjectSettings, settings: Settings) -> Self {
        Document {
            version,
            revision,
            project,
            settings,
            found: None,
            shown: EarlierDiagnostics::default(),
            typing: None,
            check: None,
            published: None,
            unpublished: None,
            tokens: None,
            pulled: false,
            checker: Arc::default(),
            rope: text.rope().clone(),
            halves: Halves::default(),
            text,
            pending: PendingEdits::Edits(Vec::new()),
        }
    }

    /// Applies changes in order. A range refers to the text after the changes before it. The tree is updated on demand.
    /// Returns what they replace; `None` if that is not known.
    pub fn change(
        &mut self,
        encoding: Encoding,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
    ) -> Option<Vec<Replacement>> {
        let mut replaced = Some(Vec::new());
        for change in changes {
            let replacement = match change.range {
                None => self.replace_all(&change.text),
                Some(range) => Some(self.replace(encoding, range, change.text)),
            };
            replaced = replaced.zip(replacement).map(|(all, one)| [all, vec![one]].concat());
        }
        replaced
    }

    fn replace_all(&mut self, text: &str) -> Option<Replacement> {
        let before = std::mem::replace(&mut self.rope, Rope::from_str(&without_marks(text)));
        self.halves.clear();
        self.pending = PendingEdits::Everything;
        typing::between(&before, &self.rope)
    }

    fn replace(&mut self, encoding: Encoding, range: lsp::Range, text: String) -> Replacement {
        let (bytes, new) = self.halves.change(&self.rope, encoding, range, text);
        let replacement = Replacement::new(&self.rope, bytes.clone(), &new);
        syntax::replace(&mut self.rope, bytes.clone(), &new);
        if let PendingEdits::Edits(edits) = &mut self.pending {
            edits.push((bytes, new));
        }
        replacement
    }

    /// The current text without a tree.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// The text with its tree, parsed once for all changes since the last call.
    pub fn text(&mut self) -> &Text {
        match std::mem::replace(&mut self.pending, PendingEdits::Edits(Vec::new())) {
            PendingEdits::Edits(edits) if edits.is_empty() => return &self.text,
            PendingEdits::Edits(edits) => {
                let mut text = self.text.clone();
                let edits = edits.iter().map(|(range, new)| (range.clone(), new.as_str()));
                let edited = catch_unwind(AssertUnwindSafe(|| text.edit_all(edits)));
                // The rope is authoritative: if the incremental edit panics, parse it afresh.
                self.text = if edited.is_ok() { text } else { self.afresh() };
            }
            PendingEdits::Everything => self.text = self.afresh(),
        }
        self.rope = self.text.rope().clone();
        &self.text
    }

    /// Whether a long text has changed since it was parsed.
    pub fn wants_long_parse(&self) -> bool {
        let is_parsed = matches!(&self.pending, PendingEdits::Edits(edits) if edits.is_empty());
        !is_parsed && self.rope.len_bytes() > SHORT_TEXT
    }

    /// Whether the text is long, so that its tree takes time to be dropped.
    pub fn is_long(&self) -> bool {
        self.rope.len_bytes() > SHORT_TEXT
    }

    fn afresh(&self) -> Text {
        self.text.replaced_by(&self.rope.to_string())
    }

    /// The diagnostics, if they belong to the current revision. An excluded document has none.
    pub fn current_diagnostics(&self) -> Option<Arc<[Diagnostic]>> {
        if self.project.is_excluded {
            return Some(Arc::default());
        }
        self.found
            .as_ref()
            .filter(|(revision, _)| *revision == self.revision)
            .map(|(_, diagnostics)| diagnostics.clone())
    }

    /// Whether the current revision is unchecked and no check is running.
    pub fn wants_check(&self) -> bool {
        match &self.check {
            None => true,
            Some((_, Some(_))) => false,
            Some((revision, None)) => *revision != self.revision,
        }
    }

    /// Starts a new revision and cancels the check of the old one.
    pub fn outdate(&mut self, revision: u64) {
        self.revision = revision;
        self.stop();
    }

    /// Cancels the running check, if any.
    pub fn stop(&self) {
        if let Some((_, Some(cancel))) = &self.check {
            cancel.cancel();
        }
    }
}
