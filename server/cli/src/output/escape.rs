//! Escaping of characters that would act on a terminal or a build log.

use std::borrow::Cow;
use std::fmt::Write;

/// How an unsafe character is escaped, depending on what reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeStyle {
    /// Plain text.
    Text,
    /// Text with our own colours: SGR sequences are kept.
    Coloured,
    /// GitHub workflow commands: a line may begin with `::`.
    Commands,
    /// JSON escapes.
    Json,
}

/// What build logs interpret as a command: at the start of a line (GitHub), or anywhere (GitHub, Azure, TeamCity).
const LEADING_COMMAND: &str = "::";
const COMMANDS: [&str; 3] = ["##[", "##vso[", "##teamcity["];

/// Whether a character is unsafe: controls other than tab and line feed, line separators, and bidirectional controls.
pub fn is_unsafe(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes a name or message within a line: line feeds and tabs, too.
pub fn inline(text: &str) -> Cow<'_, str> {
    let escaped = |c: char| is_unsafe(c) || matches!(c, '\n' | '\t');
    if !text.contains(escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if escaped(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Escapes source text that has marks below it: each unsafe character becomes one of the same width, each line end a line feed.
pub fn excerpt(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                chars.next_if_eq(&'\n');
                out.push('\n');
            }
            '\u{7f}' => out.push('\u{2421}'),
            // The control pictures are in the order of the controls.
            c if c < ' ' && is_unsafe(c) => out.extend(char::from_u32(0x2400 + u32::from(c))),
            c if is_unsafe(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

/// Escapes whole lines.
pub fn lines(text: &str, escape_style: EscapeStyle) -> Cow<'_, str> {
    if !text.contains(is_unsafe) && !text.contains("##") && !text.contains(LEADING_COMMAND) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        // A carriage return before a line feed is part of the line end; alone it would overwrite the line.
        let (line, end) =
            line.strip_suffix('\r').filter(|_| !end.is_empty()).map_or((line, end), |line| (line, "\r\n"));
        escape_line(line, escape_style, &mut out);
        out.push_str(end);
    }
    Cow::Owned(out)
}

fn escape_line(line: &str, escape_style: EscapeStyle, out: &mut String) {
    let mut rest = line;
    // Log readers skip whitespace and colours at the start of a line.
    let mut leading = !matches!(escape_style, EscapeStyle::Commands | EscapeStyle::Json);
    while let Some(c) = rest.chars().next() {
        if let Some(colour) = colour(rest).filter(|_| escape_style == EscapeStyle::Coloured) {
            out.push_str(colour);
            rest = &rest[colour.len()..];
            continue;
        }
        rest = if leading && rest.starts_with(LEADING_COMMAND) || is_unsafe(c) {
            escape_char(c, escape_style, out);
            &rest[c.len_utf8()..]
        } else if COMMANDS.iter().any(|command| rest.starts_with(command)) {
            out.push('#');
            escape_char('#', escape_style, out);
            &rest[2..]
        } else {
            out.push(c);
            &rest[c.len_utf8()..]
        };
        leading &= c.is_whitespace();
    }
}

/// The length of an SGR sequence at the start of a text.
fn colour(text: &str) -> Option<&str> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters[end..].starts_with('m').then(|| &text[..2 + end + 1])
}

fn escape_char(c: char, escape_style: EscapeStyle, out: &mut String) {
    let written = match (escape_style, c) {
        (EscapeStyle::Json, c) => write!(out, "\\u{:04x}", u32::from(c)),
        (_, '\r') => write!(out, "\\r"),
        (_, c) => write!(out, "{}", c.escape_unicode()),
    };
    // Writing to a string cannot fail.
    let _ = written;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown_and_what_is_text_stays() {
        for text in ["é 漢 🦀 a\tb\nc\r\n", "a::b #[x] ## y", "  std::fmt", ""] {
            assert_eq!(lines(text, EscapeStyle::Text), text);
        }
        let hostile = "a\u{1b}[2Jb\u{9b}c\rd\u{202e}e\u{7f}\u{2028}";
        assert_eq!(lines(hostile, EscapeStyle::Text), r"a\u{1b}[2Jb\u{9b}c\rd\u{202e}e\u{7f}\u{2028}");
        assert_eq!(lines(hostile, EscapeStyle::Json), r"a\u001b[2Jb\u009bc\u000dd\u202ee\u007f\u2028");
        assert_eq!(inline("a\nb\t\u{1b}"), r"a\nb\t\u{1b}");
    }

    #[test]
    fn nothing_reads_as_a_command_of_a_build_machine() {
        for (text, shown) in [
            ("::error::x\n  ::error::y", "\\u{3a}:error::x\n  \\u{3a}:error::y"),
            ("12 | // ##[error]x", "12 | // #\\u{23}[error]x"),
            ("##vso[task.x]", "#\\u{23}vso[task.x]"),
            ("\u{1b}[1m::error::x", "\\u{1b}[1m::error::x"),
        ] {
            assert_eq!(lines(text, EscapeStyle::Text), shown);
        }
        assert_eq!(lines("::error file=a::x", EscapeStyle::Commands), "::error file=a::x");
        assert_eq!(lines("\"##[error]\"", EscapeStyle::Json), "\"#\\u0023[error]\"");
    }

    #[test]
    fn of_our_own_sequences_only_colours_pass() {
        let colours = "\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m";
        assert_eq!(lines(colours, EscapeStyle::Coloured), colours);
        assert_eq!(lines("\u{1b}[2J\u{1b}[m\u{1b}[1", EscapeStyle::Coloured), "\\u{1b}[2J\u{1b}[m\\u{1b}[1");
        assert_eq!(lines("\u{1b}[1m ::error::x", EscapeStyle::Coloured), "\u{1b}[1m \\u{3a}:error::x");
    }

    #[test]
    fn an_excerpt_keeps_its_columns_and_lines() {
        let text = "a\u{1b}b\u{9b}c\u{202e}\td\re\r\nf\n";
        assert_eq!(excerpt(text), "a\u{241b}b\u{fffd}c\u{fffd}\td\ne\nf\n");
    }
}
