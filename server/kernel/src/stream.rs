//! Kernels that run one after another, each on the memory that the one before has left. Their boundary orders everything, so each is checked by
//! itself, from every memory that those before can leave. One that may begin before the end of the one before, by programmatic dependent launch,
//! is checked as if it began afterwards; what it accesses before it has waited is a data race with what that one accesses.

use crate::arguments::argument_values::ReadFile;
use crate::arguments::launch::{KernelLaunch, LaunchFailure, LaunchableKernel, prepare_following};
use crate::arguments::launch_memory::KernelMemory;
use crate::execution::names_cause;
use crate::modelled::{ModelAnswer, ModelEffort, ask_model};
use crate::{Kernel, KernelModule};
use explorer::{
    FairCycle, FoundProblem, Omission, ProvedExample, Verification, VerificationBounds, VerifyRequest, verify,
};
use machine::{GlobalMemory, LaunchError, UnsupportedAt};
use ordering::{KernelUse, OverlapEnd, OverlappedKernel};
use program::{CodePlace, InstructionMemory, Launch, LaunchStart, Problem, ProblemKind, UseRecording};
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A kernel of a stream.
#[derive(Clone, Copy)]
pub struct StreamKernel<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// Its arguments in memory.
    pub memory: &'k KernelMemory,
    /// The launch.
    pub launch: &'k Launch,
}

impl<'k> StreamKernel<'k> {
    /// A kernel that is ready to run.
    pub const fn new(LaunchableKernel { kernel, memory, launch }: &'k LaunchableKernel) -> Self {
        Self { kernel, memory, launch }
    }

    /// Makes a memory that earlier kernels have left ready for the next one; `overlapped` may still run.
    pub fn begin_after(memory: &mut GlobalMemory, overlapped: Vec<OverlappedKernel>) {
        memory.end_earlier();
        memory.overlap(overlapped);
    }

    /// The kernels that may still run while this one does: those that the one before it overlaps, and that one itself, which does something to memory.
    pub fn overlapped(&self, before: &[OverlappedKernel], usage: impl FnOnce() -> KernelUse) -> Vec<OverlappedKernel> {
        if self.launch.start == LaunchStart::AfterEnd {
            return Vec::new();
        }
        let usage = usage();
        let end_of = |one: &OverlappedKernel| match one.end {
            // Who waits for the end of a kernel waits for those that it has waited for.
            OverlapEnd::Wait if !usage.ends_without_wait => OverlapEnd::Wait,
            _ => OverlapEnd::Never,
        };
        let may_still_run = |one: &&OverlappedKernel| usage.launches_early || end_of(one) == OverlapEnd::Never;
        let running = before.iter().filter(may_still_run);
        let mut all: Vec<_> =
            running.map(|one| OverlappedKernel { end: end_of(one), usage: one.usage.clone() }).collect();
        all.push(OverlappedKernel { usage: Arc::new(usage), end: OverlapEnd::Wait });
        all
    }

    /// Its launch, with the question what it does to memory if the next one needs to know.
    pub fn launch_before(&self, next: Option<&StreamKernel>) -> Launch {
        let is_overlapped = next.is_some_and(|next| next.launch.start == LaunchStart::Programmatic);
        let uses = if is_overlapped { UseRecording::On } else { UseRecording::Off };
        Launch { uses, ..self.launch.clone() }
    }

    fn reads_tensor_maps(&self) -> bool {
        self.kernel.program.instructions().any(|one| matches!(one.action.memory(), InstructionMemory::TensorCopy(_)))
    }
}

/// The number of the last kernel that reads tensor maps: memory before the kernels that it follows is kept, to know which maps these change.
pub fn last_reader_of_maps(kernels: &[StreamKernel]) -> Option<usize> {
    kernels.iter().rposition(StreamKernel::reads_tensor_maps)
}

/// What is asked about a stream.
#[derive(Clone, Copy)]
pub struct StreamQuestion<'q> {
    /// The bounds.
    pub bounds: VerificationBounds,
    /// What does not hold at the end of an execution.
    pub claims: &'q dyn Fn(&GlobalMemory) -> Vec<String>,
    /// Whether the time is over.
    pub is_late: &'q dyn Fn() -> bool,
    /// Whether an execution of a proved stream is shown.
    pub example: ProvedExample,
}

