//! The list of all pages, in groups.

use diagnostics::Preset;
use diagnostics::registry::RULES;
use isa::directives::{self, DirectivePlace};
use isa::{Family, glossary, reference, sass, special};
use std::fmt::Write;

/// The presets with what their rules are for.
const PRESETS: [(Preset, &str); 3] = [
    (Preset::Recommended, "in the preset `recommended`, the default"),
    (Preset::Strict, "in the preset `strict`"),
    (Preset::All, "in the preset `all`"),
];

/// The groups of directives.
const PLACES: [DirectivePlace; 8] = [
    DirectivePlace::Module,
    DirectivePlace::Both,
    DirectivePlace::Body,
    DirectivePlace::Head,
    DirectivePlace::Inside,
    DirectivePlace::TargetOption,
    DirectivePlace::Pragma,
    DirectivePlace::Type,
];

/// The list of all pages, as Markdown.
pub fn index() -> String {
    let mut text = "`ptx-atomics explain TOPIC` prints the page of any of these. `ptx-atomics explain coverage` lists what is not checked.\n\n".to_owned();
    text += &instructions();
    text += &directives_and_registers();
    text += &words();
    text += &rules();
    text
}

/// The instructions: the atomics, and the others by the chapter of the PTX ISA that describes them.
fn instructions() -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = vec![("Atomics", Vec::new())];
    for family in isa::families() {
        let title = if family.is_atomic() { "Atomics" } else { chapter(family) };
        match groups.iter_mut().find(|(other, _)| *other == title) {
            Some((_, names)) => names.push(family.name),
            None => groups.push((title, vec![family.name])),
        }
    }
    let mut text = "# Instructions\n\n".to_owned();
    for (title, names) in groups {
        let _ = write!(text, "## {title}\n\n{}\n\n", list(names));
    }
    let _ = write!(text, "## Machine instructions (SASS)\n\n{}\n\n", list(sass::mnemonics()));
    let _ = write!(text, "## Computed by `eval`\n\n{}\n\n", list(crate::evaluate::evaluated()));
    text
}

fn chapter(family: &Family) -> &'static str {
    family.section.split_once(": ").map_or(family.section, |(chapter, _)| chapter)
}

fn directives_and_registers() -> String {
    let mut text = "# Directives\n\n".to_owned();
    for place in PLACES {
        let words = directives::at(place).map(|directive| directive.word);
        let title = place.description();
        let _ = write!(text, "## {}{}\n\n{}\n\n", title[..1].to_uppercase(), &title[1..], list(words));
    }
    let registers = special::registers().iter().map(|register| register.name);
    let _ = write!(text, "# Special registers\n\nA number replaces `#`.\n\n{}\n\n", list(registers));
    let modifiers: Vec<_> = reference::modifiers().into_iter().map(|word| format!(".{word}")).collect();
    let _ = write!(text, "# Modifiers\n\n{}\n\n", list(&modifiers));
    text
}

fn words() -> String {
    let terms = list(glossary::terms().iter().map(|term| term.names[0]));
    let functions = list(glossary::cuda_functions().iter().map(|function| function.name));
    format!("# Words of GPUs\n\n{terms}\n\n# Functions of CUDA C++\n\n{functions}\n\n")
}

fn rules() -> String {
    let mut text = "# Rules\n\n".to_owned();
    for (preset, title) in PRESETS {
        let _ = write!(text, "## {}{}\n\n", title[..1].to_uppercase(), &title[1..]);
        for rule in RULES.iter().filter(|rule| rule.preset == preset) {
            let _ = writeln!(text, "- `{}` ({}): {}", rule.code, rule.severity.name(), rule.summary);
        }
        text.push('\n');
    }
    text
}

/// Names on one line.
fn list(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
