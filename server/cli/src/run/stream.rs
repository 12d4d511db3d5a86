//! Kernels that run one after another, each on the memory that the one before has left.

use super::at_source::{ProblemLevel, SourceView};
use super::failure::{ArgumentOption, failure_message};
use super::report::RunProblem;
use super::{PreparedKernel, read_array, read_written, unsupported};
use kernel::stream::{
    StreamFailure, StreamKernel, StreamPlace, StreamQuestion, StreamVerification, last_reader_of_maps, prepare_stream,
    verify_stream,
};
use kernel::{Kernel, KernelModule};
use litmus::keyword::THEN;
use machine::{RunResult, Trace};
use program::Problem;
use std::num::NonZeroUsize;

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
        let kernels = self.stream();
        let run = |number: usize, memory| {
            let kernel = &kernels[number];
            let launch = kernel.launch_before(kernels.get(number + 1));
            let result = machine::run_and_keep(&kernel.kernel.program, &launch, memory, cores);
            let (result, remains) = result.map_err(|error| error.to_string())?;
            match &result.unsupported {
                Some(found) => Err(unsupported(&self.name, file, kernel.kernel, found)),
                None => Ok((result, remains)),
            }
        };
        let (mut problems, mut notes) = (Vec::new(), Vec::new());
        let view = self.source_view();
        let shown = |one: &Problem, kernel: StreamKernel, level| view.as_ref()?.problem(one, (kernel, level), None);
        let mut add = |result: &RunResult, kernel: StreamKernel| {
            problems.extend(result.problems.iter().map(|problem| {
                let at_source = shown(problem, kernel, ProblemLevel::Error);
                RunProblem::of(problem, kernel, file).shown_as(at_source)
            }));
            notes.extend(result.notes.iter().map(|note| {
                let at_source = shown(note, kernel, ProblemLevel::Note);
                RunProblem::note(note, kernel, file).shown_as(at_source)
            }));
        };
        let (mut result, mut remains) = run(0, self.memory.memory.clone())?;
        add(&result, kernels[0]);
        let mut traces = vec![std::mem::take(&mut result.trace)];
        let last_reader = last_reader_of_maps(&kernels);
        let mut kept = (last_reader > Some(0)).then(|| self.memory.memory.clone());
        for (number, kernel) in kernels.iter().enumerate().skip(1) {
            let overlapped = kernel.overlapped(result.memory.overlapped(), || remains.usage());
            drop(remains);
            kept.iter().for_each(|before| result.memory.note_changed_maps(before));
            StreamKernel::begin_after(&mut result.memory, overlapped);
            kept = (last_reader > Some(number)).then(|| result.memory.clone());
            let mut next;
            (next, remains) = run(number, std::mem::take(&mut result.memory))?;
            add(&next, *kernel);
            traces.push(std::mem::take(&mut next.trace));
            next.executed += result.executed;
            next.output.splice(0..0, std::mem::take(&mut result.output));
            result = next;
        }
        if kernels.iter().any(|kernel| kernel.kernel.has_published_arithmetic()) {
            notes.extend(self.module.target.map(RunProblem::published_arithmetic));
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
        std::iter::once(first).chain(self.following.iter().map(StreamKernel::new)).collect()
    }

    /// The last kernel, whose memory has the buffers of all.
    pub fn last(&self) -> StreamKernel<'_> {
        let first = StreamKernel { kernel: &self.kernel, memory: &self.memory, launch: &self.launch };
        self.stream().pop().unwrap_or(first)
    }

    /// Adds kernels that run after the first one, as they are written.
    pub fn add_following(&mut self, launches: &[String], max_instructions: u64) -> Result<(), String> {
        if launches.is_empty() {
            return Ok(());
        }
        let file = &self.snapshot.file;
        let known = Kernel::names(file);
        let read = |written: &String| read_written((THEN, written), (&self.name, &known));
        let wanted = launches.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let prepared = prepare_stream(
            &mut KernelModule::of(file, self.module).with_source_names(&self.source.names),
            &mut self.memory,
            &wanted,
            max_instructions,
            &mut read_array,
        );
        self.following = prepared.map_err(|(number, failure)| {
            let message = failure_message(failure, (&self.name, file), ArgumentOption::Then);
            format!("--{THEN} \"{}\": {message}", launches[number])
        })?;
        Ok(())
    }

    /// Explores all executions of all kernels.
    pub fn verify(&self, question: &StreamQuestion) -> Result<StreamVerification, String> {
        let kernels = self.stream();
        verify_stream(&kernels, question).map_err(|failure| match failure {
            StreamFailure::Launch(error) => error.to_string(),
            StreamFailure::Unsupported(number, at) => {
                unsupported(&self.name, &self.snapshot.file, kernels[number].kernel, &at)
            }
        })
    }

    /// The source at which problems are shown, if the module was compiled from one.
    pub fn source_view(&self) -> Option<SourceView<'_>> {
        self.source.compiled.as_deref().map(|source| SourceView::new(&self.snapshot.file, source))
    }

    /// The line of an instruction.
    pub fn line(&self, (number, place): StreamPlace) -> usize {
        let kernels = self.stream();
        self.snapshot.file.position(kernels[number].kernel.range(place).start).line + 1
    }

    /// The lines of instructions as they are shown: of the source, if problems are shown there and the instruction is from a line of it.
    pub fn shown_lines(&self, places: &[StreamPlace]) -> Vec<Option<usize>> {
        let kernels = self.stream();
        let offsets: Vec<usize> = places.iter().map(|(at, place)| kernels[*at].kernel.range(*place).start).collect();
        match self.source_view() {
            Some(view) => view.lines(&offsets),
            None => offsets.iter().map(|at| Some(self.snapshot.file.position(*at).line + 1)).collect(),
        }
    }
}
