//! Long editing sessions: documents in all languages, runs and checks of a kernel, random changes, requests and cancellations, with regular consistency checks.
//!
//! The test makes a few thousand steps; `PTX_ATOMICS_SOAK=3600 cargo test --release -p ptx-atomics-tests --test protocol soak -- --nocapture` runs
//! for an hour and prints measurements.

use crate::client::{Client, publishes};
use crate::lifecycle::requests;
use crate::text_model::{edit, position, range};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{Rng, pick};

/// Steps between two measurements.
const STEPS: usize = 400;

/// Number of measurements without a time limit.
const MEASUREMENTS: usize = 10;

/// Every so many measurements, the diagnostics are compared with those of a new server.
const COMPARED_EVERY: usize = 5;

const PIECES: [&str; 14] = [
    "atom.global.add.u32 %r1, [%rd1], 1;\n",
    "red",
    ".relaxed",
    ".gpu",
    ".b32",
    ";",
    "\n",
    "\r\n",
    "{",
    "}",
    "// \u{e9}\u{1f600}",
    " ",
    "/*",
    "asm(\"red.add;\");",
];

/// A document as the client has it.
struct Edited {
    uri: String,
    original: String,
    text: String,
    version: i32,
}

impl Edited {
    /// A change as a person makes it: mostly at one place, and what went too far is taken back.
    fn change(&mut self, rng: &mut Rng, client: &mut Client) {
        self.version += 1;
        let changes = match rng.usize(..40) {
            0 => {
                self.text.clone_from(&self.original);
                json!([{"text": self.text}])
            }
            1 => {
                let line = self.text.lines().nth(rng.usize(..60)).unwrap_or_default().to_owned() + "\n";
                let change = json!([{"range": range(&self.text, "utf-16", 0, 0), "text": line}]);
                self.text.insert_str(0, &line);
                change
            }
            _ => (0..=rng.usize(..2)).map(|_| edit(rng, &mut self.text, "utf-16", &PIECES)).collect(),
        };
        client.change(&self.uri, self.version, changes);
    }
}

fn documents() -> Vec<Edited> {
    let paths = [
        "rules/launches.ptx",
        "kernels/spin_lock.ptx",
        "hosts/statements.rs",
        "hosts/statements.jl",
        "hosts/statements.mojo",
        "hosts/statements.ll",
        "hosts/statements.mlir",
        "compiled/sm_52.ptx",
        "compiled/sm_90.ptx",
        "evaluation/kinds.ptx",
        "loops/sm_60.ptx",
        "rules/near_misses.ptx",
        "realistic/any_order.ptx",
        "realistic/plain_on_multimem.ptx",
        "cuda/shapes.cu",
        "python/calls.py",
        "sass/current.sass",
    ];
    let mut paths: Vec<_> = paths.map(|path| support::root().join("tests/fixtures").join(path)).into();
    paths.push(support::root().join("tests/litmus/IRIW+fence.litmus"));
    let open = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_name().expect("has a name").to_string_lossy();
        Edited { uri: format!("file:///soak/{name}"), original: text.clone(), text, version: 1 }
    };
    paths.into_iter().map(open).collect()
}

/// What the system says of a process: memory in KiB, threads, processor time in ticks.
fn process(id: u32) -> (u64, u64, u64) {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{id}/{file}")).expect("the server runs");
    let status = read("status");
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the system says so");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
    };
    let times = read("stat");
    let times = times.rsplit(')').next().expect("after the name").split_whitespace();
    let spent = times.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
    (field("VmRSS:"), field("Threads:"), spent)
}

/// Waits until the server does nothing any more.
fn rests(id: u32) {
    let started = Instant::now();
    let mut spent = process(id).2;
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = process(id).2;
        if now == spent {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(180), "the server stops making progress");
        spent = now;
    }
}

