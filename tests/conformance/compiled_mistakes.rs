//! Rules about synchronization find the mistakes of kernels that nvcc compiled, in tests/fixtures/synchronisation_mistakes.
//!
//! A kernel is named after its rule. It has no diagnostics of these rules in NAME.right.ptx, and the expected one in NAME.wrong.ptx.

use diagnostics::{Preset, Settings, Snapshot};
use lints::Check;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use syntax::LintFile;

/// The kernels with a mistake that no rule finds.
const MISSED: &[&str] = &[
    "cluster_scope_5",
    "cluster_scope_8",
    "divergent_barrier_10",
    "divergent_barrier_4",
    "divergent_barrier_6",
    "maybe_divergent_barrier_41",
    "maybe_divergent_barrier_42",
    "mbarrier_protocol_18",
    "mbarrier_protocol_3",
    "mbarrier_protocol_4",
    "mbarrier_protocol_76",
    "missing_proxy_fence_12",
    "signal_without_release_6",
    "uncommitted_async_3",
    "uncommitted_async_35",
    "uncommitted_async_57",
    "uncommitted_async_58",
];

/// The least number of kernels per rule, right and wrong.
const KERNELS: usize = 10;

/// The kernels of a module with the codes of their diagnostics.
fn kernels(text: &str) -> BTreeMap<String, BTreeSet<&'static str>> {
    let settings = Settings { preset: Some(Preset::Strict), ..Settings::default() };
    let diagnostics = Snapshot::new(LintFile::parse(text), settings).diagnostics();
    let starts: Vec<(usize, &str)> = text
        .match_indices(".entry ")
        .map(|(at, word)| {
            let name = &text[at + word.len()..];
            (at, &name[..name.find('(').expect("parameters")])
        })
        .collect();
    let mut found: BTreeMap<String, BTreeSet<&'static str>> =
        starts.iter().map(|(_, name)| ((*name).to_owned(), BTreeSet::new())).collect();
    for diagnostic in &diagnostics {
        let kernel = starts.iter().rev().find(|(at, _)| *at < diagnostic.range.start);
        if let Some(codes) = kernel.and_then(|(_, name)| found.get_mut(*name)) {
            codes.insert(diagnostic.code());
        }
    }
    found
}

/// The rule that a kernel is named after.
fn rule(kernel: &str) -> String {
    kernel.trim_end_matches(|last: char| last.is_ascii_digit()).trim_end_matches('_').replace('_', "-")
}

#[test]
fn right_kernels_are_accepted_and_mistakes_are_found() {
    let folder = support::root().join("tests/fixtures/synchronisation_mistakes");
    let (mut right, mut wrong) = (BTreeMap::new(), BTreeMap::new());
    for entry in fs::read_dir(folder).expect("fixtures") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let to = match () {
            () if name.ends_with(".right.ptx") => &mut right,
            () if name.ends_with(".wrong.ptx") => &mut wrong,
            () => continue,
        };
        to.extend(kernels(&fs::read_to_string(&path).expect("readable")));
    }
    let rules: BTreeSet<String> = right.keys().map(|kernel| rule(kernel)).collect();
    for (kernel, codes) in &right {
        let found: Vec<_> = codes.iter().filter(|code| rules.contains(**code)).collect();
        assert!(found.is_empty(), "the right `{kernel}` has {found:?}");
    }
    let is_missed = |(kernel, codes): &(&String, &BTreeSet<&str>)| !codes.contains(rule(kernel).as_str());
    let missed: Vec<&str> = wrong.iter().filter(is_missed).map(|(kernel, _)| kernel.as_str()).collect();
    assert_eq!(missed, MISSED, "of {} kernels", wrong.len());
    for rule_name in &rules {
        let count = |kernels: &BTreeMap<String, BTreeSet<&str>>| {
            kernels.keys().filter(|kernel| rule(kernel) == *rule_name).count()
        };
        let missed = missed.iter().filter(|kernel| rule(kernel) == *rule_name).count();
        let (right, wrong) = (count(&right), count(&wrong));
        println!("{rule_name}: {right} right, {} of {wrong} wrong found", wrong - missed);
        assert!(right >= KERNELS && wrong >= KERNELS, "{rule_name} has {right} right and {wrong} wrong kernels");
    }
}
