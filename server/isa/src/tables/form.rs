//! The data of a family of instructions: words, slots, forms and rows.

use crate::operand_class::OperandClass;
use crate::since::Since;
use crate::tables::word_set::WordSet;
use crate::types::Type;
use std::iter;

/// An opcode: its words, its forms, and what each requires.
#[derive(Debug)]
pub struct Family {
    /// The opcode, such as `atom` or `multimem.red`.
    pub name: &'static str,
    /// The section of the PTX ISA that describes it.
    pub section: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Whole instructions; `%r` are registers of 32 bits, `%rd` of 64, `%f` of `.f32`, `%h` of 16 bits, `%p` predicates.
    pub examples: Vec<&'static str>,
    /// The forms, in the order of the table.
    pub forms: Vec<Form>,
    pub(crate) words: Vec<FamilyWord>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) rows: Vec<FormRow>,
    /// Two sets of words that conflict.
    pub(crate) conflicts: Vec<Pair>,
    /// A word of the left set requires one of the right.
    pub(crate) requirements: Vec<Pair>,
    /// The left words precede the right ones.
    pub(crate) orders: Vec<Pair>,
    /// Words that the assembler accepts and that have no effect.
    pub(crate) ignored: WordSet,
    /// Words that may occur more than once.
    pub(crate) repeatable: WordSet,
    pub(crate) atomic: bool,
    pub(crate) has_operand_rules: bool,
}

/// A modifier in this family.
#[derive(Debug)]
pub(crate) struct FamilyWord {
    pub text: &'static str,
    pub slot: usize,
    pub since: Since,
}

/// A place that at most one modifier fills.
#[derive(Debug)]
pub(crate) struct Slot {
    pub name: &'static str,
    pub words: WordSet,
    /// The meaning of an instruction without a word of this slot; empty if there is no default.
    pub default: &'static str,
    /// What an instruction without a word of this slot requires.
    pub default_since: Since,
}

/// One syntax line: slots in printed order, and operands.
#[derive(Debug)]
pub struct Form {
    /// The modifiers as the table writes them, opcode first.
    pub syntax: &'static str,
    /// The operands: one list, or several alternatives.
    pub operand_lists: Vec<OperandList>,
    pub(crate) slots: Vec<usize>,
}

/// A list of operands of a form.
#[derive(Debug)]
pub struct OperandList {
    /// The operands as the table writes them, by name alone.
    pub syntax: String,
    pub(crate) operands: Vec<OperandSpec>,
}

impl OperandList {
    /// Whether an operand is an address.
    pub(crate) fn has_address(&self) -> bool {
        self.operands.iter().any(|operand| operand.role == Role::Address)
    }
}

/// The role of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `d`: the destination register.
    Destination,
    /// `[a]`: the address.
    Address,
    /// `b`, and `c` of a compare-and-swap: the value that is combined with memory or stored.
    Value,
    /// `b` of a compare-and-swap: the value that memory is compared with.
    Compare,
    /// `policy`: a 64-bit cache policy, there exactly if the modifier `.L2::cache_hint` is.
    Policy,
    /// Any other operand, identified by its name.
    Other,
}

/// Where the type of an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OperandType {
    /// The instruction's type.
    Instruction,
    /// The second of two types that an instruction names: that of its source.
    Source,
    /// Twice as wide as the instruction's type.
    Wide,
    /// The same in every instruction of the form.
    Fixed(Type),
}

/// What an address is a multiple of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressAlignment {
    /// The size of the access.
    Access,
    /// A number of bytes, whatever the instruction's type is.
    Bytes(u16),
    /// The value of another operand, in bytes.
    Operand(&'static str),
    /// Anything: the instruction has no access to memory at this address alone, or the requirement was not measured.
    Any,
}

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandSpec {
    /// Its role.
    pub role: Role,
    /// Its name in the syntax line.
    pub name: &'static str,
    /// The type of an element; for an address, of what it points to.
    pub ty: Type,
    /// How many elements: 1, or the size of the vector.
    pub lanes: u8,
    /// What is accepted there.
    pub class: OperandClass,
    /// Whether it may be left out.
    pub optional: bool,
    /// Of an address: the slot that gives its space, or the space; `None` for the instruction's.
    pub space: Option<&'static str>,
    /// Of an address: what it is a multiple of.
    pub alignment: AddressAlignment,
    /// The slot that must be filled for the operand to be there.
    pub(crate) when: Option<&'static str>,
    /// What the operand requires beyond its instruction.
    pub since: Since,
    pub(crate) source: OperandType,
}

/// One line of a form's table.
#[derive(Debug)]
pub(crate) struct FormRow {
    pub form: usize,
    /// All words that may occur.
    pub allowed: WordSet,
    pub places: Vec<RowSlot>,
    pub since: Since,
    /// Further requirements, which apply if one of the words occurs.
    pub with: Vec<(WordSet, Since)>,
}

/// A slot in a row.
#[derive(Debug)]
pub(crate) struct RowSlot {
    pub slot: usize,
    pub words: WordSet,
    pub required: bool,
    /// Whether the row or its form names the words, which distinguish it from other rows.
    pub named: bool,
}

/// Two sets of words between which a rule holds.
#[derive(Debug)]
pub(crate) struct Pair {
    pub left: WordSet,
    pub right: WordSet,
}

impl Family {
    /// Whether its instructions read, combine and write memory in one step, or are the loads and stores of multimem.
    pub fn is_atomic(&self) -> bool {
        self.atomic
    }

    /// Whether the rows specify the accepted operands.
    pub fn has_operand_rules(&self) -> bool {
        self.has_operand_rules
    }

    /// Whether its instructions only write the register `d`: none has an address, or is executed by several threads together.
    pub(crate) fn only_computes(&self) -> bool {
        let writes = |list: &OperandList| {
            list.operands.first().is_some_and(|first| first.role == Role::Destination && first.name == "d")
                && !list.syntax.contains('[')
        };
        !self.has_modifier("sync") && self.forms.iter().flat_map(|form| &form.operand_lists).all(writes)
    }

    /// Whether a word is a modifier of some instruction of the family.
    pub fn has_modifier(&self, text: &str) -> bool {
        self.find(text).is_some()
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

    /// The indices of a word, one for each slot that it may fill.
    pub(crate) fn all(&self, text: &str) -> impl Iterator<Item = usize> {
        iter::successors(self.find(text), |id| self.find_again(*id))
    }

    /// The words of a set.
    pub(crate) fn texts(&self, set: WordSet) -> impl Iterator<Item = &'static str> {
        self.words.iter().enumerate().filter(move |(index, _)| set.contains(*index)).map(|(_, word)| word.text)
    }

    /// The index of a slot by its name.
    pub(crate) fn slot_named(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name)
    }
}

impl FormRow {
    /// Whether the words are those of the row, and none is missing.
    pub(crate) fn fits(&self, words: WordSet) -> bool {
        words.is_subset(self.allowed)
            && self.places.iter().all(|place| !place.required || words.intersects(place.words))
    }

    /// The place of a slot, if the row has it.
    pub(crate) fn place(&self, slot: usize) -> Option<&RowSlot> {
        self.places.iter().find(|place| place.slot == slot)
    }
}
