//! `textDocument/formatting`, `rangeFormatting` and `onTypeFormatting`.

use crate::documents::document_snapshot::DocumentSnapshot;
use ide::features::FormatOptions;
use tower_lsp::ls_types as lsp;

/// The whole document.
pub fn full(snapshot: &DocumentSnapshot, wanted: &lsp::FormattingOptions) -> Vec<lsp::TextEdit> {
    snapshot.edits(&snapshot.source.format(&options(wanted)))
}

/// The lines of a range.
pub fn range(snapshot: &DocumentSnapshot, range: lsp::Range, wanted: &lsp::FormattingOptions) -> Vec<lsp::TextEdit> {
    snapshot.edits(&snapshot.source.format_range(snapshot.bytes(range), &options(wanted)))
}

/// What was just finished by typing a character before a position.
pub fn on_type(
    snapshot: &DocumentSnapshot,
    position: lsp::Position,
    wanted: &lsp::FormattingOptions,
) -> Vec<lsp::TextEdit> {
    snapshot.edits(&snapshot.source.format_on_type(snapshot.offset(position), &options(wanted)))
}

fn options(wanted: &lsp::FormattingOptions) -> FormatOptions {
    FormatOptions { tabs: !wanted.insert_spaces, width: wanted.tab_size as usize }
}
