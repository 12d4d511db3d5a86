//! How two accesses to a word are related.

use crate::WarpNumbers;
use crate::clock::Clock;
use crate::release::ScopePosition;
use crate::shadow::shadow_access::ShadowAccess;
use program::lanes::lanes_of;
use program::problem::MachineAccessKind;

/// How an earlier access is related to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaceRelation {
    /// It happens before.
    Ordered,
    /// They are not ordered, and do not race.
    Compatible,
    /// They are not ordered; they do not race by the definition only, as volatile accesses.
    Unordered,
    /// They race.
    Race,
}

/// How an earlier access is related to a new one of one agent. Where agents are is asked only for strong accesses, which copies in progress
/// are not, but for reductions with the scope of the device.
#[inline]
pub fn relation(
    earlier: &ShadowAccess,
    new: &ShadowAccess,
    known: &Clock,
    numbers: WarpNumbers,
    position: ScopePosition,
) -> RaceRelation {
    if is_own(earlier, new) {
        return RaceRelation::Ordered;
    }
    if earlier.is_always_morally_strong(new, numbers.widest()) {
        return RaceRelation::Compatible;
    }
    if let (Some(one), Some(two)) = (earlier.scope, new.scope)
        && earlier.size == new.size
        && one.min(two) >= numbers.position(earlier.agent().thread().warp).distance(position)
    {
        return RaceRelation::Compatible;
    }
    if happens_before(earlier, new, known) {
        RaceRelation::Ordered
    } else if earlier.writes() || new.writes() {
        RaceRelation::Race
    } else {
        RaceRelation::Compatible
    }
}

/// Whether the accesses of an earlier record are of the agent of a new one, which orders them.
fn is_own(earlier: &ShadowAccess, new: &ShadowAccess) -> bool {
    (earlier.warp, earlier.lanes) == (new.warp, new.lanes) && !are_of_copies(earlier, new)
}

/// Whether two accesses to the same bytes are of different copies: nothing orders copies of one thread among themselves.
#[inline]
fn are_of_copies(earlier: &ShadowAccess, new: &ShadowAccess) -> bool {
    let agent = earlier.agent();
    // A copy writes nothing twice, so another write of a group is that of another copy.
    agent.writes_in_groups() || earlier.epoch != new.epoch && agent.notifier().is_some()
}

/// Whether an earlier access happens before a new one, of whose agent a clock says what does.
pub fn happens_before(earlier: &ShadowAccess, new: &ShadowAccess, known: &Clock) -> bool {
    let orders_itself = earlier.warp == new.warp && !are_of_copies(earlier, new);
    let others = if orders_itself { earlier.lanes & !new.lanes } else { earlier.lanes };
    let happened = |epochs: &[u32; 32]| lanes_of(others).all(|lane| epochs[lane] >= earlier.epoch);
    known.epochs(earlier.warp).is_some_and(happened)
}

/// Whether all accesses of an earlier record are those of the agent of a new one, or happen before it.
pub fn is_before(earlier: &ShadowAccess, new: &ShadowAccess, known: &Clock) -> bool {
    is_own(earlier, new) || happens_before(earlier, new, known)
}

/// Whether a strong read in a run of one execution has observed an earlier strong write of the same bytes: causality order has the write before all
/// that is after the read. This goes by time; a write between the two that updates nothing is not noticed.
pub fn observes(read: &ShadowAccess, write: &ShadowAccess, numbers: WarpNumbers) -> bool {
    let position = |access: &ShadowAccess| numbers.position(access.agent().thread().warp);
    let reach = read.scope.min(write.scope);
    let same_bytes = (read.bytes, read.size) == (write.bytes, write.size);
    same_bytes && read.time > write.time && reach.is_some_and(|reach| reach >= position(read).distance(position(write)))
}

/// Whether two strong accesses should be ordered: volatile ones, and a volatile write and an atomic access.
pub fn is_doubtful([one, other]: [&ShadowAccess; 2], is_volatile: impl Fn(u32) -> bool) -> bool {
    let stores = |one: &ShadowAccess, other: &ShadowAccess| {
        one.kind == MachineAccessKind::Write && other.kind == MachineAccessKind::Atomic
    };
    match (is_volatile(one.instruction), is_volatile(other.instruction)) {
        (true, true) => true,
        (true, false) => stores(one, other),
        (false, true) => stores(other, one),
        (false, false) => false,
    }
}

/// Whether one of two accesses writes, and neither happens before the other.
pub fn conflicts(earlier: &ShadowAccess, new: &ShadowAccess, known: &Clock) -> bool {
    (earlier.writes() || new.writes()) && !happens_before(earlier, new, known)
}
