//! A spelling that newer PTX versions no longer support.

use crate::form::Family;
use crate::matching::ParsedSpelling;
use crate::reason::{Reason, ReasonCode};
use crate::since::Until;
use crate::target::Module;
use crate::word_set::WordSet;

/// The reason for a spelling that the module's version and target no longer support. A further word, with its operands, may make it legal.
pub(crate) fn removed(family: &'static Family, parsed: &ParsedSpelling, module: &Module, until: &Until) -> Reason {
    let offered = |id: &usize| {
        let found = family.matches(parsed.words | WordSet::of(*id)).find(|(_, since)| module.supports(since));
        found.map(|(row, _)| (family.words[*id].text, &family.forms[row.form]))
    };
    let instead = (0..family.words.len()).filter(|id| !parsed.words.contains(*id)).find_map(|id| offered(&id));
    let without = instead.map_or(String::new(), |(word, _)| format!(" without `.{word}`"));
    let mut help = instead.map_or(String::new(), |(word, form)| {
        format!("add `.{word}`; the operands are then `{}`", form.operand_lists[0].syntax)
    });
    if help.is_empty() {
        help.push_str("remove the instruction");
    }
    let (targets, version) = (until.targets, until.version);
    Reason {
        code: ReasonCode::MissingModifier,
        at: None,
        other: None,
        message: format!("`{}`{without} is not supported on {targets} and newer since PTX {version}", family.name),
        help,
        requires: None,
        fixes: Vec::new(),
    }
}
