//! Instructions that end at a line end, before an instruction without operands: its name was read as their last operand.

use diagnostics::registry::{SYNTAX_ERROR, UNKNOWN_NAME};
use diagnostics::{Diagnostic, remove, replace};
use isa::Spelling;
use std::ops::Range;
use syntax::{LintFile, blank_out};

/// The most bytes between the end of an instruction and the next one, and of its last line.
const MAX_DISTANCE: usize = 1024;

/// The diagnostic for an undeclared name; if the name begins its line and is that of an instruction, the one for the unfinished instruction before it.
pub(super) fn before_instruction(diagnostic: Diagnostic, file: &LintFile) -> Diagnostic {
    if *diagnostic.rule != UNKNOWN_NAME || !diagnostic.related.is_empty() {
        return diagnostic;
    }
    let name = file.slice(&diagnostic.range);
    if isa::names::name(&Spelling { mnemonic: &name, modifiers: &[] }).is_none() {
        return diagnostic;
    }
    let Some(before) = unfinished_line(file, diagnostic.range.start) else { return diagnostic };
    let end = before.end;
    let error = |message: &str| {
        let help = format!("`{name}` in the next line is an instruction");
        Diagnostic::new(&SYNTAX_ERROR, end..end, message).help(help)
    };
    match file.slice(&before).ends_with(',') {
        true => error("expected an operand after the `,`").unsafe_fix("Replace with `;`", [replace(end - 1..end, ";")]),
        false => error("expected an operand before the end of the line")
            .unsafe_fix("Remove the unfinished instruction", [remove(before)]),
    }
}

/// The code in the last line with code before the line of an offset; `None` if there is code before the offset in its line.
fn unfinished_line(file: &LintFile, at: usize) -> Option<Range<usize>> {
    let start = file.clamp(at.saturating_sub(MAX_DISTANCE));
    let text = file.slice(&(start..at));
    let plain = blank_out(&text);
    let code = plain.trim_end();
    // The end of a comment is its line's.
    text[code.len()..].contains('\n').then_some(())?;
    let line = text[..code.len()].rfind('\n').map_or(0, |end| end + 1);
    let indentation = code[line..].len() - code[line..].trim_start().len();
    Some(start + line + indentation..start + code.len())
}
