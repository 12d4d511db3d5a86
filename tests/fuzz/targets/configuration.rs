//! `ptx-atomics.toml` and `compile_commands.json`.

use super::text;
use project::ProjectConfig;
use std::path::{Path, PathBuf};

/// What begins with a bracket that TOML would close on its line is a list of commands; the rest is TOML.
pub fn run(bytes: &[u8]) {
    let text = text(bytes);
    if text.starts_with("[{") || text.starts_with("[\n") {
        let commands = project::compile_commands::parse(&text);
        // Headers are left alone: who asks for one has its sources read.
        for path in ["/b/a.cu", "/c.cu", "/nowhere/b.cpp"] {
            let known = commands.targets(Path::new(path));
            assert!(known.is_none_or(|settings| settings.target.is_some()), "{path} is known for its target");
        }
        return;
    }
    match ProjectConfig::parse(PathBuf::from("/nowhere/ptx-atomics.toml"), &text) {
        Ok(config) => {
            for path in ["/nowhere/a.ptx", "/nowhere/old/b/c.cu", "/elsewhere/a.ptx", "/nowhere/é \u{1f600}.litmus"] {
                config.includes(Path::new(path));
                config.settings_for(Path::new(path));
            }
        }
        Err(invalid) => {
            assert_eq!(invalid.file, Path::new("/nowhere/ptx-atomics.toml"));
            assert!(invalid.messages().iter().all(|message| !message.trim().is_empty()) && !invalid.errors.is_empty());
            assert!(invalid.errors.iter().all(|error| text.get(error.range.clone()).is_some()), "{:?}", invalid.errors);
            assert!(invalid.errors.is_sorted_by_key(|error| error.range.start), "{:?}", invalid.errors);
        }
    }
}
