//! The words that begin an `asm` statement.

/// Whether a word is the keyword.
pub(super) fn is_asm(word: &str) -> bool {
    matches!(word, "asm" | "__asm__" | "__asm")
}

/// Whether a word after it is `volatile`.
pub(super) fn is_volatile(word: &str) -> bool {
    matches!(word, "volatile" | "__volatile__" | "__volatile")
}

/// Whether a macro's body is the keyword, with an optional qualifier.
pub(super) fn is_all_of(body: &str) -> bool {
    let mut words = body.split_ascii_whitespace();
    words.next().is_some_and(is_asm) && words.all(|word| is_volatile(word) || matches!(word, "inline" | "goto"))
}
