//! A model of a client's text under changes, on plain strings: shares no code with the server.

use serde_json::{Value, json};
use support::{Rng, pick};

/// How wide a character is in an encoding.
pub fn width(encoding: &str, c: char) -> usize {
    match encoding {
        "utf-8" => c.len_utf8(),
        "utf-16" => c.len_utf16(),
        "utf-32" => 1,
        other => panic!("{other} is no encoding"),
    }
}

/// Line and column of a byte offset. Only `\n`, `\r\n` and `\r` end a line.
pub fn position(text: &str, encoding: &str, offset: usize) -> (u32, u32) {
    let before = &text[..offset];
    let (mut line, mut column, mut last) = (0, 0, ' ');
    for (at, c) in before.char_indices() {
        let ends = c == '\n' || (c == '\r' && !text[at + 1..].starts_with('\n'));
        if ends {
            (line, column) = (line + 1, 0);
        } else {
            column += width(encoding, c) as u32;
        }
        last = c;
    }
    // Between `\r` and `\n` there is no position of its own.
    let inside = last == '\r' && text[offset..].starts_with('\n');
    (line, column - u32::from(inside))
}

/// A byte range as the protocol's range.
pub fn range(text: &str, encoding: &str, start: usize, end: usize) -> Value {
    let (start, end) = (position(text, encoding, start), position(text, encoding, end));
    json!({"start": {"line": start.0, "character": start.1}, "end": {"line": end.0, "character": end.1}})
}

/// A random change of a text, applied to it, as the protocol's change. Never cuts a `\r\n` in two: there is no position for that.
pub fn edit(rng: &mut Rng, text: &mut String, encoding: &str, pieces: &[&str]) -> Value {
    let stops: Vec<usize> = (0..=text.len())
        .filter(|at| text.is_char_boundary(*at) && !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n')))
        .collect();
    let first = rng.usize(..stops.len());
    let last = (first + rng.usize(..6)).min(stops.len() - 1);
    let (start, end) = (stops[first], stops[if rng.usize(..2) == 0 { first } else { last }]);
    let new: String = (0..rng.usize(..3)).map(|_| *pick(rng, pieces)).collect();
    let change = json!({"range": range(text, encoding, start, end), "text": new});
    text.replace_range(start..end, &new);
    change
}
