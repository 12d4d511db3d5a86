//! Expanding selections: word, operand, instruction, block, function, text.

use diagnostics::Snapshot;
use lints::Check;
use std::ops::Range;
use syntax::tokens_in;

/// Computes selection ranges.
pub trait SelectionRangeProvider: Check {
    /// The ranges around an offset, innermost first, the whole text last.
    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        let len = self.rope().len_bytes();
        let at = offset.min(len);
        [at..at, 0..len].into()
    }
}

impl SelectionRangeProvider for Snapshot {
    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        let file = &self.file;
        let offset = file.clamp(offset);
        let mut word: Option<Range<usize>> = None;
        let mut opcode: Option<Range<usize>> = None;
        tokens_in(file, offset..offset, |token| {
            // Between two words, the right one counts: the cursor of an editor is before it.
            if token.range.start <= offset && offset <= token.range.end && !(word.is_some() && is_sign(&token.kind)) {
                opcode = (token.kind == syntax::TokenClass::Modifier && token.range.start < offset)
                    .then(|| token.range.start + 1..token.range.end);
                word = Some(token.range);
            }
        });
        let inner = word.clone().unwrap_or(offset..offset);
        let mut found: Vec<Range<usize>> = Vec::new();
        // First the modifier without its dot.
        let candidates = opcode.into_iter().chain(word).chain(file.around(inner));
        for range in candidates {
            let grows = found
                .last()
                .is_none_or(|last| range.start <= last.start && last.end <= range.end && range.len() > last.len());
            if grows && range.start <= offset && offset <= range.end {
                found.push(range);
            }
        }
        found
    }
}

fn is_sign(kind: &syntax::TokenClass) -> bool {
    matches!(kind, syntax::TokenClass::Punctuation | syntax::TokenClass::Operator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::{marked, snapshot};

    fn shown(text: &str) -> Vec<String> {
        let (plain, marks) = marked(text);
        snapshot(&plain).selection_ranges(marks[0]).into_iter().map(|range| plain[range].to_owned()).collect()
    }

    #[test]
    fn a_selection_grows() {
        let instruction = "atom.global.add.u32 a, [base+4], 1;";
        let rest = ["{ atom.global.add.u32 a, [base+4], 1; }", ".entry k() { atom.global.add.u32 a, [base+4], 1; }"];
        let expect = |first: &[&'static str]| [first, &[instruction], &rest].concat();
        assert_eq!(shown(".entry k() { atom.global.add.u32 a, [ba$0se+4], 1; }"), expect(&["base", "[base+4]"]));
        assert_eq!(
            shown(".entry k() { atom.glo$0bal.add.u32 a, [base+4], 1; }"),
            expect(&["global", ".global", "atom.global.add.u32"])
        );
        assert_eq!(shown(".entry k() { atom.global.add.u32 a$0, [base+4], 1; }"), expect(&["a"]));
    }

    #[test]
    fn every_offset_has_ranges_that_grow_to_the_whole_text() {
        for text in [
            ".entry k() { L: { add.u32 a, {b, c}, 1; } } // é\n",
            "",
            "}{",
            "é \u{1F600} \"",
            ".version 8.0\n.entry k( {",
        ] {
            for offset in 0..=text.len() + 1 {
                let ranges = snapshot(text).selection_ranges(offset);
                assert_eq!(ranges.last(), Some(&(0..text.len())), "{text:?} {offset}");
                assert!(
                    ranges
                        .windows(2)
                        .all(|pair| pair[1].start <= pair[0].start && pair[0].end <= pair[1].end && pair[0] != pair[1])
                );
            }
        }
    }
}
