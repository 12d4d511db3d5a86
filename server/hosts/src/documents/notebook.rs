//! Notebooks of Jupyter: the code cells, in JSON.

use super::{in_document, piece, statements};
use crate::inline_asm::{EmbeddedText, FoundStatements, LiteralEscapes, TemplatePart};
use crate::{cpp, python};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

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
pub(crate) fn scan(text: &str) -> FoundStatements {
    let mut found = FoundStatements::default();
    if !python::may_have_statements(text) {
        return found;
    }
    let Ok(notebook) = serde_json::from_str::<Notebook>(text) else { return found };
    let mut module = Vec::new();
    for cell in notebook.cells.iter().filter(|cell| cell.cell_type == "code") {
        let mut lines = lines(text, cell.source);
        let code = EmbeddedText::new(text, &lines);
        if is_cuda(code.text()) {
            found.append(statements(text, &lines, cpp::scan));
            continue;
        }
        lines.retain(|line| !is_command(text, line));
        // A cell with a syntax error would change how those after it are read.
        if python::is_complete(EmbeddedText::new(text, &lines).text()) {
            module.push(lines);
        } else {
            found.append(statements(text, &lines, python::scan));
        }
    }
    // The cells have the names of one module.
    let cells: Vec<&[TemplatePart]> = module.iter().map(Vec::as_slice).collect();
    let module = Arc::new(EmbeddedText::joined(text, &cells));
    found.append(in_document(&module, python::scan));
    found.statements.sort_by_key(|statement| statement.range.start);
    found
}

/// Whether a cell is CUDA C++: the magic command `%%cuda` and files with a name of CUDA C++ say so.
fn is_cuda(cell: &str) -> bool {
    let first = cell.lines().next().unwrap_or_default();
    first.starts_with("%%cu") || first.starts_with("%%") && first.contains(".cu")
}

/// Whether a line is a magic command or one of the shell.
fn is_command(text: &str, line: &TemplatePart) -> bool {
    let written = line.literal.as_ref().map_or("", |literal| &text[literal.inner.clone()]);
    let is_line = written.ends_with("\\n") || !written.contains("\\n");
    is_line && written.trim_start().starts_with(['%', '!'])
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
