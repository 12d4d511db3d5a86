//! What a client can do, as far as it matters to us, and what we tell it that we can.
//!
//! Must not know how any of it is done.

use crate::convert::Encoding;
use crate::handlers::{code_action, evaluation, semantic_tokens};
use crate::settings::SECTION;
use serde_json::json;
use tower_lsp::ls_types as lsp;

/// How a client takes documentation.
#[derive(Clone, Copy, Debug, Default)]
pub enum Prose {
    /// A string without a word on what it is: the client did not say what it shows.
    #[default]
    Bare,
    /// Marked as plain text.
    Plain,
    /// Markdown.
    Markdown,
}

/// What a client can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// How it counts columns.
    pub encoding: Encoding,
    /// It answers `workspace/configuration`.
    pub configuration: bool,
    /// It tells of changed configuration only to those who register for it.
    pub registers_configuration: bool,
    /// It tells of changed files to those who register for it.
    pub watches: bool,
    /// It asks for diagnostics itself.
    pub pulls: bool,
    /// It can be asked to ask for diagnostics again.
    pub refreshes: bool,
    /// It shows Markdown in a hover.
    pub markdown: bool,
    /// How it takes the documentation of an offer.
    pub prose: Prose,
    /// It asks for the documentation of an offer once somebody looks at it.
    pub resolves: bool,
    /// It takes edits for a version of a document.
    pub versioned_edits: bool,
    /// It shows an outline as a tree.
    pub trees: bool,
    /// It takes more about a place than where it is.
    pub links: bool,
    /// It takes texts with places to fill in.
    pub snippets: bool,
    /// It takes operands as places in a label.
    pub label_offsets: bool,
}

