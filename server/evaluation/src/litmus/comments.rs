//! The lines of litmus tests in the comments of a PTX module: behind `//!`, and in `/*! … */` that begins a line with one of their words.
//!
//! Must not know what the lines say.

use super::statement::Keyword;
use std::ops::Range;
use syntax::LintFile;

/// What begins a comment that may hold lines of a litmus test.
const MARKS: [&str; 2] = ["//!", "/*!"];

/// Whether such a comment may be in a part of a module.
pub fn is_marked(file: &LintFile, within: Range<usize>) -> bool {
    MARKS.iter().any(|mark| file.holds(within.clone(), mark))
}

/// The lines that say something, without what marks them and without remarks, in the order of the text.
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
            found.extend(said(text, start + MARKS[0].len()..comment.end));
        } else if rest.starts_with(MARKS[1]) {
            found.extend(block(text, comment.clone()));
        }
        at = comment.end;
    }
    found
}

/// The lines of a block comment, if one of them begins like a litmus test: others write such comments for documentation.
fn block(text: &str, comment: Range<usize>) -> Vec<Range<usize>> {
    let inner = &text[comment.start + MARKS[1].len()..comment.end];
    let mut start = comment.start + MARKS[1].len();
    let mut lines = Vec::new();
    for line in inner.strip_suffix("*/").unwrap_or(inner).split_inclusive('\n') {
        let blank = line.len() - line.trim_start().trim_start_matches('*').len();
        lines.extend(said(text, start + blank..start + line.len()));
        start += line.len();
    }
    let is_test = lines.iter().any(|line| Keyword::begins(&text[line.clone()]));
    if is_test { lines } else { Vec::new() }
}

/// What a line says: nothing where it is empty or a ruler.
fn said(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let whole = &text[line.clone()];
    let counts = whole.split("//").next().unwrap_or_default();
    let start = line.start + counts.len() - counts.trim_start().len();
    let range = start..start + counts.trim().len();
    text[range.clone()].contains(char::is_alphanumeric).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        lines(text).into_iter().map(|line| &text[line]).collect()
    }

    #[test]
    fn lines_stand_in_comments_of_their_own_kind() {
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
