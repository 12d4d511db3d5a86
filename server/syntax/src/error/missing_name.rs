//! Declarations whose names a syntax error has taken: nobody can tell which names they declare.

use super::words::words;
use crate::lexer::is_name_char;

/// Words that begin a declaration, or one of a list of parameters.
const DECLARATORS: [&str; 12] = [
    ".reg", ".global", ".shared", ".local", ".const", ".param", ".tex", ".extern", ".visible", ".weak", ".common",
    ".func",
];

/// Whether a text holds the beginning of a declaration, and no name where one belongs.
pub(super) fn loses_name(text: &str) -> bool {
    let words: Vec<&str> = words(text).into_iter().map(|word| &text[word.range]).collect();
    let begins = (0..words.len()).filter(|at| DECLARATORS.contains(&words[*at]));
    begins.into_iter().any(|at| names_are_missing(&words[at + 1..]))
}

/// Reads on behind the first word of a declaration.
fn names_are_missing(mut rest: &[&str]) -> bool {
    loop {
        let Some(behind) = behind_name(rest) else { return true };
        rest = behind;
        // What stands behind a name, up to the comma before the next one.
        let mut depth = 0usize;
        loop {
            let Some((word, behind)) = rest.split_first() else { return false };
            match *word {
                "," if depth == 0 => break,
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => return false,
                word if DECLARATORS.contains(&word) => return false,
                _ => {}
            }
            rest = behind;
        }
        rest = &rest[1..];
        if rest.first().is_some_and(|word| word.starts_with('.')) {
            return false;
        }
    }
}

/// What stands behind types, alignments and attributes and the name behind them, if it is there.
fn behind_name<'w, 't>(mut rest: &'w [&'t str]) -> Option<&'w [&'t str]> {
    while let Some((word, behind)) = rest.split_first() {
        rest = match *word {
            ".attribute" => &behind[behind.iter().position(|word| *word == ")")? + 1..],
            word if word.starts_with('.') || word.starts_with(|c: char| c.is_ascii_digit()) => behind,
            word if word.starts_with(is_name_char) => return Some(behind),
            _ => return None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_without_its_name_is_seen() {
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
    fn a_declaration_with_its_names_is_none_of_these() {
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
