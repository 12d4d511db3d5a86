//! Conversion between URIs and paths.

use std::path::{Path, PathBuf};
use tower_lsp::ls_types as lsp;

/// The path of a `file:` URI.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let uri: lsp::Uri = uri.parse().ok()?;
    let path = uri.to_file_path().filter(|_| uri.scheme().as_str() == "file")?;
    Some(path.into_owned())
}

/// The URI of an absolute path.
pub fn uri_of(path: &Path) -> Option<lsp::Uri> {
    lsp::Uri::from_file_path(path)
}

/// The workspace folders, or the root of a client without support for several.
#[expect(deprecated, reason = "clients that know no folders still give it")]
pub fn roots(params: &lsp::InitializeParams) -> Vec<PathBuf> {
    match &params.workspace_folders {
        Some(folders) => paths(folders),
        None => {
            let root = params.root_uri.as_ref().and_then(|root| path_of(root.as_str()));
            root.or_else(|| params.root_path.as_ref().map(PathBuf::from)).into_iter().collect()
        }
    }
}

/// The paths of folders.
pub fn paths(folders: &[lsp::WorkspaceFolder]) -> Vec<PathBuf> {
    folders.iter().filter_map(|folder| path_of(folder.uri.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_have_paths() {
        let path = PathBuf::from("/a b/c.ptx");
        assert_eq!(path_of("file:///a%20b/c.ptx"), Some(path.clone()));
        assert_eq!(uri_of(&path).and_then(|uri| path_of(uri.as_str())), Some(path));
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }
}
