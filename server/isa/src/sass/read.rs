//! From the dialect of `tables/sass.rows` to families.

use crate::sass::size::{SassSize, size_of};
use crate::sass::{ExtendedAddress, SassDialect, SassFamily, SassRole, SassRow};
use crate::tables::rows::{ReadPart, RowError, RowsFile};

/// Reads the families of a file.
///
/// # Errors
/// The first line that cannot be read.
pub(super) fn read(file: RowsFile) -> Result<Vec<SassFamily>, RowError> {
    let mut families = Vec::new();
    let mut operands = Vec::new();
    for line in file.lines() {
        add(line.text, &mut families, &mut operands).map_err(|message| line.error(message))?;
    }
    Ok(families)
}

/// Adds a line to the families before it; `operands` are those of the rows that follow.
fn add(line: &'static str, families: &mut Vec<SassFamily>, operands: &mut Vec<SassRole>) -> ReadPart<()> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    if word == "family" {
        families.push(head(rest)?);
        operands.clear();
        return Ok(());
    }
    let family = families.last_mut().ok_or("line before the first `family`")?;
    match word {
        "summary" => family.summary = rest.trim(),
        "operands" => *operands = rest.split(", ").map(role).collect::<ReadPart<_>>()?,
        _ => family.rows.push(row(line, operands, family)?),
    }
    Ok(())
}

fn head(text: &'static str) -> ReadPart<SassFamily> {
    let words: Vec<&str> = text.split(' ').collect();
    let [name, dialect, extended, rest @ ..] = words.as_slice() else {
        return Err("a family has a name, a dialect, when it says `.E`, and targets".to_owned());
    };
    let dialect = match *dialect {
        "maxwell" => SassDialect::Maxwell,
        "current" => SassDialect::Current,
        other => return Err(format!("unknown dialect `{other}`")),
    };
    let extended = match *extended {
        "never" => ExtendedAddress::Never,
        "optional" => ExtendedAddress::Optional,
        "always" => ExtendedAddress::Always,
        other => return Err(format!("expected `never`, `optional` or `always`, found `{other}`")),
    };
    let (since, until) = targets(rest);
    let bits = rest.iter().skip_while(|word| **word != "offset").nth(1).and_then(|bits| bits.parse().ok());
    Ok(SassFamily {
        name,
        dialect,
        since,
        until,
        extended,
        scoped: rest.contains(&"scoped"),
        offset_bits: bits.ok_or("missing `offset` with a number of bits")?,
        summary: "",
        rows: Vec::new(),
    })
}

/// The first and the last target among words.
fn targets(words: &[&str]) -> (u32, u32) {
    let mut numbers = words.iter().filter_map(|word| word.strip_prefix("sm_")?.parse().ok());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or(u32::MAX))
}

fn row(line: &'static str, operands: &[SassRole], family: &SassFamily) -> ReadPart<SassRow> {
    let (ops, rest) = line.split_once(':').ok_or("missing colon between operations and sizes")?;
    let (sizes, limits) = rest.split_once('|').unwrap_or((rest, ""));
    let (since, until) = targets(&limits.split(' ').collect::<Vec<_>>());
    let size = |name: &str| -> ReadPart<&'static SassSize> {
        size_of(if name == "-" { "" } else { name }).ok_or_else(|| format!("unknown size `{name}`"))
    };
    Ok(SassRow {
        ops: ops.split_whitespace().collect(),
        sizes: sizes.split_whitespace().map(size).collect::<ReadPart<_>>()?,
        since: since.max(family.since),
        until: until.min(family.until),
        operands: operands.to_vec(),
    })
}

fn role(name: &str) -> ReadPart<SassRole> {
    match name.trim() {
        "p" => Ok(SassRole::Done),
        "d" => Ok(SassRole::Destination),
        "[a]" => Ok(SassRole::Address),
        "b" => Ok(SassRole::Value),
        "c" => Ok(SassRole::New),
        other => Err(format!("unknown operand `{other}`")),
    }
}
