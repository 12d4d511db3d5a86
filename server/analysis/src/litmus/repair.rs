//! What would make an outcome impossible, as edits of the text.

use super::test::Test;
use super::words;
use isa::{Module, Spelling};
use memory_model::repair::{Change, Site, SiteChange, repair};
use memory_model::{Condition, FenceKind, Scope, Sem};
use std::ops::Range;

/// A change that makes an outcome impossible.
#[derive(Debug)]
pub struct Repair {
    /// What it does, for people.
    pub title: String,
    /// What to replace by what.
    pub edits: Vec<(Range<usize>, String)>,
}

/// The weakest change that makes a condition unreachable; none where the text would not be legal in the module, or nothing suffices.
pub fn repair_text(text: &str, module: &Module, test: &Test, condition: &Condition) -> Option<Repair> {
    let (ranges, sites): (Vec<_>, Vec<_>) = sites(test).into_iter().unzip();
    let edit = |(site, change): SiteChange| edit(text, module, &ranges[site], change);
    let changes = repair(&test.program, condition, &sites, &|change| edit(change).is_some())?;
    let mut edits: Vec<_> = changes.into_iter().filter_map(edit).collect();
    edits.sort_by_key(|(range, _)| range.start);
    Some(Repair { title: title(&edits), edits })
}

/// The memory instructions of the text, in its order, with what became of each in the threads that run it.
fn sites(test: &Test) -> Vec<(Range<usize>, Site)> {
    let mut sites: Vec<(Range<usize>, Site)> = Vec::new();
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

/// The change in the text; none if that would not be legal.
fn edit(text: &str, module: &Module, range: &Range<usize>, change: Change) -> Option<(Range<usize>, String)> {
    match change {
        Change::Access(order, scope) => access_edit(text, module, range, order, scope),
        Change::Fence(kind) => fence_edit(text, module, range, kind),
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
    let kept = words.filter(|word| words::order(word).is_none() && Scope::parse(word).is_none());
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
        if range.is_empty() { format!("insert `{new}`") } else { format!("write `{new}`") }
    });
    format!("{}, which makes it impossible", parts.collect::<Vec<_>>().join(" and "))
}

#[cfg(test)]
mod tests {
    use crate::{Settings, Snapshot, SourceFile};

    /// A module with a test of two functions at CTA 0 and 1, as comments place them.
    fn module(target: &str, first: &str, second: &str, forbid: &str) -> String {
        format!(
            ".version 8.0\n.target {target}\n.address_size 64\n.global .u32 x;\n.global .u32 y;\n//! litmus test\n//! thread f @ cta 0\n\
             //! thread g @ cta 1\n//! forbid {forbid}\n.visible .entry f()\n{{\n\t.reg .u32 %r<3>;\n\t{first}\n\tret;\n}}\n\
             .visible .entry g()\n{{\n\t.reg .u32 %r<3>;\n\t{second}\n\tret;\n}}\n"
        )
    }

    /// The title of the fix, and the findings when it is applied.
    fn repaired(text: &str) -> (Option<String>, usize) {
        let findings = |text: &str| Snapshot::new(SourceFile::parse(text), Settings::default()).findings();
        let found = findings(text);
        assert_eq!(found.iter().map(|finding| finding.code()).collect::<Vec<_>>(), ["outcome-allowed"], "{text}");
        let Some(fix) = found[0].fixes.first() else { return (None, 1) };
        let mut new = text.to_owned();
        for edit in fix.edits.iter().rev() {
            new.replace_range(edit.range.clone(), &edit.text);
        }
        (Some(fix.title.clone()), findings(&new).len())
    }

    const MESSAGE: &str = "g:%r1 == 1 && g:%r2 == 0";

    #[test]
    fn a_scope_is_widened_no_more_than_needed() {
        let write = "st.global.u32 [x], 1;\n\tst.release.cta.global.u32 [y], 1;";
        let read = "ld.acquire.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title = "write `st.release.gpu.global.u32`, which makes it impossible";
        assert_eq!(repaired(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn one_order_suffices_where_the_other_is_there() {
        let write = "st.global.u32 [x], 1;\n\tst.relaxed.gpu.global.u32 [y], 1;";
        let read = "ld.acquire.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title = "write `st.release.gpu.global.u32`, which makes it impossible";
        assert_eq!(repaired(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn two_orders_are_changed_where_one_is_not_enough() {
        let write = "st.global.u32 [x], 1;\n\tst.relaxed.gpu.global.u32 [y], 1;";
        let read = "ld.relaxed.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title =
            "write `st.release.gpu.global.u32` and write `ld.acquire.gpu.global.u32`, which makes it impossible";
        assert_eq!(repaired(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn store_buffering_takes_a_fence() {
        let first = "st.relaxed.gpu.global.u32 [x], 1;\n\tld.relaxed.gpu.global.u32 %r1, [y];";
        let second = "st.relaxed.gpu.global.u32 [y], 1;\n\tfence.sc.gpu;\n\tld.relaxed.gpu.global.u32 %r1, [x];";
        let title = "insert `fence.sc.gpu`, which makes it impossible";
        assert_eq!(repaired(&module("sm_80", first, second, "f:%r1 == 0 && g:%r1 == 0")), (Some(title.into()), 0));
    }

    #[test]
    fn what_no_order_prevents_gets_no_fix() {
        let write = "st.relaxed.gpu.global.u32 [x], 1;";
        let read = "ld.relaxed.gpu.global.u32 %r1, [x];";
        assert_eq!(repaired(&module("sm_80", write, read, "g:%r1 == 1")), (None, 1));
    }
}
