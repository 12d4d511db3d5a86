//! Summaries of items for the rules that check a whole module: memory accesses and orderings.
//!
//! A summary depends only on the text of the item, so it can be cached.

use crate::flag_facts::FlagFacts;
use crate::ordering::OrderingFacts;
use analysis::values::{FunctionValues, PointedSpace, Root};
use foldhash::HashMap;
use isa::types::{self, Scope, Sem};
use std::ops::Range;

/// The memory accesses and orderings of one item, and what it refers to in other items.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Whether something in it acquires.
    pub acquires: bool,
    /// Whether something in it releases.
    pub releases: bool,
    /// Atomics with `.acquire` or `.release`.
    pub one_sided: Vec<OneSided>,
    /// Its accesses with a scope.
    pub accesses: Vec<MemoryAccess>,
    /// The directive, if other items matter for it.
    pub directive: Option<ModuleDirective>,
    /// The places that `.loc` directives refer to before the item has a `.loc` of them.
    pub unknown_locations: Vec<UnknownLocation>,
    /// Whether evaluation comments have no values, which launches in comments may have.
    pub lacks_values: bool,
    /// What it does with flags, and what its calls do around them.
    pub flags: FlagFacts,
}

/// A directive of a module that is checked together with other items.
#[derive(Clone, Debug)]
pub enum ModuleDirective {
    /// `.alias`
    Alias,
    /// `.file` with its number, and the range of that, relative to the item.
    SourceFile(u64, Range<usize>),
}

/// A place in a source that a `.loc` directive refers to.
#[derive(Clone, Debug)]
pub struct UnknownLocation {
    /// The file, the line and the column.
    pub location: [u64; 3],
    /// The range of the three, relative to the item.
    pub range: Range<usize>,
}

/// An atomic with `.acquire` or `.release`.
#[derive(Clone, Debug)]
pub struct OneSided {
    /// Whether it is `.acquire`.
    pub acquire: bool,
    /// The range of the modifier, relative to the item.
    pub range: Range<usize>,
}

/// What an access with a scope is relative to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessedMemory {
    /// A variable of the module, by its name.
    Variable(String),
    /// Something of the function, by its number: a variable, an address in a parameter, or an address with an unknown offset.
    Local(usize),
}

/// An access with a scope.
#[derive(Clone, Debug)]
pub struct MemoryAccess {
    /// The memory.
    pub memory: AccessedMemory,
    /// The offset in it, if it is known.
    pub offset: Option<i64>,
    /// The scope.
    pub scope: Scope,
    /// Whether to check its scope: it is an atomic, and `narrow-scope` does not report it.
    pub check_scope: bool,
    /// The range of the opcode, relative to the item.
    pub range: Range<usize>,
}

impl Summary {
    /// Merges the facts of an instruction that is not an atomic.
    pub fn order(&mut self, facts: OrderingFacts) {
        self.acquires |= facts.acquires;
        self.releases |= facts.releases;
    }

    /// Records the accesses and orderings of a function whose item starts at `base`.
    pub fn record(&mut self, flow: &FunctionValues, base: usize) {
        for (_, instruction, legal) in flow.atomics() {
            let range = instruction.word("sem");
            let range = range.start - base..range.end - base;
            let scope = legal.scope.map(|scope| scope.value);
            match legal.sem.map(|sem| sem.value) {
                Some(Sem::AcqRel) => (self.acquires, self.releases) = (true, true),
                Some(Sem::Acquire) => self.acquires = true,
                Some(Sem::Release) => self.releases = true,
                Some(Sem::Weak | Sem::Relaxed) | None => {}
            }
            let acquire = legal.sem.is_some_and(|sem| sem.value == Sem::Acquire);
            let release = legal.sem.is_some_and(|sem| sem.value == Sem::Release);
            // The counterpart of a `.sys` access may be on the host.
            if (acquire || release) && scope != Some(Scope::Sys) {
                self.one_sided.push(OneSided { acquire, range });
            }
        }
        self.record_accesses(flow, base);
    }

    fn record_accesses(&mut self, flow: &FunctionValues, base: usize) {
        let mut locals: HashMap<(Root, Option<(Root, i64)>), usize> = HashMap::default();
        let item = base..flow.len().checked_sub(1).map_or(base, |last| flow.range(last).end);
        let mut atomics = flow.atomic_forms().peekable();
        for at in 0..flow.len() {
            let legal = atomics.next_if(|(place, _)| *place == at).map(|(_, legal)| legal);
            if !matches!(flow.mnemonic(at), "atom" | "red" | "ld" | "st")
                || flow.modifiers(at).any(|word| matches!(word, "param" | "volatile"))
            {
                continue;
            }
            let written = flow.modifiers(at).find_map(Scope::parse);
            // A load or a store without a scope need not be decoded.
            let Some(scope) = written.or_else(|| legal?.scope.map(|scope| scope.value)) else { continue };
            let instruction = flow.instruction(at);
            let Some(provenance) = flow
                .address_provenance(instruction)
                .filter(|provenance| provenance.space != Some(PointedSpace::Shared))
            else {
                continue;
            };
            if legal.is_some_and(|legal| !matches!(legal.space.value, types::Space::Global | types::Space::Generic)) {
                continue;
            }
            // Unknown offsets are equal only if they are the same value.
            let anchor = provenance.offset().is_none().then_some(provenance.anchor);
            let memory = match provenance.root {
                Root::Variable(at) if provenance.space == Some(PointedSpace::Global) => {
                    let name = &flow.declaration(at).name;
                    let is_local = item.contains(&name.range.start) || anchor.is_some();
                    (!is_local).then(|| AccessedMemory::Variable(name.text.to_string()))
                }
                Root::Parameter(..) => None,
                _ => continue,
            };
            let memory = memory.unwrap_or_else(|| {
                let next = locals.len();
                AccessedMemory::Local(*locals.entry((provenance.root, anchor)).or_insert(next))
            });
            let check_scope = legal.is_some() && (scope != Scope::Cta || !flow.is_same_in_all_ctas(&provenance));
            let range = instruction.opcode.range().start - base..instruction.opcode.range().end - base;
            self.accesses.push(MemoryAccess { memory, offset: provenance.offset(), scope, check_scope, range });
        }
    }
}
