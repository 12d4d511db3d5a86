//! The families of all files of rows. See `notation.rs` for how they are written.
//!
//! A further file is a line in [`FILES`].

#[cfg(test)]
mod tests;

use crate::form::Family;
use crate::rows::{Line, RowError, RowsFile, expect_read, rows_file};
use std::sync::LazyLock;

/// The families of one mnemonic stand together.
const FILES: &[RowsFile] = &[
    rows_file!("atom.rows"),
    rows_file!("red.rows"),
    rows_file!("multimem.rows"),
    rows_file!("cp_reduce.rows"),
    rows_file!("ld.rows"),
    rows_file!("st.rows"),
    rows_file!("fence.rows"),
    rows_file!("barrier.rows"),
    rows_file!("mbarrier.rows"),
    rows_file!("warp.rows"),
    rows_file!("policy.rows"),
    rows_file!("address.rows"),
];

/// The blocks that families of several files share.
const SHARED: RowsFile = rows_file!("shared.rows");

/// The block that every family ends with.
const EVERYWHERE: &str = "everywhere";

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let shared = expect_read(sections(SHARED));
    FILES.iter().flat_map(|file| expect_read(read(*file, &shared))).collect()
});

/// All families, those of one mnemonic together.
pub fn families() -> &'static [Family] {
    &FAMILIES
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

/// The families of a file, with its own blocks and those that all files share.
fn read(file: RowsFile, shared: &[Section]) -> Result<Vec<Family>, RowError> {
    let own = sections(file)?;
    let families = own.iter().filter(|section| section.kind == SectionKind::Family);
    families.map(|family| Family::read(family.name, &family.expanded(&own, shared)?)).collect()
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
            (None, None) => return Err(line.error("a line before any `family` or `block`")),
        }
    }
    Ok(sections)
}

impl Section {
    /// Its lines, with those of the blocks that it uses in their places.
    fn expanded(&self, own: &[Section], shared: &[Section]) -> Result<Vec<Line>, RowError> {
        let block = |name: &str| {
            let found = own.iter().chain(shared).find(|one| one.kind == SectionKind::Block && one.name == name);
            found.map(|block| &block.lines)
        };
        let mut lines = Vec::new();
        for line in &self.lines {
            match line.text.strip_prefix("use ").map(str::trim) {
                Some(name) => lines.extend(block(name).ok_or_else(|| line.error(format!("no such block: `{name}`")))?),
                None => lines.push(*line),
            }
        }
        lines.extend(block(EVERYWHERE).into_iter().flatten());
        Ok(lines)
    }
}
