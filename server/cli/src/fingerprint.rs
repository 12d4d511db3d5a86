//! A finding's own name: the same after lines above it came or went, another where another mistake is made.
//!
//! Must not know formats.

use diagnostics::{Diagnostic, SuppressedDiagnostic};
use lints::Check;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Who accepts a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuppressedBy {
    /// A comment in the text, and its reason.
    Comment(String),
    /// The baseline.
    Baseline,
}

/// A finding with its fingerprint.
#[derive(Clone, Debug)]
pub struct FingerprintedDiagnostic {
    /// The finding.
    pub finding: Diagnostic,
    /// Of code, token and line, and the how-manieth of equal ones it is: hexadecimal digits.
    pub fingerprint: String,
    /// Who accepts it, if anybody does.
    pub accepted: Option<SuppressedBy>,
}

/// Longer lines are known by their token alone, in bytes.
const LONGEST_LINE: usize = 4096;

/// DeduplicatedDiagnostics and those that comments accept, in one order, with their fingerprints.
pub fn fingerprinted(
    source: &dyn Check,
    findings: Vec<Diagnostic>,
    suppressed: Vec<SuppressedDiagnostic>,
) -> Vec<FingerprintedDiagnostic> {
    let open = findings.into_iter().map(|finding| (finding, None));
    let accepted = suppressed.into_iter().map(|one| (one.diagnostic, Some(SuppressedBy::Comment(one.reason))));
    let mut all: Vec<_> = open.chain(accepted).collect();
    all.sort_by(|(a, _), (b, _)| a.order(b));
    let text = source.rope();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let found = |(finding, accepted): (Diagnostic, Option<SuppressedBy>)| {
        let token = text.byte_slice(finding.range.clone()).to_string();
        let line = text.line(text.byte_to_line(finding.range.start));
        let line = if line.len_bytes() > LONGEST_LINE { String::new() } else { line.to_string() };
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let key = digest(&[finding.code(), &token, &line]);
        let nth = seen.entry(key.clone()).or_default();
        *nth += 1;
        let fingerprint = digest(&[&key, &nth.to_string()]);
        FingerprintedDiagnostic { finding, fingerprint, accepted }
    };
    all.into_iter().map(found).collect()
}

/// The first 128 bits of a digest of parts, none of which holds a zero byte that matters.
pub fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
