//! Cascading errors, and the cause of an error node that covers much text. A statement that is well-formed by itself is not the cause.

use crate::error::{STATEMENT, SyntaxError};
use crate::lexer::trivia;
use crate::reader::RopeReader;
use crate::source::{LintFile, parse};
use ropey::Rope;
use std::ops::Range;
use tree_sitter::Node;

/// Cascading errors are not dropped in a text with more errors: it is not PTX.
const MAX_ERRORS: usize = 1000;

/// The bytes behind a statement that are read with it.
const READ_AHEAD: usize = 16 * STATEMENT;

/// Drops the errors in well-formed statements, but keeps the first of them if no other error explains it.
pub(super) fn drop_cascading(file: &LintFile, errors: &mut Vec<SyntaxError>) {
    if !(2..=MAX_ERRORS).contains(&errors.len()) {
        return;
    }
    let (mut checker, mut previous, mut confirmed) = (StatementChecker::new(file), None, false);
    let mut broken = Vec::new();
    let follows: Vec<bool> = errors
        .iter()
        .map(|error| {
            let at = error.range.start;
            let follows = checker.is_well_formed_at(at, previous.replace(at));
            confirmed |= !follows;
            broken.extend(checker.last.clone().filter(|_| !follows).map(|(statement, _)| statement));
            follows
        })
        .collect();
    let mut explained = confirmed && (is_balanced(file, &[]) || is_balanced(file, &broken));
    let mut follows = follows.into_iter();
    errors.retain(|_| !follows.next().unwrap_or(false) || !std::mem::replace(&mut explained, true));
}

/// The cause of an error node that begins with well-formed statements: the first leaf in it of another statement.
pub(super) fn first_cause<'t>(file: &LintFile, error: Node<'t>) -> Node<'t> {
    let start = error.start_byte();
    let mut checker = StatementChecker::new(file);
    if !error.is_error() || error.byte_range().len() < STATEMENT && !checker.is_well_formed_at(start, None) {
        return error;
    }
    let mut cursor = error.walk();
    let mut loose =
        error.children(&mut cursor).filter(|child| child.is_error() || !child.is_named() || child.child_count() == 0);
    loose.by_ref().take(MAX_ERRORS).find(|child| !checker.is_well_formed_at(child.start_byte(), None)).unwrap_or(error)
}

/// Checks statements in order of their positions, each once.
struct StatementChecker<'a> {
    file: &'a LintFile,
    ends: StatementEnds,
    /// The last statement, and whether it is well-formed.
    last: Option<(Range<usize>, bool)>,
}

impl<'a> StatementChecker<'a> {
    fn new(file: &'a LintFile) -> Self {
        StatementChecker { file, ends: StatementEnds::default(), last: None }
    }

    /// Whether the statement at a position is well-formed. If its first lines have the `previous` error, only the lines from the position's on count.
    fn is_well_formed_at(&mut self, at: usize, previous: Option<usize>) -> bool {
        // What is longer than the limit is mostly data.
        let Some((statement, line)) = self.ends.statement(self.file, at) else { return true };
        let well_formed = match &self.last {
            Some((last, well_formed)) if *last == statement => *well_formed,
            _ => is_well_formed(self.file, statement.clone()),
        };
        self.last = Some((statement.clone(), well_formed));
        let is_explained = previous.is_some_and(|previous| (statement.start..line).contains(&previous));
        well_formed || is_explained && line < statement.end && is_well_formed(self.file, line..statement.end)
    }
}

/// The ends of statements in a part of the text. It is longer than a statement: it serves many positions that follow each other.
#[derive(Default)]
struct StatementEnds {
    part: Range<usize>,
    /// The `;` and braces in the part that end statements, in order.
    ends: Vec<usize>,
}

impl StatementEnds {
    /// The statement around a position, and the start of the position's line; `None` if it is longer than the limit.
    fn statement(&mut self, file: &LintFile, at: usize) -> Option<(Range<usize>, usize)> {
        let rope = file.text();
        let line = |byte: usize| rope.line_to_byte(rope.byte_to_line(byte));
        let (from, to) = (line(file.clamp(at.saturating_sub(STATEMENT))), file.clamp(at + STATEMENT));
        if self.ends.is_empty() && self.part.is_empty() || from < self.part.start || to > self.part.end {
            self.read(file, from..file.clamp(to + READ_AHEAD));
        }
        let next = self.ends.partition_point(|end| *end < at);
        let start = self.ends[..next].last().filter(|end| **end >= from).map(|end| end + 1);
        let end = self.ends.get(next).copied().filter(|end| *end < to);
        let start = start.or((from == 0).then_some(0))?;
        let end = end.or((to == rope.len_bytes()).then_some(to))?;
        Some((start..end, line(at)))
    }

    fn read(&mut self, file: &LintFile, part: Range<usize>) {
        let text = RopeReader::new(file.text()).read(part.clone()).text;
        let plain = trivia::blank_out(&text);
        let ends = plain.match_indices([';', '{', '}']).map(|(end, _)| end);
        self.ends = ends.filter(|end| is_end(&text, &plain, *end)).map(|end| part.start + end).collect();
        self.part = part;
    }
}

/// Whether a `;` or a brace ends a statement; the braces of a vector do not. `plain` is the text without comments.
fn is_end(text: &str, plain: &str, at: usize) -> bool {
    let before = plain[..at].trim_end();
    let leads = before.is_empty() || text[before.len()..at].contains('\n');
    match text.as_bytes()[at] {
        b';' => true,
        b'{' => leads || before.ends_with([';', '{', '}', ')', ':']),
        _ => leads || before.ends_with([';', '{', '}']),
    }
}

/// Whether a range, without the `;` or brace that ends it, is a statement, the head of a block, or empty.
fn is_well_formed(file: &LintFile, range: Range<usize>) -> bool {
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

/// Whether all braces of a text match, without those of broken statements, which are in order: an initial value that is cut off lacks its `}`.
fn is_balanced(file: &LintFile, mut broken: &[Range<usize>]) -> bool {
    let text = file.text().to_string();
    let (mut depth, mut at) = (0usize, 0);
    while let Some(found) = text[at..].find(['{', '}', '/', '#']) {
        at += found;
        while broken.first().is_some_and(|statement| statement.end <= at) {
            broken = &broken[1..];
        }
        if let Some(statement) = broken.first().filter(|statement| statement.contains(&at)) {
            at = statement.end;
            continue;
        }
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
