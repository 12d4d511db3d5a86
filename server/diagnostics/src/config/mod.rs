//! The settings file `ptx-atomics.toml`.
//!
//! The structs in `table` define the keys. The schema for editors is generated from them, and the settings of a language client
//! have the same keys.

mod errors;
mod table;
mod values;

pub use errors::{CheckedConfig, ConfigError, check};
pub use table::{SettingsTable, schema};

use crate::suggest;
use crate::{Preset, RuleLevel, Settings, Severity};
use table::ConfigTable;

/// The name of the file. The file in the nearest parent folder of a source applies.
pub const FILE_NAME: &str = "ptx-atomics.toml";

/// The names of the levels of a rule.
pub const LEVELS: [(&str, RuleLevel); 6] = [
    ("error", RuleLevel::At(Severity::Error)),
    ("warning", RuleLevel::At(Severity::Warning)),
    ("info", RuleLevel::At(Severity::Info)),
    ("hint", RuleLevel::At(Severity::Hint)),
    ("on", RuleLevel::On),
    ("off", RuleLevel::Off),
];

/// The contents of a settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigFile {
    /// The settings for all sources.
    pub settings: Settings,
    /// Patterns of the files to check in folders; empty for all files.
    pub include: Vec<String>,
    /// Patterns of the files to skip in folders.
    pub exclude: Vec<String>,
    /// Settings for some sources. The last match takes precedence.
    pub overrides: Vec<Override>,
}

/// Settings for some sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// Patterns of the sources.
    pub paths: Vec<String>,
    /// The settings, which take precedence over those for all sources.
    pub settings: Settings,
}

impl ConfigFile {
    /// The settings for a source. `applies` tests whether an override, given by its index, matches its path.
    pub fn settings_for(&self, applies: impl Fn(usize) -> bool) -> Settings {
        let matching = self.overrides.iter().enumerate().rev().filter(|(number, _)| applies(*number));
        matching.fold(Settings::default(), |settings, (_, over)| settings.or(&over.settings)).or(&self.settings)
    }
}

/// Parses a settings file.
///
/// # Errors
/// All errors, in text order.
pub fn parse(text: &str) -> Result<ConfigFile, Vec<ConfigError>> {
    let errors = check(text).errors;
    if !errors.is_empty() {
        return Err(errors);
    }
    let whole = |message: String| vec![ConfigError { range: 0..0, message }];
    toml::from_str::<ConfigTable>(text).map_err(|error| whole(error.message().to_owned()))?.project().map_err(whole)
}

/// A preset by its name; the error is a user-facing message.
pub fn preset(name: &str) -> Result<Preset, String> {
    let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
    let names = Preset::ALL.into_iter().map(Preset::name);
    found.ok_or_else(|| suggest(format!("unknown preset `{name}`"), name, names))
}

