//! Comments that accept findings: `// ptx-atomics: allow(code): reason` for a line or a function, `allow-file(code)` for a whole text.
//!
//! Must not know rules beyond their names, nor how findings come about.

use crate::Settings;
use crate::registry::{RULES, UNREADABLE_SUPPRESSION, UNUSED_SUPPRESSION, rule};
use crate::suggest;
use crate::{Diagnostic, Edit, Rule, remove};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use syntax::Comment;
use syntax::{Rope, RopeSlice};

/// What such a comment begins with, behind `//` or `/*`.
pub const MARK: &str = "ptx-atomics:";

/// A finding that a comment accepts, and the reason that the comment gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressedDiagnostic {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// Why it is accepted; empty where the comment does not say.
    pub reason: String,
}

/// A comment that could be read.
struct Allow {
    comment: Range<usize>,
    /// Where findings have to begin to be accepted.
    within: Range<usize>,
    codes: Vec<SuppressedCode>,
    reason: String,
}

struct SuppressedCode {
    rule: &'static Rule,
    range: Range<usize>,
    used: bool,
}

/// Takes out of the findings what the comments accept, and adds what is wrong with the comments themselves.
pub fn apply(
    text: &Rope,
    comments: &[Comment],
    settings: &Settings,
    findings: &mut Vec<Diagnostic>,
) -> Vec<SuppressedDiagnostic> {
    let (mut allows, mut own) = (Vec::new(), Vec::new());
    for comment in comments {
        match read(text, comment) {
            Ok(Some(allow)) => allows.push(allow),
            Ok(None) => {}
            Err(unreadable) => own.push(unreadable),
        }
    }
    let mut suppressed = Vec::new();
    accept(&mut allows, findings, &mut suppressed);
    own.extend(allows.iter().flat_map(|allow| unused(text, allow, settings, false)));
    accept(&mut allows, &mut own, &mut suppressed);
    own.extend(allows.iter().flat_map(|allow| unused(text, allow, settings, true)));
    findings.append(&mut own);
    suppressed.sort_by(|a, b| a.diagnostic.order(&b.diagnostic));
    suppressed
}

/// Takes out of the findings what is accepted: by the first comment that does, and all that do are of use.
fn accept(allows: &mut [Allow], findings: &mut Vec<Diagnostic>, suppressed: &mut Vec<SuppressedDiagnostic>) {
    let mut places: HashMap<&str, BTreeSet<(usize, usize)>> = HashMap::new();
    for (at, finding) in findings.iter().enumerate() {
        for name in [finding.code()].into_iter().chain(finding.rule.former) {
            places.entry(name).or_default().insert((finding.range.start, at));
        }
    }
    let mut open = places.clone();
    let mut reasons: Vec<Option<&str>> = vec![None; findings.len()];
    for Allow { comment, within, codes, reason } in allows {
        let mut seen = BTreeSet::new();
        for code in codes.iter_mut().filter(|code| seen.insert(code.rule.code)) {
            let (Some(all), Some(open)) = (places.get(code.rule.code), open.get_mut(code.rule.code)) else { continue };
            for range in [&*within, &*comment] {
                let range = (range.start, 0)..(range.end, 0);
                code.used |= all.range(range.clone()).next().is_some();
                // Each is taken once for a name, however many comments accept it.
                while let Some(first) = open.range(range.clone()).next().copied() {
                    open.remove(&first);
                    reasons[first.1].get_or_insert(reason);
                }
            }
        }
    }
    let mut reasons = reasons.into_iter();
    findings.retain(|finding| {
        let reason = reasons.next().flatten();
        suppressed.extend(
            reason.map(|reason| SuppressedDiagnostic { diagnostic: finding.clone(), reason: reason.to_owned() }),
        );
        reason.is_none()
    });
}

/// Findings about comments can be accepted too; whether that was of use is known last.
static ABOUT_COMMENTS: [&Rule; 2] = [&UNREADABLE_SUPPRESSION, &UNUSED_SUPPRESSION];

fn unused(text: &Rope, allow: &Allow, settings: &Settings, about_comments: bool) -> Vec<Diagnostic> {
    let idle = |code: &&SuppressedCode| !code.used && settings.shows(code.rule);
    let all = allow.codes.iter().all(|code| idle(&code));
    let codes = allow.codes.iter().filter(idle).filter(|code| ABOUT_COMMENTS.contains(&code.rule) == about_comments);
    let diagnostic = |code: &SuppressedCode| {
        let message = format!("there is no `{}` here to accept", code.rule.code);
        Diagnostic::new(&UNUSED_SUPPRESSION, code.range.clone(), message)
            .help("remove it, so that it does not hide a later mistake")
            .fix("remove the comment", all.then(|| removal(text, &allow.comment)))
    };
    codes.map(diagnostic).collect()
}

