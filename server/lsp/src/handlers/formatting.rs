//! `textDocument/formatting`, `rangeFormatting` and `onTypeFormatting`.

use crate::view::View;
use ide::features::FormatOptions;
use tower_lsp::ls_types as lsp;

/// The whole document.
pub fn full(view: &View, wanted: &lsp::FormattingOptions) -> Vec<lsp::TextEdit> {
    view.edits(&view.source.format(&options(wanted)))
}

/// The lines of a range.
pub fn range(view: &View, range: lsp::Range, wanted: &lsp::FormattingOptions) -> Vec<lsp::TextEdit> {
    view.edits(&view.source.format_range(view.bytes(range), &options(wanted)))
}

/// What was just finished by typing a character before a position.
pub fn on_type(view: &View, position: lsp::Position, wanted: &lsp::FormattingOptions) -> Vec<lsp::TextEdit> {
    view.edits(&view.source.format_on_type(view.offset(position), &options(wanted)))
}

fn options(wanted: &lsp::FormattingOptions) -> FormatOptions {
    FormatOptions { tabs: !wanted.insert_spaces, width: wanted.tab_size as usize }
}
