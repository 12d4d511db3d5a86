//! Prints the syntax tree of files of PTX or, by their ending `.sass`, of SASS: `cargo run -p tree-sitter-ptx --example tree -- [-q|-s] FILE…`.
//! With `-s` the tree is one line of S-expression, as the corpus has it. With `-q` only the first ERROR or MISSING node of each file is named. Exit code 1 if there was one.

use std::io::{Read, Write};
use tree_sitter::{Node, Parser};

fn main() {
    let mut quiet = false;
    let mut lisp = false;
    let mut bad = false;
    let mut parser = Parser::new();
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        if path == "-q" {
            quiet = true;
            continue;
        }
        if path == "-s" {
            lisp = true;
            continue;
        }
        let mut text = Vec::new();
        if path == "-" {
            std::io::stdin().read_to_end(&mut text).expect("standard input can be read");
        } else {
            text = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        let language =
            if path.ends_with(".sass") { tree_sitter_ptx::sass::LANGUAGE } else { tree_sitter_ptx::LANGUAGE };
        parser.set_language(&language.into()).expect("the language fits this tree-sitter");
        let tree = parser.parse(&text, None).expect("a parser with a language gives a tree");
        if lisp {
            let _ = writeln!(out, "{}", tree.root_node().to_sexp());
            continue;
        }
        if !quiet {
            print(&mut out, tree.root_node(), &text, 0, None);
        }
        if let Some(node) = first_error(tree.root_node()) {
            bad = true;
            let at = node.start_position();
            let what = if node.is_missing() { format!("MISSING {}", node.kind()) } else { "ERROR".into() };
            let _ = writeln!(out, "{path}:{}:{}: {what}", at.row + 1, at.column + 1);
        }
    }
    std::process::exit(i32::from(bad));
}

fn print(out: &mut impl Write, node: Node, text: &[u8], depth: usize, field: Option<&str>) {
    let field = field.map(|name| format!("{name}: ")).unwrap_or_default();
    let missing = if node.is_missing() { " MISSING" } else { "" };
    let leaf = if node.child_count() == 0 {
        format!(" {:?}", String::from_utf8_lossy(&text[node.byte_range()]))
    } else {
        String::new()
    };
    if node.is_named() || node.is_missing() {
        let _ = writeln!(out, "{}{field}{}{leaf}{missing}", "  ".repeat(depth), node.kind());
    }
    let mut cursor = node.walk();
    if cursor.goto_first_child() {
        loop {
            print(out, cursor.node(), text, depth + 1, cursor.field_name());
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

fn first_error(node: Node) -> Option<Node> {
    if !node.has_error() {
        return None;
    }
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).find_map(first_error)
}
