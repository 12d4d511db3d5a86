//! The device architectures for which a preprocessor condition holds.

use super::archs::Archs;

/// The device architectures for which a condition holds, and for which it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cpp) struct ArchCondition {
    holds: ConditionSide,
    fails: ConditionSide,
}

/// One outcome of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cpp) struct ConditionSide {
    /// The devices for which it is possible.
    pub may: Archs,
    /// The devices for which it is certain.
    pub must: Archs,
    /// Whether it is the outcome for other processors.
    pub host: bool,
    /// Whether only code for a device of NVIDIA has this outcome.
    pub device: bool,
}

impl ArchCondition {
    /// Unknown, but the same for all devices: the version of a compiler.
    pub fn free() -> Self {
        let side = || ConditionSide { may: Archs::all(), must: Archs::all(), host: false, device: false };
        ArchCondition { holds: side(), fails: side() }
    }

    /// Unknown.
    pub fn unknown() -> Self {
        let side = || ConditionSide { may: Archs::all(), must: Archs::none(), host: false, device: false };
        ArchCondition { holds: side(), fails: side() }
    }

    /// Holds for every device.
    pub fn always() -> Self {
        ArchCondition::exactly(&Archs::all())
    }

    /// Holds for no device.
    pub fn never() -> Self {
        ArchCondition::exactly(&Archs::none())
    }

    /// Holds for code that is for a device of NVIDIA; the same for all of them.
    pub fn device() -> Self {
        ArchCondition::always().only_for_devices()
    }

    /// The same where it holds for devices of NVIDIA only.
    pub fn only_for_devices(mut self) -> Self {
        self.holds.device = true;
        self
    }

    /// Holds exactly for some devices.
    pub fn exactly(archs: &Archs) -> Self {
        let side = |archs: Archs| ConditionSide { may: archs.clone(), must: archs, host: false, device: false };
        ArchCondition { holds: side(archs.clone()), fails: side(archs.not()) }
    }

    /// Holds at least for some devices.
    pub fn at_least(archs: Archs) -> Self {
        ArchCondition {
            holds: ConditionSide { must: archs, ..ArchCondition::unknown().holds },
            fails: ArchCondition::unknown().fails,
        }
    }

    /// What a name tells that is defined, or true, at least where this holds.
    pub fn implied(&self) -> Self {
        let least = ArchCondition::at_least(self.holds.must.clone());
        if self.holds.device { least.only_for_devices() } else { least }
    }

    /// Holds for another processor.
    pub fn host() -> Self {
        ArchCondition {
            holds: ConditionSide { host: true, ..ArchCondition::free().holds },
            fails: ArchCondition::free().fails,
        }
    }

    /// Whether it holds for every device.
    pub fn is_always(&self) -> bool {
        let mut any = self.clone();
        any.holds.device = false;
        any == ArchCondition::always()
    }

    /// Whether it depends on the version of a compiler only.
    pub fn is_free(&self) -> bool {
        *self == ArchCondition::free()
    }

    pub fn not(self) -> Self {
        ArchCondition { holds: self.fails, fails: self.holds }
    }

    pub fn and(&self, other: &Self) -> Self {
        ArchCondition { holds: both(&self.holds, &other.holds), fails: either(&self.fails, &other.fails) }
    }

    pub fn or(&self, other: &Self) -> Self {
        ArchCondition { holds: either(&self.holds, &other.holds), fails: both(&self.fails, &other.fails) }
    }

    /// The architectures where it holds.
    pub fn holds(&self) -> &ConditionSide {
        &self.holds
    }
}

fn both(a: &ConditionSide, b: &ConditionSide) -> ConditionSide {
    ConditionSide {
        may: a.may.and(&b.may),
        must: a.must.and(&b.must),
        host: a.host || b.host,
        device: a.device || b.device,
    }
}

fn either(a: &ConditionSide, b: &ConditionSide) -> ConditionSide {
    ConditionSide {
        may: a.may.or(&b.may),
        must: a.must.or(&b.must),
        host: a.host && b.host,
        device: a.device && b.device,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_what_does_not_hold() {
        let from = |low| Archs::between(low, u32::MAX);
        let unless = ArchCondition::exactly(&from(900)).not();
        assert_eq!(unless.holds().may.greatest(), Some(899));
        let unknown = ArchCondition::exactly(&from(900)).and(&ArchCondition::unknown());
        assert!(unknown.holds().must.is_empty() && unknown.holds().may == from(900));
        let neither = unknown.not();
        assert!(neither.holds().may == Archs::all() && neither.holds().must == Archs::between(0, 899));
    }
}
