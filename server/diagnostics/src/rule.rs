//! What a rule is.

use super::fix::Applicability;
use super::severity::Severity;

/// What is known of a rule: all of it stands in its row of the registry.
#[derive(Debug)]
pub struct Rule {
    /// Stable kebab-case name.
    pub code: &'static str,
    /// How bad its diagnostics are, unless somebody says otherwise.
    pub severity: Severity,
    /// The smallest preset that it belongs to.
    pub preset: Preset,
    /// Its documentation, Markdown with examples that are run as tests.
    pub page: &'static str,
    /// The sentence below the page's heading.
    pub summary: &'static str,
    /// How an editor may draw its diagnostics, beside their severity.
    pub tag: Option<Tag>,
    /// What it judges, which decides where it applies inside of `asm` statements.
    pub subject: Subject,
    /// Who may apply its fixes at best.
    pub fixes: Applicability,
    /// The code under which its diagnostics were reported until it was split off: settings and comments that name it count for both.
    pub former: Option<&'static str>,
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
            former: None,
        }
    }

    /// The same rule, shown with the preset `strict` only.
    pub const fn strict(self) -> Self {
        Rule { preset: Preset::Strict, ..self }
    }

    /// The same rule, shown with the preset `all` only.
    pub const fn style(self) -> Self {
        Rule { preset: Preset::All, ..self }
    }

    /// The same rule with a tag for editors.
    pub const fn tag(self, tag: Tag) -> Self {
        Rule { tag: Some(tag), ..self }
    }

    /// The same rule, with what its diagnostics are about.
    pub const fn judges(self, subject: Subject) -> Self {
        Rule { subject, ..self }
    }

    /// The same rule, none of whose fixes is applied unless asked for.
    pub const fn unsafe_fixes(self) -> Self {
        Rule { fixes: Applicability::Unsafe, ..self }
    }

    /// The same rule, whose diagnostics once had another code: what a user said of that one holds for it too.
    pub const fn split_from(self, former: &'static str) -> Self {
        Rule { former: Some(former), ..self }
    }
}

/// There is one rule of a code.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

/// A choice of rules; each holds those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// What every project wants: mistakes, and nothing that a reviewer would call a matter of taste.
    #[default]
    Recommended,
    /// Also what is suspicious, old or avoidable, and right often enough that not everybody wants to hear of it.
    Strict,
    /// Also style.
    All,
}

impl Preset {
    /// All of them, the smallest first.
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

/// How an editor may draw a diagnostic, beside its severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// It could be left out.
    Unnecessary,
    /// It is the old way.
    Deprecated,
}

/// What a rule judges. An `asm` statement is a part of a module, and parts of it may be unknown: placeholders stand for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The grammar of a text: nothing of it may be unknown.
    Syntax,
    /// Directives and names of a module: a statement has none of its own.
    Module,
    /// Whether PTX has an instruction of a name: another assembly may have it.
    Name,
    /// Whether PTX has a modifier of a name at all, whatever stands beside it.
    Modifier,
    /// Modifiers that cannot stand together, whatever stands beside them.
    Modifiers,
    /// An instruction whose opcode is known.
    Instruction,
    /// The operands of an instruction, which are known.
    Operands,
}

/// The paragraph below the heading of a page.
const fn summary(page: &str) -> &str {
    let heading = line(page);
    assert!(!heading.is_empty() && heading.as_bytes()[0] == b'#', "a page begins with a heading");
    let (_, below) = page.split_at(heading.len() + 2);
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
