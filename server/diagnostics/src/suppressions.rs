//! Suppression comments: `// ptx-atomics: allow(code): reason` for a line, a function or an `asm` statement, `allow-file(code)` for a whole text.

use crate::Settings;
use crate::registry::{RULES, UNREADABLE_SUPPRESSION, UNUSED_SUPPRESSION, rule};
use crate::suggest;
use crate::{Diagnostic, Edit, Rule, remove};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use syntax::Comment;
use syntax::{Rope, RopeSlice};

/// The first word of a suppression comment, after `//`, `/*`, `#` or `;`.
pub const MARKER: &str = "ptx-atomics:";

/// The directive that names memory that other GPUs or the host share: `// ptx-atomics: system-memory(peers, *_flags)`, in a function.
const SYSTEM_MEMORY: &str = "system-memory";

/// The names and patterns in the directives of a function's text about memory that other GPUs or the host share.
pub fn system_memory(text: &str) -> Vec<String> {
    let directives = text.split(MARKER).skip(1);
    let lists = directives.filter_map(|directive| {
        let list = directive.trim_start().strip_prefix(SYSTEM_MEMORY)?.trim_start().strip_prefix('(')?;
        Some(list.split_once(')')?.0)
    });
    lists.flat_map(|list| list.split(',')).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// A diagnostic that a comment suppresses, and the reason in the comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressedDiagnostic {
    /// The diagnostic.
    pub diagnostic: Diagnostic,
    /// The reason; empty if the comment gives none.
    pub reason: String,
}

/// A valid suppression comment.
pub(crate) struct Suppression {
    pub(crate) comment: Range<usize>,
    /// The comment suppresses diagnostics that start in this range.
    pub(crate) scope: Range<usize>,
    codes: Vec<SuppressedCode>,
    reason: String,
}

struct SuppressedCode {
    rule: &'static Rule,
    range: Range<usize>,
    used: bool,
}

/// The two groups of rules that unused suppressions are reported for, one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleGroup {
    /// Rules that check code.
    Code,
    /// Rules that check suppression comments. Their diagnostics can be suppressed too.
    Comments,
}

impl RuleGroup {
    pub(crate) fn of(rule: &Rule) -> Self {
        if *rule == UNREADABLE_SUPPRESSION || *rule == UNUSED_SUPPRESSION {
            RuleGroup::Comments
        } else {
            RuleGroup::Code
        }
    }
}

/// Removes the suppressed diagnostics and returns them. Adds diagnostics about the comments themselves.
pub fn apply(
    text: &Rope,
    comments: &[Comment],
    settings: &Settings,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<SuppressedDiagnostic> {
    let (mut suppressions, mut about_comments) = (Vec::new(), Vec::new());
    for comment in comments {
        match parse(text, comment) {
            Ok(suppression) => suppressions.extend(suppression),
            Err(invalid) => about_comments.push(invalid),
        }
    }
    let mut suppressed = Vec::new();
    suppress(&mut suppressions, diagnostics, &mut suppressed);
    about_comments.extend(unused(text, &suppressions, settings, RuleGroup::Code));
    suppress(&mut suppressions, &mut about_comments, &mut suppressed);
    about_comments.extend(unused(text, &suppressions, settings, RuleGroup::Comments));
    diagnostics.append(&mut about_comments);
    suppressed.sort_by(|a, b| a.diagnostic.order(&b.diagnostic));
    suppressed
}

/// Moves the suppressed diagnostics. The first matching comment gives the reason; every matching comment counts as used.
fn suppress(
    suppressions: &mut [Suppression],
    diagnostics: &mut Vec<Diagnostic>,
    suppressed: &mut Vec<SuppressedDiagnostic>,
) {
    let mut starts: HashMap<&str, BTreeSet<(usize, usize)>> = HashMap::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        for code in [diagnostic.code()].into_iter().chain(diagnostic.rule.split_from) {
            starts.entry(code).or_default().insert((diagnostic.range.start, index));
        }
    }
    let mut pending = starts.clone();
    let mut reasons: Vec<Option<&str>> = vec![None; diagnostics.len()];
    for Suppression { comment, scope, codes, reason } in suppressions {
        let mut seen = BTreeSet::new();
        for code in codes.iter_mut().filter(|code| seen.insert(code.rule.code)) {
            let (Some(all), Some(pending)) = (starts.get(code.rule.code), pending.get_mut(code.rule.code)) else {
                continue;
            };
            for range in [&*scope, &*comment] {
                let range = (range.start, 0)..(range.end, 0);
                code.used |= all.range(range.clone()).next().is_some();
                // Remove each entry once: many overlapping comments take linear time.
                while let Some(first) = pending.range(range.clone()).next().copied() {
                    pending.remove(&first);
                    reasons[first.1].get_or_insert(reason);
                }
            }
        }
    }
    let mut reasons = reasons.into_iter();
    diagnostics.retain(|diagnostic| {
        let reason = reasons.next().flatten();
        suppressed.extend(
            reason.map(|reason| SuppressedDiagnostic { diagnostic: diagnostic.clone(), reason: reason.to_owned() }),
        );
        reason.is_none()
    });
}

/// Reports unused codes of one group of rules.
fn unused(text: &Rope, suppressions: &[Suppression], settings: &Settings, group: RuleGroup) -> Vec<Diagnostic> {
    let is_unused = |code: &&SuppressedCode| !code.used && settings.is_enabled(code.rule);
    let report = |suppression: &Suppression| {
        let all = suppression.codes.iter().all(|code| is_unused(&code));
        let codes = suppression.codes.iter().filter(is_unused).filter(|code| RuleGroup::of(code.rule) == group);
        let diagnostic = |code: &SuppressedCode| {
            let message = format!("unused suppression of `{}`", code.rule.code);
            Diagnostic::new(&UNUSED_SUPPRESSION, code.range.clone(), message)
                .help("remove it: it would hide future diagnostics")
                .fix("Remove the comment", all.then(|| removal(text, &suppression.comment)))
        };
        codes.map(diagnostic).collect::<Vec<_>>()
    };
    suppressions.iter().flat_map(report).collect()
}

