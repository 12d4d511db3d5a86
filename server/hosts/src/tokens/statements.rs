//! Reads statements: the template, and the constraints where they are a string.

use super::named::literals_of;
use super::part;
use super::reader::{HostToken, HostTokenKind, HostTokenReader};
use crate::inline_asm::template::decoded;
use crate::inline_asm::{AsmDialect, AsmStatement, TemplatePart};
use crate::llvm::{LlvmConstraints, constraints};
use std::ops::Range;

/// LLVM IR: `asm sideeffect "…", "…"(…)`.
pub(super) fn llvm_ir(reader: &mut HostTokenReader, keyword: HostToken) -> Option<AsmStatement> {
    let mut statement = of(&keyword, AsmDialect::Llvm);
    template(reader, &mut statement, "sideeffect")?;
    statement.missing_effects = (!statement.volatile).then_some("`sideeffect`");
    constraint_list(reader, &mut statement)?;
    let mut ahead = reader.clone();
    if ahead.next().is('(') {
        let arguments = arguments(&mut ahead)?;
        *reader = ahead;
        let inputs = arguments.iter().map(|argument| width(&reader.text[argument.clone()])).collect();
        name_inputs(&mut statement, arguments);
        set_widths(&mut statement, ValueDirection::Input, inputs);
        let results = results(&reader.text[..keyword.range.start]);
        set_widths(&mut statement, ValueDirection::Output, results);
    }
    statement.range.end = reader.at;
    Some(statement)
}

/// Reads the template after attributes, of which one says that there are side effects.
pub(super) fn template(reader: &mut HostTokenReader, statement: &mut AsmStatement, effects: &str) -> Option<()> {
    loop {
        let token = reader.next();
        match token.kind {
            HostTokenKind::Text(_) => {
                statement.template = vec![literal_part(token)];
                return Some(());
            }
            HostTokenKind::Word => statement.volatile |= reader.read(&token) == effects,
            HostTokenKind::Sign('=') => {}
            _ => return None,
        }
    }
}

/// Reads a comma and a list of constraints.
pub(super) fn constraint_list(reader: &mut HostTokenReader, statement: &mut AsmStatement) -> Option<()> {
    let list = reader.take(',').then(|| reader.next())?;
    let HostTokenKind::Text(_) = list.kind else { return None };
    add(reader.text, statement, &[literal_part(list)]);
    Some(())
}

/// Julia: `@asmcall("…", "…", true, …)`.
pub(super) fn julia(reader: &mut HostTokenReader, keyword: HostToken) -> Option<AsmStatement> {
    if !reader.text[..keyword.range.start].ends_with('@') {
        return None;
    }
    let is_call = reader.take('(');
    let token = reader.next();
    let HostTokenKind::Text(_) = token.kind else { return None };
    let mut statement = AsmStatement { template: vec![literal_part(token)], ..of(&keyword, AsmDialect::Llvm) };
    statement.range.start -= 1;
    if is_call && !reader.take(',') && !reader.clone().take(')') {
        return None;
    }
    let mut ahead = reader.clone();
    let list = ahead.next();
    if let HostTokenKind::Text(_) = list.kind {
        add(reader.text, &mut statement, &[literal_part(list)]);
        ahead.take(',');
        let flag = ahead.next();
        statement.volatile = ahead.read(&flag) == "true";
        statement.missing_effects = (!statement.volatile).then_some("`true` after the constraints");
    } else {
        statement.open = !list.is(')');
    }
    if is_call {
        arguments(reader)?;
    }
    statement.range.end = reader.at;
    Some(statement)
}

/// Mojo: `inlined_assembly["…", …, constraints="…"](…)`.
pub(super) fn mojo(reader: &mut HostTokenReader, keyword: HostToken) -> Option<AsmStatement> {
    if !reader.take('[') {
        return None;
    }
    let mut statement = of(&keyword, AsmDialect::Llvm);
    let mut list = Vec::new();
    (statement.open, statement.volatile) = (true, true);
    // The parameter whose literals are read: at first the template.
    let (mut name, mut depth) = ("", 0usize);
    loop {
        let token = reader.next();
        match token.kind {
            HostTokenKind::End => return None,
            HostTokenKind::Sign(']') if depth == 0 => break,
            HostTokenKind::Sign(',') if depth == 0 => name = "?",
            HostTokenKind::Word if name == "?" && depth == 0 => name = reader.read(&token),
            HostTokenKind::Text(_) if name.is_empty() => statement.template.push(literal_part(token)),
            HostTokenKind::Text(_) if name == "constraints" => list.push(literal_part(token)),
            HostTokenKind::Word if name.is_empty() => statement.template.extend(named_parts(reader, &token)),
            HostTokenKind::Word if name == "constraints" => list.extend(named_parts(reader, &token)),
            HostTokenKind::Word if name == "has_side_effect" => statement.volatile = reader.read(&token) != "False",
            _ => depth = nested(&token, depth),
        }
    }
    if !list.is_empty() {
        add(reader.text, &mut statement, &list);
    }
    if reader.take('(') {
        let arguments = arguments(reader)?;
        name_inputs(&mut statement, arguments);
    }
    statement.range.end = reader.at;
    Some(statement)
}

