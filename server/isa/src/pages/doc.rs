//! The rows as Markdown: the text of hover, `explain` and the reference.

use crate::operand_class::OperandClass;
use crate::pages::form_doc;
use crate::pages::form_doc::{dotted, in_natural_order};
use crate::pages::narrowing;
use crate::pages::narrowing::Narrowing;
use crate::pages::operand_doc;
use crate::resolve::ResolvedInstruction;
pub use crate::since::or_newer;
use crate::since::{Since, requirement};
use crate::spelling::Spelling;
use crate::tables::form::{AddressAlignment, Family, FormRow, OperandSpec, Role};
use crate::tables::table;
use crate::tables::table::{TableEntry, family};
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::types::{Scope, Sem, Space, Type, TypeKind};
use crate::{lowering, opcode, vocabulary};
use std::fmt::Write;

/// The page of a mnemonic (`atom`, `multimem`, `multimem.red`): what it does, its forms with their requirements, its
/// modifiers. `None` if it has no rows.
pub fn mnemonic(name: &str) -> Option<String> {
    joined(named(name).map(|family| page(family, &Narrowing::default())))
}

/// The page of the instruction that a spelling is a part of (`atom.add`), or of all that it may become (`mad.s32`): of their forms those that
/// allow all its modifiers. `None` if none does.
pub fn narrowed(spelling: &Spelling) -> Option<String> {
    let narrow = |family: &'static Family| {
        let narrowing = Narrowing::of(family, spelling);
        family.rows.iter().any(|row| narrowing.has(row)).then(|| page(family, &narrowing))
    };
    opcode::begun(spelling).and_then(narrow).or_else(|| joined(named(spelling.mnemonic).filter_map(narrow)))
}

/// Whether a modifier of a spelling is only the beginning of modifiers of its instruction, as `.shared` of `.shared::cta` on `cp.async.bulk`.
pub fn is_beginning(spelling: &Spelling, at: usize) -> bool {
    let word = spelling.modifiers.get(at);
    opcode::begun(spelling).zip(word).is_some_and(|(family, word)| narrowing::is_beginning(family, word))
}

/// Several pages as one; `None` if there are none.
fn joined(pages: impl Iterator<Item = String>) -> Option<String> {
    let pages: Vec<String> = pages.collect();
    (!pages.is_empty()).then(|| pages.join("\n---\n\n"))
}

/// The families of a name, and those of opcodes that begin with it; those of floating-point numbers last, as integers are what most readers look for.
fn named(name: &str) -> impl Iterator<Item = &'static Family> {
    let fits = move |entry: &&TableEntry| {
        entry.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let entries = table::of_mnemonic(table::mnemonic(name)).iter().filter(fits);
    let mut families: Vec<&Family> = entries.map(TableEntry::family).collect();
    families.sort_by_key(|family| family.section.starts_with("Floating Point Instructions"));
    families.into_iter()
}

/// One or two lines on a mnemonic, for lists.
pub fn summary(name: &str) -> Option<&'static str> {
    family(name).map(|family| family.summary)
}

/// The pages of a mnemonic without their titles and summaries, for lists that show the summary.
pub fn mnemonic_details(name: &str) -> Option<String> {
    joined(named(name).map(|family| details(family, &Narrowing::default())))
}

/// The sections of the PTX ISA that describe a family, as links.
pub fn manual_link(family: &Family) -> String {
    family.section.split("; ").map(section_link).collect::<Vec<_>>().join("; ")
}

/// A section of the PTX ISA, `Chapter: name` or its title, as a link.
pub(crate) fn section_link(section: &str) -> String {
    let (chapter, names) = section.split_once(": ").unwrap_or((section, ""));
    let first = names.split(", ").next().unwrap_or_default();
    let anchor: String = format!("{chapter} {}", first.trim_start_matches('%'))
        .trim_end()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    format!("[{section}]({MANUAL}#{anchor})")
}

/// The PTX ISA.
const MANUAL: &str = "https://docs.nvidia.com/cuda/parallel-thread-execution/";

