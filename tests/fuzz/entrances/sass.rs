//! Disassembly: its grammar, its findings, and everything that an editor asks.

use super::{asked, text};
use hosts::Language;

/// The first byte chooses settings; the rest is a listing.
pub fn enter(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    asked::everything(Language::Sass, &text(bytes), &asked::settings(*choice));
}
