//! Loops that wait until another thread changes a value in memory.

use crate::effects::{AccessKind, FunctionEffects, MemoryEffect, SyncAccess, SyncProxy};
use crate::values::{Definition, DefinitionSite, FunctionValues, OperandValue, Provenance, Root};
use std::ops::RangeInclusive;

/// The maximum number of instructions of a loop.
const MAX_LENGTH: usize = 256;

/// The maximum number of definitions between a load and the branch that tests its value.
const MAX_DEPTH: usize = 8;

/// A load that a loop repeats until its value changes.
#[derive(Clone, Copy)]
pub struct Poll {
    /// The index of the load.
    pub at: usize,
    /// What it accesses.
    pub access: SyncAccess,
    /// Where.
    pub address: Provenance,
}

impl FunctionEffects<'_, '_> {
    /// The loops that only wait: all that they access is what they test.
    pub fn polls(&self) -> &[Poll] {
        self.polls.get_or_init(|| self.find_polls())
    }

    fn find_polls(&self) -> Vec<Poll> {
        let mut polls: Vec<Poll> = Vec::new();
        for (branch, target) in self.flow.branches() {
            let Some(top) = target.filter(|top| *top <= branch && branch - *top <= MAX_LENGTH) else {
                continue;
            };
            for poll in self.polls_in(top..=branch) {
                if polls.iter().all(|known| known.at != poll.at) {
                    polls.push(poll);
                }
            }
        }
        polls
    }

    fn polls_in(&self, body: RangeInclusive<usize>) -> Vec<Poll> {
        let effects = self.effects_in(*body.start()..*body.end() + 1);
        // Most loops have a write; values are traced only in others.
        let may_wait = effects.iter().all(|(_, effect)| match effect {
            MemoryEffect::Access(access) => access.kind != AccessKind::Write,
            MemoryEffect::WarpOperation | MemoryEffect::WarpBarrier => true,
            _ => false,
        });
        let is_repeated = |(at, effect): &(usize, MemoryEffect)| match effect {
            MemoryEffect::Access(access) => is_repeatable(self.flow, *at, access),
            _ => true,
        };
        if effects.is_empty() || !may_wait || !effects.iter().all(is_repeated) {
            return Vec::new();
        }
        let tests: Vec<(usize, usize)> = body.clone().filter_map(|at| Some((at, self.branch_register(at)?))).collect();
        let poll = |(at, effect): &(usize, MemoryEffect)| {
            let MemoryEffect::Access(access) = effect else { return None };
            let address = self.address(*at, access.operand?)?;
            // A pointer that is loaded in the loop is one of a list, unless the load of the flag is strong.
            let is_computed = |definition: Definition| match definition.site {
                DefinitionSite::Instruction(at) | DefinitionSite::Guarded(at) => body.contains(&at),
                _ => false,
            };
            let is_loaded = matches!(address.anchor.0, Root::Value(definition) if is_computed(definition));
            if !is_invariant(self.flow, &address, &body) || access.order.is_none() && is_loaded {
                return None;
            }
            let slice = Slice { flow: self.flow, load: *at, body: &body };
            let reached = |(test, register): &(usize, usize)| slice.reaches(*register, *test, MAX_DEPTH);
            // A loop that repeats a weak load and may end for another reason is a search or counts up to what it loads, which compilers do not
            // always simplify.
            let is_tested = match access.order {
                Some(_) => tests.iter().any(reached),
                None => tests.iter().all(|test| reached(test) && slice.decides_alone(test.1, test.0, MAX_DEPTH)),
            };
            is_tested.then_some(Poll { at: *at, access: *access, address })
        };
        effects.iter().filter_map(poll).collect()
    }

    /// The register that guards a branch.
    fn branch_register(&self, at: usize) -> Option<usize> {
        if self.flow.mnemonic(at) != "bra" {
            return None;
        }
        match self.flow.guard(at) {
            Some((OperandValue::Register(register), _)) => Some(register),
            _ => None,
        }
    }
}

/// Whether an access may be repeated without an effect: a load, or an atomic addition of zero.
fn is_repeatable(flow: &FunctionValues, at: usize, access: &SyncAccess) -> bool {
    match access.kind {
        AccessKind::Read => access.proxy == SyncProxy::Generic && !access.asynchronous,
        AccessKind::Write => false,
        AccessKind::Update => {
            let value = || flow.instruction(at).values.get(2).and_then(|value| flow.constant(value, at));
            (flow.has(at, "add") || flow.has(at, "or")) && value() == Some(0)
        }
    }
}

