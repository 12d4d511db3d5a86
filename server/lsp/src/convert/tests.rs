//! The conversions against a naive reading of the protocol's words, over texts that hold everything that has ever gone wrong.

use super::*;
use fastrand::Rng;

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

/// What texts are made of: every terminator, what looks like one but is none, astral, combining, wide and zero-width characters.
const PIECES: [&str; 18] = [
    "a",
    "atom.add",
    "\t",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\u{e9}",
    "e\u{301}",
    "\u{1f600}",
    "\u{10ffff}",
    "\u{4e16}",
    "\u{200d}",
    "\u{2028}",
    "\u{85}",
    "\u{b}",
    "\u{c}",
    "\u{0}",
];

/// A random text of several parts.
fn random_text(rng: &mut Rng, parts: usize) -> String {
    (0..parts).map(|_| PIECES[rng.usize(..PIECES.len())]).collect()
}

fn width(encoding: Encoding, c: char) -> usize {
    match encoding {
        Encoding::Utf8 => c.len_utf8(),
        Encoding::Utf16 => c.len_utf16(),
        Encoding::Utf32 => 1,
    }
}

/// The lines of a text by the protocol's rule: `\n`, `\r\n` and `\r` end a line, nothing else does. Byte ranges without terminators.
fn lines(text: &str) -> Vec<Range<usize>> {
    let (mut lines, mut start, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let terminator = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with(['\n', '\r'])) };
        if terminator > 0 {
            lines.push(start..at);
            start = at + terminator;
        }
        at += terminator.max(rest.chars().next().map_or(1, char::len_utf8)).max(1);
    }
    lines.push(start..text.len());
    lines
}

fn naive_offset(text: &str, encoding: Encoding, line: usize, column: usize) -> usize {
    let lines = lines(text);
    let Some(line) = lines.get(line) else { return text.len() };
    let (mut at, mut counted) = (line.start, 0);
    for c in text[line.clone()].chars() {
        counted += width(encoding, c);
        if counted > column {
            break;
        }
        at += c.len_utf8();
    }
    at
}

fn naive_position(text: &str, encoding: Encoding, offset: usize) -> (usize, usize) {
    let lines = lines(text);
    let line = lines.iter().rposition(|line| line.start <= offset).expect("the first line starts at 0");
    let end = offset.min(lines[line].end);
    (line, text[lines[line].start..end].chars().map(|c| width(encoding, c)).sum())
}

#[test]
fn every_offset_of_random_texts_has_its_position_and_comes_back() {
    let mut rng = Rng::with_seed(0x5eed);
    for round in 0..600 {
        let text = random_text(&mut rng, round % 40);
        let rope = Rope::from_str(&text);
        for encoding in ENCODINGS {
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let found = position(&rope, encoding, at);
                let expected = naive_position(&text, encoding, at);
                assert_eq!((found.line as usize, found.character as usize), expected, "{text:?} {encoding:?} {at}");
                let inside_terminator = lines(&text)[expected.0].end < at;
                if !inside_terminator {
                    assert_eq!(offset(&rope, encoding, found), at, "{text:?} {encoding:?} {found:?}");
                }
            }
        }
    }
}

#[test]
fn offsets_near_the_borders_of_chunks_have_their_positions() {
    let mut rng = Rng::with_seed(0xc4a2);
    for round in 0..12 {
        // Chunks have about a thousand bytes; a third of the texts has lines of several chunks.
        let mut text = random_text(&mut rng, 3_000);
        if round % 3 == 0 {
            text = text.replace(['\n', '\r'], "\u{e9}") + "\r\nlast";
        }
        let rope = Rope::from_str(&text);
        let borders = rope.chunks().scan(0, |at, chunk| Some(std::mem::replace(at, *at + chunk.len())));
        let near = borders.flat_map(|border| border.saturating_sub(3)..=border + 3);
        for at in near.filter(|at| *at <= text.len() && text.is_char_boundary(*at)) {
            for encoding in ENCODINGS {
                let found = position(&rope, encoding, at);
                let expected = naive_position(&text, encoding, at);
                assert_eq!((found.line as usize, found.character as usize), expected, "{round} {encoding:?} {at}");
            }
        }
    }
}

#[test]
fn every_position_in_and_around_random_texts_is_clamped_alike() {
    let mut rng = Rng::with_seed(0xface);
    for round in 0..400 {
        let text = random_text(&mut rng, round % 30);
        let rope = Rope::from_str(&text);
        for encoding in ENCODINGS {
            for line in (0..lines(&text).len() + 2).chain([u32::MAX as usize]) {
                for column in (0..14).chain([u32::MAX as usize]) {
                    let asked = lsp::Position::new(line as u32, column as u32);
                    let expected = naive_offset(&text, encoding, line, column);
                    assert_eq!(offset(&rope, encoding, asked), expected, "{text:?} {encoding:?} {asked:?}");
                }
            }
        }
    }
}

#[test]
fn offsets_outside_of_the_text_and_inside_of_a_character_are_clamped() {
    let rope = Rope::from_str("x\u{1f600}y\r\n");
    for encoding in ENCODINGS {
        assert_eq!(position(&rope, encoding, 3), lsp::Position::new(0, 1));
        assert_eq!(position(&rope, encoding, 7), position(&rope, encoding, 6), "between \\r and \\n");
        assert_eq!(position(&rope, encoding, usize::MAX), lsp::Position::new(1, 0));
    }
    assert_eq!(offset(&rope, Encoding::Utf16, lsp::Position::new(0, 2)), 1, "the second half of a surrogate pair");
    assert_eq!(offset(&rope, Encoding::Utf8, lsp::Position::new(0, 4)), 1, "the last byte of four");
}

#[test]
fn a_range_that_ends_before_it_starts_is_turned_round() {
    let rope = Rope::from_str("abc\ndef");
    let backwards = lsp::Range::new(lsp::Position::new(1, 2), lsp::Position::new(0, 1));
    assert_eq!(bytes(&rope, Encoding::Utf16, backwards), 1..6);
}

#[test]
fn one_line_of_a_megabyte_keeps_its_columns() {
    let text = "\u{1f600}\u{e9}a".repeat(150_000);
    let rope = Rope::from_str(&text);
    for encoding in ENCODINGS {
        for at in [0, 4, 6, 7, 500_003, text.len()] {
            let expected: usize = text[..at].chars().map(|c| width(encoding, c)).sum();
            assert_eq!(position(&rope, encoding, at), lsp::Position::new(0, expected as u32));
            assert_eq!(offset(&rope, encoding, lsp::Position::new(0, expected as u32)), at);
        }
    }
}

#[test]
fn utf8_is_preferred_then_what_the_client_names_first() {
    let kinds =
        |names: &[&'static str]| names.iter().map(|name| lsp::PositionEncodingKind::new(name)).collect::<Vec<_>>();
    assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
    assert_eq!(Encoding::negotiate(Some(&[])), Encoding::Utf16);
    assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-7"]))), Encoding::Utf16);
    assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-16", "utf-8"]))), Encoding::Utf8);
    assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-16", "utf-32"]))), Encoding::Utf16);
    assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-32", "utf-16"]))), Encoding::Utf32);
}
