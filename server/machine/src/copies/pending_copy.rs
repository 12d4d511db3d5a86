//! Asynchronous copies that are under way, and when they count as done.

use ordering::{Agent, Clock};
use program::copies::async_copy::GroupKind;
use program::launch::kernel_launch::ThreadId;
use program::problem::CodePlace;
use program::proxy::AccessProxy;
use std::ops::Range;
use std::sync::Arc;
use values::Operation;

/// A resolved range of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryRange {
    /// Global memory, by its address.
    Global(u64),
    /// Shared memory of a CTA, by its slot and an offset.
    Shared(usize, u32),
}

/// The data of a copy that is under way.
#[derive(Clone, Debug, Hash)]
pub enum PendingData {
    /// They will be read from memory: the range, and the number of bytes.
    Unread(MemoryRange, usize),
    /// They will be read from several ranges, one after the other.
    Gathered(Arc<[GatheredPart]>),
    /// They were read; with the instruction that they depend on, if its result is not computed.
    Read(Vec<u8>, Vec<bool>, Option<CodePlace>),
}

/// A part of the data of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GatheredPart {
    /// A range of memory, and the number of bytes.
    Memory(MemoryRange, usize),
    /// Bytes that stand for what is not in memory.
    Filled(Vec<u8>),
}

/// A part of a copy's data, and where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlacedPart {
    /// The first byte in the data.
    pub from: usize,
    /// The offset from the destination.
    pub to: usize,
    /// The number of bytes.
    pub length: usize,
}

impl PlacedPart {
    /// The bytes of the data.
    pub const fn data(self) -> Range<usize> {
        self.from..self.from + self.length
    }
}

/// A copy that is under way.
#[derive(Clone, Debug)]
pub struct PendingCopy {
    /// The thread that began it.
    pub thread: ThreadId,
    /// The instruction.
    pub place: CodePlace,
    /// What happens before it.
    pub begin: CopyBegin,
    /// The destination.
    pub destination: MemoryRange,
    /// The number of bytes that are written.
    pub length: usize,
    /// The data.
    pub data: PendingData,
    /// The update.
    pub reduction: Option<Operation>,
    /// What is notified at its end.
    pub notified: Notified,
    /// The proxy of its accesses.
    pub proxy: AccessProxy,
    /// Which bytes are copied.
    pub part: CopiedPart,
}

impl PendingCopy {
    /// Whether its end is seen by those who wait for an mbarrier.
    pub const fn notifies_mbarrier(&self) -> bool {
        !matches!(self.notified, Notified::Group(..))
    }

    /// Whether it is a copy of a thread in a group before a number.
    pub fn is_in_group(&self, thread: ThreadId, kind: GroupKind, before: u64) -> bool {
        let group = |group: GroupKind, number: u64| group == kind && number < before;
        self.thread == thread && matches!(self.notified, Notified::Group(one, number) if group(one, number))
    }
}

/// Which bytes a copy that is under way copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CopiedPart {
    /// All.
    All,
    /// Of each 16 bytes those whose bit is set.
    Masked(u16),
    /// What its source has, from this offset on; the others get no defined value.
    From(usize),
    /// All, in parts that are at other distances in memory.
    Placed(Arc<[PlacedPart]>),
}

impl CopiedPart {
    /// Parts at places of their own. Those that are contiguous become one.
    pub fn placed(parts: impl IntoIterator<Item = PlacedPart>) -> Self {
        let mut merged: Vec<PlacedPart> = Vec::new();
        for part in parts {
            match merged
                .last_mut()
                .filter(|last| (last.from + last.length, last.to + last.length) == (part.from, part.to))
            {
                Some(last) => last.length += part.length,
                None => merged.push(part),
            }
        }
        Self::Placed(merged.into())
    }

    /// What is written of so many bytes, and where.
    pub fn parts(&self, length: usize) -> Vec<PlacedPart> {
        match self {
            Self::All | Self::From(_) => vec![PlacedPart { from: 0, to: 0, length }],
            Self::Placed(parts) => parts.to_vec(),
            Self::Masked(mask) => {
                let bytes = (0..length).filter(|at| mask >> (at % 16) & 1 == 1);
                merged(bytes.map(|at| at..at + 1))
                    .map(|bytes| PlacedPart { from: bytes.start, to: bytes.start, length: bytes.len() })
                    .collect()
            }
        }
    }

    /// The ranges that are written, as offsets from the destination.
    pub fn written(&self, length: usize) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> =
            self.parts(length).iter().map(|part| part.to..part.to + part.length).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        merged(ranges).collect()
    }
}

