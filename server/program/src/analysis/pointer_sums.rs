//! Which registers have a pointer to which something is added: whatever that is, it is a place in the same memory.

use crate::analysis::register_webs::{RegisterWebs, Web, WebAccesses};
use crate::machine_program::{MachineAction, MachineInstruction};
use crate::operand::{MachineAddress, MemorySpace, Source};
use std::collections::BTreeMap;

/// Where a pointer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerOrigin {
    /// An instruction that converts it.
    Conversion(usize),
    /// Memory at an address, a register or a constant and an offset: what is there is taken to be a pointer to the same memory in each execution.
    Memory(MemorySpace, PointerBase, i64),
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerBase {
    /// A register.
    Web(Web),
    /// One of the constants of the function.
    Constant(u32),
}

impl PointerOrigin {
    /// What a function reads at an address whose base is free of some values. A thread's own memory may have it from whatever was stored there.
    fn of_memory(address: &MachineAddress, accesses: &WebAccesses, is_free: impl Fn(Web) -> bool) -> Option<Self> {
        let base = match address.base {
            Source::Register(register) => PointerBase::Web(accesses.read(register).filter(|web| is_free(*web))?),
            Source::Constant(constant) => PointerBase::Constant(constant),
        };
        (!address.space.is_own()).then_some(Self::Memory(address.space, base, address.offset))
    }
}

/// The webs of a function with sums of a pointer and something, each with the origin of the pointer. If that is converted, only one counts whose
/// value is free of others.
pub fn pointer_sums(
    code: &[MachineInstruction],
    webs: &RegisterWebs,
    is_free: impl Fn(Web) -> bool,
) -> BTreeMap<Web, PointerOrigin> {
    let mut definitions: BTreeMap<Web, Vec<usize>> = BTreeMap::new();
    for (at, accesses) in webs.instructions.iter().enumerate() {
        accesses.written.iter().for_each(|(_, web)| definitions.entry(*web).or_default().push(at));
    }
    definitions.retain(|web, written| webs.has_definitions(*web, written.len()));
    let mut sums = BTreeMap::new();
    loop {
        let before = sums.len();
        for (web, written) in &definitions {
            // What is added to the same register again and again changes no memory.
            let sources = written.iter().map(|at| addends(&code[*at].action, &webs.instructions[*at]));
            let others = written.iter().zip(sources).filter(|(_, sources)| !sources.contains(web));
            let mut pointers = others.map(|(at, sources)| {
                let action = &code[*at].action;
                if action.converted_address().is_some() && sources.iter().all(|source| is_free(*source)) {
                    return Some(PointerOrigin::Conversion(*at));
                }
                match action.memory().read_address() {
                    Some(address) => PointerOrigin::of_memory(address, &webs.instructions[*at], &is_free),
                    None => sources.iter().find_map(|source| sums.get(source).copied()),
                }
            });
            let Some(Some(first)) = pointers.next() else { continue };
            if pointers.all(|pointer| pointer == Some(first)) {
                sums.insert(*web, first);
            }
        }
        if sums.len() == before {
            return sums;
        }
    }
}

/// The webs that an instruction copies, or to which it adds something.
fn addends(action: &MachineAction, accesses: &WebAccesses) -> Vec<Web> {
    let registers = action.addends().into_iter().filter_map(|source| match source {
        Source::Register(register) => accesses.read(register),
        Source::Constant(_) => None,
    });
    registers.collect()
}