/// A request that was sent, and whether it was cancelled.
type Asked = (i64, &'static str, bool);

/// Takes all replies; none is a failure of the server's.
fn collect(client: &mut Client, asked: &mut Vec<Asked>) {
    for (id, method, cancelled) in asked.drain(..) {
        if let Err(error) = client.reply(id) {
            let code = error["code"].as_i64().expect("a number");
            // A kernel with errors does not run.
            let refused = code == -32803 && (method.ends_with("ename") || method == "workspace/executeCommand");
            assert!(refused || (cancelled && code == -32800), "{method}: {error}");
        }
    }
}

/// The diagnostics of every document, by a server that has just been started.
fn afresh(documents: &[Edited]) -> Vec<Vec<Value>> {
    let mut client = Client::with(json!({}));
    let found = documents
        .iter()
        .map(|document| {
            client.open(&document.uri, document.version, &document.text);
            client.diagnostics(&document.uri, document.version)
        })
        .collect();
    client.leave();
    found
}

/// A command that executes the kernel of `kernels/spin_lock.ptx`, whatever it is after the changes.
fn launched(command: &str) -> (&'static str, Value) {
    let launch = "grid 2 block 2 lock=u32[1] count=u32[1]";
    let argument = json!({"uri": "file:///soak/spin_lock.ptx", "kernel": "spin", "launch": launch, "thread": {"cta": 0, "thread": 0}});
    ("workspace/executeCommand", json!({"command": command, "arguments": [argument]}))
}

/// Opens a document again, changes it, or sends a request about it.
fn step(document: &mut Edited, rng: &mut Rng, client: &mut Client) -> Option<Asked> {
    match rng.usize(..100) {
        0 => {
            client.notify("textDocument/didClose", json!({"textDocument": {"uri": document.uri}}));
            document.version += 1;
            client.open(&document.uri, document.version, &document.text);
            None
        }
        1..60 => {
            document.change(rng, client);
            None
        }
        _ => {
            let places: Vec<usize> = document.text.char_indices().map(|(at, _)| at).collect();
            let offset = if places.is_empty() { 0 } else { *pick(rng, &places) };
            let (line, column) = position(&document.text, "utf-16", offset);
            let mut possible = requests(&document.uri, line.into(), column.into());
            possible.extend(["ptxAtomics.run", "ptxAtomics.check"].map(launched));
            let (method, params) = pick(rng, &possible).clone();
            let id = client.ask(method, params);
            let cancelled = rng.usize(..2) == 0;
            if cancelled {
                client.cancel(id);
            }
            Some((id, method, cancelled))
        }
    }
}

/// Prints how much memory and how many threads there were, and checks that memory does not grow.
fn report(measured: &[(u64, u64, u64)], requested: usize, elapsed: Duration) {
    let (warm, later) = measured.split_at(measured.len() / 3);
    let most = |part: &[(u64, u64, u64)]| part.iter().map(|(memory, ..)| *memory).max().expect("was measured");
    let threads = measured.iter().map(|(_, threads, _)| *threads).max();
    println!(
        "soak: {:?}, {} steps, {requested} requests; memory {} KiB at first, at most {} KiB in the first third and {} KiB after it, {} KiB at the end; at most {threads:?} threads",
        elapsed,
        measured.len() * STEPS,
        measured[0].0,
        most(warm),
        most(later),
        measured[measured.len() - 1].0,
    );
    assert!(most(later) <= most(warm) + most(warm) / 4 + (8 << 10), "memory grows: {measured:?}");
}

#[test]
fn soak() {
    let seconds: Option<u64> = std::env::var("PTX_ATOMICS_SOAK").ok().map(|text| text.parse().expect("seconds"));
    let started = Instant::now();
    let continues = |measured: usize| match seconds {
        Some(seconds) => started.elapsed() < Duration::from_secs(seconds),
        None => measured < MEASUREMENTS,
    };
    let mut client = Client::with(json!({}));
    let mut rng = Rng::with_seed(0x50a4);
    let mut documents = documents();
    for document in &documents {
        client.open(&document.uri, document.version, &document.text);
    }
    let (mut asked, mut measured, mut requested) = (Vec::new(), Vec::new(), 0);
    while continues(measured.len()) {
        for _ in 0..STEPS {
            let at = rng.usize(..documents.len());
            let request = step(&mut documents[at], &mut rng, &mut client);
            requested += usize::from(request.is_some());
            asked.extend(request);
            if asked.len() > 30 {
                collect(&mut client, &mut asked);
            }
        }
        collect(&mut client, &mut asked);
        let mut found = Vec::new();
        for document in &mut documents {
            document.change(&mut rng, &mut client);
            found.push(client.diagnostics(&document.uri, document.version));
            let server = client.server_text(&document.uri);
            assert_eq!(server, Some((document.version.into(), document.text.clone())), "the texts are the same");
        }
        let rest = client.forget();
        let unexpected: Vec<_> =
            rest.iter().filter(|message| !documents.iter().any(|document| publishes(message, &document.uri))).collect();
        assert_eq!(
            unexpected,
            [] as [&Value; 0],
            "only diagnostics are sent without a request, and no reply comes twice"
        );
        if measured.len() % COMPARED_EVERY == COMPARED_EVERY - 1 {
            assert_eq!(found, afresh(&documents), "the diagnostics do not depend on earlier edits");
        }
        rests(client.process());
        measured.push(process(client.process()));
    }
    report(&measured, requested, started.elapsed());
    client.leave();
}
