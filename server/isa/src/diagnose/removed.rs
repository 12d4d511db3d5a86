//! A spelling that newer PTX versions no longer support.

use crate::diagnose::format::choice;
use crate::matching::ParsedSpelling;
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::since::Until;
use crate::tables::form::{Family, Form};
use crate::tables::word_set::WordSet;
use crate::target::{Module, TargetSet};

/// The most words that a message lists.
const MOST: usize = 8;

/// The reason for a spelling that the module's version and target no longer support. A further word, with its operands, may make it legal.
pub(crate) fn removed(family: &'static Family, parsed: &ParsedSpelling, module: &Module, until: &Until) -> Reason {
    let offered = |id: &usize| {
        let found = family.matches(parsed.words | WordSet::of(*id)).find(|(_, since)| module.supports(since));
        found.map(|(row, _)| (family.words[*id].text, &family.forms[row.form]))
    };
    let instead: Vec<(&str, &Form)> =
        (0..family.words.len()).filter(|id| !parsed.words.contains(*id)).filter_map(|id| offered(&id)).collect();
    let mut words: Vec<&str> = instead.iter().map(|(word, _)| *word).collect();
    // What C does first.
    words.sort_by_key(|word| *word != "rn");
    let without = match words.as_slice() {
        [] => String::new(),
        [word] => format!(" without `.{word}`"),
        _ => " without a further modifier".to_owned(),
    };
    let help = match instead.as_slice() {
        [] => "remove the instruction".to_owned(),
        [(word, form)] => format!("add `.{word}`; the operands are then `{}`", form.operand_lists[0].syntax),
        _ => choice("add", &words, MOST),
    };
    let on = if until.targets == TargetSet::ALL { String::new() } else { format!(" on {} and newer", until.targets) };
    let version = until.version;
    Reason {
        code: ReasonCode::MissingModifier,
        at: None,
        other: None,
        message: format!("`{}`{without} is not supported{on} since PTX {version}", family.name),
        help,
        requires: None,
        fixes: synchronized(parsed, &instead).into_iter().collect(),
    }
}

/// The mask of all lanes of a warp.
const ALL_LANES: &str = "0xffffffff";

/// The fix that adds `.sync` with its member mask.
fn synchronized(parsed: &ParsedSpelling, instead: &[(&'static str, &Form)]) -> Option<SpellingFix> {
    let [("sync", form)] = instead else { return None };
    form.operand_lists[0].operands.last().filter(|operand| operand.name == "membermask")?;
    let add = SpellingEdit::Insert { at: parsed.first, word: "sync" };
    Some(SpellingFix {
        title: format!("Add `.sync` and the member mask `{ALL_LANES}`: all lanes"),
        edits: vec![add, SpellingEdit::AppendOperand { text: ALL_LANES }],
    })
}
