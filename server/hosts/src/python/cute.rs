//! The operands and the template of CuTe DSL's `inline_ptx`: `{$w0}` is written, `{$r0}` read, and `{$rw0}` both.

use super::call_arguments::CallArguments;
use super::tree::{PythonNode, children};
use super::types::width;
use crate::inline_asm::AsmOperand;
use crate::inline_asm::template::{Substituted, TemplateChar, TemplateCharKind};

/// The lists of operands, each with the letters in the template.
const LISTS: [(&str, &str); 3] = [("write_only_types", "w"), ("read_only_args", "r"), ("read_write_args", "rw")];

/// The operands of a call, and whether there may be more.
pub(super) fn operands(text: &str, arguments: &CallArguments) -> (Vec<AsmOperand>, bool) {
    let (mut operands, mut open) = (Vec::new(), arguments.is_open());
    for (list, letters) in LISTS {
        let Some(list) = arguments.named(list) else { continue };
        let elements = if matches!(list.kind(), "list" | "tuple") { children(list) } else { Vec::new() };
        open |= !matches!(list.kind(), "list" | "tuple" | "none");
        for (number, element) in elements.into_iter().enumerate() {
            open |= element.kind() == "list_splat";
            operands.push(AsmOperand {
                output: letters.contains('w'),
                name: None,
                constraint_at: element.byte_range(),
                constraint: Some(format!("{letters}{number}")),
                // A value that is only read may be a constant.
                register: if letters == "w" { register(text, element) } else { None },
                expression: element.byte_range(),
                bits: None,
                branches: Vec::new(),
            });
        }
    }
    (operands, open)
}

/// The type of the register of a Python type.
fn register(text: &str, element: PythonNode) -> Option<&'static str> {
    Some(match width(text, element)? {
        16 => ".b16",
        32 => ".b32",
        _ => ".b64",
    })
}

/// Substitutes `{$w0}`. The uses of unknown operands have a number beyond the last one.
pub(crate) fn substitute(units: &[TemplateChar], operands: &[&AsmOperand]) -> Substituted {
    let mut made = Substituted { units: Vec::with_capacity(units.len()), ..Substituted::default() };
    let mut at = 0;
    while at < units.len() {
        let Some(name) = operand(&units[at..]) else {
            made.units.push(units[at]);
            at += 1;
            continue;
        };
        // With its braces and its dollar.
        let written = &units[at..at + name.len() + 3];
        let found = operands.iter().position(|operand| operand.constraint.as_deref() == Some(&*name));
        let range = TemplateChar::joined(TemplateCharKind::Placeholder, written).place();
        made.uses.push((range, found.unwrap_or(usize::MAX)));
        if found.is_some_and(|number| operands[number].register.is_some()) {
            let joined = |c| TemplateChar::joined(TemplateCharKind::Operand(c), written);
            made.units.extend(format!("${name}").chars().map(joined));
        } else {
            made.units.push(TemplateChar::joined(TemplateCharKind::Placeholder, written));
        }
        at += written.len();
    }
    made
}

/// The name of the operand at the start of a text: `w0` of `{$w0}`.
fn operand(units: &[TemplateChar]) -> Option<String> {
    let mut chars = units.iter().map(|unit| unit.what.char());
    if (chars.next(), chars.next()) != (Some('{'), Some('$')) {
        return None;
    }
    let name: String = chars.by_ref().take_while(|c| c.is_ascii_alphanumeric()).collect();
    let is_closed = units.get(name.len() + 2).is_some_and(|unit| unit.what == TemplateCharKind::Char('}'));
    let digits = name.trim_start_matches(['r', 'w']);
    let letters = &name[..name.len() - digits.len()];
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    (is_closed && is_number && LISTS.iter().any(|(_, known)| *known == letters)).then_some(name)
}

/// Puts operands into braces.
pub(crate) fn written(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let name: &str = &rest[at + 1..];
        let length = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let is_operand = name.starts_with(['r', 'w']) && name[..length].ends_with(|c: char| c.is_ascii_digit());
        let word = &rest[at..=at + length];
        written += &rest[..at];
        written += &if is_operand { format!("{{{word}}}") } else { word.to_owned() };
        rest = &rest[at + 1 + length..];
    }
    written + rest
}
