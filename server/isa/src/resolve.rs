//! Resolves a spelling in a module to an instruction, or to the reasons why it is illegal.
//!
//! Reads the rows and nothing else. `diagnose/` finds the reasons.

use crate::diagnose;
use crate::fragment;
use crate::fragment::{Fragment, MatrixWords};
use crate::matching::{ABSENT, ParsedSpelling};
use crate::opcode;
use crate::operand_class::{MatrixClass, OperandClass};
use crate::reason::{Raise, Reason, SpellingFix};
use crate::since::Since;
use crate::spelling::Spelling;
use crate::tables::form::{Family, Form, FormRow, OperandList, OperandSpec, OperandType, Role};
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::types::{Op, Scope, Sem, Space, Type};
use crate::vocabulary;

/// The verdict on a spelling.
#[derive(Clone, Debug)]
pub enum Resolution {
    /// The tables have no rows for this instruction.
    Unknown,
    /// It is legal in this module.
    Legal(ResolvedInstruction),
    /// It is illegal, for these reasons; the first one is shown. Never empty.
    Illegal(Vec<Reason>),
}

/// A value, and the modifier that determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GivenModifier<T> {
    /// The value.
    pub value: T,
    /// The index of its modifier; `None` if it is the default.
    pub at: Option<usize>,
}

/// The most slots a family may have.
const SLOTS: usize = 32;

/// A legal instruction: what its modifiers and their absence mean.
#[derive(Clone, Copy, Debug)]
pub struct ResolvedInstruction {
    /// The opcode's family.
    pub family: &'static Family,
    /// The form it is written in.
    pub form: &'static Form,
    /// The operation; `None` if the opcode has none (`multimem.st`).
    pub op: Option<Op>,
    /// The type of an element in memory; `None` if the opcode has none.
    pub ty: Option<Type>,
    /// The type of the source, where an instruction names it beside that of its result.
    pub source_ty: Option<Type>,
    /// How many elements: 1, or the size of the vector.
    pub lanes: u8,
    /// The state space.
    pub space: GivenModifier<Space>,
    /// The memory ordering; `None` if the family has none.
    pub sem: Option<GivenModifier<Sem>>,
    /// The scope; `None` if nothing is ordered and so no scope applies (`.weak`).
    pub scope: Option<GivenModifier<Scope>>,
    /// Whether `.noftz` is given: subnormal numbers are kept.
    pub noftz: bool,
    /// Whether `.L2::cache_hint` is given, and with it a policy operand.
    pub hint: bool,
    /// The precision of intermediate sums, where `.acc::f32` or `.acc::f16` sets it.
    pub acc: Option<Type>,
    /// What this spelling requires of the module.
    pub since: Since,
    filled: [u8; SLOTS],
    words: WordSet,
}

impl ResolvedInstruction {
    /// The index of the modifier that fills a slot (`sem`, `scope`, `space`, `op`, `noftz`, `hint`, `vec`, `type`,
    /// `acc`, …); `None` if none does.
    pub fn at(&self, slot: &str) -> Option<usize> {
        let slot = self.family.slot_named(slot)?;
        (self.filled[slot] != ABSENT).then(|| usize::from(self.filled[slot]))
    }

    /// The operands in order; of several lists, the first.
    pub fn operands(&self) -> impl Iterator<Item = OperandSpec> + use<> {
        self.operands_of(&self.form.operand_lists[0])
    }

    /// The place of the operand of a role; of several lists, in the first.
    pub fn place(&self, role: Role) -> Option<usize> {
        let operands = self.form.operand_lists[0].operands.iter();
        operands
            .filter(|operand| operand.when.is_none_or(|slot| self.at(slot).is_some()))
            .position(|operand| operand.role == role)
    }

    /// All alternative lists of operands.
    pub fn operand_lists(&self) -> impl Iterator<Item = Vec<OperandSpec>> + use<> {
        let instruction = *self;
        self.form.operand_lists.iter().map(move |list| instruction.operands_of(list).collect())
    }

