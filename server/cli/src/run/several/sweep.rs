//! `--sweep`: the values that a size or an argument takes one after another.

use crate::run::{LaunchOptions, bytes, sizes};

/// The most launches of a command.
const MOST_LAUNCHES: usize = 4096;

/// A size or an argument with the values that it takes.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Its name: `grid`, `block`, `cluster`, `shared`, `seed`, or that of a parameter.
    name: String,
    /// The values as they are written.
    values: Vec<String>,
}

/// A name with one of its values.
pub type Setting = (String, String);

impl Sweep {
    /// Reads `n=1..65` or `block=32,64`; `1..65` ends before 65, as in Rust.
    ///
    /// # Errors
    /// A message for users.
    pub fn parse(text: &str) -> Result<Self, String> {
        let help = "expected NAME=VALUES, such as n=1..65 or block=32,64";
        let (name, list) = text.split_once('=').ok_or(help)?;
        // The type of an argument: `n=u32=1..65`.
        let (ty, list) = match list.split_once('=') {
            Some((ty, list)) if ty.starts_with(char::is_alphabetic) => (format!("{ty}="), list),
            _ => (String::new(), list),
        };
        let mut values = Vec::new();
        for part in list.split(',').map(str::trim) {
            match part.split_once("..") {
                Some((first, end)) => values.extend(range(first, end)?),
                None if part.is_empty() => return Err(help.to_owned()),
                None => values.push(part.to_owned()),
            }
            if values.len() > MOST_LAUNCHES {
                return Err(format!("more than {MOST_LAUNCHES} values"));
            }
        }
        let name = name.trim();
        if name.is_empty() || values.is_empty() {
            return Err(help.to_owned());
        }
        let values = values.into_iter().map(|value| format!("{ty}{value}")).collect();
        Ok(Self { name: name.to_owned(), values })
    }
}

/// The numbers of `1..65` or `1..=64`.
fn range(first: &str, end: &str) -> Result<Vec<String>, String> {
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| format!("`{text}` is no number"));
    let first = number(first)?;
    let end = match end.strip_prefix('=') {
        Some(last) => number(last)?.saturating_add(1),
        None => number(end)?,
    };
    Ok((first..end).take(MOST_LAUNCHES + 1).map(|value| value.to_string()).collect())
}

/// All combinations, those of the last name next to each other.
///
/// # Errors
/// A message for users if there are too many.
pub fn combinations(sweeps: &[Sweep]) -> Result<Vec<Vec<Setting>>, String> {
    let mut all: Vec<Vec<Setting>> = vec![Vec::new()];
    for Sweep { name, values } in sweeps {
        if all.len() * values.len() > MOST_LAUNCHES {
            return Err(format!("--sweep: more than {MOST_LAUNCHES} launches"));
        }
        let with = |before: Vec<Setting>| {
            values.iter().map(move |value| [&before[..], &[(name.clone(), value.clone())]].concat()).collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(with).collect();
    }
    Ok(all)
}

/// Sets a size or an argument.
///
/// # Errors
/// A message for users.
pub fn set(options: &mut LaunchOptions, (name, value): &Setting) -> Result<(), String> {
    let size = || sizes(&value.replace('x', ",")).map(Some);
    let failed = |reason: String| format!("--sweep {name}={value}: {reason}");
    match &**name {
        "grid" => options.grid = size().map_err(failed)?,
        "block" => options.block = size().map_err(failed)?,
        "cluster" => options.cluster = size().map_err(failed)?,
        "shared" => options.shared = bytes(value).map_err(failed)?,
        "seed" => options.seed = value.parse().map_err(|_| failed("expected a number".to_owned()))?,
        _ => {
            options.arguments.retain(|one| one.split('=').next().map(str::trim) != Some(name));
            options.arguments.push(format!("{name}={value}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_ranges_are_read() {
        let values = |text: &str| Sweep::parse(text).map(|sweep| sweep.values.join(" "));
        assert_eq!(values("n=1..4"), Ok("1 2 3".to_owned()));
        assert_eq!(values("n=u32=0..=1,7"), Ok("u32=0 u32=1 u32=7".to_owned()));
        assert_eq!(values("n=1..=2"), Ok("1 2".to_owned()));
        assert_eq!(values("block=32,8x8"), Ok("32 8x8".to_owned()));
        assert_eq!(values("n=a..4"), Err("`a` is no number".to_owned()));
        assert_eq!(values("n=0..99999999"), Err("more than 4096 values".to_owned()));
        for text in ["n", "n=", "=1", "n=4..4", "n=1,,2"] {
            assert!(values(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_last_name_changes_first() {
        let sweeps = ["n=1,2", "block=3,4"].map(|text| Sweep::parse(text).expect(text));
        let all = combinations(&sweeps).expect("few");
        let written: Vec<String> = all.iter().map(|row| format!("{}{}", row[0].1, row[1].1)).collect();
        assert_eq!(written, ["13", "14", "23", "24"]);
    }
}
