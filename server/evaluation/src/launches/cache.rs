//! Results of launches, so that an edit elsewhere does not run or check them again.
//!
//! A key has the program, not the text: what a kernel does depends on nothing else, and results name instructions by their numbers.

use kernel::stream::StreamKernel;
use machine::Allocation;
use std::any::Any;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// The most results that are kept.
const MAX_RESULTS: usize = 32;

/// The most bytes of memory of a launch whose result is kept.
const MAX_BYTES: usize = 1 << 20;

/// The results of the process.
pub static LAUNCH_CACHE: LaunchCache = LaunchCache::new();

/// The latest results, the newest last.
#[derive(Debug, Default)]
pub struct LaunchCache(Mutex<Vec<(LaunchKey, Arc<dyn Any + Send + Sync>)>>);

/// A fingerprint of a program, its launch, its memory, and what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchKey([u64; 2]);

/// Two hashes of the same text.
struct LaunchHasher([DefaultHasher; 2]);

impl LaunchHasher {
    fn new() -> Self {
        let mut second = DefaultHasher::new();
        second.write_u8(1);
        Self([DefaultHasher::new(), second])
    }

    fn add(&mut self, part: impl Hash) {
        self.0.iter_mut().for_each(|hasher| part.hash(hasher));
    }
}

impl Write for LaunchHasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.iter_mut().for_each(|hasher| hasher.write(text.as_bytes()));
        Ok(())
    }
}

impl LaunchKey {
    /// The key of a question about kernels that run one after another; `None` if their memory is too large to be kept.
    pub fn of(kernels: &[StreamKernel], question: &str) -> Option<Self> {
        let allocations = kernels.first()?.memory.memory.allocations();
        let bytes = |one: &Allocation| one.region.len();
        if allocations.iter().map(bytes).sum::<usize>() > MAX_BYTES {
            return None;
        }
        let mut fingerprint = LaunchHasher::new();
        for StreamKernel { kernel, launch, .. } in kernels {
            write!(fingerprint, "{:?}{:?}", kernel.program, launch).ok()?;
        }
        for allocation in allocations {
            let contents = allocation.region.read(0, allocation.region.len());
            fingerprint.add((&allocation.name, allocation.address, contents));
        }
        fingerprint.add(question);
        Some(Self(fingerprint.0.map(|hasher| hasher.finish())))
    }
}

impl LaunchCache {
    /// An empty cache.
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The kept result for a key, or a new one.
    pub fn result<R: Any + Send + Sync>(&self, key: Option<LaunchKey>, compute: impl FnOnce() -> R) -> Arc<R> {
        let Some(key) = key else { return Arc::new(compute()) };
        if let Some(known) = self.find(key) {
            return known;
        }
        let result = Arc::new(compute());
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = results.len().saturating_sub(MAX_RESULTS - 1);
        results.drain(..oldest);
        results.push((key, result.clone()));
        result
    }

    fn find<R: Any + Send + Sync>(&self, key: LaunchKey) -> Option<Arc<R>> {
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = results.iter().position(|(other, _)| *other == key)?;
        let found = results.remove(at);
        let result = found.1.clone();
        results.push(found);
        drop(results);
        result.downcast().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launches::launch_reports;
    use syntax::LintFile;

    const MODULE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n//! run count block 5 hist=u32[2]\n//! expect hist == 4\n\
                          //! check count block 2 hist=u32[2]\n.global .u32 total;\n.entry count(.param .u64 hist)\n{\n\
                          .reg .u64 %rd<2>;\nld.param.u64 %rd1, [hist];\nred.global.add.u32 [%rd1], 1;\nret;\n}\n.entry other()\n{\nret;\n}\n";

    /// The number of launches that are executed or checked for a text, and the ranges of what they found.
    fn executed(cache: &LaunchCache, text: &str) -> (usize, Vec<String>) {
        let before = cache.0.lock().expect("a cache").len();
        let file = LintFile::parse(text);
        let module = isa::Module::default();
        let found = launch_reports(&file, module, cache).into_iter().map(|report| match report {
            crate::launches::LaunchReport::Mismatch { problem, .. } => text[problem.range].to_owned(),
            other => format!("{other:?}"),
        });
        let found = found.collect();
        (cache.0.lock().expect("a cache").len() - before, found)
    }

    #[test]
    fn an_edit_elsewhere_executes_nothing_again_and_findings_move_with_their_text() {
        let cache = LaunchCache::new();
        let wrong = vec!["expect hist == 4".to_owned()];
        assert_eq!(executed(&cache, MODULE), (2, wrong.clone()));
        assert_eq!(executed(&cache, MODULE), (0, wrong.clone()));
        let longer = MODULE.replace("()\n{\nret;", "()\n{\nmembar.gl;\nret;").replace("//! run", "// more\n//! run");
        assert_eq!(executed(&cache, &longer), (0, wrong.clone()));
        assert_eq!(executed(&cache, &MODULE.replace("block 5", "block 6")), (1, wrong.clone()));
        assert_eq!(executed(&cache, &MODULE.replace("[%rd1], 1", "[%rd1], 2")), (2, wrong));
        assert_eq!(executed(&cache, &MODULE.replace("== 4", "== 5")), (0, Vec::new()));
    }
}
