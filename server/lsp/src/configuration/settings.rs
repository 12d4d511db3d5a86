//! Settings from `initializationOptions`, `workspace/configuration` and the command line; later ones override earlier ones.
//! All of them override the project's file.

use diagnostics::config::{LEVELS, SettingsTable};
use diagnostics::{RuleLevel, SettingOrigin, Settings};
use ide::features::HintOptions;
use serde_json::{Value, json};
use std::time::Duration;

/// The server's section in the client's configuration.
pub const SECTION: &str = "ptxAtomics";

/// The default of `diagnosticsDelay`.
const DIAGNOSTICS_DELAY: Duration = Duration::from_millis(800);

/// The settings of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientSettings {
    /// Settings that `ptx-atomics.toml` has, too.
    settings: Settings,
    /// Error messages; invalid values are ignored.
    errors: Vec<String>,
    hints: [Option<bool>; 3],
    /// `cuda.enable`.
    cuda: Option<bool>,
    /// `python.enable`.
    python: Option<bool>,
    pages: Option<String>,
    /// `diagnosticsDelay`, in milliseconds.
    diagnostics_delay: Option<u64>,
}

impl ClientSettings {
    /// Reads the value of one key.
    fn take(&mut self, key: &str, value: Value) {
        let table = serde_json::from_value::<SettingsTable>(json!({key: value})).map_err(|error| error.to_string());
        match table.and_then(SettingsTable::settings) {
            Ok(settings) => self.settings = settings.or(&self.settings),
            Err(error) => self.errors.push(error),
        }
    }
}

/// The source of a target that overrides the modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetOverride {
    /// The option `--target`.
    CommandLine,
    /// The client's settings.
    Editor,
    /// `ptx-atomics.toml`.
    #[default]
    ProjectFile,
}

/// The settings of all sources.
#[derive(Debug, Default)]
pub struct SettingsSources {
    /// Options of the command line.
    pub given: Settings,
    /// `initializationOptions`.
    pub options: ClientSettings,
    /// The client's configuration; may change while the server runs.
    pub configured: ClientSettings,
}

impl SettingsSources {
    /// The effective settings with their origins.
    pub fn effective(&self) -> Settings {
        let editor = self.configured.settings.clone().or(&self.options.settings).with_origin(SettingOrigin::Editor);
        self.given.clone().with_origin(SettingOrigin::CommandLine).or(&editor)
    }

    /// Error messages for invalid values.
    pub fn errors(&self) -> impl Iterator<Item = &String> {
        self.options.errors.iter().chain(&self.configured.errors)
    }

    /// What overrides the targets of the modules.
    pub fn target_override(&self) -> TargetOverride {
        if self.given.target.is_some() {
            TargetOverride::CommandLine
        } else if self.configured.settings.target.or(self.options.settings.target).is_some() {
            TargetOverride::Editor
        } else {
            TargetOverride::ProjectFile
        }
    }

    /// URL template of the pages of `explain`, with `{code}` for a rule's code or the name of an instruction.
    pub fn pages(&self) -> Option<String> {
        self.configured.pages.clone().or_else(|| self.options.pages.clone()).filter(|pages| pages.contains("{code}"))
    }

    /// The time without an edit after which the diagnostics of the edited statement are shown; zero shows them at once.
    pub fn diagnostics_delay(&self) -> Duration {
        let delay = self.configured.diagnostics_delay.or(self.options.diagnostics_delay);
        delay.map_or(DIAGNOSTICS_DELAY, Duration::from_millis)
    }

    /// Enabled inlay hints; none by default.
    pub fn hints(&self) -> HintOptions {
        let enabled = |at: usize| self.configured.hints[at].or(self.options.hints[at]).unwrap_or(false);
        HintOptions { semantics: enabled(0), scope: enabled(1), space: enabled(2) }
    }

    /// The languages whose files are checked while they are not open. A client without the settings has them on.
    pub fn hosts(&self) -> EnabledHosts {
        EnabledHosts {
            cuda: self.configured.cuda.or(self.options.cuda).unwrap_or(true),
            python: self.configured.python.or(self.options.python).unwrap_or(true),
        }
    }
}

/// The languages with inline assembly whose files are checked while they are not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnabledHosts {
    /// C++ and CUDA C++.
    pub cuda: bool,
    /// Python.
    pub python: bool,
}

/// Reads the keys of `ptx-atomics.toml` in the spelling of editors (`ptxVersion`, `systemMemory`), beside `pages`, `diagnosticsDelay`, `inlayHints: {semantics, scope, space}` and
/// `cuda: {enable}` and `python: {enable}`, alone or under the section `ptxAtomics`. Absent and empty values are ignored.
pub fn read(value: &Value) -> ClientSettings {
    let value = value.get(SECTION).unwrap_or(value);
    let hint = |key: &str| value.get("inlayHints")?.get(key)?.as_bool();
    let enabled = |language: &str| value.get(language).and_then(|settings| settings.get("enable")?.as_bool());
    let mut words = ClientSettings {
        hints: ["semantics", "scope", "space"].map(hint),
        cuda: enabled("cuda"),
        python: enabled("python"),
        pages: value.get("pages").and_then(word),
        diagnostics_delay: value.get("diagnosticsDelay").and_then(Value::as_u64),
        ..ClientSettings::default()
    };
    for (key, value) in value.as_object().into_iter().flatten() {
        let key = match &**key {
            "ptxVersion" => "ptx-version",
            "systemMemory" => "system-memory",
            other => other,
        };
        match (key, value) {
            ("enable" | "disable", Value::Array(codes)) => {
                codes.iter().filter(|code| code.is_string()).for_each(|code| words.take(key, json!([code])));
            }
            ("rules", Value::Object(levels)) => {
                levels.iter().for_each(|(code, level)| words.take(key, json!({code: level})));
            }
            (_, Value::Array(values)) if values.is_empty() => {}
            (_, Value::Array(_)) => words.take(key, value.clone()),
            // The table ignores keys that files do not have.
            (_, value) => {
                if let Some(word) = word(value) {
                    words.take(key, Value::String(word));
                }
            }
        }
    }
    words
}

