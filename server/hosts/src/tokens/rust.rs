//! Rust: `asm!("…", …)`, `asm!(concat!("…", x, "…"), …)` and `ptx_asm!`.

use super::part;
use super::reader::{HostToken, HostTokenKind, HostTokenReader};
use super::statements::{arguments, literal_part, nested, of};
use crate::inline_asm::{AsmDialect, AsmOperand, AsmStatement, TemplatePart};
use std::ops::Range;

/// Reads a statement after `asm` or `ptx_asm`.
pub(super) fn rust(reader: &mut HostTokenReader, keyword: HostToken) -> Option<AsmStatement> {
    if !reader.take('!') || !(reader.take('(') || reader.take('{') || reader.take('[')) {
        return None;
    }
    let mut template: Vec<TemplatePart> = Vec::new();
    loop {
        let mut ahead = reader.clone();
        let token = ahead.next();
        match token.kind {
            HostTokenKind::Text(_) => template.push(literal_part(token)),
            HostTokenKind::Word if ahead.read(&token) == "concat" && ahead.take('!') && ahead.take('(') => {
                concatenated(&mut ahead, &mut template)?;
            }
            _ => break,
        }
        *reader = ahead;
        reader.take(',');
    }
    let from = reader.clone();
    let arguments = arguments(reader)?;
    // With `raw`, braces are not special.
    let is_raw = reader.text[from.at..reader.at].contains("raw");
    let operands = operands(&from, &arguments);
    (!template.is_empty() && !is_raw).then(|| AsmStatement {
        range: keyword.range.start..reader.at,
        template,
        open: operands.is_none(),
        operands: operands.unwrap_or_default(),
        ..of(&keyword, AsmDialect::Rust)
    })
}

/// The arguments of `concat!`, up to its closing parenthesis.
fn concatenated(reader: &mut HostTokenReader, template: &mut Vec<TemplatePart>) -> Option<()> {
    let mut depth = 0usize;
    loop {
        let token = reader.next();
        match token.kind {
            HostTokenKind::End => return None,
            HostTokenKind::Sign(')') if depth == 0 => return Some(()),
            HostTokenKind::Sign(',') if depth == 0 => {}
            HostTokenKind::Text(_) if depth == 0 => template.push(literal_part(token)),
            _ => {
                depth = nested(&token, depth);
                template.push(part(&token.range, None));
            }
        }
    }
}

/// The operands, in the order of their numbers; `None` if one of them is not understood.
fn operands(reader: &HostTokenReader, arguments: &[Range<usize>]) -> Option<Vec<AsmOperand>> {
    let mut found = Vec::new();
    for argument in arguments {
        let mut reader = reader.clone();
        reader.at = argument.start;
        let first = reader.next();
        if matches!(reader.read(&first), "options" | "clobber_abi") {
            continue;
        }
        let is_named = reader.take('=');
        let direction = if is_named { reader.next() } else { first.clone() };
        let mut operand = AsmOperand {
            output: reader.read(&direction).contains("out"),
            name: is_named.then_some(first.range),
            constraint_at: direction.range.clone(),
            constraint: None,
            register: None,
            bits: None,
            expression: direction.range.end..argument.end,
            branches: Vec::new(),
        };
        match reader.read(&direction) {
            "in" | "out" | "lateout" | "inout" | "inlateout" => {
                let class = reader.take('(').then(|| reader.next())?;
                operand.register = Some(register(reader.read(&class))?);
            }
            "const" | "sym" => {}
            _ => return None,
        }
        found.push(operand);
    }
    Some(found)
}

/// The type of the registers of a class. rustc has one for each width.
fn register(class: &str) -> Option<&'static str> {
    Some(match class {
        "reg16" => ".b16",
        "reg32" => ".b32",
        "reg64" => ".b64",
        _ => return None,
    })
}
