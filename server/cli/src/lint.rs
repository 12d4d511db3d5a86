//! `lint`: every finding of every file, and an exit code that a build can trust.

use crate::discover::discover;
use crate::exit::{Exit, complain};
use crate::options::Overrides;
use crate::read::{self, STDIN};
use crate::render::{self, Format, Report};
use analysis::{Language, Settings, Severity, Text};
use clap::Args;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `lint`.
#[derive(Args)]
pub struct Arguments {
    /// Files, folders (their *.ptx that hold a .version or .target), or - for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
    /// Switch a rule on that is off by default, such as modifier-order; may be given several times
    #[arg(long = "enable", value_name = "CODE")]
    enabled: Vec<String>,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Lints, prints, and says how it ended.
pub fn run(arguments: &Arguments) -> Exit {
    let settings = arguments.overrides.settings();
    let settings = match arguments.enabled.iter().fold(settings, |settings, code| settings.and_then(|s| s.enable(code)))
    {
        Ok(settings) => settings,
        Err(reason) => return complain(reason),
    };
    let found = discover(&arguments.paths);
    let mut exit = Exit::Clean;
    for failure in &found.failures {
        exit = exit.max(complain(failure));
    }
    if found.files.is_empty() && found.failures.is_empty() {
        let places: Vec<_> = arguments.paths.iter().map(|p| p.display().to_string()).collect();
        return complain(format!("nothing to lint: no PTX file in {}", places.join(", ")));
    }
    let mut run = Run {
        overrides: settings,
        renderer: render::renderer(arguments.format),
        out: BufWriter::new(io::stdout().lock()),
        complained: BTreeSet::new(),
        exit,
    };
    match run.lint(&found.files) {
        // Whoever reads our output has seen enough; that is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => run.exit,
        Err(error) => complain(format!("cannot write: {}", read::reason(&error))),
        Ok(()) => run.exit,
    }
}

/// One run over files.
struct Run<W: Write> {
    /// What the command line says; the files beside the sources say the rest.
    overrides: Settings,
    renderer: Box<dyn render::Renderer>,
    out: W,
    /// What was complained of already: a broken settings file concerns many sources, and is named once.
    complained: BTreeSet<String>,
    exit: Exit,
}

impl<W: Write> Run<W> {
    fn lint(&mut self, files: &[PathBuf]) -> io::Result<()> {
        for path in files {
            match read::text(path) {
                Ok(text) => self.lint_text(path, &text)?,
                Err(reason) => self.complain(reason)?,
            }
        }
        self.renderer.finish(&mut self.out)?;
        self.out.flush()
    }

    fn lint_text(&mut self, path: &Path, text: &str) -> io::Result<()> {
        let settings = match lsp::project::settings_for(path) {
            Ok(project) => self.overrides.clone().or(&project),
            Err((file, reason)) => {
                self.complain(format!("cannot use {}: {reason}", file.display()))?;
                self.overrides.clone()
            }
        };
        let language = Language::of_path(&path.to_string_lossy()).unwrap_or(Language::Ptx);
        let source = Text::parse(language, text).under(settings);
        let findings = source.findings();
        if findings.iter().any(|f| f.severity == Severity::Error) {
            self.exit = self.exit.max(Exit::Errors);
        }
        let name = if path.as_os_str() == STDIN { "<stdin>".into() } else { path.display().to_string() };
        self.renderer.file(&Report { path: &name, source: &*source, findings: &findings }, &mut self.out)
    }

    fn complain(&mut self, reason: String) -> io::Result<()> {
        // What was found so far comes first, so that the two streams read well in one terminal.
        self.out.flush()?;
        if self.complained.insert(reason.clone()) {
            self.exit = self.exit.max(complain(reason));
        }
        Ok(())
    }
}
