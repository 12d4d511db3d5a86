//! Fixes for operands. A fix is offered only if the fixed instruction passes the checks.

use crate::operands::{LazyOpcode, OperandSite};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE, VECTOR_SIZE};
use diagnostics::{Edit, Fix, Rule, insert, replace};
use isa::types::Type;
use isa::{Resolution, Spelling};
use syntax::{Instruction, OperandKind, SourceFile, Token, WalkEvent, walk};

const VECTOR_SIZES: [&str; 3] = ["v2", "v4", "v8"];

/// Finds a type or vector size with which all operands are valid.
pub(super) fn modifier_fix<'a>(
    site: &OperandSite<'_, 'a>,
    instruction: &Instruction<'a>,
    rule: &Rule,
) -> Option<(String, Edit)> {
    if *rule == OPERAND_KIND { missing_size(site, instruction) } else { replacement(site, instruction, rule) }
}

/// Finds the vector size that a list of elements lacks.
fn missing_size<'a>(site: &OperandSite<'_, 'a>, instruction: &Instruction<'a>) -> Option<(String, Edit)> {
    let at = site.legal.at("type").filter(|_| site.legal.at("vec").is_none())?;
    instruction.operands().iter().find(|operand| operand.kind == OperandKind::Vector)?;
    let mut modifiers = site.opcode.words();
    modifiers.insert(at, "");
    let size = VECTOR_SIZES.into_iter().find(|size| {
        modifiers[at] = size;
        fits(site, instruction, &modifiers)
    })?;
    Some((format!("Insert `.{size}`"), insert(site.opcode.at(Some(at)).start, format!(".{size}"))))
}

/// Whether the instruction is legal with other modifiers.
fn fits<'a>(site: &OperandSite<'_, 'a>, instruction: &Instruction<'a>, modifiers: &[&str]) -> bool {
    let text = Spelling { mnemonic: &site.opcode.mnemonic.text, modifiers }.text();
    // The checks look up the modifiers of what was resolved in the opcode.
    with_opcode(site, instruction, Token { text: text.into(), range: site.opcode.at(None) })
}

fn replacement<'a>(site: &OperandSite<'_, 'a>, instruction: &Instruction<'a>, rule: &Rule) -> Option<(String, Edit)> {
    let words: Vec<&str> = match rule {
        rule if *rule == OPERAND_TYPE => Type::ALL.iter().map(|ty| ty.word()).collect(),
        rule if *rule == VECTOR_SIZE => VECTOR_SIZES.to_vec(),
        _ => return None,
    };
    let at = site.legal.at(if *rule == VECTOR_SIZE { "vec" } else { "type" })?;
    let mut modifiers = site.opcode.words();
    let written = modifiers[at];
    let fitting = words.into_iter().filter(|word| *word != written).find(|word| {
        modifiers[at] = word;
        fits(site, instruction, &modifiers)
    })?;
    Some((format!("Replace `.{written}` with `.{fitting}`"), replace(site.opcode.at(Some(at)), format!(".{fitting}"))))
}

/// Whether the instruction is legal after a fix. It is not if it has a second error.
pub(super) fn leaves_legal(site: &OperandSite, text: &str, start: usize, fix: &Fix) -> bool {
    let mut fixed = text.to_owned();
    for edit in fix.edits.iter().rev() {
        let inside = edit.range.start.checked_sub(start).zip(edit.range.end.checked_sub(start));
        let Some((from, to)) = inside.filter(|(_, to)| *to <= fixed.len()) else { return false };
        fixed.replace_range(from..to, &edit.text);
    }
    let file = SourceFile::parse(&format!(".entry k() {{ {fixed} }}"));
    let mut legal = false;
    walk(&file, |event| {
        if let WalkEvent::Instruction(instruction) = event {
            legal = !instruction.has_error() && is_legal(site, &instruction);
        }
    });
    legal
}

/// Whether an instruction and its operands are legal.
pub(super) fn is_legal(site: &OperandSite, instruction: &Instruction) -> bool {
    with_opcode(site, instruction, instruction.opcode_token())
}

/// Whether an opcode is legal, and with it the operands of an instruction.
fn with_opcode(site: &OperandSite, instruction: &Instruction, opcode: Token) -> bool {
    let opcode = LazyOpcode::new(opcode);
    let words = opcode.words();
    match isa::resolve(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, &site.module) {
        Resolution::Legal(legal) => {
            let site = OperandSite { opcode: &opcode, legal: &legal, ..*site };
            site.check(instruction).is_ok()
        }
        _ => false,
    }
}
