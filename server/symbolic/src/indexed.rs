//! Accesses to a variable at an index that is read from memory, and accesses by other threads at known indices.
//!
//! Which threads meet is not known. But where each thread accesses an element of its own, and any thread may access any element, some values make two of
//! them meet, unless the values are those of a permutation that nobody would load.

use crate::shadow::{Conflict, ThreadAccess};
use crate::step::SharedAccessKind;
use std::collections::BTreeMap;

/// The most accesses to a variable that are kept.
const MAX_ACCESSES: usize = 512;

/// The accesses so far, by their variables.
#[derive(Default)]
pub(crate) struct IndexedAccesses {
    variables: BTreeMap<u16, Vec<(ThreadAccess, bool)>>,
    /// The steps that meet, that with the known index first.
    meeting: BTreeMap<(u32, u32), StepMeeting>,
}

/// What two steps do that may meet.
struct StepMeeting {
    example: Conflict,
    /// Whether threads access several known elements.
    has_own_elements: bool,
    /// Whether several threads access any element.
    has_several_threads: bool,
}

impl IndexedAccesses {
    /// Records an access of a thread to a variable; `is_indexed` if the index is read from memory. `knows` says whether the thread knows of an epoch of another one.
    pub fn record(
        &mut self,
        variable: u16,
        access: ThreadAccess,
        is_indexed: bool,
        knows: impl Fn(u32, u32) -> bool,
        warp: impl Fn(u32) -> u32,
    ) {
        let crosses_warps = |conflict: &Conflict| {
            let [one, other] = conflict.accesses;
            warp(one.thread) != warp(other.thread)
        };
        let Self { variables, meeting } = self;
        let accesses = variables.entry(variable).or_default();
        let mut is_known = false;
        for (other, other_is_indexed) in accesses.iter_mut() {
            if other.thread == access.thread {
                if other.step == access.step && *other_is_indexed == is_indexed {
                    *other = access;
                    is_known = true;
                }
            } else if *other_is_indexed != is_indexed
                && conflict(other.kind, access.kind)
                && !knows(other.thread, other.epoch)
            {
                let [own, any] = if is_indexed { [*other, access] } else { [access, *other] };
                let example = Conflict { accesses: [own, any], address: own.address };
                let new = StepMeeting { example, has_own_elements: false, has_several_threads: false };
                let meeting = meeting.entry((own.step, any.step)).or_insert(new);
                let [first_own, first_any] = meeting.example.accesses;
                if !crosses_warps(&meeting.example) && crosses_warps(&example) {
                    meeting.example = example;
                }
                meeting.has_own_elements |= first_own.thread != own.thread && first_own.address != own.address;
                meeting.has_several_threads |= first_any.thread != any.thread && first_any.address == any.address;
            }
        }
        if !is_known && accesses.len() < MAX_ACCESSES {
            accesses.push((access, is_indexed));
        }
    }

    /// The accesses that meet for some values.
    pub fn conflicts(&self) -> impl Iterator<Item = Conflict> {
        let is_certain = |meeting: &&StepMeeting| meeting.has_own_elements && meeting.has_several_threads;
        self.meeting.values().filter(is_certain).map(|meeting| meeting.example)
    }
}

/// Whether two accesses to a byte conflict. Two writes may write the same.
fn conflict(one: SharedAccessKind, other: SharedAccessKind) -> bool {
    match (one, other) {
        (SharedAccessKind::Read, other) | (other, SharedAccessKind::Read) => {
            matches!(other, SharedAccessKind::Write | SharedAccessKind::Strong)
        }
        (SharedAccessKind::Write, other) | (other, SharedAccessKind::Write) => other == SharedAccessKind::Strong,
        _ => false,
    }
}
