//! PTX: the linter and all requests, on any bytes under any settings.

use super::{queries, text};
use hosts::Language;

/// The first byte chooses settings; the rest is a PTX file.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    queries::everything(Language::Ptx, &text(bytes), &queries::settings(*choice));
}
