//! Names of documents to paths, and back.
//!
//! Must not know what lies there.

use std::path::{Path, PathBuf};
use tower_lsp::ls_types as lsp;

/// The path of a document that lies in the file system.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let uri: lsp::Uri = uri.parse().ok()?;
    let path = uri.to_file_path().filter(|_| uri.scheme().as_str() == "file")?;
    Some(path.into_owned())
}

/// The document at an absolute path.
pub fn uri_of(path: &Path) -> Option<lsp::Uri> {
    lsp::Uri::from_file_path(path)
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
