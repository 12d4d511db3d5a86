//! Merges the diagnostics of several targets. A diagnostic that does not apply to all targets lists its targets.

use crate::Diagnostic;
use std::collections::BTreeMap;

/// Merges the diagnostics of each target, in the order of the target names.
pub fn merge(names: &[&'static str], lists: Vec<Vec<Diagnostic>>) -> Vec<Diagnostic> {
    let mut merged: Vec<(Diagnostic, Vec<&'static str>)> = Vec::new();
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for (name, list) in names.iter().zip(lists) {
        let mut seen: BTreeMap<_, usize> = BTreeMap::new();
        for diagnostic in list {
            // The help distinguishes different causes. The cause itself contains the target and cannot be compared.
            let what =
                (diagnostic.range.start, diagnostic.range.end, diagnostic.code(), diagnostic.help_text().into_owned());
            let nth = seen.entry(what.clone()).or_default();
            *nth += 1;
            let at = *places.entry((what, *nth)).or_insert(merged.len());
            match merged.get_mut(at) {
                Some((_, held)) => held.push(name),
                None => merged.push((diagnostic, vec![name])),
            }
        }
    }
    let limited = |(mut diagnostic, held): (Diagnostic, Vec<&'static str>)| {
        if held.len() < names.len() {
            diagnostic.targets = held;
        }
        diagnostic
    };
    merged.into_iter().map(limited).collect()
}
