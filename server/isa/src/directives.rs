//! What directives, declarations and special registers require: rows in `tables/directives.rows`.

use crate::reason::{Raise, Reason, ReasonCode, Requires};
use crate::rows::{Line, RowError, expect_read, rows_file};
use crate::since::Since;
use crate::target::{Module, Version};
use std::collections::HashMap;
use std::sync::LazyLock;

static ROWS: LazyLock<HashMap<&str, Since>> =
    LazyLock::new(|| expect_read(rows_file!("directives.rows").lines().map(read).collect()));

fn read(line: Line) -> Result<(&'static str, Since), RowError> {
    let (name, since) = line.text.split_once(" PTX ").ok_or_else(|| line.error("no ` PTX ` and version"))?;
    Ok((name.trim(), Since::read(since).map_err(|message| line.error(message))?))
}

/// The names of all directives and features with a requirement.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.keys().copied()
}

/// Why a module does not support a directive or a feature; `None` if it does, or if nothing is required. Unlike instructions, directives are compared with
/// the version as it is written, even if the target is newer.
pub fn unsupported(name: &str, module: &Module) -> Option<UnsupportedDirective> {
    let since = ROWS.get(name)?;
    if let Some(until) = since.until
        && module.version.is_some_and(|version| version >= until.version)
    {
        return Some(UnsupportedDirective::Removed(until.version));
    }
    let target = module.target.filter(|target| !since.targets.contains(*target));
    let version = module.version.filter(|version| *version < since.version);
    if target.is_none() && version.is_none() {
        return None;
    }
    let what = if name.starts_with(['.', '%']) { format!("`{name}`") } else { name.to_owned() };
    let raise = Raise::new(module, since);
    let requires = Requires { what, needed: *since, have: Module { target, version }, raise };
    Some(UnsupportedDirective::Requires(Box::new(Reason {
        code: if target.is_some() { ReasonCode::RequiresTarget } else { ReasonCode::RequiresPtxVersion },
        at: None,
        other: None,
        message: requires.message(),
        help: String::new(),
        requires: Some(requires),
        fixes: raise.map(Raise::fix).into_iter().collect(),
    })))
}

/// Why a module does not support a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsupportedDirective {
    /// It requires a newer version or target.
    Requires(Box<Reason>),
    /// It was removed in a version.
    Removed(Version),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    fn module(version: &str, target: &str) -> Module {
        Module { version: Version::parse(version), target: Target::parse(target) }
    }

    #[test]
    fn every_row_is_read() {
        assert!(names().count() > 40);
    }

    #[test]
    fn directives_require_versions_and_targets() {
        assert_eq!(unsupported(".maxntid", &module("8.0", "sm_90")), None);
        assert_eq!(unsupported(".global", &module("1.0", "sm_10")), None);
        assert_eq!(unsupported(".weak", &Module::default()), None);
        let removed = UnsupportedDirective::Removed(Version::new(2, 1));
        assert_eq!(unsupported(".maxnctapersm", &module("8.0", "sm_90")), Some(removed));
        let Some(UnsupportedDirective::Requires(reason)) = unsupported(".maxclusterrank", &module("7.0", "sm_80"))
        else {
            panic!("a requirement");
        };
        assert_eq!(
            reason.message,
            "`.maxclusterrank` requires sm_90 and PTX 7.8, but the module targets sm_80 and has version 7.0"
        );
        assert_eq!(reason.fixes[0].title, "Raise `.target` to sm_90 and `.version` to 7.8");
    }
}
