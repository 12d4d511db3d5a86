//! The lint parse: the fast scanner reads most of a text, tree-sitter the rest.
//!
//! Functions that need a full tree (names at an offset, tokens, edits) have a [`SourceFile`] as parameter, so that a partial tree cannot be used for it.

use crate::fast_scanner::{ParsePart, ScanResult, ScannedElement, scan};
use crate::lexer::trivia;
use crate::source::{ABI, Position, SourceFile};
use rayon::prelude::*;
use ropey::Rope;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use tree_sitter::{Node, Parser, Point, Tree};

/// A PTX text for traversals: [`walk`](crate::walk), [`module_items`](LintFile::module_items), [`header`](LintFile::header) and
/// [`syntax_errors`](crate::syntax_errors) return the same as after [`SourceFile::parse`], several times as fast. Cloning is cheap.
///
/// ```compile_fail
/// let file = ptx_syntax::LintFile::parse(".entry k() { ret; }");
/// file.instruction_at(13); // needs a full tree
/// ```
///
/// ```compile_fail
/// let file = ptx_syntax::LintFile::parse(".entry k() { ret; }");
/// ptx_syntax::tokens_in(&file, 0..19, |_| {}); // needs a full tree
/// ```
///
/// ```
/// let file = ptx_syntax::LintFile::parse(".entry k() { ret; }");
/// assert!(file.whole().instruction_at(13).is_some());
/// ptx_syntax::tokens_in(file.whole(), 0..19, |_| {});
/// ```
#[derive(Clone, Debug)]
pub struct LintFile {
    rope: Rope,
    /// The tree of the first part.
    tree: Tree,
    /// The trees of the other parts.
    more: Arc<Vec<Tree>>,
    /// The elements that are not in the trees, in order.
    scanned: Arc<Vec<ScannedElement>>,
    /// The items that are not in the trees at all, in order.
    items: Arc<Vec<Range<u32>>>,
    /// Whether no comment is a directive comment; `false` if not known.
    no_directive_comments: bool,
    /// The same text with its full tree, made on demand.
    whole: Arc<OnceLock<SourceFile>>,
}

impl AsRef<LintFile> for LintFile {
    fn as_ref(&self) -> &LintFile {
        self
    }
}

impl LintFile {
    /// Scans and parses a text.
    pub fn parse(text: &str) -> Self {
        // A suppression may be in any comment; it is searched in the tree.
        if text.contains("ptx-atomics:") {
            return SourceFile::parse(text).into();
        }
        let (rope, scanned) = rayon::join(|| Rope::from_str(text), || scan_and_parse(text));
        Self::of(rope, scanned)
    }

    /// The same for a text that is not needed afterwards: on one core, the memory is hardly more than that of one copy.
    pub fn parse_owned(text: String) -> Self {
        if rayon::current_num_threads() > 1 || text.contains("ptx-atomics:") {
            return Self::parse(&text);
        }
        let scanned = scan_and_parse(&text);
        Self::of(into_rope(text), scanned)
    }

    fn of(rope: Rope, scanned: Option<(ScanResult, Tree, Vec<Tree>)>) -> Self {
        let Some((scan, tree, more)) = scanned else { return SourceFile::of(rope).into() };
        let ScanResult { elements, items, has_directive_comment, .. } = scan;
        LintFile {
            rope,
            tree,
            // Vectors are shared as they are: copies of them would take a fortieth of the time of a check.
            more: Arc::new(more),
            scanned: Arc::new(elements),
            items: Arc::new(items),
            no_directive_comments: !has_directive_comment,
            whole: Arc::default(),
        }
    }

    /// A text with its full tree.
    pub(crate) fn whole_of(rope: Rope, tree: Tree) -> Self {
        let (more, scanned, items) = Default::default();
        LintFile { rope, tree, more, scanned, items, no_directive_comments: false, whole: Arc::default() }
    }

