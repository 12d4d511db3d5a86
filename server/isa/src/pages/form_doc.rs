//! The forms of a family as Markdown: how each is written, and what its rows require.

use crate::pages::narrowing::Narrowing;
use crate::since::{Since, requirement};
use crate::tables::form::{Family, Form, FormRow, OperandList, RowSlot};
use crate::tables::word_set::WordSet;
use std::fmt::Write;

/// The forms with rows that a narrowing has, with their indices.
pub(crate) fn forms<'f>(family: &'f Family, narrowing: &Narrowing) -> Vec<(usize, &'f Form)> {
    let has_rows = |index: usize| family.rows.iter().any(|row| row.form == index && narrowing.has(row));
    family.forms.iter().enumerate().filter(|(index, _)| has_rows(*index)).collect()
}

/// Forms, each with a line for each of its rows.
pub(crate) fn list(family: &Family, forms: &[(usize, &Form)], narrowing: &Narrowing) -> String {
    let (mut text, mut last) = (String::new(), String::new());
    for (index, form) in forms {
        let usage = usage(family, form);
        // Types with rows of their own often have the same form.
        if usage != last {
            let _ = write!(text, "\n```ptx\n{usage}```\n\n");
        }
        last = usage;
        for row in family.rows.iter().filter(|row| row.form == *index && narrowing.has(row)) {
            let _ = writeln!(text, "- {}", row_line(family, form, row, narrowing.hidden));
        }
    }
    text
}

/// A form as it is written, a line for each of its lists of operands.
fn usage(family: &Family, form: &Form) -> String {
    let opcode = marked(family, form.syntax);
    let line = |list: &OperandList| match list.syntax.is_empty() {
        true => format!("{opcode};\n"),
        false => format!("{opcode}  {};\n", list.syntax),
    };
    let mut lines: Vec<String> = form.operand_lists.iter().map(line).collect();
    lines.dedup();
    lines.concat()
}

/// The syntax of a form in which `<name>` stands for the modifiers of a slot.
fn marked(family: &Family, syntax: &str) -> String {
    let (opcode, modifiers) = syntax.split_at(family.name.len());
    let mark = |item: &str| {
        let name = item.trim_end_matches(['{', '}']);
        if is_placeholder(family, name) { format!("<{name}>{}", &item[name.len()..]) } else { item.to_owned() }
    };
    format!("{opcode}{}", modifiers.split('.').map(mark).collect::<Vec<_>>().join("."))
}

/// Whether a part of a form is the name of a slot, and not a modifier.
pub(crate) fn is_placeholder(family: &Family, name: &str) -> bool {
    family.slot_named(name).is_some() && family.find(name).is_none()
}

/// A row as a sentence: its words slot by slot, and their requirements.
fn row_line(family: &Family, form: &Form, row: &FormRow, hidden: WordSet) -> String {
    let named = row.places.iter().filter(|place| place.named && !place.words.is_empty());
    let fixed = |text: &str| form.syntax.split(['.', '{', '}']).any(|item| item == text);
    let lists: Vec<String> = named
        .filter_map(|place| {
            let words = in_natural_order(family, place.words - hidden).into_iter().map(|id| family.words[id].text);
            let words: Vec<String> = words.filter(|text| !fixed(text)).map(dotted).collect();
            let name = family.slots[place.slot].name;
            let label = match (fixed(name), place.required) {
                (false, _) => String::new(),
                (true, true) => format!("`<{name}>`: "),
                (true, false) => format!("`<{name}>`, if any: "),
            };
            (!words.is_empty()).then(|| label + &words.join(" "))
        })
        .collect();
    let words = if lists.is_empty() { String::new() } else { format!("{} — ", lists.join("; ")) };
    let needed = row.places.iter().filter(|place| place.required).map(|place| least(family, place, hidden));
    let mut line = format!("{words}{}", requirement(&needed.fold(row.since, Since::and)));
    for (words, since) in &row.with {
        let names: Vec<String> = family.texts(*words).map(dotted).collect();
        let _ = write!(line, "; with {}: {}", names.join(" "), requirement(since));
    }
    line
}

/// What every one of the words of a place requires.
fn least(family: &Family, place: &RowSlot, hidden: WordSet) -> Since {
    let each = (place.words - hidden).iter().map(|id| family.words[id].since);
    let common = |all: Since, one: Since| Since {
        version: all.version.min(one.version),
        targets: all.targets.or(one.targets),
        ..Since::ALWAYS
    };
    each.reduce(common).unwrap_or(Since::ALWAYS)
}

/// The words of a set by name, those with numbers by size: `.s8` before `.s16`, `.m16n8k8` before `.m16n8k16`.
pub(crate) fn in_natural_order(family: &Family, words: WordSet) -> Vec<usize> {
    let mut ids: Vec<usize> = words.iter().collect();
    ids.sort_by_key(|id| names_and_numbers(family.words[*id].text));
    ids
}

/// The parts of a word: each name with the number after it.
fn names_and_numbers(mut word: &str) -> Vec<(&str, u64)> {
    let mut parts = Vec::new();
    while !word.is_empty() {
        let (name, rest) = word.split_at(word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len()));
        let (digits, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        parts.push((name, digits.parse().unwrap_or(0)));
        word = rest;
    }
    parts
}

/// A modifier as code.
pub(crate) fn dotted(word: &str) -> String {
    format!("`.{word}`")
}
