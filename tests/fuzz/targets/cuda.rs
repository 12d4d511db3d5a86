//! C++ with `asm` statements: the scanner and all requests.

use super::{queries, text};
use hosts::Language;

/// The first byte chooses settings; the rest is a C++ file.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    queries::everything(Language::CUDA, &text(bytes), &queries::settings(*choice));
}
