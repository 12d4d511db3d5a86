//! Checks address operands: brackets, base, offset and state space.

use crate::operands::meaning::{Lookup, OperandMeaning};
use crate::operands::types::RegisterType;
use crate::operands::{OperandSite, scalar};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE, WRONG_SPACE};
use diagnostics::{CheckResult, Diagnostic, insert, replace};
use isa::types::Space;
use isa::{GivenModifier, OperandSpec};
use std::ops::{Range, RangeInclusive};
use syntax::{ConstantType, Declaration, Operand, OperandKind, ParameterKind, Token};

/// What an address begins with, for messages.
const ADDRESSABLE: &str = "a register or a variable as address";

/// Checks an address operand in the space that the instruction accesses there.
pub(super) fn check(site: &OperandSite, operand: &Operand, accessed: GivenModifier<Space>) -> CheckResult {
    let family = site.legal.family.name;
    match operand.kind {
        OperandKind::Address => {}
        // Measured: `ptxas` accepts `_` as the address of `red`.
        OperandKind::Sink if family == "red" => return Ok(()),
        // Measured: other instructions reject it.
        OperandKind::Subscript if matches!(family, "ld" | "ldu" | "st" | "multimem.red") => {
            return match array(&site.lookup, operand)? {
                Some((variable, name)) => space(site, variable, &name, accessed),
                None => Err(no_brackets(site, operand)?),
            };
        }
        _ => return Err(no_brackets(site, operand)?),
    }
    let Some(address) = operand.address() else {
        return if operand.token.text.contains(',') { Err(no_coordinates(operand)) } else { Ok(()) };
    };
    if let Some(offset) = &address.offset {
        site.lookup.offset(&Operand::new(offset.clone()))?;
    }
    base(site, &address.base, accessed)
}

/// Checks what the address begins with.
fn base(site: &OperandSite, base: &Operand, accessed: GivenModifier<Space>) -> CheckResult {
    let family = site.legal.family.name;
    let Some(meaning) = site.lookup.meaning(base)? else { return Ok(()) };
    let widths = widths_of_address(site, accessed.value);
    match &meaning {
        OperandMeaning::Special { .. } if rejects_special(family) || is_register_only(site) => {
            Err(meaning.unexpected(&OPERAND_KIND, &base.token, ADDRESSABLE).help("copy it into a register first"))
        }
        OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. }
            if ty.is_integer() && widths.contains(&ty.bits) =>
        {
            Ok(())
        }
        OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. } => {
            let expected = match *widths.start() {
                64 if family == "multimem.red" => "a 64-bit multimem address",
                32 if ty.is_integer() => "an address of 32 or 64 bits",
                _ => "an integer address",
            };
            Err(meaning.unexpected(&OPERAND_TYPE, &base.token, expected).help("use a `.b64` or `.u64` register"))
        }
        OperandMeaning::Variable(variable) if is_register_only(site) => Err(meaning
            .unexpected(&OPERAND_KIND, &base.token, "a register as address")
            .help(format!("move the address of `{}` into a register first", variable.name.text))),
        OperandMeaning::Variable(variable) => {
            direction(site, variable, &base.token)?;
            space(site, variable, &base.token, accessed)
        }
        // Measured: local memory has constant addresses.
        OperandMeaning::Constant(_) if site.legal.word("space") == Some("local") => Ok(()),
        OperandMeaning::Constant(_) => Err(Diagnostic::new(
            &OPERAND_KIND,
            base.token.range.clone(),
            format!("unsupported constant address `{}`", base.token.text),
        )
        .help("move the address into a register, or use a variable")),
        _ => Err(meaning
            .unexpected(&OPERAND_KIND, &base.token, ADDRESSABLE)
            .help("use a 64-bit register, or a variable in memory")),
    }
}

/// Whether a special register is no address for an instruction. Measured: most accept it.
fn rejects_special(family: &str) -> bool {
    family == "prefetchu" || family.starts_with("mbarrier.") && family != "mbarrier.check_layout"
}

/// Whether the address has to be in a register. Measured: the assembler adds an offset to it.
fn is_register_only(site: &OperandSite) -> bool {
    site.legal.family.name == "st.bulk" && site.legal.word("space").is_some()
}

/// The widths of registers that are accepted as addresses, in bits. Measured: most instructions accept narrow registers. Those that convert the address do not:
/// one that may be generic to one in shared memory, or the other way round.
fn widths_of_address(site: &OperandSite, accessed: Space) -> RangeInclusive<u32> {
    let family = site.legal.family.name;
    let is_shared = !matches!(accessed, Space::Generic | Space::Global);
    match family {
        "multimem.red" | "tensormap.query.alloc_class_large" => 64..=64,
        "multimem.st.async" | "multimem.red.async" => 32..=64,
        "tcgen05.commit" | "tensormap.replace" => 32..=64,
        "prefetch" if site.legal.at("tensormap").is_some() => 32..=64,
        "st.bulk" | "createpolicy.range" | "tcgen05.alloc" => 32..=64,
        "st.async" | "red.async" | "cp.async.mbarrier.arrive" | "ldmatrix" | "stmatrix" if !is_shared => 32..=64,
        _ if family.starts_with("wmma.") => 32..=64,
        _ => 0..=64,
    }
}

