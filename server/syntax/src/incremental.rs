//! Test: an edited file equals a freshly parsed one.

use crate::SourceFile;
use fastrand::Rng;
use tree_sitter::Node;

const MODULES: [&str; 4] = [
    include_str!("../../../tests/fixtures/compiled/sm_52.ptx"),
    include_str!("../../../tests/fixtures/compiled/sm_70.ptx"),
    include_str!("../../../tests/fixtures/compiled/sm_90.ptx"),
    include_str!("../../../tests/fixtures/compiled/sm_100.ptx"),
];
const SNIPPETS: [&str; 22] = [
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
    "[",
    "(",
    ".",
    "::",
    ":",
    "@%p1 ",
    "// é世😀\n",
    "/* 世界 */",
    "ret;",
    "atom.global.add.u32 %r1, [%rd1+4], 1;\n",
    ".visible .entry k() {\n",
    "0x",
];

/// Compares two trees node by node.
fn same(left: Node, right: Node) -> bool {
    let (mut a, mut b) = (left.walk(), right.walk());
    loop {
        let (x, y) = (a.node(), b.node());
        let alike = x.kind_id() == y.kind_id() && x.byte_range() == y.byte_range() && x.is_missing() == y.is_missing();
        if !alike || a.field_id() != b.field_id() {
            return false;
        }
        let (down, other_down) = (a.goto_first_child(), b.goto_first_child());
        if down != other_down {
            return false;
        }
        if down {
            continue;
        }
        loop {
            let (next, other_next) = (a.goto_next_sibling(), b.goto_next_sibling());
            if next != other_next {
                return false;
            }
            if next {
                break;
            }
            if !a.goto_parent() || !b.goto_parent() {
                return true;
            }
        }
    }
}

/// 100,000 edits with PTX_ATOMICS_FULL=1, otherwise 4,000: deletions, insertions, pastes across tokens, CRLF, characters of several bytes.
#[test]
fn an_edited_file_equals_a_freshly_parsed_one() {
    let full = std::env::var_os("PTX_ATOMICS_FULL").is_some_and(|value| value != "0");
    let edits = if full { 25_000 } else { 1_000 };
    for (seed, module) in MODULES.into_iter().enumerate() {
        let mut rng = Rng::with_seed(seed as u64 + 1);
        let mut file = SourceFile::parse(module);
        for number in 0..edits {
            // Restart from the original text regularly, so that errors do not accumulate.
            if number % 8 == 0 {
                file = SourceFile::parse(module);
            }
            let length = file.text().len_bytes();
            let start = file.clamp(rng.usize(..=length));
            let end = file.clamp(start + [0, 0, 1, 3, 8, 60][rng.usize(..6)]);
            let paste = file.clamp(rng.usize(..=length));
            let pasted = file.text().byte_slice(paste..file.clamp(paste + rng.usize(..120))).to_string();
            let new = if rng.usize(..4) == 0 { &pasted } else { SNIPPETS[rng.usize(..SNIPPETS.len())] };
            file.edit(start..end, new);
            let fresh = SourceFile::parse(&file.text().to_string());
            assert!(same(file.root(), fresh.root()), "edit {number} of module {seed}: {start}..{end} became {new:?}");
        }
    }
}
