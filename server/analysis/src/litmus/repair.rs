//! What would make an outcome impossible: the weakest change of one instruction, or where none suffices of two.
//!
//! Must not know how a change is offered.

use super::test::Test;
use super::words;
use isa::{Module, Spelling};
use memory_model::{Access, Budget, Condition, Instruction, Program, Reach, Scope, Sem, explore};
use std::ops::Range;
use syntax::guard;

/// How far is looked at each change.
const BUDGET: Budget = Budget { steps: 20_000, laps: 6, outcomes: 2_000 };

/// How many changes are tried.
const TRIES: usize = 600;

const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
const ORDERS: [Sem; 4] = [Sem::Relaxed, Sem::Release, Sem::Acquire, Sem::AcqRel];

/// A change that makes an outcome impossible.
#[derive(Debug)]
pub struct Strengthening {
    /// What it does, for people.
    pub title: String,
    /// What to replace by what.
    pub edits: Vec<(Range<usize>, String)>,
}

/// An instruction of the text, with what became of it in each thread that runs it.
struct Site {
    range: Range<usize>,
    /// Thread and index, in order.
    at: Vec<(usize, usize)>,
}

/// A change at a site.
#[derive(Clone, Copy)]
enum Change {
    Access(Sem, Scope),
    Fence(Reach),
}

/// The weakest change that makes a condition unreachable: of its scope, else of its order, else a fence before it, else orders of two
/// instructions. None where the text would not be legal in the module, or nothing suffices.
pub fn strengthen(text: &str, module: &Module, test: &Test, condition: &Condition) -> Option<Strengthening> {
    let sites = sites(test);
    let mut tries = TRIES;
    let mut works = |changes: &[(&Site, Change)]| {
        tries = tries.checked_sub(1)?;
        let edits = changes.iter().map(|(site, change)| edit(text, module, site, *change));
        let mut edits = edits.collect::<Option<Vec<_>>>()?;
        edits.sort_by_key(|(range, _)| range.start);
        is_impossible(&changed(&test.program, changes), condition)
            .then(|| Strengthening { title: title(&edits), edits })
    };
    let mut ordered: Vec<(usize, usize, Change)> = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        ordered.extend(changes(&test.program, site).into_iter().map(|(rank, change)| (rank, at, change)));
    }
    ordered.sort_by_key(|(rank, ..)| *rank);
    if let Some(one) = ordered.iter().find_map(|(_, at, change)| works(&[(&sites[*at], *change)])) {
        return Some(one);
    }
    let orders: Vec<_> = ordered.iter().filter(|(_, _, change)| matches!(change, Change::Access(..))).collect();
    let pairs = orders.iter().enumerate().flat_map(|(at, a)| orders[at + 1..].iter().map(move |b| (a, b)));
    let mut pairs: Vec<_> = pairs.filter(|(a, b)| a.1 != b.1).collect();
    pairs.sort_by_key(|(a, b)| a.0.max(b.0));
    pairs.into_iter().find_map(|(a, b)| works(&[(&sites[a.1], a.2), (&sites[b.1], b.2)]))
}

/// The memory instructions of the text, in its order.
fn sites(test: &Test) -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    for (thread, index, range) in &test.places {
        match sites.iter_mut().find(|site| site.range == *range) {
            Some(site) => site.at.push((*thread, *index)),
            None => sites.push(Site { range: range.clone(), at: vec![(*thread, *index)] }),
        }
    }
    sites.retain(|site| site.at.iter().any(|at| access(&test.program, *at).is_some()));
    sites.sort_by_key(|site| site.range.start);
    sites
}

fn access(program: &Program, (thread, index): (usize, usize)) -> Option<Access> {
    match program.threads.get(thread)?.code.get(index)? {
        Instruction::Load { access, .. } | Instruction::Store { access, .. } | Instruction::Update { access, .. } => {
            Some(*access)
        }
        _ => None,
    }
}

/// What may be done at a site, each with how much that is.
fn changes(program: &Program, site: &Site) -> Vec<(usize, Change)> {
    let memory = site.at.iter().find_map(|at| Some((access(program, *at)?, &program.threads[at.0].code[at.1])));
    let Some((now, instruction)) = memory else { return Vec::new() };
    let weak = now.order == Sem::Weak;
    let fits = |order: Sem| match instruction {
        Instruction::Load { .. } => matches!(order, Sem::Relaxed | Sem::Acquire),
        Instruction::Store { .. } => matches!(order, Sem::Relaxed | Sem::Release),
        Instruction::Update { reduction: true, .. } => matches!(order, Sem::Relaxed | Sem::Release),
        _ => true,
    };
    let stronger = |order: Sem| match now.order {
        Sem::Weak | Sem::Relaxed => true,
        Sem::Acquire | Sem::Release => order == now.order || order == Sem::AcqRel,
        Sem::AcqRel => order == Sem::AcqRel,
    };
    let mut all = Vec::new();
    for (width, scope) in SCOPES.into_iter().enumerate() {
        if weak || width >= SCOPES.iter().position(|known| *known == now.scope).unwrap_or_default() {
            for (strength, order) in
                ORDERS.into_iter().enumerate().filter(|(_, order)| fits(*order) && stronger(*order))
            {
                let same = !weak && (order, scope) == (now.order, now.scope);
                // A wider scope is less than an order, an order in a wider scope more.
                let kind = if order == now.order { 0 } else { 10 };
                if !same {
                    all.push((kind + 4 * usize::from(strength == 3) + width, Change::Access(order, scope)));
                }
            }
        }
        all.push((30 + width, Change::Fence(Reach::AcqRel(scope))));
        all.push((40 + width, Change::Fence(Reach::Sc(scope))));
    }
    all
}

