//! The streams that a report may go to, and readers that leave before its end.

use super::escape::EscapeStyle;
use super::writer::EscapingWriter;
use anstream::{AutoStream, ColorChoice};
use std::io::{self, BufWriter, ErrorKind, Write};

/// Where lines come one by one.
pub type LineStream = EscapingWriter<BufWriter<StreamReader>>;

/// A stream that a report may go to.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error, where standard output is for something else.
    Error,
}

/// What becomes of the rest once nobody reads on, as after `head`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBrokenPipe {
    /// It was for the reader alone: an error of the kind `BrokenPipe`.
    Ends,
    /// Others wait for what is made beside it: it is dropped.
    IsDropped,
}

impl Stream {
    /// The stream, in a escape_style.
    pub fn lines(self, escape_style: EscapeStyle, rest: OnBrokenPipe) -> LineStream {
        let out: Box<dyn Write> = match self {
            Stream::Output => Box::new(io::stdout()),
            Stream::Error => Box::new(io::stderr()),
        };
        EscapingWriter::new(escape_style, BufWriter::new(StreamReader { out, rest }))
    }

    /// Whether colours are wanted there, as the terminal and the conventions of `NO_COLOR` and `CLICOLOR_FORCE` have it.
    pub fn has_colours(self) -> bool {
        let choice = match self {
            Stream::Output => AutoStream::choice(&io::stdout()),
            Stream::Error => AutoStream::choice(&io::stderr()),
        };
        choice != ColorChoice::Never
    }
}

/// Whoever reads a stream.
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
