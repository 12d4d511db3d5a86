//! From the notation of `table.rs` to rows. Reads our own text alone, so that what is malformed is a bug and panics, in a test of this crate.

use super::size::{SassSize, size_of};
use super::{AddressExtent, Notation, SassFamily, SassRole, SassRow};

/// Reads a family.
pub(super) fn read(text: &'static str) -> SassFamily {
    let mut family = None;
    let mut operands = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, &mut family) {
            ("family", _) => family = Some(head(rest)),
            (_, None) => panic!("a family begins with its head, not with `{line}`"),
            ("about", Some(family)) => family.about = rest.trim(),
            ("operands", _) => operands = rest.split(", ").map(role).collect(),
            (_, Some(family)) => family.rows.push(row(line, &operands, family)),
        }
    }
    family.expect("a family has a head")
}

fn head(text: &'static str) -> SassFamily {
    let mut words = text.split(' ');
    let mut next = || words.next().expect("a head has a name, a notation, .E and targets");
    let name = next();
    let notation = if next() == "maxwell" { Notation::Maxwell } else { Notation::Current };
    let extended = match next() {
        "never" => AddressExtent::Never,
        "optional" => AddressExtent::Optional,
        _ => AddressExtent::Always,
    };
    let rest: Vec<&str> = words.collect();
    let (since, until) = targets(&rest);
    let offset = rest.iter().position(|word| *word == "offset").expect("an offset has a width");
    SassFamily {
        name,
        notation,
        since,
        until,
        extended,
        scoped: rest.contains(&"scoped"),
        offset_bits: rest[offset + 1].parse().expect("a number of bits"),
        about: "",
        rows: Vec::new(),
    }
}

/// The first and the last target among words.
fn targets(words: &[&str]) -> (u32, u32) {
    let mut numbers = words.iter().filter_map(|word| word.strip_prefix("sm_")?.parse().ok());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or(u32::MAX))
}

fn row(line: &'static str, operands: &[SassRole], family: &SassFamily) -> SassRow {
    let (ops, rest) = line.split_once(':').expect("a colon stands between operations and sizes");
    let (sizes, limits) = rest.split_once('|').unwrap_or((rest, ""));
    let (since, until) = targets(&limits.split(' ').collect::<Vec<_>>());
    let size = |name: &str| -> &'static SassSize {
        size_of(if name == "-" { "" } else { name }).unwrap_or_else(|| panic!("there is no size {name}"))
    };
    SassRow {
        ops: ops.split_whitespace().collect(),
        sizes: sizes.split_whitespace().map(size).collect(),
        since: since.max(family.since),
        until: until.min(family.until),
        operands: operands.to_vec(),
    }
}

fn role(name: &str) -> SassRole {
    match name.trim() {
        "p" => SassRole::Done,
        "d" => SassRole::Destination,
        "[a]" => SassRole::Address,
        "b" => SassRole::Value,
        "c" => SassRole::New,
        other => panic!("there is no operand {other}"),
    }
}
