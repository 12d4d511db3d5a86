//! `ptx-atomics.toml`: settings that lie beside the code.
//!
//! Reads text; must not know where the file lies, nor how paths match patterns. What can be written is said by the structs of `table`, from which the
//! schema for editors is made; a language server's client writes the same settings.

mod table;
mod words;

pub use table::{SettingsTable, schema};

use crate::suggest;
use crate::{Preset, RuleLevel, Settings, Severity};
use table::ConfigTable;

/// The name of the file; the one in the nearest folder above a source counts.
pub const FILE_NAME: &str = "ptx-atomics.toml";

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
pub struct ConfigFile {
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

impl ConfigFile {
    /// The settings for a source, given which of the overrides are for its path, by their numbers.
    pub fn settings_for(&self, applies: impl Fn(usize) -> bool) -> Settings {
        let matching = self.overrides.iter().enumerate().rev().filter(|(number, _)| applies(*number));
        matching.fold(Settings::default(), |settings, (_, over)| settings.or(&over.settings)).or(&self.settings)
    }
}

/// What a file says; the error is a sentence for people that names the line, or the key.
pub fn parse(text: &str) -> Result<ConfigFile, String> {
    let table: ConfigTable = toml::from_str(text).map_err(|error| match error.span() {
        Some(span) => {
            let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
            format!("line {line}: {}", error.message())
        }
        None => error.message().to_owned(),
    })?;
    table.project()
}

/// A preset by its name; the error is a sentence for people.
pub fn preset(name: &str) -> Result<Preset, String> {
    let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
    let names = Preset::ALL.into_iter().map(Preset::name);
    found.ok_or_else(|| suggest(format!("no preset is called `{name}`"), name, names))
}

/// What is wanted of a rule, by the word for it; the error is a sentence for people.
pub fn level(name: &str) -> Result<RuleLevel, String> {
    let found = LEVELS.iter().find(|(word, _)| *word == name).map(|(_, level)| *level);
    found.ok_or_else(|| suggest(format!("`{name}` is no severity"), name, LEVELS.iter().map(|(word, _)| *word)))
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
        assert_eq!(settings.additional_targets.len(), 1);
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
        assert_eq!((old.target.unwrap().name(), old.additional_targets.len()), ("sm_60", 0));
        assert!(!project.settings_for(|_| true).shows(&NARROW_ADDRESS));
        assert_eq!(parse("").unwrap(), ConfigFile::default());
        let twice = parse("targets = [\"sm_90\", \"sm_80\", \"sm_90\"]").unwrap().settings;
        assert_eq!(twice, Settings::default().for_targets(["sm_90", "sm_80"]).unwrap(), "a target counts once");
    }

    #[test]
    fn what_cannot_be_meant_is_named_with_what_could_be() {
        for (text, part) in [
            ("taget = \"sm_90\"", "there is no key `taget`; did you mean `target`?"),
            ("colour = 1", "there is no key `colour`; there are disable, enable"),
            ("target = 90", "invalid type: integer `90`, expected a target, such as \"sm_90a\""),
            ("target = \"sm_91\"", "no target is called `sm_91`"),
            ("toolkit = \"11.9\"", "there is no CUDA toolkit `11.9`"),
            ("target = \"sm_90\"\ntargets = []", "write one of them"),
            ("enable = [\"modifier-ordr\"]", "no rule is called `modifier-ordr`; did you mean `modifier-order`?"),
            ("enable = \"modifier-order\"", "expected a list"),
            ("preset = \"foo\"", "no preset is called `foo`; there are recommended, strict, all"),
            ("preset = \"srtict\"", "did you mean `strict`?"),
            ("preset = \"rec\"", "did you mean `recommended`?"),
            ("preset = \"al\"", "did you mean `all`?"),
            ("tool = \"12.4\"", "did you mean `toolkit`?"),
            ("path = []", "there is no key `path`; there are disable"),
            ("target = \"sm90\"", "did you mean `sm_90`?"),
            ("target = \"SM_90A\"", "did you mean `sm_90a`?"),
            ("target = \"sm_91\"", "no target is called `sm_91`; write one such as"),
            ("[rules]\nillegal-type = \"never\"", "`never` is no severity; there are error"),
            ("preset = \"strickt\"", "no preset is called `strickt`; did you mean `strict`?"),
            ("[rules]\nillegal-typ = \"off\"", "did you mean `illegal-type`?"),
            ("[rules]\nillegal-type = \"warn\"", "`warn` is no severity; did you mean"),
            ("overrides = 1", "expected a list"),
            ("[[overrides]]\ntarget = \"sm_60\"", "`paths` is missing"),
            ("[[overrides]]\npath = []", "did you mean `paths`?"),
            ("\n\ntarget =", "line 3: "),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
