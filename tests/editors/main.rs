//! Journeys through real editors with the real server. Without the editor they fail: `tests/install` installs it.

mod helix;
mod nvim_dap;
mod release;
mod vscode;
mod web;
mod zed;

use std::process::Command;

#[test]
fn neovim_does_what_a_person_expects() {
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

/// The grammar folder as an editor needs it: a C compiler makes a shared library of it, an old Neovim loads that, every
/// query finds what it looks for, and a buffer's tree follows the edits.
#[test]
fn neovim_loads_the_grammar_and_its_queries() {
    let source = support::root().join("grammar/ptx/src");
    let folder = std::env::temp_dir().join(format!("ptx-grammar-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the library");
    let library = folder.join("ptx.so");
    let compiled = Command::new("cc")
        .args([
            "-O1",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Werror",
            "-Wno-unused",
            "-Isrc",
            "src/parser.c",
            "src/scanner.c",
            "-o",
        ])
        .arg(&library)
        .current_dir(source.parent().expect("the grammar's folder"))
        .output()
        .expect("a C compiler is there");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));

    let abi = tree_sitter::Language::from(grammar::LANGUAGE).abi_version();
    assert_eq!(abi, 14, "the Neovim of Debian 12 loads no newer one");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-c", "luafile tests/editors/grammar.lua"])
        .current_dir(support::root())
        .env("PTX_ATOMICS_ROOT", support::root())
        .env("PTX_GRAMMAR", &library)
        .output()
        .expect("Neovim is installed by tests/install");
    std::fs::remove_dir_all(&folder).expect("the folder can go");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("grammar done"), "{said}{errors}");
}
