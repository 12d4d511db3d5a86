//! `unacquired-flag` and `poll-without-acquire`: data read after a polling loop that does not acquire.

use crate::dataflow::{
    AccessKind, DataFlow, FenceOrder, ForwardAnalysis, MbarrierOperation, MemoryEffect, Poll, SiteSet, SyncAccess,
    SyncProxy, Trigger,
};
use crate::flow::{Definition, DefinitionSite, Flow, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::{POLL_WITHOUT_ACQUIRE, UNACQUIRED_FLAG};
use foldhash::HashSet;
use isa::types::Sem;
use std::cell::RefCell;

/// Checks the reads after every polling loop.
pub(super) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
    if !dataflow.triggers.has(Trigger::STRONG | Trigger::FENCE) {
        return;
    }
    let is_unordered = |poll: &&Poll| matches!(poll.access.order, None | Some(Sem::Relaxed));
    let polls: Vec<_> = dataflow.polls().iter().filter(is_unordered).copied().collect();
    if polls.is_empty() {
        return;
    }
    let reads = ReadsAfterPolls { dataflow, polls, written: written_roots(dataflow) };
    let Some(states) = dataflow.solve(&reads) else { return };
    let mut reported = SiteSet::default();
    states.visit(&reads, |at, state| {
        for (_, effect) in dataflow.effects_in(at..at + 1) {
            let MemoryEffect::Access(access) = effect else { continue };
            let Some((poll, certain)) = reads.unordered(at, access, state) else { continue };
            if !reported.contains(poll) {
                reported.insert(poll);
                diagnostics.push(reads.report(at, &reads.polls[poll], certain));
            }
        }
    });
}

/// The maximum number of instructions on the paths that are searched for one read.
const MAX_STEPS: usize = 50_000;

/// How certain it is that data is read too early.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// The thread that polls reads memory that the flag guards.
    Certain,
    /// A barrier comes between, and all threads of the CTA read.
    Barrier,
    /// The thread that polls reads other memory, which this function does not write.
    OtherMemory,
}

/// The analysis: which polls no acquire follows yet.
struct ReadsAfterPolls<'d, 'f, 'a> {
    dataflow: &'d DataFlow<'f, 'a>,
    polls: Vec<Poll>,
    written: HashSet<Root>,
}

/// The polls without acquire, before and behind a barrier.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PollState {
    direct: SiteSet,
    behind_barrier: SiteSet,
}

impl ForwardAnalysis for ReadsAfterPolls<'_, '_, '_> {
    type State = PollState;

    fn entry(&self) -> PollState {
        PollState { direct: SiteSet::default(), behind_barrier: SiteSet::default() }
    }

    fn join(&self, state: &mut PollState, other: &PollState) -> bool {
        let direct = state.direct.extend(&other.direct);
        state.behind_barrier.extend(&other.behind_barrier) || direct
    }

    fn transfer(&self, at: usize, state: &mut PollState) {
        for (_, effect) in self.dataflow.effects_in(at..at + 1) {
            if acquires(effect) {
                *state = self.entry();
            } else if *effect == MemoryEffect::CtaBarrier {
                state.behind_barrier.extend(&state.direct);
                state.direct = SiteSet::default();
            }
        }
        if let Some(poll) = self.polls.iter().position(|poll| poll.at == at) {
            state.direct.insert(poll);
        }
    }
}

