//! Languages with inline assembly beside C++ and Python, and documents with code in them: the readers and all requests.

use super::{queries, text};
use hosts::Language;

/// The first byte chooses the language, the second settings; the rest is a text.
pub fn run(bytes: &[u8]) {
    let [choice, settings, bytes @ ..] = bytes else { return };
    let is_here = |language: &&Language| {
        matches!(language, Language::Host(_)) && ![Language::CUDA, Language::PYTHON].contains(language)
    };
    let languages: Vec<&Language> = Language::ALL.iter().filter(is_here).collect();
    queries::everything(
        *languages[usize::from(*choice) % languages.len()],
        &text(bytes),
        &queries::settings(*settings),
    );
}
