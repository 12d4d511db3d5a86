//! Notebooks of Jupyter: the code cells, in JSON.

use super::{piece, statements};
use crate::inline_asm::{AsmStatement, LiteralEscapes, TemplatePart};
use crate::{cpp, python};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Notebook<'n> {
    #[serde(borrow)]
    cells: Vec<NotebookCell<'n>>,
}

#[derive(Deserialize)]
struct NotebookCell<'n> {
    cell_type: String,
    /// A string, or one for each line.
    #[serde(borrow)]
    source: &'n RawValue,
}

/// The statements of the code cells, in order.
pub(crate) fn scan(text: &str) -> Vec<AsmStatement> {
    if !python::may_have_statements(text) {
        return Vec::new();
    }
    let Ok(notebook) = serde_json::from_str::<Notebook>(text) else { return Vec::new() };
    let code = notebook.cells.iter().filter(|cell| cell.cell_type == "code");
    code.flat_map(|cell| statements(text, &lines(text, cell.source), scan_cell)).collect()
}

/// The statements of a cell. The magic command `%%cuda` and files with a name of CUDA C++ say that it is not Python.
fn scan_cell(cell: &str) -> Vec<AsmStatement> {
    let first = cell.lines().next().unwrap_or_default();
    if first.starts_with("%%cu") || first.starts_with("%%") && first.contains(".cu") {
        return cpp::scan(cell);
    }
    python::scan(cell)
}

/// The strings of a cell's source.
fn lines(text: &str, source: &RawValue) -> Vec<TemplatePart> {
    let strings = match serde_json::from_str::<Vec<&RawValue>>(source.get()) {
        Ok(strings) => strings,
        Err(_) => vec![source],
    };
    let string = |value: &RawValue| {
        let written = value.get();
        // The value is a part of the text.
        let start = (written.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let is_string = written.len() > 1 && written.starts_with('"');
        is_string.then(|| piece(start + 1..start + written.len() - 1, LiteralEscapes::Json))
    };
    strings.into_iter().filter_map(string).collect()
}
