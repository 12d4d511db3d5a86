//! One list of findings for several targets: what holds for all of them is said once, the rest says for which.
//!
//! Must not know how findings come about.

use crate::Diagnostic;
use std::collections::BTreeMap;

/// Merges the findings for each target, in the order of the targets' names.
pub fn merge(names: &[&'static str], lists: Vec<Vec<Diagnostic>>) -> Vec<Diagnostic> {
    let mut merged: Vec<(Diagnostic, Vec<&'static str>)> = Vec::new();
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for (name, list) in names.iter().zip(lists) {
        let mut seen: BTreeMap<_, usize> = BTreeMap::new();
        for finding in list {
            // What to do about it tells apart what one target lacks for different reasons; the cause itself holds the target.
            let what = (finding.range.start, finding.range.end, finding.code(), finding.help_text().into_owned());
            let nth = seen.entry(what.clone()).or_default();
            *nth += 1;
            let at = *places.entry((what, *nth)).or_insert(merged.len());
            match merged.get_mut(at) {
                Some((_, held)) => held.push(name),
                None => merged.push((finding, vec![name])),
            }
        }
    }
    let limited = |(mut finding, held): (Diagnostic, Vec<&'static str>)| {
        if held.len() < names.len() {
            finding.targets = held;
        }
        finding
    };
    merged.into_iter().map(limited).collect()
}
