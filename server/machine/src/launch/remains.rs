//! What a run has used beside its result.

use ordering::Races;
use ordering::kernel_use::KernelUse;

/// The records of the accesses of a run. To free them takes an eighth of the time of a run that has accessed much memory at scattered addresses: a
/// program that ends then can forget them.
#[derive(Debug, Default)]
pub struct RunRemains {
    records: Vec<Races>,
}

impl RunRemains {
    /// Keeps records.
    pub fn keep(&mut self, records: Races) {
        self.records.push(records);
    }

    /// What the kernel has done to global memory, if its launch has asked for it.
    pub fn usage(&self) -> KernelUse {
        let mut usage = KernelUse::default();
        self.records.iter().for_each(|races| races.add_use(&mut usage));
        usage
    }
}
