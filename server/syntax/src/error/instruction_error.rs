//! Messages for the errors inside an instruction.

use crate::error::statement::InstructionError;
use crate::error::words::{StatementWord, WordKind};
use crate::error::{SyntaxError, error};
use crate::reader::Token;

/// The message for an error in a statement; `None` where the text continues after what was read.
pub(super) fn describe_error(
    instruction_error: &InstructionError,
    statement: &Token,
    words: &[StatementWord],
) -> Option<SyntaxError> {
    let token = |at: usize| {
        statement.part(words.get(at).map_or(statement.text.len()..statement.text.len(), |word| word.range.clone()))
    };
    Some(match instruction_error {
        InstructionError::Subtracted(at) => {
            let (sign, number) = (token(*at), words.get(at + 1).filter(|word| word.kind == WordKind::Number));
            let whole = sign.range.start..number.map_or(sign.range.end, |word| statement.range.start + word.range.end);
            let text = &statement.text[whole.start - statement.range.start..whole.end - statement.range.start];
            SyntaxError {
                fix: number.map(|_| (sign.range.start..sign.range.start, "+".to_owned())),
                ..error(whole, "invalid subtraction in an address".into(), format!("write `+{text}`"))
            }
        }
        InstructionError::AddedName(at) => {
            let token = token(*at);
            let message = format!("expected a constant offset, found `{}`", token.text);
            error(token.range, message, "add the registers in a separate instruction".into())
        }
        InstructionError::GuardedBlock(at) => error(
            token(*at).range,
            "guard before a block".into(),
            "guard each instruction, or branch around the block: `@!p bra AFTER;`".into(),
        ),
        InstructionError::Empty(at) => {
            let token = token(*at);
            let fix = Some((token.range.clone(), String::new()));
            SyntaxError { fix, ..error(token.range, "empty statement".into(), "remove the `;`".into()) }
        }
        InstructionError::Expected(at, what) => return expected(*at, what, statement, words),
    })
}

/// The error at a word in place of which something else was expected.
fn expected(at: usize, what: &'static str, statement: &Token, words: &[StatementWord]) -> Option<SyntaxError> {
    let token = |at: usize| {
        statement.part(words.get(at).map_or(statement.text.len()..statement.text.len(), |word| word.range.clone()))
    };
    let word = words.get(at);
    let previous = at.checked_sub(1).map(token);
    if let Some(bad) = word.filter(|word| word.kind == WordKind::BadNumber) {
        return Some(bad_number(&statement.part(bad.range.clone())));
    }
    let text = word.map_or("", |word| &statement.text[word.range.clone()]);
    // `ret` and then a line `add.u32 r, …`: the opcode of that line was read as an operand.
    if at == 2 && what.contains("`;`") && statement.text[words[0].range.end..words[1].range.start].contains('\n') {
        return Some(missing_end(&token(0)));
    }
    if let Some(end) = before_block(at, statement, words) {
        return Some(missing_semicolon(statement.range.start + end));
    }
    if let Some(previous) = &previous {
        let gap =
            previous.range.end - statement.range.start..word.map_or(statement.text.len(), |word| word.range.start);
        let next_line = statement.text[gap].contains('\n');
        // What begins no operand.
        if at == 1 && next_line && matches!(text, "@" | "}") {
            return Some(missing_end(previous));
        }
        if what.contains("`;`") && (next_line || text == "}" || word.is_none()) {
            return Some(if at == 1 { missing_end(previous) } else { missing_semicolon(previous.range.end) });
        }
    }
    word?;
    let range = token(at).range;
    Some(match (text, what) {
        ("_", _) => {
            error(range, "unexpected `_`".into(), "`_` is allowed only in place of an unused destination".into())
        }
        (_, "an operand") if previous.as_ref().is_some_and(|p| p.text == ",") => {
            error(range, format!("expected an operand after the `,`, found `{text}`"), String::new())
        }
        _ => error(range, format!("expected {what}, found `{text}`"), String::new()),
    })
}

/// The end of the word before a block that was read as a vector, if the word at an index is in one: `{` in a line of its own, and a directive.
fn before_block(at: usize, statement: &Token, words: &[StatementWord]) -> Option<usize> {
    let text = |word: &StatementWord| &statement.text[word.range.clone()];
    let brace = words[..at.min(words.len())].iter().rposition(|word| text(word) == "{")?;
    let is_block = words.get(brace + 1).is_some_and(|first| text(first).starts_with('.'));
    let end = words[brace.checked_sub(1)?].range.end;
    (is_block && statement.text[end..words[brace].range.start].contains('\n')).then_some(end)
}

/// What is missing after a word that stands alone on its line: the colon of a label, or the semicolon of an instruction.
pub(super) fn missing_end(word: &Token) -> SyntaxError {
    let end = word.range.end;
    if is_opcode(&word.text) {
        return missing_semicolon(end);
    }
    let message = format!("expected `:` after the label `{}`", word.text);
    SyntaxError { fix: Some((end..end, ":".to_owned())), ..error(end..end, message, String::new()) }
}

/// Whether a word may be an opcode: these are lowercase and begin with a letter.
pub(super) fn is_opcode(word: &str) -> bool {
    let name = word.split(':').next().unwrap_or(word);
    name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains(|c: char| c.is_ascii_uppercase() || c == '$')
}

pub(super) fn missing_semicolon(at: usize) -> SyntaxError {
    let fix = Some((at..at, ";".to_owned()));
    SyntaxError { fix, ..error(at..at, "expected `;` after the instruction".into(), String::new()) }
}

fn bad_number(token: &Token) -> SyntaxError {
    let text = &*token.text;
    let lower = text.to_ascii_lowercase();
    let help = if lower.starts_with("0f") {
        "write 8 hexadecimal digits after `0f`, the bits of an `.f32`"
    } else if lower.starts_with("0d") {
        "write 16 hexadecimal digits after `0d`, the bits of an `.f64`"
    } else if lower.starts_with("0x") {
        "write hexadecimal digits after `0x`; the only suffix is `U`"
    } else if lower.starts_with("0b") {
        "write binary digits after `0b`; the only suffix is `U`"
    } else if text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) {
        "write octal digits 0 to 7, or remove the leading 0"
    } else if lower.contains('.') && lower.ends_with('f') {
        "remove the suffix of the floating-point number"
    } else {
        "the only suffix of an integer is `U`"
    };
    error(token.range.clone(), format!("invalid number `{text}`"), help.into())
}
