//! `ptx-atomics.toml`: settings that lie beside the code.
//!
//! Reads text; must not know where the file lies, nor how paths match patterns.

use crate::registry::{RULES, rule};
use crate::suggest;
use crate::{Preset, Severity};
use crate::{RuleLevel, Settings};
use toml::{Table, Value};

/// The name of the file; the one in the nearest folder above a source counts.
pub const FILE_NAME: &str = "ptx-atomics.toml";

/// A key of the file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// A value of it, as it is written.
    pub example: &'static str,
}

/// Every key.
pub const KEYS: [Key; 11] = [
    key("target", "overrides the modules' `.target`", "\"sm_90a\""),
    key("targets", "several targets at once, each finding says for which", "[\"sm_80\", \"sm_90a\"]"),
    key("ptx-version", "overrides the modules' `.version`", "\"8.1\""),
    key("toolkit", "the CUDA toolkit whose assembler shall take the modules", "\"12.4\""),
    key("preset", "the choice of rules, recommended, strict or all", "\"recommended\""),
    key("rules", "how bad single rules are", "{ modifier-order = \"warning\" }"),
    key("enable", "codes of rules that shall be on, as bad as they are", "[\"modifier-order\"]"),
    key("disable", "codes of rules that shall be off", "[\"requires-target\"]"),
    key(
        "include",
        "patterns as in .gitignore; what is found in folders is linted only where one matches",
        "[\"kernels/\"]",
    ),
    key("exclude", "patterns as in .gitignore of what is passed over in folders", "[\"generated/\"]"),
    key(
        "overrides",
        "tables of other settings for some paths, the last that matches first",
        "[{ paths = [\"old/\"], target = \"sm_60\" }]",
    ),
];

const fn key(name: &'static str, about: &'static str, example: &'static str) -> Key {
    Key { name, about, example }
}

/// The keys of an override: its paths, and settings.
const OVERRIDE_KEYS: [&str; 9] =
    ["paths", "target", "targets", "ptx-version", "toolkit", "preset", "rules", "enable", "disable"];

/// The words for what can be wanted of a rule.
pub const LEVELS: [(&str, RuleLevel); 6] = [
    ("error", RuleLevel::At(Severity::Error)),
    ("warning", RuleLevel::At(Severity::Warning)),
    ("info", RuleLevel::At(Severity::Info)),
    ("hint", RuleLevel::At(Severity::Hint)),
    ("on", RuleLevel::On),
    ("off", RuleLevel::Off),
];

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// For every source.
    pub settings: Settings,
    /// Patterns of the files that are looked for in folders; all where there is none.
    pub include: Vec<String>,
    /// Patterns of what is passed over in folders.
    pub exclude: Vec<String>,
    /// For some sources; of several that match, the later counts more.
    pub overrides: Vec<Override>,
}

/// Settings for some sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// Patterns of the sources.
    pub paths: Vec<String>,
    /// What goes before the settings for every source.
    pub settings: Settings,
}

impl Project {
    /// The settings for a source, given which of the overrides are for its path, by their numbers.
    pub fn settings_for(&self, applies: impl Fn(usize) -> bool) -> Settings {
        let matching = self.overrides.iter().enumerate().rev().filter(|(number, _)| applies(*number));
        matching.fold(Settings::default(), |settings, (_, over)| settings.or(&over.settings)).or(&self.settings)
    }
}

/// What a file says; the error is a sentence for people that names the line, and the key.
pub fn parse(text: &str) -> Result<Project, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        format!("line {}: {}", text[..at].matches('\n').count() + 1, error.message())
    })?;
    let mut project = Project { settings: settings(&table)?, ..Project::default() };
    for (key, value) in &table {
        match key.as_str() {
            "include" => project.include = words(key, value)?,
            "exclude" => project.exclude = words(key, value)?,
            "overrides" => project.overrides = overrides(value)?,
            key if KEYS.iter().any(|known| known.name == key) => {}
            key => return Err(unknown(key, KEYS.iter().map(|key| key.name))),
        }
    }
    Ok(project)
}