fn page(family: &Family, narrowing: &Narrowing) -> String {
    format!("# {}\n\n{}\n\n{}", family.name, family.summary, details(family, narrowing))
}

fn details(family: &Family, narrowing: &Narrowing) -> String {
    let mut text = String::new();
    let examples: Vec<&str> =
        family.examples.iter().copied().filter(|example| narrowing.fits(family, example)).collect();
    if !examples.is_empty() {
        let _ = write!(text, "```ptx\n{}\n```\n\n", examples.join("\n"));
    }
    let _ = writeln!(text, "PTX ISA: {}", manual_link(family));
    text.push_str(
        "\n## Forms\n\n`<name>` stands for one of the modifiers listed below, `{…}` is optional. Modifiers may be written in any order; this is the conventional one.\n",
    );
    text.push_str(&narrowing.note(family));
    let forms = form_doc::forms(family, narrowing);
    text.push_str(&form_doc::list(family, &forms, narrowing));
    let operands = operand_doc::list(forms.iter().map(|(_, form)| *form));
    if !operands.is_empty() {
        let _ = write!(text, "\n## Operands\n\n{operands}");
    }
    text + &modifiers_and_rules(family, narrowing)
}

/// The modifiers of a family by slot, and how they combine.
fn modifiers_and_rules(family: &Family, narrowing: &Narrowing) -> String {
    let mut text = String::new();
    let shown = family.rows.iter().filter(|row| narrowing.has(row));
    let used = shown.fold(WordSet::EMPTY, |all, row| all | row.allowed) - family.ignored - narrowing.hidden;
    for (index, slot) in family.slots.iter().filter(|slot| slot.words.intersects(used)).enumerate() {
        if index == 0 {
            text.push_str("\n## Modifiers\n");
        }
        let heading = capital(vocabulary::heading(slot.name));
        let _ = match form_doc::is_placeholder(family, slot.name) {
            true => write!(text, "\n**`<{}>`: {heading}**", slot.name),
            false => write!(text, "\n**{heading}**"),
        };
        if !slot.default.is_empty() {
            let _ = write!(text, " (default: {})", default_name(slot.default));
        }
        text.push_str("\n\n");
        for id in in_natural_order(family, slot.words & used) {
            let word = &family.words[id];
            let summary = vocabulary::meaning(family, word.text);
            let _ = write!(text, "- `.{}`: {summary}", word.text);
            if word.since != Since::ALWAYS {
                let _ = write!(text, " Requires {}.", requirement(&word.since));
            }
            text.push('\n');
        }
    }
    let rules = rules(family);
    if !rules.is_empty() {
        let _ = write!(text, "\n## Rules\n\n{rules}");
    }
    text
}

fn rules(family: &Family) -> String {
    let list = |set| family.texts(set).map(dotted).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    let verb = |set: WordSet, one, several| if set.len() == 1 { one } else { several };
    for pair in &family.conflicts {
        let conflicts = verb(pair.left, "conflicts", "conflict");
        let _ = writeln!(text, "- {} {conflicts} with {}.", list(pair.left), list(pair.right));
    }
    for pair in &family.requirements {
        let (requires, one_of) = (verb(pair.left, "requires", "require"), verb(pair.right, "", "one of "));
        let _ = writeln!(text, "- {} {requires} {one_of}{}.", list(pair.left), list(pair.right));
    }
    text
}

