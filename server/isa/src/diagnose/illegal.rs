//! A modifier that is not allowed, or not with the others.

use crate::diagnose::format::{alternatives, choice, list, remove, shown};
use crate::diagnose::options::legal_somewhere;
use crate::distance::{closest_slot, completes, distance, edit_distance, tolerance};
use crate::matching::ParsedSpelling;
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::tables::form::Family;
use crate::tables::table;
use crate::tables::table::TableEntry;
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::types::{Type, TypeKind};
use crate::vocabulary;

/// The reason for a modifier that is not allowed, or not with the others. `rest` are the words without it; `instead` is the best word for its place,
/// if a word is required there or a similar one exists.
pub(super) fn illegal(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    at: usize,
    other: Option<usize>,
    rest: WordSet,
    instead: Option<usize>,
) -> Reason {
    let text = parsed.spelling.modifiers[at];
    let id = parsed.id(at);
    let slot_name =
        (id.or(instead).map(|id| family.slots[family.words[id].slot].name)).or_else(|| closest_slot(family, text));
    let slot = slot_name.and_then(|name| family.slot_named(name));
    let options = slot.map_or(Vec::new(), |slot| legal_somewhere(family, rest, slot, text, module));
    // Advice on other instructions does not apply to a word of this one.
    let foreign = vocabulary::foreign(text).filter(|_| id.is_none());
    let known = id.is_some() || foreign.is_some() || vocabulary::entry(text).is_some();
    let other = other.or_else(|| at_fault_with(family, parsed, at));
    let illegal = IllegalModifier { family, parsed, module, at, id, other, slot_name, options, foreign, known };
    let (code, fixes) = (illegal.code(), illegal.fixes(rest));
    let (message, help) = (illegal.message(code), illegal.help(instead).join("; "));
    Reason { code, at: Some(at), other, message, help, requires: None, fixes }
}

/// A modifier that is not allowed, with the data for its message, help and fixes.
struct IllegalModifier<'p> {
    family: &'static Family,
    parsed: &'p ParsedSpelling<'p>,
    module: &'p Module,
    at: usize,
    /// Its word, if the family has it.
    id: Option<usize>,
    /// The modifier that it conflicts with.
    other: Option<usize>,
    slot_name: Option<&'static str>,
    /// The legal words of its slot, the closest first.
    options: Vec<&'static str>,
    /// Its entry, if it is a word of another language.
    foreign: Option<&'static vocabulary::WordEntry>,
    /// Whether it is a word of PTX or a known one of another language.
    known: bool,
}

