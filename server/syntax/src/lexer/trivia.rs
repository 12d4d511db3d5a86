//! What may separate any two tokens: white space, comments, and the line markers of a preprocessor.

use std::borrow::Cow;

/// The end of the white space, comments and line markers at an offset.
pub(crate) fn skip(text: &str, mut at: usize) -> usize {
    loop {
        match text.as_bytes().get(at) {
            Some(first) if is_blank(*first) => at += 1,
            Some(_) => match end(text, at) {
                end if end > at => at = end,
                _ => return at,
            },
            None => return at,
        }
    }
}

/// The end of the comment or line marker at an offset; the offset itself if there is none.
pub(crate) fn end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    at + match rest.as_bytes() {
        [b'/', b'/', ..] | [b'#', ..] => rest.find('\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
        _ => 0,
    }
}

/// Whether an offset is outside comments and strings. A line comment includes its end, and a string ends with its line.
pub fn is_code(text: &str, offset: usize) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < offset.min(bytes.len()) {
        let is_comment = bytes[at..].starts_with(b"//");
        let after = match bytes[at] {
            b'/' => end(text, at).max(at + 1),
            b'"' => memchr::memchr2(b'"', b'\n', &bytes[at + 1..]).map_or(bytes.len(), |length| at + length + 2),
            _ => at + 1,
        };
        if after > offset && after > at + 1 || is_comment && after == offset {
            return false;
        }
        at = after;
    }
    true
}

/// Whether a byte is white space.
pub(super) fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x1a
}

/// The same text with a space for every byte of comments and line markers.
pub fn blank_out(text: &str) -> Cow<'_, str> {
    if memchr::memchr3(b'/', b'#', b'\x1a', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    while plain.len() < text.len() {
        let at = plain.len();
        let end = skip(text, at);
        plain.extend(std::iter::repeat_n(' ', end - at));
        plain.extend(text[end..].chars().next());
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_line_ends_and_markers_are_passed_over() {
        for text in
            ["", " \t\r\n\u{c}\u{1a}", "/**/", "/*/ */", "// x\n", "\n#line 7 \"f\"\n", "/* @ */ // /*\n# 1 \"f\" 2\n"]
        {
            assert_eq!(skip(&format!("{text}p"), 0), text.len(), "{text:?}");
        }
        assert_eq!(skip("/ 2", 0), 0);
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        let code =
            |text: &str| (0..=text.len()).map(|at| if is_code(text, at) { '+' } else { '.' }).collect::<String>();
        assert_eq!(code("a /* b */ c"), "+++......+++");
        assert_eq!(code("a // b\nc"), "+++....++");
        assert_eq!(code("\"a\" b"), "+..+++");
        assert_eq!(code("a // b"), "+++....");
        assert_eq!(code("/ a"), "++++");
    }

    #[test]
    fn what_is_blanked_out_keeps_its_length() {
        assert_eq!(blank_out("red /* .é */ .add // .y\n .u32"), "red           .add      \n .u32".replace('\n', " "));
        assert_eq!(blank_out("red.add"), "red.add");
    }
}
