//! Symbols, folding ranges and semantic tokens of a listing.

use crate::features::{DocumentSymbol, Fold, FoldKind, SemanticToken, SymbolKind, TokenKind};
use std::ops::Range;
use syntax::sass::{LeafKind, Listing, PartKind};

/// The prefix of the names of sections with code.
const CODE: &str = ".text.";

/// Functions with their labels. Sections without code are left out.
pub(super) fn document_symbols(listing: &Listing) -> Vec<DocumentSymbol> {
    let mut roots: Vec<DocumentSymbol> = Vec::new();
    for part in listing.parts() {
        let symbol = |name: &str, kind, detail: &str| {
            DocumentSymbol::new(name, detail.to_owned(), kind, part.range.clone(), part.name.range.clone())
        };
        match part.kind {
            PartKind::Function => roots.push(symbol(&part.name.text, SymbolKind::Function, "")),
            PartKind::Section => {
                let name = part.name.text.strip_prefix(CODE);
                roots.extend(name.map(|name| symbol(name, SymbolKind::Function, &part.name.text)));
            }
            PartKind::Label => match roots.last_mut().filter(|function| part.range.end <= function.range.end) {
                // The label of a function repeats its name.
                Some(function)
                    if part.name.text.strip_prefix(CODE).unwrap_or(&part.name.text) == function.written_name() => {}
                Some(function) => function.children.push(symbol(&part.name.text, SymbolKind::Label, "")),
                None => roots.push(symbol(&part.name.text, SymbolKind::Label, "")),
            },
        }
    }
    roots
}

/// Sections and functions of several lines.
pub(super) fn folding_ranges(listing: &Listing) -> Vec<Fold> {
    let rope = listing.text();
    let parts = listing.parts().into_iter().filter(|part| part.kind != PartKind::Label);
    let fold = |part: syntax::sass::ListingPart| {
        let mut back = rope.chars_at(rope.byte_to_char(part.range.end)).reversed();
        let blanks = back.by_ref().take_while(char::is_ascii_whitespace).count();
        let end = part.range.end.saturating_sub(blanks);
        let several = part.head < end && rope.byte_to_line(part.head) < rope.byte_to_line(end);
        several.then_some(Fold { range: part.head..end, kind: FoldKind::Code })
    };
    parts.filter_map(fold).collect()
}

/// The semantic tokens, in text order.
pub(super) fn semantic_tokens(listing: &Listing, within: Option<Range<usize>>) -> Vec<SemanticToken> {
    let rope = listing.text();
    let within = within.map_or(0..rope.len_bytes(), |range| listing.clamp(range.start)..listing.clamp(range.end));
    let mut tokens = Vec::new();
    for leaf in listing.leaves(within) {
        let mut push = |range: Range<usize>, kind| tokens.push(SemanticToken { range, kind, modifiers: 0 });
        let kind = match leaf.kind {
            LeafKind::Opcode => {
                let text = rope.byte_slice(leaf.range.clone()).to_string();
                let end = leaf.range.start + text.find('.').unwrap_or(text.len());
                push(leaf.range.start..end, TokenKind::Mnemonic);
                if end < leaf.range.end {
                    push(end..leaf.range.end, TokenKind::Modifier);
                }
                continue;
            }
            LeafKind::Register => register(&rope.byte_slice(leaf.range.clone()).to_string()),
            LeafKind::Guard => TokenKind::Predicate,
            LeafKind::Number => TokenKind::Number,
            LeafKind::Label => TokenKind::Label,
            LeafKind::Directive | LeafKind::Control => TokenKind::Directive,
            LeafKind::Name => TokenKind::Function,
            LeafKind::String => TokenKind::String,
            LeafKind::Comment => TokenKind::Comment,
        };
        push(leaf.range, kind);
    }
    tokens
}

fn register(text: &str) -> TokenKind {
    let name = text.split('.').next().unwrap_or_default();
    let plain = name.strip_prefix('U').unwrap_or(name);
    if name.starts_with("SR_") {
        TokenKind::SpecialRegister
    } else if plain.starts_with('P') {
        TokenKind::Predicate
    } else {
        TokenKind::Register
    }
}