    fn operands_of(&self, list: &'static OperandList) -> impl Iterator<Item = OperandSpec> + use<> {
        let instruction = *self;
        let asked = move |operand: &&OperandSpec| operand.when.is_none_or(|slot| instruction.at(slot).is_some());
        let given = list.operands.iter().filter(asked);
        given.map(move |operand| instruction.typed(operand))
    }

    /// An operand with the type and the number of elements that it has in this instruction.
    fn typed(&self, operand: &OperandSpec) -> OperandSpec {
        if operand.role == Role::Policy {
            return *operand;
        }
        if operand.class == OperandClass::Matrix(MatrixClass::Registers) {
            let words = MatrixWords { family: self.family.name, word: &|slot| self.word(slot) };
            let Fragment { registers, ty } = fragment::of(&words, operand.name);
            return OperandSpec { ty, lanes: registers, ..*operand };
        }
        let ty = match operand.source {
            OperandType::Instruction => self.ty,
            OperandType::Source => self.source_ty,
            OperandType::Wide => self.ty.and_then(Type::twice_as_wide),
            OperandType::Fixed(ty) => Some(ty),
        };
        let lanes = if matches!(operand.source, OperandType::Fixed(_)) { 1 } else { self.lanes };
        OperandSpec { ty: ty.unwrap_or(operand.ty), lanes, ..*operand }
    }

    /// The word that fills a slot; `None` if none does.
    pub fn word(&self, slot: &str) -> Option<&'static str> {
        let slot = self.family.slot_named(slot)?;
        self.family.texts(self.words & self.family.slots[slot].words).next()
    }

    /// What the modifiers and their absence mean: the title of each slot of the form, and the word that fills it, or its default.
    pub fn meaning(&self) -> Vec<(&'static str, &'static str)> {
        let slots = self.form.slots.iter().map(|slot| &self.family.slots[*slot]);
        let filled = slots.filter_map(|slot| {
            let has_default = !slot.default.is_empty() && (slot.name != "scope" || self.scope.is_some());
            let word = self.word(slot.name).or_else(|| has_default.then_some(slot.default))?;
            Some((vocabulary::title(slot.name), word))
        });
        filled.collect()
    }

    /// The indices of the modifiers in the order in which the reference prints them.
    pub fn canonical_order(&self) -> Vec<usize> {
        let opcode = self.family.opcode_modifiers();
        let given = |slot: &usize| (self.filled[*slot] != ABSENT).then(|| usize::from(self.filled[*slot]));
        let mut order: Vec<usize> = (0..opcode).chain(self.form.slots.iter().filter_map(given)).collect();
        let ignored: Vec<usize> =
            (0..self.family.slots.len()).filter_map(|slot| given(&slot)).filter(|at| !order.contains(at)).collect();
        let end = order.len() - usize::from(self.at("type").is_some_and(|at| order.last() == Some(&at)));
        order.splice(end..end, ignored);
        order
    }

    /// The modifiers that the assembler accepts and ignores.
    pub fn ignored(&self) -> impl Iterator<Item = usize> {
        let family = self.family;
        (0..family.slots.len())
            .filter(move |slot| family.slots[*slot].words.intersects(family.ignored) && self.filled[*slot] != ABSENT)
            .map(|slot| usize::from(self.filled[slot]))
    }
}

/// The verdict on a spelling in a module.
pub fn resolve(spelling: &Spelling, module: &Module) -> Resolution {
    let family = match opcode::find(spelling) {
        opcode::OpcodeLookup::Family(family) => family,
        opcode::OpcodeLookup::Nothing => return Resolution::Unknown,
        opcode::OpcodeLookup::Unnamed => return Resolution::Illegal(vec![diagnose::unknown_name::unknown(spelling)]),
        opcode::OpcodeLookup::Broken(reason) => return Resolution::Illegal(vec![*reason]),
    };
    let parsed = ParsedSpelling::new(family, *spelling);
    match legal(family, &parsed, module) {
        Some(instruction) => Resolution::Legal(instruction),
        None if let Some(reason) = diagnose::unknown_name::misspelt_longer_name(spelling, family.name) => {
            Resolution::Illegal(vec![reason])
        }
        None => {
            let mut reasons = diagnose::reasons(family, &parsed, module);
            for reason in &mut reasons {
                reason.fixes.retain_mut(|fix| leaves_legal(family, spelling, module, fix));
            }
            Resolution::Illegal(reasons)
        }
    }
}

