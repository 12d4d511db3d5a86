//! Reads files and standard input.

use hosts::Language;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of an input in bytes.
pub const MAX_SIZE: u64 = 256 << 20;

/// The argument for standard input.
pub const STDIN: &str = "-";

/// Whether a path means standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// The text of a file, or of standard input for `-`, without a byte order mark; the error is a user-facing message.
pub fn text(path: &Path) -> Result<String, String> {
    bytes(path).map(decode).map(without_byte_order_mark)
}

/// Detects the language of a text. Removes a byte order mark, except in PTX, where the assembler
/// rejects it. The error names an unsupported language.
pub fn in_language(path: &Path, text: String) -> Result<(Language, String), &'static str> {
    let language = Language::detect(&path.to_string_lossy(), text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text))?;
    Ok((language, if language == Language::Ptx { text } else { without_byte_order_mark(text) }))
}

/// The byte order mark.
const BYTE_ORDER_MARK: char = '\u{feff}';

fn without_byte_order_mark(mut text: String) -> String {
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    text
}

/// The bytes of a file, or of standard input for `-`; the error is a user-facing message.
pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    if is_stdin(path) {
        return read_bounded(io::stdin().lock(), "<stdin>", 0);
    }
    let name = path.display();
    let file = File::open(path).map_err(|error| format!("cannot read {name}: {}", reason(&error)))?;
    let metadata = file.metadata().map_err(|error| format!("cannot read {name}: {}", reason(&error)))?;
    if metadata.is_dir() {
        return Err(format!("cannot read {name}: is a directory"));
    }
    read_bounded(file, &name.to_string(), metadata.len())
}

/// The number of bytes to examine for binary data.
const EXAMINED_BYTES: usize = 1 << 16;

/// Whether an input is binary: it contains a zero byte, or, if it is large, more than 5 % control characters. Each of these
/// would need a node of the syntax tree.
fn is_binary(bytes: &[u8]) -> bool {
    if is_utf_16(bytes) {
        return false;
    }
    let head = &bytes[..bytes.len().min(EXAMINED_BYTES)];
    if head.contains(&0) || head.len() < EXAMINED_BYTES {
        return head.contains(&0);
    }
    let is_control =
        |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace() && *byte != 0x0b && *byte != 0x1a;
    head.iter().filter(|byte| is_control(byte)).count() * 20 > head.len()
}

/// Reads an input up to the maximum size. The expected length is only a hint.
fn read_bounded(input: impl Read, name: &str, expected: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(expected.min(MAX_SIZE) as usize + 1);
    input
        .take(MAX_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read {name}: {}", reason(&error)))?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(format!("cannot read {name}: file is larger than 256 MiB; split it"));
    }
    if is_binary(&bytes) {
        return Err(format!("cannot read {name}: binary file"));
    }
    Ok(bytes)
}

/// The maximum size of a settings file in bytes. Parsing takes a hundred times as much memory.
pub const MAX_SETTINGS_SIZE: u64 = 1 << 20;

/// The text of a settings file from the command line, which may be a pipe.
pub(crate) fn settings(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        Err(io::Error::other("is a directory"))
    } else {
        read_up_to(file, MAX_SETTINGS_SIZE, "1 MiB")
    }
}

/// The text of a settings file next to the sources. Pipes and devices are rejected, so that reading does not block.
pub(crate) fn settings_of_folder(path: &Path) -> io::Result<String> {
    read_up_to(open_regular(path)?, MAX_SETTINGS_SIZE, "1 MiB")
}

/// The bytes of a file next to the sources with patterns, under the same bounds. They may be no UTF-8.
pub(crate) fn patterns_of_folder(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open_regular(path)?.take(MAX_SETTINGS_SIZE + 1).read_to_end(&mut bytes)?;
    if read as u64 > MAX_SETTINGS_SIZE { Err(io::Error::other("file is larger than 1 MiB")) } else { Ok(bytes) }
}

/// The text of a regular file.
pub fn regular_file(path: &Path) -> io::Result<String> {
    read_up_to(open_regular(path)?, MAX_SIZE, "256 MiB")
}

/// Reads a whole file. The reported length may be wrong, for example in `/proc`.
fn read_up_to(file: File, max: u64, limit: &str) -> io::Result<String> {
    let mut text = String::new();
    if file.take(max + 1).read_to_string(&mut text)? as u64 > max {
        Err(io::Error::other(format!("file is larger than {limit}")))
    } else {
        Ok(text)
    }
}

/// The first bytes of a regular file.
pub fn head(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file.
fn open_regular(path: &Path) -> io::Result<File> {
    if path.metadata()?.is_file() { File::open(path) } else { Err(io::Error::other("not a regular file")) }
}

/// The message of a system error without `(os error 13)`, in lower case.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// The byte order marks of UTF-16, in which editors of Windows write some headers.
const UTF_16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

fn is_utf_16(bytes: &[u8]) -> bool {
    UTF_16_MARKS.iter().any(|mark| bytes.starts_with(mark))
}

/// Decodes UTF-16 behind its byte order mark, and otherwise UTF-8, with one U+FFFD per invalid byte, so that columns are correct in Latin-1 comments.
pub fn decode(bytes: Vec<u8>) -> String {
    if is_utf_16(&bytes) {
        let unit = if bytes.starts_with(&UTF_16_MARKS[0]) { u16::from_le_bytes } else { u16::from_be_bytes };
        let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
        return char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn utf_16_is_read_behind_its_mark() {
        let units = || "\u{feff}// é𝄞\n".encode_utf16();
        for bytes_of in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let bytes: Vec<u8> = units().flat_map(bytes_of).collect();
            assert!(!super::is_binary(&bytes));
            assert_eq!(super::decode(bytes), "\u{feff}// é𝄞\n");
        }
    }

    #[test]
    fn binary_data_is_distinguished_from_latin_1_and_form_feeds() {
        assert!(super::is_binary(b"\x7fELF\0\0"));
        assert!(super::is_binary(&(1..=255).cycle().take(super::EXAMINED_BYTES).collect::<Vec<u8>>()));
        assert!(!super::is_binary(b""));
        assert!(!super::is_binary("// é\u{1a}\x0c\x0b\r\n".as_bytes()));
        assert!(!super::is_binary(b"// \xe9t\xe9"));
    }

    #[test]
    fn each_invalid_byte_is_one_replacement_character() {
        assert_eq!(super::decode(b"// \xe9t\xe9 \xe2\x82;".to_vec()), "// \u{fffd}t\u{fffd} \u{fffd}\u{fffd};");
    }
}
