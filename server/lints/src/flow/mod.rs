//! Data flow of one function: reaching definitions, the provenance of addresses, and control flow.
//!
//! It is built only for functions that contain an atomic, in linear time. Names are resolved eagerly, operands are decoded on demand.
//! Queries return `None` if the answer is not certain.

mod atomic_loop;
mod basic_blocks;
mod broken_statement;
mod build;
mod control_flow;
mod float;
mod post_dominators;
mod provenance;
mod provenance_trace;
mod reaching;
mod size;
#[cfg(test)]
mod tests;
mod value;
mod writers;

use crate::lowering::{Emulated, emulated};
use crate::spellings::SpellingCache;
use broken_statement::BrokenEffect;
use foldhash::HashMap;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use syntax::{Declaration, DeclarationKind, Instruction, Number, Opcode, Operand, OperandKind, Token};

pub(crate) use atomic_loop::AtomicLoop;
pub(crate) use basic_blocks::BasicBlocks;
pub(crate) use post_dominators::PostDominators;
pub(crate) use provenance::{PointedSpace, Provenance, Root, gcd};
pub(crate) use reaching::{Definition, DefinitionSite};
pub(crate) use size::{access_size, alignment, byte_size};
pub(crate) use value::OperandValue;

/// The instructions of a function, in order.
pub(crate) struct Flow<'a> {
    pub module: isa::Module,
    spellings: Rc<SpellingCache>,
    /// Whether the function is a kernel.
    pub entry: bool,
    slots: Vec<InstructionSlot<'a>>,
    symbols: Vec<FlowSymbol<'a>>,
    uses: Vec<SymbolUse>,
    /// The instructions that write each symbol, in order.
    writes: OnceCell<Writes>,
    /// The branches and their targets; `None` for an unknown target.
    targets: Vec<(usize, Option<usize>)>,
    /// Whether the target of some branch is unknown.
    has_unknown_branch: bool,
    /// Whether a statement has a syntax error.
    has_broken_statement: bool,
    atomics: Vec<(usize, isa::ResolvedInstruction)>,
    /// The offsets at which the parameters of the function are declared, in order.
    parameters: Vec<usize>,
    reaching: reaching::Reaching,
    /// A cache of the provenance of definitions.
    provenances: RefCell<HashMap<Definition, Provenance>>,
}

/// The instructions that write each symbol.
struct Writes {
    /// The index in `instructions` at which the writes of each symbol start.
    starts: Vec<u32>,
    instructions: Vec<u32>,
}

/// An instruction, decoded on demand.
struct InstructionSlot<'a> {
    content: SlotContent<'a>,
    opcode: Token<'a>,
    /// The length of the mnemonic.
    mnemonic_length: usize,
    guarded: bool,
    /// Whether the guard is negated.
    negated: bool,
    /// Whether control may reach it by a branch.
    is_branch_target: bool,
    /// The index of its first symbol use.
    uses: u32,
    instruction: OnceCell<Box<FlowInstruction<'a>>>,
}

/// The source of an instruction.
enum SlotContent<'a> {
    Instruction(Instruction<'a>),
    /// A statement with a syntax error. It has neither opcode nor operands.
    Broken(BrokenEffect, Range<usize>),
}

/// A register or variable that the function uses.
struct FlowSymbol<'a> {
    name: Cow<'a, str>,
    declaration: Declaration<'a>,
    writes: u32,
    reads: u32,
}

/// One use of a symbol.
struct SymbolUse {
    symbol: u32,
    writes: bool,
    reads: bool,
}

/// A decoded instruction.
pub(crate) struct FlowInstruction<'a> {
    /// Its index in the function.
    pub at: usize,
    pub range: Range<usize>,
    pub opcode: Opcode<'a>,
    /// The guard's register, and whether it is negated.
    pub guard: Option<(OperandValue, bool)>,
    pub operands: Vec<Operand<'a>>,
    /// The value of each operand.
    pub values: Vec<OperandValue>,
    /// The resolved form of a legal atomic.
    pub atomic: Option<isa::ResolvedInstruction>,
}

impl<'a> Flow<'a> {
    /// The atomics, with the index of each.
    pub(crate) fn atomics(&self) -> impl Iterator<Item = (usize, &FlowInstruction<'a>, &isa::ResolvedInstruction)> {
        self.atomics.iter().map(|(at, legal)| (*at, self.instruction(*at), legal))
    }

