//! Repairs as text edits: the weakest change that makes an outcome impossible.

use super::modifiers;
use super::test::Test;
use isa::{Module, Spelling};
use memory_model::repair::{RepairChange, RepairSite, SiteChange, repair};
use memory_model::{Condition, FenceKind, Scope, Sem};
use std::ops::Range;

/// A change that makes an outcome impossible.
#[derive(Debug)]
pub struct Repair {
    /// The title of the fix.
    pub title: String,
    /// The replaced ranges and their new text.
    pub edits: Vec<(Range<usize>, String)>,
}

/// The weakest change that makes a condition unreachable; `None` if no change that is legal in the module suffices.
pub fn repair_text(text: &str, module: &Module, test: &Test, condition: &Condition) -> Option<Repair> {
    let (ranges, sites): (Vec<_>, Vec<_>) = sites(test).into_iter().unzip();
    let edit = |(site, change): SiteChange| edit(text, module, &ranges[site], change);
    let changes = repair(&test.program, condition, &sites, &|change| edit(change).is_some())?;
    let mut edits: Vec<_> = changes.into_iter().filter_map(edit).collect();
    edits.sort_by_key(|(range, _)| range.start);
    Some(Repair { title: title(&edits), edits })
}

/// The memory instructions in source order, each with its instructions in the threads that run it.
fn sites(test: &Test) -> Vec<(Range<usize>, RepairSite)> {
    let mut sites: Vec<(Range<usize>, RepairSite)> = Vec::new();
    for (thread, index, range) in &test.places {
        match sites.iter_mut().find(|(known, _)| known == range) {
            Some((_, site)) => site.push((*thread, *index)),
            None => sites.push((range.clone(), vec![(*thread, *index)])),
        }
    }
    let accesses = |at: &(usize, usize)| test.program.instruction(*at).is_some_and(|one| one.access().is_some());
    sites.retain(|(_, site)| site.iter().any(accesses));
    sites.sort_by_key(|(range, _)| range.start);
    sites
}

/// The text edit of a change; `None` if the result would be illegal.
fn edit(text: &str, module: &Module, range: &Range<usize>, change: RepairChange) -> Option<(Range<usize>, String)> {
    match change {
        RepairChange::Access(order, scope) => access_edit(text, module, range, order, scope),
        RepairChange::Fence(kind) => fence_edit(text, module, range, kind),
    }
}

fn access_edit(
    text: &str,
    module: &Module,
    range: &Range<usize>,
    order: Sem,
    scope: Scope,
) -> Option<(Range<usize>, String)> {
    let written = text.get(range.clone())?;
    let guard = if written.starts_with('@') { written.find(char::is_whitespace)? } else { 0 };
    let start = guard + written[guard..].len() - written[guard..].trim_start().len();
    let opcode = written[start..].split(char::is_whitespace).next()?;
    let mut words = opcode.split('.');
    let mnemonic = words.next()?;
    let kept = words.filter(|word| modifiers::order(word).is_none() && Scope::parse(word).is_none());
    let modifiers: Vec<&str> = [order.word(), scope.word()].into_iter().chain(kept).collect();
    if isa::is_legal(&Spelling { mnemonic, modifiers: &modifiers }, module) == Some(false) {
        return None;
    }
    let at = range.start + start;
    Some((at..at + opcode.len(), format!("{mnemonic}.{}", modifiers.join("."))))
}

fn fence_edit(text: &str, module: &Module, range: &Range<usize>, kind: FenceKind) -> Option<(Range<usize>, String)> {
    let modifiers = match kind {
        FenceKind::Sc(scope) => ["sc", scope.word()],
        FenceKind::AcqRel(scope) => ["acq_rel", scope.word()],
        _ => return None,
    };
    if isa::is_legal(&Spelling { mnemonic: "fence", modifiers: &modifiers }, module) == Some(false) {
        return None;
    }
    let line = text.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line..range.start];
    let indent = if indent.trim().is_empty() { format!("\n{indent}") } else { " ".to_owned() };
    Some((range.start..range.start, format!("fence.{};{indent}", modifiers.join("."))))
}

fn title(edits: &[(Range<usize>, String)]) -> String {
    let parts = edits.iter().map(|(range, new)| {
        let new = new.split(';').next().unwrap_or_default();
        if range.is_empty() { format!("insert `{new}`") } else { format!("use `{new}`") }
    });
    let changes = parts.collect::<Vec<_>>().join(" and ");
    let (first, rest) = changes.split_at(changes.len().min(1));
    format!("{}{rest} to make the outcome impossible", first.to_uppercase())
}
