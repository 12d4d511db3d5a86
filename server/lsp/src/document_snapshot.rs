//! A document as a request sees it: immutable, as of the request's place in the order of arrival.
//!
//! Must not know how it came about.

use crate::client_features::ClientFeatures;
use crate::convert;
use crate::work::CancelFlag;
use diagnostics::Diagnostic;
use ide::Ide;
use ide::features::HintOptions;
use lints::{Check, Checker};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use tower_lsp::ls_types as lsp;

/// A document, of which a `DocumentSnapshot<dyn Check>` tells no more than what is wrong with it.
pub struct DocumentSnapshot<S: ?Sized = dyn Ide> {
    /// Where it lies, as the client writes it.
    pub uri: String,
    /// The client's number for this text.
    pub version: i32,
    /// Our number for this text under these settings.
    pub revision: u64,
    /// The text under its settings.
    pub source: Arc<S>,
    /// What the client can do.
    pub features: ClientFeatures,
    /// Which inlay hints are wanted.
    pub hints: HintOptions,
    /// Where the rules' pages can be read: an address in which `{code}` stands for a rule's code.
    pub pages: Option<Arc<str>>,
    /// The semantic tokens that the client was told last, and in which revision.
    pub tokens: Option<(u64, Arc<[u32]>)>,
    /// What a check has found already.
    pub found: Option<Arc<[Diagnostic]>>,
    /// What earlier checks of the document know; one check at a time.
    pub checker: Arc<Mutex<Checker>>,
}

impl<S: ?Sized> Clone for DocumentSnapshot<S> {
    fn clone(&self) -> Self {
        DocumentSnapshot {
            uri: self.uri.clone(),
            source: Arc::clone(&self.source),
            pages: self.pages.clone(),
            tokens: self.tokens.clone(),
            found: self.found.clone(),
            checker: Arc::clone(&self.checker),
            ..*self
        }
    }
}

impl<S: Check + ?Sized> DocumentSnapshot<S> {
    /// A document that is not open, as it lies on the disk.
    pub fn closed(uri: String, source: Arc<S>, pages: Option<Arc<str>>, features: ClientFeatures) -> Self {
        DocumentSnapshot {
            uri,
            version: 0,
            revision: 0,
            source,
            features,
            hints: HintOptions::default(),
            pages,
            tokens: None,
            found: None,
            checker: Arc::default(),
        }
    }

    /// All findings: those of a check that has run already, else of one that runs now; nothing if it is cancelled.
    pub fn findings(&self, cancel: &CancelFlag) -> Option<Arc<[Diagnostic]>> {
        let check = || {
            // A check that panicked may have left anything behind: what it knew is forgotten.
            let mut checker = self.checker.lock().unwrap_or_else(|poisoned| {
                let mut checker = poisoned.into_inner();
                *checker = Checker::default();
                self.checker.clear_poison();
                checker
            });
            self.source.check(&mut checker, &|| cancel.is_cancelled()).map(Arc::from)
        };
        self.found.clone().or_else(check)
    }

    /// The byte offset of a position.
    pub fn offset(&self, position: lsp::Position) -> usize {
        convert::offset(self.source.rope(), self.features.encoding, position)
    }

    /// The byte range of a range.
    pub fn bytes(&self, range: lsp::Range) -> Range<usize> {
        convert::bytes(self.source.rope(), self.features.encoding, range)
    }

    /// The range of a byte range.
    pub fn range(&self, bytes: &Range<usize>) -> lsp::Range {
        convert::range(self.source.rope(), self.features.encoding, bytes)
    }

    /// How many columns a line has.
    pub fn columns(&self, line: u32) -> u32 {
        let end = self.offset(lsp::Position::new(line, u32::MAX));
        self.range(&(end..end)).end.character
    }

    /// Edits of this document, as a change of the workspace.
    pub fn workspace_edit(&self, edits: &[diagnostics::Edit]) -> Option<lsp::WorkspaceEdit> {
        let uri: lsp::Uri = self.uri.parse().ok()?;
        let edits = self.edits(edits);
        if !self.features.versioned_edits {
            return Some(lsp::WorkspaceEdit { changes: Some([(uri, edits)].into()), ..lsp::WorkspaceEdit::default() });
        }
        let text_document = lsp::OptionalVersionedTextDocumentIdentifier { uri, version: Some(self.version) };
        let edits = edits.into_iter().map(lsp::OneOf::Left).collect();
        let changes = lsp::DocumentChanges::Edits(vec![lsp::TextDocumentEdit { text_document, edits }]);
        Some(lsp::WorkspaceEdit { document_changes: Some(changes), ..lsp::WorkspaceEdit::default() })
    }

    /// Edits, for a client.
    pub fn edits(&self, edits: &[diagnostics::Edit]) -> Vec<lsp::TextEdit> {
        edits.iter().map(|edit| lsp::TextEdit::new(self.range(&edit.range), edit.text.clone())).collect()
    }
}
