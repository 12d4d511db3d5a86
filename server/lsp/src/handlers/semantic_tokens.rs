//! `textDocument/semanticTokens`: full, range and delta.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::event_queue::{EventQueue, ServerEvent};
use ide::features::{SemanticToken, TokenKind, TokenModifier};
use std::sync::Arc;
use tower_lsp::ls_types as lsp;

/// The legend of token types and modifiers.
pub fn legend() -> lsp::SemanticTokensLegend {
    lsp::SemanticTokensLegend {
        token_types: TokenKind::ALL.iter().map(|kind| lsp::SemanticTokenType::new(kind.name())).collect(),
        token_modifiers: TokenModifier::ALL
            .iter()
            .map(|modifier| lsp::SemanticTokenModifier::new(modifier.name()))
            .collect(),
    }
}

/// The tokens of the whole document.
pub fn full(snapshot: &DocumentSnapshot) -> lsp::SemanticTokens {
    lsp::SemanticTokens {
        result_id: Some(snapshot.revision.to_string()),
        data: encode(snapshot, snapshot.source.semantic_tokens(None)),
    }
}

/// The tokens of the whole document, which are also kept for a later delta.
pub fn full_for_delta(event_queue: &EventQueue, snapshot: &DocumentSnapshot) -> lsp::SemanticTokens {
    let full = full(snapshot);
    let tokens = numbers(&full.data);
    event_queue.post(ServerEvent::Tokens { uri: snapshot.uri.clone(), revision: snapshot.revision, tokens });
    full
}

/// The tokens of a range; may include other tokens of its lines.
pub fn range(snapshot: &DocumentSnapshot, range: lsp::Range) -> lsp::SemanticTokens {
    let tokens = snapshot.source.semantic_tokens(Some(snapshot.bytes(range)));
    lsp::SemanticTokens { result_id: None, data: encode(snapshot, tokens) }
}

/// The change since a previous answer, as one edit.
pub fn delta(former: &[lsp::SemanticToken], now: lsp::SemanticTokens) -> lsp::SemanticTokensDelta {
    let alike = |pair: &(&lsp::SemanticToken, &lsp::SemanticToken)| pair.0 == pair.1;
    let before = former.iter().zip(&now.data).take_while(alike).count();
    let rest = former.len().min(now.data.len()) - before;
    let after = former.iter().rev().zip(now.data.iter().rev()).take(rest).take_while(alike).count();
    let new = &now.data[before..now.data.len() - after];
    let deleted = former.len() - after - before;
    let edit = lsp::SemanticTokensEdit {
        start: before as u32 * NUMBERS,
        delete_count: deleted as u32 * NUMBERS,
        data: Some(new.to_vec()).filter(|new| !new.is_empty()),
    };
    let edits = if new.is_empty() && deleted == 0 { Vec::new() } else { vec![edit] };
    lsp::SemanticTokensDelta { result_id: now.result_id, edits }
}

/// Integers per token in the encoding; a delta counts in them.
const NUMBERS: u32 = 5;

/// Encoded tokens.
pub fn numbers(tokens: &[lsp::SemanticToken]) -> Arc<[u32]> {
    let numbers = tokens.iter().flat_map(|token| {
        [token.delta_line, token.delta_start, token.length, token.token_type, token.token_modifiers_bitset]
    });
    numbers.collect()
}

/// Decoded tokens.
pub fn tokens(numbers: &[u32]) -> Vec<lsp::SemanticToken> {
    let (tokens, _) = numbers.as_chunks::<{ NUMBERS as usize }>();
    let token = |&[delta_line, delta_start, length, token_type, token_modifiers_bitset]: &[u32; NUMBERS as usize]| {
        lsp::SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset }
    };
    tokens.iter().map(token).collect()
}

/// Encodes each token relative to the previous one. A token over several lines is split, because many clients do not support it.
fn encode(snapshot: &DocumentSnapshot, tokens: Vec<SemanticToken>) -> Vec<lsp::SemanticToken> {
    let mut encoded = Vec::with_capacity(tokens.len());
    let mut last = lsp::Position::new(0, 0);
    for token in tokens {
        let range = snapshot.range(&token.range);
        for line in range.start.line..=range.end.line {
            let start = if line == range.start.line { range.start.character } else { 0 };
            let end = if line == range.end.line { range.end.character } else { snapshot.columns(line) };
            if end <= start {
                continue;
            }
            let delta_line = line - last.line;
            encoded.push(lsp::SemanticToken {
                delta_line,
                delta_start: if delta_line == 0 { start - last.character } else { start },
                length: end - start,
                token_type: token.kind as u32,
                token_modifiers_bitset: token.modifiers.into(),
            });
            last = lsp::Position::new(line, start);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(number: u32) -> lsp::SemanticToken {
        lsp::SemanticToken { delta_line: 0, delta_start: number, length: 1, token_type: 0, token_modifiers_bitset: 0 }
    }

    fn apply(former: &[lsp::SemanticToken], delta: &lsp::SemanticTokensDelta) -> Vec<lsp::SemanticToken> {
        let mut tokens = former.to_vec();
        for edit in &delta.edits {
            let start = (edit.start / NUMBERS) as usize;
            tokens.splice(start..start + (edit.delete_count / NUMBERS) as usize, edit.data.clone().unwrap_or_default());
        }
        tokens
    }

    #[test]
    fn a_delta_makes_the_new_tokens_of_the_former_ones() {
        let lists: [&[u32]; 8] = [&[], &[1], &[1, 2, 3], &[1, 3], &[1, 2, 2, 3], &[3, 2, 1], &[1, 1, 1], &[1, 1]];
        for former in lists {
            for now in lists {
                let [former, now] = [former, now].map(|list| list.iter().copied().map(token).collect::<Vec<_>>());
                let result = lsp::SemanticTokens { result_id: Some("2".to_owned()), data: now.clone() };
                assert_eq!(tokens(&numbers(&former)), former);
                let delta = delta(&former, result);
                assert_eq!(apply(&former, &delta), now);
                assert_eq!(delta.edits.is_empty(), former == now);
            }
        }
    }
}
