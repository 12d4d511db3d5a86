//! The debugger under nvim-dap. `tests/editors/nvim_dap/install` fetches it; where there is no checkout, the test says so and does nothing.

use std::path::PathBuf;
use std::process::Command;

/// The checkout: the one that `PTX_ATOMICS_NVIM_DAP` names, else that of the installer.
fn checkout() -> Option<PathBuf> {
    let named = std::env::var_os("PTX_ATOMICS_NVIM_DAP").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| support::root().join("tests/.tools/nvim-dap"));
    folder.join("lua/dap.lua").is_file().then_some(folder)
}

#[test]
fn nvim_dap_debugs_a_kernel() {
    let Some(checkout) = checkout() else {
        support::skipped(
            "nvim-dap, of which there is no checkout: tests/editors/nvim_dap/install tests/.tools [SOURCE]",
        );
        return;
    };
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-c", "luafile tests/editors/nvim_dap/session.lua"])
        .current_dir(support::root())
        .env("PTX_ATOMICS_ROOT", support::root())
        .env("PTX_ATOMICS_BIN", support::binary())
        .env("PTX_ATOMICS_NVIM_DAP", checkout)
        .output()
        .expect("Neovim is installed by tests/install");
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains("session done"), "{printed}{errors}");
}
