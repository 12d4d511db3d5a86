//! Source code in literals of a host text: CUDA C++ in a string of Python, or a cell of a notebook.

use super::literal::PartLiteral;
use std::ops::Range;
use std::sync::Arc;
use syntax::region::Region;

/// A text in literals of a host text, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedText {
    text: String,
    /// The map to the text around it.
    region: Region,
    /// Its literals in the text around it, in order.
    literals: Vec<PartLiteral>,
    /// The text around it, if that is embedded, too.
    outer: Option<Arc<EmbeddedText>>,
}

impl EmbeddedText {
    /// A text and its map to literals of the text around it.
    pub(super) fn of(text: String, region: Region, literals: Vec<PartLiteral>) -> Self {
        EmbeddedText { text, region, literals, outer: None }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A range of it in the host text.
    pub fn to_host(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let range = self.region.to_host(range)?;
        self.outer.as_ref().map_or(Some(range.clone()), |outer| outer.to_host(&range))
    }

    /// An offset of the host text in it.
    pub(super) fn to_inner(&self, at: usize) -> Option<usize> {
        let at = self.outer.as_ref().map_or(Some(at), |outer| outer.to_inner(at))?;
        self.region.to_inner(at)
    }

    /// A range of it in the text around it.
    pub(super) fn to_outer(&self, range: &Range<usize>) -> Option<Range<usize>> {
        self.region.to_host(range)
    }

    /// The text around it, if that is embedded, too.
    pub(super) fn outer(&self) -> Option<&EmbeddedText> {
        self.outer.as_deref()
    }

    /// The literal in the text around it that contains a range of the host text.
    pub(super) fn literal(&self, range: &Range<usize>) -> Option<&PartLiteral> {
        let (start, end) = match &self.outer {
            Some(outer) => (outer.to_inner(range.start)?, outer.to_inner(range.end)?),
            None => (range.start, range.end),
        };
        self.literals.iter().find(|literal| literal.inner.start <= start && end <= literal.inner.end)
    }

    /// The same text, where the text around it is embedded.
    pub(super) fn within(&self, outer: &Arc<EmbeddedText>) -> EmbeddedText {
        let outer = match &self.outer {
            Some(between) => Arc::new(between.within(outer)),
            None => outer.clone(),
        };
        EmbeddedText { outer: Some(outer), ..self.clone() }
    }
}
