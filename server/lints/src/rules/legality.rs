//! Instructions against the capability tables: turns the resolver's reasons into findings at their tokens.
//!
//! Must not know which combinations are legal: that is said in rows of `isa`.

mod name;

use crate::interest::Interest;
use diagnostics::Context;
use diagnostics::registry::broken;
use diagnostics::{Cause, Diagnostic, Edit, applicability};
use foldhash::HashMap;
use isa::{Reason, Resolution, Spelling};
use std::ops::Range;
use syntax::{Instruction, Opcode, Token};

/// What an instruction was found to be.
pub(crate) enum Classified<'a> {
    /// A legal atomic.
    Atomic(Opcode<'a>, Box<isa::ResolvedInstruction>),
    /// An instruction that is no atomic, or that nobody knows.
    Other(Token<'a>, Interest),
    /// What has its finding already.
    Illegal,
}

/// Opcodes that are no atomics and legal, or that nobody knows, and what they are to the rules: a module repeats a few hundred of them. Never
/// iterated over, so that its order does not matter.
pub(crate) type Settled = HashMap<Box<str>, Interest>;

/// Resolves one instruction: says why it is illegal, or what it is.
pub(crate) fn check<'a>(
    instruction: &Instruction<'a>,
    context: &Context,
    settled: &mut Settled,
    findings: &mut Vec<Diagnostic>,
) -> Classified<'a> {
    let token = instruction.opcode_token();
    if let Some(interest) = settled.get(&*token.text) {
        return Classified::Other(token, *interest);
    }
    let mut settle = |token: Token<'a>, has_rows| {
        let interest = Interest { has_rows, ..Interest::of(&token.text) };
        settled.insert(token.text.as_ref().into(), interest);
        Classified::Other(token, interest)
    };
    let opcode = Opcode::split(&token);
    if let Some(parted) = name::parted(&opcode, &token) {
        findings.push(parted);
        return Classified::Illegal;
    }
    let words = opcode.words();
    match isa::resolve(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, &context.module) {
        Resolution::Unknown => settle(token, false),
        Resolution::Legal(resolved) if resolved.family.is_atomic() => Classified::Atomic(opcode, Box::new(resolved)),
        Resolution::Legal(_) => settle(token, true),
        Resolution::Illegal(reasons) => {
            let cause = reasons.into_iter().next();
            findings.extend(cause.map(|reason| finding(reason, &opcode, instruction, context)));
            Classified::Illegal
        }
    }
}

fn finding(reason: Reason, opcode: &Opcode, instruction: &Instruction, context: &Context) -> Diagnostic {
    let source = match reason.code {
        isa::ReasonCode::RequiresPtxVersion => context.version_source(),
        _ => context.target_source(),
    };
    let cause = Cause::of(&reason, source);
    let mut found = Diagnostic::because(broken(reason.code), opcode.at(reason.at), cause);
    if let Some(at) = reason.other {
        found = found.related(opcode.at(Some(at)), "it does not go with this");
    }
    if let Some((range, message)) = module_line(&reason, context) {
        found = found.related(range, message);
    }
    reason.fixes.iter().fold(found, |found, fix| {
        let edits = text_edits(fix, opcode, instruction, context).unwrap_or_default();
        found.fix_if(applicability(&fix.edits), &*fix.title, edits)
    })
}

/// The line of the module that an instruction is too new for.
fn module_line(reason: &Reason, context: &Context) -> Option<(Range<usize>, &'static str)> {
    match reason.code {
        isa::ReasonCode::RequiresTarget => Some((context.target_at.clone()?, "the module's target")),
        isa::ReasonCode::RequiresPtxVersion => Some((context.version_at.clone()?, "the module's version")),
        _ => None,
    }
}

/// A fix in terms of modifiers as edits of the text; `None` where a part of it has no place there.
fn text_edits(
    fix: &isa::SpellingFix,
    opcode: &Opcode,
    instruction: &Instruction,
    context: &Context,
) -> Option<Vec<Edit>> {
    let edits = fix.edits.iter().map(|edit| match edit {
        isa::SpellingEdit::RemoveOperand { .. } => Some(without_surplus(fix, opcode, instruction)),
        edit => text_edit(edit, opcode, context).map(Some),
    });
    let edits = edits.collect::<Option<Vec<_>>>()?;
    Some(in_order(edits.into_iter().flatten().collect()))
}

/// Takes the last operand away where the mended instruction has one operand less than is written.
fn without_surplus(fix: &isa::SpellingFix, opcode: &Opcode, instruction: &Instruction) -> Option<Edit> {
    let words = fix.apply(&opcode.words());
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    let Resolution::Legal(legal) = isa::resolve(&spelling, &isa::Module::default()) else { return None };
    let written = instruction.operands();
    let surplus = written.len() == legal.operands().count() + 1;
    let [.., before, last] = written.as_slice() else { return None };
    surplus.then(|| Edit { range: before.token.range.end..last.token.range.end, text: String::new() })
}

/// Ordered by place; insertions at one place become one edit, because edits of a fix must not touch.
fn in_order(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits.into_iter().fold(Vec::new(), |mut merged: Vec<Edit>, edit| {
        match merged.last_mut() {
            Some(last) if last.range == edit.range => last.text += &edit.text,
            _ => merged.push(edit),
        }
        merged
    })
}

fn text_edit(edit: &isa::SpellingEdit, opcode: &Opcode, context: &Context) -> Option<Edit> {
    Some(match edit {
        isa::SpellingEdit::Rename { word } => Edit { range: opcode.at(None), text: (*word).to_owned() },
        isa::SpellingEdit::Replace { at, word } => Edit { range: opcode.at(Some(*at)), text: format!(".{word}") },
        isa::SpellingEdit::Remove { at } => Edit { range: opcode.at(Some(*at)), text: String::new() },
        isa::SpellingEdit::Insert { at, word } => Edit { range: gap(opcode, *at), text: format!(".{word}") },
        isa::SpellingEdit::RemoveOperand { .. } => return None,
        isa::SpellingEdit::Target(target) => Edit { range: context.target_at.clone()?, text: target.to_string() },
        isa::SpellingEdit::Version(version) => Edit { range: context.version_at.clone()?, text: version.to_string() },
    })
}

/// The empty range before a modifier, or after the last.
fn gap(opcode: &Opcode, at: usize) -> Range<usize> {
    let place = match at < opcode.modifiers.len() {
        true => opcode.at(Some(at)).start,
        false => opcode.range.end,
    };
    place..place
}
