//! The accesses of the threads of a block to each word of shared memory, and those that meet.

use crate::step::SharedAccessKind;
use foldhash::HashMap;

/// The bytes of a word.
const WORD: u64 = 4;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// The most accesses to a word that are compared with another one.
const MAX_COMPARED: usize = 64;

/// The most accesses to a word among which the own write of a thread is searched for.
const MAX_SEARCHED: usize = 4096;

/// An access of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadAccess {
    /// The number of the thread among those that are evaluated.
    pub thread: u32,
    /// How many barriers it has passed.
    pub epoch: u32,
    /// The step.
    pub step: u32,
    /// The first byte.
    pub address: u64,
    /// The number of bytes.
    pub bytes: u32,
    /// What it does.
    pub kind: SharedAccessKind,
    /// What it writes, if that is known.
    pub value: Option<u64>,
}

/// Two accesses to a byte that no barrier orders, one of them a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    /// The two accesses.
    pub accesses: [ThreadAccess; 2],
    /// The first byte that both access.
    pub address: u64,
}

/// The accesses so far.
#[derive(Default)]
pub(crate) struct WordAccesses {
    words: HashMap<u64, u32>,
    accesses: Vec<Recorded>,
    /// The steps that were reported, and whether that was for threads of different warps.
    reported: HashMap<(u32, u32), bool>,
}

struct Recorded {
    access: ThreadAccess,
    next: u32,
}

impl WordAccesses {
    /// Records an access, and calls `report` with the first conflict of each two steps, and with the first one between warps. `knows` says whether the thread knows of an epoch of another thread, `same_warp` whether another thread is in its warp.
    pub fn record(
        &mut self,
        access: ThreadAccess,
        knows: impl Fn(u32, u32) -> bool,
        same_warp: impl Fn(u32) -> bool,
        mut report: impl FnMut(Conflict),
    ) {
        let end = access.address + u64::from(access.bytes);
        for word in access.address / WORD..end.div_ceil(WORD) {
            let head = self.words.get(&word).copied().unwrap_or(NONE);
            let mut is_recorded = false;
            let mut at = head;
            for _ in 0..MAX_COMPARED {
                let Some(recorded) = self.accesses.get_mut(at as usize) else { break };
                let other = recorded.access;
                at = recorded.next;
                if other.thread == access.thread {
                    if other.step == access.step && other.address == access.address {
                        recorded.access = access;
                        is_recorded = true;
                    }
                    continue;
                }
                let first = other.address.max(access.address);
                let meets = first < end.min(other.address + u64::from(other.bytes));
                let crosses_warps = !same_warp(other.thread);
                let may_conflict = meets && conflict(&other, &access, !crosses_warps);
                if !may_conflict || knows(other.thread, other.epoch) {
                    continue;
                }
                let steps = (other.step.min(access.step), other.step.max(access.step));
                let is_known = self.reported.get(&steps).is_some_and(|crossed| *crossed || !crosses_warps);
                if !is_known && !self.is_repeated(head, &other, &access) {
                    self.reported.insert(steps, crosses_warps);
                    report(Conflict { accesses: [other, access], address: first });
                }
            }
            if !is_recorded {
                self.words.insert(word, self.accesses.len() as u32);
                self.accesses.push(Recorded { access, next: head });
            }
        }
    }

    /// Whether threads read a word that none writes.
    pub fn has_unwritten_reads(&self) -> bool {
        self.words.values().any(|head| {
            let mut at = *head;
            while let Some(recorded) = self.accesses.get(at as usize) {
                if recorded.access.kind.writes() {
                    return false;
                }
                at = recorded.next;
            }
            true
        })
    }

    /// Whether the thread that reads has written the word by the instruction of the other thread: they write the same.
    fn is_repeated(&self, head: u32, other: &ThreadAccess, access: &ThreadAccess) -> bool {
        let (read, write) = if access.kind.writes() { (other, access) } else { (access, other) };
        if read.kind.writes() {
            return false;
        }
        let mut at = head;
        for _ in 0..MAX_SEARCHED {
            let Some(recorded) = self.accesses.get(at as usize) else { break };
            let own = recorded.access;
            if own.thread == read.thread && own.step == write.step && own.kind.writes() {
                return true;
            }
            at = recorded.next;
        }
        false
    }
}

/// Whether two accesses to the same bytes conflict.
fn conflict(one: &ThreadAccess, other: &ThreadAccess, same_warp: bool) -> bool {
    if !one.kind.writes() && !other.kind.writes() {
        return false;
    }
    if one.kind.is_strong() && other.kind.is_strong() {
        // Threads of different warps may exchange flags, and two writes may be the same.
        let is_volatile = |kind| matches!(kind, SharedAccessKind::VolatileRead | SharedAccessKind::VolatileWrite);
        let is_read = !one.kind.writes() || !other.kind.writes();
        return same_warp && is_read && is_volatile(one.kind) && is_volatile(other.kind);
    }
    let is_update = |kind| matches!(kind, SharedAccessKind::Strong | SharedAccessKind::CompareAndSwap);
    if one.kind.writes() && other.kind.writes() && !is_update(one.kind) && !is_update(other.kind) {
        // Threads often write the same value, and no barrier helps those that write different ones by one instruction.
        return one.step != other.step && one.value.zip(other.value).is_some_and(|(one, other)| one != other);
    }
    // A compare-and-swap notices that the value has changed.
    let is_expected = |one, other| one == SharedAccessKind::CompareAndSwap && other == SharedAccessKind::Read;
    !is_expected(one.kind, other.kind) && !is_expected(other.kind, one.kind)
}
