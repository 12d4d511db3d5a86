//! How fast the grammar reads, beside the assembler: `cargo run --release -p tree-sitter-ptx --example speed -- FILE…`.
//!
//! `tests/corpus/large.py` makes three large files and runs it. A table with a row for each file: a full parse in
//! milliseconds of user time (median of seven, without the freeing of the tree) and bytes of tree per byte of text; then what
//! an edit costs at 41 places spread evenly, as shares of the full parse, median and worst: one digit more, and a stray `}`,
//! `"`, `/*`, `;`. If the environment variable PTX_ATOMICS_PTXAS names the assembler, it checks the same file without making
//! code, in turn with ours. One thread. `--parse FILE` prints the first three figures alone: milliseconds, the assembler's, bytes of tree.

use cpu_time::ThreadTime;
use std::process::Command;
use tree_sitter::{InputEdit, Parser, Point, Tree};

const STRAYS: [&str; 5] = ["1", "}", "\"", "/*", ";"];

fn main() {
    let mut files = std::env::args().skip(1).peekable();
    if files.next_if(|first| first == "--row").is_some() {
        println!("{}", row(&files.next().expect("a file")));
        return;
    }
    if files.next_if(|first| first == "--parse").is_some() {
        let (_, full) = parse(&files.next().expect("a file"));
        println!("{} {} {}", full.ours, full.theirs, full.bytes);
        return;
    }
    println!(
        "| file, MB | parse, ms | assembler, ms | assembler / parse | tree, bytes per byte | {} |",
        STRAYS.map(|stray| format!("`{stray}`, %")).join(" | ")
    );
    println!("{}|", "|---".repeat(5 + STRAYS.len()));
    for file in files {
        // A process for each: memory of an earlier tree would hide what the next one takes.
        let program = std::env::current_exe().expect("a path");
        let status = Command::new(program).args(["--row", &file]).status().expect("a process");
        assert!(status.success(), "{file} was not measured");
    }
}

/// What a full parse takes.
struct Full {
    /// Milliseconds of user time, and the assembler's.
    ours: f64,
    theirs: f64,
    /// Bytes of tree per byte of text.
    bytes: f64,
}

/// A file's text, and what its parse takes.
fn parse(path: &str) -> (Vec<u8>, Full) {
    let mut parser = parser();
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let before = resident();
    let tree = parser.parse(&text, None).expect("a tree");
    let bytes = resident().saturating_sub(before) as f64 / text.len() as f64;
    for _ in 0..7 {
        // Short parses are counted together: the clock ticks a hundred times a second.
        let rounds = (20_000_000 / text.len()).max(1);
        let start = ticks("/proc/self/stat", 13);
        let trees: Vec<_> = (0..rounds).map(|_| parser.parse(&text, None)).collect();
        ours.push((ticks("/proc/self/stat", 13) - start) * 10.0 / rounds as f64);
        drop(trees);
        theirs.extend(assembler(path));
    }
    let other = if theirs.is_empty() { f64::NAN } else { median(&mut theirs) };
    drop(tree);
    (text, Full { ours: median(&mut ours), theirs: other, bytes })
}

/// A file's row of the table.
fn row(path: &str) -> String {
    let (text, Full { ours: full, theirs: other, bytes }) = parse(path);
    let mut parser = parser();
    let tree = parser.parse(&text, None).expect("a tree");
    let strays = STRAYS.map(|stray| {
        let mut times: Vec<f64> = (0..PLACES).map(|place| edit(&mut parser, &tree, &text, place, stray)).collect();
        let middle = median(&mut times);
        format!("{:.2}, {:.2}", 100.0 * middle / full, 100.0 * times[times.len() - 1] / full)
    });
    let megabytes = text.len() as f64 / 1e6;
    format!("| {megabytes:.1} | {full:.0} | {other:.0} | {:.2} | {bytes:.1} | {} |", other / full, strays.join(" | "))
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the language fits this tree-sitter");
    parser
}

/// How many places are edited.
const PLACES: usize = 41;

/// Milliseconds that a reparse takes after `stray` came in, the best of three; a digit goes between digits, the rest to the start of a line.
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
        let start = ThreadTime::now();
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
