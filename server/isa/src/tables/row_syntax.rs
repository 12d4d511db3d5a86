//! The syntax of capability rows, and its parser.
//!
//! A family is one opcode (`atom`, `multimem.red`). In the files of `tables/` it consists of lines:
//!
//! ```text
//! family atom                                       the opcode
//! section 9.7.13.5                                  the section of the PTX ISA
//! summary Reads, combines, writes back.             one sentence for hover and pages
//! slot .sem  relaxed acquire    PTX 6.0 sm_70       words of a slot, and what they require beyond their row
//! default .sem relaxed                              the meaning without a word of the slot; may require a version, too
//! conflict .hint with shared                        two sets of words that conflict
//! require .scope with .sem                          words of the second set require one of the first
//! order .dst before .src                            an order that the assembler requires
//! ignored any all                                   words that the assembler accepts and that have no effect
//! ignored .class finite normal                      such words that no instruction has, in a slot of their own
//! repeatable sync                                   words that may occur more than once
//! exclude b2                                        words of a shared block that this family does not have
//! use types                                         includes a block, of this file or of `shared.rows`
//! atomic                                            its instructions read, modify and write atomically, or are loads and stores of multimem
//! operands                                          the operands of all forms are checked; implied by `atomic`
//! form atom{.sem}{.scope}.op{.hint}.type   d, [a], b{, policy}
//! or                       d, [a], b, c             an alternative list of operands
//!   add min  u32 s32   PTX 1.0 sm_11                a row: words for the form's slots, and what they require
//!   exch     b128      PTX 8.3 sm_90; with sys PTX 8.4
//!   ballot             PTX 2.0 sm_20 until PTX 6.4 sm_70    removed from these targets in this version
//!   e4m3x2             PTX 8.1 sm_89 or PTX 7.8 sm_90        on these targets in an earlier version
//! ```
//!
//! `block NAME` begins a block as `family` begins a family. Every family ends with the block `everywhere`; a word that
//! the family already has keeps its slot.
//!
//! An operand is a name: `d` is the destination, `a`, `b` and `c` are sources, all of the instruction's type. `name:word` specifies other accepted
//! operands (`b:count`, [`OperandClass`]) or another type (`d:u32`, `a:source`, `d:wide`).
//!
//! `{.x}` is optional. A name is a word if there is one with that name, else a slot. A slot that the row does not mention accepts every word
//! of the family for it. The order within a form is the printed one; the assembler accepts any order.
//! An instruction requires the maximum of its row, its words and its defaults.

use crate::since::Since;
use crate::tables::form::{Family, FamilyWord, Form, FormRow, OperandList, Pair, RowSlot, Slot};
use crate::tables::rows::{Line, ReadPart, RowError};
use crate::tables::word_set::{WORDS, WordSet};
use crate::vocabulary;

