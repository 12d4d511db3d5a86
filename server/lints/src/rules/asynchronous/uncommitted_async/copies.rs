//! Copies whose groups are not committed, or not waited for.

use analysis::effects::{
    AccessKind, AddressSpace, CopyGroup, CopyKind, CopyState, FunctionEffects, LastExecution, MemoryEffect, PathLimit,
    PathPlace, SyncAccess, SyncProxy, follow_copy,
};
use analysis::values::{Provenance, Root, byte_size};
use diagnostics::Diagnostic;
use diagnostics::registry::UNCOMMITTED_ASYNC;
use foldhash::HashMap;
use std::collections::BTreeMap;

/// The maximum number of effects to visit per function.
const STEP_BUDGET: usize = 400_000;

/// Copies of one kind after one another, which belong to the same group.
struct CopyRun {
    kind: CopyKind,
    /// The instructions.
    copies: Vec<usize>,
}

/// Checks every copy that belongs to a group.
pub(in crate::rules::asynchronous::uncommitted_async) fn check(
    effects: &FunctionEffects,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut budget = STEP_BUDGET;
    let mut is_end_reported = false;
    for run in runs(effects) {
        let found = match unfinished(effects, &run, &mut budget) {
            // One wait at the end covers all bulk copies.
            Some(_) if run.kind == CopyKind::Bulk && is_end_reported => None,
            Some(found) => {
                is_end_reported |= run.kind == CopyKind::Bulk;
                Some(found)
            }
            None => used_early(effects, &run, &mut budget),
        };
        diagnostics.extend(found);
    }
}

/// The copies of a function. Only such as nothing separates are in the same run.
fn runs(effects: &FunctionEffects) -> Vec<CopyRun> {
    let flow = effects.flow;
    let mut runs: Vec<CopyRun> = Vec::new();
    let mut open = None;
    for (at, effect) in effects.effects() {
        let kind = match effect {
            MemoryEffect::Access(access) if access.asynchronous => CopyKind::of(effects, *at),
            MemoryEffect::Access(_) => continue,
            _ => {
                open = None;
                continue;
            }
        };
        let Some(kind) = kind else { continue };
        let block = flow.blocks().map(|blocks| blocks.of(*at));
        match runs.last_mut().filter(|_| open == Some((kind, block))) {
            Some(run) if run.copies.last() == Some(at) => {}
            Some(run) => run.copies.push(*at),
            None => runs.push(CopyRun { kind, copies: vec![*at] }),
        }
        open = Some((kind, block));
    }
    runs
}

/// A run that no path of a kernel finishes.
fn unfinished(effects: &FunctionEffects, run: &CopyRun, budget: &mut usize) -> Option<Diagnostic> {
    let last = *run.copies.last()?;
    if !effects.flow.is_entry() {
        return None;
    }
    let mut paths = UnfinishedPaths::default();
    // The wait for a copy in a later iteration does not cover the last one.
    let last_execution = (run.kind == CopyKind::Bulk).then(|| LastExecution::of(effects, last)).flatten();
    let limit = last_execution.as_ref().map_or(PathLimit::Unlimited, PathLimit::LastExecution);
    follow_copy(effects, (run.kind, last), limit, budget, |place, state| {
        paths.is_finished |= !matches!(state, CopyState::Pending { .. });
        paths.is_committed |= matches!(state, CopyState::Pending { commits: 1.. });
        match place {
            PathPlace::End => paths.ends = true,
            PathPlace::Effect(_, MemoryEffect::Group(group)) => paths.waits |= is_wait(group, run.kind),
            PathPlace::Effect(_, MemoryEffect::Access(access)) => paths.reads_shared |= reads_shared(&access),
            PathPlace::Effect(..) => {}
        }
    })?;
    let is_needed = match run.kind {
        CopyKind::Elements => paths.reads_shared,
        CopyKind::Bulk => paths.ends,
    };
    if paths.is_finished || !is_needed {
        return None;
    }
    let (message, help) = paths.describe(run.kind);
    let range = effects.flow.instruction(run.copies[0]).opcode.range();
    Some(Diagnostic::new(&UNCOMMITTED_ASYNC, range, message).help(help))
}

