//! Suggestions for misspelled words.

/// A message about an unknown word, with the most similar known word, or all known words.
pub fn suggest<'a>(message: String, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    did_you_mean(&message, word, known.clone())
        .unwrap_or_else(|| format!("{message}; expected one of {}", known.collect::<Vec<_>>().join(", ")))
}

/// A message about an unknown word, with the most similar known word, if there is one.
pub fn did_you_mean<'a>(message: &str, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    isa::closest(word, known).map(|near| format!("{message}; did you mean `{near}`?"))
}
