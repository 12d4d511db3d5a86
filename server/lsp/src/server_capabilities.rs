//! The server's capabilities, and its dynamic registrations.

use crate::client::client_features::{ClientFeatures, CodeActionSupport};
use crate::configuration::settings::SECTION;
use crate::handlers::execution::{evaluation, kernel_check, kernel_run};
use crate::handlers::{apply_edit, code_action, semantic_tokens};
use serde_json::json;
use tower_lsp::ls_types as lsp;

/// Notifications that need registration with this client.
pub fn registrations(client: &ClientFeatures) -> Vec<lsp::Registration> {
    let registration = |method: &str, options| lsp::Registration {
        id: method.to_owned(),
        method: method.to_owned(),
        register_options: Some(options),
    };
    let files = [diagnostics::config::FILE_NAME, project::COMPILE_COMMANDS];
    let watchers = files.map(|file| json!({"globPattern": format!("**/{file}")}));
    let watchers = json!({"watchers": watchers});
    let wanted = [
        (client.registers_configuration, "workspace/didChangeConfiguration", json!({"section": SECTION})),
        (client.watches, "workspace/didChangeWatchedFiles", watchers),
    ];
    wanted.into_iter().filter(|one| one.0).map(|(_, method, options)| registration(method, options)).collect()
}

/// The commands that the client may have executed.
fn commands(client: &ClientFeatures) -> Vec<String> {
    let fixes = (client.code_actions == CodeActionSupport::Commands).then_some(apply_edit::COMMAND);
    [evaluation::COMMAND, kernel_run::COMMAND, kernel_check::COMMAND]
        .into_iter()
        .chain(fixes)
        .map(str::to_owned)
        .collect()
}

/// The capabilities announced to this client.
pub fn capabilities(client: &ClientFeatures) -> lsp::ServerCapabilities {
    lsp::ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(synchronization())),
        hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some([".", ":", "%", "$", "@", "[", "\"", "="].map(str::to_owned).to_vec()),
            resolve_provider: Some(true),
            ..lsp::CompletionOptions::default()
        }),
        code_action_provider: Some(code_actions(client)),
        diagnostic_provider: Some(lsp::DiagnosticServerCapabilities::Options(lsp::DiagnosticOptions {
            identifier: Some(crate::documents::checked_document::SOURCE.to_owned()),
            inter_file_dependencies: false,
            workspace_diagnostics: true,
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        })),
        workspace: Some(workspace()),
        workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        definition_provider: Some(lsp::OneOf::Left(true)),
        declaration_provider: Some(lsp::DeclarationCapability::Simple(true)),
        implementation_provider: Some(lsp::ImplementationProviderCapability::Simple(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        rename_provider: Some(rename(client)),
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
        semantic_tokens_provider: Some(semantic_tokens().into()),
        call_hierarchy_provider: Some(lsp::CallHierarchyServerCapability::Simple(true)),
        code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(lsp::ExecuteCommandOptions {
            commands: commands(client),
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

/// The capabilities where each request is answered about one text alone: nothing is known of the workspace, and each change is the whole text.
pub fn of_one_text(client: &ClientFeatures) -> lsp::ServerCapabilities {
    let mut known = capabilities(client);
    let mut synchronization = synchronization();
    synchronization.change = Some(lsp::TextDocumentSyncKind::FULL);
    known.text_document_sync = Some(lsp::TextDocumentSyncCapability::Options(synchronization));
    known.workspace = None;
    known.workspace_symbol_provider = None;
    known.implementation_provider = None;
    if let Some(lsp::DiagnosticServerCapabilities::Options(options)) = &mut known.diagnostic_provider {
        options.workspace_diagnostics = false;
    }
    let tokens =
        lsp::SemanticTokensOptions { full: Some(lsp::SemanticTokensFullOptions::Bool(true)), ..semantic_tokens() };
    known.semantic_tokens_provider = Some(tokens.into());
    known
}

fn synchronization() -> lsp::TextDocumentSyncOptions {
    lsp::TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
        save: Some(lsp::TextDocumentSyncSaveOptions::Supported(true)),
        ..lsp::TextDocumentSyncOptions::default()
    }
}

fn code_actions(client: &ClientFeatures) -> lsp::CodeActionProviderCapability {
    match client.code_actions {
        CodeActionSupport::Literals { .. } => lsp::CodeActionProviderCapability::Options(lsp::CodeActionOptions {
            code_action_kinds: Some(code_action::KINDS.to_vec()),
            ..lsp::CodeActionOptions::default()
        }),
        CodeActionSupport::Commands => lsp::CodeActionProviderCapability::Simple(true),
        CodeActionSupport::None => lsp::CodeActionProviderCapability::Simple(false),
    }
}

/// Only clients with `prepareSupport` may get options.
fn rename(client: &ClientFeatures) -> lsp::OneOf<bool, lsp::RenameOptions> {
    if !client.prepares_rename {
        return lsp::OneOf::Left(true);
    }
    lsp::OneOf::Right(lsp::RenameOptions {
        prepare_provider: Some(true),
        work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
    })
}

fn workspace() -> lsp::WorkspaceServerCapabilities {
    lsp::WorkspaceServerCapabilities {
        workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
            supported: Some(true),
            change_notifications: Some(lsp::OneOf::Left(true)),
        }),
        ..lsp::WorkspaceServerCapabilities::default()
    }
}

fn semantic_tokens() -> lsp::SemanticTokensOptions {
    lsp::SemanticTokensOptions {
        legend: semantic_tokens::legend(),
        range: Some(true),
        full: Some(lsp::SemanticTokensFullOptions::Delta { delta: Some(true) }),
        work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
    }
}