/// An instruction, with the number of its kernel in the stream.
pub type StreamPlace = (usize, CodePlace);

/// What is known about all executions of the kernels of a stream.
#[derive(Default)]
pub struct StreamVerification {
    /// The sums and reasons of all searches, without problems and notes.
    pub total: Verification,
    /// The problems, each with the number of its kernel.
    pub problems: Vec<(usize, FoundProblem)>,
    /// The notes, each with the number of its kernel.
    pub notes: Vec<(usize, FoundProblem)>,
    /// The loops that a thread has repeated, and the most rounds in a row.
    pub rounds: BTreeMap<StreamPlace, u32>,
    /// Where threads can give way to each other forever.
    pub gives_way: BTreeSet<StreamPlace>,
    /// Where a thread can wait in vain forever while others go around.
    pub starves: BTreeSet<StreamPlace>,
    /// The instructions that some execution has executed.
    pub executed: BTreeSet<StreamPlace>,
    /// What the reason in `total` is about: the reads of executions with load buffering that are not ruled out, and for other reasons the
    /// instructions that [`Verification::omitted`] names.
    pub undecided: BTreeSet<StreamPlace>,
    /// The number of the kernel that the example is of.
    pub last: usize,
}

/// Why a stream cannot be checked.
#[derive(Debug)]
pub enum StreamFailure {
    /// The sizes of a launch.
    Launch(LaunchError),
    /// An instruction that the machine cannot execute, or whose result a later kernel needs and nobody computes, of a kernel with a number.
    Unsupported(usize, UnsupportedAt),
}

/// Prepares the kernels that run after a first one, whose memory gets the buffers of all. A failure has the number of its launch.
///
/// # Errors
/// [`LaunchFailure`] of the first launch that cannot be prepared.
pub fn prepare_stream(
    module: &mut KernelModule,
    first: &mut KernelMemory,
    launches: &[KernelLaunch],
    max_instructions: u64,
    read_file: ReadFile,
) -> Result<Vec<LaunchableKernel>, (usize, LaunchFailure)> {
    let mut following: Vec<LaunchableKernel> = Vec::new();
    for (number, wanted) in launches.iter().enumerate() {
        if !wanted.earlier.is_empty() {
            return Err((number, LaunchFailure::Sizes("`earlier` is about the first kernel".to_owned())));
        }
        let before = following.last().map_or(&*first, |last| &last.memory);
        let prepared = prepare_following(module, wanted, max_instructions, (before, &mut *read_file));
        following.push(prepared.map_err(|failure| (number, failure))?);
    }
    // The buffers of all kernels are there from the beginning.
    if let Some(last) = following.last() {
        first.memory = last.memory.memory.clone();
    }
    Ok(following)
}

/// Explores all executions of the kernels of a stream.
///
/// # Errors
/// [`StreamFailure`] if one of them cannot be executed.
pub fn verify_stream(kernels: &[StreamKernel], question: &StreamQuestion) -> Result<StreamVerification, StreamFailure> {
    let mut all = explore_stream(kernels, question)?;
    all.put_causes_first(kernels);
    Ok(all)
}

