//! From the words of an opcode to what it is, or to why it is nothing.

use super::size::{ALMOST, SIZES, Size, size_of};
use super::{Extended, Family, Notation, Role, Row, families};
use crate::reason::Code;
use crate::types::Op;
use crate::vocabulary::edit_distance;
use std::ops::Range;

/// What is known beside the opcode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    /// The notation, where the operands or the listing tell it.
    pub notation: Option<Notation>,
    /// The target's number, where the listing names one: 90 for sm_90a.
    pub target: Option<u32>,
}

/// A legal instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Its family.
    pub family: &'static Family,
    /// The row that allows it.
    pub row: &'static Row,
    /// Its operation, such as `ADD`.
    pub op: &'static str,
    /// Its size; the one that silence means where none is written.
    pub size: &'static Size,
    /// Whether the address has 64 bits.
    pub extended: bool,
}

impl Instruction {
    /// What it does to memory, where PTX has a word for it.
    pub fn operation(&self) -> Option<Op> {
        operation(self.op)
    }

    /// The operands in their order.
    pub fn operands(&self) -> &'static [Role] {
        &self.row.operands
    }

    /// Whether the old value goes to a register.
    pub fn returns(&self) -> bool {
        self.row.operands.contains(&Role::Destination)
    }
}

/// PTX's word for an operation.
fn operation(op: &str) -> Option<Op> {
    Op::parse(&op.to_ascii_lowercase())
}

/// Why an opcode is illegal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of mistake.
    pub code: Code,
    /// The modifiers at fault, by their places; empty for the mnemonic.
    pub words: Range<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead; empty where nothing can be said.
    pub help: String,
    /// Words that mend it in the place of those at fault.
    pub fix: Option<String>,
}

/// What an opcode is.
#[derive(Clone, Debug)]
pub enum Resolution {
    /// Nothing that these tables know.
    Unknown,
    /// A legal instruction.
    Legal(Instruction),
    /// No legal one.
    Illegal(Reason),
}

/// The parts of an opcode behind the mnemonic, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Extended,
    Op,
    Cache,
    Size,
    Strength,
    Scope,
    Private,
}

impl Slot {
    const fn name(self) -> &'static str {
        match self {
            Slot::Extended => "the width of the address",
            Slot::Op => "the operation",
            Slot::Cache => "the cache hint",
            Slot::Size => "the size",
            Slot::Strength => "the strength",
            Slot::Scope => "the scope",
            Slot::Private => "the word for private memory",
        }
    }
}

/// Cache hints as disassemblers print them between operation and size.
pub(super) const CACHE: &[&str] = &["EF", "EL", "LU", "EU", "NA"];
/// How strong an access is.
pub(super) const STRENGTH: &[&str] = &["STRONG", "WEAK"];
/// Who may observe it.
pub(super) const SCOPE: &[&str] = &["CTA", "SM", "VC", "GPU", "SYS"];

/// The part that begins at a word, and how many words it takes; the longest that fits.
pub(super) fn part(words: &[&str], at: usize) -> Option<(Slot, usize)> {
    let taken = |count: usize| words.get(at..at + count).map(|words| words.join("."));
    for count in (1..=3).rev() {
        let Some(text) = taken(count) else { continue };
        if all_ops().any(|op| op == text) {
            return Some((Slot::Op, count));
        }
        if SIZES.iter().map(|size| size.name).chain(ALMOST.iter().copied()).any(|name| name == text) {
            return Some((Slot::Size, count));
        }
    }
    let word = words[at];
    let slot = match word {
        "E" => Slot::Extended,
        "PRIVATE" => Slot::Private,
        _ if CACHE.contains(&word) => Slot::Cache,
        _ if STRENGTH.contains(&word) => Slot::Strength,
        _ if SCOPE.contains(&word) => Slot::Scope,
        _ => return None,
    };
    Some((slot, 1))
}

fn all_ops() -> impl Iterator<Item = &'static str> {
    families().iter().flat_map(|family| family.rows.iter().flat_map(|row| row.ops.iter().copied()))
}

/// The family of an opcode. A `RED` is Maxwell's unless something says otherwise; the other mnemonics of Maxwell have no rows.
pub(super) fn family(mnemonic: &str, words: &[&str], given: Given) -> Option<&'static Family> {
    // Before Maxwell the table was another one.
    if given.target.is_some_and(|target| target < 50) {
        return None;
    }
    let scoped = words.iter().any(|word| STRENGTH.contains(word) || SCOPE.contains(word));
    let old = given.target.map(|target| target < 70);
    let notation = match (scoped, old.or(given.notation.map(|notation| notation == Notation::Maxwell))) {
        (true, _) => Notation::Current,
        (false, Some(false)) => Notation::Current,
        (false, Some(true)) => Notation::Maxwell,
        (false, None) if mnemonic == "RED" => Notation::Maxwell,
        // An `ATOM` without a scope is one of Maxwell.
        (false, None) if mnemonic == "ATOM" || mnemonic == "ATOMG" => return None,
        (false, None) => Notation::Current,
    };
    families().iter().find(|family| family.name == mnemonic && family.notation == notation)
}

