//! Prints where the `asm` statements of files are, a line each: path, line, whether it was read to its end; and how long all took.
//!
//! For comparing with a text search over foreign sources, and with the time that takes.

use ptx_syntax::cuda::scan;
use std::time::Instant;

fn main() {
    let texts: Vec<(String, String)> = std::env::args()
        .skip(1)
        .filter_map(|path| Some((path.clone(), String::from_utf8_lossy(&std::fs::read(&path).ok()?).into_owned())))
        .collect();
    let begun = Instant::now();
    let scans: Vec<_> = texts.iter().map(|(path, text)| (path, text, scan(text))).collect();
    let took = begun.elapsed();
    for (path, text, scan) in &scans {
        for statement in &scan.statements {
            let line = text[..statement.keyword.start].matches('\n').count() + 1;
            println!("{path}:{line}\t{}", if statement.finished { "whole" } else { "open" });
        }
    }
    eprintln!("{} files, {} bytes, {took:?}", texts.len(), texts.iter().map(|(_, text)| text.len()).sum::<usize>());
}
