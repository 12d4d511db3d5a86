//! `eval --batch`: evaluates lines of standard input.

use crate::exit::{Exit, fail};
use crate::output;
use diagnostics::Settings;
use ide::batch::{Batch, LONGEST_LINE};
use std::io::{self, BufRead, Write};

/// Size of the input and output buffers, in bytes.
const BUFFER: usize = 1 << 16;

/// Evaluates standard input to standard output.
pub fn run(settings: Settings) -> Exit {
    match answer(settings, io::stdin().lock(), output::escaped_stdout()) {
        Ok(true) => Exit::Clean,
        Ok(false) => Exit::Errors,
        // A closed output is no failure, as with any filter.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Clean,
        Err(error) => fail(format!("cannot read or write: {error}")),
    }
}

/// Evaluates all lines; `false` if any of them had an error.
fn answer(settings: Settings, input: impl io::Read, mut output: impl Write) -> io::Result<bool> {
    let mut input = io::BufReader::with_capacity(BUFFER, input);
    let mut batch = Batch::new(settings);
    let (mut out, mut cut, mut good) = (Vec::with_capacity(2 * BUFFER), Vec::new(), true);
    loop {
        let read = input.fill_buf()?;
        let length = read.len();
        if length == 0 {
            break;
        }
        let mut rest = read;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let (line, after) = rest.split_at(end);
            if cut.is_empty() {
                good &= answer_line(&mut batch, line, &mut out);
            } else {
                keep(&mut cut, line);
                good &= answer_line(&mut batch, &cut, &mut out);
                cut.clear();
            }
            rest = &after[1..];
        }
        keep(&mut cut, rest);
        input.consume(length);
        output.write_all(&out)?;
        out.clear();
    }
    if !cut.is_empty() {
        good &= answer_line(&mut batch, &cut, &mut out);
    }
    output.write_all(&out)?;
    output.flush()?;
    Ok(good)
}

/// Evaluates a line. Only error messages need escaping, because they quote the line.
fn answer_line(batch: &mut Batch, line: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let good = batch.answer(line, out);
    if !good {
        let message = String::from_utf8_lossy(&out[start..out.len() - 1]).into_owned();
        out.truncate(start);
        out.extend_from_slice(output::line(&message).as_bytes());
    }
    good
}

/// Appends a part of a line, at most one byte more than the maximum length, so that the line is still reported as too long.
fn keep(line: &mut Vec<u8>, part: &[u8]) {
    let room = (LONGEST_LINE + 1).saturating_sub(line.len());
    line.extend_from_slice(&part[..part.len().min(room)]);
}
