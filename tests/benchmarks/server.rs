//! How fast the language server answers, beside what tree-sitter alone takes for the same edits, and the assembler for its start.
//!
//! `cargo run --profile dist -p ptx-atomics-tests --example server -- FILE…`, after `cargo build --profile dist --features dist`. Each figure is the median of many;
//! alternating with the measurements that it is compared with, so that a busy machine slows both. `--json` prints an object for the start and one a file.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use tree_sitter::{InputEdit, Parser, Point, Tree};

const ROUNDS: usize = 41;
const URI: &str = "file:///benchmark.ptx";

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, file] = files.as_slice()
        && flag == "--tree"
    {
        let text = read(file);
        let before = resident(std::process::id());
        let tree = parser().parse(&text, None).expect("no limit is set");
        println!("{}", resident(std::process::id()).saturating_sub(before));
        drop(tree);
        return;
    }
    let bare = files.iter().position(|file| file == "--json").map(|flag| files.remove(flag)).is_some();
    let show = |figures: Value, print: fn(&Value)| if bare { println!("{figures}") } else { print(&figures) };
    show(start(), tell_start);
    let process = process_itself();
    for file in &files {
        show(measure(file, process), print_figures);
    }
}

fn tell_start(figures: &Value) {
    match figures["ptxas"].as_f64() {
        Some(its) => {
            println!("start to initialized: {:.1} ms; ptxas --version: {its:.1} ms", number(&figures["start"]))
        }
        None => println!(
            "start to initialized: {:.1} ms; no assembler to compare with (tests/install)",
            number(&figures["start"])
        ),
    }
}

fn print_figures(figures: &Value) {
    let figure = |name: &str| number(&figures[name]);
    println!("{}: {:.1} MB, {} lines", figures["file"], figure("bytes") / 1e6, figures["lines"]);
    println!(
        "  opened, parsed, checked: {:.0} ms; tree-sitter's parse alone: {:.0} ms",
        figure("open"),
        figure("parse")
    );
    println!(
        "  keystroke to findings: {:.2} ms; tree-sitter's reparse alone: {:.2} ms; allowed 3 times that and 2 ms: {:.2} ms",
        figure("keystroke"),
        figure("reparse"),
        3.0 * figure("reparse") + 2.0
    );
    println!(
        "  in the longest function: {:.2} ms; tree-sitter's reparse alone: {:.2} ms",
        figure("keystroke in the longest function"),
        figure("reparse in the longest function")
    );
    for name in REQUESTS {
        println!("  {name}: {:.2} ms", figure(name));
    }
    println!(
        "  memory beyond the process itself: {:.1} MB, {:.2} times the text and tree-sitter's tree alone",
        figure("memory") / 1e6,
        figure("memory") / figure("alone")
    );
}

fn number(figure: &Value) -> f64 {
    figure.as_f64().unwrap_or(f64::NAN)
}

/// Start to initialized, beside the assembler's `--version`.
fn start() -> Value {
    let ptxas = support::ptxas();
    let (mut ours, mut its) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let mut server = Server::start();
        server.initialize();
        ours.push(ms(begun));
        server.leave();
        let Some(ptxas) = &ptxas else { continue };
        let begun = Instant::now();
        let ended = Command::new(ptxas).arg("--version").stdout(Stdio::null()).status().expect("runs");
        assert!(ended.success());
        its.push(ms(begun));
    }
    json!({"start": median(ours), "ptxas": ptxas.map(|_| median(its))})
}

/// The figures of a file. `process` are the bytes of [`process_itself`].
fn measure(file: &str, process: f64) -> Value {
    let text = read(file);
    let middle = text.lines().count() / 2;
    let mut alone = Alone::new(&text);
    let mut server = Server::start();
    server.initialize();
    let open = server.open(&text);
    let (key, reparse, asked) = server.keystrokes(&mut alone, middle, 0);
    let (within, within_tree, _) = server.keystrokes(&mut alone, longest_function(&text), 2 * ROUNDS as i64);
    let own = std::env::current_exe().expect("has a path");
    let output = Command::new(own).args(["--tree", file]).output().expect("runs").stdout;
    let tree: f64 = String::from_utf8_lossy(&output).trim().parse().unwrap_or(f64::NAN);
    let mut figures = json!({
        "file": file, "bytes": text.len(), "lines": text.lines().count(),
        "open": open, "parse": alone.parse, "keystroke": key, "reparse": reparse,
        "keystroke in the longest function": within, "reparse in the longest function": within_tree,
        "memory": resident(server.child.id()) as f64 - process, "alone": tree + text.len() as f64,
    });
    server.leave();
    for (name, figure) in REQUESTS.iter().zip(asked) {
        figures[*name] = figure.into();
    }
    figures
}

/// A module with nothing to keep.
const SMALLEST: &str = ".version 8.6\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<3>;\n\tadd.s32 %r1, %r2, %r2;\n\tret;\n}\n";

/// Bytes that a server holds after the same keystrokes and requests in the smallest module: its code, its tables, its threads.
fn process_itself() -> f64 {
    let mut server = Server::start();
    server.initialize();
    server.open(SMALLEST);
    server.keystrokes(&mut Alone::new(SMALLEST), longest_function(SMALLEST), 0);
    let held = resident(server.child.id());
    server.leave();
    held as f64
}

/// The requests after each keystroke.
const REQUESTS: [&str; 5] =
    ["hover", "completion", "hover on a register", "completion of a register", "tokens of 60 lines"];

