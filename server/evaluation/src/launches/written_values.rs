//! What instructions that are no atomics write in thread 0 of CTA 0 of a launch, or in the first thread that executes them if that one does not.

use crate::comments::{ExecutionValues, NamedContent, RegisterUse, WritingInstruction};
use crate::launches::cache::{LaunchCache, LaunchKey};
use kernel::Kernel;
use kernel::arguments::launch::LaunchableKernel;
use kernel::stream::StreamKernel;
use machine::{ObservedAccess, ObservedMemory, RunControl, RunObserver, RunState, ThreadView};
use program::{CodePlace, MachineAccessKind, MachineGuard, ThreadId};
use std::ops::Range;
use std::sync::Arc;

/// The thread whose values are shown if it executes the instruction.
pub const PREFERRED: ThreadId = ThreadId { cta: 0, thread: 0 };

/// What is read when a thread executes an instruction.
#[derive(Clone, Debug)]
pub struct WrittenQuestion {
    instruction: WritingInstruction,
    function: u32,
    /// The instructions of the machine that it consists of.
    code: Range<u32>,
    guard: Option<MachineGuard>,
    /// The registers that it names.
    registers: Vec<QuestionRegister>,
    /// The slots that it writes.
    written: Vec<u32>,
}

/// A register of a question.
#[derive(Clone, Debug)]
struct QuestionRegister {
    name: String,
    slot: u32,
    bits: u32,
    ty: String,
}

/// The values of an execution and its thread.
pub type WrittenValues = (ThreadId, ExecutionValues);

impl WrittenQuestion {
    /// The question about an instruction of the text; `None` if the kernel does not have it.
    pub fn new(kernel: &Kernel, range: &Range<usize>, instruction: &WritingInstruction) -> Option<Self> {
        let within = |place: &Range<usize>| range.start <= place.start && place.start < range.end;
        let (function, places) = kernel.places.iter().enumerate().find(|(_, places)| places.iter().any(within))?;
        let first = places.iter().position(within)?;
        let length = places[first..].iter().take_while(|place| within(place)).count();
        let code = kernel.program.functions[function].code.get(first..first + length)?;
        let names = kernel.names.get(function)?;
        let register = |name: &String| {
            let (register, number, element) = names.find_register(name, first as u32)?;
            let slot = register.slot_of(number, element);
            Some(QuestionRegister { name: name.clone(), slot, bits: register.bits, ty: register.ty.clone() })
        };
        Some(Self {
            instruction: instruction.clone(),
            function: function as u32,
            code: first as u32..(first + length) as u32,
            guard: code.first().and_then(|one| one.guard),
            registers: instruction.registers.iter().filter_map(register).collect(),
            written: code.iter().flat_map(|one| one.action.written()).map(|one| one.slot).collect(),
        })
    }

    fn contains(&self, place: CodePlace) -> bool {
        place.function == self.function && self.code.contains(&place.instruction)
    }

    fn is_executed(&self, thread: ThreadView) -> bool {
        let allows = |guard: MachineGuard| {
            thread.register(0, guard.predicate).is_some_and(|register| (register.bits & 1 == 1) == guard.expected)
        };
        self.guard.is_none_or(allows)
    }

    /// The contents of the registers that it reads or writes.
    fn read(&self, thread: ThreadView, kind: RegisterUse) -> Vec<(String, NamedContent)> {
        let wanted = |one: &&QuestionRegister| match kind {
            RegisterUse::Read => self.instruction.sources.contains(&one.name),
            RegisterUse::Written => self.written.contains(&one.slot),
        };
        let content = |one: &QuestionRegister| {
            let low = thread.register(0, one.slot)?.bits;
            let high = if one.bits > 64 { thread.register(0, one.slot + 1)?.bits } else { 0 };
            let content =
                self.instruction.content(kind, &one.ty, one.bits, u128::from(high) << 64 | u128::from(low))?;
            Some((one.name.clone(), content))
        };
        self.registers.iter().filter(wanted).filter_map(content).collect()
    }
}

/// A thread that executes an instruction.
#[derive(Debug)]
struct RunningQuestion {
    at: usize,
    thread: ThreadId,
    calls: usize,
    inputs: Vec<(String, NamedContent)>,
    /// Where it has written, and how many bytes.
    memory: Option<(ObservedMemory, usize)>,
}

