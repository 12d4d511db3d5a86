//! GitLab code quality report: one JSON array.

use super::{Renderer, Report, RunSummary, message_with_help, portable};
use crate::fingerprint::digest;
use diagnostics::Severity;
use serde::Serialize;
use std::io::{self, Write};

/// The renderer.
#[derive(Default)]
pub struct Gitlab(Vec<Issue>);

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    /// Includes the path, because GitLab merges equal fingerprints.
    fingerprint: String,
    severity: &'static str,
    location: GitlabLocation,
}

#[derive(Serialize)]
struct GitlabLocation {
    path: String,
    lines: GitlabLines,
}

#[derive(Serialize)]
struct GitlabLines {
    begin: usize,
    end: usize,
}

impl Renderer for Gitlab {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        // GitLab expects a path relative to the root of the repository.
        let path = portable(report.path);
        for found in report.open() {
            let diagnostic = &found.diagnostic;
            let line = |byte| report.position(byte).line + 1;
            self.0.push(Issue {
                description: message_with_help(diagnostic),
                check_name: diagnostic.code(),
                fingerprint: digest(&[&path, &found.fingerprint]),
                severity: match diagnostic.severity {
                    Severity::Error => "critical",
                    Severity::Warning => "major",
                    Severity::Info => "minor",
                    Severity::Hint => "info",
                },
                location: GitlabLocation {
                    path: path.clone(),
                    lines: GitlabLines { begin: line(diagnostic.range.start), end: line(diagnostic.range.end) },
                },
            });
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &self.0)?;
        out.write_all(b"\n")
    }
}
