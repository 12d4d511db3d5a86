//! What the rules on a module as a whole know of each of its items: what it does to memory, and which orders it has.
//!
//! A summary is true as long as the item's text is, so that an edit elsewhere costs nothing here.

use crate::flow::{Flow, PointedSpace, Root};
use crate::interest::Interest;
use isa::types::{self, Scope, Sem};
use std::ops::Range;

/// What a module's rules want to know of one item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pub acquires: bool,
    pub releases: bool,
    /// Atomics that order in one direction only.
    pub one_sided: Vec<OneSided>,
    pub touches: Vec<Touch>,
}

/// An atomic with `.acquire` or `.release`.
#[derive(Clone, Debug)]
pub(crate) struct OneSided {
    pub acquire: bool,
    /// The modifier, from the start of the item.
    pub range: Range<usize>,
}

/// An access that counts as one towards a scope.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    /// The variable, or the parameter and the byte of it that holds the address; also how far from there, where that is not a number.
    pub name: String,
    /// Whether the name is the function's own.
    pub own: bool,
    pub offset: Option<i64>,
    pub scope: Scope,
    /// Whether it can come apart: it is an atomic, and no other rule speaks of its scope.
    pub judged: bool,
    /// The opcode, from the start of the item.
    pub range: Range<usize>,
}

impl Summary {
    /// Takes up an instruction that is no atomic.
    pub(crate) fn order(&mut self, interest: Interest) {
        self.acquires |= interest.acquires;
        self.releases |= interest.releases;
    }

    /// Takes up what a function does; its item begins at `base`.
    pub(crate) fn take_up(&mut self, flow: &Flow, base: usize) {
        for (_, step, legal) in flow.atomics() {
            let range = step.word("sem");
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
            // The host may be on the other side of what all of the system sees.
            if (acquire || release) && scope != Some(Scope::Sys) {
                self.one_sided.push(OneSided { acquire, range });
            }
        }
        self.touch(flow, base);
    }

    fn touch(&mut self, flow: &Flow, base: usize) {
        let item = base..flow.len().checked_sub(1).map_or(base, |last| flow.step(last).range.end);
        for at in 0..flow.len() {
            if !matches!(flow.mnemonic(at), "atom" | "red" | "ld" | "st")
                || flow.has(at, "param")
                || flow.has(at, "volatile")
            {
                continue;
            }
            let written = Scope::ALL.iter().copied().find(|scope| flow.has(at, scope.word()));
            let legal = || flow.step(at).atomic;
            let Some(scope) = written.or_else(|| legal()?.scope.map(|scope| scope.value)) else { continue };
            let step = flow.step(at);
            let Some(place) = flow.address(step).filter(|place| place.space != Some(PointedSpace::Shared)) else {
                continue;
            };
            let legal = legal();
            if legal.is_some_and(|legal| !matches!(legal.space.value, types::Space::Global | types::Space::Generic)) {
                continue;
            }
            let (mut own, mut name) = match place.root {
                Root::Variable(at) if place.space == Some(PointedSpace::Global) => {
                    let name = &flow.declaration(at).name;
                    match item.contains(&name.range.start) {
                        // Another of this name may be declared in another block.
                        true => (true, format!("{} {}", name.text, name.range.start - base)),
                        false => (false, name.text.to_string()),
                    }
                }
                Root::Parameter(at, from) => (true, format!("{}+{from}", flow.declaration(at).name.text)),
                _ => continue,
            };
            if place.offset().is_none() {
                // Two distances that are not known are the same only where they are one value.
                own = true;
                name = format!("{name} {:?}", place.anchor);
            }
            let judged = legal.is_some() && (scope != Scope::Cta || !flow.is_common(&place));
            let range = step.opcode.range.start - base..step.opcode.range.end - base;
            self.touches.push(Touch { name, own, offset: place.offset(), scope, judged, range });
        }
    }
}
