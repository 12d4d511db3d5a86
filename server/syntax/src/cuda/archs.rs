//! Sets of values of `__CUDA_ARCH__`, and what a condition of the preprocessor promises about it.
//!
//! Must not know how conditions are written.

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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a value is among them.
    pub fn contains(&self, value: u32) -> bool {
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&value))
    }

    /// The least value, where somebody set a limit.
    pub fn least(&self) -> Option<u32> {
        self.0.first().map(|(low, _)| *low).filter(|low| *low > FIRST)
    }

    /// The greatest value, where somebody set a limit.
    pub fn greatest(&self) -> Option<u32> {
        self.0.last().map(|(_, high)| *high).filter(|high| *high < LAST)
    }

    fn not(&self) -> Self {
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

    fn and(&self, other: &Self) -> Self {
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
        Archs(pairs.filter(|(low, high)| low <= high).collect())
    }

    fn or(&self, other: &Self) -> Self {
        self.not().and(&other.not()).not()
    }
}

/// What a condition says about the devices that code is compiled for, if it holds and if it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    holds: Side,
    fails: Side,
}

/// One outcome of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// The devices for which it is possible.
    pub may: Archs,
    /// The devices for which it certainly can be brought about.
    pub must: Archs,
    /// It is an outcome for processors other than these devices.
    pub host: bool,
}

impl Condition {
    /// Says nothing, and no device depends on it: the version of a compiler.
    pub fn free() -> Self {
        let side = || Side { may: Archs::all(), must: Archs::all(), host: false };
        Condition { holds: side(), fails: side() }
    }

    /// Nobody knows.
    pub fn unknown() -> Self {
        let side = || Side { may: Archs::all(), must: Archs::none(), host: false };
        Condition { holds: side(), fails: side() }
    }

    /// Holds exactly for some devices.
    pub fn exactly(archs: &Archs) -> Self {
        let side = |archs: Archs| Side { may: archs.clone(), must: archs, host: false };
        Condition { holds: side(archs.clone()), fails: side(archs.not()) }
    }

    /// Holds at least for some devices.
    pub fn at_least(archs: Archs) -> Self {
        Condition { holds: Side { must: archs, ..Condition::unknown().holds }, fails: Condition::unknown().fails }
    }

    /// Holds for another processor.
    pub fn host() -> Self {
        Condition { holds: Side { host: true, ..Condition::free().holds }, fails: Condition::free().fails }
    }

    pub fn not(self) -> Self {
        Condition { holds: self.fails, fails: self.holds }
    }

    pub fn and(&self, other: &Self) -> Self {
        Condition { holds: both(&self.holds, &other.holds), fails: either(&self.fails, &other.fails) }
    }

    pub fn or(&self, other: &Self) -> Self {
        Condition { holds: either(&self.holds, &other.holds), fails: both(&self.fails, &other.fails) }
    }

    /// What is known where it holds.
    pub fn holds(&self) -> &Side {
        &self.holds
    }
}

fn both(a: &Side, b: &Side) -> Side {
    Side { may: a.may.and(&b.may), must: a.must.and(&b.must), host: a.host || b.host }
}

fn either(a: &Side, b: &Side) -> Side {
    Side { may: a.may.or(&b.may), must: a.must.or(&b.must), host: a.host && b.host }
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
        let unless = Condition::exactly(&from(900)).not();
        assert_eq!(unless.holds().may.greatest(), Some(899));
        let unknown = Condition::exactly(&from(900)).and(&Condition::unknown());
        assert!(unknown.holds().must.is_empty() && unknown.holds().may == from(900));
        let neither = unknown.not();
        assert!(neither.holds().may == Archs::all() && neither.holds().must == Archs::between(0, 899));
    }
}
