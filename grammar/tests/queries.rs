//! The queries, against marker files: a comment with a caret names what the query must capture in the line above.
//!
//! `// ^ capture` is for the column of the caret, `// <- capture` of the first column; `!capture` forbids it. Among
//! highlights, the innermost node counts, and of the patterns on one node the last.

mod common;

use tree_sitter::{Query, QueryCursor, StreamingIterator};

const QUERIES: &[(&str, &str)] = &[
    ("highlights", tree_sitter_ptx::HIGHLIGHTS_QUERY),
    ("locals", tree_sitter_ptx::LOCALS_QUERY),
    ("folds", tree_sitter_ptx::FOLDS_QUERY),
    ("indents", tree_sitter_ptx::INDENTS_QUERY),
    ("injections", tree_sitter_ptx::INJECTIONS_QUERY),
    ("tags", tree_sitter_ptx::TAGS_QUERY),
    ("textobjects", tree_sitter_ptx::TEXTOBJECTS_QUERY),
];

struct Marker {
    at: usize,
    forbidden: bool,
    capture: String,
    line: usize,
}

fn markers(text: &str) -> Vec<Marker> {
    let mut found = Vec::new();
    let (mut start, mut above) = (0, 0);
    for (index, line) in text.lines().enumerate() {
        let marker = line.strip_prefix("//").and_then(|rest| {
            let name = rest.trim_start();
            let (column, name) = if let Some(name) = name.strip_prefix("<- ") {
                (0, name)
            } else {
                (line.find('^')?, name.strip_prefix("^ ")?)
            };
            Some((column, name.trim()))
        });
        if let Some((column, name)) = marker {
            let capture = name.trim_start_matches('!').to_owned();
            found.push(Marker { at: above + column, forbidden: name.starts_with('!'), capture, line: index + 1 });
        } else {
            above = start;
        }
        start += line.len() + 1;
    }
    found
}

/// All captures: name, bytes, pattern.
fn captures(query: &Query, tree: &tree_sitter::Tree, text: &str) -> Vec<(String, std::ops::Range<usize>, usize)> {
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some(one) = matches.next() {
        for capture in one.captures() {
            let name = query.capture_names()[capture.index as usize].to_owned();
            found.push((name, capture.node.byte_range(), one.pattern_index));
        }
    }
    found
}

#[test]
fn every_marker_holds() {
    let mut parser = common::parser();
    let language = tree_sitter_ptx::LANGUAGE.into();
    for (name, source) in QUERIES {
        let query = Query::new(&language, source).unwrap_or_else(|error| panic!("{name}.scm: {error}"));
        let file = common::folder().join(format!("test/queries/{name}.ptx"));
        let text = std::fs::read_to_string(&file).expect("a marker file for each query");
        let tree = parser.parse(&text, None).expect("a tree");
        assert!(!tree.root_node().has_error(), "{}: ill-formed", file.display());
        let found = captures(&query, &tree, &text);
        let markers = markers(&text);
        assert!(markers.len() >= 2, "{}: no markers", file.display());
        for marker in markers {
            let here: Vec<_> = found.iter().filter(|(_, range, _)| range.contains(&marker.at)).collect();
            let holds = if *name == "highlights" {
                let best = here.iter().min_by_key(|(_, range, pattern)| (range.len(), usize::MAX - pattern));
                best.is_some_and(|(capture, _, _)| *capture == marker.capture)
            } else {
                here.iter().any(|(capture, _, _)| *capture == marker.capture)
            };
            let names: Vec<_> = here.iter().map(|(capture, _, _)| capture).collect();
            let place = format!("{}:{}", file.display(), marker.line);
            assert!(holds != marker.forbidden, "{place}: {} against {names:?}", marker.capture);
        }
    }
}

/// Every capture of every query is asked for by some marker, so that none goes unseen.
#[test]
fn every_capture_has_a_marker() {
    let language = tree_sitter_ptx::LANGUAGE.into();
    for (name, source) in QUERIES {
        let query = Query::new(&language, source).expect("a valid query");
        let text = std::fs::read_to_string(common::folder().join(format!("test/queries/{name}.ptx"))).expect("a file");
        let wanted: Vec<_> = markers(&text).into_iter().map(|marker| marker.capture).collect();
        for capture in query.capture_names() {
            assert!(wanted.iter().any(|one| one == capture), "{name}: {capture} has no marker");
        }
    }
}