/// What the paths from a copy have.
#[derive(Default)]
struct UnfinishedPaths {
    is_finished: bool,
    is_committed: bool,
    waits: bool,
    reads_shared: bool,
    ends: bool,
}

impl UnfinishedPaths {
    /// The message and the help.
    fn describe(&self, kind: CopyKind) -> (String, String) {
        let group = match kind {
            CopyKind::Elements => "cp.async",
            CopyKind::Bulk => "cp.async.bulk",
        };
        match (self.waits, self.is_committed, kind) {
            (true, false, _) => (
                format!("`{group}.commit_group` is missing between the copy and the wait"),
                format!("write `{group}.commit_group` after the copies: the wait covers only what is committed"),
            ),
            (true, true, _) => (
                format!("`{group}.wait_group` does not cover the group of the copy"),
                format!("write `{group}.wait_group 0` before the data is used or the kernel ends"),
            ),
            (false, _, CopyKind::Elements) => (
                "nothing waits for the copy".to_owned(),
                "write `cp.async.commit_group` and `cp.async.wait_group 0`, `cp.async.wait_all`, or `cp.async.mbarrier.arrive`"
                    .to_owned(),
            ),
            (false, _, CopyKind::Bulk) => (
                "the kernel ends without a wait for the bulk copy".to_owned(),
                "write `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read 0` in the thread of the copy"
                    .to_owned(),
            ),
        }
    }
}

/// What is accessed too early.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopySide {
    Source,
    Destination,
}

/// An access to the memory of a run that every path reaches before the copy is complete.
fn used_early(effects: &FunctionEffects, run: &CopyRun, budget: &mut usize) -> Option<Diagnostic> {
    let last = *run.copies.last()?;
    let sides = copied_addresses(effects, run);
    let found = used_early_within(effects, run, (last, &sides), PathLimit::SameIteration, budget);
    // A source whose address does not change is followed into later iterations.
    let is_fixed = |copied: &CopiedMemory| {
        let is_variable = matches!(copied.address.root, Root::Variable(_)) && copied.address.offset().is_some();
        copied.side == CopySide::Source && is_variable
    };
    let mut sources = sides;
    sources.retain(|_, copied| is_fixed(copied));
    found.or_else(|| used_early_within(effects, run, (last, &sources), PathLimit::Unlimited, budget))
}

fn used_early_within(
    effects: &FunctionEffects,
    run: &CopyRun,
    (last, sides): (usize, &CopiedAddresses),
    limit: PathLimit,
    budget: &mut usize,
) -> Option<Diagnostic> {
    if sides.is_empty() {
        return None;
    }
    // The accesses, and whether all states there are too early.
    let mut early: BTreeMap<usize, (CopySide, usize, bool)> = BTreeMap::new();
    follow_copy(effects, (run.kind, last), limit, budget, |place, state| {
        let PathPlace::Effect(at, MemoryEffect::Access(access)) = place else { return };
        let Some((side, copy)) = accessed(effects, at, &access, run.kind, sides) else { return };
        let is_pending = match (state, side) {
            (CopyState::Pending { .. }, _) | (CopyState::SourceRead { .. }, CopySide::Destination) => true,
            (CopyState::SourceRead { .. } | CopyState::Complete, _) => false,
        };
        early.entry(at).or_insert((side, copy, true)).2 &= is_pending;
    })?;
    let (at, (side, copy, _)) = early.into_iter().find(|(_, (.., is_early))| *is_early)?;
    let (message, help) = match (side, run.kind) {
        (CopySide::Source, _) => (
            "source of a bulk copy is overwritten before the copy has read it",
            "write `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read` before the store",
        ),
        (CopySide::Destination, CopyKind::Elements) => (
            "data of `cp.async` is read before the copy is complete",
            "write `cp.async.commit_group` and `cp.async.wait_group` before the load, or `cp.async.wait_all`",
        ),
        (CopySide::Destination, CopyKind::Bulk) => (
            "data of a bulk copy is read before the copy is complete",
            "write `cp.async.bulk.wait_group` without `.read` before the load",
        ),
    };
    let flow = effects.flow;
    let found = Diagnostic::new(&UNCOMMITTED_ASYNC, flow.instruction(at).opcode.range(), message).help(help);
    Some(found.related(flow.instruction(copy).range.clone(), "the copy"))
}

