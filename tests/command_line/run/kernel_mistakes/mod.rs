//! `run`: each kind of mistake, injected into generated kernels, is found at its line; the same kernels without it have no problem.

mod control;
mod memory;
mod races;

use crate::{run_in, scratch};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use support::{Rng, pick};

/// Kernels of each kind.
const KERNELS: u64 = 20;
/// Words of the buffer and of shared memory.
const WORDS: u32 = 64;
/// The comment on the line that has to be reported.
const HERE: &str = "// here";

/// Whether a kernel has the mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Wrong,
    Right,
}

impl Variant {
    /// One of two values.
    fn choose<T>(self, wrong: T, right: T) -> T {
        match self {
            Self::Wrong => wrong,
            Self::Right => right,
        }
    }
}

/// A generated kernel.
#[derive(Default)]
struct GeneratedKernel {
    /// Variables and functions of the module.
    module: String,
    /// The instructions. `%id`, `%lane` and `%warp` are numbers, `%data` and `%word` the addresses of the buffer and of the thread's word of it, `%s` the one of shared memory.
    body: String,
    /// Threads of the CTA; those of two warps by default.
    threads: Option<u32>,
    /// CTAs of the grid and of the cluster.
    ctas: u32,
}

impl GeneratedKernel {
    fn body(text: impl Into<String>) -> Self {
        Self { body: text.into(), ctas: 1, ..Self::default() }
    }

    /// The text of the module.
    fn text(&self, rng: &mut Rng) -> String {
        let (before, after) = (filler(rng), filler(rng));
        let Self { module, body, .. } = self;
        format!(
            "\
.version 8.6
.target sm_90
.address_size 64
.extern .func (.param .b64 result) malloc(.param .b64 size);
.extern .func free(.param .b64 address);
.const .u32 fixed[4] = {{1, 2, 3, 4}};
{module}
.visible .entry k(.param .u64 data)
{{
	.reg .pred %p, %q, %h;
	.reg .b16 %b<4>;
	.reg .b32 %id, %lane, %warp, %s, %r<10>, %f<9>;
	.reg .b64 %data, %word, %rd<10>;
	.shared .align 16 .b32 s[{WORDS}];
	.shared .align 8 .b64 bar0, bar1;
	.local .align 16 .b32 l[8];
	ld.param.u64 %data, [data];
	mov.u32 %id, %tid.x;
	and.b32 %lane, %id, 31;
	shr.u32 %warp, %id, 5;
	mul.wide.u32 %word, %id, 4;
	add.u64 %word, %data, %word;
	mov.u32 %s, s;
	mov.u32 %f0, 7;
	mov.u32 %f1, %id;
	mov.u32 %f2, 12;
{before}{body}{after}	ret;
}}
"
        )
    }
}

/// Arithmetic that nothing depends on.
fn filler(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(..6) {
        let operation = pick(rng, &["add.u32", "mul.lo.u32", "xor.b32", "min.u32", "sub.u32"]);
        let (to, a, b) = (rng.u32(..3), rng.u32(..3), rng.u32(..3));
        let _ = writeln!(text, "\t{operation} %f{to}, %f{a}, %f{b};");
    }
    text
}

/// The kinds: the code that is reported, and the generator.
type Generator = fn(&mut Rng, Variant) -> GeneratedKernel;
const KINDS: [(&str, &str, Generator); 18] = [
    ("out of bounds", "out-of-bounds", memory::out_of_bounds),
    ("use after free", "use-after-free", memory::use_after_free),
    ("misaligned", "misaligned-access", memory::misaligned),
    ("wrong space", "state-space-mismatch", memory::wrong_space),
    ("uninitialized register", "uninitialized-read", memory::uninitialized_register),
    ("uninitialized memory", "uninitialized-read", memory::uninitialized_memory),
    ("divergent barrier", "barrier-divergence", control::divergent_barrier),
    ("unmet count", "deadlock", control::unmet_count),
    ("deadlock", "deadlock", control::deadlock),
    ("livelock", "deadlock", control::livelock),
    ("mbarrier", "mbarrier-misuse", control::mbarrier_misuse),
    ("stack overflow", "stack-overflow", control::stack_overflow),
    ("trap", "trap", control::trap),
    ("assertion", "assertion-failed", control::failed_assertion),
    ("read-only", "read-only-memory", memory::read_only),
    ("target", "invalid-target", control::invalid_target),
    ("limit", "instruction-limit", control::endless_count),
    ("data race", "data-race", races::data_race),
];

/// The problems of a kernel: their codes with all lines.
fn problems(folder: &Path, kernel: &GeneratedKernel, text: &str, seed: u64) -> Vec<(String, Vec<usize>)> {
    fs::write(folder.join("k.ptx"), text).expect("written");
    let (ctas, threads) = (kernel.ctas.to_string(), kernel.threads.unwrap_or(WORDS).to_string());
    let seed = seed.to_string();
    let arguments =
        ["run", "k.ptx", "--grid", &ctas, "--cluster", &ctas, "--block", &threads, "--arg", "data=u32[64]=iota"];
    let options = ["--seed", &seed, "--max-instructions", "3000000", "--format", "json"];
    let run = run_in(folder, &[&arguments[..], &options].concat(), b"");
    assert!(run.code < 2, "{}\n{text}", run.stderr);
    let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let list = result["problems"].as_array().expect("a list").iter();
    let lines = |problem: &Value| {
        problem["lines"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|line| line.as_u64().expect("a line") as usize)
            .collect()
    };
    list.map(|problem| (problem["code"].as_str().expect("a code").to_owned(), lines(problem))).collect()
}

/// What is wrong with the answers about the kernels of a kind; empty if nothing is.
fn failures(kind: &str, code: &str, generate: Generator) -> String {
    let mut failures = String::new();
    let folder = scratch(&format!("mistakes-{}", kind.replace(' ', "-")));
    for seed in 0..KERNELS {
        for variant in [Variant::Wrong, Variant::Right] {
            let mut rng = Rng::with_seed(seed * 977 + code.len() as u64);
            let kernel = generate(&mut rng, variant);
            let text = kernel.text(&mut rng);
            let found = problems(&folder, &kernel, &text, seed);
            let line = text.lines().position(|line| line.ends_with(HERE)).map_or(0, |at| at + 1);
            let is_here = |lines: &[usize]| lines.contains(&line) || code == "instruction-limit";
            let is_good = match variant {
                Variant::Wrong => found.iter().any(|(one, lines)| one == code && is_here(lines)),
                Variant::Right => found.is_empty(),
            };
            if !is_good {
                let _ = writeln!(failures, "{kind}, {variant:?}, seed {seed}, line {line}: {found:?}");
            }
        }
    }
    fs::remove_dir_all(folder).expect("removed");
    failures
}

#[test]
fn injected_mistakes_are_found() {
    let halves = KINDS.split_at(KINDS.len() / 2);
    let check = |kinds: &[(&str, &str, Generator)]| -> String {
        kinds.iter().map(|(kind, code, generate)| failures(kind, code, *generate)).collect()
    };
    let found = std::thread::scope(|scope| {
        let other = scope.spawn(|| check(halves.1));
        check(halves.0) + &other.join().expect("no panic")
    });
    assert_eq!(found, "");
}
