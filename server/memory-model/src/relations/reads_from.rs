//! The write that each decided read reads.

/// No write.
const UNDECIDED: u8 = u8::MAX;

/// Per event, the write that it reads.
#[derive(Clone, Debug, Default)]
pub struct ReadsFrom {
    writes: Vec<u8>,
}

impl ReadsFrom {
    /// From the result of [`ReadsFrom::bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Self {
        ReadsFrom { writes: bytes.to_vec() }
    }

    /// A byte for each event.
    pub fn bytes(&self) -> &[u8] {
        &self.writes
    }

    /// The same decisions, for more events.
    pub fn resized(mut self, events: usize) -> Self {
        self.writes.resize(events, UNDECIDED);
        self
    }

    /// The write that a read reads.
    pub fn write_of(&self, read: usize) -> Option<usize> {
        let write = self.writes[read];
        (write != UNDECIDED).then_some(write.into())
    }

    /// The byte of a read.
    pub fn byte(&self, read: usize) -> u8 {
        self.writes[read]
    }

    /// Decides that a read reads a write.
    pub fn decide(&mut self, read: usize, write: usize) {
        self.writes[read] = write as u8;
    }

    /// Undoes the decision of a read.
    pub fn undo(&mut self, read: usize) {
        self.writes[read] = UNDECIDED;
    }

    /// Every write with each read that reads it.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.writes.len()).filter_map(|read| Some((self.write_of(read)?, read)))
    }
}
