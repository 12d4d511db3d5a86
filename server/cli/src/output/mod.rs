//! Everything that is printed, to standard output and to standard error.
//!
//! File names, settings and sources are written by anybody; none of their characters may act on a terminal or a build log. So nothing is
//! printed past this module: a test and clippy see to it. What is asked for byte by byte, such as a formatted text, has [`payload`].

mod escape;
mod stream;
mod writer;

pub use escape::{EscapeStyle, excerpt, inline};
pub use stream::{LineStream, OnBrokenPipe, Stream};
pub use writer::EscapingWriter;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;

/// The version of our own JSON, in each of its lines as `schema`. A key may be added without a new one; what a key means does not change.
pub const SCHEMA: u32 = 1;

/// Prints text for people; the error is a sentence for people.
pub fn print(text: &str) -> Result<(), String> {
    print_as(EscapeStyle::Text, text)
}

/// Prints text in a escape_style; the error is a sentence for people.
pub fn print_as(escape_style: EscapeStyle, text: &str) -> Result<(), String> {
    payload(escape::lines(text, escape_style).as_bytes())
}

/// Prints what somebody asked for as it is: a formatted text, a shell's completions. The error is a sentence for people.
pub fn payload(bytes: &[u8]) -> Result<(), String> {
    match io::stdout().lock().write_all(bytes) {
        // Whoever stops reading, as `head` does, is no failure of ours.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write: {}", project::read::reason(&error)))
        }
        _ => Ok(()),
    }
}

/// Standard output for bytes that were escaped where they were made.
pub fn escaped_stdout() -> impl Write {
    io::stdout().lock()
}

/// Whether somebody watches standard error, in a terminal that can show progress.
pub fn is_progress_watched() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// One line of text for people, escaped.
pub fn line(text: &str) -> String {
    escape::lines(&inline(text), EscapeStyle::Text).into_owned() + "\n"
}

/// Says a sentence on standard error, in one line.
pub fn say(sentence: &str) {
    log(&format!("{}\n", inline(sentence)));
}

/// Writes lines to standard error. If nobody can be told, nobody can be told that either.
fn log(text: &str) {
    let _ = io::stderr().lock().write_all(escape::lines(text, EscapeStyle::Text).as_bytes());
}

/// Shows what clap says of bad arguments, or of `--help`, and ends the process as clap would.
pub fn usage<P: clap::Parser>(error: clap::Error) -> ! {
    let given: Vec<_> = std::env::args_os().collect();
    let shown: Vec<_> = given.iter().map(|argument| inline(&argument.to_string_lossy()).into_owned()).collect();
    if given.iter().zip(&shown).all(|(given, shown)| given.as_os_str() == shown.as_str()) {
        error.exit();
    }
    // clap paints what it quotes, and then nobody can tell its colours from those of the arguments.
    let error = P::try_parse_from(shown).err().unwrap_or(error);
    log(&error.to_string());
    std::process::exit(error.exit_code());
}

/// Tells of a panic like the standard library does.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| log(&panic_text(panic))));
}

fn panic_text(panic: &PanicHookInfo) -> String {
    let thread = std::thread::current();
    let mut text = format!("thread '{}' {panic}\n", inline(thread.name().unwrap_or("<unnamed>")));
    let trace = Backtrace::capture();
    match trace.status() {
        BacktraceStatus::Captured => text += &format!("stack backtrace:\n{trace}"),
        _ => text += "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn a_panic_is_told_without_its_controls() {
        let heard = Arc::new(Mutex::new(String::new()));
        let hook = Arc::clone(&heard);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            *hook.lock().expect("whole") = escape::lines(&panic_text(panic), EscapeStyle::Text).into_owned();
        }));
        let _ = std::panic::catch_unwind(|| panic!("a\u{1b}[2Jb\n::error::c"));
        std::panic::set_hook(before);
        let heard = heard.lock().expect("whole");
        assert!(heard.contains("panicked at") && heard.contains("a\\u{1b}[2Jb\n\\u{3a}:error::c"), "{heard}");
    }
}
