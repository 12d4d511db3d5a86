//! Fingerprints: they identify a diagnostic even after lines above it were added or removed.

use diagnostics::{Diagnostic, SuppressedDiagnostic};
use lints::Check;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// What suppresses a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuppressedBy {
    /// A comment in the text, and its reason.
    Comment(String),
    /// The baseline.
    Baseline,
    /// Its line did not change (`--diff`).
    UnchangedLine,
    /// It is not known which lines of its file changed (`--diff`).
    NotCompared,
}

/// A diagnostic with its fingerprint.
#[derive(Clone, Debug)]
pub struct FingerprintedDiagnostic {
    /// The diagnostic.
    pub diagnostic: Diagnostic,
    /// Digest of code, token, line and the index among equal ones, in hexadecimal.
    pub fingerprint: String,
    /// What suppresses it, if anything.
    pub accepted: Option<SuppressedBy>,
}

/// Maximum length of a line in a fingerprint, in bytes; of longer ones only the token counts.
const LONGEST_LINE: usize = 4096;

/// Diagnostics with those that comments suppress, sorted, with their fingerprints.
pub fn fingerprinted(
    source: &dyn Check,
    diagnostics: Vec<Diagnostic>,
    suppressed: Vec<SuppressedDiagnostic>,
) -> Vec<FingerprintedDiagnostic> {
    let open = diagnostics.into_iter().map(|diagnostic| (diagnostic, None));
    let accepted = suppressed.into_iter().map(|one| (one.diagnostic, Some(SuppressedBy::Comment(one.reason))));
    let mut all: Vec<_> = open.chain(accepted).collect();
    all.sort_by(|(a, _), (b, _)| a.order(b));
    let text = source.rope();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let found = |(diagnostic, accepted): (Diagnostic, Option<SuppressedBy>)| {
        let token = text.byte_slice(diagnostic.range.clone()).to_string();
        let line = text.line(text.byte_to_line(diagnostic.range.start));
        let line = if line.len_bytes() > LONGEST_LINE { String::new() } else { line.to_string() };
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let key = digest(&[diagnostic.code(), &token, &line]);
        let nth = seen.entry(key.clone()).or_default();
        *nth += 1;
        let fingerprint = digest(&[&key, &nth.to_string()]);
        FingerprintedDiagnostic { diagnostic, fingerprint, accepted }
    };
    all.into_iter().map(found).collect()
}

/// The first 128 bits of a digest of parts, which are separated by zero bytes.
pub fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    hasher.finalize().iter().take(16).flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