/// Removes a comment, with its line if the line holds nothing else.
fn removal(text: &Rope, comment: &Range<usize>) -> Edit {
    let first = text.line_to_byte(text.byte_to_line(comment.start));
    let last = text.line_to_byte((text.byte_to_line(comment.end) + 1).min(text.len_lines()));
    let alone = is_blank(text.byte_slice(first..comment.start))
        && text.byte_slice(comment.end..last).chars().all(char::is_whitespace);
    remove(if alone { first..last } else { comment.clone() })
}

const SYNTAX_HELP: &str =
    "write `// ptx-atomics: allow(illegal-type): the reason`, or `allow-file(…)` at the start of the file";

fn invalid(range: Range<usize>, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::new(&UNREADABLE_SUPPRESSION, range, message).help(help)
}

/// Parses a comment; `None` if it does not start with the marker.
pub(crate) fn parse(text: &Rope, comment: &Comment) -> Result<Option<Suppression>, Diagnostic> {
    let whole = text.byte_slice(comment.range.clone()).to_string();
    let Some(body) = whole.trim_start_matches(['/', '*', '#', ';']).trim_start().strip_prefix(MARKER) else {
        return Ok(None);
    };
    let range_of = |part: &str| {
        let start = comment.range.start + (part.as_ptr() as usize - whole.as_ptr() as usize);
        start..start + part.len()
    };
    let body = body.trim_start();
    let body = body.strip_suffix("*/").unwrap_or(body).trim_end();
    let Some((word, rest)) = body.split_once('(') else {
        return Err(invalid(comment.range.clone(), "invalid ptx-atomics comment", SYNTAX_HELP));
    };
    let directive = word.trim_end();
    if directive == SYSTEM_MEMORY {
        return Ok(None);
    }
    let known = ["allow", "allow-file", SYSTEM_MEMORY];
    if !known.contains(&directive) {
        let message = suggest(format!("unknown directive `{directive}`"), directive, known.into_iter());
        return Err(invalid(range_of(directive), message, SYNTAX_HELP));
    }
    let Some((list, reason)) = rest.split_once(')') else {
        return Err(invalid(comment.range.clone(), "missing `)` after the rule codes", SYNTAX_HELP));
    };
    let codes = list.split(',').map(|code| parse_code(code.trim(), range_of(code.trim())));
    let codes = codes.collect::<Result<_, _>>()?;
    let scope = match (directive, comment.leads) {
        ("allow-file", true) => 0..usize::MAX,
        ("allow-file", false) => {
            let help = "move the comment to the start of the file, or write `allow`";
            return Err(invalid(range_of(word), "`allow-file` must be at the start of the file", help));
        }
        _ => match &comment.function {
            Some(function) if begins_line(text, &comment.range) => function.clone(),
            _ => suppressed_line(text, &comment.range),
        },
    };
    let reason = reason.trim_start().trim_start_matches(':').trim().to_owned();
    Ok(Some(Suppression { comment: comment.range.clone(), scope, codes, reason }))
}

fn parse_code(code: &str, range: Range<usize>) -> Result<SuppressedCode, Diagnostic> {
    match rule(code) {
        Some(rule) => Ok(SuppressedCode { rule, range, used: false }),
        None => {
            let message = suggest(format!("unknown rule `{code}`"), code, RULES.iter().map(|rule| rule.code));
            Err(invalid(range, message, "run `ptx-atomics explain` for a list of the rules"))
        }
    }
}

/// The line of a comment. If the line holds only comments, the next line with code.
fn suppressed_line(text: &Rope, comment: &Range<usize>) -> Range<usize> {
    if !begins_line(text, comment) {
        let start = text.line_to_byte(text.byte_to_line(comment.start));
        return start..comment.end.max(start + 1);
    }
    let after = text.byte_to_line(comment.end);
    let end = text.line_to_byte((after + 1).min(text.len_lines()));
    let begin = match text.byte(comment.start) {
        b'#' => "#",
        b';' => ";",
        _ => "//",
    };
    if starts_with_code(text.byte_slice(comment.end..end), begin) {
        return comment.end..end;
    }
    let next = text.lines_at(after + 1).take(MAX_LINES).position(|line| starts_with_code(line, begin));
    let number = (after + 1 + next.unwrap_or(0)).min(text.len_lines());
    text.line_to_byte(number)
        ..text.line_to_byte((number + 1).min(text.len_lines())) + usize::from(number + 1 >= text.len_lines())
}

/// Whether only white space precedes a comment on its line.
fn begins_line(text: &Rope, comment: &Range<usize>) -> bool {
    is_blank(text.byte_slice(text.line_to_byte(text.byte_to_line(comment.start))..comment.start))
}

/// Whether a part of a line is blank. Searches backwards: the start of a long line may hold many other comments.
fn is_blank(part: RopeSlice) -> bool {
    part.chars_at(part.len_chars()).reversed().all(char::is_whitespace)
}

/// Whether the first token is not a line comment.
fn starts_with_code(part: RopeSlice, line_comment: &str) -> bool {
    let mut chars = part.chars().skip_while(|char| char.is_whitespace()).peekable();
    chars.peek().is_some() && !line_comment.chars().all(|expected| chars.next() == Some(expected))
}

/// A comment applies to the next line with code, if that is at most this many lines away.
const MAX_LINES: usize = 64;
