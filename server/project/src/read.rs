//! Bytes from disk or standard input to text that can always be parsed.

use hosts::Language;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest input that is read, in bytes.
pub const LARGEST: u64 = 256 << 20;

/// The name of standard input in arguments.
const STDIN: &str = "-";

/// Whether a path means standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// The text of a file, or of standard input where the path is `-`, without a byte order mark; the error is a sentence for people.
pub fn text(path: &Path) -> Result<String, String> {
    bytes(path).map(decode).map(unmarked)
}

/// What language a text is in, and the text as that language is read: the assembler refuses a byte order mark, and whoever else reads it passes
/// over it. The error names a language that is not supported.
pub fn in_language(path: &Path, text: String) -> Result<(Language, String), &'static str> {
    let language = Language::detect(&path.to_string_lossy(), text.strip_prefix(MARK).unwrap_or(&text))?;
    Ok((language, if language == Language::Ptx { text } else { unmarked(text) }))
}

/// The byte order mark.
const MARK: char = '\u{feff}';

fn unmarked(mut text: String) -> String {
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    text
}

/// The bytes of a file, or of standard input where the path is `-`; the error is a sentence for people.
pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    if is_stdin(path) {
        return bounded(io::stdin().lock(), "<stdin>", 0);
    }
    let name = path.display();
    let file = File::open(path).map_err(|e| format!("cannot read {name}: {}", reason(&e)))?;
    let about = file.metadata().map_err(|e| format!("cannot read {name}: {}", reason(&e)))?;
    if about.is_dir() {
        return Err(format!("cannot read {name}: it is a folder"));
    }
    bounded(file, &name.to_string(), about.len())
}

/// How many bytes at the head of an input decide whether it is text.
const EXAMINED: usize = 1 << 16;

/// Whether bytes are no text: a zero byte is among the first, or, of a large input, more than one in twenty of them is a control character. Parsed, each
/// such byte would cost a node of the tree, hundreds of bytes.
fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(EXAMINED)];
    let is_control =
        |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace() && *byte != 0x0b && *byte != 0x1a;
    let controls = head.iter().filter(|byte| is_control(byte)).count();
    head.contains(&0) || head.len() == EXAMINED && controls * 20 > head.len()
}

/// Reads what is expected to have a length, which may turn out to be another.
fn bounded(input: impl Read, name: &str, expected: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(expected.min(LARGEST) as usize + 1);
    input.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| format!("cannot read {name}: {}", reason(&e)))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{name} is larger than 256 MiB; split it, or lint its parts"));
    }
    if is_binary(&bytes) {
        return Err(format!("cannot read {name}: it is a binary file"));
    }
    Ok(bytes)
}

/// The largest settings file, in bytes: its text costs a hundred times its size while it is read.
const LARGEST_SETTINGS: u64 = 1 << 20;

/// The text of a settings file that the command line names, which may be a pipe.
pub(crate) fn settings(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    match file.metadata()?.is_dir() {
        true => Err(io::Error::other("it is a folder")),
        false => whole(file, LARGEST_SETTINGS, "1 MiB"),
    }
}

/// The text of a settings file beside the sources, which nobody named: a pipe or a device of its name is not waited for.
pub(crate) fn settings_beside(path: &Path) -> io::Result<String> {
    whole(ordinary(path)?, LARGEST_SETTINGS, "1 MiB")
}

/// The text of any other file beside the sources.
pub(crate) fn beside(path: &Path) -> io::Result<String> {
    whole(ordinary(path)?, LARGEST, "256 MiB")
}

/// All of a file, whose length may not be what the system says: those of `/proc` have none.
fn whole(file: File, most: u64, called: &str) -> io::Result<String> {
    let mut text = String::new();
    match file.take(most + 1).read_to_string(&mut text)? as u64 > most {
        true => Err(io::Error::other(format!("it is larger than {called}"))),
        false => Ok(text),
    }
}

/// The first bytes of a file that nobody named.
pub(crate) fn head(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ordinary(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens what is a file, and neither a pipe nor a device.
fn ordinary(path: &Path) -> io::Result<File> {
    match path.metadata()?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is no file")),
    }
}

/// An error of the system without Rust's `(os error 13)`.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_lowercase().chain(signs).collect())
}

/// UTF-8 with U+FFFD for each byte that is none, so that a column is a column in Latin-1 comments too.
pub fn decode(bytes: Vec<u8>) -> String {
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
    fn what_is_no_text_is_told_apart_from_latin_1_and_form_feeds() {
        assert!(super::is_binary(b"\x7fELF\0\0"));
        assert!(super::is_binary(&(1..=255).cycle().take(super::EXAMINED).collect::<Vec<u8>>()));
        assert!(!super::is_binary(b""));
        assert!(!super::is_binary("// é\u{1a}\x0c\x0b\r\n".as_bytes()));
        assert!(!super::is_binary(b"// \xe9t\xe9"));
    }

    #[test]
    fn each_bad_byte_is_one_replacement_character() {
        assert_eq!(super::decode(b"// \xe9t\xe9 \xe2\x82;".to_vec()), "// \u{fffd}t\u{fffd} \u{fffd}\u{fffd};");
    }
}
