//! The metadata of a rule.

use super::fix::Applicability;
use super::severity::Severity;

/// The metadata of a rule, from its row in the registry.
#[derive(Debug)]
pub struct Rule {
    /// Stable kebab-case name.
    pub code: &'static str,
    /// The default severity of its diagnostics.
    pub severity: Severity,
    /// The smallest preset that includes it.
    pub preset: Preset,
    /// Its documentation in Markdown. The examples are run as tests.
    pub page: &'static str,
    /// The first sentence of the page's section `## What it does`.
    pub summary: &'static str,
    /// How editors render its diagnostics.
    pub tag: Option<Tag>,
    /// The subject of its diagnostics, which decides whether it applies in `asm` statements with unknown parts.
    pub subject: Subject,
    /// The least restrictive applicability of its fixes.
    pub fixes: Applicability,
    /// The code of the rule that it was split from. Settings and suppressions of that code apply to both rules.
    pub split_from: Option<&'static str>,
}

impl Rule {
    /// A rule of the recommended preset whose fixes are safe.
    pub const fn new(severity: Severity, code: &'static str, page: &'static str) -> Self {
        Rule {
            code,
            severity,
            preset: Preset::Recommended,
            page,
            summary: summary(page),
            tag: None,
            subject: Subject::Instruction,
            fixes: Applicability::Safe,
            split_from: None,
        }
    }

    /// The same rule in the preset `strict`.
    pub const fn strict(self) -> Self {
        Rule { preset: Preset::Strict, ..self }
    }

    /// The same rule in the preset `all`.
    pub const fn style(self) -> Self {
        Rule { preset: Preset::All, ..self }
    }

    /// The same rule with a tag for editors.
    pub const fn tag(self, tag: Tag) -> Self {
        Rule { tag: Some(tag), ..self }
    }

    /// The same rule with another subject.
    pub const fn subject(self, subject: Subject) -> Self {
        Rule { subject, ..self }
    }

    /// The same rule with unsafe fixes.
    pub const fn unsafe_fixes(self) -> Self {
        Rule { fixes: Applicability::Unsafe, ..self }
    }

    /// The same rule, split from another one.
    pub const fn split_from(self, former: &'static str) -> Self {
        Rule { split_from: Some(former), ..self }
    }
}

/// Codes are unique.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

/// A set of rules. Each preset includes the previous ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// Errors and likely bugs, without matters of taste.
    #[default]
    Recommended,
    /// Also suspicious or avoidable code that is often correct.
    Strict,
    /// Also style rules.
    All,
}

impl Preset {
    /// All presets, the smallest first.
    pub const ALL: [Preset; 3] = [Preset::Recommended, Preset::Strict, Preset::All];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Recommended => "recommended",
            Preset::Strict => "strict",
            Preset::All => "all",
        }
    }
}

/// How editors render a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The code is unnecessary.
    Unnecessary,
    /// The code is deprecated.
    Deprecated,
}

/// The subject of the diagnostics of a rule. An `asm` statement may contain placeholders for unknown text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Syntax: nothing may be unknown.
    Syntax,
    /// Directives and names of a module: not applicable to a statement.
    Module,
    /// The name of an instruction: another assembly language may have it.
    Name,
    /// The name of a modifier, independent of other modifiers.
    Modifier,
    /// A conflict of modifiers, independent of other modifiers.
    Modifiers,
    /// An instruction with a known opcode.
    Instruction,
    /// The operands of an instruction, which must be known.
    Operands,
    /// A launch in a comment, which does not make the module invalid.
    Launch,
}

/// The first line of the section `## What it does`.
const fn summary(page: &str) -> &str {
    let heading = line(page);
    assert!(!heading.is_empty() && heading.as_bytes()[0] == b'#', "a page begins with a heading");
    let (_, section) = page.split_at(heading.len() + 2);
    let title = line(section);
    assert!(title.len() == "## What it does".len(), "the first section is `## What it does`");
    let (_, below) = section.split_at(title.len() + 2);
    line(below)
}

/// The first line of a text.
const fn line(text: &str) -> &str {
    let mut end = 0;
    while end < text.len() && text.as_bytes()[end] != b'\n' {
        end += 1;
    }
    text.split_at(end).0
}
