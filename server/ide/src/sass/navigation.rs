//! Definitions, references and highlights of labels and registers.

use crate::features::{DeclarationRange, GotoResult, Highlight, NameAccess, ReferenceFilter};
use std::ops::Range;
use syntax::sass::{Leaf, LeafKind, Listing, PartKind};

/// A label or register in a listing.
struct Name {
    text: String,
    range: Range<usize>,
    is_label: bool,
    /// Whether the label is defined here.
    declares: bool,
}

/// The definition of the label at an offset.
pub(super) fn definition(listing: &Listing, offset: usize) -> Option<GotoResult> {
    let name = name_at(listing, offset).filter(|name| name.is_label)?;
    let all = listing.parts();
    let definitions = all.iter().filter(|part| part.kind == PartKind::Label && part.name.text == *name.text);
    let targets: Vec<DeclarationRange> = definitions
        .map(|part| DeclarationRange { range: part.range.clone(), selection: part.name.range.clone() })
        .collect();
    (!targets.is_empty()).then_some(GotoResult { origin: name.range, targets })
}

/// The occurrences of the label or register at an offset, in text order; of a register, those in its function.
pub(super) fn references(listing: &Listing, offset: usize, filter: ReferenceFilter) -> Vec<Range<usize>> {
    let all = occurrences(listing, offset).into_iter();
    all.filter(|name| filter == ReferenceFilter::All || !name.declares).map(|name| name.range).collect()
}

/// The occurrences of the label at an offset. Registers have none: for most instructions it is unknown which registers they write.
pub(super) fn highlights(listing: &Listing, offset: usize) -> Vec<Highlight> {
    let labels = occurrences(listing, offset).into_iter().filter(|name| name.is_label);
    let access = |name: &Name| if name.declares { NameAccess::Declare } else { NameAccess::Read };
    labels.map(|name| Highlight { access: access(&name), range: name.range }).collect()
}

fn occurrences(listing: &Listing, offset: usize) -> Vec<Name> {
    let Some(meant) = name_at(listing, offset) else { return Vec::new() };
    let whole = 0..listing.text().len_bytes();
    let scope = match meant.is_label {
        true => whole,
        false => {
            let parts = listing.parts().into_iter().filter(|part| part.kind != PartKind::Label);
            parts.map(|part| part.range).rfind(|range| range.contains(&offset)).unwrap_or(whole)
        }
    };
    let named = listing.leaves(scope.clone()).into_iter().filter_map(|leaf| name(listing, leaf));
    named.filter(|one| one.text == meant.text && one.is_label == meant.is_label && scope.end >= one.range.end).collect()
}

fn name_at(listing: &Listing, offset: usize) -> Option<Name> {
    let offset = listing.clamp(offset);
    let leaves = listing.leaves(offset..offset).into_iter();
    leaves.filter_map(|leaf| name(listing, leaf)).find(|name| name.range.start <= offset && offset <= name.range.end)
}

/// The name in a word: a label without colon and quotes, a register without its selector.
fn name(listing: &Listing, leaf: Leaf) -> Option<Name> {
    let text = listing.text().byte_slice(leaf.range.clone()).to_string();
    let (inner, is_label, declares) = match leaf.kind {
        LeafKind::Label => match text.strip_prefix("`(") {
            Some(inner) => (inner.trim_end_matches(')'), true, false),
            None => (text.strip_suffix(':')?, true, true),
        },
        LeafKind::Register => (text.split('.').next().unwrap_or_default(), false, false),
        LeafKind::Guard => (text.trim_start_matches(['@', '!']), false, false),
        _ => return None,
    };
    let start = leaf.range.start + (inner.as_ptr() as usize - text.as_ptr() as usize);
    Some(Name { range: start..start + inner.len(), text: inner.to_owned(), is_label, declares })
}
