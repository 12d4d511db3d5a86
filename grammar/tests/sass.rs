//! The grammar of SASS: its corpus, its queries, and edits, which leave the tree that a fresh reading gives.
//!
//! The corpus has the format of `tree-sitter test`, which passes on it too. A query's marker file names in a comment what must be captured
//! at the caret above (`// ^ capture`) or in the first column (`// <- capture`).

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use tree_sitter::{InputEdit, Parser, Point, Query, QueryCursor, StreamingIterator, Tree};
use tree_sitter_ptx::sass;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sass/test")
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&sass::LANGUAGE.into()).expect("the language fits this tree-sitter");
    parser
}

fn parse(text: &str) -> Tree {
    parser().parse(text, None).expect("a tree")
}

fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("a readable file"))).collect()
}

/// Name, text and tree of each case.
fn cases(content: &str) -> Vec<(String, String, String)> {
    let (bar, line) = ("=".repeat(80) + "\n", "-".repeat(80));
    let parts: Vec<&str> = content.split(&bar).skip(1).collect();
    let case = |pair: &[&str]| {
        let (text, tree) = pair[1].split_once(&format!("\n{line}\n")).expect("a line between text and tree");
        (pair[0].trim().to_owned(), text.trim_matches('\n').to_owned() + "\n", tree.to_owned())
    };
    parts.chunks(2).map(case).collect()
}

fn on_one_line(tree: &str) -> String {
    tree.split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")")
}

#[test]
fn every_case_gives_its_tree() {
    let mut count = [0, 0];
    for (path, content) in files(&folder().join("corpus")) {
        for (name, text, expected) in cases(&content) {
            let tree = parse(&text);
            let found = tree.root_node().to_sexp();
            assert_eq!(on_one_line(&found), on_one_line(&expected), "{}: {name}", path.display());
            let rejected = name.starts_with("rejected: ");
            assert_eq!(tree.root_node().has_error(), rejected, "{}: {name}", path.display());
            count[usize::from(rejected)] += 1;
        }
    }
    assert!(count[0] >= 40 && count[1] >= 9, "{count:?}");
}

/// What is broken in one line stays there.
#[test]
fn the_lines_around_a_broken_one_are_read() {
    let (good, bad) = ("   /*0010*/  RED.E.ADD [R2+0x10], R4 ;\n", "RED.ADD [R0, R2\nRED.ADD R0 [\n@P0\n] ] ;;\n");
    let tree = parse(&format!("k:\n{good}{bad}{good}"));
    assert!(tree.root_node().has_error());
    let mut whole = 0;
    common::each_node(&tree, |node| {
        whole += usize::from(node.kind() == "instruction" && !node.has_error() && node.byte_range().len() > 20);
    });
    assert_eq!(whole, 2, "{}", tree.root_node().to_sexp());
}

#[test]
fn queries_capture_what_the_markers_say() {
    let queries = [("highlights", sass::HIGHLIGHTS_QUERY), ("folds", sass::FOLDS_QUERY), ("tags", sass::TAGS_QUERY)];
    for (name, source) in queries {
        let query = Query::new(&sass::LANGUAGE.into(), source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = fs::read_to_string(folder().join(format!("queries/{name}.sass"))).expect("a marker file");
        let tree = parse(&text);
        assert!(!tree.root_node().has_error(), "{name}: {}", tree.root_node().to_sexp());
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
        let mut found = Vec::new();
        while let Some(one) = matches.next() {
            for capture in one.captures() {
                let name = query.capture_names()[capture.index as usize];
                found.push((capture.node.byte_range(), usize::MAX - one.pattern_index, name));
            }
        }
        let (mut above, mut start, mut seen) = (0, 0, Vec::new());
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("//").map(|rest| (line.find('^').unwrap_or(0), rest)) {
                None => above = start,
                Some((column, rest)) => {
                    let at = above + column;
                    let wanted = rest.trim().trim_start_matches(['<', '-', '^']).trim();
                    let here = found.iter().filter(|(range, ..)| range.contains(&at));
                    let captured: Vec<&str> = if name == "highlights" {
                        here.min_by_key(|(range, pattern, _)| (range.len(), *pattern))
                            .map(|(.., name)| *name)
                            .into_iter()
                            .collect()
                    } else {
                        here.map(|(.., name)| *name).collect()
                    };
                    assert!(captured.contains(&wanted), "{name}.sass: {line} {captured:?}");
                    seen.push(wanted.to_owned());
                }
            }
            start += line.len();
        }
        for capture in query.capture_names() {
            assert!(seen.iter().any(|name| name == capture), "{name}: {capture} has no marker");
        }
    }
}

fn point(text: &str, byte: usize) -> Point {
    let before = &text[..byte];
    Point { row: before.matches('\n').count(), column: byte - before.rfind('\n').map_or(0, |at| at + 1) }
}

/// Edits keep well-formed text well-formed: whole lines come, go and change their operands.
#[test]
fn an_edited_tree_is_a_fresh_one() {
    let listing = cases(&files(&folder().join("corpus"))[2].1);
    let mut lines: Vec<String> = listing[0].1.lines().map(str::to_owned).collect();
    let mut text = lines.join("\n") + "\n";
    let (mut parser, mut tree, mut rng) = (parser(), parse(&text), fastrand::Rng::with_seed(9));
    for step in 0..400 {
        let at = rng.usize(..lines.len());
        let old = lines[..at].iter().map(|line| line.len() + 1).sum::<usize>();
        let mut next = lines.clone();
        match rng.usize(..3) {
            0 => next.insert(at, format!("  /*{step:04x}*/  RED.E.ADD [R2+{step:#x}], R{} ;", step % 9)),
            1 if lines.len() > 4 => _ = next.remove(at),
            _ => {
                next[at] =
                    ["  NOP;", ".L_x_1:", "  .align 128", "  .section .text.q,\"ax\"", ""][rng.usize(..5)].to_owned()
            }
        }
        let new = next.join("\n") + "\n";
        let keep = (new.len() - old).min(text.len() - old);
        let same =
            (0..keep).take_while(|n| new.as_bytes()[new.len() - 1 - n] == text.as_bytes()[text.len() - 1 - n]).count();
        let (old_end, new_end) = (text.len() - same, new.len() - same);
        tree.edit(&InputEdit {
            start_byte: old,
            old_end_byte: old_end,
            new_end_byte: new_end,
            start_position: point(&text, old),
            old_end_position: point(&text, old_end),
            new_end_position: point(&new, new_end),
        });
        tree = parser.parse(&new, Some(&tree)).expect("a tree");
        assert_eq!(tree.root_node().to_sexp(), parse(&new).root_node().to_sexp(), "step {step}:\n{new}");
        (text, lines) = (new, next);
    }
}
