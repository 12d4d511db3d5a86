//! Declarations that lost their name to a syntax error: they may declare any name.

use crate::error::words::words;
use crate::lexer::is_name_char;

/// Words that begin a declaration, or one of a list of parameters.
const DECLARATORS: [&str; 12] = [
    ".reg", ".global", ".shared", ".local", ".const", ".param", ".tex", ".extern", ".visible", ".weak", ".common",
    ".func",
];

/// Whether a text has the beginning of a declaration without the expected name.
pub(super) fn loses_name(text: &str) -> bool {
    let words: Vec<&str> = words(text).into_iter().map(|word| &text[word.range]).collect();
    let begins = (0..words.len()).filter(|at| DECLARATORS.contains(&words[*at]));
    begins.into_iter().any(|at| names_are_missing(&words[at + 1..]))
}

/// Whether a name is missing after the first word of a declaration.
fn names_are_missing(mut rest: &[&str]) -> bool {
    loop {
        let Some(after) = after_name(rest) else { return true };
        rest = after;
        // Skip what follows the name, up to the comma before the next name.
        let mut depth = 0usize;
        loop {
            let Some((word, after)) = rest.split_first() else { return false };
            match *word {
                "," if depth == 0 => break,
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => return false,
                word if DECLARATORS.contains(&word) => return false,
                _ => {}
            }
            rest = after;
        }
        rest = &rest[1..];
        if rest.first().is_some_and(|word| word.starts_with('.')) {
            return false;
        }
    }
}

/// The words after types, alignments, attributes and the name; `None` without a name.
fn after_name<'w, 't>(mut rest: &'w [&'t str]) -> Option<&'w [&'t str]> {
    while let Some((word, after)) = rest.split_first() {
        rest = match *word {
            ".attribute" => &after[after.iter().position(|word| *word == ")")? + 1..],
            word if word.starts_with('.') || word.starts_with(|c: char| c.is_ascii_digit()) => after,
            word if word.starts_with(is_name_char) => return Some(after),
            _ => return None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_name_is_detected() {
        for text in [
            ".reg",
            ".reg .b32 ",
            ".reg .b32 <9>",
            ".reg .b32 a, ",
            ".reg .b32 , b",
            ".reg .b32 a, <4>",
            "add.u32 a, b\n.reg .v2 .f32",
            ".global .align 4 .b8 [64]",
            ".entry k(.param .u64 , .param .u32 b)",
            ".shared .attribute(.managed) .b32 ",
        ] {
            assert!(loses_name(text), "{text}");
        }
    }

    #[test]
    fn a_declaration_with_names_loses_none() {
        for text in [
            ".reg .b32 a",
            ".reg .b32 a b",
            ".reg .b32 %r 9>",
            ".reg .b64 s64]",
            ".reg .b32 %r<9>, b, c[",
            ".entry k(.param .u64 a, .param .u32 b",
            ".global .align 4 .b8 s[64] = ",
            "atom.shared.add.u32 , ",
            "@ ld.global.u32 r, ",
        ] {
            assert!(!loses_name(text), "{text}");
        }
    }
}
