//! Checks instructions against the capability tables of `isa`, and turns reasons into diagnostics.

mod name;

use crate::comparison::OperandComparison;
use crate::ordering::OrderingFacts;
use diagnostics::Context;
use diagnostics::registry::rule_for_reason;
use diagnostics::{Cause, Diagnostic, Edit, applicability, insert};
use foldhash::HashMap;
use isa::{Reason, Resolution, ResolvedInstruction, Spelling};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use syntax::{Instruction, Opcode, Token};

/// The facts of opcodes that are not illegal. A module repeats a few hundred of them. The cache is never iterated, so its
/// order does not matter.
pub type OpcodeCache = HashMap<Box<str>, Rc<OpcodeFacts>>;

/// The facts about an opcode that do not depend on its operands.
#[derive(Debug)]
pub struct OpcodeFacts {
    /// What it does to the order of memory.
    pub ordering: OrderingFacts,
    /// The instruction, if it is an atomic or the tables have rules for its operands.
    pub resolved: Option<Arc<ResolvedInstruction>>,
    /// How to compare its operands with those of an accepted instruction.
    pub comparison: Option<OperandComparison>,
    /// Whether it is an atomic.
    pub is_atomic: bool,
    /// Whether the modifiers are in the conventional order.
    pub is_conventional: bool,
}

/// The opcode of a legal or unknown instruction, and its facts; `None` for an illegal one, which is reported.
pub fn check<'a>(
    instruction: &Instruction<'a>,
    context: &Context,
    opcodes: &mut OpcodeCache,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Token<'a>, Rc<OpcodeFacts>)> {
    let token = instruction.opcode_token();
    if let Some(facts) = opcodes.get(&*token.text) {
        return Some((token, Rc::clone(facts)));
    }
    let opcode = Opcode::split(&token);
    if let Some(split_name) = name::split_name(&opcode, &token) {
        diagnostics.push(split_name);
        return None;
    }
    let words = opcode.words();
    let resolved = match isa::resolve(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, &context.module)
    {
        Resolution::Unknown => None,
        Resolution::Legal(resolved) => Some(resolved),
        Resolution::Illegal(reasons) => {
            let cause = reasons.into_iter().next();
            diagnostics.extend(cause.map(|reason| diagnostic(reason, &opcode, instruction, context)));
            return None;
        }
    };
    let facts = Rc::new(OpcodeFacts::new(&token.text, resolved, opcodes.len()));
    opcodes.insert(token.text.as_ref().into(), Rc::clone(&facts));
    Some((token, facts))
}

impl OpcodeFacts {
    /// The facts of a spelling; `number` differs from that of every other spelling.
    fn new(text: &str, resolved: Option<ResolvedInstruction>, number: usize) -> Self {
        let is_atomic = resolved.is_some_and(|resolved| resolved.family.is_atomic());
        let has_rows = resolved.is_some();
        let resolved = resolved.filter(|resolved| is_atomic || resolved.family.has_operand_rules());
        OpcodeFacts {
            ordering: OrderingFacts { has_rows, ..OrderingFacts::of(text) },
            comparison: resolved.and_then(|resolved| OperandComparison::new(&resolved, number)),
            is_atomic,
            is_conventional: resolved.is_none_or(|resolved| resolved.canonical_order().is_sorted()),
            resolved: resolved.map(Arc::new),
        }
    }
}

fn diagnostic(reason: Reason, opcode: &Opcode, instruction: &Instruction, context: &Context) -> Diagnostic {
    let cause = Cause::of(&reason, context.sources());
    let mut found = Diagnostic::because(rule_for_reason(reason.code), opcode.at(reason.at), cause);
    if let Some(at) = reason.other {
        found = found.related(opcode.at(Some(at)), "conflicts with this modifier");
    }
    if let Some((range, message)) = module_line(&reason, context) {
        found = found.related(range, message);
    }
    reason.fixes.iter().fold(found, |found, fix| {
        let edits = text_edits(fix, opcode, instruction, context).unwrap_or_default();
        found.fix_with(applicability(&fix.edits), &*fix.title, edits)
    })
}

/// The directive that an instruction is too new for.
fn module_line(reason: &Reason, context: &Context) -> Option<(Range<usize>, &'static str)> {
    match reason.code {
        isa::ReasonCode::RequiresTarget => Some((context.target_at.clone()?, "module target")),
        isa::ReasonCode::RequiresPtxVersion => Some((context.version_at.clone()?, "module version")),
        _ => None,
    }
}

/// The text edits of a fix; `None` if one of them has no position in the text.
fn text_edits(
    fix: &isa::SpellingFix,
    opcode: &Opcode,
    instruction: &Instruction,
    context: &Context,
) -> Option<Vec<Edit>> {
    let edits = fix.edits.iter().map(|edit| match edit {
        isa::SpellingEdit::RemoveOperand { .. } => Some(without_surplus(fix, opcode, instruction)),
        isa::SpellingEdit::AppendOperand { text } => with_last(fix, text, opcode, instruction).map(Some),
        edit => text_edit(edit, opcode, context).map(Some),
    });
    let edits = edits.collect::<Option<Vec<_>>>()?;
    Some(in_order(edits.into_iter().flatten().collect()))
}

/// Removes the last operand if the fixed instruction has one operand less.
fn without_surplus(fix: &isa::SpellingFix, opcode: &Opcode, instruction: &Instruction) -> Option<Edit> {
    let words = fix.apply(&opcode.words());
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    let Resolution::Legal(legal) = isa::resolve(&spelling, &isa::Module::default()) else { return None };
    let written = instruction.operands();
    let surplus = written.len() == legal.operands().count() + 1;
    let [.., before, last] = written.as_slice() else { return None };
    surplus.then(|| Edit { range: before.token.range.end..last.token.range.end, text: String::new() })
}

/// Adds the last operand if the fixed instruction has one operand more.
fn with_last(fix: &isa::SpellingFix, operand: &str, opcode: &Opcode, instruction: &Instruction) -> Option<Edit> {
    let words = fix.apply(&opcode.words());
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    let Resolution::Legal(legal) = isa::resolve(&spelling, &isa::Module::default()) else { return None };
    let written = instruction.operands();
    let end = written.last()?.token.range.end;
    (written.len() + 1 == legal.operands().count()).then(|| insert(end, format!(", {operand}")))
}

/// Sorts edits, and merges insertions at the same position, because edits of a fix must not touch.
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
        isa::SpellingEdit::RemoveOperand { .. } | isa::SpellingEdit::AppendOperand { .. } => return None,
        isa::SpellingEdit::Target(target) => Edit { range: context.target_at.clone()?, text: target.to_string() },
        isa::SpellingEdit::Version(version) => Edit { range: context.version_at.clone()?, text: version.to_string() },
    })
}

/// The empty range before a modifier, or after the last.
fn gap(opcode: &Opcode, at: usize) -> Range<usize> {
    let place = if at < opcode.modifiers.len() { opcode.at(Some(at)).start } else { opcode.range.end };
    place..place
}
