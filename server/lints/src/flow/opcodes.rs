//! The opcodes of a function, each once, with what data flow reads from them.

use super::computation::TracedComputation;
use super::writers::WRITERS;
use foldhash::HashMap;
use std::borrow::Cow;
use syntax::{Opcode, Token};

/// Mnemonics that read their first operand.
const READERS: [&str; 5] = ["bra", "brx", "nanosleep", "red", "st"];

/// Where control continues after an instruction that executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlEffect {
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
pub(super) struct FirstAccess {
    pub writes: bool,
    pub reads: bool,
}

/// One spelling of an opcode.
pub(super) struct SpelledOpcode<'a> {
    /// As written.
    pub text: Cow<'a, str>,
    /// Its words, with ranges in `text`.
    pub words: Opcode<'a>,
    pub control: ControlEffect,
    pub first: FirstAccess,
    /// How to compute the provenance of its result; `None` if the result is opaque.
    pub computation: Option<TracedComputation>,
}

/// The opcodes of a function.
#[derive(Default)]
pub(super) struct OpcodeTable<'a> {
    opcodes: Vec<SpelledOpcode<'a>>,
    numbers: HashMap<Cow<'a, str>, u32>,
}

impl<'a> OpcodeTable<'a> {
    /// The number of a spelling.
    pub(super) fn add(&mut self, text: Cow<'a, str>) -> u32 {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = self.opcodes.len() as u32;
        self.opcodes.push(SpelledOpcode::new(text.clone()));
        self.numbers.insert(text, number);
        number
    }

    /// The opcode with a number.
    pub(super) fn get(&self, number: u32) -> &SpelledOpcode<'a> {
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
        let only_writes = WRITERS.binary_search(&mnemonic).is_ok();
        let first = FirstAccess { writes: !reads_first, reads: reads_first || !only_writes };
        let computation = TracedComputation::of(&words);
        SpelledOpcode { text, words, control, first, computation }
    }

    /// The mnemonic.
    pub(super) fn mnemonic(&self) -> &str {
        &self.words.mnemonic.text
    }
}
