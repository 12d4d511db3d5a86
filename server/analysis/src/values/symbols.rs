//! Resolves the names in a function to its symbols: the registers and variables that it uses.

use crate::values::range_members::RangeMembers;
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use syntax::{BrokenStatement, Declaration, DeclarationKind, Item, Names, WalkEvent};

/// A register or variable that the function uses.
pub(in crate::values) struct FlowSymbol<'a> {
    pub name: Cow<'a, str>,
    /// The index of its declaration. The registers of a range share one.
    pub declaration: u32,
    pub is_parameter: bool,
    pub writes: u32,
    pub reads: u32,
}

/// The symbols of a function, in the order of their first uses.
#[derive(Default)]
pub(in crate::values) struct ValueSymbols<'a> {
    pub all: Vec<FlowSymbol<'a>>,
    pub declarations: Vec<Declaration<'a>>,
}

/// Finds the items before the function that declare a name which the names of the module do not have yet, in order.
pub type EarlierItems<'i, 'a> = dyn Fn(&str) -> Vec<Item<'a>> + Sync + 'i;

/// Resolves names during a walk over the function.
pub(in crate::values) struct SymbolResolver<'n, 'a> {
    pub symbols: ValueSymbols<'a>,
    names: Names<'a>,
    outside: &'n Names<'a>,
    earlier: &'n EarlierItems<'n, 'a>,
    /// The names of the earlier items that were found.
    found: Names<'a>,
    /// The names that a broken statement may declare.
    hidden: HashSet<&'n str>,
    /// The offsets at which the parameters are declared, in order.
    parameters: Vec<usize>,
    /// The symbols of names in the current scopes, except those in `members`.
    known: HashMap<Cow<'a, str>, Option<u32>>,
    members: RangeMembers,
    /// The symbols that are not in `members`, by the offset of their declaration, and by name for the members of a range.
    declared: HashMap<(usize, Cow<'a, str>), u32>,
    /// The index of each declaration, by its offset.
    declarations: HashMap<usize, u32>,
}

impl<'n, 'a> SymbolResolver<'n, 'a> {
    /// A resolver for a function of a number of bytes.
    pub(in crate::values) fn new(
        (outside, earlier): (&'n Names<'a>, &'n EarlierItems<'n, 'a>),
        hidden: HashSet<&'n str>,
        length: usize,
    ) -> Self {
        SymbolResolver {
            symbols: ValueSymbols::default(),
            names: Names::default(),
            outside,
            earlier,
            found: Names::default(),
            hidden,
            parameters: Vec::new(),
            known: HashMap::default(),
            members: RangeMembers::new(length),
            declared: HashMap::default(),
            declarations: HashMap::default(),
        }
    }

    /// Records a parameter before it is declared.
    pub(in crate::values) fn add_parameter(&mut self, parameter: &Declaration) {
        self.parameters.push(parameter.name.range.start);
    }

    /// Handles an event of the walk.
    pub(in crate::values) fn follow(&mut self, event: &WalkEvent<'a>) {
        self.names.follow(event);
        match event {
            WalkEvent::Declare(declaration) => self.members.declare(declaration),
            WalkEvent::Leave => {}
            WalkEvent::EnterFunction | WalkEvent::EnterBlock | WalkEvent::Instruction(_) => return,
        }
        self.known.clear();
        self.members.leave_scope();
    }

    /// Whether a broken statement may declare a name, or the register range that it is a member of.
    pub(in crate::values) fn is_hidden(&self, name: &str) -> bool {
        !self.hidden.is_empty()
            && (self.hidden.contains(name) || self.hidden.contains(name.trim_end_matches(|c: char| c.is_ascii_digit())))
    }

    /// Whether a name is a symbol here.
    pub(in crate::values) fn is_symbol(&mut self, name: &str) -> bool {
        self.resolve(Cow::Owned(name.to_owned())).is_some()
    }

    /// The symbol of a name here; `None` if it is no register or variable.
    pub(in crate::values) fn resolve(&mut self, name: Cow<'a, str>) -> Option<u32> {
        if let Some((member, declaration)) = self.members.current(&name) {
            let next = self.symbols.all.len() as u32;
            let symbol = member.get_or_insert(next);
            if symbol == next {
                self.symbols.all.push(FlowSymbol::new(name, declaration));
            }
            return Some(symbol);
        }
        if let Some(known) = self.known.get(&name) {
            return *known;
        }
        let symbol = self.find(name.clone());
        self.known.insert(name, symbol);
        symbol
    }

    fn find(&mut self, name: Cow<'a, str>) -> Option<u32> {
        if self.is_hidden(&name) {
            return None;
        }
        let local = self.names.find(&name);
        if local.is_none() && self.found.find(&name).is_none() {
            let declarations = (self.earlier)(&name).into_iter().flat_map(|item| item.declarations());
            declarations.for_each(|declaration| self.found.declare(declaration));
        }
        let declaration = local.or_else(|| self.found.find(&name)).or_else(|| self.outside.find(&name))?;
        if !matches!(declaration.kind, DeclarationKind::Register | DeclarationKind::Variable) {
            return None;
        }
        let next = self.symbols.all.len() as u32;
        let offset = declaration.name.range.start;
        let declarations = &mut self.symbols.declarations;
        let number = *self.declarations.entry(offset).or_insert_with(|| {
            declarations.push(declaration.clone());
            declarations.len() as u32 - 1
        });
        let symbol = match local.and_then(|range| self.members.entry(range, &name)) {
            Some(member) => member.get_or_insert(next),
            None => *self.declared.entry((offset, name.clone())).or_insert(next),
        };
        if symbol == next {
            let is_parameter = self.parameters.binary_search(&offset).is_ok();
            self.symbols.all.push(FlowSymbol { is_parameter, ..FlowSymbol::new(name, number) });
        }
        if let Some(range) = local.filter(|_| self.hidden.is_empty()) {
            self.members.enter(range, number);
        }
        Some(symbol)
    }
}

impl<'a> FlowSymbol<'a> {
    fn new(name: Cow<'a, str>, declaration: u32) -> Self {
        FlowSymbol { name, declaration, is_parameter: false, writes: 0, reads: 0 }
    }
}

/// The names that broken statements may declare.
pub(in crate::values) fn hidden_names<'n>(declaring: impl Iterator<Item = &'n BrokenStatement>) -> HashSet<&'n str> {
    declaring.flat_map(BrokenStatement::words).collect()
}
