//! Hover in a listing: what an opcode, a modifier, an address or a control code means.

use crate::Hover;
use crate::features::{describe_architecture, hover};
use isa::sass::{self, SassFamily, SassReason, SassResolution};
use lints::sass::{Disassembly, resolve};
use std::ops::Range;
use syntax::sass::{LeafKind, Listing, SassInstruction, SassOperandKind};
use syntax::{demangle, is_name_char};

/// The hover at an offset.
pub(super) fn hover(source: &Disassembly, offset: usize) -> Option<Hover> {
    match source.listing.instruction_at(offset) {
        Some(instruction) => instruction_hover(source, &instruction, offset),
        None => name_hover(&source.listing, offset),
    }
}

/// The demangled name of a function or section, as in `.text._Z6kernelPi`, or the description of an architecture.
fn name_hover(listing: &Listing, offset: usize) -> Option<Hover> {
    let offset = listing.clamp(offset);
    let leaves = listing.leaves(offset..offset).into_iter();
    let mut names = leaves.filter(|leaf| matches!(leaf.kind, LeafKind::Name | LeafKind::Label));
    let range = names.find(|leaf| leaf.range.start <= offset && offset <= leaf.range.end)?.range;
    let text = listing.text().byte_slice(range.clone()).to_string();
    if let Some(architecture) = describe_architecture(&text) {
        return Some(Hover::new(range, architecture));
    }
    let name = &text[text.find("_Z").or_else(|| text.find("_R"))?..];
    let name = name.trim_end_matches(|c: char| !is_name_char(c));
    let demangled = demangle(name)?;
    Some(Hover::new(range, format!("Demangled: `{}`", demangled.full)))
}

fn instruction_hover(source: &Disassembly, instruction: &SassInstruction, offset: usize) -> Option<Hover> {
    let words = instruction.words();
    let mnemonic = words.first()?;
    if !lints::sass::is_known(&mnemonic.text) {
        return None;
    }
    let covers = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    let target = source.target_at(offset);
    let resolved = resolve(instruction, target);
    if let SassResolution::Illegal(reason) = &resolved {
        let mut at_fault = reason.words.clone().filter_map(|at| words.get(at + 1));
        if let Some(word) = at_fault.find(|word| covers(&word.range)) {
            return Some(illegal(&mnemonic.text, word.range.clone(), reason));
        }
        if covers(&mnemonic.range) {
            let hover = illegal(&mnemonic.text, mnemonic.range.clone(), reason);
            // The diagnostic is at the words at fault.
            return Some(match reason.words.is_empty() {
                true => hover,
                false => Hover { markdown: hover.error.unwrap_or_default(), error: None, ..hover },
            });
        }
    }
    if covers(&mnemonic.range) {
        let markdown = match &resolved {
            SassResolution::Legal(legal) => sass::doc::opcode(&instruction.opcode().text, legal),
            _ => sass::doc::mnemonic(&mnemonic.text)?,
        };
        return Some(Hover::new(mnemonic.range.clone(), markdown));
    }
    if let Some(word) = words[1..].iter().find(|word| covers(&word.range)) {
        let markdown = sass::doc::modifier(family(&mnemonic.text, &resolved)?, &word.text)?;
        return Some(Hover::new(word.range.start - 1..word.range.end, markdown));
    }
    if let Some(control) = instruction.controls().into_iter().find(|control| covers(&control.range)) {
        let markdown = control_code(&control.text)?.to_owned();
        return Some(Hover::new(control.range, markdown));
    }
    operand(instruction, &resolved, offset)
}

/// The reason why an opcode is illegal. The page of its mnemonic lists the legal ones.
fn illegal(mnemonic: &str, range: Range<usize>, reason: &SassReason) -> Hover {
    let error = Some(hover::error(&reason.message, &reason.help));
    Hover { error, page: Some(mnemonic.to_owned()), ..Hover::new(range, String::new()) }
}

fn family(mnemonic: &str, resolved: &SassResolution) -> Option<&'static SassFamily> {
    match resolved {
        SassResolution::Legal(legal) => Some(legal.family),
        _ => sass::named(mnemonic),
    }
}

fn operand(instruction: &SassInstruction, resolved: &SassResolution, offset: usize) -> Option<Hover> {
    let SassResolution::Legal(legal) = resolved else { return None };
    let operands = instruction.operands();
    let at = operands.iter().position(|one| one.token.range.start <= offset && offset <= one.token.range.end)?;
    let (operand, role) = (operands.get(at)?, legal.operands().get(at)?);
    let registers = legal.size.bits().div_ceil(32);
    let more = match &operand.kind {
        SassOperandKind::Register(name) if registers > 1 && role.name() != "p" && name.text != "RZ" => {
            format!(", {} bits in {registers} registers from `{}` on", legal.size.bits(), name.text)
        }
        SassOperandKind::Address(_) => {
            let bits = if legal.extended { 64 } else { 32 };
            format!(" of {} bytes: a sum of {bits} bits", legal.size.bits() / 8)
        }
        _ => String::new(),
    };
    Some(Hover::new(operand.token.range.clone(), format!("**{}**: {}{more}.", role.name(), role.summary())))
}

fn control_code(text: &str) -> Option<&'static str> {
    if text.starts_with("&req") {
        Some("**&req**: the scoreboard barriers that the instruction waits for before it issues.")
    } else if text.starts_with("&rd") {
        Some(
            "**&rd**: the scoreboard barrier that is released when the source registers have been read and may be overwritten.",
        )
    } else if text.starts_with("&wr") {
        Some("**&wr**: the scoreboard barrier that is released when the result has been written.")
    } else if text.starts_with('?') {
        Some(
            "**?sched**: the number of cycles before the next instruction may issue, and whether both may issue together.",
        )
    } else {
        None
    }
}
