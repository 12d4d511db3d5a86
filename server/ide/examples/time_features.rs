//! Times what an editor asks on modules given as arguments, in milliseconds; with `--format`, prints the one module formatted.

use diagnostics::{Settings, Snapshot};
use ptx_ide::features::*;
use std::time::Instant;
use syntax::SourceFile;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [flag, path] if flag == "--format" => print!("{}", formatted(path)),
        paths => paths.iter().for_each(|path| report(path)),
    }
}

fn read(path: &str) -> Snapshot {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Snapshot::new(SourceFile::parse(&String::from_utf8_lossy(&bytes)), Settings::default())
}

fn formatted(path: &str) -> String {
    let snapshot = read(path);
    let edits = snapshot.format(&FormatOptions::default());
    let text = snapshot.file.text().to_string();
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for edit in &edits {
        new += &text[at..edit.range.start];
        new += &edit.text;
        at = edit.range.end;
    }
    new + &text[at..]
}

fn report(path: &str) {
    let start = Instant::now();
    let snapshot = read(path);
    let len = snapshot.file.text().len_bytes();
    println!("{path}: {len} bytes, parsed in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let time = |what: &str, ask: &dyn Fn() -> usize| {
        let start = Instant::now();
        let count = ask();
        println!("  {what:24} {:9.2} ms  {count}", start.elapsed().as_secs_f64() * 1e3);
    };
    // The middle of the largest function, where most things are longest.
    let item = snapshot.file.items().into_iter().max_by_key(std::ops::Range::len).unwrap_or(0..len);
    let text = snapshot.file.text().to_string();
    let middle = text.floor_char_boundary((item.start + item.end) / 2);
    let register = text[middle..].find("%r").map_or(middle, |at| middle + at + 1);
    let label =
        text[middle..].find("bra").and_then(|at| text[middle + at..].find('$')).map_or(middle, |at| middle + at + 1);
    let name = text.find(".entry ").map_or(0, |at| at + 8);
    let options = FormatOptions::default();
    println!("  largest item: {} bytes", item.len());
    time("document_symbols", &|| snapshot.document_symbols().len());
    time("folding_ranges", &|| snapshot.folding_ranges().len());
    time("document_links", &|| snapshot.document_links().len());
    time("selection_ranges", &|| snapshot.selection_ranges(register).len());
    time("definition", &|| snapshot.definition(register).map_or(0, |found| found.targets.len()));
    time("references of a register", &|| snapshot.references(register, ReferenceFilter::All).len());
    time("references of a label", &|| snapshot.references(label, ReferenceFilter::All).len());
    time("references of a kernel", &|| snapshot.references(name, ReferenceFilter::All).len());
    time("rename a register", &|| snapshot.rename(register, "%renamed").map_or(0, |edits| edits.len()));
    time("rename a kernel", &|| snapshot.rename(name, "renamed").map_or(0, |edits| edits.len()));
    time("hover", &|| usize::from(snapshot.hover(register).is_some()));
    time("semantic_tokens", &|| snapshot.semantic_tokens(None).len());
    time("semantic_tokens, 4 kB", &|| snapshot.semantic_tokens(Some(middle..middle + 4096)).len());
    time("inlay_hints", &|| snapshot.inlay_hints(0..len, &HintOptions::default()).len());
    time("inlay_hints, 4 kB", &|| snapshot.inlay_hints(middle..middle + 4096, &HintOptions::default()).len());
    time("code_actions, 4 kB", &|| snapshot.code_actions(middle..middle + 4096).len());
    time("signature_help", &|| usize::from(snapshot.signature_help(register).is_some()));
    time("complete_statement", &|| snapshot.complete_statement(register).len());
    time("format", &|| snapshot.format(&options).len());
    time("format_range, a line", &|| snapshot.format_range(middle..middle, &options).len());
    time("format_on_type", &|| {
        snapshot.format_on_type(text[..middle].rfind(';').map_or(0, |at| at + 1), &options).len()
    });
    time("incoming_calls", &|| snapshot.incoming_calls("k").len());
}
