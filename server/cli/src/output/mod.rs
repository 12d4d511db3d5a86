//! All output to standard output and standard error.
//!
//! File names, settings and sources are untrusted: none of their characters may act on a terminal or a build log. So nothing is
//! printed without this module, which a test and clippy check. Byte-exact output, such as a formatted text, uses [`payload`].

mod escape;
mod stream;
mod writer;

pub use escape::{EscapeStyle, excerpt, inline};
pub use stream::{LineStream, OnBrokenPipe, Stream};
pub use writer::EscapingWriter;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;

/// The version of our JSON output, `schema` in each line. Keys may be added within a version, but do not change their meaning.
pub const SCHEMA: u32 = 1;

/// Prints escaped text; the error is a message for the user.
pub fn print(text: &str) -> Result<(), String> {
    print_as(EscapeStyle::Text, text)
}

/// Prints text with an escape style; the error is a message for the user.
pub fn print_as(escape_style: EscapeStyle, text: &str) -> Result<(), String> {
    payload(escape::lines(text, escape_style).as_bytes())
}

/// Prints byte-exact output, such as a formatted text. The error is a message for the user.
pub fn payload(bytes: &[u8]) -> Result<(), String> {
    match io::stdout().lock().write_all(bytes) {
        // A reader that closes the pipe, such as `head`, is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write: {}", project::read::reason(&error)))
        }
        _ => Ok(()),
    }
}

/// Standard output for bytes that are already escaped.
pub fn escaped_stdout() -> impl Write {
    io::stdout().lock()
}

/// Whether standard error is a terminal that can show progress.
pub fn is_progress_watched() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// One line of escaped text.
pub fn line(text: &str) -> String {
    escape::lines(&inline(text), EscapeStyle::Text).into_owned() + "\n"
}

/// Prints one line to standard error.
pub fn say(sentence: &str) {
    log(&format!("{}\n", inline(sentence)));
}

/// Writes lines to standard error, ignoring errors.
fn log(text: &str) {
    let _ = io::stderr().lock().write_all(escape::lines(text, EscapeStyle::Text).as_bytes());
}

/// Prints clap's error or `--help` and exits as clap would.
pub fn usage<P: clap::Parser>(error: clap::Error) -> ! {
    let given: Vec<_> = std::env::args_os().collect();
    let shown: Vec<_> = given.iter().map(|argument| inline(&argument.to_string_lossy()).into_owned()).collect();
    if given.iter().zip(&shown).all(|(given, shown)| given.as_os_str() == shown.as_str()) {
        error.exit();
    }
    // clap colours quoted arguments, and its colours cannot be distinguished from escapes in the arguments.
    let error = P::try_parse_from(shown).err().unwrap_or(error);
    log(&error.to_string());
    std::process::exit(error.exit_code());
}

/// Prints panics as the standard library does, escaped.
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
    fn a_panic_is_printed_escaped() {
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
