//! The keys of the settings file. The doc comments are the descriptions in the schema.

use super::values::{PresetName, RuleCode, RuleLevels, SettingList, TargetName, ToolkitNumber, VersionNumber};
use super::{ConfigFile, Override};
use crate::{RuleLevel, Settings};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;

/// The settings of a file, of an override, or of an editor.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub struct SettingsTable {
    /// target to check for, instead of the `.target` of each module
    #[schemars(with = "TargetName")]
    target: Option<TargetName>,
    /// targets to check for; each diagnostic names the targets that it applies to
    targets: SettingList<TargetName>,
    /// PTX version to check for, instead of the `.version` of each module
    #[schemars(with = "VersionNumber")]
    ptx_version: Option<VersionNumber>,
    /// CUDA toolkit whose assembler must accept the modules
    #[schemars(with = "ToolkitNumber")]
    toolkit: Option<ToolkitNumber>,
    /// names of pointers and variables whose memory other GPUs or the host share, for the rule system-scope; * stands for any text
    system_memory: SettingList<String>,
    /// set of enabled rules: recommended, strict or all
    #[schemars(with = "PresetName")]
    preset: Option<PresetName>,
    /// severity of individual rules
    rules: RuleLevels,
    /// rules to enable at their default severity
    enable: SettingList<RuleCode>,
    /// rules to disable
    disable: SettingList<RuleCode>,
}

/// A whole file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(
    title = "ptx-atomics.toml",
    description = "Settings of ptx-atomics for the files in this folder and its subfolders."
)]
#[schemars(extend("additionalProperties" = false, "not" = {"required": ["target", "targets"]}))]
pub(super) struct ConfigTable {
    #[serde(flatten)]
    settings: SettingsTable,
    /// gitignore-style patterns of the files to check in folders; all files by default
    include: SettingList<String>,
    /// gitignore-style patterns of the files to skip in folders
    exclude: SettingList<String>,
    /// settings for some paths; the last match takes precedence
    overrides: SettingList<OverrideTable>,
}

/// Settings for some sources.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
#[schemars(extend("additionalProperties" = false, "not" = {"required": ["target", "targets"]}))]
pub(super) struct OverrideTable {
    /// gitignore-style patterns of the files that these settings apply to
    #[schemars(with = "SettingList<String>", required)]
    paths: Option<SettingList<String>>,
    #[serde(flatten)]
    settings: SettingsTable,
}

/// The schema of the file: JSON Schema, draft 7.
pub fn schema() -> Schema {
    schema_of::<ConfigTable>()
}

fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// The keys of a file.
pub(super) fn known_keys() -> Vec<String> {
    keys_of::<ConfigTable>()
}

/// The keys of an override.
pub(super) fn known_override_keys() -> Vec<String> {
    keys_of::<OverrideTable>()
}

fn keys_of<T: JsonSchema>() -> Vec<String> {
    let schema = schema_of::<T>();
    let keys = schema.get("properties").and_then(|properties| properties.as_object());
    keys.into_iter().flat_map(|keys| keys.keys().cloned()).collect()
}

impl SettingsTable {
    /// Converts the table; the error is a user-facing message about conflicting keys.
    pub fn settings(self) -> Result<Settings, String> {
        if self.target.is_some() && self.targets.0.is_some() {
            return Err("conflicting keys `target` and `targets`; use one of them".to_owned());
        }
        let targets = self.target.into_iter().chain(self.targets.0.into_iter().flatten()).map(|target| target.0);
        let mut settings = Settings {
            version: self.ptx_version.map(|version| version.0),
            toolkit: self.toolkit.map(|toolkit| toolkit.0),
            preset: self.preset.map(|preset| preset.0),
            system_memory: self.system_memory.0.unwrap_or_default(),
            ..Settings::default()
        }
        .with_targets(targets);
        let levels =
            |codes: SettingList<RuleCode>, level| codes.0.into_iter().flatten().map(move |code| (code.0, level));
        settings.rules.extend(levels(self.disable, RuleLevel::Off));
        settings.rules.extend(levels(self.enable, RuleLevel::On));
        // The level of an individual rule takes precedence.
        settings.rules.extend(self.rules.0);
        Ok(settings)
    }
}

impl ConfigTable {
    pub(super) fn project(self) -> Result<ConfigFile, String> {
        let overrides = self.overrides.0.into_iter().flatten().map(OverrideTable::convert);
        Ok(ConfigFile {
            settings: self.settings.settings()?,
            include: self.include.0.unwrap_or_default(),
            exclude: self.exclude.0.unwrap_or_default(),
            overrides: overrides.collect::<Result<_, _>>().map_err(|error| format!("in `overrides`: {error}"))?,
        })
    }
}

impl OverrideTable {
    fn convert(self) -> Result<Override, String> {
        let paths =
            self.paths.and_then(|paths| paths.0).ok_or("missing key `paths`, for example `paths = [\"old/\"]`")?;
        Ok(Override { paths, settings: self.settings.settings()? })
    }
}