/// What the words of an opcode mean.
pub fn resolve(mnemonic: &str, words: &[&str], given: Given) -> Resolution {
    let Some(family) = family(mnemonic, words, given) else { return Resolution::Unknown };
    match legal(family, words, given) {
        Ok(instruction) => Resolution::Legal(instruction),
        Err(reason) => Resolution::Illegal(*reason),
    }
}

/// The words of each slot, by their places.
type Parts = [Option<Range<usize>>; 7];

fn legal(family: &'static Family, words: &[&str], given: Given) -> Result<Instruction, Box<Reason>> {
    let parts = parts(family, words)?;
    let text = |slot: Slot| parts[slot as usize].clone().map(|at| words[at].join("."));
    if let Some(target) = given.target {
        within(family, family.since, family.until, target, 0..0)?;
    }
    let extended = parts[Slot::Extended as usize].is_some();
    if family.extended == Extended::Always && !extended {
        return fail(
            Code::MissingModifier,
            0..0,
            format!("`{}` has 64-bit addresses and says so", family.name),
            format!("write `{}.E`", family.name),
            None,
        );
    }
    let Some(op) = text(Slot::Op) else {
        let ops: Vec<String> = family.ops().iter().map(|op| format!("`.{op}`")).collect();
        return fail(
            Code::MissingModifier,
            0..0,
            format!("`{}` does not say its operation", family.name),
            format!("write one of {}", list(&ops)),
            None,
        );
    };
    let at = parts[Slot::Op as usize].clone().unwrap_or_default();
    let Some(op) = family.ops().into_iter().find(|known| *known == op) else {
        return fail(
            Code::IllegalModifier,
            at,
            format!("`{}` has no operation `.{op}`", family.name),
            no_op(family, &op),
            None,
        );
    };
    let size_at = parts[Slot::Size as usize].clone().unwrap_or(at.end..at.end);
    let written = text(Slot::Size).unwrap_or_default();
    let default = if family.notation == Notation::Maxwell && written.is_empty() { "U32" } else { &written };
    let size = size_of(default);
    let row =
        family.rows.iter().find(|row| row.ops.contains(&op) && size.is_some_and(|size| row.sizes.contains(&size)));
    let (Some(row), Some(size)) = (row, size) else {
        return Err(Box::new(illegal_size(family, op, &written, size_at)));
    };
    if let Some(target) = given.target {
        within(family, row.since, row.until, target, size_at)?;
    }
    if family.scoped && parts[Slot::Scope as usize].is_none() {
        let end = words.len();
        return fail(
            Code::MissingModifier,
            end - 1..end,
            format!("`{}` does not say its scope", family.name),
            "write `.STRONG.GPU` behind it, or the scope that you mean".to_owned(),
            None,
        );
    }
    Ok(Instruction { family, row, op, size, extended })
}

fn parts(family: &Family, words: &[&str]) -> Result<Parts, Box<Reason>> {
    let mut parts: Parts = Default::default();
    let (mut at, mut last) = (0, None);
    while at < words.len() {
        let Some((slot, count)) = part(words, at) else {
            return Err(Box::new(unknown(words[at], at)));
        };
        let here = at..at + count;
        let word = words[here.clone()].join(".");
        if let Some(before) = &parts[slot as usize] {
            let earlier = words[before.clone()].join(".");
            let (code, message) = if earlier == word {
                (Code::DuplicateModifier, format!("`.{word}` stands twice"))
            } else {
                (
                    Code::ConflictingModifiers,
                    format!("`.{earlier}` and `.{word}` exclude each other: both say {}", slot.name()),
                )
            };
            return fail(code, here, message, "keep the one that you mean".to_owned(), Some(String::new()));
        }
        let fits = match slot {
            Slot::Extended => family.extended != Extended::Never,
            Slot::Op | Slot::Size => true,
            Slot::Cache | Slot::Strength | Slot::Scope | Slot::Private => family.scoped,
        };
        if !fits {
            let why = match slot {
                Slot::Extended => "an address in shared memory has 32 bits".to_owned(),
                _ => format!("it stands in no opcode of `{}`", family.name),
            };
            return fail(
                Code::IllegalModifier,
                here,
                format!("`{}` does not take `.{word}`: {why}", family.name),
                format!("remove `.{word}`"),
                Some(String::new()),
            );
        }
        if let Some(behind) = last.filter(|last: &Slot| *last > slot) {
            let order = format!("{} stands before {}", slot.name(), behind.name());
            return fail(
                Code::IllegalModifier,
                here,
                format!("`.{word}` stands in the wrong place: {order}"),
                format!("write `{}`", ordered(family, words)),
                None,
            );
        }
        last = Some(slot);
        parts[slot as usize] = Some(here);
        at += count;
    }
    Ok(parts)
}

