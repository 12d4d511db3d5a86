//! Findings of a host text: those of the PTX inside, at their places outside, and those of the statements themselves.

use super::targets::{arch, snapshot, targets};
use super::{HostSource, unended};
use crate::checker::{FragmentCache, judged};
use crate::rules::asm;
use crate::{Checker, Coverage};
use diagnostics::SuppressedDiagnostic;
use diagnostics::suppressions::MARK;
use diagnostics::targets::merge;
use diagnostics::{Cause, Diagnostic, Subject, TargetSource};
use hosts::cpp::{AsmFragment, ScannedHost};
use hosts::cpp::{CompilerBarriers, MissingPart, comments};
use isa::Spelling;
use isa::target::Target;
use syntax::Comment;

/// All findings, and those that comments accept; `None` as soon as nobody waits any more.
pub(super) fn check(
    source: &HostSource,
    checker: &mut Checker,
    cancelled: &dyn Fn() -> bool,
) -> Option<(Vec<Diagnostic>, Vec<SuppressedDiagnostic>)> {
    let scanned = source.text.scanned();
    let mut findings = Vec::new();
    let barriers = CompilerBarriers::new(&scanned.text, &scanned.statements);
    let (mut fragments, mut coverage) = (FragmentCache::default(), Coverage::default());
    for (number, statement) in scanned.statements.iter().enumerate() {
        if cancelled() {
            return None;
        }
        let before = coverage.statements;
        for choice in statement.choices() {
            let mut embedded = AsmFragment::new(&scanned.text, statement, &choice);
            embedded.barriers = Some(&barriers);
            if !embedded.is_ptx() {
                continue;
            }
            // Each branch of an `#if` inside a statement brings along what stands outside of it: the first is counted.
            if coverage.statements == before {
                coverage.statements += 1;
                embedded.instructions.iter().for_each(|inner| coverage.instruction(inner.is_known));
            }
            if !embedded.is_plain() {
                findings.extend(inner(&embedded, source, &checker.fragments, &mut fragments)?);
            }
            if statement.finished {
                asm::check(&embedded, &mut findings);
                unended::check(&embedded, scanned.statements.get(number + 1), &mut findings);
            }
        }
    }
    checker.fragments = fragments;
    checker.coverage = coverage;
    // Each branch of an `#if` inside a statement brings along what stands outside of it.
    findings.sort_by(Diagnostic::order);
    findings.dedup_by(|a, b| (a.rule, &a.range, &a.cause) == (b.rule, &b.range, &b.cause));
    let comment = |found: hosts::cpp::HostComment| Comment { range: found.range, leads: found.leads, function: None };
    let comments: Vec<_> = comments(&scanned.text, MARK).into_iter().map(comment).collect();
    Some(judged(source.text.rope(), &comments, &source.settings, findings))
}

/// What is found in the text that a statement stands for, for each of its targets, at the places in the host text.
fn inner(
    embedded: &AsmFragment,
    source: &HostSource,
    last: &FragmentCache,
    fragments: &mut FragmentCache,
) -> Option<Vec<Diagnostic>> {
    let settings = &source.settings;
    let (mut names, mut lists) = (Vec::new(), Vec::new());
    for (target, from) in targets(embedded, settings) {
        let key = FragmentCache::key(&embedded.template.text, target, settings.version);
        let check = || Checker::default().check_one(&snapshot(embedded, settings, target).for_lint(), &|| false);
        let found = fragments.get_or_check(last, key, check)?;
        names.push(target.map_or("", |target| target.name()));
        let refused = found.iter().filter(|finding| {
            from != TargetSource::Build
                || !matches!(*finding.cause, Cause::Requires { .. })
                || is_compiled(embedded, source.text.scanned(), target)
        });
        lists.push(refused.filter_map(|finding| outward(embedded, finding, from)).collect());
    }
    Some(if lists.len() == 1 { lists.remove(0) } else { merge(&names, lists) })
}

/// Whether a build certainly compiles a statement: for a target, or for any.
fn is_compiled(embedded: &AsmFragment, scanned: &ScannedHost, target: Option<Target>) -> bool {
    let certain = scanned.reach().certain(embedded.statement.keyword.start);
    target.map_or(!certain.is_empty(), |target| certain.contains(arch(target)))
}

/// Whether some instruction has a word.
fn is_known(word: &str) -> bool {
    let word = word.trim_start_matches('.');
    isa::vocabulary::entry(word).is_some() || isa::opcodes().any(|opcode| opcode.split('.').any(|part| part == word))
}

/// A finding in the inner text as one in the host text, if there is a place for it there and nothing is missing that would make it false.
fn outward(embedded: &AsmFragment, finding: &Diagnostic, source: TargetSource) -> Option<Diagnostic> {
    let template = &embedded.template;
    let subject = finding.rule.subject;
    let syntax = subject == Subject::Syntax;
    if subject == Subject::Module || syntax && (template.has_placeholder || !embedded.statement.finished) {
        return None;
    }
    if is_doubtful(embedded, finding) {
        return None;
    }
    let missing = template
        .incomplete
        .iter()
        .find(|(range, _)| range.start <= finding.range.start && finding.range.start < range.end);
    if missing.is_some_and(|(_, missing)| hides(*missing, subject, &template.text[finding.range.clone()])) {
        return None;
    }
    let mut range = finding.range.clone();
    if syntax && range.start >= template.body.end {
        // What is missing at the end is missed only behind it.
        let last = template.text[template.body.clone()].trim_end().len();
        let end = template.body.start + last;
        let first = template.text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        range = first..end;
    }
    let mut found = super::translate::finding(embedded, finding, range)?.in_statement(source);
    if missing.is_some() {
        found.fixes.clear();
    }
    Some(found)
}

/// Whether what is unknown of an instruction may make a diagnostic on a word of it false.
fn hides(missing: MissingPart, subject: Subject, word: &str) -> bool {
    match (missing, subject) {
        // A word that exists may be right together with what is missing.
        (MissingPart::Opcode, Subject::Modifier) => is_known(word),
        (MissingPart::Opcode, subject) => subject != Subject::Modifiers,
        (MissingPart::Operands, subject) => subject == Subject::Operands,
    }
}

/// Whether a finding says of a word that PTX has none such, where the word may be one of another assembly that has some names in common with PTX.
fn is_doubtful(embedded: &AsmFragment, finding: &Diagnostic) -> bool {
    if !matches!(finding.rule.subject, Subject::Name | Subject::Modifier) {
        return false;
    }
    let at = finding.range.start;
    let inner = embedded.instructions.iter().find(|inner| inner.opcode.start <= at && at < inner.opcode.end);
    inner.is_some_and(|inner| {
        let mut words = inner.text.split('.').map(str::trim);
        let mnemonic = words.next().unwrap_or_default();
        let modifiers: Vec<&str> = words.collect();
        let has_rows = isa::mnemonics().any(|known| known == mnemonic);
        !has_rows && !isa::names::is_certainly_ptx(&Spelling { mnemonic, modifiers: &modifiers })
    })
}
