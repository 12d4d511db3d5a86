//! `unacquired-flag` and `poll-without-acquire`: data read after a polling loop that does not acquire.

mod calls;

pub(crate) use crate::rules::order::unacquired_flag::calls::{check_module, record};
use analysis::effects::answers;
use analysis::effects::{
    AccessKind, FenceOrder, ForwardAnalysis, FunctionEffects, MbarrierOperation, MemoryEffect, Poll, SiteSet,
    SyncAccess, SyncProxy, Trigger,
};
use analysis::values::{Definition, DefinitionSite, FunctionValues, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::{POLL_WITHOUT_ACQUIRE, UNACQUIRED_FLAG};
use foldhash::HashSet;
use isa::types::Sem;
use std::cell::{Cell, OnceCell, RefCell};

/// Checks the reads after every polling loop.
pub(crate) fn check(function: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !function.triggers.has(Trigger::STRONG | Trigger::FENCE | Trigger::PLAIN_POLL) {
        return;
    }
    let is_unordered = |poll: &&Poll| matches!(poll.access.order, None | Some(Sem::Relaxed));
    let polls: Vec<_> = function.polls().iter().filter(is_unordered).take(SiteSet::MAX_SITES).copied().collect();
    visit_unordered(function, (polls, MAX_WORK), |at, poll, certainty| {
        diagnostics.push(report(function.flow, at, poll, certainty))
    });
}

/// Calls `visit` with the first read that each poll may guard and no acquire orders after it, as far as some work allows.
fn visit_unordered(
    function: &FunctionEffects,
    (polls, work): (Vec<Poll>, usize),
    mut visit: impl FnMut(usize, &Poll, Certainty),
) {
    if polls.is_empty() {
        return;
    }
    let reads = ReadsAfterPolls::new(function, polls, work);
    let Some(states) = function.solve(&reads) else { return };
    let mut reported = SiteSet::default();
    states.visit(&reads, |at, state| {
        for (_, effect) in function.effects_in(at..at + 1) {
            let MemoryEffect::Access(access) = effect else { continue };
            let Some((poll, certainty)) = reads.unordered(at, access, state) else { continue };
            if !reported.contains(poll) {
                reported.insert(poll);
                visit(at, &reads.polls[poll], certainty);
            }
        }
    });
}

/// What to write in place of a poll without acquire ordering.
const HELP: &str =
    "write `.acquire` with a scope, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) after the loop";

/// The maximum number of instructions on the paths that are searched for one read.
const MAX_STEPS: usize = 50_000;

/// The maximum number of accesses and instructions that are looked at in one function. When they are spent, nothing more is reported.
const MAX_WORK: usize = 3_000_000;

/// The maximum number of instructions between a load and a store of what is computed from its value.
const MAX_DEPTH: usize = 3;

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
    effects: &'d FunctionEffects<'f, 'a>,
    polls: Vec<Poll>,
    facts: Vec<PollFacts>,
    written: HashSet<Root>,
    /// The accesses of the function with their addresses, in order.
    accesses: Vec<(usize, &'d SyncAccess, Provenance)>,
    /// How much of the work is left.
    work: Cell<usize>,
}

/// What is found out about a poll once, for all reads.
#[derive(Default)]
struct PollFacts {
    /// The writes to the flag, and whether each answers it with another value than the loop waits for.
    writes: OnceCell<Vec<(usize, bool)>>,
    /// Whether the value is stored to global memory: the word is a message by itself, and no flag of one.
    is_message: OnceCell<bool>,
    /// The instructions at which threads meet that can be reached from the poll.
    behind: OnceCell<HashSet<usize>>,
}

/// The polls without acquire, before and after a barrier.
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
        for (_, effect) in self.effects.effects_in(at..at + 1) {
            if acquires(effect) {
                *state = self.entry();
            } else if *effect == MemoryEffect::CtaBarrier {
                state.behind_barrier.extend(&state.direct);
                state.direct = SiteSet::default();
            }
        }
        for (number, _) in self.polls.iter().enumerate().filter(|(_, poll)| poll.at == at) {
            state.direct.insert(number);
        }
    }
}

impl<'d, 'f, 'a> ReadsAfterPolls<'d, 'f, 'a> {
    fn new(function: &'d FunctionEffects<'f, 'a>, polls: Vec<Poll>, work: usize) -> Self {
        let address = |at: usize, access: &SyncAccess| function.address(at, access.operand?);
        let accesses = function.accesses().filter_map(|(at, access)| Some((at, access, address(at, access)?)));
        let facts = polls.iter().map(|_| PollFacts::default()).collect();
        ReadsAfterPolls {
            effects: function,
            facts,
            polls,
            written: written_roots(function),
            accesses: accesses.collect(),
            work: Cell::new(work),
        }
    }