/// The opcode with its parts in their order.
fn ordered(family: &Family, words: &[&str]) -> String {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let (slot, count) = part(words, at).map_or((Slot::Private, 1), |part| part);
        found.push((slot, words[at..at + count].join(".")));
        at += count;
    }
    found.sort_by_key(|(slot, _)| *slot);
    found.iter().fold(family.name.to_owned(), |text, (_, word)| text + "." + word)
}

fn unknown(word: &str, at: usize) -> Reason {
    let known = all_ops().chain(SIZES.iter().map(|size| size.name)).chain(["E"]).chain(STRENGTH.iter().copied());
    let known = known.chain(SCOPE.iter().copied()).filter(|known| !known.is_empty());
    let near = known
        .map(|known| (edit_distance(word, known), known))
        .filter(|(distance, _)| *distance as usize <= word.len())
        .min_by_key(|(distance, _)| *distance);
    Reason {
        code: Code::UnknownModifier,
        words: at..at + 1,
        message: format!("no atomic of SASS has `.{word}`"),
        help: near.map(|(_, near)| format!("did you mean `.{near}`?")).unwrap_or_default(),
        // One letter too many, too few or wrong is a typo; what is further off is a guess.
        fix: near.filter(|(distance, _)| *distance <= 2).map(|(_, near)| format!(".{near}")),
    }
}

fn no_op(family: &Family, op: &str) -> String {
    let ops: Vec<String> = family.ops().iter().map(|op| format!("`.{op}`")).collect();
    let hint = match op {
        "EXCH" | "CAS" => "only instructions that return the old value exchange or compare; ",
        _ => "",
    };
    format!("{hint}`{}` has {}", family.name, list(&ops))
}

fn illegal_size(family: &Family, op: &str, written: &str, at: Range<usize>) -> Reason {
    let sizes = family.sizes(op);
    let nearer = match written {
        "F16x2.FTZ.RN" | "F16x2" | "F16" => "F16x2.RN",
        "F32" | "F32.FTZ" => "F32.FTZ.RN",
        "F64" | "F64.FTZ.RN" => "F64.RN",
        "BF16x2" => "BF16x2.RN",
        "B32" | "U32" => "",
        "B64" | "U64" => "64",
        "S32" if family.notation == Notation::Current => "",
        "S64" => {
            if family.notation == Notation::Maxwell {
                "U64"
            } else {
                "64"
            }
        }
        _ => written,
    };
    let same = size_of(nearer).filter(|size| nearer != written && sizes.contains(size));
    // A sum of two's complement numbers has the same bits whether they are signed or not; an order has not.
    let same = same.filter(|_| !matches!((written, op), ("S32" | "S64", "MIN" | "MAX")));
    let all: Vec<String> = sizes
        .iter()
        .filter(|size| family.notation == Notation::Current || !matches!(size.name, "32" | "64"))
        .map(|size| size.shown())
        .collect();
    let written = if written.is_empty() { "this size".to_owned() } else { format!("`.{written}`") };
    let instead = same.map(|size| match size.name {
        "" => "write no size; ".to_owned(),
        name => format!("write `.{name}`; "),
    });
    Reason {
        code: Code::IllegalType,
        words: at,
        message: format!("`{}.{op}` does not work on {written}", family.name),
        help: format!("{}`.{op}` takes {}", instead.unwrap_or_default(), list(&all)),
        fix: same.map(|size| if size.name.is_empty() { String::new() } else { format!(".{}", size.name) }),
    }
}

fn within(family: &Family, since: u32, until: u32, target: u32, words: Range<usize>) -> Result<(), Box<Reason>> {
    if (since..=until).contains(&target) {
        return Ok(());
    }
    let what = if words.is_empty() { family.name.to_owned() } else { format!("this form of {}", family.name) };
    let others = families().iter().find(|other| {
        other.name != family.name
            && other.rows[0].operands == family.rows[0].operands
            && (other.since..=other.until).contains(&target)
    });
    let (message, help) = match target < since {
        true => (format!("{what} begins with sm_{since}, and this is code for sm_{target}"), String::new()),
        false => (format!("{what} ends with sm_{until}, and this is code for sm_{target}"), String::new()),
    };
    let help = match others.filter(|_| words.is_empty()) {
        Some(other) => format!("there it is `{}`", other.name),
        None => help,
    };
    Err(Box::new(Reason { code: Code::RequiresTarget, words, message, help, fix: None }))
}

fn fail<T>(
    code: Code,
    words: Range<usize>,
    message: String,
    help: String,
    fix: Option<String>,
) -> Result<T, Box<Reason>> {
    Err(Box::new(Reason { code, words, message, help, fix }))
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
