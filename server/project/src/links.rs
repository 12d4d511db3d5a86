//! Symbolic links that lead out of where they are. In a checkout of somebody else's branch they may lead to any file of the machine, and messages that
//! quote its text may become public.

use std::path::{Path, PathBuf};

/// The real paths that links may lead into.
#[derive(Debug)]
pub(crate) struct AllowedTargets(Vec<PathBuf>);

impl AllowedTargets {
    /// Those of paths that are named. A path that does not exist has none.
    pub fn of<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Self {
        AllowedTargets(paths.into_iter().filter_map(|path| path.canonicalize().ok()).collect())
    }

    /// Whether a link leads to one of the paths, or to something in it. One that leads nowhere is left to whoever reads it.
    pub fn have(&self, link: &Path) -> bool {
        let Ok(target) = link.canonicalize() else { return true };
        // The settings of a repository may have a password of its server.
        let is_allowed = |inner: &Path| inner.iter().all(|part| part != ".git");
        self.0.iter().any(|allowed| target.strip_prefix(allowed).is_ok_and(is_allowed))
    }
}

/// Whether a file that nobody named is a link that leads out of its folder, and out of the repository around that.
pub(crate) fn leads_out(file: &Path) -> bool {
    let Some(folder) = file.parent().filter(|_| file.is_symlink()) else { return false };
    let repository = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
    !AllowedTargets::of([&folder.to_owned(), &repository.to_owned()]).have(file)
}

/// Whether a path leads, by whatever links, out of a folder. One that leads nowhere does not.
pub(crate) fn is_outside(file: &Path, folder: &Path) -> bool {
    let Ok(target) = file.canonicalize() else { return false };
    !folder.canonicalize().is_ok_and(|folder| target.starts_with(folder))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_may_lead_into_their_folder_and_its_repository() {
        let folder = std::env::temp_dir().join(format!("ptx-atomics-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("work/inner")).expect("can be made");
        for file in ["outer", "work/a", "work/inner/b"] {
            fs::write(folder.join(file), "").expect("can be written");
        }
        let links =
            [("../../outer", "out"), ("../.git/c", "git"), ("../a", "up"), ("b", "beside"), ("nowhere", "dangling")];
        for (target, name) in links {
            symlink(target, folder.join("work/inner").join(name)).expect("can be made");
        }
        let lead_out = || {
            ["out", "git", "up", "beside", "dangling", "b"].map(|name| leads_out(&folder.join("work/inner").join(name)))
        };
        assert_eq!(lead_out(), [true, false, true, false, false, false]);
        fs::create_dir(folder.join("work/.git")).expect("can be made");
        fs::write(folder.join("work/.git/c"), "").expect("can be written");
        assert_eq!(lead_out(), [true, true, false, false, false, false]);
        fs::remove_dir_all(folder).expect("can be removed");
    }
}
