//! Data flow of one function, as far as it is certain: which instruction writes a register, where an address comes from, what may follow.
//!
//! Made only of functions that hold an atomic, in linear time: an instruction's words are looked up at once, its operands are taken apart
//! when somebody asks. Must not know rules; where it is unsure it says nothing.

mod blocks;
mod broken;
mod build;
mod cycle;
mod float;
mod graph;
mod origin;
mod place;
mod reaching;
mod size;
#[cfg(test)]
mod tests;
mod value;

use broken::Broken;
use foldhash::HashMap;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use syntax::{Declaration, DeclarationKind, Instruction, Number, Opcode, Operand, OperandKind, Token};

pub(crate) use cycle::Loop;
pub(crate) use place::{KnownAddress, PointedSpace, Root, gcd};
pub(crate) use reaching::{Definition, DefinitionSite};
pub(crate) use size::{aligned, bytes, size};
pub(crate) use value::OperandValue;

/// A function, an instruction after the other.
pub(crate) struct Flow<'a> {
    pub module: isa::Module,
    /// Whether it is a kernel.
    pub entry: bool,
    lines: Vec<FlowLine<'a>>,
    symbols: Vec<FlowSymbol<'a>>,
    mentions: Vec<Mention>,
    /// The steps that write each symbol, in order.
    writes: OnceCell<Writes>,
    /// The branches and the steps that they lead to, where those are known.
    targets: Vec<(usize, Option<usize>)>,
    /// Whether there is a branch whose target is not known.
    jumps_anywhere: bool,
    /// Whether a statement has a syntax error.
    has_broken: bool,
    atomics: Vec<(usize, isa::ResolvedInstruction)>,
    /// Where the function's own parameters are declared, in order.
    parameters: Vec<usize>,
    reaching: reaching::Reaching,
    /// Where the values of definitions come from, as far as that was asked.
    places: RefCell<HashMap<Definition, KnownAddress>>,
}

/// The steps that write each symbol.
struct Writes {
    /// Where those of each symbol begin.
    starts: Vec<u32>,
    steps: Vec<u32>,
}

/// An instruction that nobody has asked about.
struct FlowLine<'a> {
    text: LineText<'a>,
    opcode: Token<'a>,
    /// Where its mnemonic ends.
    mnemonic: usize,
    guarded: bool,
    /// Whether its guard is negated.
    negated: bool,
    /// Whether ways other than the straight one may lead here.
    labelled: bool,
    /// Where its mentions begin.
    mentions: u32,
    step: OnceCell<Box<FlowStep<'a>>>,
}

/// What stands in a line.
enum LineText<'a> {
    Instruction(Instruction<'a>),
    /// A statement with a syntax error, which has no opcode and no operands here.
    Broken(Broken, Range<usize>),
}

/// A register or variable that is named.
struct FlowSymbol<'a> {
    name: Cow<'a, str>,
    declaration: Declaration<'a>,
    writes: u32,
    reads: u32,
}

/// One naming of a symbol.
struct Mention {
    symbol: u32,
    writes: bool,
    reads: bool,
}

/// One instruction, taken apart.
pub(crate) struct FlowStep<'a> {
    /// Its number.
    pub at: usize,
    pub range: Range<usize>,
    pub opcode: Opcode<'a>,
    /// The guard's register, and whether it is negated.
    pub guard: Option<(OperandValue, bool)>,
    pub operands: Vec<Operand<'a>>,
    /// What each operand means.
    pub values: Vec<OperandValue>,
    /// What it is, where it is a legal atomic.
    pub atomic: Option<isa::ResolvedInstruction>,
}

impl<'a> Flow<'a> {
    /// The atomics, with the number of their step.
    pub(crate) fn atomics(&self) -> impl Iterator<Item = (usize, &FlowStep<'a>, &isa::ResolvedInstruction)> {
        self.atomics.iter().map(|(at, legal)| (*at, self.step(*at), legal))
    }

