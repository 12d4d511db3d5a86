//! The notation that capability rows are written in, and its reader.
//!
//! A family is one opcode (`atom`, `multimem.red`). Its text, in `table/`, is made of lines:
//!
//! ```text
//! family atom                                       the opcode
//! section 9.7.13.5                                  where the PTX ISA describes it
//! about Reads, combines, writes back.               one line for people
//! slot .sem  relaxed acquire    PTX 6.0 sm_70       words of a slot, and what they ask for beyond their row
//! none .sem  relaxed                                what silence means, and what silence asks for
//! never .hint with shared                           two things that exclude each other
//! needs .sem with .scope                            a thing that another must accompany
//! before .dst with .src                             an order that is more than style
//! ignored acc::f32                                  words that the assembler takes and that do nothing
//! atomic                                            each instruction is one read-modify-write, or the like of it
//! only with .sync                                   without such a word the instruction is none of this family
//! form atom{.sem}{.scope}.op{.hint}.type   d, [a], b{, policy}
//!   add min  u32 s32   PTX 1.0 sm_11                a row: words that fill the form's slots, and what that asks for
//!   exch     b128      PTX 8.3 sm_90; with sys PTX 8.4
//! ```
//!
//! `{.x}` may be left out. A name that is a word stands for itself, any other for a slot; a slot that the row does not
//! mention takes every word the family has for it. The order within a form is the printed one, and no more than style.
//! What an instruction asks for is the maximum over its row, its words and its silences.
//!
//! Must not know any particular instruction.

use crate::target::{Module, Target, TargetSet, Version};
use crate::types::Type;
use crate::vocabulary;
use std::fmt;

/// What a form, a word or a whole instruction asks of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The first PTX version that has it.
    pub version: Version,
    /// The targets that have it.
    pub targets: TargetSet,
}

impl Since {
    /// Asks for nothing.
    pub const ALWAYS: Since = Since { version: Version::new(1, 0), targets: TargetSet::ALL };

    /// Both demands at once.
    pub fn and(self, other: Since) -> Since {
        Since { version: self.version.max(other.version), targets: self.targets.and(other.targets) }
    }
}

impl Module {
    /// Whether the module offers what is asked for; what it does not say is not held against it.
    pub fn offers(&self, since: &Since) -> bool {
        self.effective_version().is_none_or(|version| version >= since.version)
            && self.target.is_none_or(|target| since.targets.contains(target))
    }
}

/// For people: `PTX 7.8 and sm_90`.
impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.targets == TargetSet::ALL {
            return write!(f, "PTX {}", self.version);
        }
        write!(f, "PTX {} and {}", self.version, self.targets)
    }
}

/// A set of words of one family: bit *n* is the word of index *n*.
pub(crate) type Words = u128;

/// An opcode: its words, the forms it is written in, and what each asks for.
#[derive(Debug)]
pub struct Family {
    /// The opcode, such as `atom` or `multimem.red`.
    pub name: &'static str,
    /// The section of the PTX ISA that describes it.
    pub section: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// The forms, in the order of the table.
    pub forms: Vec<Form>,
    pub(crate) words: Vec<Word>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) rows: Vec<Row>,
    pub(crate) never: Vec<Pair>,
    pub(crate) needs: Vec<Pair>,
    pub(crate) before: Vec<Pair>,
    pub(crate) ignored: Words,
    pub(crate) only: Words,
    atomic: bool,
}

/// A modifier as this family takes it.
#[derive(Debug)]
pub(crate) struct Word {
    pub text: &'static str,
    pub slot: usize,
    pub since: Since,
}

/// A place that at most one modifier fills.
#[derive(Debug)]
pub(crate) struct Slot {
    pub name: &'static str,
    pub words: Words,
    /// The word that silence stands for (empty if there is none), and what silence asks for.
    pub silent: &'static str,
    pub silence: Since,
}

