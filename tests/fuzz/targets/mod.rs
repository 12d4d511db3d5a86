//! Every way into the product, as a function of bytes that panics where something is wrong.
//!
//! Each asks all that can be asked there and holds the answers to what must be true of any input. Must not know where the bytes come
//! from: `replay.rs` and the coverage-guided `libfuzzer.rs` both call these.

mod configuration;
mod cuda;
mod edits;
mod evaluation;
mod grammar;
mod lint;
mod litmus;
mod protocol;
mod queries;
mod sass;

/// A fuzz target: its name, which is also the name of its corpus, and what is done with an input.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// All of them.
pub const ALL: [FuzzTarget; 9] = [
    ("grammar", grammar::run),
    ("lint", lint::run),
    ("edits", edits::run),
    ("protocol", protocol::run),
    ("configuration", configuration::run),
    ("litmus", litmus::run),
    ("evaluation", evaluation::run),
    ("cuda", cuda::run),
    ("sass", sass::run),
];

/// The text of an input, as a file's bytes become text.
fn text(bytes: &[u8]) -> String {
    project::read::decode(bytes.to_vec())
}
