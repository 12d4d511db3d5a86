//! Halves of characters: strings of JavaScript consist of UTF-16 units, and a change may insert, replace or remove one unit of a pair.
//!
//! A half is no text. U+FFFD stands for it, which has the same width in every encoding; a document knows which of these do, so that two halves that
//! meet become their character.

use crate::convert;
use crate::convert::Encoding;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::Rope;
use tower_lsp::ls_types as lsp;

/// Precedes a character that stands for a half in the text of a change. Unicode reserves it for such internal use.
const MARK: char = '\u{fdd0}';

/// What is added to a half: the result is a character for private use.
const PRIVATE: u16 = 0x800;

/// Parses a message with the escapes of halves, which JSON parsers reject. In the texts of changes they are marked, elsewhere replaced; `None` if there are none.
pub fn parse(body: &mut [u8]) -> Option<serde_json::Result<Value>> {
    let has_private = body.windows(2).any(|bytes| matches!(bytes, [0xee, 0x80..=0x9f]))
        || body.windows(4).any(|bytes| matches!(bytes, [b'\\', b'u', b'e' | b'E', b'0'..=b'7']));
    if !replace_escapes(body, has_private) {
        return None;
    }
    let mut message = match serde_json::from_slice(body) {
        Ok(message) if !has_private => message,
        as_it_is => return Some(as_it_is),
    };
    settle(&mut message, |_, text| text.push(char::REPLACEMENT_CHARACTER));
    Some(Ok(message))
}

/// Replaces the escapes of lone halves by those of characters for private use, or of U+FFFD; `false` if there are none.
fn replace_escapes(body: &mut [u8], has_private: bool) -> bool {
    let unit = |body: &[u8], at: usize| {
        let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut at, mut found) = (0, false);
    while at < body.len() {
        match (unit(body, at), unit(body, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(half @ 0xD800..=0xDFFF), _) => {
                let character = if has_private { 0xFFFD } else { half + PRIVATE };
                body[at + 2..at + 6].copy_from_slice(format!("{character:04x}").as_bytes());
                (at, found) = (at + 6, true);
            }
            _ => at += if body[at] == b'\\' { 2 } else { 1 },
        }
    }
    found
}

/// Replaces what stands for halves in all strings of a message; in the texts of changes it is marked.
fn settle(value: &mut Value, put: fn(char, &mut String)) {
    match value {
        Value::String(string) if string.contains(is_private) => {
            let mut text = String::with_capacity(string.len());
            for character in string.chars() {
                if is_private(character) { put(character, &mut text) } else { text.push(character) }
            }
            *string = text;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| settle(item, put)),
        Value::Object(members) => {
            for (name, member) in members {
                settle(member, if name == "contentChanges" { |half, text| text.extend([MARK, half]) } else { put });
            }
        }
        _ => {}
    }
}

fn is_private(character: char) -> bool {
    matches!(character, '\u{e000}'..='\u{e7ff}')
}

/// The text of a change without marks.
pub fn without_marks(text: &str) -> String {
    String::from_utf16_lossy(&units(text))
}

/// The UTF-16 units of the text of a change.
fn units(text: &str) -> Vec<u16> {
    let (mut units, mut characters) = (Vec::with_capacity(text.len()), text.chars().peekable());
    while let Some(character) = characters.next() {
        match characters.next_if(|next| character == MARK && is_private(*next)) {
            Some(half) => units.extend(u16::try_from(u32::from(half)).map(|half| half - PRIVATE)),
            None => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
        }
    }
    units
}

/// The halves in a text, by the bytes at which U+FFFD stands for them.
#[derive(Debug, Default)]
pub struct Halves(BTreeMap<usize, u16>);

impl Halves {
    /// The bytes of a text that a change replaces, and their new text. The change may begin or end inside a character, and its text may have marks.
    pub fn change(
        &mut self,
        rope: &Rope,
        encoding: Encoding,
        range: lsp::Range,
        new: String,
    ) -> (Range<usize>, String) {
        let mut bytes = convert::bytes(rope, encoding, range);
        if encoding != Encoding::Utf16 {
            return (bytes, without_marks(&new));
        }
        let [start, end] = [range.start, range.end].map(|place| convert::utf16_unit(rope, place));
        let (before, behind) = self.beside(rope, &mut bytes, start.min(end)..start.max(end));
        if before.is_none() && behind.is_none() && !new.contains(MARK) {
            self.replace(&bytes, new.len(), BTreeMap::new());
            return (bytes, new);
        }
        let (mut text, mut halves) = (String::new(), BTreeMap::new());
        for character in char::decode_utf16(before.into_iter().chain(units(&new)).chain(behind)) {
            text.push(character.unwrap_or_else(|half| {
                halves.insert(bytes.start + text.len(), half.unpaired_surrogate());
                char::REPLACEMENT_CHARACTER
            }));
        }
        self.replace(&bytes, text.len(), halves);
        (bytes, text)
    }

