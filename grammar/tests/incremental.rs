//! After any edit the edited tree is the tree that a fresh parse gives.
//!
//! Without exception for well-formed text. Of ill-formed text tree-sitter weighs several readings against each other, and
//! what it reuses weighs nothing: about one edit in 50,000 ends with another reading of the same rubble. Whoever needs the
//! fresh reading there parses small texts afresh when they hold an error.
//!
//! Edits are random but seeded, over real modules: bytes taken out, pieces of PTX put in, lines moved, CRLF, text of
//! several bytes per character inside comments. PTX_ATOMICS_FULL=1 makes 100,000 of them, otherwise a tenth.

mod common;

use common::Seeded;
use tree_sitter::{InputEdit, Parser, Point, Tree};

const PIECES: &[&str] = &[
    "}",
    "{",
    ";",
    ",",
    "\"",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    " ",
    "(",
    ")",
    "[",
    "]",
    "@",
    "@%p1 ",
    ".",
    "::",
    ":",
    "L7:\n",
    "%r1",
    "0x",
    "atom.global.add.u32 %r1, [%rd1+4], 1;\n",
    "// \u{e9}\u{4e16}\u{1f600}\n",
    "/* \u{4e16}\u{754c} */",
    ".reg .b32 %q<4>;\n",
    "ret;",
    ".loc 1 2 3\n",
    ".visible .entry k() {\n",
    "}\n",
    ".b8 1,2,3\n",
    ".section .debug_str\n{\n",
    "call (a), f, (b);",
    "?",
    "$",
    "_",
    "|",
    "+-4",
    "-",
];

fn point(text: &[u8], at: usize) -> Point {
    let row = text[..at].iter().filter(|&&byte| byte == b'\n').count();
    let line = text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    Point::new(row, at - line)
}

/// Replaces `taken` bytes at `at` by `put`, in the text and in the tree.
fn apply(text: &mut Vec<u8>, tree: &mut Tree, at: usize, taken: usize, put: &[u8]) {
    let start_position = point(text, at);
    let old_end_position = point(text, at + taken);
    text.splice(at..at + taken, put.iter().copied());
    tree.edit(&InputEdit {
        start_byte: at,
        old_end_byte: at + taken,
        new_end_byte: at + put.len(),
        start_position,
        old_end_position,
        new_end_position: point(text, at + put.len()),
    });
}

fn random_edit(random: &mut Seeded, text: &[u8]) -> (usize, usize, Vec<u8>) {
    let at = random.below(text.len() + 1);
    let rest = text.len() - at;
    match random.below(6) {
        0 => (at, random.below(4).min(rest), Vec::new()),
        1 => (at, random.below(60).min(rest), Vec::new()),
        2 | 3 => (at, 0, PIECES[random.below(PIECES.len())].as_bytes().to_vec()),
        4 => (at, random.below(8).min(rest), PIECES[random.below(PIECES.len())].as_bytes().to_vec()),
        _ => {
            let from = random.below(text.len());
            let length = random.below(120).min(text.len() - from);
            (at, random.below(20).min(rest), text[from..from + length].to_vec())
        }
    }
}

/// The first place where two trees differ, in words.
fn difference(left: &Tree, right: &Tree) -> Option<String> {
    let (mut a, mut b) = (left.walk(), right.walk());
    loop {
        let (x, y) = (a.node(), b.node());
        let same = x.kind_id() == y.kind_id()
            && x.range() == y.range()
            && x.is_missing() == y.is_missing()
            && x.has_error() == y.has_error()
            && a.field_id() == b.field_id();
        if !same {
            return Some(format!("{} {:?} here, {} {:?} in the fresh tree", x.kind(), x.range(), y.kind(), y.range()));
        }
        match (a.goto_first_child(), b.goto_first_child()) {
            (true, true) => continue,
            (false, false) => {}
            _ => return Some(format!("children of {} {:?}", x.kind(), x.range())),
        }
        loop {
            match (a.goto_next_sibling(), b.goto_next_sibling()) {
                (true, true) => break,
                (false, false) => {}
                _ => return Some(format!("siblings after {} {:?}", a.node().kind(), a.node().range())),
            }
            match (a.goto_parent(), b.goto_parent()) {
                (true, true) => {}
                _ => return None,
            }
        }
    }
}

/// An edit after which the trees differ.
struct Difference {
    /// Whether the text was ill-formed.
    ill_formed: bool,
    what: String,
}

/// `count` edits; every eighth time the text starts anew, so that damage does not pile up to mere rubble.
fn run(original: &[u8], parser: &mut Parser, seed: u64, count: usize) -> Vec<Difference> {
    let mut random = Seeded(seed);
    let mut wrong = Vec::new();
    let fresh_start = parser.parse(original, None).expect("a tree");
    let (mut text, mut tree) = (original.to_vec(), fresh_start.clone());
    for number in 0..count {
        if number % 8 == 0 {
            (text, tree) = (original.to_vec(), fresh_start.clone());
        }
        let (at, taken, put) = random_edit(&mut random, &text);
        apply(&mut text, &mut tree, at, taken, &put);
        tree = parser.parse(&text, Some(&tree)).expect("a tree");
        let fresh = parser.parse(&text, None).expect("a tree");
        if let Some(what) = difference(&tree, &fresh) {
            let put = String::from_utf8_lossy(&put).into_owned();
            let what = format!("edit {number} (at {at}, {taken} out, {put:?} in): {what}");
            wrong.push(Difference { ill_formed: fresh.root_node().has_error(), what });
            tree = fresh;
        }
    }
    wrong
}

#[test]
fn an_edited_tree_is_a_fresh_tree() {
    let total = if std::env::var_os("PTX_ATOMICS_FULL").is_some() { 100_000 } else { 10_000 };
    let modules = common::modules();
    let share = total / modules.len();
    let wrong: Vec<Difference> = std::thread::scope(|scope| {
        let runs: Vec<_> = modules
            .iter()
            .enumerate()
            .map(|(index, (_, text))| {
                scope.spawn(move || {
                    run(&text[..text.len().min(20_000)], &mut common::parser(), 0x9E37_79B9 + index as u64, share)
                })
            })
            .collect();
        runs.into_iter().flat_map(|run| run.join().expect("no panic")).collect()
    });
    let shown: Vec<_> = wrong.iter().take(10).map(|one| &one.what).collect();
    assert!(wrong.iter().all(|one| one.ill_formed), "well-formed text: {shown:#?}");
    assert!(wrong.len() <= total / 20_000, "{} of {total} edits differ: {shown:#?}", wrong.len());
}

#[test]
fn a_difference_is_noticed() {
    let mut parser = common::parser();
    let one = parser.parse(".func f() { ret; }", None).expect("a tree");
    let other = parser.parse(".func f() { ret  }", None).expect("a tree");
    assert!(difference(&one, &other).is_some());
    assert_eq!(difference(&one, &one.clone()), None);
}
