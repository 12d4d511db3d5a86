//! The state of mbarriers.

use program::waiting::mbarrier_instruction::{MbarrierMistake, Participation, TestedPhase};

/// The largest count, and the largest number of bytes that can be expected.
const MAX_COUNT: i64 = (1 << 20) - 1;

/// An mbarrier in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mbarrier {
    /// What its initialization has left in memory.
    contents: u64,
    expected: i64,
    pending: i64,
    bytes: i64,
    phase: u64,
}

impl Mbarrier {
    /// An mbarrier whose phases have `count` arrivals.
    ///
    /// # Errors
    /// [`MbarrierMistake::InvalidCount`] if the count is out of range.
    pub fn new(count: u64) -> Result<Self, MbarrierMistake> {
        let count = i64::try_from(count).ok().filter(|count| (1..=MAX_COUNT).contains(count));
        let count = count.ok_or(MbarrierMistake::InvalidCount)?;
        Ok(Self { contents: count as u64, expected: count, pending: count, bytes: 0, phase: 0 })
    }

    /// What is in its memory as long as only mbarrier instructions access it.
    pub const fn contents(&self) -> u64 {
        self.contents
    }

    /// The state token: the phase, and the pending arrivals in the low 32 bits.
    pub const fn state(&self) -> u64 {
        self.phase << 32 | self.pending as u64
    }

    /// Whether an arrival, which may expect bytes, is one that the phase waits for, and not the last one while more bytes have come than are expected.
    pub fn awaits_arrival(&self, count: u64, bytes: u64) -> bool {
        let (count, bytes) = (i64::try_from(count).unwrap_or(0), i64::try_from(bytes).unwrap_or(0));
        (1..=self.pending).contains(&count) && (count < self.pending || self.bytes.saturating_add(bytes) >= 0)
    }

    /// Whether the phase waits for so many bytes, or for arrivals that may expect them.
    pub fn awaits_bytes(&self, bytes: u64) -> bool {
        self.pending > 0 || i64::try_from(bytes).is_ok_and(|bytes| self.bytes >= bytes)
    }

    /// Whether the phase would have ended if fewer bytes had come.
    pub const fn is_overdrawn(&self) -> bool {
        self.pending == 0 && self.bytes < 0
    }

    /// The number of phases that have ended.
    pub const fn phase(&self) -> u64 {
        self.phase
    }

    /// Expects more bytes in this phase.
    ///
    /// # Errors
    /// [`MbarrierMistake::InvalidBytes`] if the sum is out of range.
    pub fn expect(&mut self, bytes: u64) -> Result<(), MbarrierMistake> {
        self.change_bytes(i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Completes bytes of this phase.
    ///
    /// # Errors
    /// [`MbarrierMistake::InvalidBytes`] if the difference is out of range.
    pub fn complete(&mut self, bytes: u64) -> Result<(), MbarrierMistake> {
        self.change_bytes(-i64::try_from(bytes).unwrap_or(i64::MAX))?;
        self.end_phase();
        Ok(())
    }

    fn change_bytes(&mut self, change: i64) -> Result<(), MbarrierMistake> {
        self.bytes = self.bytes.saturating_add(change);
        if self.bytes.abs() > MAX_COUNT { Err(MbarrierMistake::InvalidBytes) } else { Ok(()) }
    }

    /// Adds a pending arrival to this phase.
    pub const fn add_pending(&mut self) {
        self.pending += 1;
    }

    /// Arrives `count` times.
    ///
    /// # Errors
    /// [`MbarrierMistake`] if fewer arrivals are pending, or the count is out of range.
    pub fn arrive(&mut self, count: u64, participation: Participation) -> Result<(), MbarrierMistake> {
        let count = i64::try_from(count).ok().filter(|count| (1..=MAX_COUNT).contains(count));
        let count = count.ok_or(MbarrierMistake::InvalidCount)?;
        if count > self.pending {
            return Err(MbarrierMistake::TooManyArrivals);
        }
        if participation == Participation::Ends {
            self.expected -= count;
        }
        self.pending -= count;
        self.end_phase();
        Ok(())
    }

    fn end_phase(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase += 1;
            self.pending = self.expected;
        }
    }

    /// Whether the phase of a state token has ended.
    pub const fn has_ended(&self, state: u64) -> bool {
        self.phase != state >> 32
    }

    /// Whether the phase of a state token had ended before the last phase has.
    pub const fn had_ended(&self, state: u64) -> bool {
        self.has_ended(state) && self.phase != (state >> 32) + 1
    }

    /// The answer to a test, with the value of its state or parity.
    pub const fn answer(&self, phase: TestedPhase, value: u64) -> bool {
        match phase {
            TestedPhase::State(_) => self.has_ended(value),
            TestedPhase::Parity(_) => self.has_ended_parity(value),
        }
    }

    /// Whether the last phase of a parity has ended.
    pub const fn has_ended_parity(&self, parity: u64) -> bool {
        self.phase & 1 != parity & 1
    }

    /// What the current phase still waits for.
    pub fn missing(&self) -> String {
        match (self.pending, self.bytes) {
            (_, bytes) if bytes < 0 => {
                format!("{} bytes more to be expected (`expect_tx`) than the phase does", -bytes)
            }
            (arrivals, 0) => format!("{arrivals} more arrivals"),
            (0, bytes) => format!("{bytes} more bytes"),
            (arrivals, bytes) => format!("{arrivals} more arrivals and {bytes} more bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_its_arrivals_and_bytes() {
        let mut barrier = Mbarrier::new(2).expect("a valid count");
        let before = barrier.state();
        barrier.expect(64).expect("in range");
        barrier.arrive(1, Participation::Continues).expect("pending");
        assert!(!barrier.has_ended(before) && !barrier.has_ended_parity(0) && barrier.has_ended_parity(1));
        barrier.arrive(1, Participation::Ends).expect("pending");
        assert!(!barrier.has_ended(before), "64 bytes are missing");
        assert_eq!(barrier.missing(), "64 more bytes");
        barrier.complete(64).expect("in range");
        assert!(barrier.has_ended(before) && barrier.has_ended_parity(0) && !barrier.has_ended_parity(1));
        assert_eq!(barrier.missing(), "1 more arrivals", "one thread left");
    }

    #[test]
    fn mistakes() {
        assert_eq!(Mbarrier::new(0), Err(MbarrierMistake::InvalidCount));
        let mut barrier = Mbarrier::new(1).expect("a valid count");
        assert_eq!(barrier.arrive(2, Participation::Continues), Err(MbarrierMistake::TooManyArrivals));
        assert_eq!(barrier.expect(1 << 20), Err(MbarrierMistake::InvalidBytes));
    }
}
