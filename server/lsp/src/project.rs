//! `ptx-atomics.toml`: which file speaks for a source, and what it says.
//!
//! The command line and the server ask here, so that both find the same. Must not know what else speaks for a source.

use analysis::{Settings, config};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tower_lsp::ls_types as lsp;

/// The settings of the file in the nearest folder at or above the one that a source lies in; the default if there is none.
///
/// # Errors
/// The file that counts, and a sentence for people why it cannot be used: it is unreadable, or says what nobody understands.
pub fn settings_for(path: &Path) -> Result<Settings, (PathBuf, String)> {
    let path = std::path::absolute(path).map_err(|error| (path.to_owned(), error.to_string()))?;
    for folder in path.ancestors().skip(1) {
        let file = folder.join(config::FILE_NAME);
        match std::fs::read_to_string(&file) {
            Ok(text) => return config::parse(&text).map_err(|reason| (file, reason)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err((file, error.to_string())),
        }
    }
    Ok(Settings::default())
}

/// The path of a document that lies in the file system.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let uri: lsp::Uri = uri.parse().ok()?;
    let path = uri.to_file_path().filter(|_| uri.scheme().as_str() == "file")?;
    Some(path.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test's own, gone afterwards.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("ptx-atomics-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("inner/deep")).expect("can be made");
            Folder(path)
        }

        fn write(&self, file: &str, text: &str) {
            std::fs::write(self.0.join(file), text).expect("can be written");
        }

        fn target(&self, source: &str) -> String {
            let settings = settings_for(&self.0.join(source)).expect("can be used");
            settings.target.map(|target| target.name().to_owned()).unwrap_or_default()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_nearest_file_speaks_alone() {
        let folder = Folder::new("nearest");
        assert_eq!(settings_for(&folder.0.join("a.ptx")), Ok(Settings::default()));
        folder.write("ptx-atomics.toml", "target = \"sm_70\"\nptx-version = \"7.0\"\n");
        assert_eq!((folder.target("a.ptx").as_str(), folder.target("inner/deep/a.ptx").as_str()), ("sm_70", "sm_70"));
        folder.write("inner/ptx-atomics.toml", "target = \"sm_90\"\n");
        assert_eq!((folder.target("a.ptx").as_str(), folder.target("inner/deep/a.ptx").as_str()), ("sm_70", "sm_90"));
        assert_eq!(settings_for(&folder.0.join("inner/a.ptx")).expect("can be used").version, None);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let folder = Folder::new("unusable");
        folder.write("inner/ptx-atomics.toml", "taget = \"sm_90\"\n");
        let (file, reason) = settings_for(&folder.0.join("inner/a.ptx")).expect_err("a wrong key");
        assert_eq!(file, folder.0.join("inner/ptx-atomics.toml"));
        assert!(reason.contains("taget"), "{reason}");
    }

    #[test]
    fn only_files_have_paths() {
        assert_eq!(path_of("file:///a%20b/c.ptx"), Some(PathBuf::from("/a b/c.ptx")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }
}
