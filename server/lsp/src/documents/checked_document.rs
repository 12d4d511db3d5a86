//! The result of a check, as LSP diagnostics.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::work::CancelFlag;
use crate::typing::ShownDiagnostics;
use crate::{convert, uri};
use diagnostics::{Diagnostic, OriginPlace, Severity, Tag};
use foldhash::fast::FixedState;
use lints::Check;
use serde_json::json;
use std::hash::{BuildHasher, Hash, Hasher};
use std::iter::once;
use std::path::Path;
use std::sync::Arc;
use syntax::Rope;
use tower_lsp::ls_types as lsp;

/// The `source` of every diagnostic.
pub const SOURCE: &str = "ptx-atomics";

/// Maximum number of diagnostics per document: editors slow down with thousands.
const MAX_DIAGNOSTICS: usize = 2_000;

/// The result of a check.
pub struct CheckedDocument {
    /// The diagnostics, in text order.
    pub diagnostics: Arc<[Diagnostic]>,
    /// Those that the client is shown.
    pub shown: ShownDiagnostics,
    /// The same for the client, with a notice if some were left out.
    pub converted: Vec<lsp::Diagnostic>,
    /// Digest of `converted`, to skip publishing equal ones.
    pub digest: u64,
}

impl CheckedDocument {
    /// Checks a document; `None` if it was cancelled.
    pub fn of(snapshot: &DocumentSnapshot, cancel: &CancelFlag) -> Option<Self> {
        let (diagnostics, shown) = snapshot.shown(cancel)?;
        let converted = converted(snapshot, &shown.diagnostics);
        let mut hasher = FixedState::default().build_hasher();
        for diagnostic in &converted {
            serde_json::to_string(diagnostic).unwrap_or_default().hash(&mut hasher);
        }
        Some(CheckedDocument { diagnostics, shown, converted, digest: hasher.finish() })
    }
}

/// Diagnostics for the client, with a notice if some are left out.
pub fn converted<S: Check + ?Sized>(
    snapshot: &DocumentSnapshot<S>,
    diagnostics: &[Diagnostic],
) -> Vec<lsp::Diagnostic> {
    match diagnostics.len() {
        ..=MAX_DIAGNOSTICS => diagnostics.iter().map(|diagnostic| to_lsp(snapshot, diagnostic)).collect(),
        all => once(omission_notice(all))
            .chain(most_severe(diagnostics).map(|diagnostic| to_lsp(snapshot, diagnostic)))
            .collect(),
    }
}

/// The most severe diagnostics, up to the maximum, in the order of the text.
fn most_severe(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    let mut worst: Vec<usize> = (0..diagnostics.len()).collect();
    worst.sort_by_key(|at| diagnostics[*at].severity);
    worst.truncate(MAX_DIAGNOSTICS);
    worst.sort_unstable();
    worst.into_iter().map(|at| &diagnostics[at])
}

/// The notice at the start of the text that diagnostics are omitted.
fn omission_notice(all: usize) -> lsp::Diagnostic {
    lsp::Diagnostic {
        range: lsp::Range::default(),
        severity: Some(lsp::DiagnosticSeverity::INFORMATION),
        source: Some(SOURCE.to_owned()),
        message: format!(
            "showing {MAX_DIAGNOSTICS} of {all} diagnostics\nhelp: run `ptx-atomics lint` to see all of them"
        ),
        ..lsp::Diagnostic::default()
    }
}

/// Converts a diagnostic.
pub fn to_lsp<S: Check + ?Sized>(snapshot: &DocumentSnapshot<S>, diagnostic: &Diagnostic) -> lsp::Diagnostic {
    let parts = snapshot.features.diagnostic_parts;
    let related = diagnostic.related.iter().filter(|_| parts.related_information).filter_map(|related| {
        let location = lsp::Location::new(snapshot.uri.parse().ok()?, snapshot.range(&related.range));
        Some(lsp::DiagnosticRelatedInformation { location, message: related.message.clone() })
    });
    let places = settings_places(snapshot, diagnostic).into_iter().filter(|_| parts.related_information);
    let generated = generated_from(diagnostic).into_iter().filter(|_| parts.related_information);
    let related = related.chain(places).chain(generated);
    let fixes = diagnostic.fixes.iter().map(|fix| json!({"title": fix.title, "edits": snapshot.edits(&fix.edits)}));
    let is_known = |tag: &Tag| match tag {
        Tag::Unnecessary => parts.unnecessary,
        Tag::Deprecated => parts.deprecated,
    };
    lsp::Diagnostic {
        range: snapshot.range(&diagnostic.range),
        severity: Some(severity(diagnostic.severity)),
        code: Some(lsp::NumberOrString::String(diagnostic.code().to_owned())),
        code_description: page(snapshot, diagnostic.code()).filter(|_| parts.code_description),
        tags: diagnostic.rule.tag.filter(is_known).map(|found| vec![tag(found)]),
        source: Some(SOURCE.to_owned()),
        message: message(snapshot, diagnostic),
        related_information: Some(related.collect::<Vec<_>>()).filter(|related| !related.is_empty()),
        data: (parts.data && !diagnostic.fixes.is_empty()).then(|| json!({"fixes": fixes.collect::<Vec<_>>()})),
    }
}

