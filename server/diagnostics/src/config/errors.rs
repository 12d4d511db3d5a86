//! All errors of a settings file, each with its range.

use super::table::{SettingsTable, known_keys, known_override_keys};
use super::values::SettingList;
use crate::suggest;
use isa::target::Target;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue, Error, ValueDeserializer};

/// An error in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// The message.
    pub message: String,
}

impl ConfigError {
    /// The message with the line.
    pub fn with_line(&self, text: &str) -> String {
        let line = text[..self.range.start.min(text.len())].matches('\n').count() + 1;
        format!("line {line}: {}", self.message)
    }
}

/// What a settings file contains, whether it is valid or not.
#[derive(Debug, Default)]
pub struct CheckedConfig {
    /// The errors, in text order.
    pub errors: Vec<ConfigError>,
    /// The patterns of files, with their ranges.
    pub patterns: Vec<(String, Range<usize>)>,
    /// The known targets, with their ranges: of all sources (`None`), or of an override by its index.
    pub targets: Vec<(Option<usize>, Target, Range<usize>)>,
    /// The ranges of the PTX versions, in the same way.
    pub versions: Vec<(Option<usize>, Range<usize>)>,
}

type Entry<'t, 'i> = (&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>);

/// Checks a settings file.
pub fn check(text: &str) -> CheckedConfig {
    let (table, syntax) = DeTable::parse_recoverable(text);
    let mut checked = CheckedConfig::default();
    for (key, value) in table.get_ref() {
        match (&**key.get_ref(), value.get_ref()) {
            ("overrides", DeValue::Array(tables)) => {
                tables.iter().enumerate().for_each(|(index, table)| checked.check_override(index, table));
            }
            ("overrides", other) => checked.expected("a list", other, value.span()),
            _ => checked.entry((key, value), &known_keys(), None),
        }
    }
    checked.conflict(table.get_ref());
    // Recovery may read a line with a syntax error as something that was not written.
    let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count();
    let syntax: Vec<_> = syntax.iter().map(|error| syntax_error(error, text)).collect();
    let broken: Vec<_> = syntax.iter().map(|error| line(error.range.start)).collect();
    checked.errors.retain(|error| !broken.contains(&line(error.range.start)));
    checked.errors.extend(syntax);
    checked.errors.sort_by_key(|error| (error.range.start, error.range.end));
    checked.errors.dedup();
    checked
}

/// The known targets of a name or of a list of names.
fn targets<'t>(value: &'t DeValue, range: Range<usize>) -> impl Iterator<Item = (Target, Range<usize>)> + 't {
    let items = value.as_array().into_iter().flatten().map(|item| (item.get_ref(), item.span()));
    let single = value.as_str().map(|_| (value, range));
    items.chain(single).filter_map(|(value, range)| Some((Target::parse(value.as_str()?)?, range)))
}

fn syntax_error(error: &Error, text: &str) -> ConfigError {
    let range = error.span().unwrap_or(text.len()..text.len());
    ConfigError { range, message: error.message().lines().collect::<Vec<_>>().join(", ") }
}

impl CheckedConfig {
    fn error(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.errors.push(ConfigError { range, message: message.into() });
    }

    fn expected(&mut self, expected: &str, found: &DeValue, range: Range<usize>) {
        self.error(range, format!("invalid type: {}, expected {expected}", found.type_str()));
    }

    fn check_override(&mut self, index: usize, table: &Spanned<DeValue>) {
        let DeValue::Table(entries) = table.get_ref() else {
            return self.expected("a table", table.get_ref(), table.span());
        };
        for entry in entries {
            self.entry(entry, &known_override_keys(), Some(index));
        }
        self.conflict(entries);
        // A misspelled key is one error.
        if !entries.keys().any(|key| isa::closest(key.get_ref(), ["paths"].into_iter()).is_some()) {
            self.error(table.span(), "missing key `paths`, for example `paths = [\"old/\"]`");
        }
    }

    /// Checks that at most one of `target` and `targets` is set.
    fn conflict(&mut self, table: &DeTable) {
        let of = |name: &str| table.keys().find(|key| key.get_ref() == name).map(Spanned::span);
        if let (Some(target), Some(targets)) = (of("target"), of("targets")) {
            let second = if target.start < targets.start { targets } else { target };
            self.error(second, "conflicting keys `target` and `targets`; use one of them");
        }
    }

    /// Checks a key and its value. Each element of a list and each entry of a table can have an error.
    fn entry(&mut self, (key, value): Entry, known: &[String], section: Option<usize>) {
        let name = &**key.get_ref();
        let span = value.span();
        if !known.iter().any(|known| known == name) {
            let message = suggest(format!("unknown key `{name}`"), name, known.iter().map(String::as_str));
            return self.error(key.span(), message);
        }
        if ["target", "targets"].contains(&name) {
            self.targets.extend(targets(value.get_ref(), value.span()).map(|(target, range)| (section, target, range)));
        }
        if name == "ptx-version" {
            self.versions.push((section, value.span()));
        }
        let is_pattern = ["include", "exclude", "paths"].contains(&name);
        match value.get_ref() {
            DeValue::Array(items) => {
                for item in items {
                    let single = Spanned::new(item.span(), DeValue::Array(DeArray::from_iter([item.clone()])));
                    self.value(key, single, item.span());
                    if let DeValue::String(pattern) = item.get_ref()
                        && is_pattern
                    {
                        self.patterns.push((pattern.to_string(), item.span()));
                    }
                }
            }
            DeValue::Table(entries) if name == "rules" => {
                for (rule, level) in entries {
                    let single = DeTable::from_iter([(rule.clone(), level.clone())]);
                    let both = rule.span().start..level.span().end;
                    self.value(key, Spanned::new(both.clone(), DeValue::Table(single)), both);
                }
            }
            other => self.value(key, Spanned::new(span.clone(), other.clone()), span),
        }
    }

    /// Reads a value as the file would be read.
    fn value<'i>(&mut self, key: &Spanned<DeString<'i>>, value: Spanned<DeValue<'i>>, span: Range<usize>) {
        let result = match &**key.get_ref() {
            "include" | "exclude" | "paths" => {
                SettingList::<String>::deserialize(ValueDeserializer::from(value)).map(|_| ())
            }
            _ => {
                let table = DeValue::Table(DeTable::from_iter([(key.clone(), value)]));
                SettingsTable::deserialize(ValueDeserializer::from(Spanned::new(span.clone(), table))).map(|_| ())
            }
        };
        if let Err(error) = result {
            self.error(error.span().unwrap_or(span), error.message());
        }
    }
}
