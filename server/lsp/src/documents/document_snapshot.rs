//! An immutable snapshot of a document, as of the request's place in the order of arrival.

use crate::client::client_features::ClientFeatures;
use crate::configuration::settings::TargetOverride;
use crate::convert;
use crate::scheduling::work::CancelFlag;
use crate::typing::{self, EarlierDiagnostics, ShownDiagnostics, Typing};
use diagnostics::Diagnostic;
use ide::Ide;
use ide::features::HintOptions;
use lints::{Check, Checker};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use tower_lsp::ls_types as lsp;

/// A snapshot of a document. A `DocumentSnapshot<dyn Check>` supports diagnostics only.
pub struct DocumentSnapshot<S: ?Sized = dyn Ide> {
    /// URI, as the client writes it.
    pub uri: String,
    /// The client's version number of this text.
    pub version: i32,
    /// Number of this text under these settings.
    pub revision: u64,
    /// The text with its settings.
    pub source: Arc<S>,
    /// The client's capabilities.
    pub features: ClientFeatures,
    /// Enabled inlay hints.
    pub hints: HintOptions,
    /// The source of the target in the settings.
    pub target_override: TargetOverride,
    /// URL template of the pages of `explain`, with `{code}` for a rule's code or the name of an instruction.
    pub pages: Option<Arc<str>>,
    /// The semantic tokens sent last, and their revision.
    pub tokens: Option<(u64, Arc<[u32]>)>,
    /// Diagnostics of a check that has finished.
    pub found: Option<Arc<[Diagnostic]>>,
    /// What the client was shown last, and what its user types; `None` if nobody types.
    pub typing: Option<(Typing, EarlierDiagnostics)>,
    /// The document's incremental checker; one check at a time.
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
            typing: self.typing.clone(),
            checker: Arc::clone(&self.checker),
            ..*self
        }
    }
}

impl DocumentSnapshot {
    /// All diagnostics, and what the client is shown of them; `None` if the check was cancelled.
    pub fn shown(&self, cancel: &CancelFlag) -> Option<(Arc<[Diagnostic]>, ShownDiagnostics)> {
        let found = self.diagnostics(cancel)?;
        let shown = match &self.typing {
            Some((typing, before)) => typing::while_typing(&*self.source, typing, before, &found),
            None => typing::all(found.clone()),
        };
        Some((found, shown))
    }

    /// The id of what the client is shown: another one while the user types.
    pub fn result_id(&self) -> String {
        match &self.typing {
            Some(_) => format!("{}-typing", self.revision),
            None => self.revision.to_string(),
        }
    }
}

impl<S: Check + ?Sized> DocumentSnapshot<S> {
    /// A snapshot of a file that is not open.
    pub fn closed(uri: String, source: Arc<S>, pages: Option<Arc<str>>, features: ClientFeatures) -> Self {
        DocumentSnapshot {
            uri,
            version: 0,
            revision: 0,
            source,
            features,
            hints: HintOptions::default(),
            target_override: TargetOverride::default(),
            pages,
            tokens: None,
            found: None,
            typing: None,
            checker: Arc::default(),
        }
    }

    /// All diagnostics, cached or from a check that runs now; `None` if it was cancelled.
    pub fn diagnostics(&self, cancel: &CancelFlag) -> Option<Arc<[Diagnostic]>> {
        if let Some(found) = &self.found {
            return Some(found.clone());
        }
        let mut checker = cancel.wait_for(|| self.try_checker())?;
        self.source.check(&mut checker, &|| cancel.is_cancelled()).map(Arc::from)
    }

    /// The checker, unless another check of the document runs.
    fn try_checker(&self) -> Option<MutexGuard<'_, Checker>> {
        match self.checker.try_lock() {
            Ok(checker) => Some(checker),
            Err(TryLockError::WouldBlock) => None,
            // A check that panicked may have left an inconsistent cache: discard it.
            Err(TryLockError::Poisoned(poisoned)) => {
                let mut checker = poisoned.into_inner();
                *checker = Checker::default();
                self.checker.clear_poison();
                Some(checker)
            }
        }
    }

    /// The byte offset of a position.
    pub fn offset(&self, position: lsp::Position) -> usize {
        convert::offset(self.source.rope(), self.features.encoding, position)
    }

    /// The byte range of a range.
    pub fn bytes(&self, range: lsp::Range) -> Range<usize> {
        convert::bytes(self.source.rope(), self.features.encoding, range)
    }

    /// The position of a byte offset.
    pub fn position(&self, offset: usize) -> lsp::Position {
        convert::position(self.source.rope(), self.features.encoding, offset)
    }

    /// The range of a byte range.
    pub fn range(&self, bytes: &Range<usize>) -> lsp::Range {
        convert::range(self.source.rope(), self.features.encoding, bytes)
    }

    /// The number of columns of a line.
    pub fn columns(&self, line: u32) -> u32 {
        self.position(self.offset(lsp::Position::new(line, u32::MAX))).character
    }

    /// Edits of this document as a `WorkspaceEdit`.
    pub fn workspace_edit(&self, edits: &[diagnostics::Edit]) -> Option<lsp::WorkspaceEdit> {
        Some(self.edit_of(self.uri.parse().ok()?, Some(self.version), self.edits(edits)))
    }

    /// Edits of any document as a `WorkspaceEdit`; without a version if it may not be open.
    pub fn edit_of(&self, uri: lsp::Uri, version: Option<i32>, edits: Vec<lsp::TextEdit>) -> lsp::WorkspaceEdit {
        if !self.features.versioned_edits {
            return lsp::WorkspaceEdit { changes: Some([(uri, edits)].into()), ..lsp::WorkspaceEdit::default() };
        }
        let text_document = lsp::OptionalVersionedTextDocumentIdentifier { uri, version };
        let edits = edits.into_iter().map(lsp::OneOf::Left).collect();
        let changes = lsp::DocumentChanges::Edits(vec![lsp::TextDocumentEdit { text_document, edits }]);
        lsp::WorkspaceEdit { document_changes: Some(changes), ..lsp::WorkspaceEdit::default() }
    }

    /// Edits as `TextEdit`s.
    pub fn edits(&self, edits: &[diagnostics::Edit]) -> Vec<lsp::TextEdit> {
        edits.iter().map(|edit| self.text_edit(edit)).collect()
    }

    /// An edit as a `TextEdit`. No position is inside of a line end, so an edit that replaces its second half replaces both.
    fn text_edit(&self, edit: &diagnostics::Edit) -> lsp::TextEdit {
        let (rope, start) = (self.source.rope(), edit.range.start);
        let splits_line_end = start > 0
            && start < edit.range.end.min(rope.len_bytes())
            && (rope.byte(start - 1), rope.byte(start)) == (b'\r', b'\n');
        let first = if splits_line_end { "\r" } else { "" };
        lsp::TextEdit::new(self.range(&edit.range), format!("{first}{}", edit.text))
    }
}
