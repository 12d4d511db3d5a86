//! The syntax of evaluation comments: `//= @shared [a]=5, b=3 -> [a]=8, d=5`.
//!
//! Parses a comment into names and values with their ranges.

use std::ops::Range;
use syntax::LintFile;
use values::AccessedSpace;

/// The prefix of an evaluation comment.
pub const MARK: &str = "//=";

/// A parsed comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationComment {
    /// The range from the prefix to the end, without a trailing `//` comment.
    pub range: Range<usize>,
    /// The space that a generic address refers to, with its range.
    pub location: StatedSpace,
    /// The inputs.
    pub given: Vec<CommentItem>,
    /// The expected results; `None` without an arrow.
    pub expected: Option<Vec<CommentItem>>,
}

/// `name=value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentItem {
    /// The name, without whitespace.
    pub name: CommentPart,
    /// The value, as written.
    pub value: CommentPart,
}

impl CommentItem {
    /// Whether it is an assignment, rather than prose with an equals sign.
    fn is_assignment(&self) -> bool {
        let is_name = self.name.text.starts_with(['[', '{']) || self.name.text.len() == self.name.range.len();
        is_name && !self.value.text.starts_with('=')
    }
}

/// A part of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentPart {
    /// The text.
    pub text: String,
    /// The byte range in the file.
    pub range: Range<usize>,
}

/// An error in an evaluation comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentError {
    /// The byte range in the file.
    pub range: Range<usize>,
    /// The message, without a full stop.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

const SYNTAX: &str = "write inputs as in `//= [a]=5, b=3`, and expected results after an arrow: `-> [a]=8, d=5`";

/// The prefix of a block comment that is probably an evaluation comment.
const BLOCK: &str = "/*=";

/// Whether a range of a file may contain evaluation comments, also misspelt ones.
pub fn is_marked(file: &LintFile, range: Range<usize>) -> bool {
    file.holds(range.clone(), MARK) || file.holds(range, BLOCK)
}

/// Whether the text of a comment is an evaluation: it begins with the prefix, and is neither a ruler such as `//=====` nor an arrow. A comment
/// with a misspelt prefix counts too, so that it is reported.
pub fn is_evaluation(text: &str) -> bool {
    match text.strip_prefix(MARK) {
        Some(rest) if !rest.starts_with(['=', '>']) => true,
        _ => misspelt(text).is_some_and(|inner| {
            parse_content(CommentText { text: inner, at: 0 }, 0..0)
                .is_ok_and(|comment| !comment.given.is_empty() && comment.given.iter().all(CommentItem::is_assignment))
        }),
    }
}

/// The content of a comment that begins with `//==` or `/*=`.
fn misspelt(text: &str) -> Option<&str> {
    let inner = match text.strip_prefix(BLOCK) {
        Some(inner) => inner.strip_suffix("*/").unwrap_or(inner),
        None => text.strip_prefix(MARK)?.strip_prefix('=')?,
    };
    (!inner.starts_with(['=', '>'])).then_some(inner)
}

/// The text of a comment with its prefix, without a trailing `//` comment.
pub fn without_trailing_comment(text: &str) -> &str {
    if text.starts_with(BLOCK) {
        return text;
    }
    let rest = text[MARK.len()..].split("//").next().unwrap_or_default();
    text[..MARK.len() + rest.len()].trim_end()
}

/// Parses the text of a comment at a byte offset, with its prefix.
pub fn parse(text: &str, at: usize) -> Result<EvaluationComment, CommentError> {
    let text = without_trailing_comment(text);
    if let Some(inner) = misspelt(text) {
        let mark = text.split(|c| c != '/' && c != '*' && c != '=').next().unwrap_or_default();
        return Err(CommentError {
            range: at..at + text.len(),
            message: format!("comments that begin with `{mark}` are not evaluated"),
            help: format!("write `{MARK} {}`", inner.trim()),
        });
    }
    let whole = CommentText { text: &text[MARK.len()..], at: at + MARK.len() };
    parse_content(whole, at..at + text.len())
}

/// Parses the text of a comment after its prefix.
fn parse_content(whole: CommentText, range: Range<usize>) -> Result<EvaluationComment, CommentError> {
    let (body, location) = whole.location()?;
    let arrow =
        [("->", 2), ("→", '→'.len_utf8())].iter().find_map(|(arrow, length)| Some((body.text.find(arrow)?, *length)));
    let (given, expected) = match arrow {
        None => (body, None),
        Some((arrow, length)) => {
            let behind = body.part(arrow + length..body.text.len());
            if behind.text.trim().is_empty() {
                let place = body.part(arrow..arrow + length);
                return Err(place.unreadable("missing expected values after the arrow".to_owned(), SYNTAX));
            }
            (body.part(0..arrow), Some(behind))
        }
    };
    let expected = expected.map(|expected| expected.items()).transpose()?;
    Ok(EvaluationComment { range, location, given: given.items()?, expected })
}

type StatedSpace = Option<(AccessedSpace, Range<usize>)>;

