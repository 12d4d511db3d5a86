//! Kernels that run one after another, each on the memory that the one before has left. Their boundary orders everything, so each is checked by
//! itself, from every memory that those before can leave.

use super::question::CheckQuestion;
use super::report::RunProblem;
use super::{PreparedKernel, failure_message, read_array, read_written, unsupported};
use diagnostics::Context;
use emulator::machine::{
    self, FairCycle, FoundProblem, GlobalMemory, Launch, MachineAction, RunResult, Trace, Unfinished, Verification,
    VerifiedLaunch, verify,
};
use evaluation::kernel::Kernel;
use evaluation::kernel::launch::{LaunchableKernel, prepare_following};
use evaluation::kernel::launch_memory::KernelMemory;
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::num::NonZeroUsize;

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

/// What is known about all executions of the kernels of a stream.
#[derive(Default)]
pub struct StreamVerification {
    /// The sums and reasons of all searches, without problems and notes.
    pub total: Verification,
    /// The problems, each with the number of its kernel.
    pub problems: Vec<(usize, FoundProblem)>,
    /// The notes, each with the number of its kernel.
    pub notes: Vec<(usize, FoundProblem)>,
    /// The lines of loops that a thread has repeated, and the most rounds in a row.
    pub rounds: BTreeMap<usize, u32>,
    /// The lines at which threads can give way to each other forever.
    pub gives_way: BTreeSet<usize>,
    /// The lines at which a thread can wait in vain forever while others go around.
    pub starves: BTreeSet<usize>,
    /// The number of the kernel that the example is of.
    pub last: usize,
}

/// What a run of all kernels of a stream leads to.
pub struct RanStream {
    /// The result of the last kernel, with the output and the instructions of all.
    pub result: RunResult,
    /// The problems of all kernels.
    pub problems: Vec<RunProblem>,
    /// The notes of all kernels.
    pub notes: Vec<RunProblem>,
    /// What was traced of each kernel.
    pub traces: Vec<Trace>,
}

impl PreparedKernel {
    /// Runs all kernels, on up to so many cores.
    pub fn run(&self, cores: NonZeroUsize) -> Result<RanStream, String> {
        let file = &self.snapshot.file;
        let run = |kernel: StreamKernel, memory| {
            let result = machine::run_and_keep(&kernel.kernel.program, kernel.launch, memory, cores);
            let (result, remains) = result.map_err(|error| error.to_string())?;
            match &result.unsupported {
                Some(found) => Err(unsupported(&self.name, file, kernel.kernel, found)),
                None => Ok((result, remains)),
            }
        };
        let (mut problems, mut notes) = (Vec::new(), Vec::new());
        let mut add = |result: &RunResult, kernel: &Kernel| {
            problems.extend(result.problems.iter().map(|problem| RunProblem::of(problem, kernel, file)));
            notes.extend(result.notes.iter().map(|note| RunProblem::note(note, kernel, file)));
        };
        let (mut result, mut remains) = run(
            StreamKernel { kernel: &self.kernel, memory: &self.memory, launch: &self.launch },
            self.memory.memory.clone(),
        )?;
        add(&result, &self.kernel);
        let mut traces = vec![std::mem::take(&mut result.trace)];
        for kernel in self.stream().into_iter().skip(1) {
            drop(remains);
            result.memory.end_earlier();
            if reads_tensor_maps(kernel) {
                result.memory.note_changed_maps(&self.memory.memory);
            }
            let mut next;
            (next, remains) = run(kernel, std::mem::take(&mut result.memory))?;
            add(&next, kernel.kernel);
            traces.push(std::mem::take(&mut next.trace));
            next.executed += result.executed;
            next.output.splice(0..0, std::mem::take(&mut result.output));
            result = next;
        }
        // The process ends soon, but for a page, which runs one kernel after another.
        if !cfg!(target_family = "wasm") {
            std::mem::forget(remains);
        }
        Ok(RanStream { result, problems, notes, traces })
    }

    /// All kernels of the stream.
    pub fn stream(&self) -> Vec<StreamKernel<'_>> {
        let first = StreamKernel { kernel: &self.kernel, memory: &self.memory, launch: &self.launch };
        let following = self.following.iter().map(|LaunchableKernel { kernel, memory, launch }| StreamKernel {
            kernel,
            memory,
            launch,
        });
        std::iter::once(first).chain(following).collect()
    }

    /// The last kernel, whose memory has the buffers of all.
    pub fn last(&self) -> StreamKernel<'_> {
        let first = StreamKernel { kernel: &self.kernel, memory: &self.memory, launch: &self.launch };
        self.stream().pop().unwrap_or(first)
    }

    /// Adds kernels that run after the first one, as they are written.
    pub fn add_following(&mut self, launches: &[String], max_instructions: u64) -> Result<(), String> {
        let module = Context::new(&self.snapshot).module;
        let file = &self.snapshot.file;
        for written in launches {
            let wanted = read_written("then", written)?;
            if !wanted.earlier.is_empty() {
                return Err(format!("--then \"{written}\": `earlier` is about the first kernel"));
            }
            let before = self.following.last().map_or(&self.memory, |last| &last.memory);
            let prepared = prepare_following(file, module, &wanted, max_instructions, (before, &mut read_array));
            self.following.push(prepared.map_err(|failure| {
                format!("--then \"{written}\": {}", failure_message(failure, &self.name, file, ""))
            })?);
        }
        // The buffers of all kernels are there from the beginning.
        if let Some(last) = self.following.last() {
            self.memory.memory = last.memory.memory.clone();
        }
        Ok(())
    }
}

