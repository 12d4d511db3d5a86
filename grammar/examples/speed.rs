//! How fast the grammar reads, beside the assembler: `cargo run --release -p tree-sitter-ptx --example speed -- FILE…`.
//!
//! `tests/corpus/large.py` makes three large files and runs it. For each file: a full parse in milliseconds of user time
//! (median of five) and bytes of tree per byte of text; then what an edit costs at 41 places spread evenly, as shares of
//! the full parse (median and worst): one digit more, and a stray `}`, `"`, `/*`, `;`. If the environment variable
//! PTX_ATOMICS_PTXAS names the assembler, its parse-only mode reads the same file, in turn with ours. One thread. The bytes
//! of the tree are right for the first file only: later ones use memory that is already there.

use std::process::Command;
use tree_sitter::{InputEdit, Parser, Point, Tree};

fn main() {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the language fits this tree-sitter");
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let before = resident();
        let mut tree = parser.parse(&text, None).expect("a tree");
        let bytes = resident().saturating_sub(before) as f64 / text.len() as f64;
        for _ in 0..5 {
            let start = ticks("/proc/self/stat", 13);
            let rounds = (8_000_000 / text.len()).max(1);
            for _ in 0..rounds {
                tree = parser.parse(&text, None).expect("a tree");
            }
            ours.push((ticks("/proc/self/stat", 13) - start) * 10.0 / rounds as f64);
            theirs.extend(assembler(&path));
        }
        let full = median(&mut ours);
        print!("{path}: {} bytes, parse {full:.0} ms, tree {bytes:.1} bytes per byte", text.len());
        if !theirs.is_empty() {
            let other = median(&mut theirs);
            print!(", assembler {other:.0} ms, {:.2} times ours", other / full);
        }
        println!();
        for stray in ["1", "}", "\"", "/*", ";"] {
            let mut times: Vec<f64> = (0..PLACES).map(|place| edit(&mut parser, &tree, &text, place, stray)).collect();
            let middle = median(&mut times);
            let worst = times[times.len() - 1];
            let share = |time: f64| 100.0 * time / full;
            println!(
                "  {stray:3} median {middle:.2} ms ({:.2} %), worst {worst:.2} ms ({:.2} %)",
                share(middle),
                share(worst)
            );
        }
    }
}

/// How many places are edited.
const PLACES: usize = 41;

/// Wall milliseconds of a reparse after `stray` came in, the best of three; a digit goes between digits, the rest to the start of a line.
fn edit(parser: &mut Parser, tree: &Tree, text: &[u8], place: usize, stray: &str) -> f64 {
    let mut at = text.len() * (2 * place + 1) / (2 * PLACES);
    if stray == "1" {
        at += text[at..].windows(2).position(|pair| pair.iter().all(u8::is_ascii_digit)).map_or(0, |found| found + 1);
    } else {
        at += text[at..].iter().position(|&byte| byte == b'\n').map_or(0, |found| found + 1);
    }
    let mut changed = text.to_vec();
    changed.splice(at..at, stray.bytes());
    let line = text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let start = Point::new(text[..at].iter().filter(|&&byte| byte == b'\n').count(), at - line);
    let mut edited = tree.clone();
    edited.edit(&InputEdit {
        start_byte: at,
        old_end_byte: at,
        new_end_byte: at + stray.len(),
        start_position: start,
        old_end_position: start,
        new_end_position: Point::new(start.row, start.column + stray.len()),
    });
    let times = (0..3).map(|_| {
        let start = std::time::Instant::now();
        let reparsed = parser.parse(&changed, Some(&edited)).expect("a tree");
        let spent = start.elapsed().as_secs_f64() * 1e3;
        drop(reparsed);
        spent
    });
    times.fold(f64::INFINITY, f64::min)
}

/// User milliseconds of the assembler's parse-only run, if it is there.
fn assembler(path: &str) -> Option<f64> {
    let program = std::env::var_os("PTX_ATOMICS_PTXAS")?;
    let start = ticks("/proc/self/stat", 15);
    Command::new(program).args(["-arch=compute_121", path, "-o", "/dev/null"]).output().ok()?;
    Some((ticks("/proc/self/stat", 15) - start) * 10.0)
}

/// Field `index` (from 0) of a stat file: 13 is this process's user time, 15 its children's, in hundredths of a second.
fn ticks(file: &str, index: usize) -> f64 {
    let stat = std::fs::read_to_string(file).expect("Linux");
    let fields = stat.rsplit_once(')').expect("a stat line").1;
    fields.split_whitespace().nth(index - 2).and_then(|field| field.parse().ok()).expect("a number")
}

/// Bytes of memory in use.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    status.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("a number") * 4096
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
