//! Sets of targets: the targets that satisfy a requirement of a family, of an architecture, or of a minimum number.

use crate::target::{Suffix, TARGETS, Target, Version};
use std::fmt;

/// A set of targets, as a form requires it. Bit *n* is the target with index *n*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetSet(u64);

impl TargetSet {
    /// All targets.
    pub const ALL: TargetSet = TargetSet((1 << TARGETS.len()) - 1);

    /// No target.
    pub const NONE: TargetSet = TargetSet(0);

    /// One target alone.
    fn of(target: Target) -> TargetSet {
        TargetSet(1 << target.0)
    }

    /// The targets with at least this number and any suffix: "sm_90 or newer".
    pub fn from_number(number: u16) -> TargetSet {
        Target::all().filter(|t| t.number() >= number).fold(TargetSet::NONE, |set, t| set.or(TargetSet::of(t)))
    }

    /// The targets that run code for this one: a plain target's successors, a family target's later relatives
    /// and architectures of it, an architecture alone.
    pub fn including(target: Target) -> TargetSet {
        match target.suffix() {
            Suffix::None => TargetSet::from_number(target.number()),
            Suffix::Architecture => TargetSet::of(target),
            Suffix::Family => Target::all()
                .filter(|t| t.suffix() != Suffix::None && family_of(*t) == family_of(target))
                .filter(|t| t.number() >= target.number())
                .fold(TargetSet::NONE, |set, t| set.or(TargetSet::of(t))),
        }
    }

    /// In either set.
    pub const fn or(self, other: TargetSet) -> TargetSet {
        TargetSet(self.0 | other.0)
    }

    /// In both sets.
    pub const fn and(self, other: TargetSet) -> TargetSet {
        TargetSet(self.0 & other.0)
    }

    /// Whether the target is in the set.
    pub const fn contains(self, target: Target) -> bool {
        self.0 >> target.0 & 1 == 1
    }

    /// The targets in the set, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        Target::all().filter(move |t| self.contains(*t))
    }

    /// The target of the set to raise a module to: one with the same number (`sm_100` to `sm_100f`), else the next newer one, else the
    /// newest. Of several with that number, one that the version has. `None` for the empty set.
    pub fn nearest(self, from: Target, version: Option<Version>) -> Option<Target> {
        let unknown = |t: &Target| version.is_some_and(|version| !t.known_by(version));
        let distance = |t: &Target| (t.number() < from.number(), t.number().abs_diff(from.number()), unknown(t), t.0);
        self.iter().min_by_key(distance)
    }
}

/// For people: `sm_90` (meaning that or newer) or `one of sm_100f, sm_100a`.
impl fmt::Display for TargetSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.iter().next() else { return f.write_str("no target") };
        if *self == TargetSet::including(first) {
            return f.write_str(first.name());
        }
        let covers = |one: Target, other: Target| {
            let all = TargetSet::including(one);
            one != other && all.contains(other) && all.and(*self) == all
        };
        let names: Vec<_> = self.iter().filter(|t| !self.iter().any(|o| covers(o, *t))).map(Target::name).collect();
        write!(f, "one of {}", names.join(", "))
    }
}

/// The number of the first member of the family.
fn family_of(target: Target) -> u16 {
    match target.number() {
        100 | 103 | 107 => 100,
        101 | 110 => 101,
        120 | 121 => 120,
        other => other,
    }
}
