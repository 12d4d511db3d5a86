//! What programs assume of the hardware and the memory model does not promise: each is a change of the program to one that needs no more than the model.

use crate::Kernel;
use isa::types::{Op, Scope, Sem};
use program::{
    AccessOrder, MachineAddress, MachineFunction, OrderSpelling, PlainAccess, RegisterAccesses, Source, VectorParts,
};
use std::collections::BTreeSet;

/// Something that is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HardwareAssumption {
    /// Strong accesses to vectors of 16 bytes are single accesses.
    Vector16Atomic,
    /// An ordinary read of a word whose value a compare-and-swap of that word expects is a relaxed read.
    PlainReadBeforeCas,
    /// Volatile reads acquire, and volatile writes release.
    InOrderVolatile,
}

/// The bytes of a vector that is one access.
const VECTOR_BYTES: u32 = 16;

impl HardwareAssumption {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Vector16Atomic, Self::PlainReadBeforeCas, Self::InOrderVolatile];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vector16Atomic => "vector-16-atomic",
            Self::PlainReadBeforeCas => "plain-read-before-cas",
            Self::InOrderVolatile => "in-order-volatile",
        }
    }

    /// What is assumed, without a full stop.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Vector16Atomic => {
                "accesses to vectors of 16 bytes that are volatile or have an order are single accesses"
            }
            Self::PlainReadBeforeCas => {
                "an ordinary read whose value a compare-and-swap of the same word expects is a relaxed read"
            }
            Self::InOrderVolatile => "volatile reads acquire and volatile writes release, at the scope of the system",
        }
    }
}

impl Kernel {
    /// Changes the program to one for which an assumption holds. Returns whether some instruction depends on it.
    pub fn assume(&mut self, assumption: HardwareAssumption) -> bool {
        let functions = &mut self.program.functions;
        match assumption {
            HardwareAssumption::Vector16Atomic => change(functions, &mut |access| match access {
                PlainAccess::Load(load) => join(load.order, (load.element_bytes, load.elements.len()), &mut load.parts),
                PlainAccess::Store(store) => {
                    join(store.order, (store.element_bytes, store.elements.len()), &mut store.parts)
                }
            }),
            HardwareAssumption::InOrderVolatile => change(functions, &mut |access| match access {
                PlainAccess::Load(load) => synchronize(&mut load.order, Sem::Acquire),
                PlainAccess::Store(store) => synchronize(&mut store.order, Sem::Release),
            }),
            HardwareAssumption::PlainReadBeforeCas => {
                functions.iter_mut().map(relax_expected).filter(|is_changed| *is_changed).count() > 0
            }
        }
    }
}

/// Changes each load and store. Returns whether one was changed.
fn change(functions: &mut [MachineFunction], one: &mut dyn FnMut(PlainAccess) -> bool) -> bool {
    let code = functions.iter_mut().flat_map(|function| &mut function.code);
    let changed = code.filter_map(|instruction| instruction.action.plain_access()).map(one);
    changed.filter(|is_changed| *is_changed).count() > 0
}

/// A strong access to a vector of 16 bytes becomes one access.
fn join(order: AccessOrder, (element_bytes, elements): (u32, usize), parts: &mut VectorParts) -> bool {
    let is_it = order.sem != Sem::Weak && elements > 1 && element_bytes * elements as u32 == VECTOR_BYTES;
    if is_it {
        *parts = VectorParts::Whole;
    }
    is_it
}

/// A volatile access gets an order.
fn synchronize(order: &mut AccessOrder, sem: Sem) -> bool {
    let is_volatile = order.spelling == OrderSpelling::Volatile;
    if is_volatile {
        *order = AccessOrder::new(sem, Scope::Sys);
    }
    is_volatile
}

/// A compare-and-swap: where, what it expects, and its scope.
struct Swap {
    address: MachineAddress,
    expected: BTreeSet<u32>,
    scope: Scope,
}

/// Ordinary reads whose value a compare-and-swap of the same word expects become relaxed reads of its scope.
fn relax_expected(function: &mut MachineFunction) -> bool {
    let swaps: Vec<Swap> = function.code.iter().filter_map(|one| swap(one.action.memory().update()?)).collect();
    let found: Vec<(usize, Scope)> = (0..function.code.len())
        .filter_map(|at| {
            let load = function.code[at].action.memory().load().filter(|load| load.order.sem == Sem::Weak)?;
            let [Some(to)] = load.elements[..] else { return None };
            let is_same = |swap: &&Swap| is_same_place(function, swap.address, load.address);
            let swap = swaps.iter().filter(is_same).find(|swap| {
                let copies = copies_of(function, to.slot);
                swap.expected.iter().any(|register| copies.contains(register))
            })?;
            Some((at, swap.scope))
        })
        .collect();
    for (at, scope) in &found {
        if let Some(PlainAccess::Load(load)) = function.code[*at].action.plain_access() {
            load.order = AccessOrder::new(Sem::Relaxed, *scope);
        }
    }
    !found.is_empty()
}

fn swap(atomic: &program::Atomic) -> Option<Swap> {
    let expected = atomic.b.iter().filter_map(|source| register(*source)).collect();
    (atomic.in_global.op() == Op::Cas).then_some(Swap { address: atomic.address, expected, scope: atomic.order.scope })
}

const fn register(source: Source) -> Option<u32> {
    match source {
        Source::Register(register) => Some(register),
        Source::Constant(_) => None,
    }
}

/// Whether two addresses are the same distance from one register, which may be converted to another space.
fn is_same_place(function: &MachineFunction, one: MachineAddress, other: MachineAddress) -> bool {
    let origin = |address: MachineAddress| match address.base {
        Source::Register(register) => Some(converted_from(function, register)),
        Source::Constant(_) => None,
    };
    let is_same_base = match (origin(one), origin(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.base == other.base,
        _ => false,
    };
    is_same_base && one.offset == other.offset
}

/// The register that each instruction which writes a register converts or copies, and so on.
fn converted_from(function: &MachineFunction, from: u32) -> u32 {
    let mut current = from;
    for _ in 0..function.code.len() {
        let writes = |one: &&program::MachineInstruction| one.action.written().iter().any(|to| to.slot == current);
        let mut sources = function.code.iter().filter(writes).map(|writer| {
            let copied = writer.action.converted_address().or(writer.action.copied_register());
            copied.and_then(|(_, from)| register(from))
        });
        match sources.next().flatten() {
            Some(source) if source != current && sources.all(|other| other == Some(source)) => current = source,
            _ => return current,
        }
    }
    current
}

/// The registers that may have the value of one, or what is computed from it.
fn copies_of(function: &MachineFunction, from: u32) -> BTreeSet<u32> {
    let mut copies = BTreeSet::from([from]);
    loop {
        let before = copies.len();
        for one in function.code.iter().filter(|one| one.action.computation().is_some()) {
            let accesses = RegisterAccesses::of(&one.action).unwrap_or_default();
            if accesses.read.iter().any(|register| copies.contains(register)) {
                copies.extend(accesses.written);
            }
        }
        if copies.len() == before {
            return copies;
        }
    }
}
