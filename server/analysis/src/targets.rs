//! One list of findings for several targets: what holds for all of them is said once, the rest says for which.
//!
//! Must not know how findings come about.

use crate::Finding;
use std::collections::BTreeMap;

/// Merges the findings for each target, in the order of the targets' names.
pub(crate) fn merge(names: &[&str], lists: Vec<Vec<Finding>>) -> Vec<Finding> {
    let mut merged: Vec<(Finding, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for (name, list) in names.iter().zip(lists) {
        let mut seen: BTreeMap<_, usize> = BTreeMap::new();
        for finding in list {
            // What to do about it tells apart what one target lacks for different reasons; the message names the target.
            let what = (finding.range.start, finding.range.end, finding.code, finding.help.clone());
            let nth = seen.entry(what.clone()).or_default();
            *nth += 1;
            let at = *places.entry((what, *nth)).or_insert(merged.len());
            match merged.get_mut(at) {
                Some((_, held)) => held.push(name),
                None => merged.push((finding, vec![name])),
            }
        }
    }
    let said = |(mut finding, held): (Finding, Vec<&str>)| {
        if held.len() < names.len() {
            finding.message += &format!(" (for {})", held.join(", "));
        }
        finding
    };
    merged.into_iter().map(said).collect()
}
