//! `.version` and `.target`: there, known, and one fit for the other.

use super::rule;
use crate::module::Context;
use crate::{Edit, Finding, Fix};
use isa::target::{Target, Version};
use std::ops::Range;
use syntax::Token;

/// Words of `.target` that are no target.
const OPTIONS: [&str; 5] = ["texmode_unified", "texmode_independent", "texmode_raw", "debug", "map_f64_to_f32"];

/// Checks the head of a module; as for the assembler, the first problem hides the others.
pub(crate) fn check(context: &Context, findings: &mut Vec<Finding>) {
    let header = &context.header;
    let Some(version) = &header.version else {
        return findings.push(missing(
            header.body_at.clone(),
            ".version",
            "the PTX version that it is written in",
            "9.5",
        ));
    };
    let number = Version::parse(&version.text).filter(|version| version.is_known());
    let Some(number) = number else {
        return findings.push(unknown_version(version));
    };
    if header.targets.is_empty() {
        return findings.push(missing(header.body_at.clone(), ".target", "the architecture that it is for", "sm_90"));
    }
    for word in header.targets.iter().filter(|word| !OPTIONS.contains(&&*word.text)) {
        match Target::parse(&word.text) {
            None => findings.push(unknown_target(word)),
            Some(target) if number < target.since() => findings.push(too_new(word, target, number, version)),
            Some(_) => {}
        }
    }
}

fn missing(at: Range<usize>, directive: &str, what: &str, example: &str) -> Finding {
    Finding {
        help: format!("a module begins with `.version` and then `.target`: write `{directive} {example}` before this"),
        ..finding("missing-directive", at, format!("the module does not say {what}: `{directive}` is missing"))
    }
}

fn unknown_version(token: &Token) -> Finding {
    let newest = Version::NEWEST;
    let message = match Version::parse(&token.text) {
        Some(version) if version > newest => {
            format!("PTX {version} is newer than any version known here; the newest is {newest}")
        }
        _ => format!("there is no PTX version `{}`", token.text),
    };
    let help = format!("write one between 1.0 and {newest}, the lowest that has what the module uses");
    Finding { help, ..finding("unknown-version", token.range.clone(), message) }
}

fn unknown_target(token: &Token) -> Finding {
    let near: Vec<_> =
        Target::all().filter(|target| alike(target.name(), &token.text)).map(|target| format!("`{target}`")).collect();
    let help = match near.as_slice() {
        [] => "write an architecture such as `sm_90`, or an option such as `debug`".to_owned(),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    Finding { help, ..finding("unknown-target", token.range.clone(), format!("no target is called `{}`", token.text)) }
}

/// One letter more, less or other.
fn alike(a: &str, b: &str) -> bool {
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a.as_bytes()[common..], &b.as_bytes()[common..]);
    let tail = |s: &[u8]| s.get(1..).unwrap_or_default().to_vec();
    tail(a) == tail(b) || a == tail(b) || tail(a) == b
}

fn too_new(word: &Token, target: Target, number: Version, version: &Token) -> Finding {
    let since = target.since();
    let edit = Edit { range: version.range.clone(), text: since.to_string() };
    Finding {
        help: format!("write `.version {since}` or newer"),
        related: vec![crate::Related { range: version.range.clone(), message: "the module's version".to_owned() }],
        fixes: vec![Fix { title: format!("raise `.version` to {since}"), edits: vec![edit] }],
        ..finding(
            "requires-ptx-version",
            word.range.clone(),
            format!("`{target}` is known since PTX {since}; the module is written in PTX {number}"),
        )
    }
}

fn finding(code: &str, range: Range<usize>, message: String) -> Finding {
    let rule = rule(code).expect("the rule is registered");
    Finding {
        code: rule.code,
        severity: rule.severity,
        range,
        message,
        help: String::new(),
        related: Vec::new(),
        fixes: Vec::new(),
    }
}