impl Features {
    /// Reads a client's capabilities.
    pub fn of(capabilities: &lsp::ClientCapabilities) -> Self {
        let general = capabilities.general.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let document = capabilities.text_document.as_ref();
        let symbols = document.and_then(|document| document.document_symbol.as_ref());
        let definition = document.and_then(|document| document.definition.as_ref());
        let completion = document.and_then(|document| document.completion.as_ref()?.completion_item.as_ref());
        let signatures = document.and_then(|document| document.signature_help.as_ref()?.signature_information.as_ref());
        let formats = document.and_then(|document| document.hover.as_ref()?.content_format.as_ref());
        Features {
            encoding: Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref())),
            configuration: workspace.and_then(|workspace| workspace.configuration) == Some(true),
            registers_configuration: workspace
                .and_then(|workspace| workspace.did_change_configuration?.dynamic_registration)
                == Some(true),
            watches: workspace.and_then(|workspace| workspace.did_change_watched_files?.dynamic_registration)
                == Some(true),
            pulls: document.is_some_and(|document| document.diagnostic.is_some()),
            refreshes: workspace.and_then(|workspace| workspace.diagnostics.as_ref()?.refresh_support) == Some(true),
            markdown: formats.is_none_or(|formats| formats.contains(&lsp::MarkupKind::Markdown)),
            prose: match completion.and_then(|completion| completion.documentation_format.as_ref()) {
                None => Prose::Bare,
                Some(formats) if formats.contains(&lsp::MarkupKind::Markdown) => Prose::Markdown,
                Some(_) => Prose::Plain,
            },
            resolves: completion
                .and_then(|completion| completion.resolve_support.as_ref())
                .is_some_and(|support| support.properties.iter().any(|property| property == "documentation")),
            versioned_edits: workspace.and_then(|workspace| workspace.workspace_edit.as_ref()?.document_changes)
                == Some(true),
            trees: symbols.and_then(|symbols| symbols.hierarchical_document_symbol_support) == Some(true),
            links: definition.and_then(|definition| definition.link_support) == Some(true),
            snippets: completion.and_then(|completion| completion.snippet_support) == Some(true),
            label_offsets: signatures
                .and_then(|signatures| signatures.parameter_information.as_ref()?.label_offset_support)
                == Some(true),
        }
    }

    /// What a client has to be asked to tell of.
    pub fn registrations(&self) -> Vec<lsp::Registration> {
        let registration = |method: &str, options| lsp::Registration {
            id: method.to_owned(),
            method: method.to_owned(),
            register_options: Some(options),
        };
        let watchers = json!({"watchers": [{"globPattern": format!("**/{}", analysis::config::FILE_NAME)}]});
        let wanted = [
            (self.registers_configuration, "workspace/didChangeConfiguration", json!({"section": SECTION})),
            (self.watches, "workspace/didChangeWatchedFiles", watchers),
        ];
        wanted.into_iter().filter(|one| one.0).map(|(_, method, options)| registration(method, options)).collect()
    }

    /// What the server tells this client that it can do.
    pub fn capabilities(&self) -> lsp::ServerCapabilities {
        lsp::ServerCapabilities {
            position_encoding: Some(self.encoding.kind()),
            text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(lsp::TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
                save: Some(lsp::TextDocumentSyncSaveOptions::Supported(true)),
                ..lsp::TextDocumentSyncOptions::default()
            })),
            hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
            completion_provider: Some(lsp::CompletionOptions {
                trigger_characters: Some([".", ":", "%", "@"].map(str::to_owned).to_vec()),
                resolve_provider: Some(true),
                ..lsp::CompletionOptions::default()
            }),
            code_action_provider: Some(lsp::CodeActionProviderCapability::Options(lsp::CodeActionOptions {
                code_action_kinds: Some(code_action::KINDS.to_vec()),
                ..lsp::CodeActionOptions::default()
            })),
            diagnostic_provider: Some(lsp::DiagnosticServerCapabilities::Options(lsp::DiagnosticOptions {
                identifier: Some(crate::diagnostics::SOURCE.to_owned()),
                inter_file_dependencies: false,
                workspace_diagnostics: true,
                work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
            })),
            workspace: Some(lsp::WorkspaceServerCapabilities {
                workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(lsp::OneOf::Left(true)),
                }),
                ..lsp::WorkspaceServerCapabilities::default()
            }),
            workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
            document_symbol_provider: Some(lsp::OneOf::Left(true)),
            definition_provider: Some(lsp::OneOf::Left(true)),
            declaration_provider: Some(lsp::DeclarationCapability::Simple(true)),
            references_provider: Some(lsp::OneOf::Left(true)),
            document_highlight_provider: Some(lsp::OneOf::Left(true)),
            rename_provider: Some(lsp::OneOf::Right(lsp::RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
            })),
            linked_editing_range_provider: Some(lsp::LinkedEditingRangeServerCapabilities::Simple(true)),
            folding_range_provider: Some(lsp::FoldingRangeProviderCapability::Simple(true)),
            selection_range_provider: Some(lsp::SelectionRangeProviderCapability::Simple(true)),
            document_link_provider: Some(lsp::DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
            }),
            inlay_hint_provider: Some(lsp::OneOf::Left(true)),
            signature_help_provider: Some(lsp::SignatureHelpOptions {
                trigger_characters: Some([" ", ",", "[", "{"].map(str::to_owned).to_vec()),
                ..lsp::SignatureHelpOptions::default()
            }),
            semantic_tokens_provider: Some(
                lsp::SemanticTokensOptions {
                    legend: semantic_tokens::legend(),
                    range: Some(true),
                    full: Some(lsp::SemanticTokensFullOptions::Delta { delta: Some(true) }),
                    work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
                }
                .into(),
            ),
            call_hierarchy_provider: Some(lsp::CallHierarchyServerCapability::Simple(true)),
            code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: Some(false) }),
            execute_command_provider: Some(lsp::ExecuteCommandOptions {
                commands: vec![evaluation::COMMAND.to_owned()],
                work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
            }),
            document_formatting_provider: Some(lsp::OneOf::Left(true)),
            document_range_formatting_provider: Some(lsp::OneOf::Left(true)),
            document_on_type_formatting_provider: Some(lsp::DocumentOnTypeFormattingOptions {
                first_trigger_character: ";".to_owned(),
                more_trigger_character: Some(vec!["}".to_owned(), "\n".to_owned()]),
            }),
            ..lsp::ServerCapabilities::default()
        }
    }
}