    /// The number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The decoded instruction at an index.
    pub(crate) fn instruction(&self, at: usize) -> &FlowInstruction<'a> {
        self.slots[at].instruction.get_or_init(|| Box::new(self.decode(at)))
    }

    /// The mnemonic of an instruction.
    pub(crate) fn mnemonic(&self, at: usize) -> &str {
        let slot = &self.slots[at];
        &slot.opcode.text[..slot.mnemonic_length]
    }

    /// The opcode of an instruction, as written.
    pub(crate) fn opcode(&self, at: usize) -> &str {
        &self.slots[at].opcode.text
    }

    /// The modifiers of an instruction.
    pub(crate) fn modifiers(&self, at: usize) -> impl Iterator<Item = &str> {
        self.slots[at].opcode.text.split('.').skip(1).map(str::trim)
    }

    /// Whether an instruction has a modifier.
    pub(crate) fn has(&self, at: usize, modifier: &str) -> bool {
        self.modifiers(at).any(|word| word == modifier)
    }

    /// Whether a statement has a syntax error, so that facts may be missing.
    pub(crate) fn has_broken_statement(&self) -> bool {
        self.has_broken_statement
    }

    /// Whether it is a statement with a syntax error, which may access any memory.
    pub(crate) fn is_broken(&self, at: usize) -> bool {
        matches!(self.slots[at].content, SlotContent::Broken(..))
    }

    /// Whether it is a broken statement that may be a branch or a label.
    fn may_branch(&self, at: usize) -> bool {
        matches!(self.slots[at].content, SlotContent::Broken(BrokenEffect::Anything, _))
    }

    /// Whether it is a broken statement that may write any register.
    fn may_write_all(&self, at: usize) -> bool {
        matches!(self.slots[at].content, SlotContent::Broken(BrokenEffect::AnyRegister | BrokenEffect::Anything, _))
    }

    /// Whether an instruction may not execute, because it is guarded or broken.
    pub(crate) fn is_guarded(&self, at: usize) -> bool {
        self.slots[at].guarded
    }

    /// The declaration of a register or variable.
    pub(crate) fn declaration(&self, symbol: usize) -> &Declaration<'a> {
        &self.symbols[symbol].declaration
    }

    /// Whether a variable is a parameter of this function, not an argument of a call.
    pub(crate) fn is_parameter(&self, symbol: usize) -> bool {
        self.parameters.binary_search(&self.declaration(symbol).name.range.start).is_ok()
    }

    /// The instructions that write a register, in order.
    fn writes_of(&self, register: usize) -> &[u32] {
        let writes = self.writes.get_or_init(|| {
            let mut starts = vec![0; self.symbols.len() + 1];
            let unknown_writes = (0..self.len()).filter(|at| self.may_write_all(*at)).count() as u32;
            for (symbol, known) in self.symbols.iter().enumerate() {
                starts[symbol + 1] = starts[symbol] + known.writes + unknown_writes;
            }
            let (mut next, mut instructions) = (starts.clone(), vec![0; starts[self.symbols.len()] as usize]);
            let mut write = |symbol: usize, at: usize| {
                instructions[next[symbol] as usize] = at as u32;
                next[symbol] += 1;
            };
            for at in 0..self.slots.len() {
                if self.may_write_all(at) {
                    (0..self.symbols.len()).for_each(|symbol| write(symbol, at));
                }
                let named = self.uses_in(at).iter().filter(|symbol_use| symbol_use.writes);
                named.for_each(|symbol_use| write(symbol_use.symbol as usize, at));
            }
            Writes { starts, instructions }
        });
        &writes.instructions[writes.starts[register] as usize..writes.starts[register + 1] as usize]
    }

    /// The last instruction in a range that writes a register.
    pub(crate) fn last_write(&self, register: usize, within: Range<usize>) -> Option<usize> {
        let writes = self.writes_of(register);
        let before = writes.partition_point(|at| (*at as usize) < within.end);
        writes[..before].last().map(|at| *at as usize).filter(|at| within.contains(at))
    }

    /// Whether the value that an instruction writes to a register may be read. Consumes `budget`.
    pub(crate) fn is_read(&self, register: usize, at: usize, budget: &mut usize) -> bool {
        let known = &self.symbols[register];
        // Callers read the return values of a function.
        if known.reads == 0 || known.writes == 1 {
            return known.reads > 0 || self.is_parameter(register);
        }
        let uses = |at: usize, predicate: fn(&SymbolUse) -> bool| {
            self.uses_in(at).iter().any(|symbol_use| symbol_use.symbol as usize == register && predicate(symbol_use))
        };
        if self.is_parameter(register) || self.has_unknown_branch || *budget == 0 {
            return true;
        }
        let reads = |at: usize| uses(at, |symbol_use| symbol_use.reads);
        let overwrites =
            |at: usize| !self.is_guarded(at) && uses(at, |symbol_use| symbol_use.writes && !symbol_use.reads);
        // An instruction may read the register that it overwrites.
        let found = self.find_reachable(at, budget, reads, |at| overwrites(at) && !reads(at));
        found.is_some() || *budget == 0
    }

    /// Whether an instruction only writes registers: it neither accesses nor orders memory.
    pub(crate) fn fills_registers(&self, at: usize) -> bool {
        build::fills_registers(self.mnemonic(at))
    }

    /// Whether an atomic is legal with an additional modifier.
    pub(crate) fn accepts(&self, instruction: &FlowInstruction, modifier: &'static str) -> bool {
        self.is_legal(instruction, modifier, || {
            let words = [modifier].into_iter().chain(instruction.opcode.words()).collect();
            (&instruction.opcode.mnemonic.text, words)
        })
    }

    /// Whether a variation of an atomic is legal; `spell` gives its mnemonic and its modifiers.
    pub(crate) fn is_legal<'i>(
        &self,
        instruction: &'i FlowInstruction,
        variation: &'static str,
        spell: impl FnOnce() -> (&'i str, Vec<&'i str>),
    ) -> bool {
        self.spellings.is_legal(self.opcode(instruction.at), variation, || {
            let (mnemonic, modifiers) = spell();
            isa::is_legal(&isa::Spelling { mnemonic, modifiers: &modifiers }, &self.module) == Some(true)
        })
    }

    /// Help for an atomic that is lowered to a compare-and-swap loop; `None` for native atomics.
    pub(crate) fn emulated(&self, at: usize, atomic: &isa::ResolvedInstruction) -> Option<Emulated> {
        self.spellings.emulated(self.opcode(at), || emulated(atomic, &self.module))
    }

    fn uses_in(&self, at: usize) -> &[SymbolUse] {
        let end = self.slots.get(at + 1).map_or(self.uses.len(), |next| next.uses as usize);
        &self.uses[self.slots[at].uses as usize..end]
    }

    /// The operand value of a symbol.
    fn meaning(&self, symbol: usize) -> OperandValue {
        match self.symbols[symbol].declaration.kind {
            DeclarationKind::Register => OperandValue::Register(symbol),
            _ => OperandValue::Variable { at: symbol, offset: 0 },
        }
    }

    fn decode(&self, at: usize) -> FlowInstruction<'a> {
        let slot = &self.slots[at];
        let named = || self.uses_in(at).iter().map(|symbol_use| symbol_use.symbol as usize);
        let names = |name: &str| named().find(|symbol| self.symbols[*symbol].name == name).map(|at| self.meaning(at));
        let instruction = match &slot.content {
            SlotContent::Instruction(instruction) => instruction,
            SlotContent::Broken(_, range) => return self.decode_broken(at, range.clone()),
        };
        let operands = instruction.operands();
        let atomic = self.atomics.binary_search_by_key(&at, |(at, _)| *at).ok();
        let guard = instruction.guard();
        FlowInstruction {
            at,
            range: instruction.range(),
            opcode: Opcode::split(&slot.opcode),
            guard: guard.map(|guard| (names(&guard.text).unwrap_or(OperandValue::Other), slot.negated)),
            values: operands.iter().map(|operand| value::read(operand, &names)).collect(),
            operands,
            atomic: atomic.map(|place| self.atomics[place].1),
        }
    }

    fn decode_broken(&self, at: usize, range: Range<usize>) -> FlowInstruction<'a> {
        let opcode = Opcode::split(&self.slots[at].opcode);
        FlowInstruction { at, range, opcode, guard: None, operands: Vec::new(), values: Vec::new(), atomic: None }
    }
}

