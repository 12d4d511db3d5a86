//! Where a text that was put together lies in the text it was taken from: PTX out of the literals of an `asm` statement, and back.
//!
//! The only place that maps between the two. Must not know how the text is put together.

use std::ops::Range;

/// A run of the inner text and what it stands for in the outer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionPiece {
    /// Byte range in the inner text.
    pub inner: Range<usize>,
    /// Byte range in the outer text.
    pub outer: Range<usize>,
    /// Whether they are the same bytes; else the piece counts as a whole, like an escape.
    pub exact: bool,
}

/// The map between an inner text and the outer text that it lies in.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Ordered by their inner ranges, which do not overlap. What no piece covers has no place outside.
    pieces: Vec<RegionPiece>,
    /// The same, ordered by their outer ranges.
    outer: Vec<usize>,
}

impl Region {
    /// A map of pieces, ordered by their inner ranges; neighbours that continue each other are joined.
    pub fn new(pieces: impl IntoIterator<Item = RegionPiece>) -> Self {
        let mut joined: Vec<RegionPiece> = Vec::new();
        for piece in pieces {
            match joined.last_mut() {
                Some(last)
                    if last.exact
                        && piece.exact
                        && last.inner.end == piece.inner.start
                        && last.outer.end == piece.outer.start =>
                {
                    last.inner.end = piece.inner.end;
                    last.outer.end = piece.outer.end;
                }
                _ => joined.push(piece),
            }
        }
        let mut outer: Vec<usize> = (0..joined.len()).collect();
        outer.sort_by_key(|at| (joined[*at].outer.start, joined[*at].outer.end));
        Region { pieces: joined, outer }
    }

    /// The outer range of an inner one, from where its first byte lies to where its last does; of an empty one, the place before the byte
    /// there or behind the byte before it. `None` where an end of it has no place outside.
    pub fn outward(&self, range: &Range<usize>) -> Option<Range<usize>> {
        if range.is_empty() {
            let at = self.place(range.start)?;
            return Some(at..at);
        }
        let (first, last) = (self.covering(range.start)?, self.covering(range.end - 1)?);
        let start = if first.exact { first.outer.start + (range.start - first.inner.start) } else { first.outer.start };
        let end = if last.exact { last.outer.start + (range.end - last.inner.start) } else { last.outer.end };
        (start <= end).then_some(start..end)
    }

    /// The outer place of an inner one between two bytes.
    pub fn place(&self, at: usize) -> Option<usize> {
        if let Some(piece) = self.covering(at) {
            return Some(if piece.exact { piece.outer.start + (at - piece.inner.start) } else { piece.outer.start });
        }
        let piece = self.covering(at.checked_sub(1)?)?;
        Some(if piece.exact { piece.outer.start + (at - piece.inner.start) } else { piece.outer.end })
    }

    /// The outer range that an edit of an inner one would replace: `None` where it would replace more than was meant, for what lies
    /// between, such as the quotes of two literals, has no place inside, or less than a whole escape.
    pub fn editable(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let outer = self.outward(range)?;
        if range.is_empty() {
            return Some(outer);
        }
        let mut expected = (range.start, outer.start);
        let from = self.pieces.partition_point(|piece| piece.inner.end <= range.start);
        for piece in &self.pieces[from..] {
            if piece.inner.start >= range.end {
                break;
            }
            let start = piece.inner.start.max(range.start);
            let outer_start = piece.outer.start + if piece.exact { start - piece.inner.start } else { 0 };
            let end = piece.inner.end.min(range.end);
            let whole = piece.exact || (start == piece.inner.start && end == piece.inner.end);
            if (start, outer_start) != expected || !whole {
                return None;
            }
            let outer_end = if piece.exact { outer_start + (end - start) } else { piece.outer.end };
            expected = (end, outer_end);
        }
        (expected == (range.end, outer.end)).then_some(outer)
    }

    /// The inner place of an outer one; `None` where it lies in no piece nor at the end of one.
    pub fn inward(&self, at: usize) -> Option<usize> {
        let next = self.outer.partition_point(|piece| self.pieces[*piece].outer.start <= at);
        let piece = &self.pieces[*self.outer.get(next.checked_sub(1)?)?];
        match at {
            at if at > piece.outer.end => None,
            at if at == piece.outer.end => Some(piece.inner.end),
            at if piece.exact => Some(piece.inner.start + (at - piece.outer.start)),
            _ => Some(piece.inner.start),
        }
    }

    /// The inner range that covers what an outer one touches; `None` where it touches nothing.
    pub fn within(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let touched =
            self.pieces.iter().filter(|piece| piece.outer.start <= range.end && range.start <= piece.outer.end);
        let ends = touched.map(|piece| match piece.exact {
            true => {
                let inside =
                    |at: usize| piece.inner.start + (at.clamp(piece.outer.start, piece.outer.end) - piece.outer.start);
                (inside(range.start), inside(range.end))
            }
            false => (piece.inner.start, piece.inner.end),
        });
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).map(|(start, end)| start..end)
    }

    /// The pieces of the outer text that an inner range covers, in its order.
    pub fn parts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let from = self.pieces.partition_point(|piece| piece.inner.end <= range.start);
        let mut parts: Vec<Range<usize>> = Vec::new();
        for piece in self.pieces[from..].iter().take_while(|piece| piece.inner.start < range.end) {
            let part = match piece.exact {
                true => {
                    let start = piece.inner.start.max(range.start) - piece.inner.start;
                    let end = piece.inner.end.min(range.end) - piece.inner.start;
                    piece.outer.start + start..piece.outer.start + end
                }
                false => piece.outer.clone(),
            };
            match parts.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => parts.push(part),
            }
        }
        parts
    }

    fn covering(&self, at: usize) -> Option<&RegionPiece> {
        let next = self.pieces.partition_point(|piece| piece.inner.end <= at);
        self.pieces.get(next).filter(|piece| piece.inner.start <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x\n` and `yz`, two literals with an escape: outer `"x\n" "yz"`, inner `x`, line break, `yz`.
    fn region() -> Region {
        let piece = |inner: Range<usize>, outer: Range<usize>, exact| RegionPiece { inner, outer, exact };
        Region::new([
            piece(0..1, 1..2, true),
            piece(1..2, 2..4, false),
            piece(2..3, 7..8, true),
            piece(3..4, 8..9, true),
        ])
    }

    #[test]
    fn ranges_go_out_and_edits_do_not_cross_a_gap() {
        let region = region();
        assert_eq!(region.outward(&(0..4)), Some(1..9));
        assert_eq!(region.outward(&(1..2)), Some(2..4));
        assert_eq!(region.outward(&(4..4)), Some(9..9));
        assert_eq!(region.outward(&(0..5)), None);
        assert_eq!(region.editable(&(0..2)), Some(1..4));
        assert_eq!(region.editable(&(2..4)), Some(7..9), "the halves of a run are one piece");
        assert_eq!(region.editable(&(1..3)), None, "the quotes between are no part of what is replaced");
        assert_eq!(region.parts(&(1..4)), [2..4, 7..9]);
    }

    #[test]
    fn places_go_in() {
        let region = region();
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 7, 8, 9, 10].map(|at| region.inward(at)),
            [None, Some(0), Some(1), Some(1), Some(2), None, Some(2), Some(3), Some(4), None]
        );
        assert_eq!(region.within(&(0..20)), Some(0..4));
        assert_eq!(region.within(&(5..6)), None);
    }
}