    /// The poll without acquire that an access may be guarded by.
    fn unordered(&self, at: usize, access: &SyncAccess, state: &PollState) -> Option<(usize, Certainty)> {
        let is_data = access.kind == AccessKind::Read && access.order.is_none() && access.proxy == SyncProxy::Generic;
        if !is_data || self.work.get() == 0 || state.direct.is_empty() && state.behind_barrier.is_empty() {
            return None;
        }
        let address = self.effects.address(at, access.operand?)?;
        let guards = |poll: &usize| self.guards(*poll, at, access, &address);
        let direct = state.direct.iter().find(guards).map(|poll| (poll, Certainty::Certain));
        let behind_barrier = || state.behind_barrier.iter().find(guards).map(|poll| (poll, Certainty::Barrier));
        let found = direct.or_else(behind_barrier).or_else(|| {
            let may_guard = |poll: &usize| {
                may_guard(self.effects, &self.polls[*poll], access, &address)
                    && !self.is_own(*poll, &address)
                    && !self.is_answered(*poll, at)
                    && !has_data(self.effects.flow, self.polls[*poll].at)
                    && !self.is_message(*poll)
                    && !self.is_read_before(*poll, &address)
                    && !self.is_reached_without(*poll, at)
            };
            let mut open = state.direct.iter().chain(state.behind_barrier.iter());
            open.find(may_guard).map(|poll| (poll, Certainty::OtherMemory))
        });
        found.filter(|_| self.work.get() > 0)
    }

