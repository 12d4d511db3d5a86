//! Random numbers with a fixed seed, so that a failure repeats.

pub use fastrand::Rng;

/// One element of a slice that is not empty.
pub fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.usize(..from.len())]
}
