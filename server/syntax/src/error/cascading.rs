//! Errors that follow from others, and where an error begins that covers much: statements that are well-formed by themselves hold none.

use super::{STATEMENT, SyntaxError};
use crate::lexer::trivia;
use crate::reader::RopeReader;
use crate::source::{LintFile, parse};
use ropey::Rope;
use std::ops::Range;
use tree_sitter::Node;

/// Of how many errors it is asked: a text with more of them is no PTX.
const MANY: usize = 1000;

/// Drops the errors in statements that are well-formed by themselves, but keeps the first of them where no other error explains it.
pub(super) fn drop_cascading(file: &LintFile, errors: &mut Vec<SyntaxError>) {
    if !(2..=MANY).contains(&errors.len()) {
        return;
    }
    let (mut last, mut confirmed) = (None, false);
    let follows: Vec<bool> = errors
        .iter()
        .map(|error| {
            let follows = is_sound_at(file, error.range.start, &mut last);
            confirmed |= !follows;
            follows
        })
        .collect();
    let mut explained = confirmed && is_balanced(file);
    let mut follows = follows.into_iter();
    errors.retain(|_| !follows.next().unwrap_or(false) || !std::mem::replace(&mut explained, true));
}

/// What to blame in an error node that begins with statements that are well-formed: the first leaf in it of another statement.
pub(super) fn first_cause<'t>(file: &LintFile, error: Node<'t>) -> Node<'t> {
    if !error.is_error() || error.byte_range().len() < STATEMENT && !is_sound_at(file, error.start_byte(), &mut None) {
        return error;
    }
    let (mut cursor, mut last) = (error.walk(), None);
    let mut loose =
        error.children(&mut cursor).filter(|child| child.is_error() || !child.is_named() || child.child_count() == 0);
    loose.by_ref().take(MANY).find(|child| !is_sound_at(file, child.start_byte(), &mut last)).unwrap_or(error)
}

/// Whether the statement at a place is well-formed, or the rest of it from its line on. The `last` answer for a statement counts for the whole of it.
fn is_sound_at(file: &LintFile, at: usize, last: &mut Option<(Range<usize>, bool)>) -> bool {
    // What is too long to be looked at is mostly data.
    let Some((statement, line)) = statement(file, at) else { return true };
    let sound = match last {
        Some((known, sound)) if *known == statement => *sound,
        _ => {
            let sound = is_sound(file, statement.clone());
            *last = Some((statement.clone(), sound));
            sound
        }
    };
    sound || line > statement.start && line < at.min(statement.end) && is_sound(file, line..statement.end)
}

/// The statement around a place, and where the line of the place begins; `None` where it is too long to be looked at.
fn statement(file: &LintFile, at: usize) -> Option<(Range<usize>, usize)> {
    let rope = file.text();
    let line = |byte: usize| rope.line_to_byte(rope.byte_to_line(byte));
    let (from, to) = (line(file.clamp(at.saturating_sub(STATEMENT))), file.clamp(at + STATEMENT));
    let text = RopeReader::new(rope).read(from..to).text;
    let plain = trivia::blank_out(&text);
    let ends = |end: &usize| is_end(&text, &plain, *end);
    let place = at - from;
    let start = plain[..place].rmatch_indices([';', '{', '}']).map(|(end, _)| end).find(ends);
    let end = plain[place..].match_indices([';', '{', '}']).map(|(end, _)| place + end).find(ends);
    let start = start.map(|end| end + 1).or((from == 0).then_some(0))?;
    let end = end.or((to == rope.len_bytes()).then_some(text.len()))?;
    Some((from + start..from + end, line(at)))
}

/// Whether a `;` or a brace ends a statement, and is no part of one as the braces of a vector are; `plain` is the text without comments.
fn is_end(text: &str, plain: &str, at: usize) -> bool {
    let before = plain[..at].trim_end();
    let leads = before.is_empty() || text[before.len()..at].contains('\n');
    match text.as_bytes()[at] {
        b';' => true,
        b'{' => leads || before.ends_with([';', '{', '}', ')', ':']),
        _ => leads || before.ends_with([';', '{', '}']),
    }
}

/// Whether a text without what ends it is a statement, or the head of what stands in braces behind it, or nothing.
fn is_sound(file: &LintFile, range: Range<usize>) -> bool {
    let rope = file.text();
    let end = rope.get_byte(range.end).map_or("", |end| match end {
        b';' => ";",
        b'{' => "{}",
        _ => "",
    });
    let text = RopeReader::new(rope).read(range).text;
    let wraps = |before: &str, behind: &str| {
        let text = Rope::from_str(&format!("{before}\n{text}\n{end}{behind}"));
        !parse(&text, None).root_node().has_error()
    };
    wraps(".entry k(){", "}") || wraps("", "") || wraps(".section .s{", "}")
}

/// Whether every brace of a text has its partner.
fn is_balanced(file: &LintFile) -> bool {
    let text = file.text().to_string();
    let (mut depth, mut at) = (0usize, 0);
    while let Some(found) = text[at..].find(['{', '}', '/', '#']) {
        at += found;
        let end = trivia::skip(&text, at);
        match text.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' if depth == 0 => return false,
            b'}' => depth -= 1,
            _ => {}
        }
        at = end.max(at + 1);
    }
    depth == 0
}
