//! SARIF 2.1.0: rules with their pages, diagnostics with fixes, and suppressions.

use super::{PageUrl, Renderer, Report, RunSummary};
use crate::fingerprint::{FingerprintedDiagnostic, SuppressedBy};
use diagnostics::Severity;
use diagnostics::registry::RULES;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, CodeFlow, Fix, Location, Message, MultiformatMessageString,
    PhysicalLocation, PropertyBag, Region, Replacement, ReportingConfiguration, ReportingDescriptor, Result as Finding,
    ResultLevel, Run, Sarif as Log, Suppression, ThreadFlow, ThreadFlowLocation, Tool, ToolComponent,
};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use syntax::SourceLocation;

/// URL of the schema.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The renderer.
pub struct Sarif {
    found: Vec<Finding>,
    pages: Option<PageUrl>,
}

impl Sarif {
    /// A renderer whose rules link to their pages.
    pub fn new(pages: Option<PageUrl>) -> Self {
        Sarif { found: Vec::new(), pages }
    }
}

impl Renderer for Sarif {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        self.found.extend(report.diagnostics.iter().map(|found| result(report, found)));
        Ok(())
    }

    fn finish(&mut self, totals: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let driver = ToolComponent::builder()
            .name("ptx-atomics")
            .version(env!("CARGO_PKG_VERSION"))
            .semantic_version(env!("CARGO_PKG_VERSION"))
            .rules(RULES.iter().map(|known| rule(known, self.pages.as_ref())).collect::<Vec<_>>())
            .build();
        let run = Run::builder()
            .tool(Tool::builder().driver(driver).build())
            .column_kind(json!("unicodeCodePoints"))
            .results(std::mem::take(&mut self.found))
            .properties(properties(totals))
            .build();
        let log = Log::builder().schema(SCHEMA).version(json!("2.1.0")).runs(vec![run]).build();
        serde_json::to_writer_pretty(&mut *out, &log)?;
        out.write_all(b"\n")
    }
}

/// The counts of the run, as properties.
fn properties(totals: &RunSummary) -> PropertyBag {
    let counts = [
        ("filesChecked", totals.files),
        ("filesUnreadable", totals.unreadable),
        ("filesInOtherLanguages", totals.skipped.other_languages),
        ("filesWithoutCode", totals.skipped.without_code),
        ("filesExcluded", totals.skipped.excluded),
        ("linksOutOfFolder", totals.skipped.links),
        ("filesUnchanged", totals.unchanged),
        ("asmStatements", totals.coverage.statements),
        ("asmStatementsChecked", totals.coverage.checked_statements),
        ("instructionsChecked", totals.coverage.checked),
        ("instructionsUnchecked", totals.coverage.unchecked),
    ];
    let counts = counts.into_iter().map(|(name, count)| (name.to_owned(), json!(count)));
    PropertyBag::builder().additional_properties(counts.collect::<BTreeMap<_, _>>()).build()
}

fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Info | Severity::Hint => ResultLevel::Note,
    }
}

fn rule(rule: &diagnostics::Rule, pages: Option<&PageUrl>) -> ReportingDescriptor {
    let text = |text: &str| MultiformatMessageString::builder().text(text).build();
    let summary = rule.summary;
    let help = MultiformatMessageString::builder().text(rule.page).markdown(rule.page).build();
    let mut described = ReportingDescriptor::builder()
        .id(rule.code)
        .name(rule.code)
        .short_description(text(summary))
        .full_description(text(summary))
        .help(help)
        .default_configuration(
            ReportingConfiguration::builder()
                .level(json!(level(rule.severity)))
                .enabled(rule.preset == diagnostics::Preset::Recommended)
                .build(),
        )
        .build();
    described.help_uri = pages.map(|pages| pages.page(rule.code));
    described
}

