//! The choices of a schedule: a sequence of numbers that its seed determines.

/// A generator of numbers (SplitMix64, Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct ScheduleChoices(u64);

impl ScheduleChoices {
    /// The choices of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The choices of a seed while the cluster with a number runs alone; those of the seed itself for the first one.
    pub const fn of_cluster(seed: u64, number: u64) -> Self {
        Self(seed.wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    /// The next number below `bound`, which is not zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