    /// How many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// An instruction, taken apart.
    pub(crate) fn step(&self, at: usize) -> &FlowStep<'a> {
        self.lines[at].step.get_or_init(|| Box::new(self.take_apart(at)))
    }

    /// An instruction's mnemonic.
    pub(crate) fn mnemonic(&self, at: usize) -> &str {
        let line = &self.lines[at];
        &line.opcode.text[..line.mnemonic]
    }

    /// An instruction's opcode, as it is written.
    pub(crate) fn opcode(&self, at: usize) -> &str {
        &self.lines[at].opcode.text
    }

    /// Whether an instruction has a modifier.
    pub(crate) fn has(&self, at: usize, modifier: &str) -> bool {
        self.lines[at].opcode.text.split('.').skip(1).any(|word| word.trim() == modifier)
    }

    /// Whether a statement has a syntax error, so that what is not known may be known once it is mended.
    pub(crate) fn has_broken(&self) -> bool {
        self.has_broken
    }

    /// Whether it is a statement with a syntax error, which may do anything to memory.
    pub(crate) fn is_broken(&self, at: usize) -> bool {
        matches!(self.lines[at].text, LineText::Broken(..))
    }

    /// Whether it is a broken statement that may branch, or may be a label.
    fn may_branch(&self, at: usize) -> bool {
        matches!(self.lines[at].text, LineText::Broken(Broken::Anything, _))
    }

    /// Whether it is a broken statement that may write any register.
    fn may_write_all(&self, at: usize) -> bool {
        matches!(self.lines[at].text, LineText::Broken(Broken::AnyRegister | Broken::Anything, _))
    }

    /// Whether an instruction has a guard, or may not be done for another reason.
    pub(crate) fn guarded(&self, at: usize) -> bool {
        self.lines[at].guarded
    }

    /// How a register or variable was declared.
    pub(crate) fn declaration(&self, symbol: usize) -> &Declaration<'a> {
        &self.symbols[symbol].declaration
    }

    /// Whether a variable is a parameter of this function, not one of a call that it makes.
    pub(crate) fn is_parameter(&self, symbol: usize) -> bool {
        self.parameters.binary_search(&self.declaration(symbol).name.range.start).is_ok()
    }

    /// The steps that write a register, in order.
    fn writes_of(&self, register: usize) -> &[u32] {
        let writes = self.writes.get_or_init(|| {
            let mut starts = vec![0; self.symbols.len() + 1];
            let blind = (0..self.len()).filter(|at| self.may_write_all(*at)).count() as u32;
            for (symbol, known) in self.symbols.iter().enumerate() {
                starts[symbol + 1] = starts[symbol] + known.writes + blind;
            }
            let (mut next, mut steps) = (starts.clone(), vec![0; starts[self.symbols.len()] as usize]);
            let mut write = |symbol: usize, at: usize| {
                steps[next[symbol] as usize] = at as u32;
                next[symbol] += 1;
            };
            for at in 0..self.lines.len() {
                if self.may_write_all(at) {
                    (0..self.symbols.len()).for_each(|symbol| write(symbol, at));
                }
                let named = self.named_in(at).iter().filter(|mention| mention.writes);
                named.for_each(|mention| write(mention.symbol as usize, at));
            }
            Writes { starts, steps }
        });
        &writes.steps[writes.starts[register] as usize..writes.starts[register + 1] as usize]
    }

    /// The last step before one, and not before another, that writes a register.
    pub(crate) fn written(&self, register: usize, within: Range<usize>) -> Option<usize> {
        let writes = self.writes_of(register);
        let before = writes.partition_point(|at| (*at as usize) < within.end);
        writes[..before].last().map(|at| *at as usize).filter(|at| within.contains(at))
    }

    /// Whether something may read what a step leaves in a register. `patience` is used up.
    pub(crate) fn is_read(&self, register: usize, at: usize, patience: &mut usize) -> bool {
        let known = &self.symbols[register];
        // What a function gives back is read by its callers.
        if known.reads == 0 || known.writes == 1 {
            return known.reads > 0 || self.is_parameter(register);
        }
        let named = |at: usize, what: fn(&Mention) -> bool| {
            self.named_in(at).iter().any(|mention| mention.symbol as usize == register && what(mention))
        };
        if self.is_parameter(register) || self.jumps_anywhere || *patience == 0 {
            return true;
        }
        let reads = |at: usize| named(at, |mention| mention.reads);
        let overwrites = |at: usize| !self.guarded(at) && named(at, |mention| mention.writes && !mention.reads);
        // A step may read what it overwrites.
        let found = self.reach(at, patience, reads, |at| overwrites(at) && !reads(at));
        found.is_some() || *patience == 0
    }

    /// Whether a step only fills registers: it touches no memory, and orders nothing.
    pub(crate) fn fills_registers(&self, at: usize) -> bool {
        build::fills_registers(self.mnemonic(at))
    }

    /// Whether an atomic stays legal with one more modifier.
    pub(crate) fn takes(&self, step: &FlowStep, more: &str) -> bool {
        let mut words = step.opcode.words();
        words.insert(0, more);
        let spelling = isa::Spelling { mnemonic: &step.opcode.mnemonic.text, modifiers: &words };
        isa::is_legal(&spelling, &self.module) == Some(true)
    }

    fn named_in(&self, at: usize) -> &[Mention] {
        let end = self.lines.get(at + 1).map_or(self.mentions.len(), |next| next.mentions as usize);
        &self.mentions[self.lines[at].mentions as usize..end]
    }

    /// What naming a symbol means.
    fn meaning(&self, symbol: usize) -> OperandValue {
        match self.symbols[symbol].declaration.kind {
            DeclarationKind::Register => OperandValue::Register(symbol),
            _ => OperandValue::Variable { at: symbol, offset: 0 },
        }
    }

    fn take_apart(&self, at: usize) -> FlowStep<'a> {
        let line = &self.lines[at];
        let named = || self.named_in(at).iter().map(|mention| mention.symbol as usize);
        // Few names stand in one instruction.
        let names = |name: &str| named().find(|symbol| self.symbols[*symbol].name == name).map(|at| self.meaning(at));
        let instruction = match &line.text {
            LineText::Instruction(instruction) => instruction,
            LineText::Broken(_, range) => return self.nothing(at, range.clone()),
        };
        let operands = instruction.operands();
        let atomic = self.atomics.binary_search_by_key(&at, |(at, _)| *at).ok();
        let guard = instruction.guard();
        FlowStep {
            at,
            range: instruction.range(),
            opcode: Opcode::split(&line.opcode),
            guard: guard.map(|guard| (names(&guard.text).unwrap_or(OperandValue::Other), line.negated)),
            values: operands.iter().map(|operand| value::read(operand, &names)).collect(),
            operands,
            atomic: atomic.map(|place| self.atomics[place].1),
        }
    }

    /// A broken statement, of which nothing is read.
    fn nothing(&self, at: usize, range: Range<usize>) -> FlowStep<'a> {
        let opcode = Opcode::split(&self.lines[at].opcode);
        FlowStep { at, range, opcode, guard: None, operands: Vec::new(), values: Vec::new(), atomic: None }
    }
}

