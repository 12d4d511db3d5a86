//! The machine code of an instruction: rows derived from recordings of the assembler.
//!
//! A row, in `tables/lowering.rows`, reads `kind  words  ->  text`. Of each kind the first row counts whose words fit: of each slot
//! that a row mentions (operation, type, space, target …), the instruction has one. In a text, `@name` is replaced by what the rows of
//! that kind give, `@op` by the operation, `@lanes` by `x` and the number of elements; `<` and `>` by what orders the access before and
//! after it; `{ … }` is a loop and `local` an ordinary load and store for an address that turns out to be local memory.

mod doc;
mod inverse;
#[cfg(test)]
mod tests;

pub use crate::lowering::doc::{machine_code, written_as};
pub use crate::lowering::inverse::{Origin, accesses, origins};

use crate::resolve::ResolvedInstruction;
use crate::tables::rows::{Line, RowError, RowsFile, expect_read, rows_file};
use crate::target::Target;
use crate::types::{Op, Space};
use std::sync::LazyLock;

/// The targets that were recorded, oldest first.
pub const RECORDED: &[&str] = &["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"];

/// How an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoweringKind {
    /// One instruction of the hardware.
    Native,
    /// A loop that tries a compare-and-swap until it succeeds.
    Loop,
    /// A branch at run time on where the address points: one instruction for global memory, a loop for shared memory.
    Dispatch,
}

impl LoweringKind {
    fn of(code: &str) -> LoweringKind {
        match (code.contains("QSPC"), code.contains('{')) {
            (true, _) => LoweringKind::Dispatch,
            (false, true) => LoweringKind::Loop,
            (false, false) => LoweringKind::Native,
        }
    }
}

/// What an instruction becomes on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowering {
    /// The recorded target: the requested one, or the newest before it.
    pub recorded: &'static str,
    /// The machine instructions that access or order memory, separated by spaces; `{ … }` is a loop.
    pub code: String,
    /// The instructions that first sum over the warp, so that one lane accesses memory. The assembler uses them if it knows that all
    /// lanes have the same address. Empty if there are none.
    pub sum: String,
    /// The code if the value is the constant 1; empty if it is the same.
    pub one: String,
    /// How the access is made.
    pub kind: LoweringKind,
    /// Whether there is a fence before the access.
    pub fence: bool,
    /// Whether the L1 cache is invalidated after it.
    pub invalidates: bool,
    /// The rows that were used, by their index in [`rows`].
    pub rows: Vec<usize>,
}

impl Lowering {
    /// The machine instructions that make the access; of a branch, those of all its arms.
    pub fn accesses(&self) -> impl Iterator<Item = &str> {
        accesses_of(&self.code)
    }

    /// A short description: `native, preceded by a fence`.
    pub fn summary(&self) -> String {
        let mut text = match self.kind {
            LoweringKind::Native => "native".to_owned(),
            LoweringKind::Loop => "compare-and-swap loop".to_owned(),
            LoweringKind::Dispatch => {
                "run-time branch: native in global memory, compare-and-swap loop in shared memory".to_owned()
            }
        };
        if self.fence {
            text += ", preceded by a fence";
        }
        if self.invalidates {
            text += ", followed by an L1 invalidation";
        }
        text
    }
}

fn accesses_of(code: &str) -> impl Iterator<Item = &str> {
    let access = |word: &&str| ["ATOM", "RED", "LDGMC", "STG.", "ST."].iter().any(|name| word.starts_with(name));
    code.split(' ').filter(access)
}

/// Whether the result of an `atom` is read. Without a reader it compiles to a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultUse {
    /// It is read.
    Used,
    /// It is not read.
    Unused,
}

impl ResultUse {
    /// Both.
    pub const ALL: [ResultUse; 2] = [ResultUse::Used, ResultUse::Unused];
}

