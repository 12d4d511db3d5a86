//! The families of all files of rows. See `row_syntax.rs` for the syntax.
//!
//! A further file is a line in [`FILES`].

#[cfg(test)]
mod tests;

use crate::tables::form::Family;
use crate::tables::rows::{Line, RowError, RowsFile, expect_read, rows_file};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// The families of a mnemonic are in one file.
static FILES: [TableFile; 29] = [
    TableFile::new(rows_file!("atom.rows")),
    TableFile::new(rows_file!("red.rows")),
    TableFile::new(rows_file!("multimem.rows")),
    TableFile::new(rows_file!("cp_reduce.rows")),
    TableFile::new(rows_file!("async_copy.rows")),
    TableFile::new(rows_file!("ld.rows")),
    TableFile::new(rows_file!("st.rows")),
    TableFile::new(rows_file!("fence.rows")),
    TableFile::new(rows_file!("barrier.rows")),
    TableFile::new(rows_file!("mbarrier.rows")),
    TableFile::new(rows_file!("warp.rows")),
    TableFile::new(rows_file!("policy.rows")),
    TableFile::new(rows_file!("address.rows")),
    TableFile::new(rows_file!("tensormap.rows")),
    TableFile::new(rows_file!("integer.rows")),
    TableFile::new(rows_file!("logic.rows")),
    TableFile::new(rows_file!("float.rows")),
    TableFile::new(rows_file!("compare.rows")),
    TableFile::new(rows_file!("matrix.rows")),
    TableFile::new(rows_file!("warpgroup.rows")),
    TableFile::new(rows_file!("tensor.rows")),
    TableFile::new(rows_file!("move.rows")),
    TableFile::new(rows_file!("convert.rows")),
    TableFile::new(rows_file!("control.rows")),
    TableFile::new(rows_file!("video.rows")),
    TableFile::new(rows_file!("texture.rows")),
    TableFile::new(rows_file!("wmma.rows")),
    TableFile::new(rows_file!("fabric.rows")),
    TableFile::new(rows_file!("compression.rows")),
];

/// The blocks that families of several files share.
static SHARED: TableFile = TableFile::new(rows_file!("shared.rows"));

/// The block that every family ends with.
const EVERYWHERE: &str = "everywhere";

/// A file of rows, split into sections when the first of its families is read.
struct TableFile {
    rows: RowsFile,
    sections: OnceLock<Vec<Section>>,
}

impl TableFile {
    const fn new(rows: RowsFile) -> Self {
        Self { rows, sections: OnceLock::new() }
    }

    fn sections(&self) -> &[Section] {
        self.sections.get_or_init(|| expect_read(sections(self.rows)))
    }

    /// The names of its families, without reading anything else.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rows.text.lines().filter_map(|line| line.strip_prefix("family ")).map(str::trim)
    }
}

/// A family that is read on first use: a check of one file needs few families, and reading all of them takes longer than the
/// check.
pub(crate) struct TableEntry {
    /// The opcode.
    pub name: &'static str,
    file: &'static TableFile,
    family: OnceLock<Family>,
}

impl TableEntry {
    /// The family with its rows.
    pub(crate) fn family(&self) -> &Family {
        self.family.get_or_init(|| {
            let own = self.file.sections();
            let section = own.iter().find(|section| section.is_family(self.name)).expect("its name was read here");
            expect_read(section.read(own, SHARED.sections()))
        })
    }
}

static ENTRIES: LazyLock<Vec<TableEntry>> = LazyLock::new(|| {
    let entry = |file, name| TableEntry { name, file, family: OnceLock::new() };
    FILES.iter().flat_map(|file| file.names().map(move |name| entry(file, name))).collect()
});