/// Whether a kernel has instructions that read tensor maps.
fn reads_tensor_maps(kernel: StreamKernel) -> bool {
    let code = kernel.kernel.program.functions.iter().flat_map(|function| &function.code);
    code.into_iter().any(|one| matches!(one.action, MachineAction::TensorCopy(_)))
}

/// The most bytes of the memories that a kernel can leave.
const MOST_LEFT: usize = 512 << 20;

/// The memories that a kernel can leave, each once.
#[derive(Default)]
struct LeftMemories {
    known: BTreeSet<[u64; 2]>,
    memories: Vec<GlobalMemory>,
    bytes: usize,
    /// Whether one was left out, as there are too many.
    is_full: bool,
}

impl LeftMemories {
    fn add(&mut self, memory: &GlobalMemory, most: usize) {
        if !self.known.insert(fingerprint(memory)) {
            return;
        }
        let bytes = self.bytes + memory.allocations().iter().map(|one| one.region.len()).sum::<usize>();
        if bytes > most && !self.memories.is_empty() {
            self.is_full = true;
            return;
        }
        self.bytes = bytes;
        self.memories.push(memory.clone());
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

impl CheckQuestion<'_> {
    /// Asks about all kernels of a stream.
    pub fn ask_stream(&self, prepared: &PreparedKernel) -> Result<StreamVerification, String> {
        let mut all = StreamVerification::default();
        let mut memories = vec![prepared.memory.memory.clone()];
        let kernels = prepared.stream();
        for (number, kernel) in kernels.iter().enumerate() {
            let is_last = number + 1 == kernels.len();
            let left = RefCell::new(LeftMemories::default());
            let leave = |memory: &GlobalMemory| {
                left.borrow_mut().add(memory, MOST_LEFT);
                Vec::new()
            };
            let is_over = || left.borrow().is_full || (self.is_late)();
            let claims: &dyn Fn(&GlobalMemory) -> Vec<String> = if is_last { self.claims } else { &leave };
            all.total.ends = 0;
            for memory in &memories {
                let asked = VerifiedLaunch {
                    program: &kernel.kernel.program,
                    launch: kernel.launch,
                    memory,
                    claims,
                    cancelled: &is_over,
                    example: self.example,
                };
                let mut bounds = self.bounds;
                bounds.states = bounds.states.saturating_sub(all.total.states);
                let mut found = verify(asked, bounds).map_err(|error| error.to_string())?;
                if left.borrow().is_full {
                    found.unfinished = Some(Unfinished::States);
                }
                // What a later kernel reads has to be known; claims about what the last one leaves are the caller's.
                let unknown = found.unknown_result.as_ref().filter(|_| !is_last && found.problems.is_empty());
                if let Some(at) = found.unsupported.as_ref().or(unknown) {
                    return Err(unsupported(&prepared.name, &prepared.snapshot.file, kernel.kernel, at));
                }
                all.add(found, number, *kernel, prepared);
                if !all.problems.is_empty() || all.total.unfinished.is_some() {
                    return Ok(all);
                }
            }
            memories = left.into_inner().memories;
            memories.iter_mut().for_each(GlobalMemory::end_earlier);
            if kernels.get(number + 1).is_some_and(|next| reads_tensor_maps(*next)) {
                memories.iter_mut().for_each(|memory| memory.note_changed_maps(&prepared.memory.memory));
            }
        }
        Ok(all)
    }
}

impl StreamVerification {
    /// Whether all executions were explored.
    pub fn is_complete(&self) -> bool {
        self.total.is_complete()
    }

    fn add(&mut self, found: Verification, number: usize, kernel: StreamKernel, prepared: &PreparedKernel) {
        let total = &mut self.total;
        total.states += found.states;
        total.executions += found.executions;
        total.ends += found.ends;
        total.unfinished = total.unfinished.or(found.unfinished);
        total.may_buffer_loads |= found.may_buffer_loads;
        total.has_shortened_waits |= found.has_shortened_waits;
        total.loses_reads |= found.loses_reads;
        total.unknown_result = found.unknown_result;
        (total.example, self.last) = (found.example, number);
        self.problems.extend(found.problems.into_iter().map(|problem| (number, problem)));
        for note in found.notes {
            let place = |note: &FoundProblem| note.problem.as_ref().map(|problem| problem.place);
            if !self.notes.iter().any(|(other, known)| *other == number && place(known) == place(&note)) {
                self.notes.push((number, note));
            }
        }
        let line = |place| prepared.snapshot.file.position(kernel.kernel.range(place).start).line + 1;
        match found.fair_cycle {
            Some(FairCycle::GivesWay(places)) => self.gives_way.extend(places.into_iter().map(line)),
            Some(FairCycle::Starves(places)) => self.starves.extend(places.into_iter().map(line)),
            None => {}
        }
        for (place, most) in found.rounds {
            let known = self.rounds.entry(line(place)).or_default();
            *known = most.max(*known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use emulator::machine::{AllocationKind, MemoryBytes};

    #[test]
    fn memories_are_kept_once_and_up_to_a_limit() {
        let memory = |value: u8| {
            let mut memory = GlobalMemory::default();
            memory.allocate("a".into(), MemoryBytes::defined(vec![value; 100]), AllocationKind::Buffer);
            memory
        };
        let mut left = LeftMemories::default();
        for value in [1, 2, 1, 2] {
            left.add(&memory(value), 200);
        }
        assert_eq!((left.memories.len(), left.is_full), (2, false));
        left.add(&memory(3), 200);
        assert_eq!((left.memories.len(), left.is_full), (2, true));
    }
}
