//! Data flow of one function, as far as it is certain: which instruction writes a register, where an address comes from, what may follow.
//!
//! Made only of functions that hold an atomic, in linear time: an instruction's words are looked up at once, its operands are taken apart
//! when somebody asks. Must not know rules; where it is unsure it says nothing.

mod build;
mod cycle;
mod graph;
mod origin;
mod size;
mod value;

use foldhash::HashMap;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use syntax::{Declaration, DeclarationKind, Instruction, Opcode, Operand, OperandKind, Token};

pub(crate) use cycle::Loop;
pub(crate) use origin::{Root, Space};
pub(crate) use size::{aligned, bytes, size};
pub(crate) use value::Value;

/// A function, an instruction after the other.
pub(crate) struct Flow<'a> {
    pub module: isa::Module,
    /// Whether it is a kernel.
    pub entry: bool,
    lines: Vec<Line<'a>>,
    symbols: Vec<Symbol<'a>>,
    mentions: Vec<Mention>,
    /// The mentions of each symbol, ordered by symbol and place.
    by_symbol: OnceCell<Vec<(u32, Naming)>>,
    /// The step that follows each label; `None` where one name stands at several.
    labels: HashMap<Cow<'a, str>, Option<usize>>,
    atomics: Vec<(usize, isa::Instruction)>,
    /// Where the function's own parameters are declared, in order.
    parameters: Vec<usize>,
}

/// An instruction that nobody has asked about.
struct Line<'a> {
    instruction: Instruction<'a>,
    opcode: Token<'a>,
    /// Where its mnemonic ends.
    mnemonic: usize,
    guarded: bool,
    /// Whether its guard is negated.
    negated: bool,
    /// Whether a label stands before it.
    labelled: bool,
    /// Where its mentions begin.
    mentions: u32,
    step: OnceCell<Box<Step<'a>>>,
}

/// A register or variable that is named.
struct Symbol<'a> {
    name: Cow<'a, str>,
    declaration: Declaration<'a>,
    writes: u32,
    /// The last step that writes it.
    written_at: u32,
    reads: u32,
}

/// One naming of a symbol.
struct Mention {
    symbol: u32,
    writes: bool,
}

/// Where a symbol is named, and what happens to it there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Naming {
    /// The step.
    pub at: usize,
    pub writes: bool,
}

/// One instruction, taken apart.
pub(crate) struct Step<'a> {
    pub range: Range<usize>,
    pub opcode: Opcode<'a>,
    /// The guard's register, and whether it is negated.
    pub guard: Option<(Value, bool)>,
    pub operands: Vec<Operand<'a>>,
    /// What each operand means.
    pub values: Vec<Value>,
    /// What it is, where it is a legal atomic.
    pub atomic: Option<isa::Instruction>,
}

impl<'a> Flow<'a> {
    /// The atomics, with the number of their step.
    pub(crate) fn atomics(&self) -> impl Iterator<Item = (usize, &Step<'a>, &isa::Instruction)> {
        self.atomics.iter().map(|(at, legal)| (*at, self.step(*at), legal))
    }

    /// How many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// An instruction, taken apart.
    pub(crate) fn step(&self, at: usize) -> &Step<'a> {
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

    /// Whether an instruction has a guard.
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

    /// How often a register is read.
    pub(crate) fn reads(&self, register: usize) -> usize {
        self.symbols[register].reads as usize
    }

    /// How often a register is written.
    pub(crate) fn writes(&self, register: usize) -> usize {
        self.symbols[register].writes as usize
    }

    /// The one step that writes a register, whatever else happens; `None` where there are several or a guard.
    pub(crate) fn writer(&self, register: usize) -> Option<(usize, &Step<'a>)> {
        let known = &self.symbols[register];
        let at = known.written_at as usize;
        (known.writes == 1 && !self.lines[at].guarded).then(|| (at, self.step(at)))
    }

    /// The steps that name a register or variable, in order.
    pub(crate) fn mentions(&self, symbol: usize) -> impl DoubleEndedIterator<Item = Naming> {
        let all = self.by_symbol.get_or_init(|| {
            let mut all = Vec::with_capacity(self.mentions.len());
            for at in 0..self.lines.len() {
                let naming = |mention: &Mention| Naming { at, writes: mention.writes };
                all.extend(self.named_in(at).iter().map(|mention| (mention.symbol, naming(mention))));
            }
            // Stable: of one symbol, the order of the text stays.
            all.sort_by_key(|(symbol, _)| *symbol);
            all
        });
        let place = |symbol: usize| all.partition_point(|(other, _)| (*other as usize) < symbol);
        all[place(symbol)..place(symbol + 1)].iter().map(|(_, naming)| *naming)
    }

    /// The last step before one, and not before another, that writes a register.
    pub(crate) fn written(&self, register: usize, within: Range<usize>) -> Option<usize> {
        let mut writers = self.mentions(register).filter(|naming| naming.writes && within.contains(&naming.at));
        writers.next_back().map(|naming| naming.at)
    }

    /// Whether an atomic stays legal with one more modifier.
    pub(crate) fn takes(&self, step: &Step, more: &str) -> bool {
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
    fn meaning(&self, symbol: usize) -> Value {
        match self.symbols[symbol].declaration.kind {
            DeclarationKind::Register => Value::Register(symbol),
            _ => Value::Variable { at: symbol, offset: 0 },
        }
    }

    fn take_apart(&self, at: usize) -> Step<'a> {
        let line = &self.lines[at];
        let named = || self.named_in(at).iter().map(|mention| mention.symbol as usize);
        // Few names stand in one instruction.
        let names = |name: &str| named().find(|symbol| self.symbols[*symbol].name == name).map(|at| self.meaning(at));
        let operands = line.instruction.operands();
        let atomic = self.atomics.binary_search_by_key(&at, |(at, _)| *at).ok();
        let guard = line.instruction.guard();
        Step {
            range: line.instruction.range(),
            opcode: Opcode::split(&line.opcode),
            guard: guard.map(|guard| (names(&guard.text).unwrap_or(Value::Other), line.negated)),
            values: operands.iter().map(|operand| value::read(operand, &names)).collect(),
            operands,
            atomic: atomic.map(|place| self.atomics[place].1),
        }
    }
}

impl<'a> Step<'a> {
    /// Whether it is an instruction of this mnemonic.
    pub(crate) fn is(&self, mnemonic: &str) -> bool {
        self.opcode.mnemonic.text == mnemonic
    }

    /// Whether it has this modifier.
    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.opcode.modifiers.iter().any(|word| word.text == modifier)
    }

    /// The operand in a role, and what it means.
    pub(crate) fn operand(&self, role: isa::Role) -> Option<(&Operand<'a>, &Value)> {
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
    let text = &*token.text;
    match text.strip_prefix('-') {
        Some(digits) => syntax::integer(digits.trim_start()).map(|value| -i128::from(value)),
        None => syntax::integer(text.strip_prefix('+').unwrap_or(text)).map(i128::from),
    }
}

/// Whether an operand is a literal or an expression of literals.
pub(crate) fn is_constant(operand: &Operand) -> bool {
    operand.kind == OperandKind::Constant
}