    /// The halves before and behind a range of units: of characters that it divides, and lone ones. The bytes of the range are widened by them.
    fn beside(&self, rope: &Rope, bytes: &mut Range<usize>, range: Range<usize>) -> (Option<u16>, Option<u16>) {
        let divided = |unit: usize| {
            let at = rope.utf16_cu_to_char(unit);
            (rope.char_to_utf16_cu(at) < unit).then(|| (at, rope.char(at).encode_utf16(&mut [0; 2]).to_vec()))
        };
        let width = char::REPLACEMENT_CHARACTER.len_utf8();
        let before = match divided(range.start) {
            Some((_, units)) => units.first().copied(),
            None => {
                bytes.start.checked_sub(width).and_then(|at| self.0.get(&at).copied()).inspect(|_| bytes.start -= width)
            }
        };
        let behind = match divided(range.end) {
            Some((at, units)) => {
                bytes.end = rope.char_to_byte(at + 1);
                units.last().copied()
            }
            None => self.0.get(&bytes.end).copied().inspect(|_| bytes.end += width),
        };
        (before, behind)
    }

    /// A range of a text was replaced.
    fn replace(&mut self, bytes: &Range<usize>, new_len: usize, halves: BTreeMap<usize, u16>) {
        if self.0.is_empty() && halves.is_empty() {
            return;
        }
        let behind = self.0.split_off(&bytes.end);
        self.0.split_off(&bytes.start);
        self.0.extend(halves);
        self.0.extend(behind.into_iter().map(|(at, half)| (at - bytes.len() + new_len, half)));
    }

    /// The whole text was replaced.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(text: &str) -> Option<Value> {
        parse(&mut text.as_bytes().to_vec()).and_then(Result::ok)
    }

    #[test]
    fn lone_halves_become_replacement_characters() {
        for (text, expected) in [
            (r#""a\ud83db""#, Some("a\u{fffd}b")),
            (r#""\ude00\ud83d""#, Some("\u{fffd}\u{fffd}")),
            (r#""\ud83d\ud83d\ude00""#, Some("\u{fffd}\u{1f600}")),
            (r#""\\ud83d\ud83d""#, Some("\\ud83d\u{fffd}")),
            (r#""\ue000\ud83d""#, Some("\u{e000}\u{fffd}")),
            ("\"\u{e123}\\uDE00\"", Some("\u{e123}\u{fffd}")),
            (r#""\ud83d"#, None),
            (r#""\u+12f\ud83d""#, None),
            (r#""\ud83d\ude00""#, None),
        ] {
            assert_eq!(parsed(text), expected.map(|text| json!(text)), "{text}");
        }
        let message = parsed(r#"{"params": {"a": "\ud83d", "contentChanges": [{"text": "\ud83d"}]}}"#);
        let changed = json!({"params": {"a": "\u{fffd}", "contentChanges": [{"text": "\u{fdd0}\u{e03d}"}]}});
        assert_eq!(message, Some(changed));
        assert_eq!(without_marks("a\u{fdd0}\u{e03d}\u{fdd0}\u{e600}"), "a\u{1f600}");
    }

    /// Texts of a client as JavaScript has them, changed at any unit.
    #[test]
    fn a_text_is_that_of_a_client_that_changes_single_units() {
        let pieces: [&[u16]; 7] =
            [&[0xD83D], &[0xDE00], &[0xD83D, 0xDE01], &[0x61], &[0xFFFD], &[0xFFFD, 0xDE00, 0xD83D], &[]];
        let mut rng = fastrand::Rng::with_seed(65);
        for _ in 0..300 {
            let (mut client, mut rope, mut halves) = (Vec::<u16>::new(), Rope::new(), Halves::default());
            for _ in 0..12 {
                let (first, second) = (rng.usize(..=client.len()), rng.usize(..=client.len().min(3)));
                let units = first..(first + second).min(client.len());
                let new: Vec<u16> =
                    (0..rng.usize(..3)).flat_map(|_| pieces[rng.usize(..pieces.len())]).copied().collect();
                let text: String = char::decode_utf16(new.iter().copied())
                    .flat_map(|character| match character {
                        Ok(character) => vec![character],
                        Err(half) => {
                            let private = u32::from(half.unpaired_surrogate() + PRIVATE);
                            vec![MARK, char::from_u32(private).expect("a character for private use")]
                        }
                    })
                    .collect();
                let place = |unit: usize| lsp::Position::new(0, u32::try_from(unit).expect("a short text"));
                let range = lsp::Range::new(place(units.start), place(units.end));
                let (bytes, text) = halves.change(&rope, Encoding::Utf16, range, text);
                syntax::replace(&mut rope, bytes, &text);
                client.splice(units, new);
                assert_eq!(rope.to_string(), String::from_utf16_lossy(&client), "{client:x?}");
            }
        }
    }
}