/// One syntax line: slots in printed order, and operands.
#[derive(Debug)]
pub struct Form {
    /// The modifiers as the table writes them, opcode first.
    pub syntax: &'static str,
    /// The operands as the table writes them.
    pub operand_syntax: &'static str,
    pub(crate) slots: Vec<usize>,
    pub(crate) operands: Vec<Operand>,
}

/// What an operand is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `d`: the register that takes the result.
    Destination,
    /// `[a]`: the address.
    Address,
    /// `b`, and `c` of a compare-and-swap: the value that is combined with memory or put there.
    Value,
    /// `b` of a compare-and-swap: the value that memory is compared with.
    Compare,
    /// `policy`: a 64-bit cache policy, there exactly if the modifier `.L2::cache_hint` is.
    Policy,
    /// Anything else; its name says what.
    Other,
}

/// One operand that an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// What it is for.
    pub role: Role,
    /// Its name in the syntax line.
    pub name: &'static str,
    /// The type of an element; for an address, of what it points to.
    pub ty: Type,
    /// How many elements: 1, or the size of the vector.
    pub lanes: u8,
}

/// One line of a form's table.
#[derive(Debug)]
pub(crate) struct Row {
    pub form: usize,
    /// All words that may occur.
    pub allowed: Words,
    pub places: Vec<Place>,
    pub since: Since,
    /// Further demands, made if one of the words occurs.
    pub with: Vec<(Words, Since)>,
}

/// A slot as one row takes it.
#[derive(Debug)]
pub(crate) struct Place {
    pub slot: usize,
    pub words: Words,
    pub required: bool,
    /// Whether the row or its form names the words, so that they are what sets the row apart.
    pub named: bool,
}

/// Two sets of words between which a rule holds.
#[derive(Debug)]
pub(crate) struct Pair {
    pub left: Words,
    pub right: Words,
}

impl Family {
    /// Reads the text of a family.
    ///
    /// # Panics
    /// On a line it cannot read: the text is part of the program, and a test reads all of them.
    pub(crate) fn read(text: &'static str) -> Family {
        let mut family = Family {
            name: "",
            section: "",
            about: "",
            forms: Vec::new(),
            words: Vec::new(),
            slots: Vec::new(),
            rows: Vec::new(),
            never: Vec::new(),
            needs: Vec::new(),
            before: Vec::new(),
            ignored: 0,
            only: 0,
            atomic: false,
        };
        // Words get their numbers first, in alphabetical order, so that the rules can be written down as sets.
        for line in lines(text) {
            family.collect(line);
        }
        family.words.sort_by_key(|word| word.text);
        for (index, word) in family.words.iter().enumerate() {
            family.slots[word.slot].words |= 1 << index;
        }
        for line in lines(text) {
            family.rule(line);
        }
        family
    }

    fn collect(&mut self, line: &'static str) {
        let (key, rest) = split_word(line);
        match key {
            "family" => self.name = rest,
            "section" => self.section = rest,
            "about" => self.about = rest,
            "none" | "never" | "needs" | "before" | "only" => {}
            "atomic" => self.atomic = true,
            "slot" => {
                let (slot, rest) = split_word(rest);
                let (words, since) = split_since(rest);
                let slot = self.slot(&slot[1..]);
                for text in words.split_whitespace() {
                    self.words.push(Word { text, slot, since: read_since(since) });
                }
            }
            "ignored" => {
                for name in rest.split_whitespace() {
                    self.word(vocabulary::slot_of(name).unwrap_or_else(|| panic!("no such word: {name}")), name);
                }
            }
            "form" => {
                let (syntax, _) = split_word(rest);
                for (name, _) in items(self.name, syntax) {
                    match vocabulary::slot_of(name) {
                        Some(slot) => self.word(slot, name),
                        None => _ = self.slot(name),
                    }
                }
            }
            _ => {
                let (words, _) = split_since(line);
                for name in words.split_whitespace() {
                    let slot = vocabulary::slot_of(name).unwrap_or_else(|| panic!("no such word: {name} in {line}"));
                    self.word(slot, name);
                }
            }
        }
    }

