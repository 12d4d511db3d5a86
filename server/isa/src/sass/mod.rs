//! The tables of SASS atomics: `RED` of Maxwell, and the atomics of current disassembly.
//!
//! `tables/sass.rows` lists the legal combinations of operation, size and target, and the operands; the rest is derived from it.

mod complete;
pub mod doc;
mod parts;
mod read;
mod reason;
mod resolve;
mod size;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use crate::sass::complete::{SassCandidate, complete, mnemonics};
pub use crate::sass::reason::SassReason;
pub use crate::sass::resolve::{ResolvedSass, SassContext, SassResolution, resolve};
pub use crate::sass::size::SassSize;
pub use crate::sass::table::{families, named};

/// The syntax of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SassDialect {
    /// SPA 5.0, the syntax of assemblers for Maxwell: `RED{.E}.op{.sz} [Ra+ImmS20], Rb`.
    Maxwell,
    /// The syntax of disassemblers from sm_70 on, with strength and scope: `REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5`.
    Current,
}

/// Whether an opcode has `.E`: an address of 64 bits in a pair of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendedAddress {
    /// Never: shared memory has 32-bit addresses.
    Never,
    /// It may; without it the address has 32 bits.
    Optional,
    /// Always.
    Always,
}

/// What an operand is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SassRole {
    /// A predicate that is true if the operation took place.
    Done,
    /// What receives the old value.
    Destination,
    /// The address in memory.
    Address,
    /// The value to combine with; for a comparison the expected one.
    Value,
    /// The new value of a comparison.
    New,
}

impl SassRole {
    /// The name of the operand in a signature.
    pub const fn name(self) -> &'static str {
        match self {
            SassRole::Done => "p",
            SassRole::Destination => "d",
            SassRole::Address => "[a]",
            SassRole::Value => "b",
            SassRole::New => "c",
        }
    }

    /// What it is, in a few words.
    pub const fn summary(self) -> &'static str {
        match self {
            SassRole::Done => "the predicate that receives whether the operation took place, or PT",
            SassRole::Destination => "the register that receives the old value, or RZ",
            SassRole::Address => "the address",
            SassRole::Value => "the register with the operand",
            SassRole::New => "the register with the new value",
        }
    }
}

/// Operations, each with its sizes.
#[derive(Clone, Debug)]
pub struct SassRow {
    /// The operations, such as `ADD` or `CAST.SPIN`.
    pub ops: Vec<&'static str>,
    /// The sizes.
    pub sizes: Vec<&'static SassSize>,
    /// The first target that has it, as a number; 0 where the family itself decides.
    pub since: u32,
    /// The last target that has it; `u32::MAX` if unknown.
    pub until: u32,
    /// The operands in their order.
    pub operands: Vec<SassRole>,
}

/// An instruction with all its forms.
#[derive(Clone, Debug)]
pub struct SassFamily {
    /// The text before the first dot.
    pub name: &'static str,
    /// How it is written.
    pub dialect: SassDialect,
    /// The first target that has it, as a number.
    pub since: u32,
    /// The last; `u32::MAX` if unknown.
    pub until: u32,
    /// Whether it has `.E`.
    pub extended: ExtendedAddress,
    /// Whether strength and scope follow the size.
    pub scoped: bool,
    /// How many bits the signed offset of an address has.
    pub offset_bits: u32,
    /// What it does, in our own words.
    pub summary: &'static str,
    /// Its rows.
    pub rows: Vec<SassRow>,
}

impl SassFamily {
    /// The offsets that fit into an address.
    pub fn offsets(&self) -> std::ops::RangeInclusive<i64> {
        let half = 1i64 << (self.offset_bits - 1);
        -half..=half - 1
    }

    /// Its targets, in words.
    pub fn targets(&self) -> String {
        match self.until {
            u32::MAX => format!("sm_{} and newer", self.since),
            until => format!("sm_{} to sm_{until}", self.since),
        }
    }

    /// The operations, each once, in the order of the rows.
    pub fn ops(&self) -> Vec<&'static str> {
        let mut ops: Vec<&'static str> = Vec::new();
        for op in self.rows.iter().flat_map(|row| &row.ops) {
            if !ops.contains(op) {
                ops.push(op);
            }
        }
        ops
    }

    /// The sizes of an operation, in the order of the rows.
    pub fn sizes(&self, op: &str) -> Vec<&'static SassSize> {
        self.rows.iter().filter(|row| row.ops.contains(&op)).flat_map(|row| row.sizes.iter().copied()).collect()
    }
}
