//! Address registers of another space than the instruction's: a `cvta` is missing, or is one too many.

use crate::flow::{Flow, OperandValue, PointedSpace};
use diagnostics::registry::ADDRESS_SPACE;
use diagnostics::{Diagnostic, insert};
use isa::Role;

/// Looks at every atomic whose address is followed to a conversion or a variable.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        // A variable that stands in the brackets itself is the operands' business.
        let Some((operand, OperandValue::Address { base, .. })) = step.operand(Role::Address) else { continue };
        let (OperandValue::Register(_), Some(address)) = (&**base, operand.address()) else { continue };
        let Some(place) = flow.address(step) else { continue };
        let (Some(generic), Some(space)) = (place.generic, place.space) else { continue };
        let name = &address.base.token.text;
        let (message, help, shared) = match PointedSpace::parse(legal.space.value.word()) {
            // Generic addresses of global memory are the same numbers.
            None if space == PointedSpace::Global => continue,
            None if generic && matches!(space, PointedSpace::Shared) => continue,
            None => (
                match generic {
                    true => format!("`{name}` points to `{}` memory, which no atomic reaches", space.word()),
                    false => format!(
                        "`{name}` holds an address in `{}` memory, but without a space this instruction takes a generic one",
                        space.word()
                    ),
                },
                match space {
                    PointedSpace::Shared => "write `.shared`, or convert the address by `cvta.shared.u64`",
                    _ => "atomics reach `.global` and `.shared` memory only: elsewhere their result is undefined",
                },
                space == PointedSpace::Shared,
            ),
            Some(wanted) if space != wanted => (
                format!(
                    "`{name}` holds an address in `{}` memory, the instruction works on `{}`",
                    space.word(),
                    wanted.word()
                ),
                "take the address of something in the instruction's memory, or write the space of this one",
                space == PointedSpace::Shared && !generic,
            ),
            Some(PointedSpace::Shared) if generic => (
                format!("`{name}` holds a generic address, the instruction takes one in `.shared` memory"),
                "convert it back by `cvta.to.shared.u64`, leave the `cvta.shared` out, or leave `.shared` out here",
                false,
            ),
            Some(_) => continue,
        };
        let mut report = Diagnostic::new(&ADDRESS_SPACE, address.base.token.range.clone(), message).help(help);
        if shared && legal.at("space").is_none() && flow.takes(step, "shared") {
            report = report.fix("Write `.shared`", [insert(step.opcode.mnemonic.range.end, ".shared")]);
        }
        findings.push(report);
    }
}
