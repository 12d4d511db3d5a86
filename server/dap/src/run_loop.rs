//! The loop that runs the kernel, and repeats it from a checkpoint to go back.

use crate::checkpoints::{Checkpoint, Checkpoints};
use crate::debugger::{Debugger, RunPosition};
use crate::goals::{RunGoal, RunMode};
use crate::launch::{LaunchConfiguration, LoadKernel};
use crate::target::DebugTarget;
use machine::{ObservedRun, RunOutcome, RunResult};
use serde_json::{Value, json};

impl Debugger {
    /// Runs the kernel until it ends and nothing asks for another run; the configuration may ask for a stop at its first instruction instead of
    /// the goal.
    pub fn run(&mut self, goal: RunGoal, loader: &dyn LoadKernel) {
        let Some(target) = self.target.clone() else { return };
        let goal = match &target.configuration {
            LaunchConfiguration { no_debug: true, .. } => RunGoal::Continue,
            LaunchConfiguration { stop_on_entry: true, .. } => RunGoal::Entry,
            _ => goal,
        };
        self.begin_session(RunMode::Forward(goal));
        let mut checkpoints = Checkpoints::default();
        let (mut paused, mut begin) = (None, 0);
        loop {
            let run = match paused.take() {
                Some(run) => Ok(run),
                None => self.begin((&target, loader), &mut checkpoints).inspect(|_| begin = self.position.step),
            };
            let run = match run {
                Ok(run) => run,
                Err(error) => {
                    self.client.output("stderr", &format!("{error}\n"));
                    return self.finish(2);
                }
            };
            self.pause_at = checkpoints.due(self.position.step, self.goal_step());
            match run.advance(self) {
                RunOutcome::Paused(run) => {
                    self.drop_outdated(&mut checkpoints);
                    let footprint = run.footprint();
                    if checkpoints.have_room(&footprint) {
                        let (position, counted) = (self.position.clone(), self.breakpoints.counted());
                        let one = Checkpoint { position, counted, footprint, run: run.clone() };
                        checkpoints.add(one, self.goal_step());
                    }
                    paused = Some(run);
                }
                RunOutcome::Ended(_) if self.has_left() => return,
                RunOutcome::Ended(result) => match self.next_mode(begin) {
                    Some(mode) => self.mode = mode,
                    None => return self.summarize(&target, &result),
                },
            }
        }
    }

    /// The run that the mode asks for: from the last checkpoint before the step, or from the beginning.
    fn begin<'p>(
        &mut self,
        (target, loader): (&'p DebugTarget, &dyn LoadKernel),
        checkpoints: &mut Checkpoints<'p>,
    ) -> Result<ObservedRun<'p>, String> {
        self.drop_outdated(checkpoints);
        let from = match &self.mode {
            RunMode::Forward(_) => None,
            RunMode::Search { before, .. } => checkpoints.before(before - 1, &self.breakpoints),
            RunMode::Replay { until, .. } => checkpoints.before(*until, &self.breakpoints),
        };
        self.breakpoints.forget_hits();
        let Some(from) = from else {
            self.position = RunPosition::default();
            let memory = target.initial_memory(loader)?;
            let run = ObservedRun::new(&target.loaded.kernel.program, &target.loaded.launch, memory);
            return run.map_err(|error| error.to_string());
        };
        self.breakpoints.take_hits(&from.counted);
        self.position = RunPosition { accessed: None, ..from.position.clone() };
        let run = from.run.clone();
        // Breakpoints on memory may be others than then.
        for access in std::mem::take(&mut self.position.recent) {
            self.watch(&access);
            self.position.recent.push(access);
        }
        Ok(run)
    }

    /// Drops the checkpoints of a run without the last edits.
    fn drop_outdated(&mut self, checkpoints: &mut Checkpoints) {
        if let Some(step) = self.edits.take_changed() {
            checkpoints.drop_from(step);
        }
    }

    /// The step that the run goes to, as far as it is known.
    const fn goal_step(&self) -> u64 {
        match &self.mode {
            RunMode::Forward(_) => self.position.step,
            RunMode::Search { before, .. } => *before,
            RunMode::Replay { until, .. } => *until,
        }
    }

    /// How the run is repeated, after it has ended; `begin` is the step from which it was.
    fn next_mode(&mut self, begin: u64) -> Option<RunMode> {
        let mode = std::mem::replace(&mut self.mode, RunMode::Forward(RunGoal::Continue));
        match (self.next.take(), mode) {
            (Some(next), _) => Some(next),
            (None, RunMode::Search { found: Some((until, stop)), .. }) => Some(RunMode::Replay { until, stop }),
            (None, RunMode::Search { goal, .. }) if begin > 0 => {
                Some(RunMode::Search { before: begin + 1, goal, found: None })
            }
            (None, RunMode::Search { .. }) => Some(RunMode::Forward(RunGoal::Entry)),
            (None, _) => None,
        }
    }

    /// Shows the buffers and the number of problems, and ends.
    fn summarize(&mut self, target: &DebugTarget, result: &RunResult) {
        self.client.output("console", &target.summary(result));
        let code = match (&result.unsupported, &*result.problems) {
            (Some(_), _) => 2,
            (None, []) => 0,
            _ => 1,
        };
        self.finish(code);
    }

    /// Tells the client that the run has ended.
    pub fn finish(&mut self, code: i32) {
        self.stopped = None;
        self.client.event("exited", json!({ "exitCode": code }));
        self.client.event("terminated", Value::Null);
    }
}
