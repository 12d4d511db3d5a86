//! The pages of directives, types, special registers and modifiers, and the summaries of lists.

use crate::directives;
use crate::directives::Directive;
use crate::pages::doc::{modifier_details, section_link};
use crate::since::requirement;
use crate::special;
use crate::special::SpecialRegister;
use crate::tables::table;
use crate::tables::table::mnemonic;
use crate::vocabulary;
use std::fmt::Write;

/// The first sentence of a paragraph.
pub fn first_sentence(paragraph: &str) -> &str {
    paragraph.find(". ").map_or(paragraph, |end| &paragraph[..=end])
}

/// The sentences of a paragraph after the first.
pub fn further_sentences(paragraph: &str) -> &str {
    paragraph[first_sentence(paragraph).len()..].trim_start()
}

/// The page of a directive or of a type of declarations, by its word with the dot.
pub fn directive(word: &str) -> Option<String> {
    let found = directives::find(word)?;
    Some(format!("# {word}\n\n{}", directive_details(found)))
}

/// The page of a directive without its title.
pub fn directive_details(found: &Directive) -> String {
    format!("{}\n\n{}", found.summary, directive_facts(found))
}

/// What follows the summary of a directive.
pub fn directive_facts(found: &Directive) -> String {
    let mut text = format!("PTX ISA: {}\n\n", section_link(found.section));
    if !found.operands.is_empty() {
        let _ = write!(text, "```ptx\n{} {}\n```\n\n", found.word, found.operands);
    }
    if !found.snippet.is_empty() {
        let _ = write!(text, "For example:\n\n```ptx\n{} {}\n```\n\n", found.word, plain(&found.snippet));
    }
    let _ = writeln!(text, "Allowed {}. Requires {}.", found.place.description(), requirement(&found.since));
    text
}

/// The text of a snippet with its default values.
fn plain(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet;
    while let Some((before, placeholder)) = rest.split_once('$') {
        text += before;
        match placeholder.strip_prefix('{').and_then(|body| body.split_once('}')) {
            Some((body, after)) => {
                text += body.split_once(':').map_or("", |(_, default)| default);
                rest = after;
            }
            None => rest = placeholder.trim_start_matches(|c: char| c.is_ascii_digit()),
        }
    }
    (text + rest).replace("\t\n", "")
}

/// The page of a special register by its name with `%`.
pub fn special_register(name: &str) -> Option<String> {
    // The pages of a numbered family have `#` for the number.
    let found = special::find(name).or_else(|| special::registers().iter().find(|register| register.name == name))?;
    Some(format!("# {}\n\n{}", found.name, special_register_details(found)))
}

/// The page of a special register without its title.
pub fn special_register_details(found: &SpecialRegister) -> String {
    format!("{}\n\n{}", found.summary, special_register_facts(found))
}

/// What follows the summary of a special register.
pub fn special_register_facts(found: &SpecialRegister) -> String {
    let mut text = String::new();
    let section = match found.count {
        0 => format!("Special Registers: {}", found.name),
        _ => "Special Registers".to_owned(),
    };
    let _ = writeln!(text, "PTX ISA: {}\n", section_link(&section));
    let _ = writeln!(text, "- Type: `{}`", found.ty);
    if found.parts {
        text += "- Components: `.x`, `.y`, `.z`\n";
    }
    if found.count > 0 {
        let last = found.name.replace('#', &(found.count - 1).to_string());
        let _ = writeln!(text, "- Names: `{}` to `{last}`", found.first_name());
    }
    let _ = writeln!(text, "- Requires {}", requirement(&found.since));
    text
}

/// The page of a modifier without its dot: its meanings, and the instructions that have it with what each requires.
pub fn modifier(word: &str) -> Option<String> {
    let mut meanings: Vec<(&str, &str)> = Vec::new();
    let mut instructions = String::new();
    let mut last = "";
    for name in table::opcodes().map(mnemonic) {
        if std::mem::replace(&mut last, name) == name {
            continue;
        }
        if let Some(details) = modifier_details(name, word) {
            instructions += details.rsplit("```\n\n").next().unwrap_or_default();
        }
    }
    for entry in vocabulary::documented_meanings(word) {
        let meaning = (vocabulary::title(entry.slot), vocabulary::formula(entry).0);
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }
    if instructions.is_empty() || meanings.is_empty() {
        return None;
    }
    let mut text = format!("# .{word}\n\n");
    for (title, meaning) in meanings {
        let _ = writeln!(text, "{meaning} ({title})\n");
    }
    for entry in vocabulary::meanings_of_families(word) {
        let names: Vec<String> = entry.slot.split(' ').map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "On {}: {}\n", names.join(", "), entry.summary);
    }
    Some(text + "## Instructions\n\n" + &instructions)
}

/// The modifiers of all instructions, in alphabetical order.
pub fn modifiers() -> Vec<&'static str> {
    let words = table::families().flat_map(|family| family.words.iter().map(|word| word.text));
    let mut words: Vec<_> = words.filter(|word| !vocabulary::summary(word).is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    words
}
