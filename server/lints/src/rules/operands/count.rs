//! The number of operands: one too many, one too few, and which.
//!
//! Must not know types of registers.

use super::OperandSite;
use diagnostics::registry::OPERAND_COUNT;
use diagnostics::{Diagnostic, Verdict, insert, remove, replace};
use isa::{OperandSpec as Wanted, Resolution, Role, Spelling};
use syntax::{Operand, OperandKind};

/// Checks that there are as many operands as wanted.
pub(super) fn check(site: &OperandSite, wanted: &[Wanted], written: &[Operand]) -> Verdict {
    if wanted.len() == written.len() {
        return Ok(());
    }
    let family = site.legal.family.name;
    let list = wanted.iter().map(|operand| shape(site, operand)).collect::<Vec<_>>().join(", ");
    let full = format!("`{family}` takes {}: `{list}`", counted(wanted.len()));
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
        let at = site.legal.at("hint");
        return Err(Diagnostic::new(
            &OPERAND_COUNT,
            site.opcode.at(at),
            "`.L2::cache_hint` wants a cache policy, the last operand",
        )
        .help(format!("{full}; the policy is a 64-bit register that `createpolicy` fills"))
        .unsafe_fix("Remove `.L2::cache_hint`", [remove(site.opcode.at(at))]));
    }
    let too_many = written.len().saturating_sub(wanted.len());
    // What stands between the destination and the address is what is too much there.
    let place = wanted.iter().position(|operand| operand.role == Role::Address);
    let start = match (place, address_at) {
        (Some(place), Some(at)) if at == place + too_many => place,
        _ => wanted.len(),
    };
    match written.get(start..start + too_many) {
        Some([first, .., last] | [first @ last]) => {
            let range = first.token.range.start..last.token.range.end;
            let gone =
                match (start.checked_sub(1).and_then(|before| written.get(before)), written.get(start + too_many)) {
                    (_, Some(after)) => remove(range.start..after.token.range.start),
                    (Some(before), None) => remove(before.token.range.end..range.end),
                    (None, None) => remove(range.clone()),
                };
            let message = match too_many {
                1 => "this is one operand too many".to_owned(),
                n => format!("these are {n} operands too many"),
            };
            Err(Diagnostic::new(&OPERAND_COUNT, range, message)
                .help(full)
                .unsafe_fix("Remove what is too much", [gone]))
        }
        _ => {
            let names: Vec<_> = wanted[written.len()..].iter().map(|operand| format!("`{}`", operand.name)).collect();
            let message = match written.len() {
                0 => format!("`{family}` has no operands here"),
                n => format!("`{family}` has only {} here", counted(n)),
            };
            Err(Diagnostic::new(&OPERAND_COUNT, site.opcode.mnemonic.range.clone(), message).help(format!(
                "{full}; {} missing",
                names.join(" and ") + if names.len() == 1 { " is" } else { " are" }
            )))
        }
    }
}

/// Whether the instruction has no policy but could have one with the hint.
fn takes_policy(site: &OperandSite) -> bool {
    !site.legal.hint && site.legal.family.forms.iter().any(|form| form.operand_syntax.contains("policy"))
}

fn looks_like_policy(site: &OperandSite, written: &[Operand]) -> Verdict<bool> {
    let Some(last) = written.last() else { return Ok(false) };
    Ok(site.lookup.meaning(last)?.is_some_and(|meaning| super::scalar::is_policy(&meaning)))
}

fn counted(n: usize) -> String {
    match n {
        1 => "1 operand".to_owned(),
        n => format!("{n} operands"),
    }
}

/// An operand as the syntax line writes it, a vector in braces.
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
        format!("`{family}` returns nothing, so it has no destination"),
    );
    let gone = remove(destination.range.start..until);
    let (atom, can) = other_mnemonic(site, "red", "atom");
    let title = format!("Remove `{}`", destination.text);
    match can {
        true => report
            .help(format!("remove `{},`, or write `atom`, which returns the old value", destination.text))
            .unsafe_fix(title, [gone])
            .fix("Write `atom` to get the old value", atom),
        false => report.help(format!("remove `{},`", destination.text)).unsafe_fix(title, [gone]),
    }
}

fn destination_missing(site: &OperandSite, wanted: &[Wanted], written: &[Operand]) -> diagnostics::Diagnostic {
    let family = site.legal.family.name;
    let first = &written[0].token.range;
    let sink = if family == "atom" { "_" } else { "d" };
    let report = Diagnostic::new(
        &OPERAND_COUNT,
        first.clone(),
        format!("`{family}` returns a value, and no destination takes it"),
    );
    let (red, can) = other_mnemonic(site, "atom", "red");
    let list = wanted.iter().map(|operand| shape(site, operand)).collect::<Vec<_>>().join(", ");
    let help = match (family, can) {
        ("atom", true) => "write `_` as destination to drop the value, or `red`, which returns nothing".to_owned(),
        ("atom", false) => "write `_` as destination to drop the value".to_owned(),
        _ => format!("write `{list}`"),
    };
    let report = report.help(help);
    if family != "atom" {
        return report;
    }
    let report = if can { report.fix("Write `red`, which returns nothing", red) } else { report };
    report.fix(format!("Insert `{sink},`"), [insert(first.start, format!("{sink}, "))])
}

fn policy_without_hint(site: &OperandSite, written: &[Operand]) -> diagnostics::Diagnostic {
    let (before, last) = (&written[written.len() - 2].token, &written[written.len() - 1].token);
    let report = Diagnostic::new(
        &OPERAND_COUNT,
        last.range.clone(),
        "a last operand like this is a cache policy, which goes with `.L2::cache_hint`",
    );
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

/// The edit that writes another mnemonic, and whether it is one that the module has with these modifiers.
fn other_mnemonic(site: &OperandSite, from: &str, to: &str) -> (Option<diagnostics::Edit>, bool) {
    let words = site.opcode.words();
    let spelling = Spelling { mnemonic: to, modifiers: &words };
    let can = site.legal.family.name == from && matches!(isa::resolve(&spelling, &site.module), Resolution::Legal(_));
    (can.then(|| replace(site.opcode.mnemonic.range.clone(), to)), can)
}
