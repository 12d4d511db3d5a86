//! The values of keys: targets, versions and rules, parsed from strings.

use super::{LEVELS, level, preset};
use crate::registry::{RULES, rule};
use crate::settings::{target, version};
use crate::{Preset, RuleLevel, Settings, suggest};
use isa::target::{Target, Version};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A value that is parsed from a string.
trait SettingValue: Sized {
    /// The expected value, with an example.
    const EXPECTED: &'static str;
    /// Parses the value; the error is a user-facing message.
    fn parse(text: &str) -> Result<Self, String>;
}

struct SettingVisitor<T>(PhantomData<T>);

impl<T: SettingValue> Visitor<'_> for SettingVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::parse(text).map_err(E::custom)
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident($value:ty), $expected:literal, $parse:expr, $schema:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug)]
            pub(super) struct $name(pub $value);

            impl SettingValue for $name {
                const EXPECTED: &'static str = $expected;

                fn parse(text: &str) -> Result<Self, String> {
                    $parse(text).map($name)
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_str(SettingVisitor(PhantomData))
                }
            }

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    $schema
                }
            }
        )*
    };
}

words! {
    /// A target by its name.
    TargetName(Target), "a target, such as \"sm_90a\"", target,
        json_schema!({"enum": Target::all().map(Target::name).collect::<Vec<_>>()});
    /// A version of PTX by its number.
    VersionNumber(Version), "a PTX version, such as \"8.1\"", version,
        json_schema!({"enum": Version::all().map(|version| version.to_string()).collect::<Vec<_>>()});
    /// A CUDA toolkit by its number.
    ToolkitNumber(String), "a CUDA toolkit, such as \"12.4\"", toolkit, json_schema!({"type": "string"});
    /// A choice of rules by its name.
    PresetName(Preset), "a preset, such as \"recommended\"", preset,
        json_schema!({"enum": Preset::ALL.map(Preset::name)});
    /// A rule by its code.
    RuleCode(String), "the code of a rule, such as \"modifier-order\"", code,
        json_schema!({"enum": RULES.iter().map(|rule| rule.code).collect::<Vec<_>>()});
}

fn toolkit(text: &str) -> Result<String, String> {
    Settings::default().for_toolkit(text).map(|_| text.to_owned())
}

fn code(text: &str) -> Result<String, String> {
    let known = RULES.iter().map(|rule| rule.code);
    let found = rule(text).map(|rule| rule.code.to_owned());
    found.ok_or_else(|| suggest(format!("unknown rule `{text}`"), text, known))
}

/// A list; `None` if the key is missing.
#[derive(Clone, Debug)]
pub(super) struct SettingList<T>(pub Option<Vec<T>>);

impl<T> Default for SettingList<T> {
    fn default() -> Self {
        SettingList(None)
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(one) = sequence.next_element()? {
            list.push(one);
        }
        Ok(list)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SettingList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData)).map(|list| SettingList(Some(list)))
    }
}

impl<T: JsonSchema> JsonSchema for SettingList<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("List_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "array", "items": generator.subschema_for::<T>()})
    }
}

/// The levels of rules, by code.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleLevels(pub BTreeMap<String, RuleLevel>);

struct RuleLevelsVisitor;

impl<'de> Visitor<'de> for RuleLevelsVisitor {
    type Value = RuleLevels;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a table, such as { modifier-order = \"warning\" }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RuleLevels, A::Error> {
        let mut levels = BTreeMap::new();
        while let Some((code, LevelName(level))) = map.next_entry::<RuleCode, LevelName>()? {
            levels.insert(code.0, level);
        }
        Ok(RuleLevels(levels))
    }
}

impl<'de> Deserialize<'de> for RuleLevels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RuleLevelsVisitor)
    }
}

impl JsonSchema for RuleLevels {
    fn schema_name() -> Cow<'static, str> {
        "RuleLevels".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let levels: Vec<_> = LEVELS.iter().map(|(word, _)| *word).collect();
        let level = |summary: &str| json_schema!({"enum": levels, "description": summary});
        let rules: BTreeMap<_, _> = RULES.iter().map(|rule| (rule.code, level(rule.summary))).collect();
        json_schema!({"type": "object", "properties": rules, "additionalProperties": false})
    }
}

words! {
    /// A severity, `on` or `off`.
    LevelName(RuleLevel), "a severity, such as \"warning\"", level,
        json_schema!({"enum": LEVELS.iter().map(|(word, _)| *word).collect::<Vec<_>>()});
}
