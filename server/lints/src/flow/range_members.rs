//! The symbols of the registers of ranges such as `%r<10>`, by their numbers: most names of a function are found without a search.

use foldhash::{HashMap, HashSet};
use std::num::NonZeroU32;
use syntax::{Declaration, DeclarationKind, range_index};

/// The symbols of one range by the numbers of its registers.
type MemberTable = Vec<MemberEntry>;

/// The symbol of a register, once it is used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemberEntry(Option<NonZeroU32>);

/// The symbols of ranges.
#[derive(Default)]
pub(super) struct RangeMembers {
    tables: Vec<MemberTable>,
    /// The table of each range, by the offset of its declaration.
    by_declaration: HashMap<usize, usize>,
    /// The table of each range that was used since the last change of the scopes, by its name. Ambiguous ones are missing.
    current: HashMap<Box<str>, usize>,
    /// The names of the ranges so far, and the names without digits of other declarations.
    declared: HashSet<Box<str>>,
    /// Those that were declared more than once. Which range a number belongs to depends on the scopes.
    ambiguous: HashSet<Box<str>>,
    /// The number of entries that the tables may still add. Others are not in a table.
    budget: usize,
}

impl RangeMembers {
    /// An empty set of ranges, for at most so many entries.
    pub(super) fn new(budget: usize) -> Self {
        RangeMembers { budget, ..RangeMembers::default() }
    }

    /// Records a declaration.
    pub(super) fn declare(&mut self, declaration: &Declaration) {
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
    pub(super) fn leave_scope(&mut self) {
        self.current.clear();
    }

    /// The symbol of a name that was used since the last change of the scopes.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let (base, number) = member(name)?;
        self.tables[*self.current.get(base)?].get(number)?.symbol()
    }

    /// The entry of a name in the range that declares it; `None` if it is not in a table.
    pub(super) fn entry(&mut self, range: &Declaration, name: &str) -> Option<&mut MemberEntry> {
        let (base, number) = member(name).filter(|_| range.count.is_some())?;
        let next = self.tables.len();
        let place = *self.by_declaration.entry(range.name.range.start).or_insert(next);
        if place == next {
            self.tables.push(MemberTable::new());
        }
        let table = &mut self.tables[place];
        let length = number.checked_add(1)?;
        self.budget = self.budget.checked_sub(length.saturating_sub(table.len()))?;
        table.resize_with(length.max(table.len()), MemberEntry::default);
        if !self.ambiguous.contains(base) && !self.current.contains_key(base) {
            self.current.insert(base.into(), place);
        }
        Some(&mut table[number])
    }
}

impl MemberEntry {
    fn symbol(self) -> Option<u32> {
        self.0.map(|number| number.get() - 1)
    }

    /// Its symbol; `new` if it has none so far.
    pub(super) fn get_or_insert(&mut self, new: u32) -> u32 {
        match self.symbol() {
            Some(symbol) => symbol,
            None => {
                self.0 = NonZeroU32::new(new + 1);
                new
            }
        }
    }
}

/// The range of a register and its number, written without leading zeros: `%r07` is another spelling, which has a symbol of its own.
fn member(name: &str) -> Option<(&str, usize)> {
    let (base, number) = range_index(name);
    let has_leading_zero = name.len() > base.len() + 1 && name.as_bytes()[base.len()] == b'0';
    Some((base, usize::try_from(number?).ok().filter(|_| !has_leading_zero)?))
}
