//! `ptx-atomics.toml`: settings that lie beside the code.
//!
//! Reads text; must not know where the file lies.

use crate::rules::{RULES, rule};
use crate::{Level, Settings};
use toml::{Table, Value};

/// The name of the file; the one in the nearest folder above a source counts.
pub const FILE_NAME: &str = "ptx-atomics.toml";

/// Every key, and what it is for.
pub const KEYS: [(&str, &str); 4] = [
    ("target", "overrides the modules' `.target`: \"sm_90a\""),
    ("ptx-version", "overrides the modules' `.version`: \"8.1\""),
    ("enable", "codes of rules that are off by default and shall be on: [\"modifier-order\"]"),
    ("disable", "codes of rules that shall be off: [\"requires-target\"]"),
];

/// The settings that a file makes; the error is a sentence for people that names the key.
pub fn parse(text: &str) -> Result<Settings, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let mut settings = Settings::default();
    for (key, value) in &table {
        match key.as_str() {
            "target" => settings.target = Settings::new(Some(word(key, value)?), None)?.target,
            "ptx-version" => settings.version = Settings::new(None, Some(word(key, value)?))?.version,
            "enable" => settings.rules.extend(codes(key, value)?.into_iter().map(|code| (code, Level::On))),
            "disable" => settings.rules.extend(codes(key, value)?.into_iter().map(|code| (code, Level::Off))),
            _ => return Err(unknown(key)),
        }
    }
    Ok(settings)
}

fn word<'a>(key: &str, value: &'a Value) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| format!("`{key}` is a string, such as {}", example(key)))
}

fn codes(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or_else(|| format!("`{key}` is a list of strings, such as {}", example(key)))?;
    let code = |value: &Value| match value.as_str() {
        Some(code) if rule(code).is_some() => Ok(code.to_owned()),
        Some(code) => {
            Err(suggest(format!("`{key}`: no rule is called `{code}`"), code, RULES.iter().map(|rule| rule.code)))
        }
        None => Err(format!("`{key}` is a list of strings, such as {}", example(key))),
    };
    list.iter().map(code).collect()
}

fn example(key: &str) -> &'static str {
    KEYS.iter().find(|(name, _)| *name == key).and_then(|(_, about)| about.rsplit(": ").next()).unwrap_or_default()
}

fn unknown(key: &str) -> String {
    suggest(format!("there is no key `{key}`"), key, KEYS.iter().map(|(name, _)| *name))
}

fn suggest<'a>(complaint: String, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match known.clone().min_by_key(|candidate| distance(word, candidate)).filter(|near| distance(word, near) <= 3) {
        Some(near) => format!("{complaint}; did you mean `{near}`?"),
        None => format!("{complaint}; there are {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// How many letters must be put in, taken away or changed to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_are_read() {
        let settings = parse(
            "target = \"sm_90a\"\nptx-version = \"8.1\"\nenable = [\"modifier-order\"]\ndisable = [\"illegal-type\"]\n",
        );
        let settings = settings.unwrap();
        assert_eq!(settings.target.unwrap().name(), "sm_90a");
        assert_eq!(settings.version.unwrap().to_string(), "8.1");
        assert!(settings.shows("modifier-order") && !settings.shows("illegal-type"));
        assert_eq!(parse("").unwrap(), Settings::default());
    }

    #[test]
    fn what_cannot_be_meant_is_named_with_what_could_be() {
        for (text, part) in [
            ("taget = \"sm_90\"", "there is no key `taget`; did you mean `target`?"),
            ("colour = 1", "there is no key `colour`; there are target"),
            ("target = 90", "`target` is a string, such as \"sm_90a\""),
            ("target = \"sm_91\"", "no target is called `sm_91`"),
            ("enable = [\"modifier-ordr\"]", "no rule is called `modifier-ordr`; did you mean `modifier-order`?"),
            ("enable = \"modifier-order\"", "`enable` is a list of strings"),
            ("target =", "expected"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
