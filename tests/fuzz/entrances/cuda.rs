//! The scanner of C++, and everything that an editor asks of its `asm` statements.

use super::{asked, text};
use hosts::Language;

/// The first byte chooses settings; the rest is a C++ file.
pub fn enter(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    asked::everything(Language::Cuda, &text(bytes), &asked::settings(*choice));
}