    fn slot(&mut self, name: &'static str) -> usize {
        self.slots.iter().position(|slot| slot.name == name).unwrap_or_else(|| {
            self.slots.push(Slot { name, words: 0, silent: "", silence: Since::ALWAYS });
            self.slots.len() - 1
        })
    }

    fn word(&mut self, slot: &'static str, text: &'static str) {
        if !self.words.iter().any(|word| word.text == text) {
            let slot = self.slot(slot);
            self.words.push(Word { text, slot, since: Since::ALWAYS });
        }
    }

    fn rule(&mut self, line: &'static str) {
        let (key, rest) = split_word(line);
        match key {
            "family" | "section" | "about" | "slot" | "atomic" => {}
            "none" => {
                let (slot, rest) = split_word(rest);
                let (word, since) = split_since(rest);
                let slot = self.slot(&slot[1..]);
                self.slots[slot].silent = word;
                self.slots[slot].silence = read_since(since);
            }
            "never" | "needs" | "before" => {
                let (left, right) = rest.split_once(" with ").unwrap_or_else(|| panic!("no `with` in {line}"));
                let pair = Pair { left: self.set(left), right: self.set(right) };
                let rules = match key {
                    "never" => &mut self.never,
                    "needs" => &mut self.needs,
                    _ => &mut self.before,
                };
                rules.push(pair);
            }
            "only" => self.only = self.set(rest.trim_start_matches("with")),
            "ignored" => self.ignored = self.set(rest),
            "form" => {
                let (syntax, operand_syntax) = split_word(rest);
                let slots = items(self.name, syntax).map(|(name, _)| self.place(name)).collect();
                let operands = operand_names(operand_syntax).map(|name| read_operand(name, operand_syntax)).collect();
                self.forms.push(Form { syntax, operand_syntax, slots, operands });
            }
            _ => self.row(line),
        }
    }

    fn row(&mut self, line: &'static str) {
        let form = self.forms.len().checked_sub(1).unwrap_or_else(|| panic!("a row before any form: {line}"));
        let (words, since) = split_since(line);
        let (since, exceptions) = since.split_once(';').unwrap_or((since, ""));
        let listed = self.set(words);
        let places: Vec<Place> = items(self.name, self.forms[form].syntax)
            .map(|(name, required)| {
                let slot = self.place(name);
                let literal = vocabulary::slot_of(name).map_or(0, |_| self.set(name));
                let (words, named) = match (literal, listed & self.slots[slot].words) {
                    (0, 0) => (self.slots[slot].words, false),
                    (0, listed) => (listed, true),
                    (literal, _) => (literal, required),
                };
                Place { slot, words, required, named }
            })
            .collect();
        let allowed = places.iter().fold(self.ignored, |all, place| all | place.words);
        assert!(listed & !allowed == 0, "a word of no slot of the form: {line}");
        let with = exceptions.split(';').filter(|part| !part.trim().is_empty()).map(|part| {
            let part = part.trim().strip_prefix("with ").unwrap_or_else(|| panic!("no `with` in {line}"));
            let (words, since) = split_since(part);
            (self.set(words), read_since(since))
        });
        let row = Row { form, allowed, since: read_since(since), with: with.collect(), places };
        self.rows.push(row);
    }

    /// The slot of a name in a syntax line: a word's own, or the one of that name.
    fn place(&self, name: &str) -> usize {
        if let Some(id) = vocabulary::slot_of(name).and_then(|_| self.find(name)) {
            return self.words[id].slot;
        }
        self.slots.iter().position(|slot| slot.name == name).unwrap_or_else(|| panic!("no such slot: {name}"))
    }

    /// The set of words, each given by itself or by its `.slot`.
    fn set(&self, names: &str) -> Words {
        names.split_whitespace().fold(0, |set, name| match name.strip_prefix('.') {
            Some(slot) => set | self.slots[self.place(slot)].words,
            None => set | 1 << self.find(name).unwrap_or_else(|| panic!("no such word: {name}")),
        })
    }

