//! SARIF 2.1.0: rules with their pages, diagnostics with fixes, and suppressions.
//!
//! The tests hold it to the published schema. Types for the whole format would need forty more crates.

use super::totals::UnreadInFile;
use super::{PageUrl, Renderer, Report, RunSummary, portable};
use crate::fingerprint::{FingerprintedDiagnostic, SuppressedBy};
use diagnostics::Severity;
use diagnostics::registry::RULES;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use syntax::SourceLocation;

/// URL of the schema.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The renderer.
pub struct Sarif {
    results: Vec<Value>,
    pages: Option<PageUrl>,
}

impl Sarif {
    /// A renderer whose rules link to their pages.
    pub fn new(pages: Option<PageUrl>) -> Self {
        Sarif { results: Vec::new(), pages }
    }
}

impl Renderer for Sarif {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        self.results.extend(report.diagnostics.iter().map(|found| result(report, found)));
        Ok(())
    }

    fn finish(&mut self, totals: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<Value> = RULES.iter().map(|known| rule(known, self.pages.as_ref())).collect();
        let version = env!("CARGO_PKG_VERSION");
        let driver = json!({"name": "ptx-atomics", "version": version, "semanticVersion": version, "rules": rules});
        let run = json!({
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "results": std::mem::take(&mut self.results),
            "properties": properties(totals),
        });
        let log = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]});
        serde_json::to_writer_pretty(&mut *out, &log)?;
        out.write_all(b"\n")
    }
}

