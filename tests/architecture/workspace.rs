//! The crates below `server`, read once for all tests.

use crate::modules::Crate;
use crate::resolve::Resolved;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;
use support::root;

/// Every crate by the name of its folder.
pub static CRATES: LazyLock<BTreeMap<String, Resolved>> = LazyLock::new(|| {
    let read = |root: PathBuf| Resolved::new(Crate::read(&root));
    std::thread::scope(|scope| {
        let started: Vec<_> = roots().into_iter().map(|(name, root)| (name, scope.spawn(move || read(root)))).collect();
        started.into_iter().map(|(name, thread)| (name, thread.join().expect("the crate can be read"))).collect()
    })
});

/// The file of each crate's root module.
fn roots() -> BTreeMap<String, PathBuf> {
    let folders = std::fs::read_dir(root().join("server")).expect("a folder").map(|entry| entry.expect("an entry"));
    // `python` is no crate.
    let roots = folders.filter(|entry| entry.path().join("Cargo.toml").is_file()).map(|entry| {
        let sources = ["lib.rs", "main.rs"].map(|name| entry.path().join("src").join(name));
        let root = sources.into_iter().find(|path| path.is_file()).expect("a root module");
        (entry.file_name().to_string_lossy().into_owned(), root)
    });
    roots.collect()
}

/// Fails where a file of a crate, but for some, names what begins with one of these paths in another crate.
pub fn names_none(name: &str, banned: &[&str], but: &dyn Fn(&std::path::Path) -> bool) {
    let resolved = &CRATES[name];
    for (file, path) in &resolved.external {
        let file = &resolved.read.files[*file];
        for banned in banned {
            let begins = banned.split("::").zip(path).filter(|(a, b)| a == b).count() == banned.split("::").count();
            assert!(
                !begins || but(file),
                "server/{name}/src/{}: `{}` must not be here",
                file.display(),
                path.join("::")
            );
        }
    }
}

/// Fails where a file of a crate, but for some, has an identifier that contains one of these words.
pub fn has_no_identifier(name: &str, words: &[&str], but: &dyn Fn(&std::path::Path) -> bool) {
    let read = &CRATES[name].read;
    for module in &read.modules {
        let file = &read.files[module.file];
        let found = module.identifiers.iter().find(|own| words.iter().any(|word| own.contains(word)));
        assert!(found.is_none() || but(file), "server/{name}/src/{}: {found:?} must not be here", file.display());
    }
}
