//! The keys that can be written, each with what it is for.

use super::words::{PresetName, RuleCode, RuleLevels, SettingList, TargetName, ToolkitNumber, VersionNumber};
use super::{ConfigFile, Override};
use crate::{RuleLevel, Settings, suggest};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The settings of a file, of an override, or of an editor.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub struct SettingsTable {
    /// overrides the modules' `.target`
    #[schemars(with = "TargetName")]
    target: Option<TargetName>,
    /// several targets at once, each finding says for which
    targets: SettingList<TargetName>,
    /// overrides the modules' `.version`
    #[schemars(with = "VersionNumber")]
    ptx_version: Option<VersionNumber>,
    /// the CUDA toolkit whose assembler shall take the modules
    #[schemars(with = "ToolkitNumber")]
    toolkit: Option<ToolkitNumber>,
    /// the choice of rules, recommended, strict or all
    #[schemars(with = "PresetName")]
    preset: Option<PresetName>,
    /// how bad single rules are
    rules: RuleLevels,
    /// codes of rules that shall be on, as bad as they are
    enable: SettingList<RuleCode>,
    /// codes of rules that shall be off
    disable: SettingList<RuleCode>,
}

/// A whole file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "ptx-atomics.toml", description = "Settings of ptx-atomics for the sources below its folder.")]
#[schemars(extend("additionalProperties" = false, "not" = {"required": ["target", "targets"]}))]
pub(super) struct ConfigTable {
    #[serde(flatten)]
    settings: SettingsTable,
    /// patterns as in .gitignore; what is found in folders is linted only where one matches
    include: SettingList<String>,
    /// patterns as in .gitignore of what is passed over in folders
    exclude: SettingList<String>,
    /// tables of other settings for some paths, the last that matches first
    overrides: SettingList<OverrideTable>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: BTreeMap<String, IgnoredAny>,
}

/// Settings for some sources.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
#[schemars(extend("additionalProperties" = false, "not" = {"required": ["target", "targets"]}))]
pub(super) struct OverrideTable {
    /// patterns as in .gitignore of the sources that these settings are for
    #[schemars(with = "SettingList<String>", required)]
    paths: Option<SettingList<String>>,
    #[serde(flatten)]
    settings: SettingsTable,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: BTreeMap<String, IgnoredAny>,
}

/// What editors check the file with: JSON Schema, draft 7.
pub fn schema() -> Schema {
    schema_of::<ConfigTable>()
}

fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// Refuses keys that are none of a table's.
fn refuse<T: JsonSchema>(unknown: &BTreeMap<String, IgnoredAny>) -> Result<(), String> {
    let Some(key) = unknown.keys().next() else { return Ok(()) };
    let schema = schema_of::<T>();
    let keys = schema.get("properties").and_then(|properties| properties.as_object());
    let keys = keys.into_iter().flat_map(|keys| keys.keys().map(String::as_str));
    Err(suggest(format!("there is no key `{key}`"), key, keys))
}

impl SettingsTable {
    /// What they mean; the error is a sentence for people where they contradict each other.
    pub fn settings(self) -> Result<Settings, String> {
        if self.target.is_some() && self.targets.0.is_some() {
            return Err("`target` and `targets` say the same: write one of them".to_owned());
        }
        let targets = self.target.into_iter().chain(self.targets.0.into_iter().flatten()).map(|target| target.0);
        let mut settings = Settings {
            version: self.ptx_version.map(|version| version.0),
            toolkit: self.toolkit.map(|toolkit| toolkit.0),
            preset: self.preset.map(|preset| preset.0),
            ..Settings::default()
        }
        .with_targets(targets);
        let said = |codes: SettingList<RuleCode>, level| codes.0.into_iter().flatten().map(move |code| (code.0, level));
        settings.rules.extend(said(self.disable, RuleLevel::Off));
        settings.rules.extend(said(self.enable, RuleLevel::On));
        // What is said of one rule alone counts most.
        settings.rules.extend(self.rules.0);
        Ok(settings)
    }
}

impl ConfigTable {
    pub(super) fn project(self) -> Result<ConfigFile, String> {
        refuse::<ConfigTable>(&self.unknown)?;
        let overrides = self.overrides.0.into_iter().flatten().map(OverrideTable::read);
        Ok(ConfigFile {
            settings: self.settings.settings()?,
            include: self.include.0.unwrap_or_default(),
            exclude: self.exclude.0.unwrap_or_default(),
            overrides: overrides.collect::<Result<_, _>>().map_err(|error| format!("in `overrides`: {error}"))?,
        })
    }
}

impl OverrideTable {
    fn read(self) -> Result<Override, String> {
        refuse::<OverrideTable>(&self.unknown)?;
        let paths = self.paths.and_then(|paths| paths.0).ok_or("`paths` is missing, such as [\"old/\"]")?;
        Ok(Override { paths, settings: self.settings.settings()? })
    }
}