/// Ranges in ascending order, of which those that are contiguous become one.
fn merged(ranges: impl IntoIterator<Item = Range<usize>>) -> impl Iterator<Item = Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => merged.push(range),
        }
    }
    merged.into_iter()
}

impl PendingData {
    /// The ranges of memory that will be read, those that are contiguous as one.
    pub fn sources(&self) -> Vec<(MemoryRange, usize)> {
        let parts = match self {
            Self::Read(..) => return Vec::new(),
            Self::Unread(range, length) => return vec![(*range, *length)],
            Self::Gathered(parts) => parts,
        };
        let memory = |part: &GatheredPart| match part {
            GatheredPart::Memory(MemoryRange::Global(address), length) => Some((None, *address, *length)),
            GatheredPart::Memory(MemoryRange::Shared(slot, offset), length) => {
                Some((Some(*slot), u64::from(*offset), *length))
            }
            GatheredPart::Filled(_) => None,
        };
        let mut ranges: Vec<(Option<usize>, u64, usize)> = parts.iter().filter_map(memory).collect();
        ranges.sort_unstable();
        let mut merged: Vec<(Option<usize>, u64, usize)> = Vec::new();
        for (slot, start, length) in ranges {
            match merged.last_mut().filter(|last| last.0 == slot && last.1 + last.2 as u64 == start) {
                Some(last) => last.2 += length,
                None => merged.push((slot, start, length)),
            }
        }
        let range = |(slot, start, length): (Option<usize>, u64, usize)| match slot {
            None => (MemoryRange::Global(start), length),
            Some(slot) => (MemoryRange::Shared(slot, start as u32), length),
        };
        merged.into_iter().map(range).collect()
    }
}

/// What is known about the order of a copy at its begin.
#[derive(Clone, Debug)]
pub struct CopyBegin {
    /// Its thread.
    pub agent: Agent,
    /// The number of the part of a group of `cp.async` that it belongs to: see [`GroupNumbers::part`].
    pub part: u32,
    /// What happens before.
    pub clock: Clock,
}

/// What is notified when a copy ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notified {
    /// A group of its thread, by its number.
    Group(GroupKind, u64),
    /// An mbarrier in shared memory of a CTA, with the bytes: its slot and offset.
    Mbarrier(usize, u32),
    /// An mbarrier, with an arrival, once the copies of the thread up to this group of a kind have ended: its slot and offset.
    ArrivalAfter(GroupKind, u64, usize, u32),
}

/// The numbers of the groups that a thread is filling.
#[derive(Clone, Debug, Default, Hash)]
pub struct GroupNumbers {
    copies: u64,
    bulk: u64,
    matrices: u64,
    tensors: u64,
    /// The groups of `cp.async` that arrivals at mbarriers have divided, with the number of these arrivals.
    divided: Vec<(u64, u32)>,
}

impl GroupNumbers {
    /// The group that copies of this kind join.
    pub const fn current(&self, kind: GroupKind) -> u64 {
        match kind {
            GroupKind::Copies => self.copies,
            GroupKind::Bulk => self.bulk,
            GroupKind::Matrices => self.matrices,
            GroupKind::Tensors => self.tensors,
        }
    }

    /// The number of the part of a group that a `cp.async` joins, counted from 1 through all groups: one that is issued after an arrival for the
    /// earlier ones is not among those that the arrival waits for.
    pub fn part(&self) -> u32 {
        self.parts_before(self.copies + 1)
    }

    /// The number of the last part of the groups of `cp.async` before a number.
    pub fn parts_before(&self, group: u64) -> u32 {
        let divided = self.divided.iter().filter(|(divided, _)| *divided < group);
        group as u32 + divided.map(|(_, arrivals)| arrivals).sum::<u32>()
    }

    /// An arrival waits for the copies of the group until now, and for those of earlier ones.
    pub fn divide(&mut self) {
        match self.divided.last_mut().filter(|(group, _)| *group == self.copies) {
            Some((_, arrivals)) => *arrivals += 1,
            None => self.divided.push((self.copies, 1)),
        }
    }

    /// Ends the group.
    pub const fn commit(&mut self, kind: GroupKind) {
        match kind {
            GroupKind::Copies => self.copies += 1,
            GroupKind::Bulk => self.bulk += 1,
            GroupKind::Matrices => self.matrices += 1,
            GroupKind::Tensors => self.tensors += 1,
        }
    }
}

/// The value of the bytes of an element.
pub fn element_value(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}
