//! The targets that the PTX of an `asm` statement is checked for.

use diagnostics::{Settings, Snapshot, TargetSource};
use hosts::inline_asm::{AsmDialect, AsmFragment};
use isa::target::{Suffix, Target, Version};

/// The snapshot of the PTX for a target.
pub fn snapshot(fragment: &AsmFragment, settings: &Settings, target: Option<Target>) -> Snapshot {
    let version = version(fragment, settings);
    let settings = Settings { target, version, additional_targets: Vec::new(), ..settings.clone() };
    match fragment.statement.dialect {
        AsmDialect::Module => Snapshot::new(fragment.file().clone(), settings),
        _ => Snapshot::fragment(fragment.file().clone(), settings),
    }
}

/// The version of PTX that a fragment is compiled as: the newest one of the toolkit, unless the settings name one.
pub(super) fn version(fragment: &AsmFragment, settings: &Settings) -> Option<Version> {
    let of_toolkit = || settings.toolkit.as_deref().and_then(Version::of_toolkit);
    match fragment.statement.dialect {
        AsmDialect::Module => settings.version,
        _ => settings.version.or_else(of_toolkit),
    }
}

/// The targets to check a fragment for, and the source of each.
pub fn targets(fragment: &AsmFragment, settings: &Settings) -> Vec<(Option<Target>, TargetSource)> {
    let guard = &fragment.statement.guard;
    let wanted: Vec<Target> = settings.target.iter().chain(&settings.additional_targets).copied().collect();
    let compiled = wanted.iter().copied().filter(|target| guard.may.contains(arch(*target)));
    let set: Vec<_> = compiled.map(|target| (Some(target), TargetSource::Build)).collect();
    if !set.is_empty() {
        return set;
    }
    // No configured target compiles the statement, so none can reject it.
    if !wanted.is_empty() {
        return vec![(None, TargetSource::Build)];
    }
    if let Some(least) = guard.must.least()
        && let Some(target) = plain().find(|target| arch(*target) >= least)
    {
        // `__CUDA_ARCH__` has no suffix: code guarded for sm_90 may be compiled for sm_90a.
        let same = Target::all().filter(|other| other.number() == target.number());
        return vec![(same.max_by_key(|other| promise(*other)), TargetSource::AtLeast)];
    }
    if let Some(most) = guard.must.greatest()
        && guard.may.greatest() == Some(most)
        && let Some(target) = Target::all().filter(|target| arch(*target) <= most).max_by_key(|target| promise(*target))
    {
        return vec![(Some(target), TargetSource::AtMost)];
    }
    vec![(None, TargetSource::Build)]
}

/// The snapshot for the first target, for features that depend on a single target.
pub fn first_snapshot(fragment: &AsmFragment, settings: &Settings) -> Snapshot {
    let target = targets(fragment, settings).first().and_then(|(target, _)| *target);
    snapshot(fragment, settings, target)
}

/// The value of `__CUDA_ARCH__` for a target.
pub(super) fn arch(target: Target) -> u32 {
    u32::from(target.number()) * 10
}

/// The targets without a suffix, the oldest first.
fn plain() -> impl Iterator<Item = Target> {
    let mut all: Vec<Target> = Target::all().filter(|target| target.suffix() == Suffix::None).collect();
    all.sort_by_key(|target| target.number());
    all.into_iter()
}

/// The sort key of targets by their features.
fn promise(target: Target) -> (u16, Suffix) {
    (target.number(), target.suffix())
}
