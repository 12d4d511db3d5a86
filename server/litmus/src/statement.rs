//! One line of a litmus test in a module: `litmus MP`, `thread f @ cta 0`, `init flag = 0`, `forbid f:%r1 == 1`.

use crate::lexer::{LitmusToken, tokens};
use crate::lower::ThreadPlacement;
use crate::parse::{is_name, number, place};
use crate::test::{Expected, LitmusError};
use std::ops::Range;

/// The keyword of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    Litmus,
    Thread,
    Init,
    Forbid,
    Allow,
}

/// A statement.
pub enum Statement {
    /// `litmus`: begins a test; the name may be empty.
    Begin(String),
    /// `thread`.
    Thread(ThreadPlacement),
    /// `init`: name, value, and the range of the line.
    Init(String, String, Range<usize>),
    /// `forbid` or `allow`, with the range of the condition.
    Claim(Expected, Range<usize>),
}

impl Keyword {
    const ALL: [Keyword; 5] = [Keyword::Litmus, Keyword::Thread, Keyword::Init, Keyword::Forbid, Keyword::Allow];

    fn word(self) -> &'static str {
        match self {
            Keyword::Litmus => "litmus",
            Keyword::Thread => "thread",
            Keyword::Init => "init",
            Keyword::Forbid => "forbid",
            Keyword::Allow => "allow",
        }
    }

    /// Whether a line begins with a keyword.
    pub fn begins(line: &str) -> bool {
        Self::ALL.iter().any(|keyword| keyword.word() == first(line))
    }

    /// The keyword that a line begins with, or the closest one.
    pub fn closest(line: &str) -> Option<Keyword> {
        let word = first(line).to_lowercase();
        let begins = |known: &str| word.starts_with(known) || word.len() >= 3 && known.starts_with(&word);
        let near = || isa::closest(&word, Self::ALL.into_iter().map(Keyword::word)).filter(|_| word.len() >= 4);
        let begun = Self::ALL.into_iter().find(|keyword| begins(keyword.word()));
        begun.or_else(|| near().and_then(|near| Self::ALL.into_iter().find(|keyword| keyword.word() == near)))
    }
}

/// The first word of a line.
fn first(line: &str) -> &str {
    let end = line.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(line.len());
    &line[..end]
}

/// Parses a line.
pub fn read(text: &str, line: Range<usize>) -> Result<Statement, LitmusError> {
    let word = first(&text[line.clone()]);
    let range = line.start..line.start + word.len();
    let rest = range.end..line.end;
    match Keyword::closest(word).filter(|keyword| keyword.word() == word) {
        Some(Keyword::Litmus) => Ok(Statement::Begin(text[rest].trim().to_owned())),
        Some(Keyword::Thread) => thread(text, line).map(Statement::Thread),
        Some(Keyword::Init) => init(text, line),
        Some(Keyword::Forbid) => Ok(Statement::Claim(Expected::Forbidden, rest)),
        Some(Keyword::Allow) => Ok(Statement::Claim(Expected::Allowed, rest)),
        None => Err(unknown(text, line, word)),
    }
}

fn unknown(text: &str, line: Range<usize>, word: &str) -> LitmusError {
    let range = if word.is_empty() { line.clone() } else { line.start..line.start + word.len() };
    let help = match Keyword::closest(word) {
        Some(keyword) => format!("did you mean `{}`?", keyword.word()),
        None => "lines after `//!` are litmus tests, which begin with `litmus`, `thread`, `init`, `forbid` or `allow`, or launches, \
                 which begin with `run`, `check`, `beside`, `then`, `arg`, `expect`, `require` or `forbid`; use `//` for other comments"
            .to_owned(),
    };
    LitmusError { message: format!("unknown `{}` in a litmus test", &text[range.clone()]), range, help }
}

/// The tokens of a line after its keyword.
fn operands<'t>(text: &'t str, line: &Range<usize>) -> Vec<LitmusToken<'t>> {
    let start = line.start + first(&text[line.clone()]).len();
    tokens(&text[..line.end], start)
}

fn error(range: Range<usize>, message: &str, help: &str) -> LitmusError {
    LitmusError { range, message: message.to_owned(), help: help.to_owned() }
}

