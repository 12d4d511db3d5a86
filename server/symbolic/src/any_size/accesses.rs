//! The memory that threads access in a part of a kernel.

use crate::any_size::arithmetic::TermValue;
use crate::any_size::evaluation::EvaluatedPart;
use crate::any_size::execute::{ExecutedInstruction, address, execute, guard};
use crate::any_size::part::KernelPart;
use crate::any_size::polynomial::Polynomial;
use crate::any_size::state::TermContext;
use crate::any_size::terms::Atom;
use isa::types::{Scope, Sem};
use program::{AccessOrder, InstructionMemory, MachineAction, MachineAddress, MemorySpace, OrderSpelling};
use std::collections::BTreeSet;

/// An access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicAccess {
    /// The instruction.
    pub at: u32,
    /// What it accesses.
    pub memory: SymbolicMemory,
    /// The offset of its first byte.
    pub offset: Polynomial,
    /// The number of bits of the offset: it counts modulo their power of two.
    pub bits: u32,
    /// The bytes of an element, and the number of elements.
    pub shape: (u32, u32),
    /// Whether it writes.
    pub kind: SymbolicAccessKind,
    /// The order.
    pub order: AccessOrder,
    /// The conditions under which it is executed.
    pub facts: Vec<u32>,
}

/// Whether an access writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolicAccessKind {
    /// It reads.
    Read,
    /// It writes, or reads and writes.
    Write,
}

/// The memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolicMemory {
    /// A variable in shared memory, by its index.
    Shared(u16),
    /// What a parameter points to, by its offset.
    Pointer(u64),
    /// It is not known.
    Unknown(UnknownSpace),
}

/// The space of an access whose memory is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnknownSpace {
    /// Shared memory.
    Shared,
    /// Global memory.
    Global,
    /// One of both.
    Either,
}

impl SymbolicMemory {
    /// Whether two accesses may be to the same memory although they are not known to be.
    pub const fn may_be(self, other: Self) -> bool {
        match (self.space(), other.space()) {
            (UnknownSpace::Either, _) | (_, UnknownSpace::Either) => true,
            (one, other) => one as u8 == other as u8,
        }
    }

    /// The space.
    pub const fn space(self) -> UnknownSpace {
        match self {
            Self::Shared(_) => UnknownSpace::Shared,
            Self::Pointer(_) => UnknownSpace::Global,
            Self::Unknown(space) => space,
        }
    }
}

impl SymbolicAccess {
    /// The bytes.
    pub const fn bytes(&self) -> u32 {
        self.shape.0 * self.shape.1
    }

    /// Whether both may race if they overlap: strong accesses of one size that include each other do not. Volatile ones do not synchronize, and what they
    /// leave depends on their order.
    pub fn races_with(&self, other: &Self, distance: ThreadDistance) -> bool {
        let writes = [self.kind, other.kind].contains(&SymbolicAccessKind::Write);
        let includes = |one: &Self| match (one.order.sem, one.order.scope) {
            _ if one.order.spelling == OrderSpelling::Volatile => false,
            (Sem::Weak, _) => false,
            (_, Scope::Cta | Scope::Cluster) => distance == ThreadDistance::SameBlock,
            (_, Scope::Gpu | Scope::Sys) => true,
        };
        let are_strong = includes(self) && includes(other) && self.shape == other.shape && self.shape.1 == 1;
        writes && !are_strong
    }
}

/// How far two threads are from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadDistance {
    /// In one block.
    SameBlock,
    /// In different blocks of the grid.
    OtherBlock,
}

/// The accesses of a part, without those to memory of one thread; an error is an instruction that is not known here.
///
/// # Errors
/// The instruction.
pub fn accesses(
    context: &mut TermContext,
    part: &KernelPart,
    evaluated: &EvaluatedPart,
) -> Result<Vec<SymbolicAccess>, u32> {
    let mut accesses = Vec::new();
    for (block, begin) in &evaluated.begins {
        let mut state = begin.clone();
        let (start, end) = context.flow.blocks[*block].instructions;
        for at in start..end {
            let action = &context.function().code[at].action;
            if let Some((place, shape, kind, order)) = accessed(action).map_err(|()| at as u32)? {
                let condition = guard(context, &state, at);
                let mut holding = state.clone();
                if holding.assume(&condition, &mut context.facts) {
                    let known = known_access(context, address(context, &state, place), place.space);
                    accesses.extend(known.map(|(memory, offset, bits)| SymbolicAccess {
                        at: at as u32,
                        memory,
                        offset,
                        bits,
                        shape,
                        kind,
                        order,
                        facts: holding.facts,
                    }));
                }
            }
            execute(
                context,
                &mut state,
                ExecutedInstruction { interval: part.interval, block: *block as u32, at: at as u32 },
            );
        }
    }
    let pointers = pointers(context, &accesses);
    for access in &mut accesses {
        choose_pointer(context, access, &pointers);
    }
    Ok(accesses)
}

