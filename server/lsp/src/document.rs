//! One open document: its text as the client has it, the tree that follows, and how far its check is.
//!
//! Must not know other documents, the event_queue or what is published.

use crate::convert::{self, Encoding};
use crate::work::CancelFlag;
use diagnostics::{Diagnostic, Settings};
use ide::Text;
use lints::Checker;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use syntax::Rope;
use tower_lsp::ls_types as lsp;

/// An open document.
pub struct Document {
    /// The client's number for the text.
    pub version: i32,
    /// Our number for the text under the settings; no two states of any document share one.
    pub revision: u64,
    /// What the project's file says of it.
    pub project: Settings,
    /// All settings that apply.
    pub settings: Settings,
    /// What was found in it, and in which revision.
    pub found: Option<(u64, Arc<[Diagnostic]>)>,
    /// The revision that was last given to a check, and its flag while that runs.
    pub check: Option<(u64, Option<CancelFlag>)>,
    /// The version and the digest of what was published last.
    pub published: Option<(i32, u64)>,
    /// The semantic tokens that the client was told last, as it got them, and in which revision.
    pub tokens: Option<(u64, Arc<[u32]>)>,
    /// The client asks for this document's diagnostics itself.
    pub pulled: bool,
    /// What earlier checks know of the parts that an edit leaves alone.
    pub checker: Arc<Mutex<Checker>>,
    /// The text as the client has it.
    rope: Rope,
    /// The text as it was when somebody last looked.
    text: Text,
    pending: PendingEdits,
}

/// What has happened to the text since the tree was brought up to date.
enum PendingEdits {
    Edits(Vec<(Range<usize>, String)>),
    Everything,
}

impl Document {
    /// A document that was just opened.
    pub fn open(version: i32, revision: u64, text: Text, project: Settings, settings: Settings) -> Self {
        Document {
            version,
            revision,
            project,
            settings,
            found: None,
            check: None,
            published: None,
            tokens: None,
            pulled: false,
            checker: Arc::default(),
            rope: text.rope().clone(),
            text,
            pending: PendingEdits::Edits(Vec::new()),
        }
    }

    /// Applies changes to the text, each range in the text that the former ones left. The tree follows when somebody looks.
    pub fn change(&mut self, encoding: Encoding, changes: Vec<lsp::TextDocumentContentChangeEvent>) {
        for change in changes {
            let Some(range) = change.range else {
                self.rope = Rope::from_str(&change.text);
                self.pending = PendingEdits::Everything;
                continue;
            };
            let bytes = convert::bytes(&self.rope, encoding, range);
            syntax::replace(&mut self.rope, bytes.clone(), &change.text);
            if let PendingEdits::Edits(edits) = &mut self.pending {
                edits.push((bytes, change.text));
            }
        }
    }

    /// The text and its tree, brought up to date once for all changes since the last snapshot.
    pub fn text(&mut self) -> &Text {
        match std::mem::replace(&mut self.pending, PendingEdits::Edits(Vec::new())) {
            PendingEdits::Edits(edits) if edits.is_empty() => return &self.text,
            PendingEdits::Edits(edits) => {
                let mut text = self.text.clone();
                let edits = edits.iter().map(|(range, new)| (range.clone(), new.as_str()));
                let edited = catch_unwind(AssertUnwindSafe(|| text.edit_all(edits)));
                // The text is what the client says it is, whatever happens to a tree that was edited.
                self.text = if edited.is_ok() { text } else { self.afresh() };
            }
            PendingEdits::Everything => self.text = self.afresh(),
        }
        self.rope = self.text.rope().clone();
        &self.text
    }

    fn afresh(&self) -> Text {
        Text::parse(self.text.language(), &self.rope.to_string())
    }

    /// The findings, if they are those of the current revision.
    pub fn current_findings(&self) -> Option<Arc<[Diagnostic]>> {
        self.found.as_ref().filter(|(revision, _)| *revision == self.revision).map(|(_, findings)| findings.clone())
    }

    /// Whether the current revision is still to be checked and no check of an older one is under way.
    pub fn wants_check(&self) -> bool {
        match &self.check {
            None => true,
            Some((_, Some(_))) => false,
            Some((revision, None)) => *revision != self.revision,
        }
    }

    /// Moves on to another revision: what is being found about the former one is of no use.
    pub fn outdate(&mut self, revision: u64) {
        self.revision = revision;
        self.stop();
    }

    /// Stops the check that is under way, if any.
    pub fn stop(&self) {
        if let Some((_, Some(cancel))) = &self.check {
            cancel.cancel();
        }
    }
}