impl IllegalModifier<'_> {
    fn text(&self) -> &str {
        self.parsed.spelling.modifiers[self.at]
    }

    fn shown(&self, at: usize) -> String {
        shown(self.parsed.spelling.modifiers[at])
    }

    fn is_type(&self) -> bool {
        self.slot_name == Some("type")
    }

    fn op(&self) -> Option<usize> {
        word_of(self.family, self.parsed, "op")
    }

    /// The words of PTX that mean the same as a word of another language.
    fn aliases(&self) -> Vec<&'static str> {
        self.foreign.map_or(Vec::new(), |entry| vocabulary::advice(entry).0.collect())
    }

    /// A foreign word with a name in PTX is unknown; any other known word is PTX, but not allowed here.
    fn code(&self) -> ReasonCode {
        match (self.known && (self.aliases().is_empty() || self.is_type()), self.is_type()) {
            (false, _) => ReasonCode::UnknownModifier,
            (true, true) => ReasonCode::IllegalType,
            (true, false) => ReasonCode::IllegalModifier,
        }
    }

    fn message(&self, code: ReasonCode) -> String {
        let (name, family) = (self.shown(self.at), self.family.name);
        match (code, self.id, self.other) {
            (ReasonCode::UnknownModifier, ..) => format!("unknown modifier `.{name}`"),
            (ReasonCode::IllegalType, ..) => match self.op() {
                Some(op) => format!("invalid type `.{name}` for `.{}`", self.shown(op)),
                None => format!("invalid type `.{name}` for `{family}`"),
            },
            (_, Some(_), Some(other)) => format!("`.{name}` is not allowed with `.{}`", self.shown(other)),
            (_, Some(_), None) => format!("`.{name}` is not allowed with the other modifiers of `{family}`"),
            _ => format!("`.{name}` is not allowed on `{family}`"),
        }
    }

    fn help(&self, instead: Option<usize>) -> Vec<String> {
        let mut help = Vec::new();
        let aliases = self.aliases();
        let meant: Vec<&str> = self.options.iter().filter(|word| aliases.contains(word)).copied().collect();
        if !meant.is_empty() && self.slot_name != Some("sem") {
            help.push(format!("write {}", list(&meant, 2).replace(", ", " or ")));
        }
        let advice = self.foreign.map_or("", |entry| vocabulary::advice(entry).1);
        if !advice.is_empty() {
            help.push(advice.trim_end_matches('.').to_string());
        }
        let elsewhere = self.id.is_none() && self.known && self.foreign.is_none();
        if help.is_empty() && !self.options.is_empty() && !(elsewhere && self.slot_name == Some("op")) {
            help.push(self.expected());
        }
        let adds = self.op().is_some_and(|op| self.parsed.spelling.modifiers[op] == "add");
        if adds && same_bits(self.text(), self.options.first()) {
            help.push(format!("`.{}` gives the same bits (two's complement)", self.options[0]));
        }
        if self.options.is_empty() && help.is_empty() {
            help.extend(
                self.other.and_then(|other| partners(self.family, self.parsed, self.module, self.text(), other)),
            );
        }
        if elsewhere {
            help.extend(self.allowed_on());
        }
        match instead {
            None if self.options.is_empty() => {
                help.push(format!("{}remove `.{}`", if help.is_empty() { "" } else { "or " }, self.shown(self.at)));
            }
            Some(id) if help.is_empty() => help.push(format!("write `.{}`", self.family.words[id].text)),
            _ => {}
        }
        help
    }

    /// Whether the modifier is the beginning of a word.
    fn is_completed_by(&self, word: &str) -> bool {
        !self.known && completes(self.text(), word)
    }

    /// The legal words: those that the modifier is the beginning of, the closest to a typo, or all.
    fn expected(&self) -> String {
        let text = self.text();
        let completions: Vec<&str> = self.options.iter().filter(|word| self.is_completed_by(word)).copied().collect();
        match completions[..] {
            [] => {}
            [word] => return format!("did you mean `.{word}`?"),
            _ => return choice("expected", &completions, 8),
        }
        let close = |word: &&&'static str| !self.known && edit_distance(text, word) <= tolerance(text);
        match (self.options.iter().find(close), self.op().filter(|_| self.is_type() && self.known)) {
            (Some(word), _) => format!("did you mean `.{word}`?"),
            (None, Some(op)) => {
                let op = self.shown(op);
                format!("`.{op}` {}: {}", vocabulary::type_requirement(&op), list(&self.options, 8))
            }
            (None, None) => choice("expected", &self.options, 8),
        }
    }

    /// The instructions that allow the modifier: for an atomic, other atomics only.
    fn allowed_on(&self) -> Option<String> {
        let allows = |family: &&'static Family| family.find(self.text()).is_some_and(|id| !family.ignored.contains(id));
        let mnemonic = table::mnemonic(self.family.name);
        let siblings = table::of_mnemonic(mnemonic).iter().map(TableEntry::family).filter(allows);
        let siblings: Vec<_> = siblings.map(|family| format!("`{}`", family.name)).take(MOST_LISTED).collect();
        if !self.family.is_atomic() && !siblings.is_empty() {
            return Some(format!("`.{}` is allowed on {}", self.shown(self.at), siblings.join(", ")));
        }
        let alike = table::families().filter(|other| other.is_atomic() == self.family.is_atomic());
        let allow = alike.filter(|other| other.find(self.text()).is_some_and(|id| !other.ignored.contains(id)));
        let names: Vec<_> = allow.map(|family| format!("`{}`", family.name)).take(MOST_LISTED).collect();
        (!names.is_empty()).then(|| format!("`.{}` is allowed on {}", self.shown(self.at), names.join(", ")))
    }

    /// Whether a word may replace the modifier without changing the operands or the meaning.
    fn may_be(&self, word: &str) -> bool {
        if self.is_completed_by(word) {
            return true;
        }
        let text = self.text();
        let typo = !self.known && edit_distance(text, word) <= tolerance(text);
        let near = distance(self.slot_name.unwrap_or(""), text, word) == 0 || typo;
        match self.slot_name {
            Some("type") => match (Type::parse(text), Type::parse(word)) {
                (Some(from), Some(to)) => {
                    let float = |ty: Type| ty.kind() == TypeKind::Float;
                    let bits = from.kind() == TypeKind::Bits || to.kind() == TypeKind::Bits;
                    from.bits() == to.bits() && (bits || !(float(from) || float(to)))
                }
                _ => near,
            },
            Some("noftz" | "acc") => true,
            Some("sem") => {
                self.id.is_some() || near || vocabulary::entry(text).is_some() && vocabulary::foreign(text).is_none()
            }
            Some("scope" | "op" | "space" | "hint") => self.id.is_none() && near,
            _ => false,
        }
    }

    fn fixes(&self, rest: WordSet) -> Vec<SpellingFix> {
        let (at, text, name) = (self.at, self.text(), self.shown(self.at));
        let replaceable = |word: &&&'static str| self.may_be(word);
        let replace = |word: &&'static str| SpellingFix {
            title: format!("Replace `.{name}` with `.{word}`"),
            edits: vec![SpellingEdit::Replace { at, word }],
        };
        let mut fixes: Vec<SpellingFix> = self.options.iter().filter(replaceable).take(3).map(replace).collect();
        let removable = !matches!(self.slot_name, Some("op" | "type" | "vec" | "space"));
        if removable && self.family.matches(rest).next().is_some() {
            fixes.push(remove(at, text, self.slot_name));
        }
        fixes
    }
}

