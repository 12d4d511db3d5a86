//! Zed: what its builder and its registry check before they publish an extension. The editor itself needs a GPU and a desktop.

use std::collections::BTreeMap;
use std::fs;
use toml::{Table, Value};
use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};

/// The first words of the captures that Zed's themes define.
const COLOURS: &str = "attribute comment constant function keyword label number operator preproc property punctuation string type variable";
/// The captures of Zed's other queries.
const CAPTURES: [(&str, &str); 5] = [
    ("brackets.scm", "open close"),
    ("indents.scm", "indent end"),
    ("outline.scm", "item name context"),
    ("overrides.scm", "comment string"),
    ("textobjects.scm", "function.around function.inside comment.around"),
];

fn text(path: &str) -> String {
    fs::read_to_string(support::root().join("editors").join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn table(path: &str) -> Table {
    text(path).parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_manifest_language_and_registry_entry_of_zed_agree() {
    let manifest = table("zed/extension.toml");
    let config = table("zed/languages/ptx/config.toml");
    let entry = table("registries/zed/extensions.toml");
    let id = manifest["id"].as_str().expect("an id");
    assert_eq!(manifest["schema_version"].as_integer(), Some(1));
    let languages = manifest["language_servers"][id]["languages"].as_array().expect("languages");
    assert_eq!(languages.first(), Some(&config["name"]));

    // Zed fetches this revision by name and checks it out: a branch or a commit, for a tag it cannot.
    let grammar = &manifest["grammars"][config["grammar"].as_str().expect("a grammar")];
    let revision = grammar["rev"].as_str().expect("a revision");
    assert!(
        revision == "main" || (revision.len() == 40 && revision.bytes().all(|b| b.is_ascii_hexdigit())),
        "{revision}"
    );
    let source = support::root().join(grammar["path"].as_str().expect("a path")).join("src/parser.c");
    let exported = format!("tree_sitter_{}(void)", config["grammar"].as_str().expect("a grammar"));
    assert!(fs::read_to_string(source).expect("a parser").contains(&exported));

    assert_eq!(entry.keys().collect::<Vec<_>>(), [id]);
    let published = |key: &str| entry[id][key].as_str().expect("text").to_owned();
    assert_eq!(published("submodule"), format!("extensions/{id}"));
    assert_eq!(Value::String(published("version")), manifest["version"]);
    assert_eq!(published("version"), env!("CARGO_PKG_VERSION"));
    let folder = support::root().join(published("path"));
    assert!(folder.join("extension.toml").is_file());
    // The registry requires a licence beside the manifest.
    assert!(fs::read_to_string(folder.join("LICENSE-MIT")).expect("a licence").starts_with("MIT License"));
}

#[test]
fn queries_of_zed_fit_the_grammar_and_its_captures() {
    let language = grammar::LANGUAGE.into();
    let mut expected = BTreeMap::from(CAPTURES);
    expected.insert("highlights.scm", COLOURS);
    for (file, captures) in expected {
        let source = text(&format!("zed/languages/ptx/{file}"));
        let query = Query::new(&language, &source).unwrap_or_else(|error| panic!("{file}: {error}"));
        for capture in query.capture_names() {
            let name = if file == "highlights.scm" { capture.split('.').next().unwrap_or_default() } else { capture };
            assert!(captures.split(' ').any(|known| known == name), "{file}: @{capture}");
        }
    }
}

#[test]
fn the_outline_of_zed_has_kernels_functions_and_variables() {
    let source = "
        .version 8.0
        .target sm_90
        .address_size 64
        .global .u32 counter;
        .func (.reg .u32 r) twice(.reg .u32 a) { ret; }
        .visible .entry kernel() { .reg .u32 local; ret; }";
    let language = grammar::LANGUAGE.into();
    let query = Query::new(&language, &text("zed/languages/ptx/outline.scm")).expect("a query");
    let name = query.capture_index_for_name("name").expect("@name");
    let mut parser = Parser::new();
    parser.set_language(&language).expect("a grammar");
    let tree = parser.parse(source, None).expect("a tree");
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), source.as_bytes());
    let mut names = Vec::new();
    while let Some(found) = matches.next() {
        names.extend(found.nodes_for_capture_index(name).map(|node| &source[node.byte_range()]));
    }
    assert_eq!(names, ["counter", "twice", "kernel"]);
}