impl<'a> FlowInstruction<'a> {
    /// Whether it is an instruction of this mnemonic.
    pub(crate) fn is(&self, mnemonic: &str) -> bool {
        self.opcode.mnemonic.text == mnemonic
    }

    /// Whether it has this modifier.
    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.opcode.modifiers.iter().any(|word| word.text == modifier)
    }

    /// The operand in a role, and its value.
    pub(crate) fn operand(&self, role: isa::Role) -> Option<(&Operand<'a>, &OperandValue)> {
        let place = self.atomic.as_ref()?.place(role)?;
        Some((self.operands.get(place)?, self.values.get(place)?))
    }

    /// The range of the offset of its address, or of the whole address.
    pub(crate) fn offset_range(&self) -> Range<usize> {
        let address = self.operands.iter().find(|operand| operand.kind == OperandKind::Address);
        match (address.and_then(Operand::address), address) {
            (Some(inner), _) => inner.offset.map_or(inner.base.token.range, |offset| offset.range),
            (None, Some(operand)) => operand.token.range.clone(),
            (None, None) => self.opcode.range.clone(),
        }
    }

    /// The range of the modifier in a slot of an atomic, or of the mnemonic.
    pub(crate) fn word(&self, slot: &str) -> Range<usize> {
        self.opcode.at(self.atomic.as_ref().and_then(|legal| legal.at(slot)))
    }

    /// The range of a modifier, or of the mnemonic.
    pub(crate) fn modifier(&self, text: &str) -> Range<usize> {
        self.opcode.at(self.opcode.modifiers.iter().position(|word| word.text == text))
    }
}

/// The value of a signed integer literal.
pub(crate) fn number(token: &Token) -> Option<i128> {
    Number::signed_integer(&token.text)
}

/// Whether an operand is a constant expression.
pub(crate) fn is_constant(operand: &Operand) -> bool {
    operand.kind == OperandKind::Constant
}