fn result(report: &Report, found: &FingerprintedDiagnostic) -> Finding {
    let diagnostic = &found.diagnostic;
    let text = match &*diagnostic.help_text() {
        "" => diagnostic.message().into_owned(),
        help => format!("{}\n{help}", diagnostic.message()),
    };
    let related = diagnostic.related.iter().map(|related| {
        let mut location = location(report, &related.range);
        location.message = Some(message(&related.message));
        location
    });
    let suppressions = found.accepted.iter().map(|accepted| match accepted {
        SuppressedBy::Comment(reason) if reason.is_empty() => Suppression::builder().kind(json!("inSource")).build(),
        SuppressedBy::Comment(reason) => Suppression::builder().kind(json!("inSource")).justification(reason).build(),
        SuppressedBy::Baseline => Suppression::builder().kind(json!("external")).build(),
        SuppressedBy::UnchangedLine => {
            Suppression::builder().kind(json!("external")).justification("unchanged line").build()
        }
    });
    let flows = code_flow(report, diagnostic).into_iter();
    let index = RULES.iter().position(|rule| rule.code == diagnostic.code()).map_or(-1, |at| at as i64);
    let prints: BTreeMap<String, String> = [("ptxAtomics/v1".to_owned(), found.fingerprint.clone())].into();
    Finding::builder()
        .rule_id(diagnostic.code())
        .rule_index(index)
        .level(level(diagnostic.severity))
        .message(message(&text))
        .locations(vec![location(report, &diagnostic.range)])
        .related_locations(related.chain(diagnostic.source_places().map(generated_from)).collect::<Vec<_>>())
        .code_flows(flows.collect::<Vec<_>>())
        .partial_fingerprints(prints)
        .fixes(diagnostic.fixes.iter().map(|one| fix(report, one)).collect::<Vec<_>>())
        .suppressions(suppressions.collect::<Vec<_>>())
        .build()
}

/// The execution that a diagnostic shows, if it shows one: a flow for each thread, with the order of all steps.
fn code_flow(report: &Report, diagnostic: &diagnostics::Diagnostic) -> Option<CodeFlow> {
    let mut threads: Vec<(&str, Vec<ThreadFlowLocation>)> = Vec::new();
    for related in &diagnostic.related {
        let Some(thread) = related.thread.as_deref() else { continue };
        let number = threads.iter().map(|(_, steps)| steps.len() as i64).sum::<i64>() + 1;
        let mut location = location(report, &related.range);
        location.message = Some(message(&related.message));
        let step = ThreadFlowLocation::builder().location(location).execution_order(number).build();
        match threads.iter_mut().find(|(name, _)| *name == thread) {
            Some((_, steps)) => steps.push(step),
            None => threads.push((thread, vec![step])),
        }
    }
    let flows = threads.into_iter().map(|(name, steps)| ThreadFlow::builder().id(name).locations(steps).build());
    let flows: Vec<ThreadFlow> = flows.collect();
    (!flows.is_empty()).then(|| CodeFlow::builder().thread_flows(flows).build())
}

fn message(text: &str) -> Message {
    Message::builder().text(text).build()
}

fn artifact(report: &Report) -> ArtifactLocation {
    ArtifactLocation::builder().uri(uri(report.path)).build()
}

fn location(report: &Report, range: &Range<usize>) -> Location {
    let place = PhysicalLocation::builder().artifact_location(artifact(report)).region(region(report, range)).build();
    Location::builder().physical_location(place).build()
}

/// A place that the code was generated from.
fn generated_from(place: &SourceLocation) -> Location {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let region = match place.column {
        0 => Region::builder().start_line(number(place.line)).build(),
        column => Region::builder().start_line(number(place.line)).start_column(number(column)).build(),
    };
    let artifact = ArtifactLocation::builder().uri(uri(&place.path)).build();
    let place = PhysicalLocation::builder().artifact_location(artifact).region(region).build();
    Location::builder().physical_location(place).message(message("generated from here")).build()
}

fn region(report: &Report, range: &Range<usize>) -> Region {
    let (start, end) = (report.position(range.start), report.position(range.end));
    Region::builder()
        .start_line(start.line as i64 + 1)
        .start_column(start.column as i64 + 1)
        .end_line(end.line as i64 + 1)
        .end_column(end.column as i64 + 1)
        .build()
}

fn fix(report: &Report, fix: &diagnostics::Fix) -> Fix {
    let replacement = |edit: &diagnostics::Edit| {
        let content = ArtifactContent::builder().text(edit.text.as_str()).build();
        Replacement::builder().deleted_region(region(report, &edit.range)).inserted_content(content).build()
    };
    let replacements: Vec<_> = fix.edits.iter().map(replacement).collect();
    let change = ArtifactChange::builder().artifact_location(artifact(report)).replacements(replacements).build();
    Fix::builder().description(message(&fix.title)).artifact_changes(vec![change]).build()
}

/// Everything but the unreserved characters of a URI, and `/`.
const ESCAPED_IN_URI: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A path as a reference relative to where the linter ran, or a file URI.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path).replace('\\', "/");
    let escaped = utf8_percent_encode(&path, ESCAPED_IN_URI).to_string();
    if escaped.starts_with('/') { format!("file://{escaped}") } else { escaped }
}
