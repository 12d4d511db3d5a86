//! What a client can do, as far as it matters to us, and what we tell it that we can.
//!
//! Must not know how any of it is done.

use crate::convert::Encoding;
use tower_lsp::ls_types as lsp;

/// What a client can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// How it counts columns.
    pub encoding: Encoding,
    /// It answers `workspace/configuration`.
    pub configuration: bool,
    /// It tells of changed configuration only to those who register for it.
    pub registers_configuration: bool,
    /// It asks for diagnostics itself.
    pub pulls: bool,
    /// It can be asked to ask for diagnostics again.
    pub refreshes: bool,
    /// It shows Markdown in a hover.
    pub markdown: bool,
    /// It takes edits for a version of a document.
    pub versioned_edits: bool,
}

impl Features {
    /// Reads a client's capabilities.
    pub fn of(capabilities: &lsp::ClientCapabilities) -> Self {
        let general = capabilities.general.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let document = capabilities.text_document.as_ref();
        let formats = document.and_then(|document| document.hover.as_ref()?.content_format.as_ref());
        Features {
            encoding: Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref())),
            configuration: workspace.and_then(|workspace| workspace.configuration) == Some(true),
            registers_configuration: workspace
                .and_then(|workspace| workspace.did_change_configuration?.dynamic_registration)
                == Some(true),
            pulls: document.is_some_and(|document| document.diagnostic.is_some()),
            refreshes: workspace.and_then(|workspace| workspace.diagnostics.as_ref()?.refresh_support) == Some(true),
            markdown: formats.is_none_or(|formats| formats.contains(&lsp::MarkupKind::Markdown)),
            versioned_edits: workspace.and_then(|workspace| workspace.workspace_edit.as_ref()?.document_changes)
                == Some(true),
        }
    }

    /// What the server tells this client that it can do.
    pub fn capabilities(&self) -> lsp::ServerCapabilities {
        lsp::ServerCapabilities {
            position_encoding: Some(self.encoding.kind()),
            text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(lsp::TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
                ..lsp::TextDocumentSyncOptions::default()
            })),
            hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
            completion_provider: Some(lsp::CompletionOptions {
                trigger_characters: Some(vec![".".to_owned(), ":".to_owned()]),
                ..lsp::CompletionOptions::default()
            }),
            code_action_provider: Some(lsp::CodeActionProviderCapability::Options(lsp::CodeActionOptions {
                code_action_kinds: Some(vec![lsp::CodeActionKind::QUICKFIX]),
                ..lsp::CodeActionOptions::default()
            })),
            diagnostic_provider: Some(lsp::DiagnosticServerCapabilities::Options(lsp::DiagnosticOptions {
                identifier: Some(crate::publish::SOURCE.to_owned()),
                inter_file_dependencies: false,
                workspace_diagnostics: false,
                work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
            })),
            ..lsp::ServerCapabilities::default()
        }
    }
}
