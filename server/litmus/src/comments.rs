//! The lines of litmus tests in the comments of a PTX module: after `//!`, and in `/*! … */` comments with a line that begins with a keyword.

use crate::statement::Keyword;
use std::ops::Range;
use syntax::LintFile;

/// The prefixes of comments that may contain litmus tests.
const MARKS: [&str; 2] = ["//!", "/*!"];

/// Whether a part of a module may contain such a comment.
pub fn is_marked(file: &LintFile, within: Range<usize>) -> bool {
    MARKS.iter().any(|mark| file.holds(within.clone(), mark))
}

/// The non-empty lines of these comments, without prefixes and trailing `//` comments, in source order.
pub fn lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(['/', '"']).map(|next| at + next) {
        let rest = &text[start..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inner) = rest.strip_prefix("/*") {
            inner.find("*/").map_or(rest.len(), |end| end + 4)
        } else {
            let string = rest.strip_prefix('"').and_then(|inner| inner.find(['"', '\n']));
            string.map_or(1, |end| end + 2)
        };
        let comment = start..start + length;
        if rest.starts_with(MARKS[0]) {
            found.extend(content(text, start + MARKS[0].len()..comment.end));
        } else if rest.starts_with(MARKS[1]) {
            found.extend(block(text, comment.clone()));
        }
        at = comment.end;
    }
    found
}

/// The lines of a block comment, if one of them begins with a keyword. Doxygen uses such comments for documentation.
fn block(text: &str, comment: Range<usize>) -> Vec<Range<usize>> {
    let inner = &text[comment.start + MARKS[1].len()..comment.end];
    let mut start = comment.start + MARKS[1].len();
    let mut lines = Vec::new();
    for line in inner.strip_suffix("*/").unwrap_or(inner).split_inclusive('\n') {
        let indent = line.len() - line.trim_start().trim_start_matches('*').len();
        lines.extend(content(text, start + indent..start + line.len()));
        start += line.len();
    }
    let is_test = lines.iter().any(|line| Keyword::begins(&text[line.clone()]));
    if is_test { lines } else { Vec::new() }
}

/// The content of a line; `None` if it is empty or a ruler.
fn content(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let whole = &text[line.clone()];
    let content = whole.split("//").next().unwrap_or_default();
    let start = line.start + content.len() - content.trim_start().len();
    let range = start..start + content.trim().len();
    text[range.clone()].contains(char::is_alphanumeric).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        lines(text).into_iter().map(|line| &text[line]).collect()
    }

    #[test]
    fn lines_are_found_in_marked_comments() {
        assert_eq!(shown("\t//!  forbid x == 1 // why\r\nret; //!allow y == 1\r\n"), ["forbid x == 1", "allow y == 1"]);
        assert_eq!(shown("// //! no\n/* //! no */ //! yes\n.file 1 \"//! no\"\n//!\n//!-----\n"), ["yes"]);
        assert_eq!(shown("/*! \\brief no test */ /*! forbid x == 1 */"), ["forbid x == 1"]);
        assert_eq!(
            shown("/*! litmus MP\n * thread f\n\n   forbids x == 1\n */"),
            ["litmus MP", "thread f", "forbids x == 1"]
        );
        assert_eq!(shown("/*! allow"), ["allow"]);
        assert_eq!(shown("/*! thread-safe */ 1/2 \"//! open\n"), [""; 0]);
    }
}