fn overrides(value: &Value) -> Result<Vec<Override>, String> {
    let is_table = |value: &Value| value.as_table().cloned();
    let tables: Option<Vec<Table>> = value.as_array().and_then(|list| list.iter().map(is_table).collect());
    let tables = tables.ok_or("`overrides` is a list of tables: write `[[overrides]]` above each")?;
    let over = |table: Table| {
        if let Some(key) = table.keys().find(|key| !OVERRIDE_KEYS.contains(&key.as_str())) {
            return Err(format!("in `overrides`: {}", unknown(key, OVERRIDE_KEYS.into_iter())));
        }
        let paths = table.get("paths").ok_or("in `overrides`: `paths` is missing, such as [\"old/\"]")?;
        let settings = settings(&table).map_err(|error| format!("in `overrides`: {error}"))?;
        Ok(Override { paths: words("paths", paths)?, settings })
    };
    tables.into_iter().map(over).collect()
}

/// The settings among the keys of a table.
fn settings(table: &Table) -> Result<Settings, String> {
    let mut settings = Settings::default();
    if table.contains_key("target") && table.contains_key("targets") {
        return Err("`target` and `targets` say the same: write one of them".to_owned());
    }
    for (key, value) in table {
        match key.as_str() {
            "target" => settings = settings.for_targets([word(key, value)?])?,
            "targets" => settings = settings.for_targets(words(key, value)?.iter().map(String::as_str))?,
            "ptx-version" => settings.version = Settings::new(None, Some(word(key, value)?))?.version,
            "toolkit" => settings = settings.for_toolkit(word(key, value)?)?,
            "preset" => settings.preset = Some(preset(word(key, value)?)?),
            "enable" => settings.rules.extend(codes(key, value)?.into_iter().map(|code| (code, RuleLevel::On))),
            "disable" => settings.rules.extend(codes(key, value)?.into_iter().map(|code| (code, RuleLevel::Off))),
            _ => {}
        }
    }
    // Whatever the order of the keys: what is said of one rule alone counts most.
    if let Some(value) = table.get("rules") {
        for (code, value) in value.as_table().ok_or_else(|| kind("rules", "a table"))? {
            let level = value.as_str().ok_or_else(|| format!("`rules`: `{code}` is a string, such as \"warning\""))?;
            settings.rules.insert(known("rules", code)?, self::level(level)?);
        }
    }
    Ok(settings)
}

/// A preset by its name; the error is a sentence for people.
pub fn preset(name: &str) -> Result<Preset, String> {
    let found = Preset::EVERY.into_iter().find(|preset| preset.name() == name);
    let names = Preset::EVERY.into_iter().map(Preset::name);
    found.ok_or_else(|| suggest(format!("no preset is called `{name}`"), name, names))
}

/// What is wanted of a rule, by the word for it; the error is a sentence for people.
pub fn level(name: &str) -> Result<RuleLevel, String> {
    let found = LEVELS.iter().find(|(word, _)| *word == name).map(|(_, level)| *level);
    found.ok_or_else(|| suggest(format!("`{name}` is no severity"), name, LEVELS.iter().map(|(word, _)| *word)))
}

fn word<'a>(key: &str, value: &'a Value) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| kind(key, "a string"))
}

fn words(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().and_then(|list| list.iter().map(|word| word.as_str().map(str::to_owned)).collect());
    list.ok_or_else(|| kind(key, "a list of strings"))
}

fn kind(key: &str, kind: &str) -> String {
    let example = KEYS.iter().find(|known| known.name == key).map(|known| known.example);
    format!("`{key}` is {kind}{}", example.map_or(String::new(), |example| format!(", such as {example}")))
}

fn codes(key: &str, value: &Value) -> Result<Vec<String>, String> {
    words(key, value)?.iter().map(|code| known(key, code)).collect()
}

fn known(key: &str, code: &str) -> Result<String, String> {
    let codes = RULES.iter().map(|rule| rule.code);
    let found = rule(code).map(|rule| rule.code.to_owned());
    found.ok_or_else(|| suggest(format!("`{key}`: no rule is called `{code}`"), code, codes))
}