/// The maximum number of instructions with the modifier that a message names.
const MOST_LISTED: usize = 4;

/// Whether one type is signed and the other is the unsigned one of the same width.
fn same_bits(from: &str, to: Option<&&str>) -> bool {
    let (from, to) = (Type::parse(from), to.and_then(|to| Type::parse(to)));
    from.zip(to)
        .is_some_and(|(a, b)| a.kind() == TypeKind::Signed && b.kind() == TypeKind::Unsigned && a.bits() == b.bits())
}

/// A message with the words that could replace the other modifier, so that this one is legal.
fn partners(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    text: &str,
    other: usize,
) -> Option<String> {
    let id = parsed.id(other)?;
    let slot = family.words[id].slot;
    let found = legal_somewhere(family, parsed.words - WordSet::of(id), slot, parsed.spelling.modifiers[other], module);
    let is_helpful = !found.is_empty() && family.slots[slot].name != "op";
    is_helpful.then(|| format!("`.{text}` requires {}", alternatives(&found, 8)))
}

/// The other modifier without which, or with another in its place, this one could stay.
fn at_fault_with(family: &'static Family, parsed: &ParsedSpelling, at: usize) -> Option<usize> {
    parsed.id(at)?;
    let others = (parsed.first..parsed.spelling.modifiers.len()).filter(|other| *other != at);
    let ranked = |at: &usize| {
        let slot = parsed.id(*at).map(|id| family.slots[family.words[id].slot].name);
        ["op", "type", "vec", "space"].iter().position(|name| Some(*name) == slot).unwrap_or(9)
    };
    let mut others: Vec<usize> = others.collect();
    others.sort_by_key(ranked);
    others.into_iter().find(|other| {
        parsed.id(*other).is_some_and(|id| {
            let rest = parsed.words - WordSet::of(id);
            let slot = family.slots[family.words[id].slot].words;
            family.matches(rest).next().is_some()
                || slot
                    .iter()
                    .any(|instead| instead != id && family.matches(rest | WordSet::of(instead)).next().is_some())
        })
    })
}

/// Which modifier fills a slot.
fn word_of(family: &Family, parsed: &ParsedSpelling, slot: &str) -> Option<usize> {
    let slot = family.slot_named(slot)?;
    (parsed.first..parsed.spelling.modifiers.len())
        .find(|at| parsed.id(*at).is_some_and(|id| family.words[id].slot == slot))
}