fn explore_stream(kernels: &[StreamKernel], question: &StreamQuestion) -> Result<StreamVerification, StreamFailure> {
    let (mut all, last_reader) = (StreamVerification::default(), last_reader_of_maps(kernels));
    let mut memories: Vec<GlobalMemory> = kernels.first().map(|one| one.memory.memory.clone()).into_iter().collect();
    for (number, kernel) in kernels.iter().enumerate() {
        let is_last = number + 1 == kernels.len();
        let left = RefCell::new(LeftMemories::default());
        let is_over = || left.borrow().is_full || (question.is_late)();
        // Which memory a later kernel may begin with has to be known.
        let holds = |memory: &GlobalMemory| (question.claims)(memory).is_empty();
        let holds: Option<&dyn Fn(&GlobalMemory) -> bool> = if is_last { Some(&holds) } else { None };
        all.total.final_states = 0;
        let launch = kernel.launch_before(kernels.get(number + 1));
        for memory in &memories {
            let kept = (last_reader > Some(number)).then(|| memory.clone());
            let leave = |memory: &GlobalMemory| {
                left.borrow_mut().add(memory, kept.as_ref(), most_left(question.bounds));
                Vec::new()
            };
            let claims: &dyn Fn(&GlobalMemory) -> Vec<String> = if is_last { question.claims } else { &leave };
            let asked = VerifyRequest {
                program: &kernel.kernel.program,
                launch: &launch,
                memory,
                claims,
                holds,
                cancelled: &is_over,
                example: question.example,
            };
            let mut bounds = question.bounds;
            bounds.states = bounds.states.saturating_sub(all.total.states);
            let mut found = verify(asked, bounds).map_err(StreamFailure::Launch)?;
            if is_last {
                decide_by_axioms(&mut found, &asked);
            }
            if left.borrow().is_full {
                found.omissions.insert(Omission::Memories);
            }
            // What a later kernel reads has to be known; claims about what the last one leaves are the caller's.
            let is_needed = !is_last && found.problems.is_empty();
            let unknown = found.unknown_result.clone().filter(|_| is_needed);
            if let Some(at) = found.unsupported.take().or(unknown) {
                return Err(StreamFailure::Unsupported(number, at));
            }
            if let Some(next) = kernels.get(number + 1) {
                let usage = std::mem::take(&mut found.usage);
                left.borrow_mut().overlap(&next.overlapped(memory.overlapped(), || usage));
            }
            all.add(found, number);
            if !all.problems.is_empty() || all.total.unfinished().is_some() {
                return Ok(all);
            }
        }
        if all.executes_no_access(number, kernel.kernel) {
            all.total.omissions.insert(Omission::NoAccess);
            all.undecided.extend(kernel.kernel.memory_accesses().into_iter().map(|place| (number, place)));
            return Ok(all);
        }
        let LeftMemories { memories: all_left, overlapped, .. } = left.into_inner();
        memories = all_left;
        for (memory, overlapped) in memories.iter_mut().zip(overlapped) {
            StreamKernel::begin_after(memory, overlapped);
        }
    }
    Ok(all)
}

/// What the axioms say about a launch that is small enough for them alone: about its executions with load buffering, which the search does not
/// explore one by one.
fn decide_by_axioms(found: &mut Verification, asked: &VerifyRequest) {
    let is_undecided = matches!(found.unfinished(), Some(Omission::LoadBuffering(_)));
    if !found.problems.is_empty() || found.unfinished().is_some() && !is_undecided {
        return;
    }
    let effort = if is_undecided { ModelEffort::Decision } else { ModelEffort::SecondOpinion };
    match ask_model(asked, effort) {
        ModelAnswer::Problems(problems) => found.problems = problems,
        ModelAnswer::NoProblem if is_undecided => found.has_further_final_states = true,
        ModelAnswer::NoProblem | ModelAnswer::Unknown => return,
    }
    found.rule_out_buffering();
}

impl StreamVerification {
    /// Whether all executions were explored.
    pub fn is_complete(&self) -> bool {
        self.total.is_complete()
    }

    /// Of the data races, those come first that say what is missing: the others, as one on a flag whose scopes are too narrow, often follow from it.
    fn put_causes_first(&mut self, kernels: &[StreamKernel]) {
        let is_race = |(_, found): &(usize, FoundProblem)| {
            matches!(found.problem, Some(Problem { kind: ProblemKind::DataRace { .. }, .. }))
        };
        let at: Vec<usize> = (0..self.problems.len()).filter(|at| is_race(&self.problems[*at])).collect();
        let (mut races, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.problems).into_iter().partition(is_race);
        races.sort_by_cached_key(|(number, race)| !names_cause(race, kernels[*number].kernel));
        self.problems = others;
        for (at, race) in at.into_iter().zip(races) {
            self.problems.insert(at, race);
        }
    }

    /// Whether a kernel with a number accesses memory, and no execution does.
    fn executes_no_access(&self, number: usize, kernel: &Kernel) -> bool {
        let accesses = kernel.memory_accesses();
        !accesses.is_empty() && !accesses.iter().any(|place| self.executed.contains(&(number, *place)))
    }