/// The array of which an operand is an element, and its name, if the index is an integer.
pub(super) fn array<'n, 'a>(
    lookup: &Lookup<'n, 'a>,
    operand: &Operand<'a>,
) -> CheckResult<Option<(&'n Declaration<'a>, Token<'a>)>> {
    let Some((array, index)) = operand.parts().filter(|_| operand.kind == OperandKind::Subscript) else {
        return Ok(None);
    };
    let indexed = match lookup.meaning(&index)? {
        Some(OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. }) => {
            ty.is_integer() && ty.bits <= 64
        }
        Some(OperandMeaning::Sum { .. } | OperandMeaning::Variable(_) | OperandMeaning::Label(_)) | None => true,
        Some(OperandMeaning::Constant(literal)) => literal == ConstantType::Integer,
        Some(_) => false,
    };
    Ok(match lookup.meaning(&array)? {
        Some(OperandMeaning::Variable(variable)) if variable.array && indexed => Some((variable, array.token)),
        _ => None,
    })
}

/// The diagnostic for an address without brackets.
pub(super) fn no_brackets(site: &OperandSite, operand: &Operand) -> CheckResult<diagnostics::Diagnostic> {
    let (text, range) = (&operand.token.text, operand.token.range.clone());
    let meaning = site.lookup.meaning(operand)?;
    let found = meaning.as_ref().map_or(String::new(), |meaning| format!(", found {}", meaning.describe()));
    let report = Diagnostic::new(&OPERAND_KIND, range.clone(), format!("address operand must be in brackets{found}"));
    let addressable = matches!(
        meaning,
        Some(OperandMeaning::Register { element: false, .. } | OperandMeaning::Variable(_) | OperandMeaning::Sum { .. }) if operand.kind != OperandKind::Element
    );
    let declaration = meaning.as_ref().and_then(OperandMeaning::declaration);
    Ok(if addressable {
        report
            .help(format!("write `[{text}]`"))
            .fix(format!("Replace with `[{text}]`"), [insert(range.start, "["), insert(range.end, "]")])
    } else {
        report.help("write `[a]`, where `a` is a 64-bit register or a variable in memory").declared(declaration)
    })
}

/// The diagnostic for an address with coordinates.
fn no_coordinates(operand: &Operand) -> diagnostics::Diagnostic {
    let message = format!("expected one address in brackets, found `{}`", operand.token.text);
    Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message).help("write `[a]` or `[a+offset]`")
}

/// Checks an address that is converted: a value, or a variable of the space that the modifier `slot` names.
pub(super) fn symbol(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let element = array(&site.lookup, operand)?.map(|(variable, _)| variable);
    let slot = wanted.space.unwrap_or("space");
    let word = site.legal.word(slot).unwrap_or(slot);
    let begin = operand.parts().filter(|_| operand.kind == OperandKind::Sum).map(|(base, _)| base);
    let variable = match site.lookup.meaning(begin.as_ref().unwrap_or(operand))? {
        Some(OperandMeaning::Variable(variable)) => variable,
        _ if let Some(variable) = element => variable,
        // Measured: `mapa` and `getctarank` accept it.
        Some(OperandMeaning::Function(function)) if site.legal.family.name == "cvta" => {
            return Err(no_variable(operand, word).declared(Some(function)));
        }
        _ => return scalar::value(site, operand, wanted.ty),
    };
    let (declared, name) = (&*variable.space.text, &variable.name.text);
    if declared.strip_prefix('.') == word.split("::").next() {
        return if begin.is_some() { Ok(()) } else { of(operand, variable) };
    }
    let message =
        format!("`{name}` is in `{declared}` memory, but this instruction converts addresses of `.{word}` memory");
    Err(Diagnostic::new(&WRONG_SPACE, operand.token.range.clone(), message)
        .help(format!("use a variable in `.{word}` memory, or a register"))
        .declared(Some(variable)))
}

/// Checks that a variable has an address. Measured: with an offset, those of calls have one, too.
pub(super) fn of(operand: &Operand, variable: &Declaration) -> CheckResult {
    if variable.space.text != ".param" || variable.parameter.is_some() {
        return Ok(());
    }
    let message = format!("cannot take the address of `{}`, an argument or a result of calls", operand.token.text);
    Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
        .help("use a `.local` variable, or `ld.param` and `st.param` with its name")
        .declared(Some(variable)))
}

/// The diagnostic for the address of a function, which is in no state space.
fn no_variable(operand: &Operand, word: &str) -> Diagnostic {
    let message = format!("expected an address in `.{word}` memory, found `{}`, a function", operand.token.text);
    Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
        .help(format!("use a variable in `.{word}` memory, or a register"))
}

