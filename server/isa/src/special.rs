//! Special registers: rows in `tables/special.rows`.

use crate::since::Since;
use crate::tables::rows::{Line, ReadPart, RowError, expect_read, rows_file};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A special register.
#[derive(Debug)]
pub struct SpecialRegister {
    /// Its name; of a numbered family, `#` is the number: `%envreg#` for `%envreg0` to `%envreg31`.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static str,
    /// Whether it has the parts `.x`, `.y` and `.z`.
    pub parts: bool,
    /// How many there are of a numbered family; 0 for a single register.
    pub count: u32,
    /// What it requires.
    pub since: Since,
    /// What it holds, in a paragraph. The first sentence is enough for lists.
    pub summary: &'static str,
}

static REGISTERS: LazyLock<Vec<SpecialRegister>> = LazyLock::new(|| {
    let mut registers = Vec::new();
    expect_read(rows_file!("special.rows").lines().try_for_each(|line| read(line, &mut registers)));
    registers
});

/// The registers by their names.
static INDEX: LazyLock<SpecialIndex> = LazyLock::new(|| {
    let (families, single): (Vec<_>, Vec<_>) = registers().iter().partition(|register| register.name.contains('#'));
    SpecialIndex { single: single.into_iter().map(|register| (register.name, register)).collect(), families }
});

/// Finds a register without a comparison with all names: modules read special registers often.
struct SpecialIndex {
    single: HashMap<&'static str, &'static SpecialRegister>,
    /// The numbered families.
    families: Vec<&'static SpecialRegister>,
}

fn read(line: Line, registers: &mut Vec<SpecialRegister>) -> Result<(), RowError> {
    match (line.text.split_once(' '), registers.last_mut()) {
        (Some(("register", rest)), _) => registers.push(read_register(rest).map_err(|message| line.error(message))?),
        (Some(("summary", summary)), Some(last)) => last.summary = summary,
        _ => return Err(line.error("expected `register` or `summary`")),
    }
    Ok(())
}

fn read_register(text: &'static str) -> ReadPart<SpecialRegister> {
    let (head, since) = Since::read_named(text)?;
    let mut words = head.split(' ');
    let (name, ty) = words.next().zip(words.next()).ok_or("missing name and type")?;
    let (mut has_parts, mut count) = (false, 0);
    for word in words {
        match word.split_once('=') {
            Some(("count", number)) => count = number.parse().map_err(|_| format!("invalid count: `{number}`"))?,
            None if word == "parts" => has_parts = true,
            _ => return Err(format!("unexpected `{word}`")),
        }
    }
    Ok(SpecialRegister { name, ty, parts: has_parts, count, since, summary: "" })
}

/// Every special register, the most common first.
pub fn registers() -> &'static [SpecialRegister] {
    &REGISTERS
}

impl SpecialRegister {
    fn is_named(&self, name: &str) -> bool {
        match self.name.split_once('#') {
            None => self.name == name,
            Some((before, after)) => {
                let number = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                let digits = number.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
                digits.and_then(|digits| digits.parse::<u32>().ok()).is_some_and(|number| number < self.count)
            }
        }
    }

    /// Its name; of a numbered family that of the first register.
    pub fn first_name(&self) -> String {
        self.name.replace('#', "0")
    }

    /// The widths of integer types that `mov` reads it with, in bits. Measured: registers that early versions declared with another width can still be read with it.
    pub fn widths(&self) -> &'static [u32] {
        match (self.name, self.ty) {
            ("%tid" | "%ntid" | "%ctaid" | "%nctaid", _) => &[16, 32],
            ("%gridid", _) => &[16, 32, 64],
            (_, ".u64") => &[64],
            (_, ".pred") => &[],
            _ => &[32],
        }
    }
}

/// The special register of a name.
pub fn find(name: &str) -> Option<&'static SpecialRegister> {
    let index = &*INDEX;
    let single = index.single.get(name).copied();
    single.or_else(|| index.families.iter().copied().find(|special| special.is_named(name)))
}

/// Whether a name is predefined in PTX.
pub fn is_special(name: &str) -> bool {
    name == "WARP_SZ" || find(name).is_some()
}