fn changed(program: &Program, changes: &[(&Site, Change)]) -> Program {
    let mut program = program.clone();
    for (site, change) in changes {
        match *change {
            Change::Access(new_order, new_scope) => {
                for (thread, index) in &site.at {
                    if let Some(
                        Instruction::Load { access, .. }
                        | Instruction::Store { access, .. }
                        | Instruction::Update { access, .. },
                    ) = program.threads[*thread].code.get_mut(*index)
                    {
                        (access.order, access.scope) = (new_order, new_scope);
                    }
                }
            }
            Change::Fence(reach) => {
                for thread in 0..program.threads.len() {
                    let before = site.at.iter().filter(|(of, _)| *of == thread).map(|(_, index)| *index).min();
                    if let Some(before) = before {
                        insert(&mut program.threads[thread].code, before, Instruction::Fence(reach));
                    }
                }
            }
        }
    }
    program
}

/// Puts an instruction before another; who jumps there meets it.
fn insert(code: &mut Vec<Instruction>, before: usize, new: Instruction) {
    for instruction in code.iter_mut() {
        if let Instruction::Branch { target, .. } = instruction
            && *target > before
        {
            *target += 1;
        }
    }
    code.insert(before, new);
}

fn is_impossible(program: &Program, condition: &Condition) -> bool {
    let observed = condition.observables();
    let found = explore(program, &observed, BUDGET);
    found.complete && found.not_modelled.is_empty() && !found.all().any(|outcome| condition.holds(&observed, outcome))
}

/// The change in the text; none if that would not be legal.
fn edit(text: &str, module: &Module, site: &Site, change: Change) -> Option<(Range<usize>, String)> {
    let written = text.get(site.range.clone())?;
    match change {
        Change::Access(order, scope) => {
            let start = guard::opcode_start(written);
            let opcode = written[start..].split(char::is_whitespace).next()?;
            let mut words = opcode.split('.');
            let mnemonic = words.next()?;
            let kept = words.filter(|word| words::order(word).is_none() && Scope::parse(word).is_none());
            let modifiers: Vec<&str> = [order.word(), scope.word()].into_iter().chain(kept).collect();
            if isa::is_legal(&Spelling { mnemonic, modifiers: &modifiers }, module) == Some(false) {
                return None;
            }
            let at = site.range.start + start;
            Some((at..at + opcode.len(), format!("{mnemonic}.{}", modifiers.join("."))))
        }
        Change::Fence(reach) => {
            let modifiers = match reach {
                Reach::Sc(scope) => ["sc", scope.word()],
                Reach::AcqRel(scope) => ["acq_rel", scope.word()],
                _ => return None,
            };
            if isa::is_legal(&Spelling { mnemonic: "fence", modifiers: &modifiers }, module) == Some(false) {
                return None;
            }
            let line = text[..site.range.start].rfind('\n').map_or(0, |at| at + 1);
            let indent = &text[line..site.range.start];
            let indent = if indent.trim().is_empty() { format!("\n{indent}") } else { " ".to_owned() };
            Some((site.range.start..site.range.start, format!("fence.{};{indent}", modifiers.join("."))))
        }
    }
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
    fn mended(text: &str) -> (Option<String>, usize) {
        let findings = |text: &str| Snapshot::new(SourceFile::parse(text), Settings::default()).findings();
        let found = findings(text);
        assert_eq!(found.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["outcome-allowed"], "{text}");
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
        assert_eq!(mended(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn one_order_suffices_where_the_other_is_there() {
        let write = "st.global.u32 [x], 1;\n\tst.relaxed.gpu.global.u32 [y], 1;";
        let read = "ld.acquire.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title = "write `st.release.gpu.global.u32`, which makes it impossible";
        assert_eq!(mended(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn two_orders_are_changed_where_one_is_not_enough() {
        let write = "st.global.u32 [x], 1;\n\tst.relaxed.gpu.global.u32 [y], 1;";
        let read = "ld.relaxed.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title =
            "write `st.release.gpu.global.u32` and write `ld.acquire.gpu.global.u32`, which makes it impossible";
        assert_eq!(mended(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn store_buffering_takes_a_fence() {
        let first = "st.relaxed.gpu.global.u32 [x], 1;\n\tld.relaxed.gpu.global.u32 %r1, [y];";
        let second = "st.relaxed.gpu.global.u32 [y], 1;\n\tfence.sc.gpu;\n\tld.relaxed.gpu.global.u32 %r1, [x];";
        let title = "insert `fence.sc.gpu`, which makes it impossible";
        assert_eq!(mended(&module("sm_80", first, second, "f:%r1 == 0 && g:%r1 == 0")), (Some(title.into()), 0));
    }

    #[test]
    fn what_no_order_prevents_gets_no_fix() {
        let write = "st.relaxed.gpu.global.u32 [x], 1;";
        let read = "ld.relaxed.gpu.global.u32 %r1, [x];";
        assert_eq!(mended(&module("sm_80", write, read, "g:%r1 == 1")), (None, 1));
    }
}
