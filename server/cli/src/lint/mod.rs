//! `lint`: every finding of every file, and an exit code that a build can trust.

mod check;
mod fix;
mod outputs;
mod show_settings;
mod watch;

use crate::baseline::{Baseline, BaselineWriter};
use crate::exit::{Exit, fail};
use crate::options::Overrides;
use crate::output::{self, Stream};
use crate::render::{OutputFormat, RunSummary, TextStyle};
use check::{CheckedFile, FixMode, LintJob, check};
use clap::{Args, ValueEnum, value_parser};
use diagnostics::config::{level, preset};
use diagnostics::{Applicability, Settings, Severity};
use hosts::Language;
use indicatif::{ProgressBar, ProgressDrawTarget};
use outputs::{OutputFile, Outputs};
use project::{ConfigCache, SkippedFiles, discover, read};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// What ends a run with exit code 1.
#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Hint,
    Never,
}

/// When colours are shown.
#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// A thread needs memory of its own, and no machine has so many cores.
const MOST_JOBS: i64 = 1024;

/// Arguments of `lint`.
#[derive(Args)]
pub struct LintArguments {
    /// Files, folders (their PTX, SASS and C++ with asm statements), or - for standard input [default: .]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
    /// Switch a rule on that is off by default, such as modifier-order; may be given several times
    #[arg(long = "enable", value_name = "CODE")]
    enabled: Vec<String>,
    /// Say how bad a rule's findings are: error, warning, info, hint, on or off; may be given several times
    #[arg(long = "rule", value_name = "CODE=LEVEL")]
    rules: Vec<String>,
    /// The choice of rules: recommended, strict or all
    #[arg(long, value_name = "PRESET")]
    preset: Option<String>,
    /// Use this settings file for every source instead of the nearest ptx-atomics.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the settings that hold for each source, and check nothing
    #[arg(long)]
    show_settings: bool,
    /// Pass over what the settings exclude even where it is named
    #[arg(long)]
    force_exclude: bool,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    format: OutputFormat,
    /// Also write the findings to a file in a format; may be given several times
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = OutputFile::parse)]
    outputs: Vec<OutputFile>,
    /// Colours in the terminal
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Print findings only: no summary, no progress
    #[arg(long, short)]
    quiet: bool,
    /// Print how often each rule was broken instead of the findings
    #[arg(long)]
    statistics: bool,
    /// Print at most so many findings; all are counted
    #[arg(long, value_name = "N")]
    max_findings: Option<usize>,
    /// The least severity that ends with exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Accept the findings in this file; only new ones count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write a file that accepts all findings of today
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "fix", "watch"])]
    write_baseline: Option<PathBuf>,
    /// Mend what can be mended without changing what is meant
    #[arg(long)]
    fix: bool,
    /// Also apply fixes that may change the meaning: take a modifier away, raise the target
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// Change nothing; print how files would change
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Check again whenever a file changes
    #[arg(long)]
    watch: bool,
    /// How many files are checked at once; all cores by default
    #[arg(long, short, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MOST_JOBS))]
    jobs: u16,
}