/// The SASS of an instruction on a target. `None` before the first recorded target, and without a matching row.
pub fn lowering(instruction: &ResolvedInstruction, target: Target, result: ResultUse) -> Option<Lowering> {
    let recorded = recorded_for(target)?;
    let words = words(instruction, recorded, result);
    let mut read = Vec::new();
    let code = tidy(&expand("code", words, instruction, &mut read)?);
    let one = expand("one", words, instruction, &mut read).unwrap_or_default();
    let sum = expand("sum", words, instruction, &mut read).unwrap_or_default();
    let has = |part: &str| code.split(' ').any(|word| word.starts_with(part));
    let kind = LoweringKind::of(&code);
    Some(Lowering {
        recorded,
        kind,
        fence: has("MEMBAR"),
        invalidates: has("CCTL"),
        code,
        one: tidy(&one),
        sum,
        rows: read,
    })
}

/// The kind of access on a target, as in [`lowering`], but cheaper.
pub fn kind(instruction: &ResolvedInstruction, target: Target, result: ResultUse) -> Option<LoweringKind> {
    let words = words(instruction, recorded_for(target)?, result);
    TABLE.find("code", words).map(|at| LoweringKind::of(TABLE.rows[at].text))
}

/// The instruction on every recorded target on which its form exists.
pub fn everywhere(instruction: &ResolvedInstruction, result: ResultUse) -> Vec<Lowering> {
    let targets = RECORDED.iter().filter_map(|name| Target::parse(name));
    let variants = |target: Target| {
        [target].into_iter().chain(Target::all().filter(move |other| other.number() == target.number()))
    };
    let exists = |target: &Target| variants(*target).any(|one| instruction.since.targets.contains(one));
    targets.filter(exists).filter_map(|target| lowering(instruction, target, result)).collect()
}

/// How many rows there are.
pub fn rows() -> usize {
    TABLE.rows.len()
}

fn recorded_for(target: Target) -> Option<&'static str> {
    let number = |name: &str| Target::parse(name).map_or(u16::MAX, Target::number);
    RECORDED.iter().rev().find(|name| number(name) <= target.number()).copied()
}

struct LoweringRow {
    kind: &'static str,
    /// Sets of words, one for each slot: the instruction has a word of each.
    groups: Vec<LoweringWords>,
    text: &'static str,
}

/// A set of the words that rows mention, a bit each.
type LoweringWords = u128;

struct LoweringTable {
    rows: Vec<LoweringRow>,
    words: Vec<&'static str>,
}

impl LoweringTable {
    fn read(file: RowsFile) -> Result<LoweringTable, RowError> {
        let mut table = LoweringTable { rows: Vec::new(), words: Vec::new() };
        for line in file.lines() {
            let row = table.row(line)?;
            table.rows.push(row);
        }
        Ok(table)
    }

    fn row(&mut self, line: Line) -> Result<LoweringRow, RowError> {
        let (words, text) = line.text.split_once("->").ok_or_else(|| line.error("missing `->`"))?;
        let mut words = words.split_whitespace();
        let kind = words.next().ok_or_else(|| line.error("missing kind before `->`"))?;
        let mut groups: Vec<(Sort, LoweringWords)> = Vec::new();
        for word in words {
            let bit = 1 << self.number(word);
            match groups.iter_mut().find(|(of, _)| *of == sort(word)) {
                Some((_, group)) => *group |= bit,
                None => groups.push((sort(word), bit)),
            }
        }
        Ok(LoweringRow { kind, groups: groups.into_iter().map(|(_, group)| group).collect(), text: text.trim() })
    }

    fn number(&mut self, word: &'static str) -> usize {
        self.words.iter().position(|known| *known == word).unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        })
    }

    /// The words of an instruction that some row mentions.
    fn set(&self, words: &[&str]) -> LoweringWords {
        let numbers = words.iter().filter_map(|word| self.words.iter().position(|known| known == word));
        numbers.fold(0, |set, number| set | 1 << number)
    }

    /// The number of the first fitting row of a kind.
    fn find(&self, kind: &str, words: LoweringWords) -> Option<usize> {
        self.rows.iter().position(|row| row.kind == kind && row.groups.iter().all(|group| group & words != 0))
    }
}

