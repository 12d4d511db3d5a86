//! Products of matrices that a thread has begun.

/// A product whose result the thread gets when it waits for it.
pub struct PendingProduct {
    /// The number of its group.
    pub group: usize,
    /// The first register of the accumulator.
    pub register: usize,
    /// The location that holds the result until then.
    pub location: usize,
    /// Whether it is added to what the register holds.
    pub accumulation: Accumulation,
}

/// What a product does with the accumulator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Accumulation {
    /// It is added to it.
    Adds,
    /// It replaces it.
    Replaces,
}