/// The counts of the run.
fn properties(totals: &RunSummary) -> Value {
    let unread = |one: &UnreadInFile| json!({"file": one.file, "reason": one.reason.description(), "count": one.count});
    json!({
        "filesChecked": totals.files,
        "filesUnreadable": totals.unreadable,
        "filesInOtherLanguages": totals.skipped.other_languages,
        "filesWithoutCode": totals.skipped.without_code,
        "filesExcluded": totals.skipped.excluded,
        "filesVendored": totals.skipped.vendored,
        "linksOutOfFolder": totals.skipped.links,
        "filesUnchanged": totals.unchanged,
        "asmStatements": totals.coverage.statements,
        "asmStatementsChecked": totals.coverage.checked_statements,
        "asmStatementsNotRead": totals.unread.iter().map(unread).collect::<Vec<_>>(),
        "instructionsChecked": totals.coverage.checked,
        "instructionsUnchecked": totals.coverage.unchecked,
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    }
}

fn rule(rule: &diagnostics::Rule, pages: Option<&PageUrl>) -> Value {
    let summary = json!({"text": rule.summary});
    let mut described = json!({
        "id": rule.code,
        "name": rule.code,
        "shortDescription": summary,
        "fullDescription": summary,
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {
            "level": level(rule.severity),
            "enabled": rule.preset == diagnostics::Preset::Recommended,
        },
    });
    if let Some(pages) = pages {
        described["helpUri"] = json!(pages.page(rule.code));
    }
    described
}

fn result(report: &Report, found: &FingerprintedDiagnostic) -> Value {
    let diagnostic = &found.diagnostic;
    let text = match &*diagnostic.help_text() {
        "" => diagnostic.message().into_owned(),
        help => format!("{}\n{help}", diagnostic.message()),
    };
    let related = diagnostic.related.iter().map(|related| step_location(report, related));
    let related: Vec<Value> = related.chain(diagnostic.source_places().map(generated_from)).collect();
    let suppressions: Vec<Value> = found.accepted.iter().map(suppression).collect();
    let fixes: Vec<Value> = diagnostic.fixes.iter().map(|one| fix(report, one)).collect();
    let index = RULES.iter().position(|rule| rule.code == diagnostic.code());
    json!({
        "ruleId": diagnostic.code(),
        "ruleIndex": index.map_or(json!(-1), |index| json!(index)),
        "level": level(diagnostic.severity),
        "message": message(&text),
        "locations": [location(report, &diagnostic.range)],
        "relatedLocations": related,
        "codeFlows": Vec::from_iter(code_flow(report, diagnostic)),
        "partialFingerprints": {"ptxAtomics/v1": found.fingerprint},
        "fixes": fixes,
        "suppressions": suppressions,
    })
}

fn suppression(accepted: &SuppressedBy) -> Value {
    match accepted {
        SuppressedBy::Comment(reason) if reason.is_empty() => json!({"kind": "inSource"}),
        SuppressedBy::Comment(reason) => json!({"kind": "inSource", "justification": reason}),
        SuppressedBy::Baseline => json!({"kind": "external"}),
        SuppressedBy::UnchangedLine => json!({"kind": "external", "justification": "unchanged line"}),
        SuppressedBy::NotCompared => json!({"kind": "external", "justification": "file not compared with the base"}),
    }
}

/// The execution that a diagnostic shows, if it shows one: a flow for each thread, with the order of all steps.
fn code_flow(report: &Report, diagnostic: &diagnostics::Diagnostic) -> Option<Value> {
    let mut threads: Vec<(&str, Vec<Value>)> = Vec::new();
    for related in &diagnostic.related {
        let Some(thread) = related.thread.as_deref() else { continue };
        let order = threads.iter().map(|(_, steps)| steps.len()).sum::<usize>() + 1;
        let step = json!({"location": step_location(report, related), "executionOrder": order});
        match threads.iter_mut().find(|(name, _)| *name == thread) {
            Some((_, steps)) => steps.push(step),
            None => threads.push((thread, vec![step])),
        }
    }
    let flow = |(name, steps): (&str, Vec<Value>)| json!({"id": name, "locations": steps});
    let flows: Vec<Value> = threads.into_iter().map(flow).collect();
    (!flows.is_empty()).then(|| json!({"threadFlows": flows}))
}

fn message(text: &str) -> Value {
    json!({"text": text})
}

fn location(report: &Report, range: &Range<usize>) -> Value {
    let artifact = json!({"uri": uri(report.path)});
    json!({"physicalLocation": {"artifactLocation": artifact, "region": region(report, range)}})
}

/// A related place with what happens there.
fn step_location(report: &Report, related: &diagnostics::Related) -> Value {
    let mut location = location(report, &related.range);
    location["message"] = message(&related.message);
    location
}

/// A place that the code was generated from.
fn generated_from(place: &SourceLocation) -> Value {
    // Readers take integers of 64 bits with a sign.
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let region = match place.column {
        0 => json!({"startLine": number(place.line)}),
        column => json!({"startLine": number(place.line), "startColumn": number(column)}),
    };
    let place = json!({"artifactLocation": {"uri": uri(&place.path)}, "region": region});
    json!({"physicalLocation": place, "message": message("generated from here")})
}

fn region(report: &Report, range: &Range<usize>) -> Value {
    let (start, end) = (report.position(range.start), report.position(range.end));
    json!({
        "startLine": start.line + 1,
        "startColumn": start.column + 1,
        "endLine": end.line + 1,
        "endColumn": end.column + 1,
    })
}

fn fix(report: &Report, fix: &diagnostics::Fix) -> Value {
    let replacement = |edit: &diagnostics::Edit| json!({"deletedRegion": region(report, &edit.range), "insertedContent": {"text": edit.text}});
    let replacements: Vec<Value> = fix.edits.iter().map(replacement).collect();
    let change = json!({"artifactLocation": {"uri": uri(report.path)}, "replacements": replacements});
    json!({"description": message(&fix.title), "artifactChanges": [change]})
}

/// Everything but the unreserved characters of a URI, and `/`.
const ESCAPED_IN_URI: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A path as a reference relative to where the linter ran, or a file URI.
fn uri(path: &str) -> String {
    let portable = portable(path);
    let escaped = utf8_percent_encode(&portable, ESCAPED_IN_URI).to_string();
    match Path::new(path).is_absolute() {
        true => format!("file:///{}", escaped.trim_start_matches('/')),
        false => escaped,
    }
}
