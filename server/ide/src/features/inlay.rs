//! Inlay hints for the default semantics, scope and state space of atomics.

use super::atomics::{insertion_offset, legal_atomics};
use diagnostics::{Edit, Snapshot};
use isa::{Module, ResolvedInstruction, Spelling};
use std::ops::Range;
use syntax::Opcode;

/// The enabled hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintOptions {
    /// A default `.relaxed` or `.weak`.
    pub semantics: bool,
    /// A default `.gpu`.
    pub scope: bool,
    /// A generic address by default.
    pub space: bool,
}

impl Default for HintOptions {
    fn default() -> Self {
        HintOptions { semantics: true, scope: true, space: true }
    }
}

/// A text that an editor shows inside the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// The offset.
    pub at: usize,
    /// The text.
    pub label: String,
    /// The tooltip.
    pub tooltip: String,
    /// The edit that inserts it; `None` if there is no modifier to insert, as for a generic address.
    pub insert: Option<Edit>,
}

/// Inlay hints.
pub trait InlayHintProvider {
    /// Inlay hints.
    fn inlay_hints(&self, _within: Range<usize>, _options: &HintOptions) -> Vec<InlayHint> {
        Vec::new()
    }
}

impl InlayHintProvider for Snapshot {
    fn inlay_hints(&self, within: Range<usize>, options: &HintOptions) -> Vec<InlayHint> {
        let mut hints = Vec::new();
        legal_atomics(self, within, |opcode, instruction, module| {
            hints.extend(of(opcode, instruction, module, options))
        });
        hints
    }
}

fn of(opcode: &Opcode, instruction: &ResolvedInstruction, module: &Module, options: &HintOptions) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    let scope = instruction.scope.filter(|scope| scope.at.is_none()).map(|scope| scope.value.word());
    if options.semantics
        && let Some(sem) = instruction.sem.filter(|sem| sem.at.is_none())
    {
        let word = sem.value.word();
        let tooltip = format!("default semantics: `.{word}`");
        hints.push(hint(opcode, instruction.family.opcode_modifiers(), word, tooltip));
    }
    if options.scope
        && let Some(word) = scope
    {
        let at = instruction.at("sem").map_or(instruction.family.opcode_modifiers(), |sem| sem + 1);
        hints.push(hint(opcode, at, word, format!("default scope: `.{word}`")));
    }
    if options.space && instruction.space.at.is_none() && instruction.at("space").is_none() && takes_space(instruction)
    {
        let place = opcode.range.end;
        let tooltip = "default state space: generic".to_owned();
        hints.push(InlayHint { at: place, label: "generic".to_owned(), tooltip, insert: None });
    }
    // A word that would be an error in the module is not shown either: before sm_70, atomics have no semantics.
    hints.retain(|hint| hint.insert.as_ref().is_none_or(|edit| keeps_legal(opcode, module, edit)));
    hints
}

fn takes_space(instruction: &ResolvedInstruction) -> bool {
    instruction.form.syntax.contains("space")
}

fn hint(opcode: &Opcode, at: usize, word: &str, tooltip: String) -> InlayHint {
    let place = insertion_offset(opcode, at);
    let label = format!(".{word}");
    InlayHint { at: place, insert: Some(Edit { range: place..place, text: label.clone() }), label, tooltip }
}

