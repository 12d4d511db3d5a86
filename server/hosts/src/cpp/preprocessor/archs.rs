//! Sets of values of `__CUDA_ARCH__`.

/// A set of values of `__CUDA_ARCH__` in a compilation for a device: closed intervals, ordered, that neither touch nor overlap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Archs(Vec<(u32, u32)>);

const FIRST: u32 = 1;
const LAST: u32 = u32::MAX - 1;

impl Archs {
    /// Every device.
    pub fn all() -> Self {
        Archs(vec![(FIRST, LAST)])
    }

    /// No device.
    pub fn none() -> Self {
        Archs(Vec::new())
    }

    /// From one value to another, both included.
    pub fn between(low: u32, high: u32) -> Self {
        Archs((low.max(FIRST) <= high.min(LAST)).then_some((low.max(FIRST), high.min(LAST))).into_iter().collect())
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the set contains a value.
    pub fn contains(&self, value: u32) -> bool {
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&value))
    }

    /// The lower limit, if there is one.
    pub fn least(&self) -> Option<u32> {
        self.0.first().map(|(low, _)| *low).filter(|low| *low > FIRST)
    }

    /// The upper limit, if there is one.
    pub fn greatest(&self) -> Option<u32> {
        self.0.last().map(|(_, high)| *high).filter(|high| *high < LAST)
    }

    /// The complement.
    pub(super) fn not(&self) -> Self {
        let mut rest = Vec::new();
        let mut from = FIRST;
        for (low, high) in &self.0 {
            if from < *low {
                rest.push((from, low - 1));
            }
            from = high + 1;
        }
        if from <= LAST {
            rest.push((from, LAST));
        }
        Archs(rest)
    }

    /// The intersection.
    pub(in crate::cpp) fn and(&self, other: &Self) -> Self {
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
        Archs(pairs.filter(|(low, high)| low <= high).collect())
    }

    /// The union.
    pub(in crate::cpp) fn or(&self, other: &Self) -> Self {
        self.not().and(&other.not()).not()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_of_the_schoolbook() {
        let from = |low| Archs::between(low, u32::MAX);
        assert_eq!(from(900).not(), Archs::between(0, 899));
        assert_eq!(from(900).and(&Archs::between(0, 999)), Archs::between(900, 999));
        assert_eq!(Archs::between(0, 899).or(&from(900)), Archs::all());
        assert_eq!(Archs::none().not(), Archs::all());
        assert_eq!((from(900).least(), from(900).greatest(), Archs::all().least()), (Some(900), None, None));
    }
}
