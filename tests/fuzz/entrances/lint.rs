//! The linter, and everything that an editor asks, on any bytes under any settings.

use super::{asked, text};
use hosts::Language;

/// The first byte chooses settings; the rest is a PTX file.
pub fn enter(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    asked::everything(Language::Ptx, &text(bytes), &asked::settings(*choice));
}