impl Family {
    /// Reads the lines of a family, those of the blocks that it uses among them.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub(crate) fn read(name: &'static str, lines: &[Line]) -> Result<Family, RowError> {
        let mut family = Family {
            name,
            section: "",
            summary: "",
            forms: Vec::new(),
            words: Vec::new(),
            slots: Vec::new(),
            rows: Vec::new(),
            conflicts: Vec::new(),
            requirements: Vec::new(),
            examples: Vec::new(),
            orders: Vec::new(),
            ignored: WordSet::EMPTY,
            repeatable: WordSet::EMPTY,
            atomic: false,
            has_operand_rules: false,
        };
        // Words get their numbers first, in alphabetical order, so that the rules can be written down as sets.
        for line in lines {
            family.collect(line.text).map_err(|message| line.error(message))?;
        }
        let excluded: Vec<_> = lines.iter().filter_map(|line| line.text.strip_prefix("exclude ")).collect();
        family.words.retain(|word| !excluded.contains(&word.text));
        family.words.sort_by_key(|word| word.text);
        if let (true, Some(line)) = (family.words.len() > WORDS, lines.first()) {
            return Err(line.error(format!("{} words exceed the limit of {WORDS}", family.words.len())));
        }
        for (index, word) in family.words.iter().enumerate() {
            family.slots[word.slot].words |= WordSet::of(index);
        }
        // Ignored words are allowed in every row.
        let (ignored, others): (Vec<Line>, Vec<Line>) = lines.iter().partition(|line| line.text.starts_with("ignored"));
        let mut form = Vec::new();
        for line in ignored.into_iter().chain(others) {
            family.rule(line.text, &mut form).map_err(|message| line.error(message))?;
        }
        Ok(family)
    }

    fn collect(&mut self, line: &'static str) -> ReadPart<()> {
        let (key, rest) = split_word(line);
        match key {
            "section" => self.section = rest,
            "summary" => self.summary = rest,
            "example" => self.examples.push(rest),
            "default" | "conflict" | "require" | "order" | "repeatable" | "exclude" | "or" => {}
            "atomic" => (self.atomic, self.has_operand_rules) = (true, true),
            "operands" => self.has_operand_rules = true,
            "slot" => {
                let (slot, rest) = split_word(rest);
                let (words, since) = split_since(rest);
                let (slot, since) = (self.slot(slot_name(slot)?), Since::read(since)?);
                self.words.extend(words.split_whitespace().map(|text| FamilyWord { text, slot, since }));
            }
            "ignored" if rest.starts_with('.') => {
                let (slot, words) = split_word(rest);
                let slot = slot_name(slot)?;
                words.split_whitespace().for_each(|text| self.word(slot, text));
            }
            "ignored" => self.known_words(rest)?,
            "form" => {
                let (syntax, _) = split_word(rest);
                for (name, _) in items(self.name, syntax)? {
                    match vocabulary::slot_of(name) {
                        _ if self.words.iter().any(|word| word.text == name) => {}
                        Some(slot) => self.word(slot, name),
                        None => _ = self.slot(name),
                    }
                }
            }
            _ => self.known_words(split_since(line).0)?,
        }
        Ok(())
    }

    fn known_words(&mut self, names: &'static str) -> ReadPart<()> {
        for name in names.split_whitespace().filter(|name| !name.contains('=')) {
            if !self.words.iter().any(|word| word.text == name) {
                self.word(vocabulary::slot_of(name).ok_or_else(|| no_word(name))?, name);
            }
        }
        Ok(())
    }

    fn slot(&mut self, name: &'static str) -> usize {
        self.slots.iter().position(|slot| slot.name == name).unwrap_or_else(|| {
            self.slots.push(Slot { name, words: WordSet::EMPTY, default: "", default_since: Since::ALWAYS });
            self.slots.len() - 1
        })
    }

    fn word(&mut self, slot: &'static str, text: &'static str) {
        if !self.words.iter().any(|word| word.text == text) {
            let slot = self.slot(slot);
            self.words.push(FamilyWord { text, slot, since: Since::ALWAYS });
        }
    }

    /// Reads a line with a rule or a row. `form` has the items of the last form.
    fn rule(&mut self, line: &'static str, form: &mut Vec<FormItem>) -> ReadPart<()> {
        let (key, rest) = split_word(line);
        match key {
            "section" | "summary" | "example" | "slot" | "atomic" | "operands" | "exclude" => {}
            "default" => {
                let (slot, rest) = split_word(rest);
                let (word, since) = split_since(rest);
                let slot = self.slot(slot_name(slot)?);
                self.slots[slot].default = word;
                self.slots[slot].default_since = Since::read(since)?;
            }
            "conflict" => {
                let (left, right) = self.two_sets(rest, "with")?;
                self.conflicts.push(Pair { left, right });
            }
            "require" => {
                let (right, left) = self.two_sets(rest, "with")?;
                self.requirements.push(Pair { left, right });
            }
            "order" => {
                let (left, right) = self.two_sets(rest, "before")?;
                self.orders.push(Pair { left, right });
            }
            // The words of such a slot that have a meaning here are in another slot.
            "ignored" if rest.starts_with('.') => {
                let slot = self.slot(slot_name(split_word(rest).0)?);
                self.ignored |= self.slots[slot].words;
            }
            "ignored" => self.ignored |= self.set(rest)?,
            "repeatable" => {
                for name in rest.split_whitespace() {
                    self.repeatable |= match name.strip_prefix('.') {
                        Some(slot) => self.slot_named(slot).map_or(WordSet::EMPTY, |slot| self.slots[slot].words),
                        None => self.find(name).into_iter().collect(),
                    };
                }
            }
            "form" => {
                let (syntax, operand_syntax) = split_word(rest);
                *form = self.form_items(syntax)?;
                let slots = form.iter().map(|item| item.slot).collect();
                self.forms.push(Form { syntax, operand_lists: vec![OperandList::read(operand_syntax)?], slots });
            }
            "or" => {
                let form = self.forms.last_mut().ok_or("`or` before the first form")?;
                form.operand_lists.push(OperandList::read(rest)?);
            }
            _ => {
                let row = self.row(line, form)?;
                self.rows.push(row);
            }
        }
        Ok(())
    }

    fn row(&self, line: &'static str, items: &[FormItem]) -> ReadPart<FormRow> {
        let form = self.forms.len().checked_sub(1).ok_or("row before the first form")?;
        let (words, since) = split_since(line);
        let (since, exceptions) = since.split_once(';').unwrap_or((since, ""));
        let listed = self.set(words)?;
        let places: Vec<RowSlot> = items.iter().map(|item| self.row_slot(item, listed)).collect();
        let allowed = places.iter().fold(self.ignored, |all, place| all | place.words);
        if let Some(word) = self.texts(listed - allowed).next() {
            return Err(format!("no slot of the form has the word `{word}`"));
        }
        let with = exceptions.split(';').filter(|part| !part.trim().is_empty()).map(|part| {
            let part = part.trim().strip_prefix("with ").ok_or("missing `with` after the semicolon")?;
            let (words, since) = split_since(part);
            Ok((self.set(words)?, Since::read(since)?))
        });
        Ok(FormRow { form, allowed, since: Since::read(since)?, with: with.collect::<ReadPart<_>>()?, places })
    }

    /// How a row that lists these words restricts an item of its form.
    fn row_slot(&self, item: &FormItem, listed: WordSet) -> RowSlot {
        let &FormItem { slot, word, required } = item;
        let listed = listed & self.slots[slot].words;
        let (words, named) = match word {
            Some(id) => (WordSet::of(id), required),
            None if listed.is_empty() => (self.slots[slot].words, false),
            None => (listed, true),
        };
        RowSlot { slot, words, required, named }
    }

    /// The items of a syntax line. A word that several slots have belongs to the first of them that no item before it fills.
    fn form_items(&self, syntax: &'static str) -> ReadPart<Vec<FormItem>> {
        let mut found: Vec<FormItem> = Vec::new();
        for (name, required) in items(self.name, syntax)? {
            let free = |id: &usize| found.iter().all(|item| item.slot != self.words[*id].slot);
            let word = self.all(name).find(free);
            let slot = word.map_or_else(|| self.place(name), |id| Ok(self.words[id].slot))?;
            if self.slots[slot].words.is_empty() {
                return Err(format!("no word for the slot `.{name}`"));
            }
            found.push(FormItem { slot, word, required });
        }
        Ok(found)
    }

    /// The slot of a name in a syntax line: a word's own, or the one of that name.
    fn place(&self, name: &str) -> ReadPart<usize> {
        if let Some(id) = vocabulary::slot_of(name).and_then(|_| self.find(name)) {
            return Ok(self.words[id].slot);
        }
        self.slot_named(name).ok_or_else(|| format!("unknown slot `.{name}`"))
    }

    /// The index of a word that two slots have, written with its slot: `atype=f32`.
    fn word_of_slot(&self, text: &str) -> ReadPart<usize> {
        let (slot, word) = text.split_once('=').ok_or_else(|| no_word(text))?;
        let slot = self.place(slot)?;
        (0..self.words.len())
            .find(|id| self.words[*id].slot == slot && self.words[*id].text == word)
            .ok_or_else(|| no_word(text))
    }

    /// The two sets of words on either side of a word such as `with`.
    fn two_sets(&self, text: &str, separator: &str) -> ReadPart<(WordSet, WordSet)> {
        let missing = || format!("missing `{separator}` between two sets of words");
        let (first, second) = text.split_once(&format!(" {separator} ")).ok_or_else(missing)?;
        Ok((self.set(first)?, self.set(second)?))
    }

    /// The set of words, each given by itself or by its `.slot`.
    fn set(&self, names: &str) -> ReadPart<WordSet> {
        names.split_whitespace().try_fold(WordSet::EMPTY, |set, name| match name.strip_prefix('.') {
            Some(slot) => Ok(set | self.slots[self.place(slot)?].words),
            None if name.contains('=') => Ok(set | WordSet::of(self.word_of_slot(name)?)),
            None => Ok(set | WordSet::of(self.find(name).ok_or_else(|| no_word(name))?)),
        })
    }
}

