//! Directives, types of declarations, and features of declarations: rows in `tables/directives.rows`.

use crate::reason::{Raise, Reason, ReasonCode, Requires};
use crate::since::Since;
use crate::special;
use crate::tables::rows::{Line, ReadPart, RowError, expect_read, rows_file};
use crate::target::{Module, Version};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Where a directive is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectivePlace {
    /// Outside of functions.
    Module,
    /// In a body, as a statement.
    Body,
    /// In both.
    Both,
    /// Between a function's head and its body.
    Head,
    /// Within another directive.
    Inside,
    /// In `.target`, after the architecture.
    TargetOption,
    /// In the string of a `.pragma`.
    Pragma,
    /// In a declaration, as its type.
    Type,
}

impl DirectivePlace {
    fn read(name: &str) -> ReadPart<DirectivePlace> {
        Ok(match name {
            "module" => DirectivePlace::Module,
            "body" => DirectivePlace::Body,
            "both" => DirectivePlace::Both,
            "head" => DirectivePlace::Head,
            "inside" => DirectivePlace::Inside,
            "target" => DirectivePlace::TargetOption,
            "pragma" => DirectivePlace::Pragma,
            "type" => DirectivePlace::Type,
            _ => return Err(format!("unknown place `{name}`")),
        })
    }

    /// The place, as half a sentence: "outside of functions".
    pub fn description(self) -> &'static str {
        match self {
            DirectivePlace::Module => "outside of functions",
            DirectivePlace::Body => "in functions",
            DirectivePlace::Both => "outside of functions and in them",
            DirectivePlace::Head => "between the head of a function and its body",
            DirectivePlace::Inside => "within another directive",
            DirectivePlace::TargetOption => "in `.target`, after the architecture",
            DirectivePlace::Pragma => "in the string of a `.pragma`",
            DirectivePlace::Type => "in declarations, as their type",
        }
    }
}

/// A directive, a type of declarations, or an option of a directive.
#[derive(Debug)]
pub struct Directive {
    /// With its dot; options have none.
    pub word: &'static str,
    /// Where it is allowed.
    pub place: DirectivePlace,
    /// What it requires.
    pub since: Since,
    /// What follows the word: names of values, `{…}` if optional; empty if nothing does.
    pub operands: &'static str,
    /// The rest of the directive as an editor's snippet, after a space; empty if the word is complete.
    pub snippet: String,
    /// The section of the PTX ISA that describes it.
    pub section: &'static str,
    /// What it means, in a paragraph. The first sentence is enough for lists.
    pub summary: &'static str,
}

/// What the file has.
#[derive(Default)]
struct DirectiveTable {
    directives: Vec<Directive>,
    /// Features of declarations that no word names.
    features: HashMap<&'static str, Since>,
}

static TABLE: LazyLock<DirectiveTable> = LazyLock::new(|| {
    let lines = rows_file!("directives.rows").lines();
    let (mut table, mut place) = (DirectiveTable::default(), DirectivePlace::Module);
    expect_read(lines.into_iter().try_for_each(|line| table.read(line, &mut place)));
    table
});

impl DirectiveTable {
    fn read(&mut self, line: Line, place: &mut DirectivePlace) -> Result<(), RowError> {
        let error = |message: String| line.error(message);
        let (key, rest) = line.text.split_once(' ').ok_or_else(|| line.error("expected a keyword and a value"))?;
        match (key, self.directives.last_mut()) {
            ("place", _) => *place = DirectivePlace::read(rest).map_err(error)?,
            ("directive", _) => {
                let (word, since) = Since::read_named(rest).map_err(error)?;
                let place = *place;
                let (operands, section, summary) = ("", "", "");
                let snippet = String::new();
                self.directives.push(Directive { word, place, since, operands, snippet, section, summary });
            }
            ("feature", _) => self.features.extend([Since::read_named(rest).map_err(error)?]),
            ("operands", Some(last)) => last.operands = rest,
            ("snippet", Some(last)) => last.snippet = rest.replace("\\n", "\n").replace("\\t", "\t"),
            ("section", Some(last)) => last.section = rest,
            ("summary", Some(last)) => last.summary = rest,
            _ => return Err(line.error(format!("unexpected `{key}`"))),
        }
        Ok(())
    }
}

/// All directives and types of declarations, grouped by place, the most common first.
pub fn directives() -> &'static [Directive] {
    &TABLE.directives
}

/// Those of a place, the most common first.
pub fn at(place: DirectivePlace) -> impl Iterator<Item = &'static Directive> {
    directives().iter().filter(move |directive| directive.place == place)
}

/// The directive or type of a word with its dot, or the option of a word without.
pub fn find(word: &str) -> Option<&'static Directive> {
    directives().iter().find(|directive| directive.word == word)
}

/// What a directive, a feature of declarations, or a special register requires.
fn requirement(name: &str) -> Option<&'static Since> {
    match name.starts_with('%') {
        true => special::find(name).map(|register| &register.since),
        false => find(name).map(|directive| &directive.since).or_else(|| TABLE.features.get(name)),
    }
}

/// Why a module does not support a directive or a feature; `None` if it does, or if nothing is required. Unlike instructions, directives are compared with
/// the version as it is written, even if the target is newer.
pub fn unsupported(name: &str, module: &Module) -> Option<UnsupportedDirective> {
    let since = requirement(name)?;
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
    fn every_directive_has_a_summary_and_a_section() {
        assert!(directives().len() > 60);
        for directive in directives() {
            assert!(directive.summary.ends_with('.') && !directive.section.is_empty(), "{}", directive.word);
        }
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