/// Takes a comment away, with its line where it is alone in it.
fn removal(text: &Rope, comment: &Range<usize>) -> Edit {
    let first = text.line_to_byte(text.byte_to_line(comment.start));
    let last = text.line_to_byte((text.byte_to_line(comment.end) + 1).min(text.len_lines()));
    let alone = blank_behind(text.byte_slice(first..comment.start))
        && text.byte_slice(comment.end..last).chars().all(char::is_whitespace);
    remove(if alone { first..last } else { comment.clone() })
}

/// Reads a comment; nothing where it is no word to us.
fn read(text: &Rope, comment: &Comment) -> Result<Option<Allow>, Diagnostic> {
    let whole = text.byte_slice(comment.range.clone()).to_string();
    let inner = whole.trim_start_matches(['/', '*']).trim_start();
    if !inner.starts_with(MARK) {
        return Ok(None);
    }
    let at = |part: &str| comment.range.start + (part.as_ptr() as usize - whole.as_ptr() as usize);
    let told = inner[MARK.len()..].trim_start();
    let told = told.strip_suffix("*/").unwrap_or(told).trim_end();
    let wrong = |range: Range<usize>, message: String, help: &str| {
        Err(Diagnostic::new(&UNREADABLE_SUPPRESSION, range, message).help(help))
    };
    let help = "write `// ptx-atomics: allow(illegal-type): the reason`, or `allow-file(…)` before everything else";
    let Some((word, rest)) = told.split_once('(') else {
        let message = "this comment is addressed to ptx-atomics, but says nothing that it knows".to_owned();
        return wrong(comment.range.clone(), message, help);
    };
    let file = match word.trim_end() {
        "allow" => false,
        "allow-file" => true,
        other => {
            let message = suggest(format!("there is no `{other}`"), other, ["allow", "allow-file"].into_iter());
            return wrong(at(word)..at(word) + other.len(), message, help);
        }
    };
    let Some((list, reason)) = rest.split_once(')') else {
        return wrong(comment.range.clone(), "the list of codes does not end: `)` is missing".to_owned(), help);
    };
    let mut codes = Vec::new();
    for part in list.split(',') {
        let name = part.trim();
        let range = at(name)..at(name) + name.len();
        match rule(name) {
            Some(rule) => codes.push(SuppressedCode { rule, range, used: false }),
            None => {
                let known = RULES.iter().map(|rule| rule.code);
                let message = suggest(format!("no rule is called `{name}`"), name, known);
                return wrong(range, message, "`ptx-atomics explain` lists the rules");
            }
        }
    }
    let within = match (file, comment.leads) {
        (true, true) => 0..usize::MAX,
        (true, false) => {
            let message = "`allow-file` accepts for the whole text, so it stands before everything else".to_owned();
            return wrong(at(word)..at(word) + word.len(), message, "move it to the first line, or write `allow`");
        }
        (false, _) => comment.function.clone().unwrap_or_else(|| lines(text, &comment.range)),
    };
    let reason = reason.trim_start().trim_start_matches(':').trim().to_owned();
    Ok(Some(Allow { comment: comment.range.clone(), within, codes, reason }))
}

/// The line of a comment, or if there is nothing else in it, the next line that holds more than comments.
fn lines(text: &Rope, comment: &Range<usize>) -> Range<usize> {
    let number = text.byte_to_line(comment.start);
    let start = text.line_to_byte(number);
    if !blank_behind(text.byte_slice(start..comment.start)) {
        return start..comment.end.max(start + 1);
    }
    let after = text.byte_to_line(comment.end);
    let end = text.line_to_byte((after + 1).min(text.len_lines()));
    if begins_with_code(text.byte_slice(comment.end..end)) {
        return comment.end..end;
    }
    let next = text.lines_at(after + 1).take(NEAR).position(begins_with_code);
    let number = (after + 1 + next.unwrap_or(0)).min(text.len_lines());
    text.line_to_byte(number)
        ..text.line_to_byte((number + 1).min(text.len_lines())) + usize::from(number + 1 >= text.len_lines())
}

/// Whether nothing stands in a part: seen from its end, for what comes first in a long line may be long, and is there for every comment in it.
fn blank_behind(part: RopeSlice) -> bool {
    part.chars_at(part.len_chars()).reversed().all(char::is_whitespace)
}

/// Whether the first word of a part is none of a comment.
fn begins_with_code(part: RopeSlice) -> bool {
    let mut signs = part.chars().skip_while(|sign| sign.is_whitespace());
    signs.next().is_some_and(|first| first != '/' || signs.next() != Some('/'))
}

/// A comment speaks of the code below it, but not over this many lines of other comments and emptiness.
const NEAR: usize = 64;
