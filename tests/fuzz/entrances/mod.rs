//! Every way into the product, as a function of bytes that panics where something is wrong.
//!
//! Each asks all that can be asked there and holds the answers to what must be true of any input. Must not know where the bytes come
//! from: `replay.rs` and the coverage-guided `guided.rs` both call these.

mod asked;
mod configuration;
mod cuda;
mod edits;
mod evaluation;
mod grammar;
mod lint;
mod litmus;
mod protocol;
mod sass;

/// An entrance: its name, which is also the name of its corpus, and what is done with an input.
pub type Entrance = (&'static str, fn(&[u8]));

/// All of them.
pub const ALL: [Entrance; 9] = [
    ("grammar", grammar::enter),
    ("lint", lint::enter),
    ("edits", edits::enter),
    ("protocol", protocol::enter),
    ("configuration", configuration::enter),
    ("litmus", litmus::enter),
    ("evaluation", evaluation::enter),
    ("cuda", cuda::enter),
    ("sass", sass::enter),
];

/// The text of an input, as a file's bytes become text.
fn text(bytes: &[u8]) -> String {
    project::read::decode(bytes.to_vec())
}