/// The entries of a mnemonic, the text before the first dot of an opcode.
static BY_MNEMONIC: LazyLock<HashMap<&str, Range<usize>>> = LazyLock::new(|| {
    let mut found: HashMap<&str, Range<usize>> = HashMap::new();
    for (index, entry) in ENTRIES.iter().enumerate() {
        found.entry(mnemonic(entry.name)).or_insert(index..index).end = index + 1;
    }
    found
});

/// The text before the first dot of an opcode.
pub(crate) fn mnemonic(opcode: &str) -> &str {
    opcode.split_once('.').map_or(opcode, |(mnemonic, _)| mnemonic)
}

/// All families, those of one mnemonic together. This reads every row: for one instruction ask for its [`family`].
pub fn families() -> impl Iterator<Item = &'static Family> + Clone {
    ENTRIES.iter().map(TableEntry::family)
}

/// The opcodes of all families, in their order.
pub fn opcodes() -> impl Iterator<Item = &'static str> + Clone {
    ENTRIES.iter().map(|entry| entry.name)
}

/// The mnemonics that have rows: the text before the first dot of an opcode.
pub fn mnemonics() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    opcodes().map(mnemonic).filter(move |name| std::mem::replace(&mut last, name) != *name)
}

/// The family of an opcode.
pub fn family(opcode: &str) -> Option<&'static Family> {
    of_mnemonic(mnemonic(opcode)).iter().find(|entry| entry.name == opcode).map(TableEntry::family)
}

/// The families whose opcodes begin with a mnemonic.
pub(crate) fn of_mnemonic(mnemonic: &str) -> &'static [TableEntry] {
    BY_MNEMONIC.get(mnemonic).map_or(&[], |range| &ENTRIES[range.clone()])
}

/// Whether all instructions of a mnemonic only compute: they write their first operand without reading it, and neither access memory nor
/// wait for other threads.
pub fn only_computes(mnemonic: &str) -> bool {
    let families = of_mnemonic(mnemonic);
    !families.is_empty() && families.iter().all(|entry| entry.family().only_computes())
}

/// A family or a block as a file has it.
struct Section {
    kind: SectionKind,
    name: &'static str,
    lines: Vec<Line>,
}

#[derive(PartialEq, Eq)]
enum SectionKind {
    Family,
    Block,
}

fn sections(file: RowsFile) -> Result<Vec<Section>, RowError> {
    let mut sections: Vec<Section> = Vec::new();
    for line in file.lines() {
        let kind = match line.text.split_once(' ') {
            Some(("family", name)) => Some((SectionKind::Family, name)),
            Some(("block", name)) => Some((SectionKind::Block, name)),
            _ => None,
        };
        match (kind, sections.last_mut()) {
            (Some((kind, name)), _) => sections.push(Section { kind, name: name.trim(), lines: Vec::new() }),
            (None, Some(section)) => section.lines.push(line),
            (None, None) => return Err(line.error("line before the first `family` or `block`")),
        }
    }
    Ok(sections)
}

impl Section {
    fn is_family(&self, name: &str) -> bool {
        self.kind == SectionKind::Family && self.name == name
    }

    /// The family that it describes, with the blocks of its own file and those that all files share.
    fn read(&self, own: &[Self], shared: &[Self]) -> Result<Family, RowError> {
        Family::read(self.name, &self.expanded(own, shared)?)
    }

    /// Its lines, with those of the blocks that it uses in their places.
    fn expanded(&self, own: &[Self], shared: &[Self]) -> Result<Vec<Line>, RowError> {
        let block = |name: &str| {
            let found = own.iter().chain(shared).find(|one| one.kind == SectionKind::Block && one.name == name);
            found.map(|block| &block.lines)
        };
        let mut lines = Vec::new();
        for line in &self.lines {
            match line.text.strip_prefix("use ").map(str::trim) {
                Some(name) => lines.extend(block(name).ok_or_else(|| line.error(format!("unknown block `{name}`")))?),
                None => lines.push(*line),
            }
        }
        lines.extend(block(EVERYWHERE).into_iter().flatten());
        Ok(lines)
    }
}