fn unknown<'a>(key: &str, keys: impl Iterator<Item = &'a str> + Clone) -> String {
    suggest(format!("there is no key `{key}`"), key, keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ILLEGAL_TYPE, MODIFIER_ORDER, NARROW_ADDRESS};

    #[test]
    fn all_keys_are_read() {
        let project = parse(
            "targets = [\"sm_90a\", \"sm_80\"]\nptx-version = \"8.1\"\nenable = [\"modifier-order\"]\ndisable = [\"illegal-type\"]\n\
             preset = \"strict\"\ninclude = [\"a/\"]\nexclude = [\"b/\"]\n[rules]\nnarrow-address = \"error\"\nillegal-type = \"info\"\n\
             [[overrides]]\npaths = [\"old/\"]\ntarget = \"sm_60\"\n[[overrides]]\npaths = [\"older/\"]\nrules = { narrow-address = \"off\" }\n",
        )
        .unwrap();
        let settings = project.settings_for(|_| false);
        assert_eq!(settings.target.unwrap().name(), "sm_90a");
        assert_eq!(settings.also.len(), 1);
        assert_eq!(settings.version.unwrap().to_string(), "8.1");
        assert_eq!(settings.preset, Some(Preset::Strict));
        assert!(settings.shows(&MODIFIER_ORDER));
        assert_eq!(settings.severity(&NARROW_ADDRESS), Some(Severity::Error));
        assert_eq!(settings.severity(&ILLEGAL_TYPE), Some(Severity::Info), "one rule's own word counts most");
        assert_eq!(
            (project.include.as_slice(), project.exclude.as_slice()),
            (&["a/".to_owned()][..], &["b/".to_owned()][..])
        );
        let old = project.settings_for(|number| project.overrides[number].paths == ["old/"]);
        assert_eq!((old.target.unwrap().name(), old.also.len()), ("sm_60", 0));
        assert!(!project.settings_for(|_| true).shows(&NARROW_ADDRESS));
        assert_eq!(parse("").unwrap(), Project::default());
    }

    #[test]
    fn what_cannot_be_meant_is_named_with_what_could_be() {
        for (text, part) in [
            ("taget = \"sm_90\"", "there is no key `taget`; did you mean `target`?"),
            ("colour = 1", "there is no key `colour`; there are target"),
            ("target = 90", "`target` is a string, such as \"sm_90a\""),
            ("target = \"sm_91\"", "no target is called `sm_91`"),
            ("toolkit = \"11.9\"", "there is no CUDA toolkit `11.9`"),
            ("target = \"sm_90\"\ntargets = []", "write one of them"),
            ("enable = [\"modifier-ordr\"]", "no rule is called `modifier-ordr`; did you mean `modifier-order`?"),
            ("enable = \"modifier-order\"", "`enable` is a list of strings"),
            ("preset = \"foo\"", "no preset is called `foo`; there are recommended, strict, all"),
            ("preset = \"srtict\"", "did you mean `strict`?"),
            ("preset = \"rec\"", "did you mean `recommended`?"),
            ("preset = \"al\"", "did you mean `all`?"),
            ("tool = \"12.4\"", "did you mean `toolkit`?"),
            ("path = []", "there is no key `path`; there are target"),
            ("target = \"sm90\"", "did you mean `sm_90`?"),
            ("target = \"SM_90A\"", "did you mean `sm_90a`?"),
            ("target = \"sm_91\"", "no target is called `sm_91`; write one such as"),
            ("[rules]\nillegal-type = \"never\"", "`never` is no severity; there are error"),
            ("preset = \"strickt\"", "no preset is called `strickt`; did you mean `strict`?"),
            ("[rules]\nillegal-typ = \"off\"", "did you mean `illegal-type`?"),
            ("[rules]\nillegal-type = \"warn\"", "`warn` is no severity; did you mean"),
            ("overrides = 1", "write `[[overrides]]`"),
            ("[[overrides]]\ntarget = \"sm_60\"", "`paths` is missing"),
            ("[[overrides]]\npath = []", "did you mean `paths`?"),
            ("\n\ntarget =", "line 3: "),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
