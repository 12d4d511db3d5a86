//! `textDocument/definition`, `textDocument/declaration` and `textDocument/references`.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers::source_lines::sources_at;
use ide::features::{GotoResult, ReferenceFilter};
use tower_lsp::ls_types as lsp;

/// Where the name at a position is defined, or the source line that the instruction or the `.loc` directive there was generated from.
pub fn definition(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
    let offset = snapshot.offset(position);
    match snapshot.source.definition(offset) {
        Some(found) => places(snapshot, &found, snapshot.features.definition_links),
        None => source_lines(snapshot, offset),
    }
}

fn source_lines(snapshot: &DocumentSnapshot, offset: usize) -> Option<lsp::GotoDefinitionResponse> {
    let (origin, locations) = sources_at(snapshot, offset)?;
    if !snapshot.features.definition_links {
        return Some(lsp::GotoDefinitionResponse::Array(locations));
    }
    let origin = snapshot.range(&origin);
    let links = locations.into_iter().map(|place| lsp::LocationLink {
        origin_selection_range: Some(origin),
        target_uri: place.uri,
        target_range: place.range,
        target_selection_range: place.range,
    });
    Some(lsp::GotoDefinitionResponse::Link(links.collect()))
}

/// Where the name at a position is declared.
pub fn declaration(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
    let found = snapshot.source.declaration(snapshot.offset(position))?;
    places(snapshot, &found, snapshot.features.declaration_links)
}

/// The locations where the name at a position is used.
pub fn references(
    snapshot: &DocumentSnapshot,
    position: lsp::Position,
    filter: ReferenceFilter,
) -> Option<Vec<lsp::Location>> {
    let uri: lsp::Uri = snapshot.uri.parse().ok()?;
    let found = snapshot.source.references(snapshot.offset(position), filter);
    Some(found.iter().map(|range| lsp::Location::new(uri.clone(), snapshot.range(range))).collect())
}

/// Places as links, or as plain locations for clients without links.
fn places(snapshot: &DocumentSnapshot, found: &GotoResult, links: bool) -> Option<lsp::GotoDefinitionResponse> {
    let uri: lsp::Uri = snapshot.uri.parse().ok()?;
    if !links {
        let place = |range| lsp::Location::new(uri.clone(), snapshot.range(range));
        return Some(lsp::GotoDefinitionResponse::Array(
            found.targets.iter().map(|target| place(&target.selection)).collect(),
        ));
    }
    let links = found.targets.iter().map(|target| lsp::LocationLink {
        origin_selection_range: Some(snapshot.range(&found.origin)),
        target_uri: uri.clone(),
        target_range: snapshot.range(&target.range),
        target_selection_range: snapshot.range(&target.selection),
    });
    Some(lsp::GotoDefinitionResponse::Link(links.collect()))
}
