//! `lint`: checks files, prints the diagnostics, and sets the exit code.

mod arguments;
mod cache;
mod changed_lines;
mod check;
mod device_code;
mod fix;
mod git;
mod outputs;
mod progress;
mod show_settings;
mod watch;

use crate::baseline::BaselineWriter;
use crate::exit::{Exit, fail, fail_all, warn};
use crate::fingerprint::SuppressedBy;
use crate::output::{self, Stream};
use crate::render::RunSummary;
use changed_lines::{LeftOut, not_compared};
use check::{CheckedFile, FixMode, LintJob, MemoryUse, check};
use device_code::DeviceCode;
use hosts::Language;
use outputs::Outputs;
use project::{Discovery, NamedFiles, SkippedFiles, discover, read};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

pub use arguments::{LintArguments, MOST_JOBS};
pub use progress::FileProgress;

/// Runs `lint`.
pub fn run(arguments: &LintArguments) -> Exit {
    if let Some(conflict) = arguments.conflict() {
        return fail(conflict);
    }
    // This thread takes part: the system's allocator is slower in other threads. The global pool would wait until all of them have started.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(arguments.jobs.into()).use_current_thread();
    let _pool = match threads.build() {
        Ok(pool) => pool,
        Err(error) => return fail(format!("cannot start {} threads: {error}", arguments.jobs)),
    };
    if !arguments.watch {
        return run_once(arguments);
    }
    let again = || {
        run_once(arguments);
    };
    match watch::watch(&arguments.paths(), again) {
        Ok(()) => Exit::Clean,
        Err(reason) => fail(reason),
    }
}

fn run_once(arguments: &LintArguments) -> Exit {
    let mut job = match arguments.job() {
        Ok(job) => job,
        Err(reasons) => return fail_all(reasons),
    };
    let paths = arguments.paths();
    let named = if arguments.force_exclude { NamedFiles::MayBeExcluded } else { NamedFiles::AlwaysIncluded };
    let mut found = discover(&paths, &job.projects, named, arguments.vendored_files());
    if let Some(fix) = &mut job.fix {
        found.each_once();
        fix.links = std::mem::take(&mut found.links);
    }
    let mut exit = name_failures(&found, job.fix.as_ref());
    let (extracted, failures) = extract(&mut found.files, &arguments.paths, &mut job);
    for failure in &failures {
        exit = exit.max(fail(failure));
    }
    if found.files.is_empty() && found.failures.is_empty() && failures.is_empty() && !arguments.force_exclude {
        let reason = nothing(&paths, found.skipped);
        // Finding nothing is an error only if paths were named.
        if !arguments.paths.is_empty() {
            return fail(reason);
        }
        output::say(&format!("ptx-atomics: {reason}"));
    }
    if job.changes.is_some() && found.files.iter().any(|path| read::is_stdin(path)) {
        return fail("cannot use --diff with standard input");
    }
    let left_out = job.changes.as_mut().map(|changes| changes.retain_changed(&mut found.files)).transpose();
    let LeftOut { unchanged, failures } = match left_out {
        Ok(left_out) => left_out.unwrap_or_default(),
        Err(reason) => return fail(reason),
    };
    for failure in &failures {
        exit = exit.max(fail(failure));
    }
    if found.files.len() == 1 && job.fix.is_none() && !arguments.watch {
        job.memory = MemoryUse::LeftToSystem;
    }
    let writes_fixes = job.fix.as_ref().is_some_and(|fix| !fix.dry_run);
    let fixes_stdin = writes_fixes && found.files.iter().any(|path| read::is_stdin(path));
    // Standard output is for the fixed text.
    let stream = if fixes_stdin { Stream::Error } else { Stream::Output };
    let (style, pages) = (arguments.style(stream), arguments.pages.as_ref());
    let outputs = Outputs::new(stream, arguments.format, style, &arguments.outputs, pages);
    let totals = RunSummary { skipped: found.skipped, unchanged, ..RunSummary::default() };
    let is_compared = |path: &PathBuf| job.changes.as_ref().is_none_or(|changes| changes.uncompared(path).is_none());
    let compares_any = unchanged > 0 || found.files.iter().any(is_compared);
    let mut run = LintRun { arguments, job, outputs, reported: BTreeSet::new(), exit, fixed: 0, totals, compares_any };
    let done = if arguments.show_settings { run.show(&found.files) } else { run.lint(&found.files) };
    drop(extracted);
    match done {
        // A closed output is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => run.exit,
        Err(error) => fail(format!("cannot write: {}", read::reason(&error))),
        Ok(()) => run.exit,
    }
}

