//! The symbols of the registers of ranges such as `%r<10>`, by their numbers: most names of a function are found without a search.

use foldhash::{HashMap, HashSet};
use std::num::NonZeroU32;
use syntax::{Declaration, DeclarationKind, range_index};

/// The symbols of one range by the numbers of its registers.
type MemberTable = Vec<MemberEntry>;

/// The symbol of a register, once it is used.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::values) struct MemberEntry(Option<NonZeroU32>);

/// The symbols of ranges.
#[derive(Default)]
pub(in crate::values) struct RangeMembers {
    tables: Vec<MemberTable>,
    /// The table of each range, by the offset of its declaration.
    by_declaration: HashMap<usize, usize>,
    /// The ranges that were used since the last change of the scopes. Ambiguous ones are missing.
    current: Vec<CurrentRange>,
    /// The names of the ranges so far, and the names without digits of other declarations.
    declared: HashSet<Box<str>>,
    /// Those that were declared more than once. Which range a number belongs to depends on the scopes.
    ambiguous: HashSet<Box<str>>,
    /// The number of entries that the tables may still add. Others are not in a table.
    budget: usize,
}

/// A range in scope: every name of it with a number below `count` means it.
#[derive(Clone, Copy)]
struct CurrentRange {
    name: PackedName,
    table: usize,
    count: u64,
    /// The index of its declaration.
    declaration: u32,
}

/// A name of at most eight bytes, which has no zero bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PackedName(u64);

/// The maximum number of digits of a register in a table.
const MAX_DIGITS: usize = 8;

/// The maximum number of ranges that are searched one after the other.
const MAX_CURRENT: usize = 16;

impl RangeMembers {
    /// An empty set of ranges, for at most so many entries.
    pub(in crate::values) fn new(budget: usize) -> Self {
        RangeMembers { budget, ..RangeMembers::default() }
    }

    /// Records a declaration.
    pub(in crate::values) fn declare(&mut self, declaration: &Declaration) {
        let name = &*declaration.name.text;
        let base = match (declaration.kind, declaration.count, range_index(name)) {
            (DeclarationKind::Label, ..) | (_, None, (_, None)) => return,
            (_, Some(_), _) => name,
            (_, None, (base, Some(_))) => base,
        };
        if !self.declared.insert(base.into()) {
            self.ambiguous.insert(base.into());
        }
    }

    /// Forgets which ranges are in scope.
    pub(in crate::values) fn leave_scope(&mut self) {
        self.current.clear();
    }

    /// The entry of a name in a range that was used since the last change of the scopes, and the index of the range's declaration.
    pub(in crate::values) fn current(&mut self, name: &str) -> Option<(&mut MemberEntry, u32)> {
        let (base, number) = member(name)?;
        let packed = PackedName::of(base)?;
        let range = *self.current.iter().find(|range| range.name == packed && (number as u64) < range.count)?;
        Some((self.grow(range.table, number)?, range.declaration))
    }

    /// The entry of a name in the range that declares it; `None` if it is not in a table.
    pub(in crate::values) fn entry(&mut self, range: &Declaration, name: &str) -> Option<&mut MemberEntry> {
        let (_, number) = member(name).filter(|_| range.count.is_some())?;
        let next = self.tables.len();
        let table = *self.by_declaration.entry(range.name.range.start).or_insert(next);
        if table == next {
            self.tables.push(MemberTable::new());
        }
        self.grow(table, number)
    }

    /// Records that a range is in scope, with the index of its declaration.
    pub(in crate::values) fn enter(&mut self, range: &Declaration, declaration: u32) {
        let table = self.by_declaration.get(&range.name.range.start);
        if let (Some(table), Some(count), Some(name)) = (table, range.count, PackedName::of(&range.name.text))
            && self.current.len() < MAX_CURRENT
            && !self.ambiguous.contains(&*range.name.text)
        {
            self.current.push(CurrentRange { name, table: *table, count, declaration });
        }
    }

    fn grow(&mut self, table: usize, number: usize) -> Option<&mut MemberEntry> {
        let table = &mut self.tables[table];
        if number >= table.len() {
            let added = number + 1 - table.len();
            self.budget = self.budget.checked_sub(added)?;
            table.resize_with(number + 1, MemberEntry::default);
        }
        Some(&mut table[number])
    }
}

impl MemberEntry {
    /// Its symbol; `new` if it has none so far.
    pub(in crate::values) fn get_or_insert(&mut self, new: u32) -> u32 {
        match self.0 {
            Some(symbol) => symbol.get() - 1,
            None => {
                self.0 = NonZeroU32::new(new + 1);
                new
            }
        }
    }
}

impl PackedName {
    fn of(name: &str) -> Option<Self> {
        let pack = |packed, byte: u8| (packed << 8) | u64::from(byte);
        (name.len() <= 8).then(|| PackedName(name.bytes().fold(0, pack)))
    }
}

/// The range of a register and its number, written without leading zeros: `%r07` is another spelling, which has a symbol of its own.
fn member(name: &str) -> Option<(&str, usize)> {
    let bytes = name.as_bytes();
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (base, digits) = name.split_at(name.len() - digits);
    let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
    if digits.is_empty() || digits.len() > MAX_DIGITS || has_leading_zero {
        return None;
    }
    // So few digits do not overflow.
    let add = |number: usize, digit| number.wrapping_mul(10).wrapping_add(usize::from(digit & 15));
    Some((base, digits.bytes().fold(0, add)))
}
