//! Which instructions write their first operand without reading it.

/// Mnemonics of which the rows do not say it alone: they access memory or order it, have further results, or a result that is no `d`.
const OTHERS: [&str; 10] = ["atom", "isspacep", "istypep", "ld", "ldu", "lop3", "mbarrier", "setp", "shfl", "testp"];

/// Whether the instructions of a mnemonic write their first operand without reading it.
pub(in crate::values) fn only_writes(mnemonic: &str) -> bool {
    OTHERS.contains(&mnemonic) || isa::only_computes(mnemonic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_rows_do_not_say_is_listed() {
        for mnemonic in OTHERS {
            assert!(isa::mnemonics().any(|known| known == mnemonic), "{mnemonic}");
            assert!(!isa::only_computes(mnemonic), "the rows say it of `{mnemonic}`");
        }
    }

    #[test]
    fn instructions_that_compute_write_their_first_operand() {
        for mnemonic in ["add", "mad24", "mul24", "sad", "slct", "subc", "tanh", "dp4a", "vadd", "mov", "selp"] {
            assert!(only_writes(mnemonic), "{mnemonic}");
        }
        // The first operand is read, an address, or there is none.
        for mnemonic in
            ["st", "red", "bar", "call", "stackrestore", "wgmma", "nanosleep", "prefetch", "exit", "anything"]
        {
            assert!(!only_writes(mnemonic), "{mnemonic}");
        }
        // These access memory, or are executed by several threads together.
        for mnemonic in ["tex", "ldmatrix", "vote", "match", "redux", "elect", "mma", "tcgen05"] {
            assert!(!isa::only_computes(mnemonic), "{mnemonic}");
        }
    }
}