/// Whether an address is the same in all iterations of a loop.
fn is_invariant(flow: &FunctionValues, address: &Provenance, body: &RangeInclusive<usize>) -> bool {
    let (root, _) = address.anchor;
    match root {
        Root::Variable(_) | Root::Parameter(..) => true,
        Root::Zero => false,
        Root::Value(definition) => is_same_value(flow, definition, body, MAX_DEPTH),
    }
}

/// Whether a value is the same in all iterations of a loop. One that the loop computes, or loads as a pointer, is if all that it is made of is.
fn is_same_value(flow: &FunctionValues, definition: Definition, body: &RangeInclusive<usize>, depth: usize) -> bool {
    match definition.site {
        DefinitionSite::Entry => true,
        DefinitionSite::Instruction(at) if body.contains(&at) => {
            let is_pure =
                matches!(flow.mnemonic(at), "ld" | "add" | "sub" | "mul" | "mad" | "shl" | "cvt" | "cvta" | "mov");
            if !is_pure || depth == 0 {
                return false;
            }
            let mut registers = Vec::new();
            let sources = flow.instruction(at).values.iter().skip(1);
            sources.for_each(|value| value.registers(&mut |register| registers.push(register)));
            registers.into_iter().all(|register| is_same_value(flow, flow.reaching(register, at), body, depth - 1))
        }
        DefinitionSite::Instruction(at) | DefinitionSite::Guarded(at) => !body.contains(&at),
        DefinitionSite::Merge(block) => flow.blocks().is_some_and(|blocks| !body.contains(&blocks.start(block))),
        DefinitionSite::Unknown(_) => false,
    }
}

/// The computation of a condition, backwards to a load.
struct Slice<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    load: usize,
    body: &'f RangeInclusive<usize>,
}

impl Slice<'_, '_> {
    /// Whether the value of a register depends on the load.
    fn reaches(&self, register: usize, at: usize, depth: usize) -> bool {
        self.comes_from_load(self.flow.reaching(register, at), depth)
    }

    /// Whether the value of a register changes in the loop only with what the load reads.
    fn decides_alone(&self, register: usize, at: usize, depth: usize) -> bool {
        const COMPUTATIONS: [&str; 14] =
            ["setp", "set", "selp", "and", "or", "xor", "not", "add", "sub", "mul", "cvt", "shl", "shr", "mov"];
        let flow = self.flow;
        match flow.reaching(register, at).site {
            DefinitionSite::Entry => true,
            DefinitionSite::Instruction(writer) if writer == self.load => true,
            DefinitionSite::Instruction(writer) if self.body.contains(&writer) => {
                let sources = flow.instruction(writer).values.iter().skip(1);
                let is_unchanged = |value: &OperandValue| {
                    let mut registers = Vec::new();
                    value.registers(&mut |used| registers.push(used));
                    // Special registers, such as clocks, are none of these.
                    let is_known = !registers.is_empty() || flow.constant(value, writer).is_some();
                    is_known && registers.into_iter().all(|used| self.decides_alone(used, writer, depth - 1))
                };
                depth > 0 && COMPUTATIONS.contains(&flow.mnemonic(writer)) && sources.into_iter().all(is_unchanged)
            }
            DefinitionSite::Instruction(_) => true,
            DefinitionSite::Merge(block) => {
                flow.blocks().is_some_and(|blocks| !self.body.contains(&blocks.start(block)))
            }
            DefinitionSite::Guarded(writer) => !self.body.contains(&writer),
            DefinitionSite::Unknown(_) => false,
        }
    }

    /// Whether a definition in the loop depends on the load.
    fn comes_from_load(&self, definition: Definition, depth: usize) -> bool {
        let writer = match definition.site {
            DefinitionSite::Instruction(writer) | DefinitionSite::Guarded(writer) => writer,
            _ => return false,
        };
        if writer == self.load {
            return true;
        }
        // A pointer that another load is made with is not what is tested.
        if depth == 0 || !self.body.contains(&writer) || self.flow.mnemonic(writer) == "ld" {
            return false;
        }
        let mut registers = Vec::new();
        self.flow
            .instruction(writer)
            .values
            .iter()
            .skip(1)
            .for_each(|value| value.registers(&mut |used| registers.push(used)));
        registers.into_iter().any(|used| self.reaches(used, writer, depth - 1))
    }
}
