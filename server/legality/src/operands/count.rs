//! `operand-count`: extra and missing operands.

use crate::operands::OperandSite;
use diagnostics::registry::{OPERAND_COUNT, OPERAND_RANGE};
use diagnostics::{CheckResult, Diagnostic, Edit, insert, remove, replace};
use isa::{OperandSpec as Wanted, Resolution, Role, Spelling};
use syntax::{Operand, OperandKind};

/// Checks the number of operands.
pub(super) fn check(site: &OperandSite, wanted: &[Wanted], written: &[Operand]) -> CheckResult {
    let optional = wanted.iter().filter(|operand| operand.optional).count();
    if (wanted.len() - optional..=wanted.len()).contains(&written.len()) {
        return Ok(());
    }
    let list = wanted.iter().map(|operand| shape(site, operand)).collect::<Vec<_>>().join(", ");
    let full = format!("write {}: `{list}`", counted(wanted.len()));
    let returns = wanted.iter().any(|operand| operand.role == Role::Destination);
    let address_at = written.iter().position(|operand| operand.kind == OperandKind::Address);
    let surplus = written.len() == wanted.len() + 1;
    let missing = written.len() + 1 == wanted.len();

    if surplus && !returns && address_at == Some(1) {
        return Err(destination_too_many(site, written));
    }
    if missing && returns && address_at == Some(0) {
        return Err(destination_missing(site, wanted, written));
    }
    if surplus && takes_policy(site) && looks_like_policy(site, written)? {
        return Err(policy_without_hint(site, written));
    }
    if missing && site.legal.hint {
        return Err(missing_policy(site, &full));
    }
    Err(extra_operands(wanted, written, address_at, &full)
        .unwrap_or_else(|| missing_operands(site, wanted, written, &full)))
}

/// Checks that the module has what an operand requires beyond its instruction.
pub(super) fn since(site: &OperandSite, wanted: &Wanted, written: &Operand) -> CheckResult {
    if site.module.supports(&wanted.since) {
        return Ok(());
    }
    let of_any_version = isa::Since { version: isa::Since::ALWAYS.version, ..wanted.since };
    let needed = match site.module.supports(&of_any_version) {
        true => format!("PTX {}", wanted.since.version),
        false => isa::doc::or_newer(wanted.since.targets),
    };
    let all = match wanted.since.version == of_any_version.version {
        true => needed.clone(),
        false => wanted.since.to_string(),
    };
    let (name, family) = (wanted.name, site.legal.family.name);
    if wanted.optional {
        let message = format!("operand `{name}` of `{family}` requires {needed}");
        return Err(Diagnostic::new(&OPERAND_COUNT, written.token.range.clone(), message)
            .help(format!("remove the operand, or compile for {all}")));
    }
    let message = format!("`{}` as operand `{name}` of `{family}` requires {needed}", written.token.text);
    Err(Diagnostic::new(&OPERAND_RANGE, written.token.range.clone(), message)
        .help(format!("use another value, or compile for {all}")))
}

fn missing_policy(site: &OperandSite, full: &str) -> Diagnostic {
    let range = site.opcode.at(site.legal.at("hint"));
    Diagnostic::new(&OPERAND_COUNT, range.clone(), "`.L2::cache_hint` requires a cache policy as the last operand")
        .help(format!("{full}; the policy is a 64-bit register, set with `createpolicy`"))
        .unsafe_fix("Remove `.L2::cache_hint`", [remove(range)])
}

/// The diagnostic for extra operands; `None` if there are none. `address_at` is the index of the written address.
fn extra_operands(wanted: &[Wanted], written: &[Operand], address_at: Option<usize>, full: &str) -> Option<Diagnostic> {
    let too_many = written.len().saturating_sub(wanted.len());
    // Operands between the destination and the address are the extra ones.
    let place = wanted.iter().position(|operand| operand.role == Role::Address);
    let start = match (place, address_at) {
        (Some(place), Some(at)) if at == place + too_many => place,
        _ => wanted.len(),
    };
    let extra = written.get(start..start + too_many)?;
    let (first, last) = (extra.first()?, extra.last()?);
    let range = first.token.range.start..last.token.range.end;
    let before = start.checked_sub(1).and_then(|before| written.get(before));
    let removal = match (before, written.get(start + too_many)) {
        (_, Some(after)) => remove(range.start..after.token.range.start),
        (Some(before), None) => remove(before.token.range.end..range.end),
        (None, None) => remove(range.clone()),
    };
    let noun = if too_many == 1 { "operand" } else { "operands" };
    let message = format!("unexpected {noun}: expected {}, found {}", counted(wanted.len()), written.len());
    let report = Diagnostic::new(&OPERAND_COUNT, range, message).help(full);
    Some(report.unsafe_fix(format!("Remove the extra {noun}"), [removal]))
}

fn missing_operands(site: &OperandSite, wanted: &[Wanted], written: &[Operand], full: &str) -> Diagnostic {
    let names: Vec<_> = wanted[written.len()..].iter().map(|operand| format!("`{}`", operand.name)).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    let message = format!("`{}` requires {}, found {}", site.legal.family.name, counted(wanted.len()), written.len());
    let report = Diagnostic::new(&OPERAND_COUNT, site.opcode.mnemonic.range.clone(), message)
        .help(format!("{full}; {} {verb} missing", names.join(" and ")));
    match missing_operand(wanted, written) {
        Some((title, edit)) => report.unsafe_fix(title, [edit]),
        None => report,
    }
}