/// Whether a fix makes the instruction legal. If that requires a newer target or version, the fix also raises those.
fn leaves_legal(family: &'static Family, spelling: &Spelling, module: &Module, fix: &mut SpellingFix) -> bool {
    let modifiers = fix.apply(spelling.modifiers);
    let fixed = ParsedSpelling::new(family, Spelling { mnemonic: spelling.mnemonic, modifiers: &modifiers });
    if legal(family, &fixed, &fix.apply_to_module(module)).is_some() {
        return true;
    }
    let Some(instruction) = legal(family, &fixed, &Module::default()) else { return false };
    let Some(raise) = Raise::new(module, &instruction.since) else { return false };
    fix.title = format!("{}, and raise {raise}", fix.title);
    fix.edits.extend(raise.edits());
    true
}

/// Whether [`resolve`] finds the spelling legal, without computing reasons; `None` if it is unknown.
pub fn is_legal(spelling: &Spelling, module: &Module) -> Option<bool> {
    match opcode::find(spelling) {
        opcode::OpcodeLookup::Family(family) => {
            Some(legal(family, &ParsedSpelling::new(family, *spelling), module).is_some())
        }
        opcode::OpcodeLookup::Nothing => None,
        opcode::OpcodeLookup::Unnamed | opcode::OpcodeLookup::Broken(_) => Some(false),
    }
}

/// The number of rows that match a spelling in any module. The rows do not overlap, so it is one for a legal spelling.
pub fn matching_rows(spelling: &Spelling) -> usize {
    match opcode::find(spelling) {
        opcode::OpcodeLookup::Family(family) => family.matches(ParsedSpelling::new(family, *spelling).words).count(),
        _ => 0,
    }
}

fn legal(family: &'static Family, parsed: &ParsedSpelling, module: &Module) -> Option<ResolvedInstruction> {
    if !parsed.clean {
        return None;
    }
    let (row, since) = family.matches(parsed.words).find(|(_, since)| module.supports(since))?;
    Some(build(family, row, since, parsed))
}

/// Puts the words of a legal spelling into their slots.
fn build(family: &'static Family, row: &'static FormRow, since: Since, parsed: &ParsedSpelling) -> ResolvedInstruction {
    let mut filled = [ABSENT; SLOTS];
    for at in parsed.first..parsed.spelling.modifiers.len() {
        if let Some(id) = parsed.id(at) {
            filled[family.words[id].slot] = at as u8;
        }
    }
    let text = |name: &str| -> (Option<&'static str>, Option<usize>) {
        let Some(slot) = family.slot_named(name) else { return (None, None) };
        if row.place(slot).is_none() {
            return (None, None);
        }
        match filled[slot] {
            ABSENT => (Some(family.slots[slot].default), None),
            at => (parsed.id(usize::from(at)).map(|id| family.words[id].text), Some(usize::from(at))),
        }
    };
    let sem = given(text("sem"), Sem::parse);
    let (space, space_at) = text("space");
    ResolvedInstruction {
        family,
        form: &family.forms[row.form],
        op: text("op").0.and_then(Op::parse),
        ty: text("type").0.and_then(Type::parse),
        source_ty: text("atype").0.and_then(Type::parse),
        lanes: text("vec").0.and_then(vocabulary::lanes).unwrap_or(1),
        space: GivenModifier { value: space.and_then(Space::parse).unwrap_or(Space::Generic), at: space_at },
        sem,
        scope: given(text("scope"), Scope::parse).filter(|_| sem.is_none_or(|sem| sem.value != Sem::Weak)),
        noftz: text("noftz").1.is_some(),
        hint: text("hint").1.is_some(),
        acc: text("acc").0.and_then(|word| Type::parse(word.strip_prefix("acc::")?)),
        since,
        filled,
        words: parsed.words,
    }
}

fn given<T>((word, at): (Option<&str>, Option<usize>), parse: fn(&str) -> Option<T>) -> Option<GivenModifier<T>> {
    Some(GivenModifier { value: parse(word?)?, at })
}