/// The literals that a word stands for, or an unknown part.
fn named_parts(reader: &HostTokenReader, word: &HostToken) -> Vec<TemplatePart> {
    let named = literals_of(reader, word).map(|literals| literals.into_iter().map(literal_part).collect());
    named.unwrap_or_else(|| vec![part(&word.range, None)])
}

/// A statement with nothing but its keyword.
pub(super) fn of(keyword: &HostToken, dialect: AsmDialect) -> AsmStatement {
    let range = keyword.range.clone();
    AsmStatement { keyword: range.clone(), range, dialect, finished: true, ..AsmStatement::default() }
}

pub(super) fn literal_part(token: HostToken) -> TemplatePart {
    match token.kind {
        HostTokenKind::Text(literal) => part(&token.range, Some(literal)),
        _ => part(&token.range, None),
    }
}

/// Adds the operands of a list of constraints.
pub(super) fn add(text: &str, statement: &mut AsmStatement, list: &[TemplatePart]) {
    let LlvmConstraints { operands, clobbers, open } = constraints(&decoded(text, list));
    (statement.operands, statement.clobbers, statement.open) = (operands, clobbers, open);
}

/// The depth of brackets after a token.
pub(super) fn nested(token: &HostToken, depth: usize) -> usize {
    match token.kind {
        HostTokenKind::Sign('(' | '[' | '{') => depth + 1,
        HostTokenKind::Sign(')' | ']' | '}') => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The ranges of the arguments of a call, after its opening parenthesis; `None` without a closing one.
pub(super) fn arguments(reader: &mut HostTokenReader) -> Option<Vec<Range<usize>>> {
    let (mut found, mut depth): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    let mut begins = true;
    loop {
        let token = reader.next();
        match token.kind {
            HostTokenKind::End => return None,
            HostTokenKind::Sign(')' | ']' | '}') if depth == 0 => return Some(found),
            HostTokenKind::Sign(',') if depth == 0 => begins = true,
            _ => {
                depth = nested(&token, depth);
                match found.last_mut() {
                    Some(last) if !begins => last.end = token.range.end,
                    _ => found.push(token.range),
                }
                begins = false;
            }
        }
    }
}

/// Whether an operand is written or read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueDirection {
    Output,
    Input,
}

/// Gives operands the widths of their types, if there are as many.
pub(super) fn set_widths(statement: &mut AsmStatement, direction: ValueDirection, widths: Vec<Option<u16>>) {
    let is_output = direction == ValueDirection::Output;
    let operands: Vec<_> = statement.operands.iter_mut().filter(|operand| operand.output == is_output).collect();
    if operands.len() == widths.len() {
        operands.into_iter().zip(widths).for_each(|(operand, bits)| operand.bits = bits);
    }
}

/// The widths of the results of a call in LLVM IR, from the text before its `asm`.
fn results(before: &str) -> Vec<Option<u16>> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let Some((_, ty)) = line.rsplit_once("call ") else { return Vec::new() };
    let ty = ty.trim();
    match ty.strip_prefix('{').and_then(|fields| fields.strip_suffix('}')) {
        Some(fields) => fields.split(',').map(width).collect(),
        None => vec![width(ty)],
    }
}

/// The width of the type at the beginning of a text of LLVM IR or MLIR.
pub(super) fn width(text: &str) -> Option<u16> {
    Some(match text.split_whitespace().next()? {
        "i16" | "half" | "bfloat" | "f16" | "bf16" => 16,
        "i32" | "float" | "f32" => 32,
        "i64" | "double" | "f64" => 64,
        _ => return None,
    })
}

/// Gives the operands that are read their expressions, if there are as many.
pub(super) fn name_inputs(statement: &mut AsmStatement, arguments: Vec<Range<usize>>) {
    let inputs: Vec<_> = statement.operands.iter_mut().filter(|operand| !operand.output).collect();
    if inputs.len() == arguments.len() {
        inputs.into_iter().zip(arguments).for_each(|(operand, argument)| operand.expression = argument);
    }
}
