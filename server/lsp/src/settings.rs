//! Settings from three sources, the later ones winning field by field: the command line, `initializationOptions`, `workspace/configuration`.
//!
//! Must not know documents or checks.

use analysis::Settings;
use serde_json::Value;

/// The section of a client's configuration that is ours.
pub const SECTION: &str = "ptxAtomics";

/// The words of one source; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    target: Option<String>,
    version: Option<String>,
}

/// What every source said.
#[derive(Debug, Default)]
pub struct Sources {
    /// The command line.
    pub given: Settings,
    /// `initializationOptions`.
    pub options: Words,
    /// The client's configuration, which may change while the server runs.
    pub configured: Words,
}

impl Sources {
    /// What holds, and a sentence about each word that nobody knows: it counts as not said.
    pub fn effective(&self) -> (Settings, Vec<String>) {
        let (mut settings, mut complaints) = (self.given.clone(), Vec::new());
        for words in [&self.options, &self.configured] {
            match Settings::new(words.target.as_deref(), None) {
                Ok(said) => settings.target = said.target.or(settings.target),
                Err(complaint) => complaints.push(complaint),
            }
            match Settings::new(None, words.version.as_deref()) {
                Ok(said) => settings.version = said.version.or(settings.version),
                Err(complaint) => complaints.push(complaint),
            }
        }
        (settings, complaints)
    }
}

/// Reads `{target, ptxVersion}`, alone or under our section. What is absent, empty or of another kind says nothing.
pub fn read(value: &Value) -> Words {
    let value = value.get(SECTION).unwrap_or(value);
    let word = |key: &str| match value.get(key)? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    Words { target: word("target"), version: word("ptxVersion") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(target: Option<&str>, version: Option<&str>) -> Words {
        Words { target: target.map(str::to_owned), version: version.map(str::to_owned) }
    }

    fn settings(target: &str, version: &str) -> Settings {
        Settings::new(Some(target), Some(version)).expect("exist")
    }

    #[test]
    fn both_shapes_are_read_and_nonsense_says_nothing() {
        assert_eq!(read(&json!({"target": "sm_90a", "ptxVersion": "8.1"})), words(Some("sm_90a"), Some("8.1")));
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
        let mut sources = Sources { given: settings("sm_50", "6.0"), ..Sources::default() };
        sources.options = words(Some("sm_70"), None);
        assert_eq!(sources.effective().0, settings("sm_70", "6.0"));
        sources.configured = words(None, Some("8.1"));
        assert_eq!(sources.effective().0, settings("sm_70", "8.1"));
        sources.configured = words(None, None);
        assert_eq!(sources.effective(), (settings("sm_70", "6.0"), Vec::new()));
    }

    #[test]
    fn a_word_that_nobody_knows_is_complained_about_and_counts_as_not_said() {
        let mut sources = Sources { given: settings("sm_50", "6.0"), ..Sources::default() };
        sources.configured = words(Some("sm_9000"), Some("8.1"));
        let (effective, complaints) = sources.effective();
        assert_eq!(effective, settings("sm_50", "8.1"));
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains("sm_9000"), "{complaints:?}");
    }
}