/// Whether the instruction is legal in the module with the edit.
fn keeps_legal(opcode: &Opcode, module: &Module, edit: &Edit) -> bool {
    let mut words = opcode.words();
    let index = (0..words.len()).position(|at| opcode.at(Some(at)).start >= edit.range.start).unwrap_or(words.len());
    words.insert(index, &edit.text[1..]);
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    isa::is_legal(&spelling, module) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;
    use lints::Check;

    fn shown(opcode: &str, options: &HintOptions) -> String {
        let head = ".version 8.6\n.target sm_90\n.entry k() { ";
        let text = format!("{head}{opcode} a, [b], c; add.u32 a, b, c; }}");
        let mut shown = text.clone();
        for hint in snapshot(&text).inlay_hints(0..text.len(), options).into_iter().rev() {
            shown.insert_str(hint.at, &format!("<{}>", hint.label));
        }
        shown[head.len()..].split(' ').next().unwrap().to_owned()
    }

    #[test]
    fn what_is_implied_is_shown() {
        let all = HintOptions::default();
        assert_eq!(shown("atom.add.u32", &all), "atom<.relaxed><.gpu>.add.u32<generic>");
        assert_eq!(shown("atom.global.add.u32", &all), "atom<.relaxed><.gpu>.global.add.u32");
        assert_eq!(shown("atom.acquire.global.add.u32", &all), "atom.acquire<.gpu>.global.add.u32");
        assert_eq!(shown("atom.cta.global.add.u32", &all), "atom<.relaxed>.cta.global.add.u32");
        assert_eq!(shown("atom.relaxed.gpu.global.add.u32", &all), "atom.relaxed.gpu.global.add.u32");
        assert_eq!(shown("atom.nonsense.add.u32", &all), "atom.nonsense.add.u32");
        assert_eq!(shown("multimem.ld_reduce.global.add.u32", &all), "multimem.ld_reduce<.weak>.global.add.u32");
    }

    #[test]
    fn each_kind_can_be_switched_off() {
        let none = HintOptions { semantics: false, scope: false, space: false };
        assert_eq!(shown("atom.add.u32", &none), "atom.add.u32");
        assert_eq!(shown("atom.add.u32", &HintOptions { semantics: true, ..none }), "atom<.relaxed>.add.u32");
        assert_eq!(shown("atom.add.u32", &HintOptions { scope: true, ..none }), "atom<.gpu>.add.u32");
        assert_eq!(shown("atom.add.u32", &HintOptions { space: true, ..none }), "atom.add.u32<generic>");
    }

    #[test]
    fn what_can_be_inserted_stays_legal() {
        let mut inserted = 0;
        for instruction in [
            "atom.add.u32 a, [b], c;",
            "atom.relaxed.add.u32 a, [b], c;",
            "red.global.add.u32 [b], c;",
            "multimem.red.global.add.u32 [b], c;",
            "multimem.st.global.b32 [b], c;",
        ] {
            let text =
                format!(".version 8.6\n.target sm_90\n.entry k() {{ .reg .b32 a, c; .reg .b64 b; {instruction} }}");
            for hint in snapshot(&text).inlay_hints(0..text.len(), &HintOptions::default()) {
                let Some(edit) = hint.insert else { continue };
                let mut edited = text.clone();
                edited.replace_range(edit.range, &edit.text);
                let findings = snapshot(&edited).diagnostics();
                assert!(findings.is_empty(), "{edited}: {findings:?}");
                inserted += 1;
            }
        }
        assert!(inserted >= 6, "{inserted}");
    }

    #[test]
    fn every_word_that_is_shown_would_be_legal() {
        let labels = |text: &str| -> Vec<String> {
            let hints = snapshot(text).inlay_hints(0..text.len(), &HintOptions::default());
            hints.into_iter().map(|hint| hint.label).collect()
        };
        // Before sm_70, atomics have no semantics; before sm_60, also no scope.
        for (target, expected) in
            [("sm_50", &[][..]), ("sm_60", &[".gpu"]), ("sm_61", &[".gpu"]), ("sm_70", &[".relaxed", ".gpu"])]
        {
            let text = format!(".version 6.4\n.target {target}\n.entry k() {{ atom.global.add.u32 a, [b], c; }}");
            assert_eq!(labels(&text), expected, "{target}");
        }
        assert_eq!(
            labels(".version 6.0\n.target sm_60\n.entry k() { red.shared.inc.u32 [b], c; red.add.u32 [b], c; }"),
            [".gpu", ".gpu", "generic"]
        );
    }
}