/// Names what the search could not read.
fn name_failures(found: &Discovery, fix: Option<&FixMode>) -> Exit {
    let writes = fix.is_some_and(|fix| !fix.dry_run);
    let mut exit = found.failures.iter().map(fail).max().unwrap_or(Exit::Clean);
    for refused in &found.refused {
        // More is checked than was wanted, which harms nobody; more is written, too.
        exit = exit.max(if writes { fail(refused) } else { warn(refused) });
    }
    exit
}

/// Replaces the binary files among the named ones by the PTX and SASS in them, and adds their names to the job. Returns what holds the
/// extracted files, and messages for the user.
fn extract(files: &mut Vec<PathBuf>, named: &[PathBuf], job: &mut LintJob) -> (Vec<DeviceCode>, Vec<String>) {
    let (mut extracted, mut failures) = (Vec::new(), Vec::new());
    let is_binary =
        |path: &Path| !read::is_stdin(path) && named.iter().any(|named| named == path) && device_code::is_binary(path);
    let (binaries, mut texts): (Vec<_>, Vec<_>) = files.drain(..).partition(|path| is_binary(path));
    for binary in binaries {
        match device_code::extract(&binary) {
            Ok(code) => extracted.push(code),
            Err(reason) => failures.push(reason),
        }
    }
    for file in extracted.iter().flat_map(|code: &DeviceCode| &code.files) {
        job.names.insert(file.path.clone(), file.shown.clone());
        texts.push(file.path.clone());
    }
    *files = texts;
    (extracted, failures)
}

/// The message that no file was found.
fn nothing(paths: &[PathBuf], skipped: SkippedFiles) -> String {
    let places: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    let endings: Vec<_> =
        Language::ALL.iter().flat_map(|language| language.endings()).map(|ending| format!("*.{ending}")).collect();
    let mut reason = format!(
        "nothing to lint in {}: looked for PTX, SASS, litmus tests and asm statements in {}",
        places.join(", "),
        endings.join(" ")
    );
    let counts = RunSummary { skipped, ..RunSummary::default() }.lines();
    if !counts.is_empty() {
        reason += &format!("; {}", counts.trim_end());
    }
    reason
}

/// Files per thread that are checked before the first is printed.
const AHEAD: usize = 16;

/// One run over all files.
struct LintRun<'a> {
    arguments: &'a LintArguments,
    job: LintJob,
    outputs: Outputs,
    /// Errors reported so far: an invalid settings file affects many sources and is reported once.
    reported: BTreeSet<String>,
    exit: Exit,
    fixed: usize,
    totals: RunSummary,
    /// Whether `--diff` has compared a file, or is not given.
    compares_any: bool,
}

