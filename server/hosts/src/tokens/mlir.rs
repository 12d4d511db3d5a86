//! MLIR: statements in the form of their operation and in the generic form.

use super::reader::{HostToken, HostTokenKind, HostTokenReader};
use super::statements::{
    ValueDirection, add, arguments, constraint_list, literal_part, name_inputs, nested, of, set_widths, template, width,
};
use crate::inline_asm::{AsmDialect, AsmStatement};

/// `llvm.inline_asm has_side_effects "…", "…" %0 : (i32) -> i32` and `nvvm.inline_ptx "…" …`.
pub(super) fn pretty(reader: &mut HostTokenReader, keyword: HostToken) -> Option<AsmStatement> {
    let mut statement = of(&keyword, AsmDialect::Llvm);
    template(reader, &mut statement, "has_side_effects")?;
    if reader.read(&keyword).ends_with("inline_ptx") {
        (statement.dialect, statement.open) = (AsmDialect::Cute, true);
    } else {
        statement.missing_effects = (!statement.volatile).then_some("`has_side_effects`");
        constraint_list(reader, &mut statement)?;
        let mut ahead = reader.clone();
        while ahead.take('%') {
            ahead.next();
            ahead.take(',');
        }
        function_type(&mut ahead, &mut statement);
        *reader = ahead;
    }
    statement.range.end = reader.at;
    Some(statement)
}

/// `"llvm.inline_asm"(%0, %1) <{asm_string = "…", constraints = "…"}> : (i32, i32) -> ()` and `"nvvm.inline_ptx"(…) <{ptxCode = "…"}>`, after the
/// name. Before LLVM 17, the attributes were in `{…}`.
pub(super) fn generic(reader: &mut HostTokenReader, keyword: HostToken) -> Option<AsmStatement> {
    let is_ptx = reader.read(&keyword).ends_with("inline_ptx");
    if !reader.take('(') {
        return None;
    }
    let inputs = arguments(reader)?;
    reader.take('<');
    if !reader.take('{') {
        return None;
    }
    let mut statement = of(&keyword, if is_ptx { AsmDialect::Cute } else { AsmDialect::Llvm });
    attributes(reader, &mut statement)?;
    if statement.template.is_empty() {
        return None;
    }
    statement.open |= is_ptx || statement.operands.is_empty() && !inputs.is_empty();
    statement.missing_effects = (!is_ptx && !statement.volatile).then_some("`has_side_effects`");
    reader.take('>');
    if !is_ptx {
        name_inputs(&mut statement, inputs);
        function_type(reader, &mut statement);
    }
    statement.range.end = reader.at;
    Some(statement)
}

/// Reads attributes up to their closing brace: `name = value` or, if it is only present, `name`.
fn attributes(reader: &mut HostTokenReader, statement: &mut AsmStatement) -> Option<()> {
    let (mut name, mut depth) = ("", 0usize);
    loop {
        let token = reader.next();
        match token.kind {
            HostTokenKind::End => return None,
            HostTokenKind::Sign('}') if depth == 0 => return Some(()),
            HostTokenKind::Sign(',') if depth == 0 => name = "",
            HostTokenKind::Word if name.is_empty() && depth == 0 => {
                name = reader.read(&token);
                statement.volatile |= name == "has_side_effects";
            }
            HostTokenKind::Word if name == "has_side_effects" => statement.volatile &= reader.read(&token) != "false",
            HostTokenKind::Text(_) if matches!(name, "asm_string" | "ptxCode") => {
                statement.template = vec![literal_part(token)];
            }
            HostTokenKind::Text(_) if name == "constraints" => add(reader.text, statement, &[literal_part(token)]),
            _ => depth = nested(&token, depth),
        }
    }
}

/// Reads the widths of `: (i32, f32) -> i64`, if it is next. Several results are in a `!llvm.struct<(…)>`.
fn function_type(reader: &mut HostTokenReader, statement: &mut AsmStatement) {
    let mut ahead = reader.clone();
    if !ahead.take(':') || !ahead.take('(') {
        return;
    }
    let text = ahead.text;
    let Some(inputs) = arguments(&mut ahead) else { return };
    let inputs = inputs.into_iter().map(|range| width(&text[range])).collect();
    if !ahead.take('-') || !ahead.take('>') {
        return;
    }
    let is_struct = ahead.take('!');
    if is_struct && ahead.next().kind == HostTokenKind::End {
        return;
    }
    ahead.take('<');
    let results = if ahead.take('(') {
        arguments(&mut ahead).unwrap_or_default().into_iter().map(|range| width(&text[range])).collect()
    } else {
        let ty = ahead.next();
        vec![width(ahead.read(&ty)).filter(|_| !is_struct)]
    };
    ahead.take('>');
    set_widths(statement, ValueDirection::Input, inputs);
    set_widths(statement, ValueDirection::Output, results);
    reader.at = ahead.at;
}