/// The message with the help, and with the related places if the client shows them no other way.
fn message<S: Check + ?Sized>(snapshot: &DocumentSnapshot<S>, diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message().into_owned();
    if !diagnostic.help_text().is_empty() {
        text += &format!("\nhelp: {}", diagnostic.help_text());
    }
    if !snapshot.features.diagnostic_parts.related_information {
        for related in &diagnostic.related {
            let start = snapshot.range(&related.range).start;
            text += &format!("\nnote: line {}: {}", start.line + 1, related.message);
        }
        for place in settings_places(snapshot, diagnostic) {
            let (uri, line) = (place.location.uri.as_str(), place.location.range.start.line + 1);
            text += &format!("\nnote: {uri}, line {line}: {}", place.message);
        }
    }
    let shown =
        if snapshot.features.diagnostic_parts.related_information { generated_from(diagnostic).len() } else { 0 };
    if shown < diagnostic.source_places().count() {
        text += &format!("\nnote: generated from {}", diagnostic.source_text());
    }
    text
}

/// The places that a compiler generated the code from. A relative path has no location: what it is relative to is not known.
fn generated_from(diagnostic: &Diagnostic) -> Vec<lsp::DiagnosticRelatedInformation> {
    let number = |number: u64| u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX);
    let related = diagnostic.source_places().enumerate().filter_map(|(at, place)| {
        let path = Path::new(&place.path);
        let position = lsp::Position::new(number(place.line), number(place.column));
        let uri = path.is_absolute().then(|| uri::uri_of(path)).flatten()?;
        let location = lsp::Location::new(uri, lsp::Range::new(position, position));
        let message = if at == 0 { "generated from here" } else { "inlined here" };
        Some(lsp::DiagnosticRelatedInformation { location, message: message.to_owned() })
    });
    related.collect()
}

/// The values of a settings file that are too old for the code.
fn settings_places<S: Check + ?Sized>(
    snapshot: &DocumentSnapshot<S>,
    diagnostic: &Diagnostic,
) -> Vec<lsp::DiagnosticRelatedInformation> {
    let places = diagnostic.cause.settings_to_change();
    let related = places.iter().filter_map(|place| {
        let location = settings_location(snapshot, place)?;
        Some(lsp::DiagnosticRelatedInformation { location, message: place.message() })
    });
    related.collect()
}

/// The location of a value in a settings file.
pub fn settings_location<S: Check + ?Sized>(
    snapshot: &DocumentSnapshot<S>,
    place: &OriginPlace,
) -> Option<lsp::Location> {
    let range = convert::range(&Rope::from_str(&place.file.text), snapshot.features.encoding, &place.range);
    Some(lsp::Location::new(uri::uri_of(&place.file.path)?, range))
}

/// Link to the rule's page, if the client configured one.
fn page<S: Check + ?Sized>(snapshot: &DocumentSnapshot<S>, code: &str) -> Option<lsp::CodeDescription> {
    let href = snapshot.pages.as_ref()?.replace("{code}", code).parse().ok()?;
    Some(lsp::CodeDescription { href })
}

fn tag(tag: Tag) -> lsp::DiagnosticTag {
    match tag {
        Tag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
    }
}

fn severity(severity: Severity) -> lsp::DiagnosticSeverity {
    match severity {
        Severity::Error => lsp::DiagnosticSeverity::ERROR,
        Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        Severity::Info => lsp::DiagnosticSeverity::INFORMATION,
        Severity::Hint => lsp::DiagnosticSeverity::HINT,
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Settings;
    use hosts::Language;
    use hosts::inline_asm::HostLanguage;
    use ide::LintText;
    use lints::Checker;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The most instructions or statements between two polls: other work goes on where a check polls.
    const MOST_STEPS: usize = 4096;

    #[test]
    fn the_steps_of_a_check_between_two_polls_are_bounded() {
        let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n";
        let function = format!("{ptx}.entry k()\n{{\n.reg .b32 %r<9>;\n");
        let shapes: [(Language, &str, &str, &str); 8] = [
            (Language::Ptx, &function, "add.u32 %r1, %r1, %r2;\n", "ret;\n}\n"),
            (Language::Ptx, &function, "add.u32 %r1, %r1, %x;\n", "ret;\n}\n"),
            (Language::Ptx, &function, "red.global.add.u32 [%r1], 1;\n", "ret;\n}\n"),
            (Language::Ptx, ptx, ".func f{i}() { ret; }\n", ""),
            (Language::Ptx, ptx, ".global .u32 g{i};\n", ""),
            (Language::Sass, "code for sm_90\n", "        /*0000*/  IADD3 R1, R1, R2, RZ ;\n", ""),
            (
                Language::Host(HostLanguage::Cpp),
                "__global__ void k(int *p) {\n",
                "asm(\"add.u32 %0, %0, {i};\" : \"+r\"(*p));\n",
                "}\n",
            ),
            (Language::PYTHON, "", "inline_asm_elementwise(\"add.u32 $0, $1, {i};\", \"=r,r\", [x])\n", ""),
        ];
        for (language, head, unit, tail) in shapes {
            let polls = |count: usize| {
                let units: String = (0..count).map(|i| unit.replace("{i}", &i.to_string())).collect();
                let text = LintText::parse(language, &format!("{head}{units}{tail}")).under(Settings::default());
                let polls = AtomicUsize::new(0);
                let poll = || {
                    polls.fetch_add(1, Ordering::Relaxed);
                    false
                };
                text.check(&mut Checker::default(), &poll).expect("is not cancelled");
                polls.into_inner()
            };
            let (fewer, more) = (2 * MOST_STEPS, 4 * MOST_STEPS);
            let between = (more - fewer) / (polls(more) - polls(fewer)).max(1);
            assert!(between <= MOST_STEPS, "{language:?}, {unit}: {between} steps");
        }
    }
}