    /// The same text with its full tree; parses it again if it was scanned.
    pub fn whole(&self) -> &SourceFile {
        self.whole.get_or_init(|| {
            if self.scanned.is_empty() && self.more.is_empty() && self.items.is_empty() {
                SourceFile::known(Self::whole_of(self.rope.clone(), self.tree.clone()))
            } else {
                SourceFile::of(self.rope.clone())
            }
        })
    }

    /// The number of elements that are not in a tree; 0 if all text was parsed.
    pub fn scanned_elements(&self) -> usize {
        self.scanned.len()
    }

    /// The number of items that are in a tree.
    pub fn parsed_items(&self) -> usize {
        self.roots().map(|root| root.child_count() as usize).sum()
    }

    /// The scanned elements in a byte range, in order.
    pub(crate) fn scanned_in(&self, range: Range<usize>) -> &[ScannedElement] {
        let at = |byte: usize| self.scanned.partition_point(|element| element.start() < byte);
        &self.scanned[at(range.start)..at(range.end)]
    }

    /// Whether there may be a directive comment: `//=`, `//!`, `/*=`, `/*!`, or one with `ptx-atomics:`. Cheap; `true` if not known.
    pub fn may_have_directive_comments(&self) -> bool {
        !self.no_directive_comments
    }

    /// The items that are not in a tree, in order.
    pub(crate) fn scanned_items(&self) -> &[Range<u32>] {
        &self.items
    }

    /// The text.
    pub fn text(&self) -> &Rope {
        &self.rope
    }

    /// The text of a byte range.
    pub fn slice(&self, range: &Range<usize>) -> String {
        self.text().byte_slice(range.clone()).to_string()
    }

    /// The offset of the first of some signs in a byte range, outside comments.
    pub fn find_code(&self, range: Range<usize>, signs: &[u8]) -> Option<usize> {
        // Borrowed where the range is in one chunk of the rope.
        let text = Cow::from(self.text().byte_slice(range.clone()));
        // What trivia may begin with is searched for, too.
        let mut is_candidate = [false; 256];
        [b'/', b'#'].iter().chain(signs).for_each(|sign| is_candidate[usize::from(*sign)] = true);
        let mut at = 0;
        loop {
            at += text.as_bytes()[at..].iter().position(|byte| is_candidate[usize::from(*byte)])?;
            match trivia::end(&text, at) {
                end if end > at => at = end,
                _ if signs.contains(&text.as_bytes()[at]) => return Some(range.start + at),
                _ => at += 1,
            }
        }
    }

    /// The line and column of a byte offset.
    pub fn position(&self, byte: usize) -> Position {
        Position::of(&self.rope, byte)
    }

    /// The nearest character boundary at or before a byte offset.
    pub fn clamp(&self, byte: usize) -> usize {
        let byte = byte.min(self.rope.len_bytes());
        let (chunk, start, ..) = self.rope.chunk_at_byte(byte);
        start + chunk.floor_char_boundary(byte - start)
    }

    /// Whether a byte range contains a string, as a whole word or not. Fast: it narrows down a search.
    pub fn holds(&self, range: Range<usize>, word: &str) -> bool {
        !self.find_all(range, word, 1).is_empty()
    }

    /// The offsets of a string that is not empty in a byte range, in order, as whole words or not; at most so many. Fast: it narrows down a search.
    pub fn find_all(&self, range: Range<usize>, word: &str, most: usize) -> Vec<usize> {
        let finder = memchr::memmem::Finder::new(word);
        // A word may cross chunks: the end of a chunk is searched together with the start of the next.
        let keep = word.len().saturating_sub(1);
        let mut seam: Vec<u8> = Vec::with_capacity(2 * keep);
        let (mut found, mut start) = (Vec::new(), range.start);
        for chunk in self.rope.byte_slice(range).chunks().map(str::as_bytes) {
            let before = seam.len();
            seam.extend(&chunk[..keep.min(chunk.len())]);
            found.extend(finder.find_iter(&seam).take(most).map(|at| start - before + at));
            found.extend(finder.find_iter(chunk).take(most).map(|at| start + at));
            if found.len() >= most {
                break;
            }
            start += chunk.len();
            if chunk.len() >= keep {
                seam.clear();
                seam.extend(&chunk[chunk.len() - keep..]);
            } else {
                seam.drain(..seam.len().saturating_sub(keep));
            }
        }
        // A short chunk stays in the seam, so a word there may be found twice.
        found.sort_unstable();
        found.dedup();
        found.truncate(most);
        found
    }