impl ReadsAfterPolls<'_, '_, '_> {
    /// The poll without acquire that an access may be guarded by.
    fn unordered(&self, at: usize, access: &SyncAccess, state: &PollState) -> Option<(usize, Certainty)> {
        let is_data = access.kind == AccessKind::Read && access.order.is_none() && access.proxy == SyncProxy::Generic;
        if !is_data || state.direct.is_empty() && state.behind_barrier.is_empty() {
            return None;
        }
        let address = self.dataflow.address(at, access.operand?)?;
        let guards = |poll: &usize| self.guards(&self.polls[*poll], at, access, &address);
        let direct = state.direct.iter().find(guards).map(|poll| (poll, Certainty::Certain));
        let behind_barrier = || state.behind_barrier.iter().find(guards).map(|poll| (poll, Certainty::Barrier));
        direct.or_else(behind_barrier).or_else(|| {
            let may_guard = |poll: &usize| {
                let poll = &self.polls[*poll];
                may_guard(self.dataflow, poll, access, &address)
                    && !self.is_own(poll, &address)
                    && !self.is_answered(poll, at)
                    && !has_data(self.dataflow.flow, poll.at)
                    && !self.is_read_before(poll, &address)
                    && !self.is_reached_without(poll, at)
            };
            let mut open = state.direct.iter().chain(state.behind_barrier.iter());
            open.find(may_guard).map(|poll| (poll, Certainty::OtherMemory))
        })
    }

    /// Whether a flag may guard the memory at an address: it is in the same array, other code of the function writes it, or the flag is its address.
    fn guards(&self, poll: &Poll, at: usize, access: &SyncAccess, address: &Provenance) -> bool {
        if address.same(&poll.address) || access.is_shared(Some(address)) != poll.access.is_shared(Some(&poll.address))
        {
            return false;
        }
        let is_value = matches!(address.root, Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) if at == poll.at);
        let is_of_flag = is_value || address.root == poll.address.root;
        let is_written = || self.written.contains(&address.root);
        is_of_flag
            || is_written()
                && !self.is_own(poll, address)
                && !self.is_read_before(poll, address)
                && !self.is_reached_without(poll, at)
    }

    /// Whether the function writes the memory at an address, but not the flag: another kernel or the host does, and the function answers.
    fn is_own(&self, poll: &Poll, address: &Provenance) -> bool {
        let dataflow = self.dataflow;
        let is_of_flag = |(at, access): &(usize, &SyncAccess)| {
            let written = access.operand.and_then(|operand| dataflow.address(*at, operand));
            access.kind != AccessKind::Read && written.is_some_and(|written| written.same(&poll.address))
        };
        let mut writes = dataflow.accesses().filter(is_of_flag).peekable();
        self.written.contains(&address.root)
            && writes.peek().is_some()
            && writes.all(|(at, _)| dataflow.is_answer(at, &poll.address))
    }

    /// Whether every path from a poll to a read answers the flag with another value than the loop waits for: what the flag guards comes before.
    fn is_answered(&self, poll: &Poll, read: usize) -> bool {
        let Some(blocks) = self.dataflow.flow.blocks() else { return false };
        self.dataflow.accesses().filter(|(_, access)| access.kind == AccessKind::Write).any(|(at, access)| {
            let written = || access.operand.and_then(|operand| self.dataflow.address(at, operand));
            let is_between = || {
                let is_blocked = |next: usize| next == at;
                let path =
                    self.dataflow.flow.find_reachable(poll.at, &mut { MAX_STEPS }, |next| next == read, is_blocked);
                path.is_none() && blocks.dominates(blocks.of(poll.at), blocks.of(at))
            };
            written().is_some_and(|written| written.same(&poll.address))
                && self.dataflow.is_answer(at, &poll.address)
                && is_between()
        })
    }

    /// Whether every path to a poll reads the memory at an address: then the flag does not guard it.
    fn is_read_before(&self, poll: &Poll, address: &Provenance) -> bool {
        let Some(blocks) = self.dataflow.flow.blocks() else { return false };
        let is_earlier = |at: usize| {
            let (own, of_poll) = (blocks.of(at), blocks.of(poll.at));
            if own == of_poll { at < poll.at } else { blocks.dominates(own, of_poll) }
        };
        self.dataflow.accesses().filter(|(_, access)| access.kind == AccessKind::Read && access.order.is_none()).any(
            |(at, access)| {
                let read = || access.operand.and_then(|operand| self.dataflow.address(at, operand));
                is_earlier(at) && read().is_some_and(|read| read.same(address))
            },
        )
    }

    /// Whether a path leads to a read without the poll and without a barrier that a thread may reach behind the poll: then the read does not wait for the flag.
    fn is_reached_without(&self, poll: &Poll, read: usize) -> bool {
        let (dataflow, flow) = (self.dataflow, self.dataflow.flow);
        let behind = RefCell::new(HashSet::default());
        let collect = |at: usize| {
            behind.borrow_mut().insert(at);
            false
        };
        flow.find_reachable(poll.at, &mut { MAX_STEPS }, collect, |_| false);
        let behind = behind.into_inner();
        // A compiler may execute the load once before the loop.
        let waits = |at: usize| {
            dataflow.effects_in(at..at + 1).iter().any(|(_, effect)| match effect {
                MemoryEffect::Access(access) => {
                    let address = access.operand.and_then(|operand| dataflow.address(at, operand));
                    address.is_some_and(|address| address.same(&poll.address))
                }
                effect => joins_threads(effect, flow.mnemonic(at)) && behind.contains(&at),
            })
        };
        flow.find_reachable(0, &mut { MAX_STEPS }, |at| at == read, waits).is_some()
    }

    fn report(&self, at: usize, poll: &Poll, certainty: Certainty) -> Diagnostic {
        let flow = self.dataflow.flow;
        let range = flow.instruction(poll.at).opcode.range();
        let (rule, message) = match certainty {
            Certainty::Certain => {
                (&UNACQUIRED_FLAG, "flag polled without acquire ordering: data may be read before the flag")
            }
            Certainty::Barrier => {
                (&POLL_WITHOUT_ACQUIRE, "polling loop without acquire ordering before a barrier and reads of the data")
            }
            Certainty::OtherMemory => {
                (&POLL_WITHOUT_ACQUIRE, "polling loop without acquire ordering before reads of other memory")
            }
        };
        Diagnostic::new(rule, range, message)
            .help(
                "write `.acquire` with a scope, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) after the loop",
            )
            .related(flow.instruction(at).opcode.range(), "read here")
    }
}

