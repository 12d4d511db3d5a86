//! `lint`: checks files, prints the diagnostics, and sets the exit code.

mod check;
mod device_code;
mod fix;
mod outputs;
mod show_settings;
mod watch;

use crate::baseline::{Baseline, BaselineWriter};
use crate::exit::{Exit, fail, fail_all};
use crate::options::Overrides;
use crate::output::{self, Stream};
use crate::render::{OutputFormat, RunSummary, TextStyle};
use check::{CheckedFile, FixMode, LintJob, check};
use clap::{Args, ValueEnum, value_parser};
use device_code::DeviceCode;
use diagnostics::config::{level, preset};
use diagnostics::{Applicability, Settings, Severity};
use hosts::Language;
use indicatif::{ProgressBar, ProgressDrawTarget};
use outputs::{OutputFile, Outputs};
use project::{ConfigCache, NamedFiles, SkippedFiles, discover, read};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The lowest severity that causes exit code 1.
#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Hint,
    Never,
}

/// When to use colours.
#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// Maximum of `--jobs`: each thread needs memory.
const MOST_JOBS: i64 = 1024;

/// Arguments of `lint`.
#[derive(Args)]
pub struct LintArguments {
    /// Files, folders (PTX, SASS, C++ and Python with PTX inside), binaries with PTX or SASS, or - for standard input [default: .]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
    /// Enable a rule that is off by default, such as modifier-order; repeatable
    #[arg(long = "enable", value_name = "CODE")]
    enabled: Vec<String>,
    /// Set a rule's severity: error, warning, info, hint, on or off; repeatable
    #[arg(long = "rule", value_name = "CODE=LEVEL")]
    rules: Vec<String>,
    /// Treat standard input as this file: for its language, its settings, and the name in the output
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<PathBuf>,
    /// Set of rules: recommended, strict or all
    #[arg(long, value_name = "PRESET")]
    preset: Option<String>,
    /// Settings file for all sources, instead of the nearest ptx-atomics.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the settings of each source instead of checking it
    #[arg(long)]
    show_settings: bool,
    /// Apply `exclude` to files on the command line too
    #[arg(long)]
    force_exclude: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    format: OutputFormat,
    /// Also write the findings to a file in a format; repeatable
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = OutputFile::parse)]
    outputs: Vec<OutputFile>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Print findings only: no summary and no progress bar
    #[arg(long, short)]
    quiet: bool,
    /// Print the number of findings per rule instead of the findings
    #[arg(long)]
    statistics: bool,
    /// Print at most N findings; all are counted
    #[arg(long, value_name = "N")]
    max_findings: Option<usize>,
    /// Lowest severity that causes exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Ignore the findings that this baseline file lists
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all current findings to a baseline file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "fix", "watch"])]
    write_baseline: Option<PathBuf>,
    /// Apply safe fixes
    #[arg(long)]
    fix: bool,
    /// Also apply fixes that may change the meaning, such as removing a modifier or raising the target
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// Print a diff instead of writing files
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Check again when a file changes
    #[arg(long)]
    watch: bool,
    /// Number of threads; 0 for one per core
    #[arg(long, short, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MOST_JOBS))]
    jobs: u16,
}

/// Runs `lint`.
pub fn run(arguments: &LintArguments) -> Exit {
    // This thread takes part: the system's allocator is slower in other threads.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(arguments.jobs.into()).use_current_thread();
    if let Err(error) = threads.build_global() {
        return fail(format!("cannot start {} threads: {error}", arguments.jobs));
    }
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

impl LintArguments {
    /// The paths on the command line, by default the working directory.
    fn paths(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths.clone() }
    }

    /// Settings of the command line; the error is a message for the user.
    fn settings(&self) -> Result<Settings, String> {
        let mut settings = self.overrides.settings()?;
        settings.preset = self.preset.as_deref().map(preset).transpose()?;
        for code in &self.enabled {
            settings = settings.enable(code)?;
        }
        for rule in &self.rules {
            let (code, word) =
                rule.split_once('=').ok_or_else(|| format!("invalid --rule `{rule}`: expected CODE=LEVEL"))?;
            settings = settings.set(code, level(word)?)?;
        }
        Ok(settings)
    }

    /// The job; the errors are messages for the user.
    fn job(&self) -> Result<LintJob, Vec<String>> {
        let single = |reason| vec![reason];
        Ok(LintJob {
            overrides: self.settings().map_err(single)?,
            projects: ConfigCache::new(self.config.as_deref())?,
            baseline: self.baseline.as_deref().map(Baseline::read).transpose().map_err(single)?,
            fix: self.fix.then(|| FixMode {
                dry_run: self.dry_run,
                wanted: self.wanted_fixes(),
                links: BTreeSet::new(),
            }),
            names: self.stdin_filename.iter().map(|name| (PathBuf::from(read::STDIN), name.clone())).collect(),
        })
    }

    fn wanted_fixes(&self) -> Applicability {
        if self.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe }
    }

    /// The text style for a stream.
    fn style(&self, stream: Stream) -> TextStyle {
        let colours = match self.color {
            Color::Auto => stream.has_colours(),
            Color::Always => true,
            Color::Never => false,
        };
        TextStyle { quiet: self.quiet, statistics: self.statistics, colours, most: self.max_findings }
    }

    fn fails(&self, severity: Severity) -> bool {
        let least = match self.fail_on {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Info => Severity::Info,
            FailOn::Hint => Severity::Hint,
            FailOn::Never => return false,
        };
        severity <= least
    }
}

fn run_once(arguments: &LintArguments) -> Exit {
    let mut job = match arguments.job() {
        Ok(job) => job,
        Err(reasons) => return fail_all(reasons),
    };
    let paths = arguments.paths();
    let named = if arguments.force_exclude { NamedFiles::MayBeExcluded } else { NamedFiles::AlwaysIncluded };
    let mut found = discover(&paths, &job.projects, named);
    if let Some(fix) = &mut job.fix {
        found.each_once();
        fix.links = std::mem::take(&mut found.links);
    }
    let mut exit = Exit::Clean;
    for failure in &found.failures {
        exit = exit.max(fail(failure));
    }
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
    let writes_fixes = job.fix.as_ref().is_some_and(|fix| !fix.dry_run);
    let fixes_stdin = writes_fixes && found.files.iter().any(|path| read::is_stdin(path));
    // Standard output is for the fixed text.
    let stream = if fixes_stdin { Stream::Error } else { Stream::Output };
    let outputs = Outputs::new(stream, arguments.format, arguments.style(stream), &arguments.outputs);
    let totals = RunSummary { skipped: found.skipped, ..RunSummary::default() };
    let mut run = LintRun { arguments, job, outputs, reported: BTreeSet::new(), exit, fixed: 0, totals };
    let done = if arguments.show_settings { run.show(&found.files) } else { run.lint(&found.files) };
    drop(extracted);
    match done {
        // A closed output is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => run.exit,
        Err(error) => fail(format!("cannot write: {}", read::reason(&error))),
        Ok(()) => run.exit,
    }
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
                    bar.inc(1);
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
        bar.finish_and_clear();
        if let Some(baseline) = baseline {
            self.outputs.say("")?;
            match baseline.write() {
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
        self.totals.add(checked.coverage);
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
        if self.arguments.dry_run {
            return self.outputs.say(&checked.diff);
        }
        self.outputs.file(checked)
    }

    /// A progress bar, if standard error is a terminal and there are several files.
    fn progress(&self, files: usize) -> ProgressBar {
        if self.arguments.quiet || files < 2 || !output::is_progress_watched() {
            return ProgressBar::hidden();
        }
        ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::stderr())
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
