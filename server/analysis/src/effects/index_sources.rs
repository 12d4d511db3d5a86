//! What the offset of an address is computed from.

use crate::effects::FunctionEffects;
use crate::values::{Definition, DefinitionSite, FunctionValues, OperandValue, Root};
use foldhash::HashSet;

/// The maximum number of values that one query visits.
const MAX_VALUES: usize = 96;

impl FunctionEffects<'_, '_> {
    /// Whether the address in an operand is computed from its variable or parameter, indices of threads, loop counters and constants only.
    ///
    /// An address with another parameter or a loaded value may be in another array of the same buffer.
    pub fn is_indexed_by_thread(&self, at: usize, operand: usize, root: Root) -> bool {
        let flow = self.flow;
        let mut visited: HashSet<Definition> = HashSet::default();
        let mut worklist = Vec::new();
        if let Some(value) = flow.instruction(at).values.get(operand) {
            value.registers(&mut |register| worklist.push(flow.reaching(register, at)));
        }
        while let Some(definition) = worklist.pop() {
            if !visited.insert(definition) {
                continue;
            }
            if visited.len() > MAX_VALUES {
                return false;
            }
            match definition.site {
                DefinitionSite::Instruction(writer) if is_load_of(flow, writer, root) => {}
                DefinitionSite::Instruction(writer) if flow.fills_registers(writer) && !reads_memory(flow, writer) => {
                    let instruction = flow.instruction(writer);
                    let used = &mut |register| worklist.push(flow.reaching(register, writer));
                    instruction.values.iter().skip(1).for_each(|value| value.registers(used));
                }
                DefinitionSite::Merge(_) => match flow.incoming_values(definition) {
                    Some(incoming) => worklist.extend(incoming),
                    None => return false,
                },
                _ => return false,
            }
        }
        true
    }

    /// Whether the indices of an address have a constant part that is not in its constant offset, as in `(tid + 32) * 4` or `tid | 1024`.
    pub fn hides_constant(&self, at: usize, operand: usize, root: Root) -> bool {
        let flow = self.flow;
        let (mut visited, mut worklist) = (HashSet::<Definition>::default(), Vec::new());
        if let Some(value) = flow.instruction(at).values.get(operand) {
            value.registers(&mut |register| worklist.push((register, at)));
        }
        while let Some((register, at)) = worklist.pop() {
            let definition = flow.reaching(register, at);
            let DefinitionSite::Instruction(writer) = definition.site else { continue };
            if !visited.insert(definition) {
                continue;
            }
            if visited.len() > MAX_VALUES {
                return true;
            }
            let instruction = flow.instruction(writer);
            let found = flow.provenance(&OperandValue::Register(register), at);
            let is_address = found.is_some_and(|found| found.root == root);
            let first_addend = match flow.mnemonic(writer) {
                "or" | "xor" | "add" | "sub" | "max" => 1,
                "mad" => 3,
                _ => usize::MAX,
            };
            let is_part = |value: &OperandValue| flow.constant(value, writer).is_some_and(|number| number != 0);
            if !is_address && instruction.values.iter().skip(first_addend).any(is_part) {
                return true;
            }
            let used = &mut |register| worklist.push((register, writer));
            instruction.values.iter().skip(1).for_each(|value| value.registers(used));
        }
        false
    }
}

fn reads_memory(flow: &FunctionValues, at: usize) -> bool {
    matches!(flow.mnemonic(at), "ld" | "ldu" | "atom" | "call" | "tex" | "suld" | "tld4" | "shfl")
}

/// Whether an instruction loads the parameter that an address is derived from.
fn is_load_of(flow: &FunctionValues, at: usize, root: Root) -> bool {
    let Root::Parameter(parameter, _) = root else { return false };
    let loaded = flow.mnemonic(at) == "ld" && flow.has(at, "param");
    loaded
        && flow.instruction(at).values.get(1).is_some_and(|value| {
            matches!(value, OperandValue::Address { base, .. } if matches!(**base, OperandValue::Variable { at, .. } if at == parameter))
        })
}