    fn add(&mut self, found: Verification, number: usize) {
        let total = &mut self.total;
        total.states += found.states;
        total.executions += found.executions;
        total.final_states += found.final_states;
        if let (None, Some(why)) = (total.unfinished(), found.unfinished()) {
            let places = match why {
                Omission::LoadBuffering(_) => found.buffered_reads,
                why => found.omitted.places(why),
            };
            self.undecided.extend(places.into_iter().map(|place| (number, place)));
        }
        total.omissions.extend(found.omissions);
        total.has_further_final_states |= found.has_further_final_states;
        total.unknown_result = total.unknown_result.take().or(found.unknown_result);
        (total.example, self.last) = (found.example, number);
        self.problems.extend(found.problems.into_iter().map(|problem| (number, problem)));
        for note in found.notes {
            let place = |note: &FoundProblem| note.problem.as_ref().map(|problem| problem.place);
            if !self.notes.iter().any(|(other, known)| *other == number && place(known) == place(&note)) {
                self.notes.push((number, note));
            }
        }
        match found.fair_cycle {
            Some(FairCycle::GivesWay(places)) => self.gives_way.extend(places.into_iter().map(|place| (number, place))),
            Some(FairCycle::Starves(places)) => self.starves.extend(places.into_iter().map(|place| (number, place))),
            None => {}
        }
        self.executed.extend(found.executed.into_iter().map(|place| (number, place)));
        for (place, most) in found.rounds {
            let known = self.rounds.entry((number, place)).or_default();
            *known = most.max(*known);
        }
    }
}

/// The most bytes of the memories that a kernel can leave, at least.
const MOST_LEFT: usize = 512 << 20;

/// The bytes of them for each state of the bound.
const LEFT_BY_STATE: usize = 512;

/// The most bytes of the memories that a kernel can leave.
fn most_left(bounds: VerificationBounds) -> usize {
    MOST_LEFT.max(bounds.states.saturating_mul(LEFT_BY_STATE))
}

/// The memories that a kernel can leave, each once.
#[derive(Default)]
struct LeftMemories {
    /// The index of each.
    known: BTreeMap<[u64; 2], usize>,
    memories: Vec<GlobalMemory>,
    /// The kernels that may still run when the next one begins with each of them.
    overlapped: Vec<Vec<OverlappedKernel>>,
    /// The memories that the search under way has left.
    current: BTreeSet<usize>,
    bytes: usize,
    /// Whether one was left out, as there are too many.
    is_full: bool,
}

impl LeftMemories {
    /// Adds one; `before` is what its kernel began with, if the tensor maps that this one has changed are noted.
    fn add(&mut self, memory: &GlobalMemory, before: Option<&GlobalMemory>, most: usize) {
        let known = self.known.entry(fingerprint(memory));
        let at = *known.or_insert(self.memories.len());
        self.current.insert(at);
        if at == self.memories.len() {
            let bytes = self.bytes + memory.allocations().iter().map(|one| one.region.len()).sum::<usize>();
            if bytes > most && !self.memories.is_empty() {
                self.is_full = true;
                return;
            }
            self.bytes = bytes;
            self.memories.push(memory.clone());
            self.overlapped.push(Vec::new());
        }
        // Executions that lead to the same memory need not have changed the same maps: each of them can be the one that comes before.
        if let Some(before) = before {
            self.memories[at].note_changed_maps(before);
        }
    }

    /// The search under way has ended: what may still run after it.
    fn overlap(&mut self, running: &[OverlappedKernel]) {
        for at in std::mem::take(&mut self.current) {
            if let Some(known) = self.overlapped.get_mut(at) {
                known.extend(running.iter().cloned());
            }
        }
    }
}

/// What tells two memories apart for a kernel that runs behind.
fn fingerprint(memory: &GlobalMemory) -> [u64; 2] {
    [0_u8, 1].map(|half| {
        let mut hash = DefaultHasher::new();
        half.hash(&mut hash);
        for one in memory.allocations() {
            one.address.hash(&mut hash);
            one.region.hash_contents(&mut hash);
        }
        hash.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::{AllocationKind, MemoryBytes};

    #[test]
    fn memories_are_kept_once_and_up_to_a_limit() {
        let memory = |value: u8| {
            let mut memory = GlobalMemory::default();
            memory.allocate("a".into(), MemoryBytes::defined(vec![value; 100]), AllocationKind::Buffer);
            memory
        };
        let mut left = LeftMemories::default();
        for value in [1, 2, 1, 2] {
            left.add(&memory(value), None, 200);
        }
        assert_eq!((left.memories.len(), left.is_full), (2, false));
        left.add(&memory(3), None, 200);
        assert_eq!((left.memories.len(), left.is_full), (2, true));
    }
}
