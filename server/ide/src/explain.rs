//! The pages of rules, instructions and modifiers.

use diagnostics::did_you_mean;
use diagnostics::registry::{RULES, rule};
use isa::{Module, Resolution, Spelling, sass};
use std::fmt::Write;

/// The list of all pages, as Markdown.
pub fn index() -> String {
    let mut text = "# Codes\n\n".to_owned();
    for rule in RULES {
        let (severity, preset) = (rule.severity.name(), rule.preset.name());
        let _ = writeln!(text, "- `{}` ({severity}, preset `{preset}`): {}", rule.code, rule.summary);
    }
    text += "\n# Instructions\n\n";
    let evaluated = crate::evaluate::evaluated();
    for opcode in isa::opcodes() {
        let computed = if evaluated.contains(&opcode) { " (`eval` computes it)" } else { "" };
        let _ = writeln!(text, "- `{opcode}`{computed}");
    }
    text += "\n# Machine instructions (SASS)\n\n";
    for name in sass::mnemonics() {
        let _ = writeln!(text, "- `{name}`");
    }
    text
}

/// The page of a code, of an instruction such as `multimem.red` or `REDG`, or of a full spelling; the error names the closest ones.
pub fn page(topic: &str) -> Result<String, String> {
    if let Some(rule) = rule(topic) {
        return Ok(rule.page.to_owned());
    }
    if let Some(page) = isa::doc::mnemonic(topic) {
        return Ok(page);
    }
    let mut words = topic.trim().trim_end_matches(';').split('.');
    let mnemonic = words.next().unwrap_or_default();
    let modifiers: Vec<&str> = words.collect();
    if sass::mnemonics().contains(&mnemonic) {
        return machine(topic.trim().trim_end_matches(';'), mnemonic, &modifiers);
    }
    let spelling = Spelling { mnemonic, modifiers: &modifiers };
    match isa::resolve(&spelling, &Module::default()) {
        Resolution::Legal(instruction) => Ok(isa::doc::instruction(&spelling, &instruction, &Module::default())),
        // A word that is no instruction may be a misspelled code.
        Resolution::Illegal(reasons)
            if reasons.iter().any(|reason| reason.code == isa::ReasonCode::UnknownInstruction) =>
        {
            Err(unknown(topic))
        }
        Resolution::Illegal(reasons) => Err(match reasons.first() {
            Some(reason) if reason.help.is_empty() => reason.message.clone(),
            Some(reason) => format!("{}; {}", reason.message, reason.help),
            None => format!("`{topic}` is not legal"),
        }),
        Resolution::Unknown => Err(unknown(topic)),
    }
}

/// The page of a SASS instruction, by its mnemonic or its whole opcode.
fn machine(topic: &str, mnemonic: &str, modifiers: &[&str]) -> Result<String, String> {
    if modifiers.is_empty() {
        return sass::doc::mnemonic(mnemonic).ok_or_else(|| unknown(topic));
    }
    match sass::resolve(mnemonic, modifiers, sass::SassContext::default()) {
        sass::SassResolution::Legal(legal) => Ok(sass::doc::opcode(topic, &legal)),
        sass::SassResolution::Illegal(reason) if reason.help.is_empty() => Err(reason.message),
        sass::SassResolution::Illegal(reason) => Err(format!("{}; {}", reason.message, reason.help)),
        sass::SassResolution::Unknown => Err(unknown(topic)),
    }
}

fn unknown(topic: &str) -> String {
    let complaint = format!("no page on `{topic}`");
    let codes = RULES.iter().map(|rule| rule.code);
    let names = isa::opcodes().chain(sass::mnemonics());
    if let Some(near) = did_you_mean(&complaint, topic, codes.clone().chain(names)) {
        return near;
    }
    let about: Vec<_> = codes.filter(|code| code.split('-').any(|word| word == topic)).collect();
    match about.as_slice() {
        [] => format!("{complaint}; `ptx-atomics explain` lists all pages"),
        about => format!("{complaint}; did you mean {}?", about.join(", ")),
    }
}
