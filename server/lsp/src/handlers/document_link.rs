//! `textDocument/documentLink`: the paths of `.file`.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::uri;
use std::path::Path;
use tower_lsp::ls_types as lsp;

/// All links. A relative path starts at the document's folder.
pub fn document_link(snapshot: &DocumentSnapshot) -> Vec<lsp::DocumentLink> {
    let folder = uri::path_of(&snapshot.uri).and_then(|path| path.parent().map(Path::to_owned));
    let links = snapshot.source.document_links().into_iter().filter_map(|link| {
        let target = match &folder {
            Some(folder) => folder.join(&link.path),
            None => link.path.clone().into(),
        };
        let target = target.is_absolute().then(|| lsp::Uri::from_file_path(&target)).flatten()?;
        Some(lsp::DocumentLink { range: snapshot.range(&link.range), target: Some(target), tooltip: None, data: None })
    });
    links.collect()
}
