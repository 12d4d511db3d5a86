//! The pages of rules, instructions, modifiers, directives, special registers and words of GPUs.

mod coverage;
mod index;

use crate::features::describe_architecture;
use diagnostics::did_you_mean;
use diagnostics::registry::{RULES, rule};
pub use index::index;
use isa::{Module, Resolution, Spelling, reference, sass};

/// The topic of the page of what is checked.
const COVERAGE: &str = "coverage";

/// What divides the pages of a topic.
const RULE: &str = "\n---\n\n";

/// The page of a rule, of an instruction such as `multimem.red` or `REDG`, of a full spelling or of a part of one (`atom.add`), of a directive, a special register or a modifier; the
/// error names the closest ones.
pub fn page(topic: &str) -> Result<String, String> {
    let topic = topic.trim().trim_end_matches(';');
    if topic == COVERAGE {
        return Ok(coverage::page());
    }
    if let Some(rule) = rule(topic) {
        return Ok(rule.page.to_owned());
    }
    let found = match topic.strip_prefix('.') {
        Some(word) => word_page(word),
        None if topic.starts_with('%') => reference::special_register(topic),
        None => isa::doc::mnemonic(topic),
    };
    if let Some(page) = found.or_else(|| isa::glossary::page(topic)).or_else(|| describe_architecture(topic)) {
        return Ok(page);
    }
    let mut words = topic.split('.');
    let mnemonic = words.next().unwrap_or_default();
    let modifiers: Vec<&str> = words.collect();
    if sass::mnemonics().contains(&mnemonic) {
        return machine(topic, mnemonic, &modifiers);
    }
    form(topic, &Spelling { mnemonic, modifiers: &modifiers }).or_else(|error| {
        let register = || reference::special_register(&format!("%{topic}"));
        word_page(topic).or_else(register).ok_or(error)
    })
}

/// The pages of a word without its dot: as a directive, a type or an option of a directive, and as a modifier.
fn word_page(word: &str) -> Option<String> {
    let directive = reference::directive(&format!(".{word}")).or_else(|| reference::directive(word));
    let pages: Vec<_> = directive.into_iter().chain(reference::modifier(word)).collect();
    (!pages.is_empty()).then(|| pages.join(RULE))
}

/// The page of a form.
fn form(topic: &str, spelling: &Spelling) -> Result<String, String> {
    match isa::resolve(spelling, &Module::default()) {
        Resolution::Legal(instruction) => Ok(isa::doc::instruction(spelling, &instruction, &Module::default())),
        // A word that is no instruction may be a misspelled code.
        Resolution::Illegal(reasons)
            if reasons.iter().any(|reason| reason.code == isa::ReasonCode::UnknownInstruction) =>
        {
            Err(unknown(topic))
        }
        Resolution::Illegal(reasons) => incomplete(spelling, &reasons).ok_or_else(|| {
            let found = match reasons.first() {
                Some(reason) if reason.help.is_empty() => reason.message.clone(),
                Some(reason) => format!("{}; {}", reason.message, reason.help),
                None => format!("`{topic}` is not legal"),
            };
            // The message names a few modifiers, the page all.
            let is_modifier = |reason: &isa::Reason| {
                matches!(reason.code, isa::ReasonCode::UnknownModifier | isa::ReasonCode::IllegalModifier)
            };
            let name = isa::opcode_of(spelling).filter(|_| reasons.first().is_some_and(is_modifier));
            let page = name.map(|name| format!("; `ptx-atomics explain {name}` lists all"));
            found + &page.unwrap_or_default()
        }),
        Resolution::Unknown => Err(unknown(topic)),
    }
}

/// The page of the forms that a spelling is a part of, such as `atom.add` and `mad.s32`. `None` if it has other mistakes than missing modifiers.
fn incomplete(spelling: &Spelling, reasons: &[isa::Reason]) -> Option<String> {
    // A type is illegal on `mad` and legal on `mad.lo`: the words of the name may be what is missing.
    let may_lack_words = |reason: &isa::Reason| {
        matches!(reason.code, isa::ReasonCode::MissingModifier | isa::ReasonCode::IllegalType)
            || reason.at.is_some_and(|at| isa::doc::is_beginning(spelling, at))
    };
    if reasons.iter().all(may_lack_words) { isa::doc::narrowed(spelling) } else { None }
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
    let words = isa::directives::directives().iter().map(|directive| directive.word);
    let registers = isa::special::registers().iter().map(|register| register.name);
    let terms = isa::glossary::terms().iter().flat_map(|term| term.names.iter().copied());
    let registers = registers.chain(terms).chain(isa::glossary::cuda_functions().iter().map(|function| function.name));
    let all = codes.clone().chain(names).chain(words).chain(registers).chain([COVERAGE]);
    if let Some(near) = did_you_mean(&complaint, topic, all) {
        return near;
    }
    let about: Vec<_> = codes.filter(|code| code.split('-').any(|word| word == topic)).collect();
    match about.as_slice() {
        [] => format!("{complaint}; `ptx-atomics explain` lists all pages"),
        about => format!("{complaint}; did you mean {}?", about.join(", ")),
    }
}
