//! The fragment cache: what was found in the PTX of `asm` statements, wherever they stand.

use super::fingerprint::Fingerprint;
use diagnostics::Diagnostic;
use isa::target::{Target, Version};
use std::collections::HashMap;
use std::sync::Arc;

/// The diagnostics of the fragments that one check of a host text met, by what they were checked as.
#[derive(Debug, Default)]
pub(crate) struct FragmentCache {
    fragments: HashMap<Fingerprint, Arc<[Diagnostic]>>,
}

impl FragmentCache {
    /// What a fragment's diagnostics depend on: its text, and the target and the version that it is checked for.
    pub(crate) fn key(text: &str, target: Option<Target>, version: Option<Version>) -> Fingerprint {
        Fingerprint::of(&(text, target.map(Target::name), version))
    }

    /// The diagnostics of a fragment: those that this check or the `last` one knows, else what `check` finds, if it is not cancelled.
    pub(crate) fn get_or_check(
        &mut self,
        last: &FragmentCache,
        key: Fingerprint,
        check: impl FnOnce() -> Option<Vec<Diagnostic>>,
    ) -> Option<Arc<[Diagnostic]>> {
        let found = match self.fragments.get(&key).or_else(|| last.fragments.get(&key)) {
            Some(found) => found.clone(),
            None => check()?.into(),
        };
        self.fragments.insert(key, found.clone());
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_checked_anew_for_another_text_target_or_version_and_once_a_check_did_without_it() {
        let target = Target::parse("sm_90");
        let version = Version::parse("8.0");
        let (mut checks, mut last) = (0, FragmentCache::default());
        for (text, target, version, expected) in [
            ("a", target, version, 1),
            ("a", target, version, 1),
            ("b", target, version, 2),
            ("b", None, version, 3),
            ("b", None, None, 4),
            ("a", target, version, 5),
        ] {
            let mut cache = FragmentCache::default();
            for _ in 0..2 {
                let check = || {
                    checks += 1;
                    Some(Vec::new())
                };
                cache.get_or_check(&last, FragmentCache::key(text, target, version), check).expect("not cancelled");
            }
            assert_eq!(checks, expected, "{text} {target:?} {version:?}");
            last = cache;
        }
        assert_eq!(last.get_or_check(&FragmentCache::default(), Fingerprint::default(), || None), None);
    }
}
