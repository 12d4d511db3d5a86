//! The first word that does not fit, as an error.
//!
//! Must not know how it was found, nor the tree.

use super::statement::InstructionError;
use super::words::{StatementWord, WordKind};
use super::{SyntaxError, error};
use crate::reader::Token;

/// What is wrong at a instruction_error among the words of a statement; `None` where the text goes on behind what was read.
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
                ..error(whole, "an offset is added, never subtracted".into(), format!("write `+{text}`"))
            }
        }
        InstructionError::AddedName(at) => {
            let token = token(*at);
            let message =
                format!("`{}` is no constant: an address is one register or symbol, and a constant offset", token.text);
            error(token.range, message, "add the two in an instruction before this one".into())
        }
        InstructionError::GuardedBlock(at) => error(
            token(*at).range,
            "a guard holds for one instruction, not for a block".into(),
            "branch around the block: `@!p bra AFTER;`".into(),
        ),
        InstructionError::Empty(at) => {
            let token = token(*at);
            let fix = Some((token.range.clone(), String::new()));
            SyntaxError {
                fix,
                ..error(
                    token.range,
                    "there is no instruction before this `;`".into(),
                    "remove it; PTX has no empty statement".into(),
                )
            }
        }
        InstructionError::Expected(at, what) => {
            let word = words.get(*at);
            let previous = at.checked_sub(1).map(token);
            if let Some(bad) = word.filter(|word| word.kind == WordKind::BadNumber) {
                return Some(bad_number(&statement.part(bad.range.clone())));
            }
            let text = word.map_or("", |word| &statement.text[word.range.clone()]);
            // `ret` and then a line `add.u32 r, …`: the opcode of that line was taken for an operand.
            if *at == 2
                && what.contains("`;`")
                && statement.text[words[0].range.end..words[1].range.start].contains('\n')
            {
                return Some(missing_semicolon(token(0).range.end));
            }
            if let Some(previous) = &previous {
                let gap = previous.range.end - statement.range.start
                    ..word.map_or(statement.text.len(), |word| word.range.start);
                let next_line = statement.text[gap].contains('\n');
                if what.contains("`;`") && (next_line || text == "}" || word.is_none()) {
                    return Some(missing_semicolon(previous.range.end));
                }
            }
            word?;
            let range = token(*at).range;
            match (text, what) {
                ("_", _) => {
                    error(range, "`_` alone is no name".into(), "it stands for a destination that is not wanted".into())
                }
                (_, &"an operand") if previous.as_ref().is_some_and(|p| p.text == ",") => {
                    error(range, format!("expected an operand after the `,`, found `{text}`"), String::new())
                }
                _ => error(range, format!("expected {what}, found `{text}`"), String::new()),
            }
        }
    })
}

fn missing_semicolon(at: usize) -> SyntaxError {
    let fix = Some((at..at, ";".to_owned()));
    SyntaxError { fix, ..error(at..at, "expected `;` after this instruction".into(), String::new()) }
}

fn bad_number(token: &Token) -> SyntaxError {
    let text = &*token.text;
    let lower = text.to_ascii_lowercase();
    let help = if lower.starts_with("0f") {
        "`0f` is followed by the 8 hexadecimal digits of a 32-bit float"
    } else if lower.starts_with("0d") {
        "`0d` is followed by the 16 hexadecimal digits of a 64-bit float"
    } else if lower.starts_with("0x") {
        "`0x` is followed by hexadecimal digits; `U` is the only suffix"
    } else if lower.starts_with("0b") {
        "`0b` is followed by binary digits; `U` is the only suffix"
    } else if text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) {
        "digits behind a leading 0 are octal: 0 to 7"
    } else if lower.contains('.') && lower.ends_with('f') {
        "a floating-point number has no suffix"
    } else {
        "`U` is the only suffix of an integer"
    };
    error(token.range.clone(), format!("`{text}` is no number"), help.into())
}
