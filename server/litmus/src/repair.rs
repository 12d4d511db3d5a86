//! Repairs as text edits: the weakest change that makes an outcome impossible.

use crate::test::Test;
use isa::Module;
use kernel::repairs::order_edits::{access_edit, fence_edit};
use memory_model::Condition;
use memory_model::repair::{RepairChange, RepairSite, SiteChange, repair};
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

fn title(edits: &[(Range<usize>, String)]) -> String {
    let parts = edits.iter().map(|(range, new)| {
        let new = new.split(';').next().unwrap_or_default();
        if range.is_empty() { format!("insert `{new}`") } else { format!("use `{new}`") }
    });
    let changes = parts.collect::<Vec<_>>().join(" and ");
    let (first, rest) = changes.split_at(changes.len().min(1));
    format!("{}{rest} to make the outcome impossible", first.to_uppercase())
}