/// The level of a rule, by its name; the error is a user-facing message.
pub fn level(name: &str) -> Result<RuleLevel, String> {
    let found = LEVELS.iter().find(|(word, _)| *word == name).map(|(_, level)| *level);
    found.ok_or_else(|| suggest(format!("unknown severity `{name}`"), name, LEVELS.iter().map(|(word, _)| *word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ILLEGAL_TYPE, MODIFIER_ORDER, NARROW_ADDRESS};

    #[test]
    fn all_keys_are_parsed() {
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
        assert!(settings.is_enabled(&MODIFIER_ORDER));
        assert_eq!(settings.severity(&NARROW_ADDRESS), Some(Severity::Error));
        assert_eq!(
            settings.severity(&ILLEGAL_TYPE),
            Some(Severity::Info),
            "the level of an individual rule takes precedence"
        );
        assert_eq!(
            (project.include.as_slice(), project.exclude.as_slice()),
            (&["a/".to_owned()][..], &["b/".to_owned()][..])
        );
        let old = project.settings_for(|number| project.overrides[number].paths == ["old/"]);
        assert_eq!((old.target.unwrap().name(), old.additional_targets.len()), ("sm_60", 0));
        assert!(!project.settings_for(|_| true).is_enabled(&NARROW_ADDRESS));
        assert_eq!(parse("").unwrap(), ConfigFile::default());
        let twice = parse("targets = [\"sm_90\", \"sm_80\", \"sm_90\"]").unwrap().settings;
        assert_eq!(twice, Settings::default().for_targets(["sm_90", "sm_80"]).unwrap(), "a target counts once");
    }

    #[test]
    fn invalid_settings_are_reported_with_suggestions() {
        for (text, part) in [
            ("taget = \"sm_90\"", "unknown key `taget`; did you mean `target`?"),
            ("colour = 1", "unknown key `colour`; expected one of disable, enable"),
            ("target = 90", "invalid type: integer `90`, expected a target, such as \"sm_90a\""),
            ("target = \"sm_91\"", "unknown target `sm_91`"),
            ("toolkit = \"11.9\"", "unknown CUDA toolkit `11.9`"),
            ("target = \"sm_90\"\ntargets = []", "use one of them"),
            ("enable = [\"modifier-ordr\"]", "unknown rule `modifier-ordr`; did you mean `modifier-order`?"),
            ("enable = \"modifier-order\"", "expected a list"),
            ("preset = \"foo\"", "unknown preset `foo`; expected one of recommended, strict, all"),
            ("preset = \"srtict\"", "did you mean `strict`?"),
            ("preset = \"rec\"", "did you mean `recommended`?"),
            ("preset = \"al\"", "did you mean `all`?"),
            ("tool = \"12.4\"", "did you mean `toolkit`?"),
            ("path = []", "unknown key `path`; expected one of disable"),
            ("target = \"sm90\"", "did you mean `sm_90`?"),
            ("target = \"SM_90A\"", "did you mean `sm_90a`?"),
            ("target = \"sm_91\"", "unknown target `sm_91`; expected a target such as"),
            ("[rules]\nillegal-type = \"never\"", "unknown severity `never`; expected one of error"),
            ("preset = \"strickt\"", "unknown preset `strickt`; did you mean `strict`?"),
            ("[rules]\nillegal-typ = \"off\"", "did you mean `illegal-type`?"),
            ("[rules]\nillegal-type = \"warn\"", "unknown severity `warn`; did you mean"),
            ("overrides = 1", "expected a list"),
            ("[[overrides]]\ntarget = \"sm_60\"", "missing key `paths`"),
            ("[[overrides]]\npath = []", "did you mean `paths`?"),
            ("\n\ntarget =", "line 3: "),
        ] {
            let errors = parse(text).unwrap_err();
            let error = errors[0].with_line(text);
            assert!(error.contains(part), "{text}: {error}");
            assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        }
    }

    #[test]
    fn every_error_is_reported_at_its_place() {
        let text = "taget = \"sm_90\"\ntargets = [\"sm_80\", \"sm_81\", 5]\npreset = strict\nenable = [\"no-rule\"]\nptx-version = 8.1\n\
                    include = [\"a/\", 1]\n[rules]\nillegal-typ = \"off\"\nnarrow-address = \"warn\"\n[[overrides]]\ntarget = \"sm_1\"\n\
                    targets = []\n[[overrides]]\npaths = \"x\"\npath = []\n";
        let found = check(text);
        let places: Vec<_> =
            found.errors.iter().map(|error| (&text[error.range.clone()], error.message.as_str())).collect();
        let words: Vec<_> = places.iter().map(|(word, _)| *word).collect();
        let expected = [
            "taget",
            "\"sm_81\"",
            "5",
            "strict",
            "\"no-rule\"",
            "8.1",
            "1",
            "illegal-typ",
            "\"warn\"",
            "[[overrides]]",
            "\"sm_1\"",
            "targets",
            "\"x\"",
            "path",
        ];
        assert_eq!(words, expected, "{places:?}");
        assert_eq!(found.patterns.len(), 1);
        assert_eq!(check("[[overrides]]\npaths = [\"a/\"]\n").patterns, [("a/".to_owned(), 23..27)]);
    }

    #[test]
    fn any_text_has_an_answer() {
        for text in [
            "[",
            "[[",
            "=",
            "a",
            "a.b = ",
            "\"",
            "[rules",
            "overrides = [1]",
            "[[overrides]",
            "target = \"sm_90",
            "\u{0}",
        ] {
            let errors = check(text).errors;
            assert!(!errors.is_empty(), "{text}");
            assert!(errors.iter().all(|error| text.get(error.range.clone()).is_some()), "{text}: {errors:?}");
        }
    }
}
