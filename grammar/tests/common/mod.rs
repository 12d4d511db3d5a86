//! Shared by the tests of the grammar: a parser and real modules.
// Each test binary compiles this file for itself and uses only a part of it.
#![allow(unused)]

use std::path::{Path, PathBuf};
use tree_sitter::{Node, Parser, Tree};

/// The folder of the PTX grammar.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx")
}

/// A parser that reads PTX.
pub fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the language fits this tree-sitter");
    parser
}

/// The real modules under `test/modules`: name and bytes.
pub fn modules() -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<_> = std::fs::read_dir(folder().join("test/modules"))
        .expect("the modules are part of the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|end| end == "ptx"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("a readable module"))
        })
        .collect();
    found.sort();
    assert!(found.len() >= 4, "the modules are missing");
    found
}

/// Calls `visit` for every node of the tree, parents first.
pub fn each_node<'tree>(tree: &'tree Tree, mut visit: impl FnMut(Node<'tree>)) {
    let mut cursor = tree.walk();
    loop {
        visit(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