/// What an instruction with these modifiers does in this module, with its defaults.
pub fn instruction(spelling: &Spelling, instruction: &ResolvedInstruction, module: &Module) -> String {
    let family = instruction.family;
    let mut text = format!("**{}**", spelling.mnemonic);
    for modifier in spelling.modifiers {
        let _ = write!(text, ".{modifier}");
    }
    let _ = write!(text, "\n\n{}\n\n", family.summary);
    if let Some(formula) = formula(instruction) {
        let _ = write!(text, "```c\n{formula}\n```\n\n");
    }
    let given = |slot: &str| instruction.at(slot).map(|at| spelling.modifiers[at]);
    for slot in &instruction.form.slots {
        let slot = &family.slots[*slot];
        match given(slot.name) {
            Some(word) => {
                let summary = vocabulary::meaning(family, word);
                let _ = writeln!(text, "- `.{word}`: {summary}");
            }
            None if slot.name == "scope" && instruction.scope.is_none() => {}
            None if !slot.default.is_empty() => {
                let title = vocabulary::title(slot.name);
                let _ = writeln!(
                    text,
                    "- default {title} {}: {}",
                    default_name(slot.default),
                    meaning(slot.default, instruction)
                );
            }
            None => {}
        }
    }
    for at in instruction.ignored() {
        let _ = writeln!(text, "- `.{}`: accepted and ignored by the assembler", spelling.modifiers[at]);
    }
    for note in notes(instruction) {
        let _ = writeln!(text, "- {note}");
    }
    let operands = operands(instruction);
    if !operands.is_empty() {
        let _ = writeln!(text, "\nOperands: {operands}");
    }
    let _ = write!(text, "\nRequires {}", requirement(&instruction.since));
    match (module.target, module.version) {
        (Some(target), Some(version)) => _ = writeln!(text, "; this module targets {target}, PTX {version}."),
        (Some(target), None) => _ = writeln!(text, "; this module targets {target}."),
        _ => text.push_str(".\n"),
    }
    text + &lowering::machine_code(instruction, module)
}

/// The meaning and the requirements of a modifier on a mnemonic. `None` if the mnemonic does not have it.
pub fn modifier(mnemonic: &str, word: &str) -> Option<String> {
    if let Some(family) = continued(mnemonic, word) {
        return Some(format!("**.{word}**\n\n{}\n", family.summary));
    }
    let details = modifier_details(mnemonic, word)?;
    let entry = vocabulary::documented(word)?;
    let summary =
        named(mnemonic).find(|family| family.has_modifier(word)).map_or("", |family| vocabulary::meaning(family, word));
    Some(format!("**.{word}** ({})\n\n{summary}\n\n{details}", vocabulary::title(entry.slot)))
}

