//! After any edit, the tree equals that of a fresh parse.
//!
//! Well-formed text has no exception. Ill-formed text has several possible trees, and reused nodes affect tree-sitter's choice:
//! after about one edit in 50,000 the trees differ. The crate `syntax` therefore parses short texts with an error afresh.
//!
//! Random edits with a fixed seed, of real modules: deletions, insertions of PTX, moved lines, CRLF, comments with multi-byte
//! characters. PTX_ATOMICS_FULL=1 makes 100,000 edits, otherwise 10,000.

mod common;

use fastrand::Rng;
use tree_sitter::{InputEdit, Parser, Point, Tree};

const SNIPPETS: &[&str] = &[
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

/// Replaces `removed` bytes at `at` by `inserted`, in the text and in the tree.
fn apply(text: &mut Vec<u8>, tree: &mut Tree, at: usize, removed: usize, inserted: &[u8]) {
    let start_position = point(text, at);
    let old_end_position = point(text, at + removed);
    text.splice(at..at + removed, inserted.iter().copied());
    tree.edit(&InputEdit {
        start_byte: at,
        old_end_byte: at + removed,
        new_end_byte: at + inserted.len(),
        start_position,
        old_end_position,
        new_end_position: point(text, at + inserted.len()),
    });
}

fn random_edit(rng: &mut Rng, text: &[u8]) -> (usize, usize, Vec<u8>) {
    let at = rng.usize(..=text.len());
    let rest = text.len() - at;
    match rng.usize(..6) {
        0 => (at, rng.usize(..4).min(rest), Vec::new()),
        1 => (at, rng.usize(..60).min(rest), Vec::new()),
        2 | 3 => (at, 0, SNIPPETS[rng.usize(..SNIPPETS.len())].as_bytes().to_vec()),
        4 => (at, rng.usize(..8).min(rest), SNIPPETS[rng.usize(..SNIPPETS.len())].as_bytes().to_vec()),
        _ => {
            let from = rng.usize(..text.len());
            let length = rng.usize(..120).min(text.len() - from);
            (at, rng.usize(..20).min(rest), text[from..from + length].to_vec())
        }
    }
}

/// A description of the first difference of two trees.
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

/// Applies `count` edits; every eighth starts from the original text, so that errors do not accumulate.
fn run(original: &[u8], parser: &mut Parser, seed: u64, count: usize) -> Vec<Difference> {
    let mut rng = Rng::with_seed(seed);
    let mut wrong = Vec::new();
    let fresh_start = parser.parse(original, None).expect("a tree");
    let (mut text, mut tree) = (original.to_vec(), fresh_start.clone());
    for number in 0..count {
        if number % 8 == 0 {
            (text, tree) = (original.to_vec(), fresh_start.clone());
        }
        let (at, removed, inserted) = random_edit(&mut rng, &text);
        apply(&mut text, &mut tree, at, removed, &inserted);
        tree = parser.parse(&text, Some(&tree)).expect("a tree");
        let fresh = parser.parse(&text, None).expect("a tree");
        if let Some(what) = difference(&tree, &fresh) {
            let inserted = String::from_utf8_lossy(&inserted).into_owned();
            let what = format!("edit {number} (at {at}, {removed} bytes removed, {inserted:?} inserted): {what}");
            wrong.push(Difference { ill_formed: fresh.root_node().has_error(), what });
            tree = fresh;
        }
    }
    wrong
}

#[test]
fn an_edited_tree_equals_a_fresh_one() {
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
    // At one in 50,000, a run of 10,000 has one now and then.
    assert!(wrong.len() <= 1 + total / 20_000, "{} of {total} edits differ: {shown:#?}", wrong.len());
}

#[test]
fn a_difference_is_detected() {
    let mut parser = common::parser();
    let one = parser.parse(".func f() { ret; }", None).expect("a tree");
    let other = parser.parse(".func f() { ret  }", None).expect("a tree");
    assert!(difference(&one, &other).is_some());
    assert_eq!(difference(&one, &one.clone()), None);
}
