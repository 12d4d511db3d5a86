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
pub(super) fn end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    at + match rest.as_bytes() {
        [b'/', b'/', ..] | [b'#', ..] => rest.find('\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
        _ => 0,
    }
}

/// Whether a byte is white space.
pub(super) fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x1a
}

/// The same text with a space for every byte of comments and line markers.
pub(crate) fn blank_out(text: &str) -> Cow<'_, str> {
    if !text.contains(['/', '#', '\x1a']) {
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
    fn what_is_blanked_out_keeps_its_length() {
        assert_eq!(blank_out("red /* .é */ .add // .y\n .u32"), "red           .add      \n .u32".replace('\n', " "));
        assert_eq!(blank_out("red.add"), "red.add");
    }
}