/// The formula and the requirements of a modifier on a mnemonic, for lists that show its summary.
pub fn modifier_details(mnemonic: &str, word: &str) -> Option<String> {
    let mut text = String::new();
    for family in named(mnemonic).filter(|_| continued(mnemonic, word).is_none()) {
        let ids: WordSet = family.all(word).collect();
        if ids.is_empty() {
            continue;
        }
        if text.is_empty() {
            text = vocabulary::formula_on(family, word)
                .map_or(String::new(), |formula| format!("```c\n{formula}\n```\n\n"));
        }
        if ids.is_subset(family.ignored) {
            let _ = writeln!(text, "- on `{}`: accepted and ignored", family.name);
            continue;
        }
        let needs = |row: &FormRow| {
            let since = row.since;
            (row.allowed & ids).first().map(|id| since.and(family.words[id].since))
        };
        // A form that is gone says nothing where others remain.
        if let Some(least) =
            family.rows.iter().filter_map(needs).min_by_key(|since| (since.until.is_some(), since.order()))
        {
            let _ = writeln!(text, "- on `{}`: requires {}", family.name, requirement(&least));
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The first family whose name continues a mnemonic with a word.
fn continued(mnemonic: &str, word: &str) -> Option<&'static Family> {
    named(mnemonic).find(|family| family.name.split('.').nth(1) == Some(word) && mnemonic != family.name)
}

fn accesses_memory(instruction: &ResolvedInstruction) -> bool {
    instruction.operands().any(|operand| operand.role == Role::Address)
}

fn formula(instruction: &ResolvedInstruction) -> Option<String> {
    if !accesses_memory(instruction) {
        return None;
    }
    let returns = instruction.operands().any(|operand| operand.role == Role::Destination);
    let takes = instruction.operands().any(|operand| operand.role == Role::Value);
    let Some(op) = instruction.op else { return takes.then(|| "*a = b".to_string()) };
    let (_, formula) = vocabulary::formula(vocabulary::entry(op.word())?);
    let formula = formula?;
    if !takes {
        return Some(format!("d = {}(all copies of *a)", op.word()));
    }
    match (returns, formula.split_once("; ")) {
        (false, Some((_, write))) => Some(write.replace("d ", "*a ").replace("(d,", "(*a,")),
        _ => Some(formula.to_string()),
    }
}

fn notes(instruction: &ResolvedInstruction) -> Vec<String> {
    let mut notes = Vec::new();
    let ty = instruction.ty;
    let float = ty.is_some_and(|ty| ty.kind() == TypeKind::Float);
    if ty == Some(Type::F32) && !instruction.noftz && instruction.op.is_some() && !instruction.family.name.contains('.')
    {
        notes.push(match instruction.space.value {
            Space::Global => "Flushes subnormals to zero in global memory; `.noftz` (PTX 9.4) preserves them.".to_string(),
            Space::Generic => "Flushes subnormals to zero in global memory and preserves them in shared memory; `.noftz` (PTX 9.4) preserves them everywhere.".to_string(),
            _ => "Preserves subnormals in shared memory.".to_string(),
        });
    }
    if float && instruction.op == Some(crate::types::Op::Add) {
        notes.push("The order of the additions is not fixed, so sums may differ between runs.".to_string());
    }
    if let Some(Sem::Acquire | Sem::AcqRel) = instruction.sem.map(|sem| sem.value)
        && instruction.scope.is_some_and(|scope| scope.value == Scope::Cta)
    {
        notes.push("Orders memory within the CTA only.".to_string());
    }
    notes
}

fn operands(instruction: &ResolvedInstruction) -> String {
    let memory = accesses_memory(instruction);
    let stores = memory && instruction.operands().any(|operand| operand.role == Role::Value);
    let one = |operand: OperandSpec| {
        let lanes = if operand.lanes > 1 { format!("{} × ", operand.lanes) } else { String::new() };
        let what = match operand.role {
            Role::Destination if stores => "the old value",
            Role::Destination => "the result",
            Role::Address => "the address",
            Role::Value if !memory => return format!("`{}` ({lanes}`.{}`)", operand.name, operand.ty.word()),
            Role::Value => "the value",
            Role::Compare => "the value to compare with",
            Role::Policy => "a cache policy",
            Role::Other => return format!("`{}`", operand.name),
        };
        match operand.role {
            Role::Address => format!("`{}` {what}{}", operand.name, alignment(&operand)),
            _ => format!("`{}` {what} ({lanes}`.{}`)", operand.name, operand.ty.word()),
        }
    };
    instruction.operands().map(one).collect::<Vec<_>>().join(", ")
}

/// What an address has to be a multiple of, as the end of a phrase.
fn alignment(operand: &OperandSpec) -> String {
    match operand.alignment {
        AddressAlignment::Access if operand.class == OperandClass::Typed => {
            match operand.ty.bits() / 8 * u32::from(operand.lanes) {
                0 | 1 => String::new(),
                bytes => format!(", aligned to {bytes} bytes"),
            }
        }
        AddressAlignment::Bytes(bytes) => format!(", aligned to {bytes} bytes"),
        AddressAlignment::Operand(name) => format!(", aligned to `{name}` bytes"),
        AddressAlignment::Access | AddressAlignment::Any => String::new(),
    }
}

fn default_name(word: &str) -> String {
    if word == "generic" { "generic address".to_string() } else { format!("`.{word}`") }
}

fn meaning(word: &str, instruction: &ResolvedInstruction) -> &'static str {
    match vocabulary::entry(word) {
        Some(entry) => entry.summary,
        None if instruction.form.syntax.contains("{.space}") => {
            "The address decides at run time whether memory is global or shared."
        }
        None => "The address must be in global memory.",
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
