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
    pub refreshes: bool,
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
    /// Supports `LocationLink`.
    pub links: bool,
    /// Supports snippets.
    pub snippets: bool,
    /// Supports label offsets in signature help.
    pub label_offsets: bool,
    /// Displays the result of an evaluation itself (`experimental.evaluationResults`).
    pub evaluation_results: bool,
}

impl ClientFeatures {
    /// Reads the client's capabilities.
    pub fn of(capabilities: &lsp::ClientCapabilities) -> Self {
        let general = capabilities.general.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let document = capabilities.text_document.as_ref();
        let symbols = document.and_then(|document| document.document_symbol.as_ref());
        let definition = document.and_then(|document| document.definition.as_ref());
        let completion = document.and_then(|document| document.completion.as_ref()?.completion_item.as_ref());
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
            refreshes: workspace.and_then(|workspace| workspace.diagnostics.as_ref()?.refresh_support) == Some(true),
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
            links: definition.and_then(|definition| definition.link_support) == Some(true),
            snippets: completion.and_then(|completion| completion.snippet_support) == Some(true),
            label_offsets: signatures
                .and_then(|signatures| signatures.parameter_information.as_ref()?.label_offset_support)
                == Some(true),
            evaluation_results: capabilities
                .experimental
                .as_ref()
                .and_then(|experimental| experimental.get("evaluationResults")?.as_bool())
                == Some(true),
        }
    }
}

/// The format that a client prefers, which comes first; Markdown if it lists none.
fn markup_format(formats: Option<&Vec<lsp::MarkupKind>>) -> DocumentationFormat {
    match formats.and_then(|formats| formats.first()) {
        Some(lsp::MarkupKind::PlainText) => DocumentationFormat::Plain,
        Some(lsp::MarkupKind::Markdown) | None => DocumentationFormat::Markdown,
    }
}
