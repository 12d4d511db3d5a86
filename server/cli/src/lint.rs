//! `lint`: every finding of every file, and an exit code that a build can trust.

use crate::discover::discover;
use crate::exit::{Exit, complain};
use crate::options::Overrides;
use crate::read::{self, STDIN};
use crate::render::{self, Format, Report};
use analysis::{Settings, Severity, Snapshot, SourceFile};
use clap::Args;
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
    let settings = match arguments.enabled.iter().fold(settings, |settings, code| settings.and_then(|s| s.enable(code))) {
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
    let mut out = BufWriter::new(io::stdout().lock());
    let mut renderer = render::renderer(arguments.format);
    let printed = (|| {
        for path in &found.files {
            lint_file(path, &settings, renderer.as_mut(), &mut out, &mut exit)?;
        }
        renderer.finish(&mut out)?;
        out.flush()
    })();
    match printed {
        // Whoever reads our output has seen enough; that is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
        Err(error) => complain(format!("cannot write: {}", read::reason(&error))),
        Ok(()) => exit,
    }
}

fn lint_file(
    path: &Path,
    settings: &Settings,
    renderer: &mut dyn render::Renderer,
    out: &mut dyn Write,
    exit: &mut Exit,
) -> io::Result<()> {
    let text = match read::text(path) {
        Ok(text) => text,
        Err(reason) => {
            // What was found so far comes first, so that the two streams read well in one terminal.
            out.flush()?;
            *exit = (*exit).max(complain(reason));
            return Ok(());
        }
    };
    let snapshot = Snapshot::new(SourceFile::parse(&text), settings.clone());
    let findings = snapshot.findings();
    if findings.iter().any(|f| f.severity == Severity::Error) {
        *exit = (*exit).max(Exit::Errors);
    }
    let name = if path.as_os_str() == STDIN { "<stdin>".into() } else { path.display().to_string() };
    renderer.file(&Report { path: &name, snapshot: &snapshot, findings: &findings }, out)
}
