//! The address: brackets, what it starts from, what is added, and the state space that its symbol lies in.

use super::OperandSite;
use super::meaning::OperandMeaning;
use super::types::RegisterType;
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE, WRONG_SPACE};
use diagnostics::{Diagnostic, Verdict, insert, replace};
use isa::types::Space;
use std::ops::Range;
use syntax::{ConstantType, Declaration, Operand, OperandKind, Token};

/// Checks the operand that is the address.
pub(super) fn check(site: &OperandSite, operand: &Operand) -> Verdict {
    let family = site.legal.family.name;
    match operand.kind {
        OperandKind::Address => {}
        // Measured: a `red` may drop its address, whatever that means.
        OperandKind::Sink if family == "red" => return Ok(()),
        OperandKind::Subscript if family == "multimem.red" => return subscript(site, operand),
        _ => return Err(no_brackets(site, operand)?),
    }
    let Some(address) = operand.address() else { return Ok(()) };
    if let Some(offset) = &address.offset {
        site.lookup.offset(&Operand::new(offset.clone()))?;
    }
    let base = &address.base;
    let range = base.token.range.clone();
    let Some(meaning) = site.lookup.meaning(base)? else { return Ok(()) };
    match &meaning {
        OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. }
            if ty.is_integer() && ty.bits <= 64 && (ty.bits == 64 || family != "multimem.red") =>
        {
            Ok(())
        }
        OperandMeaning::Register { .. } | OperandMeaning::Special { .. } => Err(Diagnostic::new(
            &OPERAND_TYPE,
            range,
            match family {
                "multimem.red" => {
                    format!("a multimem address has 64 bits; `{}` is {}", base.token.text, meaning.describe())
                }
                _ => format!("an address is an integer; `{}` is {}", base.token.text, meaning.describe()),
            },
        )
        .help("write a register of type `.b64` or `.u64`")
        .declared(meaning.declaration())),
        OperandMeaning::Variable(variable) => space(site, variable, &base.token),
        OperandMeaning::Constant(_) => Err(Diagnostic::new(
            &OPERAND_KIND,
            range,
            format!(
                "`{}` is a constant; memory of this space has no addresses that are known so early",
                base.token.text
            ),
        )
        .help("put the address into a register, or name a variable")),
        _ => Err(Diagnostic::new(
            &OPERAND_KIND,
            range,
            format!("an address starts from a register or a variable; `{}` is {}", base.token.text, meaning.describe()),
        )
        .help("write a 64-bit register, or a variable in memory")
        .declared(meaning.declaration())),
    }
}

/// An element of an array in place of an address, which `multimem.red` alone takes (measured).
fn subscript(site: &OperandSite, operand: &Operand) -> Verdict {
    let Some((array, index)) = operand.parts() else { return Ok(()) };
    let indexed = match site.lookup.meaning(&index)? {
        Some(OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. }) => {
            ty.is_integer() && ty.bits <= 64
        }
        Some(OperandMeaning::Constant(literal)) => literal == ConstantType::Integer,
        Some(OperandMeaning::Variable(_) | OperandMeaning::Label(_)) | None => true,
        Some(_) => false,
    };
    match site.lookup.meaning(&array)? {
        Some(OperandMeaning::Variable(variable)) if variable.array && indexed => space(site, variable, &array.token),
        None => Ok(()),
        Some(_) => Err(no_brackets(site, operand)?),
    }
}

/// What to say of an address that stands there without brackets.
fn no_brackets(site: &OperandSite, operand: &Operand) -> Verdict<diagnostics::Diagnostic> {
    let (text, range) = (&operand.token.text, operand.token.range.clone());
    let meaning = site.lookup.meaning(operand)?;
    let about = meaning.as_ref().map_or(String::new(), |meaning| format!("; `{text}` is {}", meaning.describe()));
    let report = Diagnostic::new(&OPERAND_KIND, range.clone(), format!("the address stands in brackets{about}"));
    let addressable = matches!(
        meaning,
        Some(OperandMeaning::Register { element: false, .. } | OperandMeaning::Variable(_) | OperandMeaning::Sum { .. }) if operand.kind != OperandKind::Element
    );
    let declaration = meaning.as_ref().and_then(OperandMeaning::declaration);
    Ok(match addressable {
        true => report
            .help(format!("write `[{text}]`"))
            .fix(format!("Write `[{text}]`"), [insert(range.start, "["), insert(range.end, "]")]),
        false => report.help("write `[a]` with a 64-bit register or a variable in memory").declared(declaration),
    })
}

/// Checks a variable's space against the instruction's.
fn space(site: &OperandSite, variable: &Declaration, token: &Token) -> Verdict {
    let declared = &*variable.space.text;
    let given = site.legal.space;
    let fits = match given.value {
        Space::Generic => matches!(declared, ".global" | ".shared" | ".local"),
        Space::Global => declared == ".global",
        Space::SharedCta | Space::SharedCluster => declared == ".shared",
    };
    if fits {
        return Ok(());
    }
    let name = &token.text;
    let word = given.at.map_or(String::new(), |at| format!(".{}", site.opcode.words()[at]));
    let message = match given.value {
        Space::Generic => format!("`{name}` lies in `{declared}` space, which no atomic reaches"),
        _ => format!("`{name}` lies in `{declared}` memory, the instruction works on `{word}`"),
    };
    let report = Diagnostic::new(&WRONG_SPACE, token.range.clone(), message).declared(Some(variable));
    let Some(at) = given.at else {
        return Err(report.help("put the variable into `.global` or `.shared` memory"));
    };
    let mut words = site.opcode.words();
    words[at] = declared.trim_start_matches('.');
    let spelling = isa::Spelling { mnemonic: &site.opcode.mnemonic.text, modifiers: &words };
    Err(match isa::is_legal(&spelling, &site.module) {
        Some(true) => report
            .help(format!("write `{declared}`"))
            .fix(format!("Write `{declared}`"), [replace(site.opcode.at(Some(at)), declared)]),
        _ => report.help(format!("name a variable in `{word}` memory")),
    })
}

/// The register that an address starts from, where it is narrower than addresses of its space.
pub(super) fn narrow(site: &OperandSite, operand: &Operand) -> Option<(RegisterType, Range<usize>)> {
    if site.legal.space.value != Space::Generic && site.legal.space.value != Space::Global {
        return None;
    }
    let base = operand.address()?.base;
    match site.lookup.meaning(&base).ok()?? {
        OperandMeaning::Register { ty, .. } if ty.bits < 64 => Some((ty, base.token.range)),
        _ => None,
    }
}
