//! Merges the diagnostics of several targets. A diagnostic that does not apply to all targets lists its targets.

use crate::Diagnostic;
use std::collections::BTreeMap;

/// Merges the diagnostics of each target, in the order of the target names.
pub fn merge(names: &[&'static str], lists: Vec<Vec<Diagnostic>>) -> Vec<Diagnostic> {
    let mut merged: Vec<(Diagnostic, Vec<&'static str>)> = Vec::new();
    let mut indices: BTreeMap<_, usize> = BTreeMap::new();
    for (name, list) in names.iter().zip(lists) {
        let mut occurrences: BTreeMap<_, usize> = BTreeMap::new();
        for diagnostic in list {
            // The help distinguishes different causes. The cause itself contains the target and cannot be compared.
            let help = diagnostic.help_text().into_owned();
            let key = (diagnostic.range.start, diagnostic.range.end, diagnostic.code(), help);
            let occurrence = occurrences.entry(key.clone()).or_default();
            *occurrence += 1;
            let index = *indices.entry((key, *occurrence)).or_insert(merged.len());
            match merged.get_mut(index) {
                Some((_, targets)) => targets.push(name),
                None => merged.push((diagnostic, vec![name])),
            }
        }
    }
    let with_targets = |(mut diagnostic, targets): (Diagnostic, Vec<&'static str>)| {
        if targets.len() < names.len() {
            diagnostic.targets = targets;
        }
        diagnostic
    };
    merged.into_iter().map(with_targets).collect()
}