    /// Whether its instructions read, combine and write memory in one step, or are the loads and stores of multimem.
    pub fn is_atomic(&self) -> bool {
        self.atomic
    }

    /// The index of a word, for the slot that comes first if it may fill two.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        let at = self.words.partition_point(|word| word.text < text);
        self.words.get(at).filter(|word| word.text == text).map(|_| at)
    }

    /// The index of the same word for a further slot.
    pub(crate) fn find_again(&self, id: usize) -> Option<usize> {
        self.words.get(id + 1).filter(|word| word.text == self.words[id].text).map(|_| id + 1)
    }

    /// The words of a set.
    pub(crate) fn texts(&self, set: Words) -> impl Iterator<Item = &'static str> {
        self.words.iter().enumerate().filter(move |(index, _)| set >> index & 1 == 1).map(|(_, word)| word.text)
    }

    /// The index of a slot by its name.
    pub(crate) fn slot_named(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name)
    }
}

impl Row {
    /// Whether the words are the row's, with none missing.
    pub(crate) fn fits(&self, words: Words) -> bool {
        words & !self.allowed == 0 && self.places.iter().all(|place| !place.required || words & place.words != 0)
    }

    /// The place of a slot, if the row has it.
    pub(crate) fn place(&self, slot: usize) -> Option<&Place> {
        self.places.iter().find(|place| place.slot == slot)
    }
}

/// The lines that say something, without comments.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(|line| line.split_once("//").map_or(line, |(before, _)| before).trim()).filter(|l| !l.is_empty())
}

fn split_word(line: &'static str) -> (&'static str, &'static str) {
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()))
}

/// Parts a line before its `PTX …`.
fn split_since(line: &'static str) -> (&'static str, &'static str) {
    line.find("PTX ").map_or((line.trim(), ""), |at| (line[..at].trim(), &line[at..]))
}

/// Reads `PTX 8.6 sm_100f sm_120a`: a version, and targets of which one (or what includes it) will do.
pub(crate) fn read_since(text: &str) -> Since {
    let mut since = Since::ALWAYS;
    let mut targets = TargetSet::NONE;
    for part in text.split_whitespace().filter(|part| *part != "PTX") {
        match (Version::parse(part), Target::parse(part)) {
            (Some(version), _) => since.version = version,
            (None, Some(target)) => targets = targets.or(TargetSet::including(target)),
            _ => panic!("neither a version nor a target: {part}"),
        }
    }
    if targets != TargetSet::NONE {
        since.targets = targets;
    }
    since
}

/// The names in `atom{.sem}.op`, each with whether it must be there.
fn items(opcode: &str, syntax: &'static str) -> impl Iterator<Item = (&'static str, bool)> {
    let rest = syntax.strip_prefix(opcode).unwrap_or_else(|| panic!("{syntax} is no form of {opcode}"));
    rest.split('.').skip(1).map(|item| {
        let name = item.trim_end_matches(['{', '}']);
        (name, !item.contains('}'))
    })
}

/// The operands of a syntax line: what stands between its commas, those inside brackets aside.
fn operand_names(all: &'static str) -> impl Iterator<Item = &'static str> {
    let mut depth = 0;
    let parts = all.split(move |c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    });
    parts.map(|name| name.trim_matches([' ', '{', '}'])).filter(|name| !name.is_empty())
}

fn read_operand(name: &'static str, all: &'static str) -> Operand {
    let compares = operand_names(all).any(|name| name == "c");
    let (role, ty) = match name {
        "d" => (Role::Destination, Type::B32),
        "[a]" => (Role::Address, Type::B32),
        "b" if compares => (Role::Compare, Type::B32),
        "b" | "c" => (Role::Value, Type::B32),
        "policy" => (Role::Policy, Type::B64),
        _ => (Role::Other, Type::B32),
    };
    Operand { role, name, ty, lanes: 1 }
}
