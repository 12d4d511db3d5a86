//! The parameters of a kernel that it uses as the addresses of tensor maps.

use crate::Kernel;
use program::{
    InstructionMemory, KernelParameter, MachineAction, MachineAddress, MachineFunction, MemorySpace, Source,
    TensorMapInstruction,
};
use std::collections::BTreeSet;

impl Kernel {
    /// Whether the kernel copies by the tensor map whose address is a parameter, or changes it, as far as loads and moves show.
    pub fn uses_as_map(&self, parameter: &KernelParameter) -> bool {
        let function = &self.program.functions[self.index];
        let actions = || function.code.iter().map(|instruction| &instruction.action);
        let mut holders = BTreeSet::new();
        loop {
            let is_new = |slot: &u32| !holders.contains(slot);
            let found = actions().filter_map(|action| holder(function, action, &holders, parameter)).find(is_new);
            match found {
                Some(slot) => holders.insert(slot),
                None => break,
            };
        }
        let is_held = |map: &MachineAddress| matches!(map.base, Source::Register(slot) if holders.contains(&slot));
        actions().any(|action| match action.memory() {
            InstructionMemory::TensorCopy(copy) => is_held(&copy.map),
            InstructionMemory::TensorMap(TensorMapInstruction::Replace { map, .. }) => is_held(map),
            InstructionMemory::TensorMap(TensorMapInstruction::Copy { to, from }) => is_held(to) || is_held(from),
            _ => false,
        })
    }
}

/// The register that gets a parameter by an action, if some registers hold it.
fn holder(
    function: &MachineFunction,
    action: &MachineAction,
    holders: &BTreeSet<u32>,
    parameter: &KernelParameter,
) -> Option<u32> {
    if let Some(load) = action.memory().load() {
        let MachineAddress { space: MemorySpace::Parameter, base: Source::Constant(at), offset } = load.address else {
            return None;
        };
        let address = function.constants.get(at as usize)?[0].wrapping_add_signed(offset);
        let [Some(first), ..] = load.elements[..] else { return None };
        return (address == u64::from(parameter.offset)).then_some(first.slot);
    }
    match action.copied_register().or(action.converted_address()) {
        Some((to, Source::Register(from))) => holders.contains(&from).then_some(to.slot),
        Some((_, Source::Constant(_))) | None => None,
    }
}
