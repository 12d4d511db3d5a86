//! Code actions other than the fixes of diagnostics: writing default modifiers, and the conventional order of modifiers.

use super::atomics::{insertion_offset, legal_atomics};
use diagnostics::{Edit, Snapshot};
use isa::{Module, Resolution, ResolvedInstruction, Spelling};
use std::ops::Range;
use syntax::Opcode;

/// The kind of a code action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Inserts default semantics and scope.
    MakeExplicit,
    /// Sorts modifiers into the order of the PTX ISA.
    ConventionalOrder,
}

/// A code action on the instructions of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The title.
    pub title: String,
    /// The kind.
    pub kind: ActionKind,
    /// The edits, sorted and disjoint.
    pub edits: Vec<Edit>,
}

/// Code actions that are not fixes.
pub trait CodeActionProvider {
    /// The code actions of a range.
    fn code_actions(&self, _within: Range<usize>) -> Vec<Action> {
        Vec::new()
    }
}

impl CodeActionProvider for Snapshot {
    fn code_actions(&self, within: Range<usize>) -> Vec<Action> {
        let (mut explicit, mut order) = (Vec::new(), Vec::new());
        let mut word = String::new();
        legal_atomics(self, within, |opcode, instruction, module| {
            if let Some((edit, words)) = make_explicit(opcode, instruction, module) {
                explicit.push(edit);
                word = words;
            }
            order.extend(conventional_order(opcode, instruction));
        });
        let title = match explicit.len() {
            1 => format!("Add the default modifiers `{word}`"),
            more => format!("Add the default modifiers of {more} instructions"),
        };
        let order_title = match order.len() {
            1 => "Reorder the modifiers".to_owned(),
            more => format!("Reorder the modifiers of {more} instructions"),
        };
        let actions = [
            Action { title, kind: ActionKind::MakeExplicit, edits: explicit },
            Action { title: order_title, kind: ActionKind::ConventionalOrder, edits: order },
        ];
        actions.into_iter().filter(|action| !action.edits.is_empty()).collect()
    }
}

/// The edit that inserts the default semantics and scope, if it is legal in the module, and the inserted text.
fn make_explicit(opcode: &Opcode, instruction: &ResolvedInstruction, module: &Module) -> Option<(Edit, String)> {
    let sem = instruction.sem.filter(|sem| sem.at.is_none()).map(|sem| sem.value.word());
    let scope = instruction.scope.filter(|scope| scope.at.is_none()).map(|scope| scope.value.word());
    let behind_name = instruction.family.opcode_modifiers();
    let at = match (sem, scope) {
        (None, None) => return None,
        (None, Some(_)) => instruction.at("sem").map_or(behind_name, |sem| sem + 1),
        _ => behind_name,
    };
    let implied: Vec<&str> = sem.into_iter().chain(scope).collect();
    let mut words = opcode.words();
    words.splice(at..at, implied.iter().copied());
    let Resolution::Legal(explicit) =
        isa::resolve(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, module)
    else {
        return None;
    };
    let same = explicit.sem.map(|sem| sem.value) == instruction.sem.map(|sem| sem.value)
        && explicit.scope.map(|scope| scope.value) == instruction.scope.map(|scope| scope.value);
    let text: String = implied.iter().map(|word| format!(".{word}")).collect();
    let place = insertion_offset(opcode, at);
    same.then(|| (Edit { range: place..place, text: text.clone() }, text))
}

/// The edit that sorts the modifiers; `None` if they are sorted, or if there is a comment between them.
fn conventional_order(opcode: &Opcode, instruction: &ResolvedInstruction) -> Option<Edit> {
    let order = instruction.canonical_order();
    let words = opcode.words();
    let solid =
        opcode.range.len() == opcode.mnemonic.text.len() + words.iter().map(|word| word.len() + 1).sum::<usize>();
    if order.is_sorted() || order.len() != words.len() || !solid {
        return None;
    }
    let text = order.iter().map(|at| format!(".{}", words[*at])).collect();
    Some(Edit { range: opcode.mnemonic.range.end..opcode.range.end, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;
    use lints::Check;

    fn act(body: &str, kind: ActionKind) -> Option<(String, String)> {
        let head = ".version 8.6\n.target sm_90\n.entry k() { .reg .b32 a, c; .reg .b64 b; ";
        let mut text = format!("{head}{body}}}");
        let action = snapshot(&text).code_actions(0..text.len()).into_iter().find(|action| action.kind == kind)?;
        for edit in action.edits.iter().rev() {
            text.replace_range(edit.range.clone(), &edit.text);
        }
        assert!(snapshot(&text).diagnostics().is_empty(), "{text}");
        Some((action.title, text[head.len()..text.len() - 1].to_owned()))
    }

    #[test]
    fn semantics_are_made_explicit() {
        let act = |body: &str| act(body, ActionKind::MakeExplicit).map(|(_, text)| text);
        assert_eq!(act("atom.global.add.u32 a, [b], c;").unwrap(), "atom.relaxed.gpu.global.add.u32 a, [b], c;");
        assert_eq!(
            act("atom.acquire.global.add.u32 a, [b], c;").unwrap(),
            "atom.acquire.gpu.global.add.u32 a, [b], c;"
        );
        assert_eq!(act("red.cta.global.add.u32 [b], c;").unwrap(), "red.relaxed.cta.global.add.u32 [b], c;");
        assert_eq!(
            act("multimem.ld_reduce.global.add.u32 a, [b];").unwrap(),
            "multimem.ld_reduce.weak.global.add.u32 a, [b];"
        );
        assert_eq!(act("red.relaxed.gpu.global.add.u32 [b], c;"), None);
        assert_eq!(act("add.u32 a, b, c;"), None);
        let old = ".version 6.0\n.target sm_60\n.entry k() { atom.global.add.u32 a, [b], c; }";
        assert_eq!(snapshot(old).code_actions(0..old.len()), [], "Pascal has no semantics to write");
    }

    #[test]
    fn a_selection_is_changed_at_once() {
        let (title, text) =
            act("atom.global.add.u32 a, [b], c; red.global.add.u32 [b], c;", ActionKind::MakeExplicit).unwrap();
        assert_eq!(title, "Add the default modifiers of 2 instructions");
        assert_eq!(text, "atom.relaxed.gpu.global.add.u32 a, [b], c; red.relaxed.gpu.global.add.u32 [b], c;");
        let (title, _) = act("red.global.add.u32 [b], c;", ActionKind::MakeExplicit).unwrap();
        assert_eq!(title, "Add the default modifiers `.relaxed.gpu`");
    }

    #[test]
    fn modifiers_are_sorted() {
        let act = |body: &str| act(body, ActionKind::ConventionalOrder).map(|(_, text)| text);
        assert_eq!(
            act("atom.u32.add.global.gpu.acquire a, [b], c;").unwrap(),
            "atom.acquire.gpu.global.add.u32 a, [b], c;"
        );
        assert_eq!(act("atom.acquire.gpu.global.add.u32 a, [b], c;"), None);
        assert_eq!(act("atom.u32/* kept */.add.global a, [b], c;"), None);
    }
}