/// Answers questions when a thread has executed an instruction.
#[derive(Debug)]
struct WrittenObserver<'q> {
    questions: &'q [WrittenQuestion],
    /// The questions that the preferred thread has not answered.
    open: Vec<usize>,
    running: Vec<RunningQuestion>,
    answers: Vec<Option<WrittenValues>>,
}

impl RunObserver for WrittenObserver<'_> {
    fn before(&mut self, state: &RunState) -> RunControl {
        self.finish(state);
        let Some(group) = state.running() else { return RunControl::Continue };
        let questions = self.questions;
        let begins = |at: &usize| {
            questions[*at].function == group.place.function && questions[*at].code.start == group.place.instruction
        };
        if let Some(position) = self.open.iter().position(begins) {
            let at = self.open[position];
            let mut threads = group.threads().filter_map(|thread| state.thread(thread));
            if let Some(thread) = threads.find(|thread| questions[at].is_executed(*thread)) {
                let is_preferred = thread.id() == PREFERRED;
                if is_preferred {
                    self.open.remove(position);
                    self.running.retain(|one| one.at != at);
                }
                let is_first = self.answers[at].is_none() && self.running.iter().all(|one| one.at != at);
                if is_preferred || is_first {
                    let inputs = questions[at].read(thread, RegisterUse::Read);
                    let (thread, calls) = (thread.id(), thread.calls().len());
                    self.running.push(RunningQuestion { at, thread, calls, inputs, memory: None });
                }
            }
        }
        if self.open.is_empty() && self.running.is_empty() { RunControl::Stop } else { RunControl::Continue }
    }

    fn accessed(&mut self, access: &ObservedAccess) {
        let questions = self.questions;
        let is_its =
            |one: &&mut RunningQuestion| one.thread == access.thread && questions[one.at].contains(access.place);
        if access.kind == MachineAccessKind::Write
            && let Some(one) = self.running.iter_mut().find(is_its)
        {
            one.memory = Some((access.memory, access.size as usize));
        }
    }

    fn ended(&mut self, state: &RunState) {
        self.finish(state);
    }
}

impl WrittenObserver<'_> {
    /// Answers the questions whose threads have gone on.
    fn finish(&mut self, state: &RunState) {
        let mut at = 0;
        while let Some(one) = self.running.get(at) {
            let question = &self.questions[one.at];
            let thread = state.thread(one.thread);
            let is_there = |thread: ThreadView| {
                let calls = thread.calls();
                calls.len() > one.calls || calls.first().is_some_and(|place| question.contains(*place))
            };
            if thread.is_some_and(is_there) {
                at += 1;
                continue;
            }
            let registers = thread.map(|thread| question.read(thread, RegisterUse::Written)).unwrap_or_default();
            let stored = one.memory.and_then(|(memory, size)| {
                let (bytes, _) = state.read(memory, size)?;
                question.instruction.stored(&bytes)
            });
            let registers = registers.into_iter().map(|(name, content)| (Some(name), content));
            let results = registers.chain(stored.map(|content| (None, content))).collect();
            let one = self.running.remove(at);
            self.answers[one.at] = Some((one.thread, ExecutionValues { inputs: one.inputs, results }));
        }
    }
}

/// The answers to questions about a launch, in their order; `None` for an instruction that no thread executes.
pub fn written_values(
    prepared: &LaunchableKernel,
    questions: &[WrittenQuestion],
    cache: &LaunchCache,
) -> Arc<Vec<Option<WrittenValues>>> {
    let key = LaunchKey::of(&[StreamKernel::new(prepared)], &format!("{questions:?}"));
    cache.result(key, || {
        let (open, answers) = ((0..questions.len()).collect(), vec![None; questions.len()]);
        let mut observer = WrittenObserver { questions, open, running: Vec::new(), answers };
        let LaunchableKernel { kernel, memory, launch } = prepared;
        // A launch that the machine rejects has a diagnostic of its own.
        let _ = machine::observe(&kernel.program, launch, memory.memory.clone(), &mut observer);
        observer.answers
    })
}
