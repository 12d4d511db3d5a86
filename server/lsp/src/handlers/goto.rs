//! `textDocument/definition`, `textDocument/declaration` and `textDocument/references`.

use crate::view::View;
use ide::features::GotoResult;
use tower_lsp::ls_types as lsp;

/// Where the name at a position is defined.
pub fn definition(view: &View, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
    places(view, &view.source.definition(view.offset(position))?)
}

/// Where the name at a position is declared.
pub fn declaration(view: &View, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
    places(view, &view.source.declaration(view.offset(position))?)
}

/// Where the name at a position is meant.
pub fn references(view: &View, position: lsp::Position, declarations: bool) -> Option<Vec<lsp::Location>> {
    let uri: lsp::Uri = view.uri.parse().ok()?;
    let found = view.source.references(view.offset(position), declarations);
    Some(found.iter().map(|range| lsp::Location::new(uri.clone(), view.range(range))).collect())
}

fn places(view: &View, found: &GotoResult) -> Option<lsp::GotoDefinitionResponse> {
    let uri: lsp::Uri = view.uri.parse().ok()?;
    if !view.features.links {
        let place = |range| lsp::Location::new(uri.clone(), view.range(range));
        return Some(lsp::GotoDefinitionResponse::Array(
            found.targets.iter().map(|target| place(&target.selection)).collect(),
        ));
    }
    let links = found.targets.iter().map(|target| lsp::LocationLink {
        origin_selection_range: Some(view.range(&found.origin)),
        target_uri: uri.clone(),
        target_range: view.range(&target.range),
        target_selection_range: view.range(&target.selection),
    });
    Some(lsp::GotoDefinitionResponse::Link(links.collect()))
}
