//! The folder in which git keeps what belongs to a work tree.

use crate::read;
use std::path::{Path, PathBuf};

/// The maximum size in bytes of a file that holds one path.
const MAX_PATH: u64 = 4096;

/// The file with patterns that a work tree has beside those of its `.gitignore` files, and the folder in which it has to be; `None` if there is none.
pub(crate) fn excludes_of(work_tree: &Path) -> Option<(PathBuf, PathBuf)> {
    let link = work_tree.join(".git");
    let (folder, inside) = if link.is_file() {
        let common = common_folder(&link)?;
        (common.clone(), common)
    } else {
        (link, work_tree.to_owned())
    };
    Some((folder.join("info/exclude"), inside))
}

/// The folder that a file `.git` names: that of a submodule in the repository around it, or one with further work trees, which knows this one. Anything else may
/// be a name that somebody made up.
fn common_folder(link: &Path) -> Option<PathBuf> {
    let work_tree = link.parent()?;
    let own = path_in(link, "gitdir:", work_tree)?.canonicalize().ok()?;
    let Some(common) = path_in(&own.join("commondir"), "", &own) else {
        let mut around = work_tree.ancestors().skip(1);
        let is_submodule =
            around.any(|folder| folder.join(".git").canonicalize().is_ok_and(|git| own.starts_with(git)));
        return is_submodule.then_some(own);
    };
    let known = path_in(&own.join("gitdir"), "", &own)?;
    let is_same = known.canonicalize().ok()? == link.canonicalize().ok()?;
    is_same.then_some(common)
}

/// The path in a file, after a word, relative to a folder.
fn path_in(file: &Path, word: &str, folder: &Path) -> Option<PathBuf> {
    let text = read::decode(read::head(file, MAX_PATH).ok()?);
    Some(folder.join(text.lines().next()?.strip_prefix(word)?.trim()))
}