/// Memory that other instructions must not access while a copy is pending.
struct CopiedMemory {
    side: CopySide,
    /// The copy.
    copy: usize,
    address: Provenance,
    /// Whether the copy has all bytes of a variable.
    is_whole: bool,
}

/// The memory of a run, by its address.
type CopiedAddresses = HashMap<(Root, i64), CopiedMemory>;

fn copied_addresses(effects: &FunctionEffects, run: &CopyRun) -> CopiedAddresses {
    let mut addresses = HashMap::default();
    let mut add = |side: CopySide, copy: usize, operand: usize| {
        if let Some(address) = effects.address(copy, operand) {
            let is_whole = side == CopySide::Source && is_whole_variable(effects, copy, &address);
            addresses.insert(address.anchor, CopiedMemory { side, copy, address, is_whole });
        }
    };
    for copy in &run.copies {
        match run.kind {
            CopyKind::Elements => add(CopySide::Destination, *copy, 0),
            CopyKind::Bulk => {
                add(CopySide::Source, *copy, 1);
                if !effects.flow.has(*copy, "tensor") {
                    add(CopySide::Destination, *copy, 0);
                }
            }
        }
    }
    addresses
}

/// Whether a bulk copy has all bytes of the variable at an address.
fn is_whole_variable(effects: &FunctionEffects, copy: usize, address: &Provenance) -> bool {
    let flow = effects.flow;
    let Root::Variable(variable) = address.root else { return false };
    let size = flow.instruction(copy).values.get(2).and_then(|size| flow.constant(size, copy));
    let is_sized = flow.mnemonic(copy) == "cp" && !flow.has(copy, "tensor") && address.offset() == Some(0);
    is_sized && size.is_some_and(|size| byte_size(flow.declaration(variable)) == Some(size) && size > 0)
}

/// The side of a run that an ordinary access uses, and the copy.
fn accessed(
    effects: &FunctionEffects,
    at: usize,
    access: &SyncAccess,
    kind: CopyKind,
    addresses: &CopiedAddresses,
) -> Option<(CopySide, usize)> {
    if access.asynchronous || access.proxy != SyncProxy::Generic {
        return None;
    }
    let address = effects.address(at, access.operand?)?;
    let is_same = |copied: &&CopiedMemory| {
        copied.address.same(&address) || copied.is_whole && copied.address.root == address.root
    };
    let known = addresses.get(&address.anchor).filter(is_same);
    let copied = known.or_else(|| addresses.values().filter(|copied| copied.is_whole).find(is_same))?;
    let conflicts = match (copied.side, kind) {
        (CopySide::Source, _) => access.kind != AccessKind::Read,
        (CopySide::Destination, _) => access.kind != AccessKind::Write,
    };
    conflicts.then_some((copied.side, copied.copy))
}

fn reads_shared(access: &SyncAccess) -> bool {
    access.kind != AccessKind::Write && matches!(access.space, AddressSpace::Shared | AddressSpace::Generic)
}

fn is_wait(group: CopyGroup, kind: CopyKind) -> bool {
    match kind {
        CopyKind::Elements => group == CopyGroup::Wait,
        CopyKind::Bulk => matches!(group, CopyGroup::BulkWait | CopyGroup::BulkWaitRead),
    }
}
