//! The source map between the PTX of an `asm` statement and the literals that it comes from.
//!
//! Nothing else maps between the two.

use std::ops::Range;

/// A range of the inner text and the range of the outer text that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionSegment {
    /// Byte range in the inner text.
    pub inner: Range<usize>,
    /// Byte range in the outer text.
    pub outer: Range<usize>,
    /// Whether the bytes are equal. If not, the segment is indivisible, as an escape is.
    pub exact: bool,
}

/// The map between an inner text and its outer text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Ordered by their inner ranges, which do not overlap. Inner text without a segment has no outer range.
    segments: Vec<RegionSegment>,
    /// The same, ordered by their outer ranges.
    outer: Vec<usize>,
}

impl Region {
    /// A map of segments, ordered by their inner ranges; adjacent ones are merged.
    pub fn new(segments: impl IntoIterator<Item = RegionSegment>) -> Self {
        let mut joined: Vec<RegionSegment> = Vec::new();
        for segment in segments {
            match joined.last_mut() {
                Some(last)
                    if last.exact
                        && segment.exact
                        && last.inner.end == segment.inner.start
                        && last.outer.end == segment.outer.start =>
                {
                    last.inner.end = segment.inner.end;
                    last.outer.end = segment.outer.end;
                }
                _ => joined.push(segment),
            }
        }
        let mut outer: Vec<usize> = (0..joined.len()).collect();
        outer.sort_by_key(|at| (joined[*at].outer.start, joined[*at].outer.end));
        Region { segments: joined, outer }
    }

    /// The outer range of an inner one, from its first byte to its last; for an empty one, the position before the byte
    /// there, or after the byte before it. `None` if an end of it is not mapped.
    pub fn to_host(&self, range: &Range<usize>) -> Option<Range<usize>> {
        if range.is_empty() {
            let at = self.offset_to_host(range.start)?;
            return Some(at..at);
        }
        let (first, last) = (self.covering(range.start)?, self.covering(range.end - 1)?);
        let start = if first.exact { first.outer.start + (range.start - first.inner.start) } else { first.outer.start };
        let end = if last.exact { last.outer.start + (range.end - last.inner.start) } else { last.outer.end };
        (start <= end).then_some(start..end)
    }

    /// The outer position of an inner one between two bytes.
    pub fn offset_to_host(&self, at: usize) -> Option<usize> {
        if let Some(segment) = self.covering(at) {
            return Some(if segment.exact {
                segment.outer.start + (at - segment.inner.start)
            } else {
                segment.outer.start
            });
        }
        let segment = self.covering(at.checked_sub(1)?)?;
        Some(if segment.exact { segment.outer.start + (at - segment.inner.start) } else { segment.outer.end })
    }

    /// The outer range that an edit of an inner one replaces. `None` if it contains text that is not mapped, such as the quotes between two
    /// literals, or only a part of an escape.
    pub fn editable(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let outer = self.to_host(range)?;
        if range.is_empty() {
            return Some(outer);
        }
        let mut expected = (range.start, outer.start);
        let from = self.segments.partition_point(|segment| segment.inner.end <= range.start);
        for segment in &self.segments[from..] {
            if segment.inner.start >= range.end {
                break;
            }
            let start = segment.inner.start.max(range.start);
            let outer_start = segment.outer.start + if segment.exact { start - segment.inner.start } else { 0 };
            let end = segment.inner.end.min(range.end);
            let whole = segment.exact || (start == segment.inner.start && end == segment.inner.end);
            if (start, outer_start) != expected || !whole {
                return None;
            }
            let outer_end = if segment.exact { outer_start + (end - start) } else { segment.outer.end };
            expected = (end, outer_end);
        }
        (expected == (range.end, outer.end)).then_some(outer)
    }

    /// The inner position of an outer one; `None` if it is neither in a segment nor at the end of one.
    /// Between two segments, the end of the first: inner text without an outer position may follow it.
    pub fn to_inner(&self, at: usize) -> Option<usize> {
        let next = self.outer.partition_point(|segment| self.segments[*segment].outer.start <= at);
        let segment = &self.segments[*self.outer.get(next.checked_sub(1)?)?];
        if segment.outer.start == at
            && let Some(before) = next.checked_sub(2).map(|before| &self.segments[self.outer[before]])
            && before.outer.end == at
        {
            return Some(before.inner.end);
        }
        match at {
            at if at > segment.outer.end => None,
            at if at == segment.outer.end => Some(segment.inner.end),
            at if segment.exact => Some(segment.inner.start + (at - segment.outer.start)),
            _ => Some(segment.inner.start),
        }
    }

    /// The inner range that covers what an outer one touches; `None` where it touches nothing.
    pub fn to_inner_range(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let touched =
            self.segments.iter().filter(|segment| segment.outer.start <= range.end && range.start <= segment.outer.end);
        let ends = touched.map(|segment| {
            if segment.exact {
                let inside = |at: usize| {
                    segment.inner.start + (at.clamp(segment.outer.start, segment.outer.end) - segment.outer.start)
                };
                (inside(range.start), inside(range.end))
            } else {
                (segment.inner.start, segment.inner.end)
            }
        });
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).map(|(start, end)| start..end)
    }

    /// The segments of the outer text that an inner range covers, in its order.
    pub fn host_parts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let from = self.segments.partition_point(|segment| segment.inner.end <= range.start);
        let mut parts: Vec<Range<usize>> = Vec::new();
        for segment in self.segments[from..].iter().take_while(|segment| segment.inner.start < range.end) {
            let part = if segment.exact {
                let start = segment.inner.start.max(range.start) - segment.inner.start;
                let end = segment.inner.end.min(range.end) - segment.inner.start;
                segment.outer.start + start..segment.outer.start + end
            } else {
                segment.outer.clone()
            };
            match parts.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => parts.push(part),
            }
        }
        parts
    }

    fn covering(&self, at: usize) -> Option<&RegionSegment> {
        let next = self.segments.partition_point(|segment| segment.inner.end <= at);
        self.segments.get(next).filter(|segment| segment.inner.start <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x\n` and `yz`, two literals with an escape: outer `"x\n" "yz"`, inner `x`, line break, `yz`.
    fn region() -> Region {
        let segment = |inner: Range<usize>, outer: Range<usize>, exact| RegionSegment { inner, outer, exact };
        Region::new([
            segment(0..1, 1..2, true),
            segment(1..2, 2..4, false),
            segment(2..3, 7..8, true),
            segment(3..4, 8..9, true),
        ])
    }

    #[test]
    fn ranges_go_out_and_edits_do_not_cross_a_gap() {
        let region = region();
        assert_eq!(region.to_host(&(0..4)), Some(1..9));
        assert_eq!(region.to_host(&(1..2)), Some(2..4));
        assert_eq!(region.to_host(&(4..4)), Some(9..9));
        assert_eq!(region.to_host(&(0..5)), None);
        assert_eq!(region.editable(&(0..2)), Some(1..4));
        assert_eq!(region.editable(&(2..4)), Some(7..9), "the halves of a run are one segment");
        assert_eq!(region.editable(&(1..3)), None, "the quotes between are no part of what is replaced");
        assert_eq!(region.host_parts(&(1..4)), [2..4, 7..9]);
    }

    #[test]
    fn places_go_in() {
        let region = region();
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 7, 8, 9, 10].map(|at| region.to_inner(at)),
            [None, Some(0), Some(1), Some(1), Some(2), None, Some(2), Some(3), Some(4), None]
        );
        assert_eq!(region.to_inner_range(&(0..20)), Some(0..4));
        assert_eq!(region.to_inner_range(&(5..6)), None);
    }
}