    /// The tree of the first part.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The roots of all parts, one after the other.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        std::iter::once(&self.tree).chain(self.more.iter()).map(Tree::root_node)
    }
}

/// The number of bytes of a text that are copied at once.
const PIECE: usize = 128 << 10;

/// Makes a rope of a text, from its end to its start, and frees each piece once it is copied.
fn into_rope(mut text: String) -> Rope {
    let mut rope = Rope::new();
    while !text.is_empty() {
        let start = text.floor_char_boundary(text.len().saturating_sub(PIECE));
        let mut piece = Rope::from_str(&text[start..]);
        piece.append(rope);
        rope = piece;
        text.truncate(start);
        text.shrink_to_fit();
    }
    rope
}

/// Scans a text and parses the rest; `None` if the result might differ from that of parsing all of it.
fn scan_and_parse(text: &str) -> Option<(ScanResult, Tree, Vec<Tree>)> {
    let scan = scan(text)?;
    let (tree, more) = parse_parts(text, &scan.parts)?;
    Some((scan, tree, more))
}

/// Parses the parts of a text without their excluded ranges: the first tree and the others. `None` if one has an error: broken text has
/// several possible trees, and the excluded ranges would affect the choice.
fn parse_parts(text: &str, parts: &[ParsePart]) -> Option<(Tree, Vec<Tree>)> {
    let trees: Option<Vec<Tree>> = parts.par_iter().map(|part| parse_part(text, part)).collect();
    let mut trees = trees?.into_iter();
    Some((trees.next()?, trees.collect()))
}

fn parse_part(text: &str, part: &ParsePart) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar::LANGUAGE.into()).expect(ABI);
    let starts = std::iter::once(part.range.start).chain(part.excluded.iter().map(|range| range.end));
    let ends = part.excluded.iter().map(|range| range.start).chain([part.range.end]);
    // Lines and columns of such a tree are not used.
    let (start_point, end_point) = (Point::default(), Point::default());
    let included = |(start_byte, end_byte)| tree_sitter::Range { start_byte, end_byte, start_point, end_point };
    let ranges: Vec<_> = starts.zip(ends).map(included).collect();
    parser.set_included_ranges(&ranges).expect("parts and excluded ranges are ordered");
    let mut rest = |byte, _| text.as_bytes().get(byte..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut rest, None, None);
    tree.filter(|tree| !tree.root_node().has_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_given_up_is_the_same() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let text: String = "aé\r\n€".chars().cycle().take(length).collect();
            let rope = into_rope(text.clone());
            assert!(rope == text && rope.len_lines() == Rope::from_str(&text).len_lines(), "{length}");
        }
    }

    #[test]
    fn a_word_is_found_across_chunks_of_the_rope() {
        let mut text = "é".repeat(700);
        let at = text.len();
        text += "needle";
        text += &"é".repeat(700);
        for shift in 0..1200 {
            let file = LintFile { rope: Rope::from_str(&("x".repeat(shift) + &text)), ..LintFile::parse("") };
            assert!(file.holds(0..file.rope.len_bytes(), "needle"), "{shift}");
            assert!(!file.holds(at + shift + 2..file.rope.len_bytes(), "needle"), "{shift}");
            assert_eq!(file.find_all(0..file.rope.len_bytes(), "needle", 9), [at + shift], "{shift}");
        }
    }
}
