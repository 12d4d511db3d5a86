//! Python with inline assembly: the reader and all requests.

use super::{queries, text};
use hosts::Language;

/// The first byte chooses settings; the rest is a Python file.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    queries::everything(Language::PYTHON, &text(bytes), &queries::settings(*choice));
}