/// An item of a syntax line such as `atom{.sem}.add.type`.
struct FormItem {
    slot: usize,
    /// The word that the line names, where it names no slot.
    word: Option<usize>,
    required: bool,
}

fn no_word(name: &str) -> String {
    format!("unknown word `{name}`")
}

/// The name of a slot that is written `.name`.
fn slot_name(text: &'static str) -> ReadPart<&'static str> {
    text.strip_prefix('.').ok_or_else(|| format!("expected a slot with a dot, found `{text}`"))
}

fn split_word(line: &'static str) -> (&'static str, &'static str) {
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()))
}

/// Splits a line before its `PTX …`.
fn split_since(line: &'static str) -> (&'static str, &'static str) {
    line.find("PTX ").map_or((line.trim(), ""), |at| (line[..at].trim(), &line[at..]))
}

/// The names in `atom{.sem}.op`, each with whether it is required.
fn items(opcode: &str, syntax: &'static str) -> ReadPart<impl Iterator<Item = (&'static str, bool)> + use<>> {
    let rest = syntax.strip_prefix(opcode).ok_or_else(|| format!("no form of `{opcode}`: `{syntax}`"))?;
    let items = rest.split('.').skip(1).map(|item| {
        let name = item.trim_end_matches(['{', '}']);
        (name, !item.contains('}'))
    });
    Ok(items)
}