/// The operand that is probably meant where one is missing: all lanes of a warp, or the destination where other assemblies name it once.
fn missing_operand(wanted: &[Wanted], written: &[Operand]) -> Option<(String, Edit)> {
    let (first, last) = (written.first()?, written.last()?);
    if written.len() + 1 != wanted.len() {
        return None;
    }
    if wanted.last()?.name == "membermask" {
        let edit = insert(last.token.range.end, format!(", {ALL_LANES}"));
        return Some((format!("Add the member mask `{ALL_LANES}`: all lanes"), edit));
    }
    let is_two_address = wanted.len() == 3 && wanted[0].role == Role::Destination && wanted[1].role == Role::Value;
    let text = &first.token.text;
    is_two_address
        .then(|| (format!("Insert `{text}` as the first source"), insert(first.token.range.end, format!(", {text}"))))
}

/// The mask of all lanes of a warp.
const ALL_LANES: &str = "0xffffffff";

/// Whether the instruction would take a cache policy with `.L2::cache_hint`.
fn takes_policy(site: &OperandSite) -> bool {
    !site.legal.hint
        && site
            .legal
            .family
            .forms
            .iter()
            .any(|form| form.operand_lists.iter().any(|list| list.syntax.contains("policy")))
}

fn looks_like_policy(site: &OperandSite, written: &[Operand]) -> CheckResult<bool> {
    let Some(last) = written.last() else { return Ok(false) };
    Ok(site.lookup.meaning(last)?.is_some_and(|meaning| crate::operands::scalar::is_policy(&meaning)))
}

fn counted(n: usize) -> String {
    match n {
        1 => "1 operand".to_owned(),
        n => format!("{n} operands"),
    }
}

/// An operand as in the syntax, a vector in braces.
fn shape(site: &OperandSite, operand: &Wanted) -> String {
    match operand.role {
        Role::Destination | Role::Value | Role::Compare if site.legal.lanes > 1 => format!("{{{}, …}}", operand.name),
        _ => operand.name.to_owned(),
    }
}

fn destination_too_many(site: &OperandSite, written: &[Operand]) -> diagnostics::Diagnostic {
    let family = site.legal.family.name;
    let destination = &written[0].token;
    let until = written[1].token.range.start;
    let report = Diagnostic::new(
        &OPERAND_COUNT,
        destination.range.clone(),
        format!("unexpected destination: `{family}` returns no value"),
    );
    let gone = remove(destination.range.start..until);
    let (atom, can) = other_mnemonic(site, "red", "atom");
    let title = format!("Remove `{}`", destination.text);
    if can {
        report
            .help(format!("remove `{},`, or write `atom`, which returns the old value", destination.text))
            .unsafe_fix(title, [gone])
            .fix("Replace with `atom`, which returns the old value", atom)
    } else {
        report.help(format!("remove `{},`", destination.text)).unsafe_fix(title, [gone])
    }
}

fn destination_missing(site: &OperandSite, wanted: &[Wanted], written: &[Operand]) -> diagnostics::Diagnostic {
    let family = site.legal.family.name;
    let first = &written[0].token.range;
    let sink = if family == "atom" { "_" } else { "d" };
    let report =
        Diagnostic::new(&OPERAND_COUNT, first.clone(), format!("missing destination: `{family}` returns a value"));
    let (red, can) = other_mnemonic(site, "atom", "red");
    let list = wanted.iter().map(|operand| shape(site, operand)).collect::<Vec<_>>().join(", ");
    let help = match (family, can) {
        ("atom", true) => {
            "write `_` as the destination to discard the value, or `red`, which returns no value".to_owned()
        }
        ("atom", false) => "write `_` as the destination to discard the value".to_owned(),
        _ => format!("write `{list}`"),
    };
    let report = report.help(help);
    if family != "atom" {
        return report;
    }
    let report = if can { report.fix("Replace with `red`, which returns no value", red) } else { report };
    report.fix(format!("Insert `{sink},`"), [insert(first.start, format!("{sink}, "))])
}

fn policy_without_hint(site: &OperandSite, written: &[Operand]) -> diagnostics::Diagnostic {
    let (before, last) = (&written[written.len() - 2].token, &written[written.len() - 1].token);
    let report = Diagnostic::new(&OPERAND_COUNT, last.range.clone(), "cache policy requires `.L2::cache_hint`");
    let at = site.legal.at("vec").or(site.legal.at("type"));
    let mut words = site.opcode.words();
    let place = at.unwrap_or(words.len());
    words.insert(place, "L2::cache_hint");
    let hinted = isa::is_legal(&Spelling { mnemonic: &site.opcode.mnemonic.text, modifiers: &words }, &site.module);
    let gap = at.map_or(site.opcode.range.end, |at| site.opcode.at(Some(at)).start);
    let removed = remove(before.range.end..last.range.end);
    let report = report.unsafe_fix(format!("Remove `{}`", last.text), [removed]);
    match hinted {
        Some(true) => report
            .help(format!("remove `{}`, or add `.L2::cache_hint`", last.text))
            .fix("Add `.L2::cache_hint`", [insert(gap, ".L2::cache_hint")]),
        _ => report.help(format!("remove `{}`", last.text)),
    }
}

/// The edit that replaces the mnemonic, if the result is legal, and whether it is.
fn other_mnemonic(site: &OperandSite, from: &str, to: &str) -> (Option<diagnostics::Edit>, bool) {
    let words = site.opcode.words();
    let spelling = Spelling { mnemonic: to, modifiers: &words };
    let can = site.legal.family.name == from && matches!(isa::resolve(&spelling, &site.module), Resolution::Legal(_));
    (can.then(|| replace(site.opcode.mnemonic.range.clone(), to)), can)
}
