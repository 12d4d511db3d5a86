//! What a misspelt word was probably meant to be.
//!
//! Must not know what the words are for.

/// A complaint about a word, with the known word that was probably meant, or all.
pub fn suggest<'a>(complaint: String, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    did_you_mean(&complaint, word, known.clone())
        .unwrap_or_else(|| format!("{complaint}; there are {}", known.collect::<Vec<_>>().join(", ")))
}

/// A complaint about a word with the known word that was probably meant, if there is one.
pub fn did_you_mean<'a>(complaint: &str, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    isa::closest(word, known).map(|near| format!("{complaint}; did you mean `{near}`?"))
}
