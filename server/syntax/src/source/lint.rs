//! A text read for a check of all of it: most by hand, the rest by a parser.
//!
//! What needs a whole tree (names at a place, tokens, edits) is asked of a [`SourceFile`], so that nobody asks here for what is not known.

use super::{ABI, Position, SourceFile};
use crate::fast_scanner::{ParsePart, ScanResult, ScannedElement, outline};
use rayon::prelude::*;
use ropey::Rope;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use tree_sitter::{Node, Parser, Point, Tree};

/// A PTX text for passes over it: [`walk`](crate::walk), [`module_items`](LintFile::module_items), [`header`](LintFile::header) and
/// [`syntax_errors`](crate::syntax_errors) say the same as after [`SourceFile::parse`], several times as fast. Cloning is cheap.
///
/// ```compile_fail
/// let file = ptx_syntax::LintFile::parse(".entry k() { ret; }");
/// file.instruction_at(13); // asks for a tree
/// ```
///
/// ```compile_fail
/// let file = ptx_syntax::LintFile::parse(".entry k() { ret; }");
/// ptx_syntax::tokens_in(&file, 0..19, |_| {}); // asks for a tree
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
    /// The trees of the parts behind the first.
    more: Arc<[Tree]>,
    /// What the trees leave out, in order.
    plain: Arc<[ScannedElement]>,
    /// The items that they leave out as a whole, in order.
    items: Arc<[Range<u32>]>,
    /// Whether it is known that no comment is for us.
    no_directive_comments: bool,
    /// The same text with its whole tree, once somebody has asked for that.
    whole: Arc<OnceLock<SourceFile>>,
}

impl AsRef<LintFile> for LintFile {
    fn as_ref(&self) -> &LintFile {
        self
    }
}

impl LintFile {
    /// Reads a text.
    pub fn parse(text: &str) -> Self {
        // What is has_directive_comment to us may stand in any comment, and is looked for in the tree.
        if text.contains("ptx-atomics:") {
            return SourceFile::parse(text).into();
        }
        let (rope, outlined) = rayon::join(|| Rope::from_str(text), || outlined(text));
        let Some((outline, tree, more)) = outlined else { return SourceFile::of(rope).into() };
        let ScanResult { pieces, items, has_directive_comment, .. } = outline;
        let (more, plain, items) = (more.into(), pieces.into(), items.into());
        LintFile {
            rope,
            tree,
            more,
            plain,
            items,
            no_directive_comments: !has_directive_comment,
            whole: Arc::default(),
        }
    }

    /// A text with the tree of all of it.
    pub(crate) fn whole_of(rope: Rope, tree: Tree) -> Self {
        let (more, plain, items) = Default::default();
        LintFile { rope, tree, more, plain, items, no_directive_comments: false, whole: Arc::default() }
    }

    /// The same text with its whole tree, for which it is parsed once more where not all of it was.
    pub fn whole(&self) -> &SourceFile {
        self.whole.get_or_init(|| match self.plain.is_empty() && self.more.is_empty() && self.items.is_empty() {
            true => SourceFile::known(Self::whole_of(self.rope.clone(), self.tree.clone())),
            false => SourceFile::of(self.rope.clone()),
        })
    }

    /// How many instructions, names and braces no tree holds; none where all was parsed.
    pub fn scanned_elements(&self) -> usize {
        self.plain.len()
    }

    /// How many of the items some tree holds.
    pub fn parsed_items(&self) -> usize {
        self.roots().map(|root| root.child_count() as usize).sum()
    }

    /// What lies in a byte range and the tree leaves out, in order.
    pub(crate) fn plain_in(&self, range: Range<usize>) -> &[ScannedElement] {
        let at = |byte: usize| self.plain.partition_point(|piece| piece.start() < byte);
        &self.plain[at(range.start)..at(range.end)]
    }

