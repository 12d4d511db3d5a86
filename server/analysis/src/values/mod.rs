//! Data flow of one function: reaching definitions, the provenance of addresses, and control flow.
//!
//! It is built only for functions that contain an atomic, in linear time. Names are resolved eagerly, operands are decoded on demand.
//! Queries return `None` if the answer is not certain.

mod broken_statement;
pub mod build;
pub mod calls;
pub mod comparison;
mod computation;
pub mod control;
mod cta_shape;
pub mod decode;
pub mod float;
pub mod opcodes;
pub mod provenance;
mod range_members;
pub mod reaching;
pub mod roles;
pub mod single_cta;
pub mod size;
pub mod symbols;
#[cfg(test)]
mod tests;
pub mod value;
mod writers;

use crate::lowering::{Emulated, emulated};
use crate::spellings::SpellingCache;
use crate::values::broken_statement::BrokenEffect;
use crate::values::cta_shape::CtaShape;
use crate::values::opcodes::{FirstAccess, SpelledOpcode};
use crate::values::provenance::cache::ProvenanceCache;
use crate::values::symbols::ValueSymbols;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use syntax::{Declaration, Instruction, InstructionOffsets, LintFile, Number, Operand, OperandKind, RopeReader, Token};

pub use crate::values::build::ValueInput;
pub use crate::values::comparison::holds;
pub use crate::values::control::atomic_loop::AtomicLoop;
pub use crate::values::control::basic_blocks::BasicBlocks;
pub use crate::values::control::post_dominators::PostDominators;
pub use crate::values::control::spin_lock::SpinLock;
pub use crate::values::decode::DecodedInstruction;
pub use crate::values::opcodes::OpcodeTable;
pub use crate::values::provenance::{PointedSpace, Provenance, Root, gcd};
pub use crate::values::reaching::{Definition, DefinitionSite};
pub use crate::values::roles::{ThreadRole, ThreadRoles};
pub use crate::values::single_cta::SingleCta;
pub use crate::values::size::{access_size, alignment, byte_size};
pub use crate::values::symbols::EarlierItems;
pub use crate::values::value::OperandValue;

/// The instructions of a function, in order.
pub struct FunctionValues<'a> {
    graph: ValueGraph<'a>,
    reader: RefCell<RopeReader<'a>>,
    /// The version and target of the module.
    pub module: isa::Module,
    spellings: Rc<SpellingCache>,
    /// The instructions that write each symbol, in order.
    writes: OnceCell<Writes>,
    /// The atomics by their indices.
    atomics: Vec<LegalAtomic>,
    reaching: reaching::Reaching,
    /// A cache of the provenance of definitions.
    provenances: RefCell<ProvenanceCache>,
}

/// The part of a data flow that one walk makes; another thread may do it.
pub struct ValueGraph<'a> {
    file: &'a LintFile,
    /// Whether the function is a kernel.
    entry: bool,
    cta_shape: CtaShape,
    opcodes: OpcodeTable<'a>,
    slots: Vec<InstructionSlot<'a>>,
    /// The instructions that are in a tree.
    parsed: Vec<Instruction<'a>>,
    /// The statements with a syntax error.
    broken: Vec<(BrokenEffect, Range<usize>)>,
    symbols: ValueSymbols<'a>,
    uses: Vec<SymbolUse>,
    /// The branches and their targets; `None` for an unknown target.
    targets: Vec<(usize, Option<usize>)>,
    /// Whether the target of some branch is unknown.
    has_unknown_branch: bool,
    /// Whether a statement has a syntax error.
    has_broken_statement: bool,
}

/// A legal atomic: its place, and its resolved form, which it shares with others of its spelling.
pub type LegalAtomic = (usize, Arc<isa::ResolvedInstruction>);

/// The instructions that write each symbol.
struct Writes {
    /// The index in `instructions` at which the writes of each symbol start.
    starts: Vec<u32>,
    instructions: Vec<u32>,
}

/// An instruction, decoded on demand.
struct InstructionSlot<'a> {
    content: SlotContent,
    /// The number of its opcode.
    opcode: u32,
    /// The index of its first symbol use.
    uses: u32,
    guarded: bool,
    /// Whether the guard is negated.
    negated: bool,
    /// Whether control may reach it by a branch.
    is_branch_target: bool,
    decoded: OnceCell<Box<DecodedInstruction<'a>>>,
}

