//! Findings of a host text: those of the PTX inside, at their places outside, and those of the statements themselves.

use super::embedded::{Embedded, Reason, arch};
use super::host::{HostSource, Scanned};
use super::unended;
use crate::allow::MARK;
use crate::checker::judged;
use crate::rules::asm;
use crate::{Checker, Coverage, Finding, Suppressed, targets};
use isa::target::Target;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use syntax::Comment;
use syntax::cuda::{Silence, comments};

/// All findings, and those that comments accept; `None` as soon as nobody waits any more.
pub(super) fn check(
    source: &HostSource,
    checker: &mut Checker,
    cancelled: &dyn Fn() -> bool,
) -> Option<(Vec<Finding>, Vec<Suppressed>)> {
    let scanned = source.scanned();
    let mut findings = Vec::new();
    let (mut known, mut coverage) = (HashMap::new(), Coverage::default());
    for (number, statement) in scanned.statements.iter().enumerate() {
        if cancelled() {
            return None;
        }
        let before = coverage.statements;
        for choice in statement.choices() {
            let embedded = Embedded::new(&scanned.text, statement, &choice);
            if !embedded.is_ptx() {
                continue;
            }
            // Each branch of an `#if` inside a statement brings along what stands outside of it: the first is counted.
            if coverage.statements == before {
                coverage.statements += 1;
                embedded.instructions.iter().for_each(|inner| coverage.instruction(inner.is_known));
            }
            if !embedded.is_plain() {
                findings.extend(inner(&embedded, source, checker, &mut known)?);
            }
            if statement.finished {
                asm::check(&embedded, &mut findings);
                unended::check(&embedded, scanned.statements.get(number + 1), &mut findings);
            }
        }
    }
    checker.embedded = known;
    checker.coverage = coverage;
    // Each branch of an `#if` inside a statement brings along what stands outside of it.
    findings.sort_by(Finding::order);
    findings.dedup_by(|a, b| (a.code, &a.range, &a.message) == (b.code, &b.range, &b.message));
    let comment = |found: syntax::cuda::HostComment| Comment { range: found.range, leads: found.leads, function: None };
    let comments: Vec<_> = comments(&scanned.text, MARK).into_iter().map(comment).collect();
    Some(judged(source.text.rope(), &comments, &source.settings, findings))
}

/// What is found in the text that a statement stands for, for each of its targets, at the places in the host text.
fn inner(
    embedded: &Embedded,
    source: &HostSource,
    checker: &Checker,
    known: &mut HashMap<u64, Arc<[Finding]>>,
) -> Option<Vec<Finding>> {
    let settings = &source.settings;
    let (mut names, mut lists) = (Vec::new(), Vec::new());
    for (target, reason) in embedded.targets(settings) {
        let mut hasher = DefaultHasher::new();
        (&embedded.template.text, target.map(|target| target.name()), settings.version).hash(&mut hasher);
        let key = hasher.finish();
        let found = match known.get(&key).or_else(|| checker.embedded.get(&key)) {
            Some(found) => found.clone(),
            None => Checker::default().check_one(&embedded.snapshot(settings, target), &|| false)?.into(),
        };
        known.insert(key, found.clone());
        names.push(target.map_or("", |target| target.name()));
        let refused = found.iter().filter(|finding| {
            reason != Reason::Settings
                || !OF_BUILDS.contains(&finding.code)
                || is_compiled(embedded, source.scanned(), target)
        });
        lists.push(refused.filter_map(|finding| outward(embedded, finding, reason, names[names.len() - 1])).collect());
    }
    Some(if lists.len() == 1 { lists.remove(0) } else { targets::merge(&names, lists) })
}

/// Whether a build certainly compiles a statement: for a target, or for any.
fn is_compiled(embedded: &Embedded, scanned: &Scanned, target: Option<Target>) -> bool {
    let certain = scanned.reach().certain(embedded.statement.keyword.start);
    target.map_or(!certain.is_empty(), |target| certain.contains(arch(target)))
}

/// What a build refuses only if it compiles the statement for what the settings say.
const OF_BUILDS: [&str; 2] = ["requires-ptx-version", "requires-target"];
/// What of an instruction can be spoken of although words of its opcode are missing.
const ALONE: [&str; 3] = ["conflicting-modifiers", "duplicate-modifier", "unknown-modifier"];
/// What speaks of operands.
const OF_OPERANDS: [&str; 11] = [
    "guard-type",
    "misaligned-address",
    "narrow-address",
    "offset-range",
    "operand-count",
    "operand-kind",
    "operand-type",
    "register-pair",
    "unknown-name",
    "vector-size",
    "wrong-space",
];
/// What a statement cannot be blamed for: it is a part of a module.
const OF_MODULES: [&str; 5] =
    ["illegal-address-size", "missing-directive", "unknown-name", "unknown-target", "unknown-version"];

/// Whether some instruction has a word.
fn is_known(word: &str) -> bool {
    let word = word.trim_start_matches('.');
    isa::vocabulary::entry(word).is_some()
        || isa::families().iter().any(|family| family.name.split('.').any(|part| part == word))
}

/// A finding in the inner text as one in the host text, if there is a place for it there and nothing is missing that would make it false.
fn outward(embedded: &Embedded, finding: &Finding, reason: Reason, target: &str) -> Option<Finding> {
    let template = &embedded.template;
    if OF_MODULES.contains(&finding.code) {
        return None;
    }
    let syntax = finding.code == "syntax-error";
    if syntax && (template.has_hole || !embedded.statement.finished) {
        return None;
    }
    if embedded.is_doubtful(finding) {
        return None;
    }
    let silence = template
        .silences
        .iter()
        .find(|(range, _)| range.start <= finding.range.start && finding.range.start < range.end);
    match silence {
        Some((_, Silence::Opcode)) if !ALONE.contains(&finding.code) => return None,
        // A word that exists may be right together with what is missing.
        Some((_, Silence::Opcode))
            if finding.code == "unknown-modifier" && is_known(&template.text[finding.range.clone()]) =>
        {
            return None;
        }
        Some((_, Silence::Operands)) if OF_OPERANDS.contains(&finding.code) => return None,
        _ => {}
    }
    let mut range = finding.range.clone();
    if syntax && range.start >= template.body.end {
        // What is missing at the end is missed only behind it.
        let last = template.text[template.body.clone()].trim_end().len();
        let end = template.body.start + last;
        let first = template.text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        range = first..end;
    }
    let mut found = super::translate::finding(embedded, finding, range)?;
    if silence.is_some() {
        found.fixes.clear();
    }
    if found.code == "narrow-address" {
        found.help = "give the address as \"l\", 64 bits".to_owned();
    }
    if found.code == "requires-target"
        && let Some((what, _)) = found.message.split_once("; the module says ")
    {
        found.message = match reason {
            Reason::Settings => format!("{what}; the target is {target}"),
            Reason::AtLeast => format!("guarded for {target}, but {what}"),
            Reason::AtMost => format!("guarded for targets up to {target}, but {what}"),
        };
        found.help = match reason {
            Reason::Settings => found.help,
            Reason::AtLeast | Reason::AtMost => {
                "put it under a condition on `__CUDA_ARCH__` that promises such a target".to_owned()
            }
        };
    }
    Some(found)
}