/// The line in the middle of the function with the most text.
fn longest_function(text: &str) -> usize {
    let mut longest = 0..0;
    let (mut begun, mut at) = ((0, 0), 0);
    for (number, line) in text.lines().enumerate() {
        match line {
            "{" => begun = (number, at),
            "}" if at - begun.1 > longest.len() => longest = begun.1..at,
            _ => {}
        }
        at += line.len() + 1;
    }
    text[..(longest.start + longest.end) / 2].matches('\n').count()
}

/// Line and column after the `%` of the first register that is not the first operand, from a line on.
fn register(text: &str, line: usize) -> (usize, usize) {
    let mut lines = text.lines().enumerate().skip(line);
    let found = lines.find_map(|(row, text)| Some((row, text.find(", %")? + 3)));
    found.unwrap_or((line, 0))
}

/// tree-sitter on a text, and nothing else.
struct Alone {
    text: String,
    parser: Parser,
    tree: Tree,
    parse: f64,
}

impl Alone {
    fn new(text: &str) -> Self {
        let mut parser = parser();
        let begun = Instant::now();
        let tree = parser.parse(text, None).expect("no limit is set");
        Alone { text: text.to_owned(), parser, tree, parse: ms(begun) }
    }

    /// Milliseconds of the reparse after an edit inside a line.
    fn edit(&mut self, at: usize, length: usize, new: &str) -> f64 {
        self.text.replace_range(at..at + length, new);
        let row = self.text[..at].matches('\n').count();
        let column = at - self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let begun = Instant::now();
        self.tree.edit(&InputEdit {
            start_byte: at,
            old_end_byte: at + length,
            new_end_byte: at + new.len(),
            start_position: Point::new(row, column),
            old_end_position: Point::new(row, column + length),
            new_end_position: Point::new(row, column + new.len()),
        });
        self.tree = self.parser.parse(&self.text, Some(&self.tree)).expect("no limit is set");
        ms(begun)
    }
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: i64,
}

impl Server {
    fn start() -> Self {
        let own = std::env::current_exe().expect("has a path");
        let folder = own.parent().and_then(std::path::Path::parent).expect("target/dist/examples/server");
        let mut child = Command::new(folder.join("ptx-atomics"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("cargo build --profile dist --features dist comes first");
        let input = child.stdin.take().expect("is piped");
        let output = BufReader::with_capacity(1 << 20, child.stdout.take().expect("is piped"));
        Server { child, input, output, requests: 0 }
    }

    fn initialize(&mut self) {
        self.request("initialize", json!({"capabilities": {"general": {"positionEncodings": ["utf-8"]}}}));
        self.notify("initialized", json!({}));
    }

    /// Milliseconds until the findings of a text are there, which is version 0 of the document.
    fn open(&mut self, text: &str) -> f64 {
        let begun = Instant::now();
        let document = json!({"uri": URI, "languageId": "ptx", "version": 0, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.published(0);
        ms(begun)
    }

    fn send(&mut self, message: Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn request(&mut self, method: &str, params: Value) {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        while self.hear()["id"] != id {}
    }

    fn published(&mut self, version: i64) {
        while self.hear()["params"]["version"] != version {}
    }

    /// One character at the end of a line, inserted and deleted again: milliseconds to findings, of tree-sitter's reparse, and of the
    /// requests. The document was last published as `version`.
    fn keystrokes(&mut self, alone: &mut Alone, line: usize, mut version: i64) -> (f64, f64, [f64; 5]) {
        let at: usize = alone.text.split_inclusive('\n').take(line).map(str::len).sum();
        let column = alone.text[at..].find('\n').unwrap_or(0);
        let (mut keys, mut trees) = (Vec::new(), Vec::new());
        let register = register(&alone.text, line);
        let mut asked: [Vec<f64>; 5] = Default::default();
        for round in 0..2 * ROUNDS {
            let inserted = round % 2 == 0;
            let length = usize::from(!inserted);
            trees.push(alone.edit(at + column, length, if inserted { " " } else { "" }));
            version += 1;
            let end = json!({"line": line, "character": column + length});
            let range = json!({"start": {"line": line, "character": column}, "end": end});
            let change = json!({"range": range, "text": if inserted { " " } else { "" }});
            let begun = Instant::now();
            let document = json!({"uri": URI, "version": version});
            self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
            self.published(version);
            keys.push(ms(begun));
            let document = json!({"uri": URI});
            let place = json!({"textDocument": document, "position": {"line": line, "character": 2}});
            let view = json!({"start": {"line": line, "character": 0}, "end": {"line": line + 60, "character": 0}});
            let tokens = json!({"textDocument": document, "range": view});
            let (row, column) = register;
            let register = json!({"textDocument": document, "position": {"line": row, "character": column}});
            let requests = [
                ("textDocument/hover", &place),
                ("textDocument/completion", &place),
                ("textDocument/hover", &register),
                ("textDocument/completion", &register),
                ("textDocument/semanticTokens/range", &tokens),
            ];
            for ((method, params), times) in requests.into_iter().zip(&mut asked) {
                let begun = Instant::now();
                self.request(method, params.clone());
                times.push(ms(begun));
            }
        }
        (median(keys), median(trees), asked.map(median))
    }

    fn hear(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the server responds");
            if let Some(number) = line.strip_prefix("Content-Length: ") {
                length = number.trim().parse().expect("a number");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the server responds");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn leave(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let _ = self.child.wait();
    }
}

fn read(file: &str) -> String {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&grammar::LANGUAGE.into()).expect("is of this version");
    parser
}

/// Bytes of memory that a process holds.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0) * 1024
}

fn ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
