//! Completion of opcodes.

use crate::features::hover::{family, family_name};
use diagnostics::Context;
use diagnostics::Snapshot;
use isa::{Candidate, Spelling};
use std::ops::Range;
use std::sync::LazyLock;
use syntax::{Opcode, is_name_char, opcode_before};

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpcodeCompletionKind {
    /// A mnemonic such as `atom`.
    Mnemonic,
    /// An operation such as `.add`.
    Operation,
    /// Semantics or a scope, such as `.relaxed` and `.gpu`.
    Ordering,
    /// A state space such as `.global`.
    Space,
    /// Another modifier.
    Modifier,
    /// A type such as `.u32`.
    Type,
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpcodeCompletion {
    /// The text that the list shows and filters by: `relaxed`, `L2::cache_hint`.
    pub label: String,
    /// The kind.
    pub kind: OpcodeCompletionKind,
    /// The byte range that it replaces.
    pub range: Range<usize>,
    /// The inserted text.
    pub text: String,
    /// A short text beside the label, with the requirement if the target or version does not have it.
    pub detail: String,
    /// Markdown. It does not repeat `detail`.
    pub documentation: String,
    /// Whether the target or version of the module does not have it; such completions are last.
    pub beyond: bool,
}

/// The completions at a byte offset, the best first.
pub fn complete(snapshot: &Snapshot, offset: usize) -> Vec<OpcodeCompletion> {
    let offset = snapshot.file.clamp(offset);
    let Some(opcode) = opcode_before(&snapshot.file, offset) else { return Vec::new() };
    match opcode.modifiers.last() {
        None => mnemonics(&opcode),
        Some(typed) => {
            let range = typed.range.start..offset;
            modifiers(snapshot, &opcode, range)
        }
    }
}

/// What is offered for each mnemonic, with an empty range. The pages are the same in all modules, and to write them all takes milliseconds.
static MNEMONICS: LazyLock<Vec<OpcodeCompletion>> = LazyLock::new(|| {
    let offer = |mnemonic: &str, detail: String, documentation: String| OpcodeCompletion {
        label: mnemonic.to_owned(),
        kind: OpcodeCompletionKind::Mnemonic,
        range: 0..0,
        text: mnemonic.to_owned(),
        detail,
        documentation,
        beyond: false,
    };
    let known = isa::mnemonics().map(|mnemonic| {
        let detail = isa::doc::summary(mnemonic).map_or_else(|| names_beginning_with(mnemonic), str::to_owned);
        offer(mnemonic, detail, isa::doc::mnemonic_details(mnemonic).unwrap_or_default())
    });
    let other = |other: &isa::unchecked::UncheckedInstruction| {
        offer(other.opcode, other.summary.to_owned(), format!("Requires {}.", other.since))
    };
    let mut all: Vec<_> = known.chain(isa::unchecked::instructions().iter().map(other)).collect();
    all.sort_by_key(|offer| FREQUENT.iter().position(|frequent| *frequent == offer.label).unwrap_or(FREQUENT.len()));
    all
});

/// The mnemonics that kernels use most, in the order of the offers. Counted in the `asm` statements of public repositories, with what is written together side
/// by side.
const FREQUENT: [&str; 56] = [
    "mov",
    "ld",
    "st",
    "add",
    "mad",
    "mul",
    "mma",
    "setp",
    "cvt",
    "atom",
    "wgmma",
    "tcgen05",
    "cp",
    "mbarrier",
    "ldmatrix",
    "fence",
    "bar",
    "shfl",
    "bra",
    "and",
    "sub",
    "shl",
    "fma",
    "lop3",
    "red",
    "barrier",
    "multimem",
    "prmt",
    "selp",
    "shr",
    "shf",
    "or",
    "xor",
    "max",
    "min",
    "cvta",
    "addc",
    "madc",
    "subc",
    "redux",
    "stmatrix",
    "elect",
    "griddepcontrol",
    "setmaxnreg",
    "ex2",
    "tanh",
    "ret",
    "trap",
    "vote",
    "activemask",
    "popc",
    "neg",
    "abs",
    "rcp",
    "div",
    "membar",
];

fn mnemonics(opcode: &Opcode) -> Vec<OpcodeCompletion> {
    let fitting = MNEMONICS.iter().filter(|offer| offer.label.starts_with(&*opcode.mnemonic.text));
    fitting.map(|offer| OpcodeCompletion { range: opcode.mnemonic.range.clone(), ..offer.clone() }).collect()
}

/// The detail of a mnemonic that is only a part of names: the names (`multimem.st, multimem.red`), or the summary of the only one.
fn names_beginning_with(mnemonic: &str) -> String {
    let begins = |name: &&str| name.split('.').next() == Some(mnemonic);
    let names: Vec<&str> = isa::opcodes().filter(begins).collect();
    match names.as_slice() {
        [name] => isa::doc::summary(name).unwrap_or(name).to_owned(),
        names => names.join(", "),
    }
}

/// The modifiers that are allowed with the words before and after the cursor: in `atom.|.u32`, those allowed with `.u32`.
fn modifiers(snapshot: &Snapshot, opcode: &Opcode, range: Range<usize>) -> Vec<OpcodeCompletion> {
    let module = Context::new(snapshot).module;
    let mut words = opcode.words();
    let typed = words.pop().unwrap_or_default();
    let after = following(snapshot, range.end);
    let before = words.len();
    words.extend(after.iter().map(String::as_str));
    // Nothing may be inserted into a name of several words, such as `multimem.red`.
    if before < family_name(&opcode.mnemonic.text, &words).split('.').count() - 1 {
        return Vec::new();
    }
    let candidates = isa::complete(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, &module);
    let family = family(opcode);
    // The editor filters by the typed word. A colon is not a word character, so a prefix with one is filtered here.
    let scope = typed.rfind(':').map_or("", |colon| &typed[..=colon]);
    let fits = |candidate: &&Candidate| candidate.word.starts_with(scope);
    let offer = |candidate: &Candidate| OpcodeCompletion {
        label: candidate.word.to_owned(),
        kind: kind(candidate.slot),
        range: range.clone(),
        text: candidate.word.to_owned(),
        detail: match &candidate.requires {
            Some(needs) => format!("{} — requires {needs}", candidate.summary),
            None => candidate.summary.to_owned(),
        },
        documentation: isa::doc::modifier_details(&family, candidate.word).unwrap_or_default(),
        beyond: candidate.requires.is_some(),
    };
    candidates.iter().filter(fits).map(offer).collect()
}

/// The kind of the words of a slot.
fn kind(slot: &str) -> OpcodeCompletionKind {
    match slot {
        "type" => OpcodeCompletionKind::Type,
        "op" => OpcodeCompletionKind::Operation,
        "sem" | "scope" => OpcodeCompletionKind::Ordering,
        "space" => OpcodeCompletionKind::Space,
        _ => OpcodeCompletionKind::Modifier,
    }
}

/// The modifiers after the word at an offset. Read without the syntax tree, because `atom..add` is not an opcode.
fn following(snapshot: &Snapshot, offset: usize) -> Vec<String> {
    let rope = snapshot.file.text();
    let chars = rope.chars_at(rope.byte_to_char(offset));
    let text: String = chars.take_while(|c| is_name_char(*c) || matches!(c, '.' | ':')).collect();
    text.split('.').skip(1).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use isa::{Module, Spelling};
    use std::collections::BTreeSet;

    /// How many prefixes of a mnemonic are completed.
    const PREFIXES: usize = 200;

    #[test]
    fn every_modifier_that_can_follow_has_a_meaning() {
        for mnemonic in isa::mnemonics() {
            let (mut seen, mut prefixes) = (BTreeSet::new(), vec![Vec::new()]);
            for _ in 0..PREFIXES {
                let Some(modifiers) = prefixes.pop() else { break };
                for candidate in isa::complete(&Spelling { mnemonic, modifiers: &modifiers }, &Module::default()) {
                    assert!(!candidate.summary.trim().is_empty(), "{mnemonic} .{}", candidate.word);
                    if seen.insert(candidate.word) {
                        prefixes.push(modifiers.iter().copied().chain([candidate.word]).collect());
                    }
                }
            }
        }
    }
}
