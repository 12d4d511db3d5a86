//! Messages on a byte stream: `Content-Length` headers and JSON bodies.
//!
//! Malformed input does not end the reader: invalid JSON, a header without length, noise between messages. (tower-lsp's codec stops the
//! server at the first of these and accepts one spelling of header names.)

use crate::connection::surrogates;
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// Maximum length of a body; a longer one is an error, and skipped.
const MAX_BODY: u64 = 1 << 30;

/// Maximum length of a header line; longer input is noise.
const MAX_HEADER: u64 = 4096;

/// Why a message is malformed.
#[derive(Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The headers have no valid `Content-Length`.
    Header,
    /// The body is too long.
    TooLong(u64),
    /// The body is not JSON.
    Body(String),
}

/// The messages of a stream.
#[derive(Debug)]
pub struct MessageReader<R> {
    input: R,
    /// Bytes of a body that is too long.
    skipped: u64,
}

impl<R: BufRead> MessageReader<R> {
    /// The messages of a stream from its beginning.
    pub const fn new(input: R) -> Self {
        Self { input, skipped: 0 }
    }

    /// The next message or the error in its place; `None` at the end of the stream.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn read(&mut self) -> io::Result<Option<Result<Value, Malformed>>> {
        let input = &mut self.input;
        io::copy(&mut input.take(std::mem::take(&mut self.skipped)), &mut io::sink())?;
        let length = match read_headers(input)? {
            None => return Ok(None),
            Some(None) => return Ok(Some(Err(Malformed::Header))),
            Some(Some(length)) => length,
        };
        if length > MAX_BODY {
            // The body may never come, so the error does not wait for it.
            self.skipped = length;
            return Ok(Some(Err(Malformed::TooLong(length))));
        }
        let mut body = Vec::new();
        input.take(length).read_to_end(&mut body)?;
        if (body.len() as u64) < length {
            return Ok(None);
        }
        Ok(Some(parse(body).map_err(|error| Malformed::Body(error.to_string()))))
    }
}

/// Parses a body. Strings of JavaScript may have halves of characters.
fn parse(mut body: Vec<u8>) -> serde_json::Result<Value> {
    serde_json::from_slice(&body).or_else(|error| surrogates::parse(&mut body).unwrap_or(Err(error)))
}

/// Reads a block of headers: the content length, if given; `None` at the end of the stream.
fn read_headers(input: &mut impl BufRead) -> io::Result<Option<Option<u64>>> {
    let (mut length, mut lines) = (None, 0);
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.trim_ascii().is_empty() {
            // Empty lines between messages are harmless; after headers one ends the block.
            if lines > 0 {
                return Ok(Some(length));
            }
            continue;
        }
        lines += 1;
        length = content_length(&line).or(length);
    }
}

/// The content length in a header line, also behind noise on the same line.
fn content_length(line: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"content-length";
    let at = line.windows(NAME.len()).rposition(|window| window.eq_ignore_ascii_case(NAME))?;
    let value = line[at + NAME.len()..].trim_ascii_start().strip_prefix(b":")?;
    std::str::from_utf8(value.trim_ascii()).ok()?.parse().ok()
}

/// Writes a message and flushes it.
pub fn write(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_all(bytes: &[u8]) -> Vec<Result<Value, Malformed>> {
        let mut messages = MessageReader::new(io::BufReader::with_capacity(7, bytes));
        std::iter::from_fn(|| messages.read().expect("memory does not fail")).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, br#"{"a":"\u00e9"}"#).unwrap();
        write(&mut bytes, b"[]").unwrap();
        assert_eq!(read_all(&bytes), [Ok(json!({"a": "é"})), Ok(json!([]))]);
    }

    #[test]
    fn header_names_have_any_case_and_other_headers_do_not_matter() {
        let bytes = b"X-Any: 1\r\nX-More: 2\r\ncontent-length:2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n{}";
        assert_eq!(read_all(bytes), [Ok(json!({}))]);
    }

    #[test]
    fn the_message_after_noise_is_read() {
        let good = "Content-Length: 2\r\n\r\n{}";
        for noise in ["Content-Length: 5\r\n\r\n{\"a\":", "Content-Length: 3\r\n\r\n\u{e9}\"", "\r\n\r\n", "\0\0\0"] {
            let found = read_all(format!("{noise}{good}").as_bytes());
            assert_eq!(found.last(), Some(&Ok(json!({}))), "{noise:?}");
        }
        for header in ["Content-Length: -1", "Content-Length: 99999999999999999999999", "Content-Length", "hello"] {
            assert_eq!(read_all(format!("{header}\r\n\r\n{good}").as_bytes()), [Err(Malformed::Header), Ok(json!({}))]);
        }
    }

    #[test]
    fn a_stream_that_ends_inside_a_message_ends() {
        let whole = b"Content-Length: 2\r\n\r\n{}";
        for cut in 0..whole.len() {
            assert_eq!(read_all(&whole[..cut]), [], "{cut}");
        }
    }

    #[test]
    fn a_body_that_is_too_long_is_an_error_and_skipped() {
        let too_long = |length| Err(Malformed::TooLong(length));
        assert_eq!(read_all(b"Content-Length: 18446744073709551615\r\n\r\n{}"), [too_long(u64::MAX)]);
        let header = format!("Content-Length: {}\r\n\r\n", MAX_BODY + 1);
        let body = io::repeat(b' ').take(MAX_BODY + 1);
        let stream = header.as_bytes().chain(body).chain(&b"Content-Length: 2\r\n\r\n{}"[..]);
        let mut messages = MessageReader::new(io::BufReader::with_capacity(1 << 16, stream));
        let read: Vec<_> = std::iter::from_fn(|| messages.read().expect("memory does not fail")).collect();
        assert_eq!(read, [too_long(MAX_BODY + 1), Ok(json!({}))]);
    }
}
