//! Constraints and clobbers of an `asm` statement in CUDA C++: completion inside their strings, and hover.

use crate::Hover;
use crate::features::{StatementCompletion, StatementCompletionKind};
use crate::inline_asm::operands::facts;
use hosts::inline_asm::{AsmDialect, AsmStatement, HostText};
use std::ops::Range;

/// The letters of registers, with what they stand for.
const REGISTERS: [(char, &str); 6] = [
    ('r', "32-bit register"),
    ('l', "64-bit register, also for pointers"),
    ('f', "register of a `float`"),
    ('d', "register of a `double`"),
    ('h', "16-bit register"),
    ('q', "128-bit register"),
];

/// What only an input may be.
const INPUTS: [(&str, &str); 1] = [("n", "integer constant, written into the template")];

/// What the template changes beside its outputs.
const CLOBBERS: [(&str, &str); 1] = [("memory", "the template reads or writes memory that no operand names")];

/// The lists of a statement after its template, each after a colon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandSection {
    Outputs,
    Inputs,
    Clobbers,
}

/// The completions inside a string of a list of operands or clobbers.
pub(super) fn completions(text: &HostText, offset: usize) -> Vec<StatementCompletion> {
    let Some((host, statement)) = text.statement_before(offset) else { return Vec::new() };
    let Some((section, typed)) = section_at(host, statement, offset) else { return Vec::new() };
    let written = &host[typed.clone()];
    let offers: Vec<(String, String)> = match section {
        OperandSection::Outputs => ["=", "+"].iter().flat_map(|sign| registers(sign)).collect(),
        OperandSection::Inputs => {
            let owned = |(text, about): (&str, &str)| (text.to_owned(), about.to_owned());
            registers("").chain(INPUTS.map(owned)).collect()
        }
        OperandSection::Clobbers => CLOBBERS.map(|(text, about)| (text.to_owned(), about.to_owned())).into(),
    };
    let fitting = offers.into_iter().filter(|(text, _)| text.starts_with(written) && text != written);
    let offer = |(text, detail): (String, String)| StatementCompletion {
        label: text.clone(),
        kind: StatementCompletionKind::Value,
        range: typed.clone(),
        text,
        snippet: false,
        detail: detail.replace('`', ""),
        documentation: String::new(),
        access: None,
        fits: true,
        is_truncated: false,
    };
    fitting.map(offer).collect()
}

/// The constraints for registers with a sign before their letters, and what they mean.
fn registers(sign: &'static str) -> impl Iterator<Item = (String, String)> {
    REGISTERS.iter().map(move |(letter, about)| {
        let direction = match sign {
            "=" => ", written",
            "+" => ", read and written",
            _ => ", read",
        };
        (format!("{sign}{letter}"), format!("{about}{direction}"))
    })
}

/// The hover on a constraint or a clobber.
pub(super) fn hover(text: &HostText, offset: usize) -> Option<Hover> {
    let (host, statement) = text.statement_before(offset)?;
    if statement.dialect != AsmDialect::Nvcc {
        return None;
    }
    let touches = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    if let Some(clobber) = statement.clobbers.iter().find(|clobber| touches(&clobber.range)) {
        let name = clobber.name.as_deref()?;
        let (_, about) = CLOBBERS.iter().find(|(known, _)| *known == name)?;
        return Some(Hover::new(clobber.range.clone(), format!("`\"{name}\"`: {about}")));
    }
    let operand = statement.operands.iter().find(|operand| touches(&operand.constraint_at))?;
    let number = statement.operands.iter().position(|one| one.constraint_at == operand.constraint_at)?;
    let letter = operand.letter()?;
    let about = REGISTERS.iter().find(|(known, _)| *known == letter).map(|(_, about)| *about);
    let about =
        about.or_else(|| INPUTS.iter().find(|(known, _)| known.starts_with(letter)).map(|(_, about)| *about))?;
    let name = operand.ptx_name(statement.dialect, number);
    let expression = host.get(operand.expression.clone()).unwrap_or_default();
    let markdown =
        format!("`{name}`: {about}\n\n`{}{expression}`, {}", &host[operand.constraint_at.clone()], facts(operand));
    Some(Hover::new(operand.constraint_at.clone(), markdown))
}

/// The list whose string is open at an offset, and the range of what is typed of it. The statement may be unfinished.
fn section_at(host: &str, statement: &AsmStatement, offset: usize) -> Option<(OperandSection, Range<usize>)> {
    let template = statement.template.last().map(|part| part.range.end)?;
    if statement.dialect != AsmDialect::Nvcc || statement.embedded.is_some() {
        return None;
    }
    let (mut colons, mut depth, mut open) = (0usize, 0usize, None);
    for (at, byte) in host.get(template..offset)?.bytes().enumerate() {
        match (byte, open) {
            (b'"', None) => open = Some(template + at + 1),
            (b'"', Some(_)) => open = None,
            (b'\n', Some(_)) => return None,
            (_, Some(_)) => {}
            (b'(', None) => depth += 1,
            (b')' | b';', None) if depth == 0 => return None,
            (b')', None) => depth -= 1,
            (b':', None) if depth == 0 => colons += 1,
            _ => {}
        }
    }
    let section = match colons {
        1 => OperandSection::Outputs,
        2 => OperandSection::Inputs,
        3 => OperandSection::Clobbers,
        _ => return None,
    };
    open.filter(|_| depth == 0).map(|start| (section, start..offset))
}
