//! Journeys through real editors with the real server. Without the editor they fail: `tests/install` installs it.

use std::process::Command;

#[test]
fn neovim_shows_findings_hover_and_completion() {
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-c", "luafile tests/editors/neovim.lua"])
        .current_dir(support::root())
        .env("PTX_ATOMICS_ROOT", support::root())
        .env("PTX_ATOMICS_BIN", support::binary())
        .output()
        .expect("Neovim is installed by tests/install");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("journey done"), "{said}{errors}");
}