/// `thread producer @ cta 0, cluster 0, gpu 0`.
fn thread(text: &str, line: Range<usize>) -> Result<ThreadPlacement, LitmusError> {
    let help = "write `thread f @ cta 0`";
    let tokens = operands(text, &line);
    let (function, rest) = match &tokens[..] {
        [function, rest @ ..] if is_name(function.text) => (function, rest),
        [other, ..] => return Err(error(other.range.clone(), "expected the name of a function", help)),
        [] => return Err(error(line, "expected the name of a function", help)),
    };
    let place = match rest {
        [] => place(&[])?,
        [at] if at.text == "@" => return Err(error(at.range.clone(), "expected a placement after `@`", help)),
        [at, rest @ ..] if at.text == "@" => place(rest)?,
        [other, ..] => {
            let message = format!("expected `@` and a placement, found `{}`", other.text);
            return Err(error(other.range.clone(), &message, help));
        }
    };
    Ok(ThreadPlacement { function: function.text.to_owned(), place, range: line })
}

/// `init flag = 0`, `init f:p = data`, `init f:%r1 = 3`.
fn init(text: &str, line: Range<usize>) -> Result<Statement, LitmusError> {
    let tokens = operands(text, &line);
    let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    let (name, value) = match &texts[..] {
        [name, "=", value @ ..] if is_name(name) => ((*name).to_owned(), value),
        [function, ":", name, "=", value @ ..] if is_name(function) && is_name(name) => {
            (format!("{function}:{name}"), value)
        }
        _ => return Err(invalid_init(&tokens, line)),
    };
    match value {
        ["tensor", "(", ..] => {
            let ends = [tokens.len() - value.len(), tokens.len() - 1].map(|at| tokens[at].range.clone());
            Ok(Statement::Init(name, text[ends[0].start..ends[1].end].to_owned(), line))
        }
        [value] | ["&", value] if number(value).is_some() || is_name(value) => {
            Ok(Statement::Init(name, (*value).to_owned(), line))
        }
        _ => Err(invalid_init(&tokens, line)),
    }
}

fn invalid_init(tokens: &[LitmusToken], line: Range<usize>) -> LitmusError {
    let range = tokens.first().map_or(line.clone(), |token| token.range.start..line.end);
    error(
        range,
        "expected a name and its initial value",
        "write `init flag = 0`, `init f:%r1 = 3` or `init f:p = data`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_keyword_is_found() {
        let closest = |word: &str| Keyword::closest(word).map(Keyword::word);
        for (word, keyword) in [
            ("litmsu", "litmus"),
            ("Litmus", "litmus"),
            ("threads", "thread"),
            ("thraed", "thread"),
            ("inti", "init"),
            ("initial", "init"),
            ("FORBID", "forbid"),
            ("forbidden", "forbid"),
            ("forbit", "forbid"),
            ("alow", "allow"),
            ("allowed", "allow"),
        ] {
            assert_eq!(closest(word), Some(keyword), "{word}");
        }
        for word in ["it", "this", "the", "exists", "Copyright", "", "brief"] {
            assert_eq!(closest(word), None, "{word}");
        }
    }

    #[test]
    fn invalid_lines_are_reported_at_their_tokens() {
        for (line, token, message) in [
            ("thread f @ ctaa 0", "ctaa", "unknown level `ctaa`"),
            ("thread f @ cta 0, cta 1", "cta", "duplicate `cta`"),
            ("thread f @ cta x", "x", "invalid cta number `x`"),
            ("thread f @ cta", "cta", "missing number after `cta`"),
            ("thread f @", "@", "expected a placement after `@`"),
            ("thread f cta 0", "cta", "expected `@` and a placement, found `cta`"),
            ("thread: f", ":", "expected the name of a function"),
            ("thread", "thread", "expected the name of a function"),
            ("init x 0", "x 0", "expected a name and its initial value"),
            ("init x == 0", "x == 0", "expected a name and its initial value"),
            ("init x = 0 1", "x = 0 1", "expected a name and its initial value"),
            ("exists x == 1", "exists", "unknown `exists` in a litmus test"),
        ] {
            match read(line, 0..line.len()) {
                Err(error) => assert_eq!((&line[error.range], &*error.message), (token, message), "{line}"),
                Ok(_) => panic!("{line} has no error"),
            }
        }
    }
}