/// The source of an instruction.
enum SlotContent {
    /// An instruction that is not in a tree.
    Scanned(InstructionOffsets),
    /// An instruction in a tree, by its index among those.
    Parsed(u32),
    /// A statement with a syntax error, by its index among those. It has neither opcode nor operands.
    Broken(u32),
}

/// One use of a symbol: its index and two bits.
#[derive(Clone, Copy)]
struct SymbolUse(u32);

impl SymbolUse {
    const READS: u32 = 1;
    const WRITES: u32 = 2;

    fn new(symbol: u32, access: FirstAccess) -> Self {
        let (writes, reads) = (u32::from(access.writes) * Self::WRITES, u32::from(access.reads) * Self::READS);
        SymbolUse((symbol << 2) + writes + reads)
    }

    fn symbol(self) -> usize {
        (self.0 >> 2) as usize
    }

    fn writes(self) -> bool {
        self.0 & Self::WRITES != 0
    }

    fn reads(self) -> bool {
        self.0 & Self::READS != 0
    }
}

impl<'a> FunctionValues<'a> {
    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.graph.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.graph.slots.is_empty()
    }

    /// The opcode of an instruction, with what is read from it.
    fn spelled(&self, at: usize) -> &SpelledOpcode<'a> {
        self.graph.opcodes.get(self.graph.slots[at].opcode)
    }

    /// The opcodes, for the next function.
    pub fn into_opcodes(self) -> OpcodeTable<'a> {
        self.graph.into_opcodes()
    }

    /// Whether the function is a kernel.
    pub fn is_entry(&self) -> bool {
        self.graph.entry
    }

    /// The number of different opcodes.
    pub fn opcodes_len(&self) -> usize {
        self.graph.opcodes.len()
    }

    /// The number of the opcode of an instruction; the same for all of its spelling.
    pub fn opcode_number(&self, at: usize) -> usize {
        self.graph.slots[at].opcode as usize
    }

    /// The mnemonic of an instruction.
    pub fn mnemonic(&self, at: usize) -> &str {
        self.spelled(at).mnemonic()
    }

    /// The opcode of an instruction, as written.
    pub fn opcode(&self, at: usize) -> &str {
        &self.spelled(at).text
    }

    /// The modifiers of an instruction.
    pub fn modifiers(&self, at: usize) -> impl Iterator<Item = &str> {
        self.spelled(at).words.modifiers.iter().map(|word| &*word.text)
    }

    /// Whether an instruction has a modifier.
    pub fn has(&self, at: usize, modifier: &str) -> bool {
        self.modifiers(at).any(|word| word == modifier)
    }

    /// Whether a statement has a syntax error, so that facts may be missing.
    pub fn has_broken_statement(&self) -> bool {
        self.graph.has_broken_statement
    }

    /// Whether it is a statement with a syntax error, which may access any memory.
    pub fn is_broken(&self, at: usize) -> bool {
        self.broken_effect(at).is_some()
    }

    /// Whether it is a broken statement that may be a branch or a label.
    fn may_branch(&self, at: usize) -> bool {
        self.broken_effect(at) == Some(BrokenEffect::Anything)
    }

    /// Whether it is a broken statement that may write any register.
    fn may_write_all(&self, at: usize) -> bool {
        matches!(self.broken_effect(at), Some(BrokenEffect::AnyRegister | BrokenEffect::Anything))
    }

    fn broken_effect(&self, at: usize) -> Option<BrokenEffect> {
        let SlotContent::Broken(number) = self.graph.slots[at].content else { return None };
        Some(self.graph.broken[number as usize].0)
    }

    /// Whether an instruction may not execute, because it is guarded or broken.
    pub fn is_guarded(&self, at: usize) -> bool {
        self.graph.slots[at].guarded
    }

    /// The declaration of a register or variable.
    pub fn declaration(&self, symbol: usize) -> &Declaration<'a> {
        &self.graph.symbols.declarations[self.graph.symbols.all[symbol].declaration as usize]
    }

    /// Whether a variable is a parameter of this function, not an argument of a call.
    pub fn is_parameter(&self, symbol: usize) -> bool {
        self.graph.symbols.all[symbol].is_parameter
    }

    /// The instructions that write a register, in order.
    fn writes_of(&self, register: usize) -> &[u32] {
        let writes = self.writes.get_or_init(|| {
            let symbols = &self.graph.symbols.all;
            let mut starts = vec![0; symbols.len() + 1];
            let writes_all = |effect: &BrokenEffect| *effect != BrokenEffect::Named;
            let unknown_writes = self.graph.broken.iter().filter(|(effect, _)| writes_all(effect)).count() as u32;
            for (symbol, known) in symbols.iter().enumerate() {
                starts[symbol + 1] = starts[symbol] + known.writes + unknown_writes;
            }
            let (mut next, mut instructions) = (starts.clone(), vec![0; starts[symbols.len()] as usize]);
            let mut write = |symbol: usize, at: usize| {
                instructions[next[symbol] as usize] = at as u32;
                next[symbol] += 1;
            };
            for at in 0..self.graph.slots.len() {
                if self.may_write_all(at) {
                    (0..symbols.len()).for_each(|symbol| write(symbol, at));
                }
                let named = self.uses_in(at).iter().filter(|symbol_use| symbol_use.writes());
                named.for_each(|symbol_use| write(symbol_use.symbol(), at));
            }
            Writes { starts, instructions }
        });
        &writes.instructions[writes.starts[register] as usize..writes.starts[register + 1] as usize]
    }

    /// The last instruction in a range that writes a register.
    pub fn last_write(&self, register: usize, within: Range<usize>) -> Option<usize> {
        let writes = self.writes_of(register);
        let before = writes.partition_point(|at| (*at as usize) < within.end);
        writes[..before].last().map(|at| *at as usize).filter(|at| within.contains(at))
    }

    /// The registers and variables that an instruction may read.
    pub fn read_symbols(&self, at: usize) -> impl Iterator<Item = usize> {
        self.uses_in(at).iter().filter(|symbol_use| symbol_use.reads()).map(|symbol_use| symbol_use.symbol())
    }

    /// Whether an instruction only writes registers: it neither accesses nor orders memory.
    pub fn fills_registers(&self, at: usize) -> bool {
        self.spelled(at).fills_registers
    }

    /// Whether an atomic is legal with an additional modifier.
    pub fn accepts(&self, instruction: &DecodedInstruction, modifier: &'static str) -> bool {
        self.is_legal(instruction, modifier, || {
            let words = [modifier].into_iter().chain(instruction.opcode.words()).collect();
            (instruction.opcode.mnemonic(), words)
        })
    }

    /// Whether a variation of an atomic is legal; `spell` gives its mnemonic and its modifiers.
    pub fn is_legal<'i>(
        &self,
        instruction: &'i DecodedInstruction,
        variation: &'static str,
        spell: impl FnOnce() -> (&'i str, Vec<&'i str>),
    ) -> bool {
        self.spellings.is_legal(self.opcode(instruction.at), variation, || {
            let (mnemonic, modifiers) = spell();
            isa::is_legal(&isa::Spelling { mnemonic, modifiers: &modifiers }, &self.module) == Some(true)
        })
    }

    /// Help for an atomic that is lowered to a compare-and-swap loop; `None` for native atomics.
    pub fn emulated(&self, at: usize, atomic: &isa::ResolvedInstruction) -> Option<Emulated> {
        self.spellings.emulated(self.opcode(at), || emulated(atomic, &self.module))
    }

    fn uses_in(&self, at: usize) -> &[SymbolUse] {
        let end = self.graph.slots.get(at + 1).map_or(self.graph.uses.len(), |next| next.uses as usize);
        &self.graph.uses[self.graph.slots[at].uses as usize..end]
    }
}

/// The value of a signed integer literal.
pub fn number(token: &Token) -> Option<i128> {
    Number::signed_integer(&token.text)
}

/// Whether an operand is a constant expression.
pub fn is_constant(operand: &Operand) -> bool {
    operand.kind == OperandKind::Constant
}
