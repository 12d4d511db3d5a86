//! `eval --batch`: lines in, answers out.

use crate::exit::{Exit, complain};
use analysis::Settings;
use analysis::batch::Batch;
use std::io::{self, BufRead, Write};

/// Bytes read and written at once.
const BUFFER: usize = 1 << 16;

/// Answers standard input on standard output.
pub fn run(settings: Settings) -> Exit {
    match answer(settings, io::stdin().lock(), io::stdout().lock()) {
        Ok(true) => Exit::Clean,
        Ok(false) => Exit::Errors,
        // Nobody reads on: as with any filter, that is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Clean,
        Err(error) => complain(format!("cannot read or write: {error}")),
    }
}

/// Whether every line was good.
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
                good &= batch.answer(line, &mut out);
            } else {
                cut.extend_from_slice(line);
                good &= batch.answer(&cut, &mut out);
                cut.clear();
            }
            rest = &after[1..];
        }
        cut.extend_from_slice(rest);
        input.consume(length);
        output.write_all(&out)?;
        out.clear();
    }
    if !cut.is_empty() {
        good &= batch.answer(&cut, &mut out);
    }
    output.write_all(&out)?;
    output.flush()?;
    Ok(good)
}