/// Checks that a function reads its parameters and writes its results.
fn direction(site: &OperandSite, variable: &Declaration, token: &Token) -> CheckResult {
    let name = &token.text;
    let (message, help) = match (site.legal.family.name, variable.parameter) {
        ("st", Some(ParameterKind::Input)) => (
            format!("cannot store to `{name}`, a parameter that the function only reads"),
            "keep the value in a register, or in a `.local` variable",
        ),
        ("ld", Some(ParameterKind::Result)) => (
            format!("cannot load from `{name}`, a result that the function only writes"),
            "keep the value in a register, and store it before `ret`",
        ),
        _ => return Ok(()),
    };
    Err(Diagnostic::new(&OPERAND_KIND, token.range.clone(), message).help(help).declared(Some(variable)))
}

/// Whether a variable is a texture, a sampler or a surface. Measured: an array of them is only memory.
pub(super) fn is_reference(variable: &Declaration) -> bool {
    isa::types::is_opaque(&variable.ty.text) && !variable.array
}

/// Rejects textures, samplers and surfaces. Measured: loads, stores and those of matrices check this, other instructions do not.
fn opaque(site: &OperandSite, variable: &Declaration, token: &Token) -> CheckResult {
    let family = site.legal.family.name;
    let is_checked = match family {
        "ld" | "ldu" | "st" | "st.async" | "st.bulk" | "red.async" | "tcgen05.alloc" | "tcgen05.commit" => true,
        "multimem.st" | "multimem.st.async" | "multimem.red.async" | "createpolicy.range" => true,
        "ldmatrix" | "stmatrix" => site.legal.space.value == Space::Generic,
        _ => family.starts_with("wmma."),
    };
    if !is_checked || !is_reference(variable) {
        return Ok(());
    }
    Err(OperandMeaning::Variable(variable)
        .unexpected(&OPERAND_KIND, token, "a variable in memory")
        .help("use a texture or surface instruction, such as `tex` or `suld`"))
}

/// Whether an operand is a texture or a surface as the mbarrier of an asynchronous store or reduction. Measured: it is accepted in a space.
pub(super) fn is_opaque_mbarrier(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult<bool> {
    if wanted.name != "[mbar]"
        || !matches!(site.legal.family.name, "st.async" | "red.async")
        || site.accessed_space(wanted).value == Space::Generic
    {
        return Ok(false);
    }
    let Some(address) = operand.address() else { return Ok(false) };
    let meaning = site.lookup.meaning(&address.base)?;
    Ok(matches!(meaning, Some(OperandMeaning::Variable(variable)) if is_reference(variable)))
}

/// Whether an instruction accepts a texture or a surface, which is declared in global memory, in every space. Measured.
fn takes_opaque_anywhere(family: &str) -> bool {
    matches!(family, "atom" | "red" | "ldmatrix" | "stmatrix" | "prefetch" | "tensormap.replace")
        || ["cp.", "clusterlaunchcontrol."].iter().any(|group| family.starts_with(group))
}

/// Checks the state space of a variable.
pub(super) fn space(
    site: &OperandSite,
    variable: &Declaration,
    token: &Token,
    given: GivenModifier<Space>,
) -> CheckResult {
    opaque(site, variable, token)?;
    let declared = &*variable.space.text;
    let fits = match given.value {
        _ if is_reference(variable) && takes_opaque_anywhere(site.legal.family.name) => true,
        Space::Generic if given.at.is_some() => {
            let word = site.legal.word("space").unwrap_or_default();
            declared.trim_start_matches('.') == word.split("::").next().unwrap_or(word)
        }
        Space::Generic if site.legal.family.name == "prefetchu" => declared == ".global",
        Space::Generic => matches!(declared, ".global" | ".shared" | ".local"),
        Space::Global => declared == ".global",
        Space::SharedCta | Space::SharedCluster => declared == ".shared",
    };
    if fits {
        return Ok(());
    }
    let name = &token.text;
    let written = given.at.map_or(String::new(), |at| site.opcode.words()[at].to_owned());
    let word = format!(".{}", if written.is_empty() { given.value.word() } else { &written });
    let message = match given.value {
        Space::Generic if given.at.is_none() => {
            let what = if site.legal.family.is_atomic() { "atomics are" } else { "generic addressing is" };
            format!("{what} not supported on `{declared}` memory, in which `{name}` is declared")
        }
        _ => format!("`{name}` is in `{declared}` memory, but this instruction accesses `{word}` memory"),
    };
    let report = Diagnostic::new(&WRONG_SPACE, token.range.clone(), message).declared(Some(variable));
    let Some(at) = given.at else {
        return Err(match given.value {
            Space::Generic => report.help("declare the variable in `.global` or `.shared` memory"),
            _ => report.help(format!("use a variable in `{word}` memory")),
        });
    };
    let mut words = site.opcode.words();
    words[at] = declared.trim_start_matches('.');
    let spelling = isa::Spelling { mnemonic: &site.opcode.mnemonic.text, modifiers: &words };
    Err(match isa::is_legal(&spelling, &site.module) {
        Some(true) => report
            .help(format!("write `{declared}`"))
            .fix(format!("Replace with `{declared}`"), [replace(site.opcode.at(Some(at)), declared)]),
        _ => report.help(format!("use a variable in `{word}` memory")),
    })
}

/// The base register of an address that is narrower than 64 bits.
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
