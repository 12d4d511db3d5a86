//! Output streams, and readers that close them early.

use super::escape::EscapeStyle;
use super::writer::EscapingWriter;
use anstream::{AutoStream, ColorChoice};
use std::io::{self, BufWriter, ErrorKind, Write};

/// A buffered, escaping output stream.
pub type LineStream = EscapingWriter<BufWriter<StreamReader>>;

/// An output stream.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error, used where standard output has the fixed text.
    Error,
}

/// What to do with further output when the reader has closed the pipe, as `head` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBrokenPipe {
    /// Return an error of the kind `BrokenPipe`.
    Ends,
    /// Discard it, because output files are still to be written.
    IsDropped,
}

impl Stream {
    /// The stream with an escape style.
    pub fn lines(self, escape_style: EscapeStyle, rest: OnBrokenPipe) -> LineStream {
        let out: Box<dyn Write> = match self {
            Stream::Output => Box::new(io::stdout()),
            Stream::Error => Box::new(io::stderr()),
        };
        EscapingWriter::new(escape_style, BufWriter::new(StreamReader { out, rest }))
    }

    /// Whether to use colours, from the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    pub fn has_colours(self) -> bool {
        let choice = match self {
            Stream::Output => AutoStream::choice(&io::stdout()),
            Stream::Error => AutoStream::choice(&io::stderr()),
        };
        choice != ColorChoice::Never
    }
}

/// A writer that handles a closed pipe.
pub struct StreamReader {
    out: Box<dyn Write>,
    rest: OnBrokenPipe,
}

impl Write for StreamReader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.out.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe && self.rest == OnBrokenPipe::IsDropped => {
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.out.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe && self.rest == OnBrokenPipe::IsDropped => Ok(()),
            flushed => flushed,
        }
    }
}
