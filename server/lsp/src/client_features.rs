//! What a client can do, as far as it matters to us.
//!
//! Must not know how any of it is done.

use crate::convert::Encoding;
use tower_lsp::ls_types as lsp;

/// How a client takes documentation.
#[derive(Clone, Copy, Debug, Default)]
pub enum DocumentationFormat {
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
pub struct ClientFeatures {
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
    pub prose: DocumentationFormat,
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

impl ClientFeatures {
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
            markdown: formats.is_none_or(|formats| formats.contains(&lsp::MarkupKind::Markdown)),
            prose: match completion.and_then(|completion| completion.documentation_format.as_ref()) {
                None => DocumentationFormat::Bare,
                Some(formats) if formats.contains(&lsp::MarkupKind::Markdown) => DocumentationFormat::Markdown,
                Some(_) => DocumentationFormat::Plain,
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
}
