//! Follows results that are not computed through memory.

use crate::copies::pending_copy::{MemoryRange, PendingCopy, PendingData};
use crate::memory::locate::MemoryPlace;
use crate::state::{Machine, UnsupportedAt};
use crate::threads::executor::Executor;
use program::effects::Synchronization;
use program::memory::location::RacedMemory;
use program::problem::CodePlace;
use program::tensor::warpgroup::WarpgroupInstruction;

/// The instruction that memory at an offset from a place depends on.
pub fn unknown_at(executor: &Executor<'_, '_>, place: MemoryPlace, offset: u32, size: u32) -> Option<CodePlace> {
    if executor.machine.unknown.is_empty() {
        return None;
    }
    let (memory, start) = place.raced()?;
    let start = start + offset as usize;
    executor.machine.unknown.find(memory, start..start + size as usize)
}

/// Notes whether what is stored at an offset from a place depends on a result that is not computed.
pub fn note_stored(
    executor: &mut Executor<'_, '_>,
    place: MemoryPlace,
    offset: u32,
    size: u32,
    result: Option<CodePlace>,
) {
    if result.is_none() && executor.machine.unknown.is_empty() {
        return;
    }
    match (place.raced(), result) {
        (Some((memory, start)), result) => {
            let start = start + offset as usize;
            executor.machine.unknown.set(memory, start..start + size as usize, result);
        }
        (None, Some(result)) => executor.machine.need_result(result),
        (None, None) => {}
    }
}

impl Machine<'_> {
    /// The execution depends on the result of an instruction that is not computed: it is followed no further.
    pub fn need_result(&mut self, place: CodePlace) {
        self.unsupported = Some(self.result_at(place));
        self.stopped = true;
    }

    /// An instruction whose result is not computed.
    pub fn result_at(&self, place: CodePlace) -> UnsupportedAt {
        let opcode = match self.instruction(place).action.synchronization() {
            Synchronization::Warpgroup(WarpgroupInstruction::Multiply(multiply)) => multiply.opcode.to_string(),
            Synchronization::Tensor(instruction) => instruction.opcode.to_string(),
            _ => String::new(),
        };
        UnsupportedAt { place, opcode }
    }

    /// The instruction that the data of a copy depend on, if its result is not computed.
    pub fn result_in(&self, data: &PendingData) -> Option<CodePlace> {
        if let PendingData::Read(.., result) = data {
            return *result;
        }
        if self.unknown.is_empty() {
            return None;
        }
        let sources = data.sources().into_iter().filter_map(|(range, length)| Some((self.followed(range, 0)?, length)));
        { sources }.find_map(|((memory, at), length)| self.unknown.find(memory, at..at + length))
    }

    /// Notes whether what a copy has written depends on a result that is not computed.
    pub fn note_copied(&mut self, copy: &PendingCopy) {
        let result = self.result_in(&copy.data);
        // What known data are added to depends on what it did before.
        if result.is_none() && (copy.reduction.is_some() || self.unknown.is_empty()) {
            return;
        }
        for range in copy.part.written(copy.length) {
            if let Some((memory, at)) = self.followed(copy.destination, range.start) {
                self.unknown.set(memory, at..at + range.len(), result);
            }
        }
    }

    /// The memory at an offset from the begin of a range.
    fn followed(&self, range: MemoryRange, start: usize) -> Option<(RacedMemory, usize)> {
        match range {
            MemoryRange::Shared(slot, offset) => Some((RacedMemory::Shared(slot), offset as usize + start)),
            MemoryRange::Global(address) => {
                let found = self.memory.find(address + start as u64, 0, 0)?;
                Some((RacedMemory::Global(found.allocation), found.offset))
            }
        }
    }
}
