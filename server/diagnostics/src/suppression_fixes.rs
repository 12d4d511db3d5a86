//! Fixes that suppress a diagnostic: a suppression comment, or a further code in one.

use crate::suppressions::{MARKER, RuleGroup, Suppression, parse};
use crate::{Applicability, Diagnostic, Edit, Fix, insert};
use std::ops::Range;
use syntax::{Comment, Rope};

/// A text, with the places of comments in its language.
pub struct CommentPlaces<'t> {
    /// The text.
    pub text: &'t Rope,
    /// The comments with the marker.
    pub comments: Vec<Comment>,
    /// The function or statement around the diagnostic, to which a comment on the line before it applies, and its name in titles.
    pub block: Option<(Range<usize>, &'static str)>,
    /// What begins a comment that ends with its line.
    pub line_comment: &'static str,
    /// Whether an offset is outside comments and literals.
    pub is_code: &'t dyn Fn(usize) -> bool,
}

impl CommentPlaces<'_> {
    /// The fixes: for the line, for the block, and for the file. A fix is left out if there is no place for its comment.
    pub fn fixes(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let (code, at) = (diagnostic.code(), diagnostic.range.start);
        let known: Vec<_> =
            self.comments.iter().filter_map(|comment| Some((comment, parse(self.text, comment).ok()??))).collect();
        let extended = |applies: &dyn Fn(&Comment, &Suppression) -> bool| {
            known
                .iter()
                .find(|(comment, suppression)| applies(comment, suppression))
                .map(|(comment, _)| self.extend(comment, code))
        };
        let is_file = |suppression: &Suppression| suppression.scope.end == usize::MAX;
        let is_block =
            |comment: &Comment, suppression: &Suppression| comment.function.as_ref() == Some(&suppression.scope);
        let contains = |suppression: &Suppression| suppression.scope.contains(&at) || suppression.comment.contains(&at);
        let here = extended(&|comment, suppression| {
            contains(suppression) && !is_file(suppression) && !is_block(comment, suppression)
        });
        let block = extended(&|comment, suppression| is_block(comment, suppression) && contains(suppression));
        let file = extended(&|_, suppression| is_file(suppression));
        let (name, block_range) = self.block.as_ref().map_or(("", None), |(range, name)| (*name, Some(range)));
        let edits = [
            ("here".to_owned(), here.or_else(|| self.on_line(diagnostic))),
            (format!("for this {name}"), block.or_else(|| self.before_line(block_range?.start, code))),
            ("for this file".to_owned(), file.or_else(|| Some(self.at_start(code)))),
        ];
        let fix = |(place, edit): (String, Option<Edit>)| {
            Some(Fix {
                title: format!("Suppress `{code}` {place}"),
                edits: vec![edit?],
                applicability: Applicability::Manual,
            })
        };
        edits.into_iter().filter_map(fix).collect()
    }

    /// Adds a code to a comment.
    fn extend(&self, comment: &Comment, code: &str) -> Edit {
        let text = self.text.byte_slice(comment.range.clone()).to_string();
        let end = text.find(')').unwrap_or(text.len());
        insert(comment.range.start + end, format!(", {code}"))
    }

    /// A comment at the end of the line, or on a line of its own before it.
    fn on_line(&self, diagnostic: &Diagnostic) -> Option<Edit> {
        // A comment does not apply to the comment on the next line.
        if RuleGroup::of(diagnostic.rule) == RuleGroup::Comments {
            return None;
        }
        let (code, number) = (diagnostic.code(), self.text.byte_to_line(diagnostic.range.start));
        let start = self.text.line_to_byte(number);
        let line = self.text.line(number).to_string();
        let content = line.trim_end();
        let (content, continues) = content.strip_suffix('\\').map_or((content, false), |rest| (rest.trim_end(), true));
        let end = start + content.len();
        if (self.is_code)(end) {
            let comment = match (continues, self.line_comment) {
                (false, begin) => format!("  {begin} {MARKER} allow({code})"),
                (true, "//") => format!("  /* {MARKER} allow({code}) */"),
                // A line that continues has no comment.
                (true, _) => return None,
            };
            return Some(insert(end, comment));
        }
        let code_start = start + (line.len() - line.trim_start().len());
        let begins_block = self.block.as_ref().is_some_and(|(block, _)| block.start == code_start);
        if begins_block { None } else { self.before_line(code_start, code) }
    }

    /// A comment on a line of its own before the line of an offset, which only white space may precede.
    fn before_line(&self, at: usize, code: &str) -> Option<Edit> {
        let number = self.text.byte_to_line(at);
        let start = self.text.line_to_byte(number);
        let indentation = self.text.byte_slice(start..at).to_string();
        let continues = number > 0 && self.text.line(number - 1).to_string().trim_end().ends_with('\\');
        let is_free = indentation.trim().is_empty() && !continues && (self.is_code)(start);
        is_free.then(|| {
            insert(start, format!("{indentation}{} {MARKER} allow({code}){}", self.line_comment, self.line_end()))
        })
    }

    /// A comment at the start of the file.
    fn at_start(&self, code: &str) -> Edit {
        let mark = self.text.chars().next().filter(|first| *first == '\u{feff}').map_or(0, char::len_utf8);
        insert(mark, format!("{} {MARKER} allow-file({code}){}", self.line_comment, self.line_end()))
    }

    fn line_end(&self) -> &'static str {
        if self.text.line(0).to_string().ends_with("\r\n") { "\r\n" } else { "\n" }
    }
}