/// A part of a comment that is to be parsed.
#[derive(Clone, Copy)]
struct CommentText<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> CommentText<'t> {
    fn part(self, part: Range<usize>) -> CommentText<'t> {
        CommentText { text: &self.text[part.clone()], at: self.at + part.start }
    }

    fn trimmed(self) -> CommentText<'t> {
        let start = self.text.len() - self.text.trim_start().len();
        self.part(start..start + self.text.trim().len())
    }

    fn range(self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn unreadable(self, message: String, help: &str) -> CommentError {
        CommentError { range: self.range(), message, help: help.to_owned() }
    }

    /// Parses a leading `@global` or `@shared`.
    fn location(self) -> Result<(CommentText<'t>, StatedSpace), CommentError> {
        let body = self.trimmed();
        if !body.text.starts_with('@') {
            return Ok((body, None));
        }
        let end = body.text.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(body.text.len());
        let word = body.part(0..end);
        let location = match word.text {
            "@global" => AccessedSpace::Global,
            "@shared" => AccessedSpace::Shared,
            other => {
                let message = format!("unknown state space `{other}`");
                return Err(word.unreadable(message, "write `@global` or `@shared`"));
            }
        };
        let rest = body.text[end..].trim_start().trim_start_matches(',');
        Ok((body.part(body.text.len() - rest.len()..body.text.len()), Some((location, word.range()))))
    }

    fn items(self) -> Result<Vec<CommentItem>, CommentError> {
        if self.text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let (mut items, mut depth, mut start) = (Vec::new(), 0usize, 0);
        for (at, letter) in self.text.char_indices().chain([(self.text.len(), ',')]) {
            match letter {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                // An unclosed bracket ends with the text.
                ',' if depth == 0 || at == self.text.len() => {
                    items.push(self.part(start..at).item()?);
                    start = at + 1;
                }
                _ => {}
            }
        }
        Ok(items)
    }

    fn item(self) -> Result<CommentItem, CommentError> {
        let item = self.trimmed();
        let whole = if item.text.is_empty() { self } else { item };
        let Some(equals) = item.text.find('=') else {
            return Err(whole.unreadable(format!("expected `name=value`, found `{}`", item.text), SYNTAX));
        };
        let (name, value) = (item.part(0..equals).trimmed(), item.part(equals + 1..item.text.len()).trimmed());
        if name.text.is_empty() || value.text.is_empty() {
            let what = if name.text.is_empty() { "name" } else { "value" };
            return Err(whole.unreadable(format!("missing {what} in `{}`", item.text), SYNTAX));
        }
        let text = name.text.split_whitespace().collect();
        Ok(CommentItem {
            name: CommentPart { text, range: name.range() },
            value: CommentPart { text: value.text.to_owned(), range: value.range() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<String, String> {
        let item = |item: &CommentItem| format!("{}={}", item.name.text, item.value.text);
        let comment = parse(text, 0).map_err(|error| format!("{}: {}", &text[error.range], error.message))?;
        for item in comment.given.iter().chain(comment.expected.iter().flatten()) {
            assert_eq!(text[item.value.range.clone()], item.value.text);
        }
        let given: Vec<_> = comment.given.iter().map(item).collect();
        let expected = comment.expected.map(|items| items.iter().map(item).collect::<Vec<_>>().join(" "));
        let location = comment.location.map(|(location, _)| location.name());
        Ok(format!("{} {} -> {}", location.unwrap_or("-"), given.join(" "), expected.unwrap_or("-".to_owned())))
    }

    #[test]
    fn names_and_values() {
        assert_eq!(shown("//= [a]=5, b=3").unwrap(), "- [a]=5 b=3 -> -");
        assert_eq!(
            shown("//=[ %rd1 + 4 ] = -5 ,%r2=3 -> [a]=8,d=5 // why").unwrap(),
            "- [%rd1+4]=-5 %r2=3 -> [a]=8 d=5"
        );
        assert_eq!(shown("//= @shared [a]={1, {2, 3}} → d=0x1").unwrap(), "shared [a]={1, {2, 3}} -> d=0x1");
        assert_eq!(shown("//=").unwrap(), "-  -> -");
        assert_eq!(shown("//= -> [a]=1").unwrap(), "-  -> [a]=1");
    }

    #[test]
    fn errors_name_their_cause() {
        for (text, message) in [
            ("//= 5", "5: expected `name=value`, found `5`"),
            ("//= [a]=5,", ": expected `name=value`, found ``"),
            ("//= [a]=, b=3", "[a]=: missing value in `[a]=`"),
            ("//= =3", "=3: missing name in `=3`"),
            ("//= [a]=1 ->", "->: missing expected values after the arrow"),
            ("//= @local [a]=1", "@local: unknown state space `@local`"),
            ("//= [a]={1, 2", "[a]={1, 2"),
        ] {
            match shown(text) {
                Err(error) => assert_eq!(error, message, "{text}"),
                // An unclosed brace is an error of the value parser.
                Ok(items) => assert!(items.contains(message), "{items}"),
            }
        }
    }

    #[test]
    fn rulers_are_not_evaluations() {
        assert!(is_evaluation("//= [a]=1") && is_evaluation("//="));
        assert!(
            is_evaluation("//== [a]=1") && is_evaluation("/*= [a]=1, b=2 -> [a]=3 */") && is_evaluation("/*=[a]=1")
        );
        assert!(!is_evaluation("//== a title ==") && !is_evaluation("/*=== [a]=1 */") && !is_evaluation("/*= */"));
        assert!(
            !is_evaluation("//=====") && !is_evaluation("//=> 1") && !is_evaluation("// = 1") && !is_evaluation("//")
        );
    }
}
