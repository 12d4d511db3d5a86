//! The state of an mbarrier as a value of memory.
//!
//! A phase is complete when no arrival is pending and no transaction is expected. The next phase then begins, with as many arrivals.

use crate::Bits;

/// The bits of a count.
const COUNT: Bits = (1 << 20) - 1;

/// The bits of the number of expected bytes, which can be negative.
const BYTES: Bits = (1 << 21) - 1;

/// The state of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierState {
    /// The arrivals that complete a phase.
    expected: Bits,
    /// The arrivals that the current phase still waits for.
    pending: Bits,
    /// The bytes of transactions that the current phase still waits for.
    transactions: Bits,
    /// The parity of the current phase.
    parity: Bits,
}

impl MbarrierState {
    /// The state after `mbarrier.init` with a number of arrivals.
    pub fn new(expected: Bits) -> Self {
        let expected = expected & COUNT;
        MbarrierState { expected, pending: expected, transactions: 0, parity: 0 }
    }

    /// The state with these bits.
    pub fn of(bits: Bits) -> Self {
        MbarrierState {
            expected: bits & COUNT,
            pending: bits >> 20 & COUNT,
            transactions: bits >> 40 & BYTES,
            parity: bits >> 63 & 1,
        }
    }

    /// The bits of the state.
    pub fn bits(self) -> Bits {
        self.expected | self.pending << 20 | self.transactions << 40 | self.parity << 63
    }

    /// A state in a phase with this parity, for [`crate::ModelInstruction::TestPhase`].
    pub fn in_phase(parity: Bits) -> Bits {
        (parity & 1) << 63
    }

    /// The state after a number of expected bytes, which two's complement may make negative, and then a number of arrivals.
    pub fn after(self, arrivals: Bits, bytes: Bits) -> Self {
        let pending = self.pending.wrapping_sub(arrivals) & COUNT;
        let transactions = self.transactions.wrapping_add(bytes) & BYTES;
        if pending == 0 && transactions == 0 {
            return MbarrierState { pending: self.expected, transactions, parity: self.parity ^ 1, ..self };
        }
        MbarrierState { pending, transactions, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_its_last_arrival_and_transaction() {
        let begun = MbarrierState::new(2);
        let one = begun.after(1, 0);
        assert_ne!(one, begun);
        assert_eq!(MbarrierState::of(one.bits()), one);
        let next = one.after(1, 0);
        assert_eq!(next, MbarrierState { parity: 1, ..begun });
        assert_eq!(next.after(2, 0), begun);
        let waits = begun.after(2, 16);
        assert_eq!(waits.parity, 0);
        assert_eq!(waits.after(0, (16 as Bits).wrapping_neg()).parity, 1);
        // Bytes may arrive before they are expected.
        let early = begun.after(0, (16 as Bits).wrapping_neg());
        assert_eq!(early.after(2, 16).parity, 1);
    }
}
