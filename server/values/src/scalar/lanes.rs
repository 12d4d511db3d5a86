//! One function of a thread, applied to one thread or to the lanes of a warp.

use crate::scalar::ScalarResult;

/// The raw bits of the sources.
pub(super) type Sources = [u64; 4];

/// Applies the function of an instruction. It is called with one closure per instruction, so that the choice of the
/// instruction is made once for all lanes.
pub(super) trait Apply {
    /// What the application returns.
    type Output;

    /// Applies a function without a second result.
    fn value(self, function: impl Fn(Sources) -> u64) -> Self::Output;

    /// Applies a function with a second result, or one that reads the carry flag.
    fn pair(self, function: impl Fn(Sources, bool) -> ScalarResult) -> Self::Output;
}

/// One thread.
pub(super) struct OneThread {
    pub(super) sources: Sources,
    pub(super) carry: bool,
}

impl Apply for OneThread {
    type Output = ScalarResult;

    #[inline]
    fn value(self, function: impl Fn(Sources) -> u64) -> ScalarResult {
        ScalarResult { value: function(self.sources), second: 0 }
    }

    #[inline]
    fn pair(self, function: impl Fn(Sources, bool) -> ScalarResult) -> ScalarResult {
        function(self.sources, self.carry)
    }
}

/// The lanes of a warp whose bit is set.
pub(super) struct Lanes<'a> {
    pub(super) mask: u32,
    pub(super) sources: [&'a [u64; 32]; 4],
    pub(super) value: &'a mut [u64; 32],
    pub(super) second: &'a mut [u64; 32],
}

impl Lanes<'_> {
    #[inline]
    fn sources(&self, lane: usize) -> Sources {
        // Not by `map`, which is no loop that the compiler makes vectors of.
        let [a, b, c, d] = self.sources;
        [a[lane], b[lane], c[lane], d[lane]]
    }
}

impl Apply for Lanes<'_> {
    type Output = ();

    #[inline]
    fn value(self, function: impl Fn(Sources) -> u64) {
        if self.mask == u32::MAX {
            for lane in 0..32 {
                self.value[lane] = function(self.sources(lane));
            }
            return;
        }
        for lane in set_bits(self.mask) {
            self.value[lane] = function(self.sources(lane));
        }
    }

    #[inline]
    fn pair(self, function: impl Fn(Sources, bool) -> ScalarResult) {
        for lane in set_bits(self.mask) {
            let result = function(self.sources(lane), self.second[lane] & 1 != 0);
            self.value[lane] = result.value;
            self.second[lane] = result.second;
        }
    }
}

/// The positions of the set bits, lowest first.
fn set_bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// Applies an operation to each of the `count` numbers of `width` bits in a register.
pub(super) fn apply_elements<A: Apply>(
    apply: A,
    width: u32,
    count: u32,
    element: impl Fn(Sources) -> u64,
) -> A::Output {
    if count == 1 {
        return apply.value(element);
    }
    let mask = u64::MAX >> (64 - width);
    apply.value(move |sources| {
        (0..count)
            .map(|index| index * width)
            .fold(0, |packed, shift| packed | element(sources.map(|source| source >> shift & mask)) << shift)
    })
}
