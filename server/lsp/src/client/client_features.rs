//! The client's capabilities that the server uses.

use crate::convert::Encoding;
use tower_lsp::ls_types as lsp;

/// Format of documentation.
#[derive(Clone, Copy, Debug, Default)]
pub enum DocumentationFormat {
    /// A plain string; the client named no format.
    #[default]
    Bare,
    /// `MarkupContent` of kind plain text.
    Plain,
    /// Markdown.
    Markdown,
}

/// The supported form of code actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeActionSupport {
    /// Not at all: it has neither literals nor `workspace/applyEdit`.
    #[default]
    None,
    /// As commands of the server.
    Commands,
    /// As `CodeAction` literals.
    Literals {
        /// Whether it supports preferred actions.
        preferred: bool,
    },
}

/// The supported optional parts of a diagnostic.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiagnosticParts {
    /// Related locations.
    pub related_information: bool,
    /// A link to the rule's page.
    pub code_description: bool,
    /// Data that comes back with code action requests.
    pub data: bool,
    /// The tag `Unnecessary`.
    pub unnecessary: bool,
    /// The tag `Deprecated`.
    pub deprecated: bool,
}

impl DiagnosticParts {
    fn of(capabilities: Option<&lsp::PublishDiagnosticsClientCapabilities>) -> Self {
        let Some(capabilities) = capabilities else { return DiagnosticParts::default() };
        let tags = capabilities.tag_support.as_ref().map_or(&[][..], |support| &support.value_set);
        DiagnosticParts {
            related_information: capabilities.related_information == Some(true),
            code_description: capabilities.code_description_support == Some(true),
            data: capabilities.data_support == Some(true),
            unnecessary: tags.contains(&lsp::DiagnosticTag::UNNECESSARY),
            deprecated: tags.contains(&lsp::DiagnosticTag::DEPRECATED),
        }
    }
}

/// What a client can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClientFeatures {
    /// Its position encoding.
    pub encoding: Encoding,
    /// Supports `workspace/configuration`.
    pub configuration: bool,
    /// Requires registration for configuration changes.
    pub registers_configuration: bool,
    /// Supports registration for file changes.
    pub watches: bool,
    /// Supports pull diagnostics.
    pub pulls: bool,
    /// Supports refreshing pull diagnostics.
    pub refreshes_diagnostics: bool,
    /// Supports refreshing inlay hints.
    pub refreshes_inlay_hints: bool,
    /// The format of hover and of tooltips.
    pub hover_format: DocumentationFormat,
    /// The format of signature help.
    pub signature_format: DocumentationFormat,
    /// The format of completion documentation.
    pub completion_format: DocumentationFormat,
    /// Resolves completion documentation lazily.
    pub resolves: bool,
    /// Supports versioned edits.
    pub versioned_edits: bool,
    /// Supports hierarchical document symbols.
    pub trees: bool,
    /// Supports `LocationLink` for definitions.
    pub definition_links: bool,
    /// Supports `LocationLink` for declarations.
    pub declaration_links: bool,
    /// Shows symbol kinds beyond those of the first version of the protocol.
    pub symbol_kinds: bool,
    /// Shows kinds of completion items beyond those of the first version of the protocol.
    pub completion_kinds: bool,
    /// The supported form of code actions.
    pub code_actions: CodeActionSupport,
    /// The supported optional parts of diagnostics.
    pub diagnostic_parts: DiagnosticParts,
    /// Supports `textDocument/prepareRename`.
    pub prepares_rename: bool,
    /// Supports an active parameter for each signature.
    pub active_parameter: bool,
    /// The most folding ranges of a document.
    pub fold_limit: Option<u32>,
    /// Supports snippets.
    pub snippets: bool,
    /// Supports label offsets in signature help.
    pub label_offsets: bool,
    /// Displays diagnostics with the hover (`experimental.diagnosticsInHover`).
    pub diagnostics_in_hover: bool,
    /// Displays the result of an evaluation itself (`experimental.evaluationResults`).
    pub evaluation_results: bool,
    /// Asks for launches of kernels and displays their runs (`experimental.kernelRuns`).
    pub kernel_runs: bool,
    /// Asks for launches of kernels and displays what their checks find (`experimental.kernelChecks`).
    pub kernel_checks: bool,
}