/// Settings in one line, for the log.
pub fn described(settings: &Settings) -> String {
    let targets: Vec<_> =
        settings.target.iter().chain(&settings.additional_targets).map(|target| target.name()).collect();
    let level = |(code, level): (&String, &RuleLevel)| {
        let name = LEVELS.iter().find(|(_, known)| known == level).map_or("", |(name, _)| name);
        format!("{code} = {name}")
    };
    let values = [
        ("targets", Some(targets.join(", ")).filter(|targets| !targets.is_empty())),
        ("ptx-version", settings.version.map(|version| version.to_string())),
        ("toolkit", settings.toolkit.clone()),
        ("system-memory", Some(settings.system_memory.join(", ")).filter(|names| !names.is_empty())),
        ("preset", settings.preset.map(|preset| preset.name().to_owned())),
        (
            "rules",
            Some(settings.rules.iter().map(level).collect::<Vec<_>>().join(", ")).filter(|rules| !rules.is_empty()),
        ),
    ];
    let values: Vec<_> = values.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value?))).collect();
    if values.is_empty() { "defaults".to_owned() } else { values.join("; ") }
}

/// A non-empty string, or a number as written.
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
    fn both_shapes_are_read_and_invalid_values_are_ignored() {
        let both = SettingsSources { options: words(Some("sm_90a"), Some("8.1")), ..SettingsSources::default() };
        assert_eq!(both.effective(), settings("sm_90a", "8.1").with_origin(SettingOrigin::Editor));
        assert_eq!(both.errors().count(), 0);
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
        assert_eq!(sources.effective(), settings("sm_70", "6.0").with_origin(SettingOrigin::Editor));
        sources.given = Settings::new(None, Some("8.1")).expect("exists");
        let effective = sources.effective();
        let expected = settings("sm_70", "8.1");
        assert_eq!((effective.target, effective.version), (expected.target, expected.version));
        assert_eq!(effective.origins.target, Some(SettingOrigin::Editor));
        assert_eq!(effective.origins.version, Some(SettingOrigin::CommandLine));
        sources.configured = words(None, None);
        assert_eq!(sources.effective().target, settings("sm_50", "8.1").target);
    }

    #[test]
    fn system_memory_is_read_in_the_spelling_of_editors() {
        let options = read(&json!({"ptxAtomics": {"systemMemory": ["flags", "*_param_0"]}}));
        let effective = SettingsSources { options, ..SettingsSources::default() }.effective();
        assert_eq!(effective.system_memory, ["flags", "*_param_0"]);
        assert!(described(&effective).contains("system-memory: flags, *_param_0"));
    }

    #[test]
    fn rules_are_enabled_and_disabled_by_code() {
        let mut sources = SettingsSources {
            options: read(&json!({"disable": ["illegal-type", "no-such-rule", 5]})),
            ..SettingsSources::default()
        };
        let (effective, errors) = (sources.effective(), sources.errors().collect::<Vec<_>>());
        assert!(!effective.is_enabled(&ILLEGAL_TYPE) && effective.is_enabled(&ILLEGAL_MODIFIER));
        assert_eq!(errors.len(), 1, "{errors:?}");
        sources.configured = read(&json!({"enable": ["illegal-type"]}));
        assert!(sources.effective().is_enabled(&ILLEGAL_TYPE), "the later source wins");
    }

    #[test]
    fn each_kind_of_hint_can_be_switched_on() {
        let mut sources = SettingsSources::default();
        assert_eq!(sources.hints(), HintOptions { semantics: false, scope: false, space: false });
        sources.options = read(&json!({"inlayHints": {"scope": true, "space": true}}));
        sources.configured = read(&json!({"inlayHints": {"space": false, "semantics": "yes"}}));
        assert_eq!(sources.hints(), HintOptions { semantics: false, scope: true, space: false });
    }

    #[test]
    fn cuda_is_on_unless_a_client_switches_it_off() {
        let mut sources = SettingsSources::default();
        assert_eq!(sources.hosts(), EnabledHosts { cuda: true, python: true });
        sources.configured = read(&json!({"ptxAtomics": {"cuda": {"enable": false}}}));
        assert_eq!(sources.hosts(), EnabledHosts { cuda: false, python: true });
        sources.options = read(&json!({"ptxAtomics": {"python": {"enable": false}}}));
        assert_eq!(sources.hosts(), EnabledHosts { cuda: false, python: false });
    }

    #[test]
    fn an_unknown_target_is_reported_and_ignored() {
        let mut sources = SettingsSources { options: words(Some("sm_50"), Some("6.0")), ..SettingsSources::default() };
        sources.configured = words(Some("sm_9000"), Some("8.1"));
        let (effective, errors) = (sources.effective(), sources.errors().collect::<Vec<_>>());
        assert_eq!(effective, settings("sm_50", "8.1").with_origin(SettingOrigin::Editor));
        assert_eq!(errors.len(), 1);
        assert!(errors[0].contains("sm_9000"), "{errors:?}");
    }
}
