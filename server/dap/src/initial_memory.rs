//! The memory with which a run begins, for the first run and those that repeat it.
//!
//! A copy of small memory is kept. Large memory would exist twice: the first run takes it, and another one loads it again, as the launch did.

use machine::GlobalMemory;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The most bytes that are kept beside those of the run.
const MAX_KEPT: usize = 64 << 20;

/// The memory with which a run begins.
#[derive(Debug)]
pub struct InitialMemory {
    /// `None` after it was taken.
    memory: Option<GlobalMemory>,
    /// Of large memory, so that what is loaded again is known to be the same.
    fingerprint: Option<u64>,
}

impl InitialMemory {
    /// The memory that was loaded.
    pub fn new(memory: GlobalMemory) -> Self {
        let bytes: usize = memory.allocations().iter().map(|one| one.region.len()).sum();
        let fingerprint = (bytes > MAX_KEPT).then(|| fingerprint(&memory));
        Self { memory: Some(memory), fingerprint }
    }

    /// The memory for a run. `load` loads it again.
    ///
    /// # Errors
    /// A message for the user, if it cannot be loaded again, or is another one.
    pub fn take(&mut self, load: impl FnOnce() -> Result<GlobalMemory, String>) -> Result<GlobalMemory, String> {
        let known = if self.fingerprint.is_some() { self.memory.take() } else { self.memory.clone() };
        if let Some(memory) = known {
            return Ok(memory);
        }
        let memory = load()?;
        if Some(fingerprint(&memory)) != self.fingerprint {
            return Err("the module or its data have changed; restart the session".to_owned());
        }
        Ok(memory)
    }
}

fn fingerprint(memory: &GlobalMemory) -> u64 {
    let mut hasher = DefaultHasher::new();
    for one in memory.allocations() {
        (&one.name, one.address, one.region.bytes()).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::{AllocationKind, MemoryBytes};

    fn memory(bytes: usize, value: u8) -> GlobalMemory {
        let mut memory = GlobalMemory::default();
        memory.allocate("a".into(), MemoryBytes::defined(vec![value; bytes]), AllocationKind::Buffer);
        memory
    }

    #[test]
    fn large_memory_is_loaded_again_and_small_memory_is_kept() {
        let value = |memory: GlobalMemory| memory.allocations()[0].region.bytes()[0];
        let mut small = InitialMemory::new(memory(8, 1));
        for _ in 0..2 {
            assert_eq!(small.take(|| Err("loaded again".to_owned())).map(value), Ok(1));
        }
        let mut large = InitialMemory::new(memory(MAX_KEPT + 1, 1));
        assert_eq!(large.take(|| Err("loaded again".to_owned())).map(value), Ok(1));
        assert!(large.memory.is_none(), "it exists once");
        assert_eq!(large.take(|| Ok(memory(MAX_KEPT + 1, 1))).map(value), Ok(1));
        assert!(large.take(|| Ok(memory(MAX_KEPT + 1, 2))).is_err());
    }
}
