//! SASS: the grammar, the linter and all requests.

use super::{queries, text};
use hosts::Language;

/// The first byte chooses settings; the rest is a listing.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    queries::everything(Language::Sass, &text(bytes), &queries::settings(*choice));
}
