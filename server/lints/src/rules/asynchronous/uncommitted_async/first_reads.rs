//! Reads of shared memory that only `cp.async` fills, before any wait that waits for something.

use crate::rules::asynchronous::uncommitted_async::idle_waits::{IdleWait, always_follows, idle_waits};
use analysis::effects::{
    AccessKind, AddressSpace, CopyGroup, CopyKind, ForwardAnalysis, FunctionEffects, MbarrierOperation, MemoryEffect,
};
use analysis::values::{PostDominators, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::UNCOMMITTED_ASYNC;
use foldhash::{HashMap, HashSet};

/// The maximum number of bytes that a load or a copy of `cp.async` accesses.
const MAX_BYTES: u64 = 16;

/// The copies to a variable, each with its address.
type Copies = Vec<(usize, Provenance)>;

/// Checks the reads of variables that a kernel fills with `cp.async` only, where no path from its start has a wait.
pub(in crate::rules::asynchronous::uncommitted_async) fn check(
    effects: &FunctionEffects,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let flow = effects.flow;
    if !flow.is_entry() {
        return;
    }
    let copies = copied_variables(effects);
    if copies.is_empty() {
        return;
    }
    let idle = idle_waits(effects);
    let sites = copies.values().flatten().map(|(copy, _)| *copy).collect();
    let analysis = EarlyCopies { effects, sites, idle: &idle };
    let Some(states) = effects.solve(&analysis) else { return };
    let mut found: Option<(usize, usize, Option<&IdleWait>)> = None;
    let post_dominators = if idle.is_empty() { None } else { PostDominators::new(flow) };
    states.visit(&analysis, |at, state| {
        for (_, effect) in effects.effects_in(at..at + 1) {
            let MemoryEffect::Access(access) = effect else { continue };
            let is_read =
                access.kind == AccessKind::Read && access.space == AddressSpace::Shared && !access.asynchronous;
            if !is_read || state.may_have_waited || found.is_some() {
                continue;
            }
            let Some(address) = access.operand.and_then(|operand| effects.address(at, operand)) else { continue };
            let of_variable = copies.get(&address.root).into_iter().flatten();
            let is_read = |(copy, copied): &&(usize, Provenance)| {
                !are_apart(copied, &address) && state.copied.binary_search(copy).is_ok()
            };
            if let Some((copy, _)) = { of_variable }.find(is_read) {
                let follows = |wait: &&IdleWait| {
                    let known = post_dominators.as_ref();
                    *copy < wait.at && known.is_some_and(|known| always_follows(effects, known, at, wait.at))
                };
                let waited = idle.iter().filter(follows).last();
                if waited.is_some() || idle.is_empty() {
                    found = Some((at, *copy, waited));
                }
            }
        }
    });
    if let Some((at, copy, Some(wait))) = found {
        let message = "`cp.async.wait_group` does not cover the group of the copy: nothing is complete when the data is read first";
        let help = format!(
            "{} committed when the kernel first waits: write `cp.async.wait_group {}`, or a smaller number",
            if wait.commits == 1 { "1 group is".to_owned() } else { format!("{} groups are", wait.commits) },
            wait.commits - 1
        );
        let range = flow.instruction(wait.at).opcode.range();
        let diagnostic = Diagnostic::new(&UNCOMMITTED_ASYNC, range, message).help(help);
        let diagnostic = diagnostic.related(flow.instruction(copy).range.clone(), "the copy");
        diagnostics.push(diagnostic.related(flow.instruction(at).opcode.range(), "read here"));
    } else if let Some((at, copy, None)) = found {
        let message = "data of `cp.async` is read before the copy is complete";
        let help = "write `cp.async.commit_group` and `cp.async.wait_group` before the load, or `cp.async.wait_all`";
        let diagnostic = Diagnostic::new(&UNCOMMITTED_ASYNC, flow.instruction(at).opcode.range(), message).help(help);
        diagnostics.push(diagnostic.related(flow.instruction(copy).range.clone(), "the copy"));
    }
}

/// Whether a copy and a read at known offsets of a variable certainly use different bytes.
fn are_apart(copied: &Provenance, read: &Provenance) -> bool {
    let offsets = copied.offset().zip(read.offset());
    offsets.is_some_and(|(copied, read)| copied.abs_diff(read) >= MAX_BYTES)
}

/// The copies to each variable that nothing else writes.
fn copied_variables(effects: &FunctionEffects) -> HashMap<Root, Copies> {
    let mut copies: HashMap<Root, Copies> = HashMap::default();
    let mut others: HashSet<Root> = HashSet::default();
    for (at, access) in effects.accesses().filter(|(_, access)| access.kind != AccessKind::Read) {
        // A store to an address that is not known may be to any variable.
        let address = access.operand.and_then(|operand| effects.address(at, operand));
        let address = address.filter(|address| matches!(address.root, Root::Variable(_)));
        let is_shared = matches!(access.space, AddressSpace::Shared | AddressSpace::SharedCluster);
        match address {
            Some(address) if CopyKind::of(effects, at) == Some(CopyKind::Elements) => {
                copies.entry(address.root).or_default().push((at, address));
            }
            Some(address) => {
                others.insert(address.root);
            }
            None if is_shared => return HashMap::default(),
            None => {}
        }
    }
    copies.retain(|root, _| !others.contains(root));
    copies
}

/// The analysis: which variables every path copies to, and whether some path has a wait.
struct EarlyCopies<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    /// The copies.
    sites: HashSet<usize>,
    /// The waits that may wait for nothing.
    idle: &'d [IdleWait],
}

/// The copies that some path has started.
#[derive(Clone, PartialEq, Eq)]
struct CopyStart {
    /// In order.
    copied: Vec<usize>,
    may_have_waited: bool,
}

impl ForwardAnalysis for EarlyCopies<'_, '_, '_> {
    type State = CopyStart;

    fn entry(&self) -> CopyStart {
        CopyStart { copied: Vec::new(), may_have_waited: false }
    }

    fn join(&self, state: &mut CopyStart, other: &CopyStart) -> bool {
        let before = state.clone();
        state.copied.extend(&other.copied);
        state.copied.sort_unstable();
        state.copied.dedup();
        state.may_have_waited |= other.may_have_waited;
        *state != before
    }

    fn transfer(&self, at: usize, state: &mut CopyStart) {
        for (_, effect) in self.effects.effects_in(at..at + 1) {
            match effect {
                MemoryEffect::Group(CopyGroup::Wait) if self.idle.iter().any(|wait| wait.at == at) => {}
                MemoryEffect::Group(CopyGroup::Wait | CopyGroup::WaitAll)
                | MemoryEffect::Mbarrier(MbarrierOperation::Test(..) | MbarrierOperation::Try(..), _)
                | MemoryEffect::Unknown => state.may_have_waited = true,
                _ => {}
            }
        }
        if self.sites.contains(&at)
            && let Err(place) = state.copied.binary_search(&at)
        {
            state.copied.insert(place, at);
        }
    }
}
