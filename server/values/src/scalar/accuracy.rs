//! How close results are to those of the hardware.

/// How close a result is to that of the hardware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// Every bit is equal.
    Exact,
    /// No H100 has the instruction: results follow its definition, and no hardware was measured.
    Unmeasured,
    /// Results differ by at most `ulps` units in the last place, or by at most `absolute`.
    Approximate {
        /// The largest relative difference that was measured.
        ulps: u64,
        /// The largest difference that was measured where results are close to zero.
        absolute: f64,
    },
}

impl Accuracy {
    /// Within this number of units in the last place.
    pub(super) const fn relative(ulps: u64) -> Self {
        Self::Approximate { ulps, absolute: 0.0 }
    }
}