    /// Whether a flag may guard the memory at an address: it is in the same array, other code of the function writes it, or the flag is its address.
    fn guards(&self, number: usize, at: usize, access: &SyncAccess, address: &Provenance) -> bool {
        let poll = &self.polls[number];
        if address.same(&poll.address) || access.is_shared(Some(address)) != poll.access.is_shared(Some(&poll.address))
        {
            return false;
        }
        let is_value = matches!(address.root, Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) if at == poll.at);
        let is_of_flag = is_value || address.root == poll.address.root;
        let is_written = || self.written.contains(&address.root);
        is_of_flag
            || is_written()
                && !self.is_own(number, address)
                && !self.is_read_before(number, address)
                && !self.is_reached_without(number, at)
    }

    /// Whether the function writes the memory at an address, but not the flag: another kernel or the host does, and the function answers.
    fn is_own(&self, poll: usize, address: &Provenance) -> bool {
        let writes = self.writes(poll);
        self.written.contains(&address.root) && !writes.is_empty() && writes.iter().all(|(_, is_answer)| *is_answer)
    }

    /// The writes to the flag of a poll, and whether they answer it.
    fn writes(&self, poll: usize) -> &[(usize, bool)] {
        let flag = &self.polls[poll].address;
        self.facts[poll].writes.get_or_init(|| {
            self.spend(self.accesses.len());
            let writes = self.accesses.iter().filter(|(_, access, _)| access.kind != AccessKind::Read);
            let to_flag = writes.filter(|(.., address)| address.same(flag));
            to_flag.map(|(at, ..)| (*at, answers::is_answer(self.effects, *at, flag))).collect()
        })
    }

    /// Whether the function stores the value of a poll, or of one beside it in the same loop, elsewhere in global memory.
    fn is_message(&self, poll: usize) -> bool {
        let Some(blocks) = self.effects.flow.blocks() else { return false };
        let block = blocks.of(self.polls[poll].at);
        let is_stored = |poll: &Poll| {
            self.spend(self.accesses.len());
            self.accesses.iter().any(|(at, access, address)| {
                let is_elsewhere = access.order.is_none() || address.root != poll.address.root;
                access.kind == AccessKind::Write
                    && is_elsewhere
                    && self.effects.is_known_global(access, address)
                    && self.stores_value_of(*at, poll.at)
            })
        };
        let beside = || self.polls.iter().filter(|other| blocks.of(other.at) == block);
        *self.facts[poll].is_message.get_or_init(|| beside().any(is_stored))
    }

    /// Whether a store writes what is computed from the value of a load.
    fn stores_value_of(&self, store: usize, load: usize) -> bool {
        let flow = self.effects.flow;
        let mut worklist = vec![(store, MAX_DEPTH)];
        while let Some((at, depth)) = worklist.pop() {
            let mut registers = Vec::new();
            let sources = flow.instruction(at).values.iter().skip(1);
            sources.for_each(|value| value.registers(&mut |register| registers.push(register)));
            for register in registers {
                let DefinitionSite::Instruction(writer) = flow.reaching(register, at).site else { continue };
                if writer == load {
                    return true;
                }
                if depth > 0 && flow.fills_registers(writer) && !matches!(flow.mnemonic(writer), "ld" | "atom") {
                    worklist.push((writer, depth - 1));
                }
            }
        }
        false
    }

    /// Whether every path from a poll to a read answers the flag with another value than the loop waits for: what the flag guards comes before.
    fn is_answered(&self, poll: usize, read: usize) -> bool {
        let Some(blocks) = self.effects.flow.blocks() else { return false };
        let from = self.polls[poll].at;
        let is_store = |at: usize| self.accesses_at(at).iter().any(|(_, access, _)| access.kind == AccessKind::Write);
        self.writes(poll).iter().any(|(at, is_answer)| {
            *is_answer
                && is_store(*at)
                && blocks.dominates(blocks.of(from), blocks.of(*at))
                && self.find_reachable(from, |next| next == read, |next| next == *at).is_none()
        })
    }

    /// Whether every path to a poll reads the memory at an address: then the flag does not guard it.
    fn is_read_before(&self, poll: usize, address: &Provenance) -> bool {
        let Some(blocks) = self.effects.flow.blocks() else { return false };
        let poll = self.polls[poll].at;
        let is_earlier = |at: usize| {
            let (own, of_poll) = (blocks.of(at), blocks.of(poll));
            if own == of_poll { at < poll } else { blocks.dominates(own, of_poll) }
        };
        self.spend(self.accesses.len());
        self.accesses.iter().any(|(at, access, read)| {
            access.kind == AccessKind::Read && access.order.is_none() && read.same(address) && is_earlier(*at)
        })
    }

    /// Whether a path leads to a read without the poll and without a barrier that a thread may reach after the poll: then the read does not wait for the flag.
    fn is_reached_without(&self, poll: usize, read: usize) -> bool {
        let (function, flow) = (self.effects, self.effects.flow);
        let flag = &self.polls[poll];
        let behind = self.facts[poll].behind.get_or_init(|| {
            let behind = RefCell::new(HashSet::default());
            let joins = |at: usize| {
                let effects = function.effects_in(at..at + 1);
                effects.iter().any(|(_, effect)| joins_threads(effect, flow.mnemonic(at)))
            };
            let collect = |at: usize| {
                if joins(at) {
                    behind.borrow_mut().insert(at);
                }
                false
            };
            self.find_reachable(flag.at, collect, |_| false);
            behind.into_inner()
        });
        // A compiler may execute the load once before the loop.
        let waits = |at: usize| {
            at == flag.at
                || self.accesses_at(at).iter().any(|(.., address)| address.same(&flag.address))
                || behind.contains(&at)
        };
        self.find_reachable(0, |at| at == read, waits).is_some()
    }

    /// The accesses of an instruction.
    fn accesses_at(&self, at: usize) -> &[(usize, &'d SyncAccess, Provenance)] {
        let first = self.accesses.partition_point(|(access, ..)| *access < at);
        let count = self.accesses[first..].iter().take_while(|(access, ..)| *access == at).count();
        &self.accesses[first..first + count]
    }

    /// A wanted instruction that can be reached, as [`FunctionValues::find_reachable`] finds it; none where the work is spent.
    fn find_reachable(
        &self,
        from: usize,
        wanted: impl Fn(usize) -> bool,
        barrier: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let granted = self.work.get().min(MAX_STEPS);
        let mut left = granted;
        let found = self.effects.flow.find_reachable(from, &mut left, wanted, barrier);
        self.spend(granted - left);
        found
    }

    /// Takes from the work that is left.
    fn spend(&self, work: usize) {
        self.work.set(self.work.get().saturating_sub(work));
    }
}

/// The diagnostic of a poll and a read that it may guard.
fn report(flow: &FunctionValues, at: usize, poll: &Poll, certainty: Certainty) -> Diagnostic {
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
    Diagnostic::new(rule, flow.instruction(poll.at).opcode.range(), message)
        .help(HELP)
        .related(flow.instruction(at).opcode.range(), "read here")
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
fn has_data(flow: &FunctionValues, at: usize) -> bool {
    flow.modifiers(at).any(|word| matches!(word, "v2" | "v4" | "v8"))
}

/// Whether a flag in global memory may guard the memory at an address of another parameter, variable or pointer.
fn may_guard(function: &FunctionEffects, poll: &Poll, access: &SyncAccess, address: &Provenance) -> bool {
    poll.access.order.is_some()
        && poll.access.is_global(&poll.address)
        && function.is_known_global(access, address)
        && !function.is_same_root(address.root, poll.address.root)
        && !function.is_from_constants(address.root)
}

/// Whether an effect orders the accesses after it after those that it observes.
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
fn written_roots(function: &FunctionEffects) -> HashSet<Root> {
    let writes = function.accesses().filter(|(_, access)| access.kind != AccessKind::Read);
    let roots = writes.filter_map(|(at, access)| Some(function.address(at, access.operand?)?.root));
    roots.filter(|root| matches!(root, Root::Variable(_) | Root::Parameter(..))).collect()
}
