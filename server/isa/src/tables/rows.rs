//! The files of `tables/`, line by line. Errors have the file and the line.

use std::error::Error;
use std::fmt;

/// A file of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsFile {
    /// Its path in the repository.
    pub path: &'static str,
    pub text: &'static str,
}

/// The file of a name in `tables/`, as part of the program.
macro_rules! rows_file {
    ($name:literal) => {
        $crate::tables::rows::RowsFile {
            path: concat!("server/isa/tables/", $name),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tables/", $name)),
        }
    };
}
pub(crate) use rows_file;

impl RowsFile {
    /// The lines with content, without comments.
    pub(crate) fn lines(self) -> impl Iterator<Item = Line> {
        let line = move |(index, text): (usize, &'static str)| {
            let text = text.split_once("//").map_or(text, |(before, _)| before).trim();
            Line { path: self.path, number: index + 1, text }
        };
        self.text.lines().enumerate().map(line).filter(|line| !line.text.is_empty())
    }
}

/// A line of a file of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    path: &'static str,
    number: usize,
    pub text: &'static str,
}

impl Line {
    /// What is wrong with the line.
    pub(crate) fn error(self, message: impl Into<String>) -> RowError {
        RowError { path: self.path, line: self.number, message: message.into() }
    }
}

/// An error in a line, with its file and number.
#[derive(Debug)]
pub(crate) struct RowError {
    path: &'static str,
    line: usize,
    message: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

impl Error for RowError {}

/// The value of a part of a line, or the error in it.
pub(crate) type ReadPart<T> = Result<T, String>;

/// What was read.
///
/// # Panics
/// On an error: the files are part of the program, and a test reads all of them.
pub(crate) fn expect_read<T>(read: Result<T, RowError>) -> T {
    read.unwrap_or_else(|error| panic!("{error}"))
}
