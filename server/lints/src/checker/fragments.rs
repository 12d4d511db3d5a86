//! The fragment cache: the diagnostics of the PTX in `asm` statements.

use crate::checker::fingerprint::Fingerprint;
use diagnostics::Diagnostic;
use isa::target::{Target, Version};
use std::collections::HashMap;
use std::sync::Arc;

/// The diagnostics of the fragments of one check of a host text, by key.
#[derive(Debug, Default)]
pub(crate) struct FragmentCache {
    fragments: HashMap<Fingerprint, Arc<[Diagnostic]>>,
}

impl FragmentCache {
    /// The fingerprint of what the diagnostics of a fragment depend on: its text, the target and the PTX version.
    pub(crate) fn key(text: &str, target: Option<Target>, version: Option<Version>) -> Fingerprint {
        Fingerprint::of(&(text, target.map(Target::name), version))
    }

    /// The diagnostics of a fragment, from this cache, the `last` cache, or from `check`; `None` if the check is cancelled.
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
    fn a_fragment_is_checked_again_for_another_text_target_or_version() {
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