type Accessed<'p> = (&'p MachineAddress, (u32, u32), SymbolicAccessKind, AccessOrder);

/// What an instruction accesses; an error if it is not known here.
fn accessed(action: &MachineAction) -> Result<Option<Accessed<'_>>, ()> {
    if action.flow().call().is_some() {
        return Err(());
    }
    Ok(match action.memory() {
        InstructionMemory::None => None,
        InstructionMemory::Load(load) => {
            let shape = (load.element_bytes, load.elements.len() as u32);
            Some((&load.address, shape, SymbolicAccessKind::Read, load.order))
        }
        InstructionMemory::Store(store) => {
            let shape = (store.element_bytes, store.elements.len() as u32);
            Some((&store.address, shape, SymbolicAccessKind::Write, store.order))
        }
        InstructionMemory::Update(atomic) => {
            Some((&atomic.address, (atomic.shape().bytes(), 1), SymbolicAccessKind::Write, atomic.order))
        }
        InstructionMemory::Fill(_)
        | InstructionMemory::Matrix
        | InstructionMemory::Mbarrier(_)
        | InstructionMemory::Image(_)
        | InstructionMemory::TensorMap(_)
        | InstructionMemory::Copy(_)
        | InstructionMemory::TensorCopy(_)
        | InstructionMemory::Answer
        | InstructionMemory::Descriptors
        | InstructionMemory::Unknown => return Err(()),
    })
}

/// The memory, the offset and its bits; none for memory of one thread, and for memory that nobody writes.
fn known_access(
    context: &TermContext,
    address: TermValue,
    space: MemorySpace,
) -> Option<(SymbolicMemory, Polynomial, u32)> {
    let unknown = match space {
        MemorySpace::Generic => UnknownSpace::Either,
        MemorySpace::Global => UnknownSpace::Global,
        MemorySpace::SharedCta | MemorySpace::SharedCluster => UnknownSpace::Shared,
        MemorySpace::Constant | MemorySpace::Local | MemorySpace::Frame | MemorySpace::Parameter => return None,
    };
    let TermValue::Number(number, _) = address else {
        return Some((SymbolicMemory::Unknown(unknown), Polynomial::default(), 64));
    };
    let is_variable = |atom: u32| matches!(context.terms.get(atom), Atom::SharedVariable(_));
    let variables: Vec<u32> = number.atoms().filter(|atom| is_variable(*atom)).collect();
    let found = match (&*variables, space) {
        ([atom], MemorySpace::Generic | MemorySpace::SharedCta | MemorySpace::SharedCluster) => {
            match context.terms.get(*atom) {
                Atom::SharedVariable(variable) if number.coefficient(&[*atom]) == 1 => {
                    let offset = number.plus(&Polynomial::atom(*atom), -1);
                    Some((SymbolicMemory::Shared(*variable), offset, 32))
                }
                _ => None,
            }
        }
        _ => None,
    };
    let bits = if unknown == UnknownSpace::Shared { 32 } else { 64 };
    Some(found.unwrap_or((SymbolicMemory::Unknown(unknown), number, bits)))
}

/// What is added to a pointer is smaller than this.
const LARGEST_OFFSET: i128 = 1 << 36;

/// The parameters that an offset may begin at.
fn bases(context: &TermContext, access: &SymbolicAccess) -> Vec<u64> {
    // Variables of the module have addresses that are large numbers.
    if access.memory.space() == UnknownSpace::Shared || access.offset.constant().abs() >= LARGEST_OFFSET {
        return Vec::new();
    }
    let base = |(monomial, coefficient): (&Vec<u32>, i128)| match (&**monomial, coefficient) {
        ([atom], 1) => match context.terms.get(*atom) {
            Atom::Parameter(offset, 8) => Some(*offset),
            _ => None,
        },
        _ => None,
    };
    access.offset.terms().filter_map(base).collect()
}

/// The parameters that are the only ones which an address may begin at.
fn pointers(context: &TermContext, accesses: &[SymbolicAccess]) -> BTreeSet<u64> {
    let only = accesses.iter().filter_map(|access| match &*bases(context, access) {
        [one] => Some(*one),
        _ => None,
    });
    only.collect()
}

fn choose_pointer(context: &TermContext, access: &mut SymbolicAccess, pointers: &BTreeSet<u64>) {
    let bases: Vec<u64> = bases(context, access).into_iter().filter(|base| pointers.contains(base)).collect();
    let [base] = *bases else { return };
    if let Some(atom) = context.terms.find(&Atom::Parameter(base, 8)) {
        access.offset = access.offset.plus(&Polynomial::atom(atom), -1);
        access.memory = SymbolicMemory::Pointer(base);
    }
}