/// Whether threads meet at an instruction.
fn joins_threads(effect: &MemoryEffect, mnemonic: &str) -> bool {
    match effect {
        MemoryEffect::WarpOperation => !matches!(mnemonic, "elect" | "activemask"),
        MemoryEffect::CtaBarrier | MemoryEffect::WarpBarrier | MemoryEffect::ClusterWait(_) => true,
        _ => false,
    }
}

/// Whether a load reads data together with the flag, in one access.
fn has_data(flow: &Flow, at: usize) -> bool {
    flow.modifiers(at).any(|word| matches!(word, "v2" | "v4" | "v8"))
}

/// Whether a flag in global memory may guard the memory at an address of another parameter, variable or pointer.
fn may_guard(dataflow: &DataFlow, poll: &Poll, access: &SyncAccess, address: &Provenance) -> bool {
    poll.access.order.is_some()
        && poll.access.is_global(&poll.address)
        && dataflow.is_known_global(access, address)
        && !dataflow.is_same_root(address.root, poll.address.root)
}

/// Whether an effect orders the accesses behind it after those that it observes.
fn acquires(effect: &MemoryEffect) -> bool {
    match effect {
        MemoryEffect::Fence(order, _) => *order != FenceOrder::Release,
        MemoryEffect::Access(access) => matches!(access.order, Some(Sem::Acquire | Sem::AcqRel)),
        MemoryEffect::ClusterWait(order) => *order == Sem::Acquire,
        MemoryEffect::Mbarrier(MbarrierOperation::Test(order, _) | MbarrierOperation::Try(order, _), _) => {
            *order == Sem::Acquire
        }
        MemoryEffect::GridWait | MemoryEffect::Unknown => true,
        _ => false,
    }
}

/// The variables and parameters that the function writes to.
fn written_roots(dataflow: &DataFlow) -> HashSet<Root> {
    let writes = dataflow.accesses().filter(|(_, access)| access.kind != AccessKind::Read);
    let roots = writes.filter_map(|(at, access)| Some(dataflow.address(at, access.operand?)?.root));
    roots.filter(|root| matches!(root, Root::Variable(_) | Root::Parameter(..))).collect()
}