/// Lints, prints, and says how it ended.
pub fn run(arguments: &LintArguments) -> Exit {
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(arguments.jobs.into()).build_global() {
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
    /// The paths that are named, or the folder that we are in.
    fn paths(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths.clone() }
    }

    /// What the command line says of the settings; the error is a sentence for people.
    fn settings(&self) -> Result<Settings, String> {
        let mut settings = self.overrides.settings()?;
        settings.preset = self.preset.as_deref().map(preset).transpose()?;
        for code in &self.enabled {
            settings = settings.enable(code)?;
        }
        for rule in &self.rules {
            let (code, word) = rule.split_once('=').ok_or_else(|| format!("--rule {rule}: write CODE=LEVEL"))?;
            settings = settings.set(code, level(word)?)?;
        }
        Ok(settings)
    }

    fn job(&self) -> Result<LintJob, String> {
        Ok(LintJob {
            overrides: self.settings()?,
            projects: ConfigCache::new(self.config.as_deref())?,
            baseline: self.baseline.as_deref().map(Baseline::read).transpose()?,
            fix: self.fix.then(|| FixMode {
                dry_run: self.dry_run,
                wanted: self.wanted_fixes(),
                links: BTreeSet::new(),
            }),
        })
    }

    fn wanted_fixes(&self) -> Applicability {
        if self.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe }
    }

    /// How the terminal's format looks, given what its stream would take.
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
        Err(reason) => return fail(reason),
    };
    let paths = arguments.paths();
    let mut found = discover(&paths, &job.projects, arguments.force_exclude);
    if let Some(fix) = &mut job.fix {
        found.each_once();
        fix.links = std::mem::take(&mut found.links);
    }
    let mut exit = Exit::Clean;
    for failure in &found.failures {
        exit = exit.max(fail(failure));
    }
    if found.files.is_empty() && found.failures.is_empty() && !arguments.force_exclude {
        let reason = nothing(&paths, found.skipped);
        // Whoever named nothing was not wrong about it.
        if !arguments.paths.is_empty() {
            return fail(reason);
        }
        output::say(&format!("ptx-atomics: {reason}"));
    }
    let mends = job.fix.as_ref().is_some_and(|fix| !fix.dry_run);
    let stream = match mends && found.files.iter().any(|path| read::is_stdin(path)) {
        // Standard output is for what standard input becomes.
        true => Stream::Error,
        false => Stream::Output,
    };
    let outputs = Outputs::new(stream, arguments.format, arguments.style(stream), &arguments.outputs);
    let totals = RunSummary { skipped: found.skipped, ..RunSummary::default() };
    let mut run = LintRun { arguments, job, outputs, reported: BTreeSet::new(), exit, mended: 0, totals };
    let done = if arguments.show_settings { run.show(&found.files) } else { run.lint(&found.files) };
    match done {
        // Whoever reads our output has seen enough; that is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => run.exit,
        Err(error) => fail(format!("cannot write: {}", read::reason(&error))),
        Ok(()) => run.exit,
    }
}

/// That there is nothing to lint, and what was looked for.
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

/// So many files are checked before the first of them is printed, for each thread.
const AHEAD: usize = 16;

/// One run over files.
struct LintRun<'a> {
    arguments: &'a LintArguments,
    job: LintJob,
    outputs: Outputs,
    /// What was reported of already: a broken settings file concerns many sources, and is named once.
    reported: BTreeSet<String>,
    exit: Exit,
    mended: usize,
    totals: RunSummary,
}

impl LintRun<'_> {
    fn show(&mut self, files: &[PathBuf]) -> io::Result<()> {
        let (text, errors) = show_settings::show(&self.job, files);
        self.outputs.say(&text)?;
        errors.into_iter().try_for_each(|error| self.fail(error))?;
        self.outputs.flush()
    }

    /// Files are checked side by side, and printed in their order.
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
                Ok(count) => self.tell(&format!("{count} findings accepted from now on")),
                Err(reason) => self.fail(reason)?,
            }
        }
        if self.mended > 0 {
            let (verb, noun) = (if self.arguments.dry_run { "would be mended" } else { "mended" }, self.mended);
            self.tell(&format!("{noun} {} {verb}", if noun == 1 { "finding" } else { "findings" }));
        }
        for failure in self.outputs.finish(&self.totals)? {
            self.fail(failure)?;
        }
        Ok(())
    }

    fn take(&mut self, path: &Path, checked: &CheckedFile, baseline: &mut Option<BaselineWriter>) -> io::Result<()> {
        self.mended += checked.mended;
        self.totals.add(checked.coverage);
        if let Some(text) = &checked.output
            && let Err(reason) = output::payload(text)
        {
            self.fail(reason)?;
        }
        if let Some(baseline) = baseline {
            baseline.add(path, &checked.findings);
            return Ok(());
        }
        let open = checked.findings.iter().filter(|found| found.accepted.is_none());
        if open.into_iter().any(|found| self.arguments.fails(found.finding.severity)) {
            self.exit = self.exit.max(Exit::Errors);
        }
        if self.arguments.dry_run {
            return self.outputs.say(&checked.diff);
        }
        self.outputs.file(checked)
    }

    /// How far it is, where somebody watches and it takes long.
    fn progress(&self, files: usize) -> ProgressBar {
        match self.arguments.quiet || files < 2 || !output::is_progress_watched() {
            true => ProgressBar::hidden(),
            false => ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::stderr()),
        }
    }

    fn tell(&self, what: &str) {
        if !self.arguments.quiet {
            output::say(&format!("ptx-atomics: {what}"));
        }
    }

    fn fail(&mut self, reason: String) -> io::Result<()> {
        // What was found so far comes first, so that the two streams read well in one terminal.
        self.outputs.flush()?;
        if self.reported.insert(reason.clone()) {
            self.exit = self.exit.max(fail(reason));
        }
        Ok(())
    }
}
