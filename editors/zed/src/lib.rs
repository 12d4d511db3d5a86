//! Tells Zed how the server is started: by the `ptx-atomics` of the path.

use zed_extension_api::{self as zed, LanguageServerId, Result};

struct PtxAtomics;

impl zed::Extension for PtxAtomics {
    fn new() -> Self {
        PtxAtomics
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &zed::Worktree) -> Result<zed::Command> {
        let command = worktree
            .which("ptx-atomics")
            .ok_or("no ptx-atomics in the path: `cargo install --profile dist --features dist --path server/cli` in its repository puts it there")?;
        Ok(zed::Command { command, args: vec!["lsp".to_owned()], env: worktree.shell_env() })
    }
}

zed::register_extension!(PtxAtomics);