impl<'a> FlowStep<'a> {
    /// Whether it is an instruction of this mnemonic.
    pub(crate) fn is(&self, mnemonic: &str) -> bool {
        self.opcode.mnemonic.text == mnemonic
    }

    /// Whether it has this modifier.
    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.opcode.modifiers.iter().any(|word| word.text == modifier)
    }

    /// The operand in a role, and what it means.
    pub(crate) fn operand(&self, role: isa::Role) -> Option<(&Operand<'a>, &OperandValue)> {
        let place = self.atomic.as_ref()?.operands().position(|operand| operand.role == role)?;
        Some((self.operands.get(place)?, self.values.get(place)?))
    }

    /// The place of its address, for people: what is added, or the whole.
    pub(crate) fn offset_range(&self) -> Range<usize> {
        let address = self.operands.iter().find(|operand| operand.kind == OperandKind::Address);
        match (address.and_then(Operand::address), address) {
            (Some(inner), _) => inner.offset.map_or(inner.base.token.range, |offset| offset.range),
            (None, Some(operand)) => operand.token.range.clone(),
            (None, None) => self.opcode.range.clone(),
        }
    }

    /// The place of a modifier of an atomic, or of the mnemonic.
    pub(crate) fn word(&self, slot: &str) -> Range<usize> {
        self.opcode.at(self.atomic.as_ref().and_then(|legal| legal.at(slot)))
    }

    /// The place of a modifier by its text, or of the mnemonic.
    pub(crate) fn modifier(&self, text: &str) -> Range<usize> {
        self.opcode.at(self.opcode.modifiers.iter().position(|word| word.text == text))
    }
}

/// The value of an integer literal with its sign.
pub(crate) fn number(token: &Token) -> Option<i128> {
    Number::signed_integer(&token.text)
}

/// Whether an operand is a literal or an expression of literals.
pub(crate) fn is_constant(operand: &Operand) -> bool {
    operand.kind == OperandKind::Constant
}
