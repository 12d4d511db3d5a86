//! `address-space`: address registers in a different state space than the instruction, because of a missing or redundant `cvta`.

use analysis::values::{FunctionValues, OperandValue, PointedSpace};
use diagnostics::registry::ADDRESS_SPACE;
use diagnostics::{Diagnostic, insert};
use isa::Role;

/// Checks every atomic whose address is derived from a conversion or a variable.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        // `wrong-space` checks variables in the brackets.
        let Some((operand, OperandValue::Address { base, .. })) = instruction.operand(Role::Address) else { continue };
        let (OperandValue::Register(_), Some(address)) = (&**base, operand.address()) else { continue };
        let Some(provenance) = flow.address_provenance(instruction) else { continue };
        let (Some(generic), Some(space)) = (provenance.generic, provenance.space) else { continue };
        let name = &address.base.token.text;
        let (message, help, shared) = match PointedSpace::parse(legal.space.value.word()) {
            // Generic and global addresses are the same numbers.
            None if space == PointedSpace::Global => continue,
            None if generic && matches!(space, PointedSpace::Shared) => continue,
            None => (
                if generic {
                    format!("atomics are not supported on `{}` memory, which `{name}` points to", space.word())
                } else {
                    format!("`{name}` holds a `{}` address, but this instruction requires a generic one", space.word())
                },
                match space {
                    PointedSpace::Shared => "write `.shared`, or convert the address with `cvta.shared.u64`",
                    _ => "use `.global` or `.shared` memory; on other memory the result is undefined",
                },
                space == PointedSpace::Shared,
            ),
            Some(wanted) if space != wanted => (
                format!(
                    "`{name}` holds a `{}` address, but this instruction requires a `{}` address",
                    space.word(),
                    wanted.word()
                ),
                "use an address in the state space of the instruction, or change the state space of the instruction",
                space == PointedSpace::Shared && !generic,
            ),
            Some(PointedSpace::Shared) if generic => (
                format!("`{name}` holds a generic address, but this instruction requires a `.shared` address"),
                "convert the address with `cvta.to.shared.u64`, or remove the `cvta.shared`, or remove `.shared` here",
                false,
            ),
            Some(_) => continue,
        };
        let mut report = Diagnostic::new(&ADDRESS_SPACE, address.base.token.range.clone(), message).help(help);
        if shared && legal.at("space").is_none() && flow.accepts(instruction, "shared") {
            report = report.fix("Insert `.shared`", [insert(instruction.opcode.mnemonic_range().end, ".shared")]);
        }
        diagnostics.push(report);
    }
}