impl ClientFeatures {
    /// Reads the client's capabilities.
    pub fn of(capabilities: &lsp::ClientCapabilities) -> Self {
        let general = capabilities.general.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let document = capabilities.text_document.as_ref();
        let symbols = document.and_then(|document| document.document_symbol.as_ref());
        let completion_list = document.and_then(|document| document.completion.as_ref());
        let completion = completion_list.and_then(|list| list.completion_item.as_ref());
        let signatures = document.and_then(|document| document.signature_help.as_ref()?.signature_information.as_ref());
        let formats = document.and_then(|document| document.hover.as_ref()?.content_format.as_ref());
        ClientFeatures {
            encoding: Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref())),
            configuration: workspace.and_then(|workspace| workspace.configuration) == Some(true),
            registers_configuration: workspace
                .and_then(|workspace| workspace.did_change_configuration?.dynamic_registration)
                == Some(true),
            watches: workspace.and_then(|workspace| workspace.did_change_watched_files?.dynamic_registration)
                == Some(true),
            pulls: document.is_some_and(|document| document.diagnostic.is_some()),
            refreshes_diagnostics: workspace.and_then(|workspace| workspace.diagnostics.as_ref()?.refresh_support)
                == Some(true),
            refreshes_inlay_hints: workspace.and_then(|workspace| workspace.inlay_hint.as_ref()?.refresh_support)
                == Some(true),
            hover_format: markup_format(formats),
            signature_format: markup_format(signatures.and_then(|signatures| signatures.documentation_format.as_ref())),
            completion_format: match completion.and_then(|completion| completion.documentation_format.as_ref()) {
                None => DocumentationFormat::Bare,
                formats => markup_format(formats),
            },
            resolves: completion
                .and_then(|completion| completion.resolve_support.as_ref())
                .is_some_and(|support| support.properties.iter().any(|property| property == "documentation")),
            versioned_edits: workspace.and_then(|workspace| workspace.workspace_edit.as_ref()?.document_changes)
                == Some(true),
            trees: symbols.and_then(|symbols| symbols.hierarchical_document_symbol_support) == Some(true),
            definition_links: document.and_then(|document| document.definition?.link_support) == Some(true),
            declaration_links: document.and_then(|document| document.declaration?.link_support) == Some(true),
            symbol_kinds: symbols.and_then(|symbols| symbols.symbol_kind.as_ref()?.value_set.as_ref()).is_some(),
            completion_kinds: completion_list
                .and_then(|list| list.completion_item_kind.as_ref()?.value_set.as_ref())
                .is_some(),
            code_actions: code_actions(capabilities),
            diagnostic_parts: DiagnosticParts::of(document.and_then(|document| document.publish_diagnostics.as_ref())),
            prepares_rename: document.and_then(|document| document.rename.as_ref()?.prepare_support) == Some(true),
            active_parameter: signatures.and_then(|signatures| signatures.active_parameter_support) == Some(true),
            fold_limit: document.and_then(|document| document.folding_range.as_ref()?.range_limit),
            snippets: completion.and_then(|completion| completion.snippet_support) == Some(true),
            label_offsets: signatures
                .and_then(|signatures| signatures.parameter_information.as_ref()?.label_offset_support)
                == Some(true),
            diagnostics_in_hover: experimental(capabilities, "diagnosticsInHover"),
            evaluation_results: experimental(capabilities, "evaluationResults"),
            kernel_runs: experimental(capabilities, "kernelRuns"),
            kernel_checks: experimental(capabilities, "kernelChecks"),
        }
    }
}

/// Whether a client has an experimental capability.
fn experimental(capabilities: &lsp::ClientCapabilities, name: &str) -> bool {
    let experimental = capabilities.experimental.as_ref();
    experimental.and_then(|experimental| experimental.get(name)?.as_bool()) == Some(true)
}

/// The form of code actions: literals if the client supports them, else commands if it supports `workspace/applyEdit`.
fn code_actions(capabilities: &lsp::ClientCapabilities) -> CodeActionSupport {
    let action = capabilities.text_document.as_ref().and_then(|document| document.code_action.as_ref());
    let applies_edits = capabilities.workspace.as_ref().and_then(|workspace| workspace.apply_edit) == Some(true);
    match action.and_then(|action| action.code_action_literal_support.as_ref()) {
        Some(_) => CodeActionSupport::Literals {
            preferred: action.and_then(|action| action.is_preferred_support) == Some(true),
        },
        None if applies_edits => CodeActionSupport::Commands,
        None => CodeActionSupport::None,
    }
}

/// The format that a client prefers, which comes first; Markdown if it lists none.
fn markup_format(formats: Option<&Vec<lsp::MarkupKind>>) -> DocumentationFormat {
    match formats.and_then(|formats| formats.first()) {
        Some(lsp::MarkupKind::PlainText) => DocumentationFormat::Plain,
        Some(lsp::MarkupKind::Markdown) | None => DocumentationFormat::Markdown,
    }
}