    /// Whether some comment may be for us (`//=`, `//!`, `/*=`, `/*!`, or one that names us) rather than for people; cheap, and `true` where it is not known.
    pub fn may_have_directive_comments(&self) -> bool {
        !self.no_directive_comments
    }

    /// The items that no tree holds, in order.
    pub(crate) fn plain_items(&self) -> &[Range<u32>] {
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

    /// The line and column of a byte offset.
    pub fn position(&self, byte: usize) -> Position {
        Position::of(&self.rope, byte)
    }

    /// The nearest byte offset at or before this one that lies in the text, and not inside a character.
    pub fn clamp(&self, byte: usize) -> usize {
        self.rope.char_to_byte(self.rope.byte_to_char(byte.min(self.rope.len_bytes())))
    }

    /// Whether a byte range holds a word's bytes anywhere, as a whole word or not. Fast: for narrowing a search down.
    pub fn holds(&self, range: Range<usize>, word: &str) -> bool {
        let finder = memchr::memmem::Finder::new(word);
        // A word may lie across pieces of the text: the end of what was seen is kept, and looked at with what follows.
        let keep = word.len().saturating_sub(1);
        let mut seam: Vec<u8> = Vec::with_capacity(2 * keep);
        for chunk in self.rope.byte_slice(range).chunks().map(str::as_bytes) {
            seam.extend(&chunk[..keep.min(chunk.len())]);
            if finder.find(chunk).is_some() || finder.find(&seam).is_some() {
                return true;
            }
            if chunk.len() >= keep {
                seam.clear();
                seam.extend(&chunk[chunk.len() - keep..]);
            } else {
                seam.drain(..seam.len().saturating_sub(keep));
            }
        }
        false
    }

    /// The tree of the first part.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The roots of all parts, one after the other.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        std::iter::once(&self.tree).chain(&*self.more).map(Tree::root_node)
    }
}

/// Reads a text by hand, and parses what that leaves; `None` where that is not certain to be the same as parsing all of it.
fn outlined(text: &str) -> Option<(ScanResult, Tree, Vec<Tree>)> {
    let outline = outline(text)?;
    let (tree, more) = parse_parts(text, &outline.parts)?;
    Some((outline, tree, more))
}

/// Parses the parts of a PTX text but for their holes: the first tree and the others. `None` where one has an error: broken text has
/// several readings, and what is left out tips the scales between them.
fn parse_parts(text: &str, parts: &[ParsePart]) -> Option<(Tree, Vec<Tree>)> {
    let trees: Option<Vec<Tree>> = parts.par_iter().map(|part| parse_part(text, part)).collect();
    let mut trees = trees?.into_iter();
    Some((trees.next()?, trees.collect()))
}

fn parse_part(text: &str, part: &ParsePart) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar::LANGUAGE.into()).expect(ABI);
    let starts = std::iter::once(part.range.start).chain(part.holes.iter().map(|hole| hole.end));
    let ends = part.holes.iter().map(|hole| hole.start).chain([part.range.end]);
    // Lines and columns are never asked of such a tree.
    let (start_point, end_point) = (Point::default(), Point::default());
    let piece = |(start_byte, end_byte)| tree_sitter::Range { start_byte, end_byte, start_point, end_point };
    let pieces: Vec<_> = starts.zip(ends).map(piece).collect();
    parser.set_included_ranges(&pieces).expect("parts and holes are ordered");
    let mut rest = |byte, _| text.as_bytes().get(byte..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut rest, None, None);
    tree.filter(|tree| !tree.root_node().has_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_across_the_seams_of_the_rope() {
        let mut text = "é".repeat(700);
        let at = text.len();
        text += "needle";
        text += &"é".repeat(700);
        for shift in 0..1200 {
            let file = LintFile { rope: Rope::from_str(&("x".repeat(shift) + &text)), ..LintFile::parse("") };
            assert!(file.holds(0..file.rope.len_bytes(), "needle"), "{shift}");
            assert!(!file.holds(at + shift + 2..file.rope.len_bytes(), "needle"), "{shift}");
        }
    }
}
