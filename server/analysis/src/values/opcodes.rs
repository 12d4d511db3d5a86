//! The opcodes of functions, each once, with what data flow reads from them.

use crate::values::computation::TracedComputation;
use crate::values::writers;
use foldhash::HashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use syntax::{Opcode, Token};

/// Mnemonics that read their first operand.
const READERS: [&str; 5] = ["bra", "brx", "nanosleep", "red", "st"];

/// Where control continues after an instruction that executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::values) enum ControlEffect {
    /// At the next instruction.
    Next,
    /// At the next instruction, after a function.
    Call,
    /// At a label: `bra`.
    Branch,
    /// At one of several labels: `brx`.
    IndexedBranch,
    /// Nowhere.
    End,
}

/// How an instruction accesses its first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::values) struct FirstAccess {
    pub writes: bool,
    pub reads: bool,
}

/// One spelling of an opcode.
pub(in crate::values) struct SpelledOpcode<'a> {
    /// As written.
    pub text: Cow<'a, str>,
    /// Its words, with ranges in `text`.
    pub words: Arc<Opcode<'a>>,
    pub control: ControlEffect,
    pub first: FirstAccess,
    /// How to compute the provenance of its result; `None` if the result is opaque.
    pub computation: Option<TracedComputation>,
    /// Whether it only writes registers: it neither accesses nor orders memory.
    pub fills_registers: bool,
}

/// The opcodes of the functions that a driver checks.
#[derive(Default)]
pub struct OpcodeTable<'a> {
    opcodes: Vec<SpelledOpcode<'a>>,
    numbers: HashMap<Cow<'a, str>, u32>,
}

impl<'a> OpcodeTable<'a> {
    /// The number of a spelling.
    pub(in crate::values) fn add(&mut self, text: Cow<'a, str>) -> u32 {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = self.opcodes.len() as u32;
        self.opcodes.push(SpelledOpcode::new(text.clone()));
        self.numbers.insert(text, number);
        number
    }

    /// The number of different opcodes.
    pub(in crate::values) fn len(&self) -> usize {
        self.opcodes.len()
    }

    /// The opcode with a number.
    pub(in crate::values) fn get(&self, number: u32) -> &SpelledOpcode<'a> {
        &self.opcodes[number as usize]
    }
}

impl<'a> SpelledOpcode<'a> {
    fn new(text: Cow<'a, str>) -> Self {
        let range = 0..text.len();
        let words = Opcode::split(&Token { text: text.clone(), range });
        let mnemonic = &*words.mnemonic.text;
        let control = match mnemonic {
            "bra" => ControlEffect::Branch,
            "brx" => ControlEffect::IndexedBranch,
            "call" => ControlEffect::Call,
            "ret" | "exit" | "trap" => ControlEffect::End,
            _ => ControlEffect::Next,
        };
        let reads_first = READERS.contains(&mnemonic);
        let only_writes = writers::only_writes(mnemonic);
        let first = FirstAccess { writes: !reads_first, reads: reads_first || !only_writes };
        let computation = TracedComputation::of(&words);
        let fills_registers = only_writes && !matches!(mnemonic, "atom" | "ld" | "ldu" | "mbarrier" | "shfl");
        SpelledOpcode { text, words: Arc::new(words), control, first, computation, fills_registers }
    }

    /// The mnemonic.
    pub(in crate::values) fn mnemonic(&self) -> &str {
        &self.words.mnemonic.text
    }
}

/// The opcode of an instruction: its words, which it shares with others of its spelling, and its offset.
pub struct PlacedOpcode<'a> {
    words: Arc<Opcode<'a>>,
    start: usize,
}

impl<'a> PlacedOpcode<'a> {
    /// The opcode with these words at an offset.
    pub(in crate::values) fn new(words: &Arc<Opcode<'a>>, start: usize) -> Self {
        PlacedOpcode { words: words.clone(), start }
    }

    fn placed(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.start..range.end + self.start
    }

    /// From the mnemonic's first byte to the last modifier's end.
    pub fn range(&self) -> Range<usize> {
        self.placed(self.words.range.clone())
    }

    /// The range of the mnemonic.
    pub fn mnemonic_range(&self) -> Range<usize> {
        self.at(None)
    }

    /// The range of a modifier with its dot, or of the mnemonic for `None`.
    pub fn at(&self, index: Option<usize>) -> Range<usize> {
        self.placed(self.words.at(index))
    }

    /// The first word.
    pub fn mnemonic(&self) -> &str {
        &self.words.mnemonic.text
    }

    /// The modifiers.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.words.modifiers.iter().map(|word| &*word.text)
    }

    /// The modifiers as a list.
    pub fn words(&self) -> Vec<&str> {
        self.words.words()
    }
}
