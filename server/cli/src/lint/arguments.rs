//! Arguments of `lint`, and the job that they ask for.

use super::cache::ResultCache;
use super::changed_lines::ChangedLines;
use super::check::{FixMode, LintJob, MemoryUse};
use super::outputs::OutputFile;
use crate::baseline::Baseline;
use crate::options::Overrides;
use crate::output::Stream;
use crate::render::{OutputFormat, PageUrl, TextStyle};
use clap::{Args, ValueEnum, value_parser};
use diagnostics::config::{level, preset};
use diagnostics::{Applicability, RuleLevel, Settings, Severity};
use project::{ConfigCache, VendoredFiles, read};
use std::collections::BTreeSet;
use std::path::PathBuf;

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
pub const MOST_JOBS: i64 = 1024;

/// Arguments of `lint`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ptx-atomics lint --fix kernels
  nvcc -ptx kernel.cu -o - | ptx-atomics lint -

Exit codes: 0 no error, or no finding of the severity of --fail-on or a higher one, 1 at least one, 2 a file or the settings could not be read.")]
pub struct LintArguments {
    /// Files, folders (PTX, SASS, C++ and Python with PTX inside), binaries with PTX or SASS, or - for standard input [default: .]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
    /// Enable a rule that is off by default, such as modifier-order; repeatable
    #[arg(long = "enable", value_name = "CODE", value_delimiter = ',')]
    enabled: Vec<String>,
    /// Disable a rule, as `--rule CODE=off` does; repeatable
    #[arg(long = "disable", value_name = "CODE", value_delimiter = ',')]
    disabled: Vec<String>,
    /// Set a rule's severity: error, warning, info, hint, on or off, such as narrow-scope=off; repeatable
    #[arg(long = "rule", value_name = "CODE=LEVEL")]
    rules: Vec<String>,
    /// With -, treat standard input as this file: for its language, its settings, and the name in the output
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
    pub show_settings: bool,
    /// Apply `exclude` to files on the command line too
    #[arg(long)]
    pub force_exclude: bool,
    /// Also search folders for copies of others' code: third_party, vendor, submodules and what .gitattributes marks linguist-vendored
    #[arg(long)]
    include_vendored: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub format: OutputFormat,
    /// Also write the findings to a file in a format; repeatable
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = OutputFile::parse)]
    pub outputs: Vec<OutputFile>,
    /// URL of the rules' pages, with `{code}` in place of a rule's code, such as https://example.org/docs/{code}.html; for SARIF
    #[arg(long, value_name = "URL", value_parser = PageUrl::parse)]
    pub pages: Option<PageUrl>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Print findings only: no summary and no progress bar
    #[arg(long, short)]
    pub quiet: bool,
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
    /// Report only findings on lines that changed since the merge base with a commit of git, such as origin/main
    #[arg(long, value_name = "BASE", conflicts_with_all = ["fix", "write_baseline", "watch"])]
    diff: Option<String>,
    /// Skip files that had no findings in an earlier run with the same settings and the same program; the folder keeps digests only
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// As --cache, with a folder of the user's own that no repository can fill
    #[arg(long, conflicts_with = "cache")]
    user_cache: bool,
    /// Write all current findings to a baseline file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "fix", "watch"])]
    pub write_baseline: Option<PathBuf>,
    /// Apply safe fixes
    #[arg(long)]
    fix: bool,
    /// With --fix, also apply fixes that may change the meaning, such as removing a modifier or raising the target
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// With --fix, print a diff instead of writing files
    #[arg(long, requires = "fix")]
    pub dry_run: bool,
    /// Check again when a file changes
    #[arg(long)]
    pub watch: bool,
    /// Number of threads; 0 for one per core
    #[arg(long, short, value_name = "N", default_value_t = 0, value_parser = value_parser!(u16).range(..=MOST_JOBS))]
    pub jobs: u16,
}

impl LintArguments {
    /// The paths on the command line, by default the working directory.
    pub fn paths(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths.clone() }
    }

    /// Whether copies of others' code are searched.
    pub fn vendored_files(&self) -> VendoredFiles {
        if self.include_vendored { VendoredFiles::Included } else { VendoredFiles::LeftOut }
    }

    /// An error message if options conflict.
    pub fn conflict(&self) -> Option<String> {
        let name = self.stdin_filename.as_ref().filter(|_| !self.paths.iter().any(|path| read::is_stdin(path)))?;
        let name = name.display();
        Some(format!("`--stdin-filename` requires `-`: write `ptx-atomics lint --stdin-filename {name} -`"))
    }

    /// Settings of the command line; the error is a message for the user.
    fn settings(&self) -> Result<Settings, String> {
        let mut settings = self.overrides.settings()?;
        settings.preset = self.preset.as_deref().map(preset).transpose()?;
        for code in &self.enabled {
            settings = settings.enable(code)?;
        }
        for code in &self.disabled {
            settings = settings.set(code, RuleLevel::Off)?;
        }
        for rule in &self.rules {
            let (code, word) =
                rule.split_once('=').ok_or_else(|| format!("invalid --rule `{rule}`: expected CODE=LEVEL"))?;
            settings = settings.set(code, level(word)?)?;
        }
        Ok(settings)
    }

    /// The job; the errors are messages for the user.
    pub fn job(&self) -> Result<LintJob, Vec<String>> {
        let single = |reason| vec![reason];
        Ok(LintJob {
            overrides: self.settings().map_err(single)?,
            projects: ConfigCache::new(self.config.as_deref())?,
            baseline: self.baseline.as_deref().map(Baseline::read).transpose().map_err(single)?,
            changes: self.diff.as_deref().map(ChangedLines::since).transpose().map_err(single)?,
            cache: self.result_cache().map_err(single)?,
            fix: self.fix.then(|| FixMode {
                dry_run: self.dry_run,
                wanted: self.wanted_fixes(),
                links: BTreeSet::new(),
            }),
            names: self.stdin_filename.iter().map(|name| (PathBuf::from(read::STDIN), name.clone())).collect(),
            memory: MemoryUse::default(),
        })
    }

    /// The cache, unless files are fixed; the error is a message for the user.
    fn result_cache(&self) -> Result<Option<ResultCache>, String> {
        let own = self.user_cache.then(ResultCache::user_folder).transpose()?;
        self.cache.as_ref().or(own.as_ref()).filter(|_| !self.fix).map(|folder| ResultCache::open(folder)).transpose()
    }

    fn wanted_fixes(&self) -> Applicability {
        if self.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe }
    }

    /// The text style for a stream.
    pub fn style(&self, stream: Stream) -> TextStyle {
        let colours = match self.color {
            Color::Auto => stream.has_colours(),
            Color::Always => true,
            Color::Never => false,
        };
        TextStyle { quiet: self.quiet, statistics: self.statistics, colours, most: self.max_findings }
    }

    pub fn fails(&self, severity: Severity) -> bool {
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
