//! Hover on an illegal instruction: what is wrong, and the closest legal forms.

use super::family_name;
use crate::Hover;
use diagnostics::{Cause, Context, Settings};
use isa::{Module, Reason, ReasonCode, Resolution, Spelling, SpellingEdit, SpellingFix};
use std::fmt::Write;
use std::ops::Range;

/// The most forms.
const MOST: usize = 4;

/// The hover on the mnemonic of an illegal instruction, or on the modifier at fault.
pub(super) fn hover(
    spelling: &Spelling,
    (modifier, range): (Option<usize>, Range<usize>),
    reasons: &[Reason],
    context: &Context,
    settings: &Settings,
) -> Option<Hover> {
    let reason = reasons.first()?;
    let module = &context.module;
    let cause = Cause::of(reason, context.sources()).with_origins(&settings.origins);
    let error = error(&cause.message(), &cause.help_text());
    // The diagnostic is at the word at fault, so a client shows it with the hover only there.
    let (error, mut text) =
        if reason.at == modifier { (Some(error), String::new()) } else { (None, format!("{error}\n\n")) };
    let forms = closest_forms(spelling, reasons, module);
    if !forms.is_empty() {
        text.push_str("Closest legal forms:\n\n");
    }
    for form in forms {
        let _ = writeln!(text, "- {form}");
    }
    let name = family_name(spelling.mnemonic, spelling.modifiers);
    let Some(family) = isa::family(name) else { return Some(Hover { error, ..Hover::new(range, text) }) };
    let _ = write!(text, "\nPTX ISA: {}", isa::doc::manual_link(family));
    Some(Hover { error, page: Some(name.to_owned()), ..Hover::new(range, text.trim_start().to_owned()) })
}

/// A message and its help as Markdown.
pub(crate) fn error(message: &str, help: &str) -> String {
    let help = if help.is_empty() { String::new() } else { format!("\n\n{help}") };
    format!("**error**: {message}{help}")
}

/// The spellings that fixes lead to; without fixes, those with one modifier added, replaced or removed.
fn closest_forms(spelling: &Spelling, reasons: &[Reason], module: &Module) -> Vec<String> {
    let mut forms: Vec<String> =
        reasons.iter().flat_map(|reason| &reason.fixes).filter_map(|fix| fixed(spelling, fix, module)).collect();
    if let Some(reason) = reasons.first().filter(|_| forms.is_empty()) {
        forms = neighbors(spelling, reason, module);
    }
    let mut distinct: Vec<String> = Vec::new();
    for form in forms {
        if !distinct.contains(&form) {
            distinct.push(form);
        }
    }
    distinct.truncate(MOST);
    distinct
}

/// The spelling after a fix, with the target and the version that it requires.
fn fixed(spelling: &Spelling, fix: &SpellingFix, module: &Module) -> Option<String> {
    let renamed = fix.edits.iter().find_map(|edit| match edit {
        SpellingEdit::Rename { word } => Some(*word),
        _ => None,
    });
    let modifiers = fix.apply(spelling.modifiers);
    let spelling = Spelling { mnemonic: renamed.unwrap_or(spelling.mnemonic), modifiers: &modifiers };
    let raised = fix.apply_to_module(module);
    let written = spelling.text();
    (isa::is_legal(&spelling, &raised) == Some(true)).then(|| match raised == *module {
        true => format!("`{written}`"),
        false => format!("`{written}` (requires {})", what_is_raised(module, &raised)),
    })
}

/// The target and the version of the second module that the first does not have.
fn what_is_raised(module: &Module, raised: &Module) -> String {
    let target = raised.target.filter(|_| raised.target != module.target).map(|target| target.to_string());
    let version = raised.version.filter(|_| raised.version != module.version).map(|version| format!("PTX {version}"));
    target.into_iter().chain(version).collect::<Vec<_>>().join(" and ")
}

/// Legal spellings without one of the modifiers at fault, or with another in its place; if one is missing, with one more.
fn neighbors(spelling: &Spelling, reason: &Reason, module: &Module) -> Vec<String> {
    let without = |at: usize| {
        let words = spelling.modifiers.iter().enumerate();
        words.filter(|(index, _)| *index != at).map(|(_, word)| *word).collect::<Vec<_>>()
    };
    let bases: Vec<Vec<&str>> = match reason.code {
        ReasonCode::MissingModifier => vec![spelling.modifiers.to_vec()],
        _ => [reason.at, reason.other].into_iter().flatten().map(without).collect(),
    };
    let mut forms = Vec::new();
    for base in bases {
        let shorter = Spelling { mnemonic: spelling.mnemonic, modifiers: &base };
        if let Some(form) = conventional(&shorter, module) {
            forms.push(form);
            continue;
        }
        for candidate in isa::complete(&shorter, module).into_iter().filter(|candidate| candidate.finishes) {
            let words: Vec<&str> = base.iter().copied().chain([candidate.word]).collect();
            forms.extend(conventional(&Spelling { mnemonic: spelling.mnemonic, modifiers: &words }, module));
        }
    }
    forms
}

/// A legal spelling in the conventional order of its modifiers.
fn conventional(spelling: &Spelling, module: &Module) -> Option<String> {
    let Resolution::Legal(instruction) = isa::resolve(spelling, module) else { return None };
    let words: Vec<&str> = instruction.canonical_order().into_iter().map(|at| spelling.modifiers[at]).collect();
    Some(format!("`{}`", Spelling { mnemonic: spelling.mnemonic, modifiers: &words }.text()))
}
