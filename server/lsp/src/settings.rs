//! Settings that a client and the command line make, the later ones winning: `initializationOptions`, `workspace/configuration`, the command line.
//! What the files of a project say comes after all of these.
//!
//! Must not know documents or checks.

use diagnostics::Settings;
use diagnostics::config::SettingsTable;
use ide::features::HintOptions;
use serde_json::{Value, json};

/// The section of a client's configuration that is ours.
pub const SECTION: &str = "ptxAtomics";

/// What one source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientSettings {
    /// The settings that a file can make, too.
    settings: Settings,
    /// A sentence about each word that nobody knows: it counts as not said.
    errors: Vec<String>,
    hints: [Option<bool>; 3],
    pages: Option<String>,
}

impl ClientSettings {
    /// Takes up what stands behind one key of the files.
    fn take(&mut self, key: &str, value: Value) {
        let table = serde_json::from_value::<SettingsTable>(json!({key: value})).map_err(|error| error.to_string());
        match table.and_then(SettingsTable::settings) {
            Ok(said) => self.settings = said.or(&self.settings),
            Err(error) => self.errors.push(error),
        }
    }
}

/// What every source said.
#[derive(Debug, Default)]
pub struct SettingsSources {
    /// The command line: who starts a server with options for this session means them.
    pub given: Settings,
    /// `initializationOptions`.
    pub options: ClientSettings,
    /// The client's configuration, which may change while the server runs.
    pub configured: ClientSettings,
}

impl SettingsSources {
    /// What holds, and a sentence about each word that nobody knows.
    pub fn effective(&self) -> (Settings, Vec<String>) {
        let errors = self.options.errors.iter().chain(&self.configured.errors).cloned().collect();
        (self.given.clone().or(&self.configured.settings).or(&self.options.settings), errors)
    }

    /// Where the rules' pages can be read: an address in which `{code}` stands for a rule's code.
    pub fn pages(&self) -> Option<String> {
        self.configured.pages.clone().or_else(|| self.options.pages.clone()).filter(|pages| pages.contains("{code}"))
    }

    /// Which inlay hints are wanted: all that nobody has switched off.
    pub fn hints(&self) -> HintOptions {
        let said = |at: usize| self.configured.hints[at].or(self.options.hints[at]).unwrap_or(true);
        HintOptions { semantics: said(0), scope: said(1), space: said(2) }
    }
}

/// Reads the keys of `ptx-atomics.toml` in the spelling of editors (`ptxVersion`), beside `pages` and `inlayHints: {semantics, scope, space}`, alone or
/// under our section. What is absent, empty or of another kind says nothing.
pub fn read(value: &Value) -> ClientSettings {
    let value = value.get(SECTION).unwrap_or(value);
    let hint = |key: &str| value.get("inlayHints")?.get(key)?.as_bool();
    let mut words = ClientSettings {
        hints: ["semantics", "scope", "space"].map(hint),
        pages: value.get("pages").and_then(word),
        ..ClientSettings::default()
    };
    for (key, value) in value.as_object().into_iter().flatten() {
        let key = if key == "ptxVersion" { "ptx-version" } else { key };
        match (key, value) {
            ("enable" | "disable", Value::Array(codes)) => {
                codes.iter().filter(|code| code.is_string()).for_each(|code| words.take(key, json!([code])));
            }
            ("rules", Value::Object(levels)) => {
                levels.iter().for_each(|(code, level)| words.take(key, json!({code: level})));
            }
            (_, Value::Array(_)) => words.take(key, value.clone()),
            // What is no setting of the files is passed over by the table.
            (_, value) => {
                if let Some(word) = word(value) {
                    words.take(key, Value::String(word));
                }
            }
        }
    }
    words
}

/// A string with something in it, or a number as it is written.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::registry::{ILLEGAL_MODIFIER, ILLEGAL_TYPE};
    use serde_json::json;

    fn words(target: Option<&str>, version: Option<&str>) -> ClientSettings {
        read(&json!({"target": target, "ptxVersion": version}))
    }

    fn settings(target: &str, version: &str) -> Settings {
        Settings::new(Some(target), Some(version)).expect("exist")
    }

    #[test]
    fn both_shapes_are_read_and_nonsense_says_nothing() {
        let both = SettingsSources { options: words(Some("sm_90a"), Some("8.1")), ..SettingsSources::default() };
        assert_eq!(both.effective(), (settings("sm_90a", "8.1"), Vec::new()));
        assert_eq!(
            read(&json!({"ptxAtomics": {"target": " sm_70 ", "ptxVersion": 8.1}})),
            words(Some("sm_70"), Some("8.1"))
        );
        for nothing in [
            json!(null),
            json!([]),
            json!("sm_90"),
            json!({"target": "", "ptxVersion": null}),
            json!({"target": {"a": 1}}),
        ] {
            assert_eq!(read(&nothing), words(None, None), "{nothing}");
        }
    }

    #[test]
    fn a_later_source_wins_field_by_field() {
        let mut sources = SettingsSources { options: words(Some("sm_50"), Some("6.0")), ..SettingsSources::default() };
        sources.configured = words(Some("sm_70"), None);
        assert_eq!(sources.effective().0, settings("sm_70", "6.0"));
        sources.given = Settings::new(None, Some("8.1")).expect("exists");
        assert_eq!(sources.effective().0, settings("sm_70", "8.1"));
        sources.configured = words(None, None);
        assert_eq!(sources.effective(), (settings("sm_50", "8.1"), Vec::new()));
    }

    #[test]
    fn rules_are_switched_on_and_off_by_their_codes() {
        let mut sources = SettingsSources {
            options: read(&json!({"disable": ["illegal-type", "no-such-rule", 5]})),
            ..SettingsSources::default()
        };
        let (effective, errors) = sources.effective();
        assert!(!effective.is_enabled(&ILLEGAL_TYPE) && effective.is_enabled(&ILLEGAL_MODIFIER));
        assert_eq!(errors.len(), 1, "{errors:?}");
        sources.configured = read(&json!({"enable": ["illegal-type"]}));
        assert!(sources.effective().0.is_enabled(&ILLEGAL_TYPE), "the later source wins");
    }

    #[test]
    fn each_kind_of_hint_can_be_switched_off() {
        let mut sources = SettingsSources::default();
        assert_eq!(sources.hints(), HintOptions::default());
        sources.options = read(&json!({"inlayHints": {"scope": false, "space": false}}));
        sources.configured = read(&json!({"inlayHints": {"space": true, "semantics": "no"}}));
        assert_eq!(sources.hints(), HintOptions { scope: false, ..HintOptions::default() });
    }

    #[test]
    fn a_word_that_nobody_knows_is_complained_about_and_counts_as_not_said() {
        let mut sources = SettingsSources { options: words(Some("sm_50"), Some("6.0")), ..SettingsSources::default() };
        sources.configured = words(Some("sm_9000"), Some("8.1"));
        let (effective, errors) = sources.effective();
        assert_eq!(effective, settings("sm_50", "8.1"));
        assert_eq!(errors.len(), 1);
        assert!(errors[0].contains("sm_9000"), "{errors:?}");
    }
}