impl LintRun<'_> {
    fn show(&mut self, files: &[PathBuf]) -> io::Result<()> {
        let (text, errors) = show_settings::show(&self.job, files);
        self.outputs.say(&text)?;
        errors.into_iter().try_for_each(|error| self.fail(error))?;
        self.outputs.flush()
    }

    /// Checks files in parallel, and prints them in order.
    fn lint(&mut self, files: &[PathBuf]) -> io::Result<()> {
        let bar = self.progress(files.len());
        let mut baseline = self.arguments.write_baseline.as_deref().map(BaselineWriter::new);
        for files in files.chunks(rayon::current_num_threads() * AHEAD) {
            let outcomes: Vec<_> = files
                .par_iter()
                .map(|path| {
                    let outcome = check(&self.job, path);
                    bar.step();
                    outcome
                })
                .collect();
            for (path, outcome) in files.iter().zip(outcomes) {
                outcome.errors.into_iter().try_for_each(|error| self.fail(error))?;
                match outcome.checked {
                    Some(checked) => bar.suspend(|| self.take(path, &checked, &mut baseline))?,
                    None => self.totals.unreadable += 1,
                }
            }
        }
        bar.finish();
        if let Some(baseline) = baseline {
            self.outputs.say("")?;
            match baseline.write() {
                Ok(1) => self.note("1 finding written to the baseline"),
                Ok(count) => self.note(&format!("{count} findings written to the baseline")),
                Err(reason) => self.fail(reason)?,
            }
        }
        if self.fixed > 0 {
            let (verb, noun) = (if self.arguments.dry_run { "would be fixed" } else { "fixed" }, self.fixed);
            self.note(&format!("{noun} {} {verb}", if noun == 1 { "finding" } else { "findings" }));
        }
        for failure in self.outputs.finish(&self.totals)? {
            self.fail(failure)?;
        }
        Ok(())
    }

    fn take(&mut self, path: &Path, checked: &CheckedFile, baseline: &mut Option<BaselineWriter>) -> io::Result<()> {
        self.fixed += checked.fixed;
        self.totals.add(&checked.name, checked.coverage);
        if let Some(text) = &checked.output
            && let Err(reason) = output::payload(text)
        {
            self.fail(reason)?;
        }
        if let Some(baseline) = baseline {
            baseline.add(self.job.named(path), &checked.diagnostics);
            return Ok(());
        }
        let open = checked.diagnostics.iter().filter(|found| found.accepted.is_none());
        if open.into_iter().any(|found| self.arguments.fails(found.diagnostic.severity)) {
            self.exit = self.exit.max(Exit::Errors);
        }
        self.name_uncompared(path, checked)?;
        if self.arguments.dry_run {
            return self.outputs.diff(&checked.diff);
        }
        self.outputs.file(checked)
    }

    /// Names a file whose findings are not shown because it was not compared. That is a failure only if no file was.
    fn name_uncompared(&mut self, path: &Path, checked: &CheckedFile) -> io::Result<()> {
        let Some(reason) = self.job.changes.as_ref().and_then(|changes| changes.uncompared(path)) else {
            return Ok(());
        };
        let reason = not_compared(path, reason);
        let hidden = checked.diagnostics.iter().filter(|found| found.accepted == Some(SuppressedBy::NotCompared));
        let message = match hidden.count() {
            0 => return Ok(()),
            1 => format!("{reason}; its finding is not shown"),
            count => format!("{reason}; its {count} findings are not shown"),
        };
        if !self.compares_any {
            return self.fail(message);
        }
        self.outputs.flush()?;
        warn(message);
        Ok(())
    }

    /// A progress bar, if standard error is a terminal and there are several files.
    fn progress(&self, files: usize) -> FileProgress {
        if self.arguments.quiet || files < 2 || !output::is_progress_watched() {
            return FileProgress::hidden();
        }
        FileProgress::of(files)
    }

    fn note(&self, what: &str) {
        if !self.arguments.quiet {
            output::say(&format!("ptx-atomics: {what}"));
        }
    }

    fn fail(&mut self, reason: String) -> io::Result<()> {
        // Flush the diagnostics first, so that both streams are in order in a terminal.
        self.outputs.flush()?;
        if self.reported.insert(reason.clone()) {
            self.exit = self.exit.max(fail(reason));
        }
        Ok(())
    }
}
