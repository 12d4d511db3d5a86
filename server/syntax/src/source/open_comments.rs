//! Comments that do not end. The parser looks for the end of each from its start, so a text is parsed up to the first of them if there are many.

use ropey::Rope;

/// A text with at most so many `/*` behind its last `*/` is parsed to its end: a user who types a comment sees the code below it as before.
const MAX_OPEN: usize = 16;

/// The length in bytes of what is parsed of a text: all of it, or what comes up to and with the `/*` of the first of many comments that do not end.
pub(super) fn parsed_length(rope: &Rope) -> usize {
    let length = rope.len_bytes();
    if opened_behind_last_end(rope) <= MAX_OPEN {
        return length;
    }
    first_open(&rope.to_string()).map_or(length, |start| start + 2)
}

/// The number of `/*` behind the last `*/`.
fn opened_behind_last_end(rope: &Rope) -> usize {
    let (mut opened, mut before) = (0, 0);
    for chunk in rope.chunks().map(str::as_bytes).filter(|chunk| !chunk.is_empty()) {
        if before == b'*' && chunk[0] == b'/' {
            opened = 0;
        }
        for at in memchr::memchr_iter(b'*', chunk) {
            let previous = if at == 0 { before } else { chunk[at - 1] };
            opened += usize::from(previous == b'/');
            if chunk.get(at + 1) == Some(&b'/') {
                opened = 0;
            }
        }
        before = chunk[chunk.len() - 1];
    }
    opened
}

/// The start of the first comment that does not end. A quote without another in its line is a stray one.
fn first_open(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'/', b'"', &bytes[at..]) {
        let start = at + found;
        let length = match &bytes[start..] {
            [b'/', b'/', rest @ ..] => 2 + memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            [b'/', b'*', rest @ ..] => match memchr::memmem::find(rest, b"*/") {
                Some(end) => end + 4,
                None => return Some(start),
            },
            [b'"', rest @ ..] => match memchr::memchr2(b'"', b'\n', rest).filter(|end| rest[*end] == b'"') {
                Some(end) => end + 2,
                None => 1,
            },
            _ => 1,
        };
        at = start + length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn many_comments_without_an_end_are_parsed_up_to_the_first() {
        let open = "/* x ".repeat(MAX_OPEN + 1);
        for (before, behind) in [
            ("", ""),
            (".entry k()\n{\n", "ret;\n}\n"),
            ("/* a */ // /* b\n", ""),
            (".file 1 \"/*\"\n", "\""),
            ("\" \n", "é"),
        ] {
            let text = format!("{before}{open}{behind}");
            assert_eq!(parsed_length(&Rope::from_str(&text)), before.len() + 2, "{text}");
            assert_eq!(parsed_length(&Rope::from_str(&format!("{text}*/"))), text.len() + 2, "{text}");
        }
        let few = "/* x ".repeat(MAX_OPEN);
        assert_eq!(parsed_length(&Rope::from_str(&few)), few.len());
    }

    #[test]
    fn the_tree_is_whole_again_once_a_comment_ends() {
        let code = ".entry k()\n{\nret;\n}\n".repeat(4000);
        let open = "/* x ".repeat(MAX_OPEN + 1);
        let mut file = SourceFile::parse(&format!("{code}{open}\n{code}"));
        assert!(file.root().end_byte() < code.len() + 3);
        let end = code.len() + open.len();
        file.edit(end..end, "*/");
        let fresh = SourceFile::parse(&file.text().to_string());
        assert_eq!(file.root().to_sexp(), fresh.root().to_sexp());
        file.edit(end..end + 2, "");
        assert!(file.root().end_byte() < code.len() + 3);
    }
}