static TABLE: LazyLock<LoweringTable> = LazyLock::new(|| expect_read(LoweringTable::read(rows_file!("lowering.rows"))));

#[derive(PartialEq, Eq)]
enum Sort {
    Family,
    Operation,
    Space,
    Order,
    Scope,
    Lanes,
    Width,
    Result,
    Target,
    Flush,
    Sum,
    Type,
}

fn sort(word: &str) -> Sort {
    match word {
        "used" | "unused" => Sort::Result,
        "generic" | "global" | "shared" | "shared::cluster" => Sort::Space,
        "weak" | "relaxed" | "acquire" | "release" | "acq_rel" => Sort::Order,
        "cta" | "cluster" | "gpu" | "sys" => Sort::Scope,
        "scalar" | "v2" | "v4" | "v8" => Sort::Lanes,
        "noftz" => Sort::Flush,
        "atom" | "red" => Sort::Family,
        _ if word.starts_with("multimem.") => Sort::Family,
        _ if word.starts_with("acc::") => Sort::Sum,
        _ if word.starts_with("sm_") => Sort::Target,
        _ if word.ends_with("bit") => Sort::Width,
        _ if Op::parse(word).is_some() => Sort::Operation,
        _ => Sort::Type,
    }
}

/// An instruction as the words that rows mention.
fn words(instruction: &ResolvedInstruction, target: &'static str, result: ResultUse) -> LoweringWords {
    let space = match instruction.space.value {
        Space::Generic => "generic",
        Space::Global => "global",
        Space::SharedCta => "shared",
        Space::SharedCluster => "shared::cluster",
    };
    let lanes = match instruction.lanes {
        2 => "v2",
        4 => "v4",
        8 => "v8",
        _ => "scalar",
    };
    let width = match instruction.ty.map_or(0, |ty| ty.bits() * u32::from(instruction.lanes)) {
        64 => "64bit",
        128 => "128bit",
        8 => "8bit",
        16 => "16bit",
        _ => "32bit",
    };
    let result = match result {
        ResultUse::Used => "used",
        ResultUse::Unused => "unused",
    };
    let mut words = vec![instruction.family.name, target, space, lanes, width, result];
    words.extend(instruction.op.map(Op::word));
    words.extend(instruction.ty.map(|ty| ty.word()));
    words.extend(instruction.sem.map(|sem| sem.value.word()));
    words.extend(instruction.scope.map(|scope| scope.value.word()));
    words.extend(instruction.noftz.then_some("noftz"));
    words.extend(instruction.acc.map(|acc| if acc == crate::types::Type::F32 { "acc::f32" } else { "acc::f16" }));
    TABLE.set(&words)
}

/// The text of the first fitting row of a kind, with what it refers to; the rows that were read are noted.
fn expand(
    kind: &str,
    words: LoweringWords,
    instruction: &ResolvedInstruction,
    read: &mut Vec<usize>,
) -> Option<String> {
    let at = TABLE.find(kind, words)?;
    let row = &TABLE.rows[at];
    read.push(at);
    let mut text = String::new();
    for word in row.text.split(' ') {
        let mut parts = word.split('@');
        let first = parts.next().unwrap_or_default();
        match first {
            "<" | ">" => text += &expand(first, words, instruction, read)?,
            _ => text += first,
        }
        for part in parts {
            let (name, rest) = part.split_once('.').map_or((part, None), |(name, rest)| (name, Some(rest)));
            match name {
                "op" => text += &instruction.op?.word().to_uppercase(),
                "lanes" => text += &lanes(instruction),
                _ => text += &expand(name, words, instruction, read)?,
            }
            if let Some(rest) = rest {
                text = text + "." + rest;
            }
        }
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    Some(text)
}

fn lanes(instruction: &ResolvedInstruction) -> String {
    let elements = instruction.ty.map_or(1, |ty| ty.packed()) * u32::from(instruction.lanes);
    if elements > 1 { format!("x{elements}") } else { String::new() }
}

fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
