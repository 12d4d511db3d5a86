//! Fuzz targets: functions of bytes that panic where a property does not hold.
//!
//! `replay.rs` runs them on the corpus and mutations of it, `libfuzzer.rs` guided by coverage.

mod configuration;
mod cuda;
mod dap;
mod edits;
mod evaluation;
mod grammar;
mod hosts;
pub mod kernel;
mod lint;
mod litmus;
mod protocol;
mod python;
mod queries;
mod sass;

/// A fuzz target: its name, which is also that of its corpus, and its function.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// All fuzz targets.
pub const ALL: [FuzzTarget; 14] = [
    ("grammar", grammar::run),
    ("lint", lint::run),
    ("edits", edits::run),
    ("protocol", protocol::run),
    ("configuration", configuration::run),
    ("litmus", litmus::run),
    ("evaluation", evaluation::run),
    ("cuda", cuda::run),
    ("python", python::run),
    ("hosts", hosts::run),
    ("sass", sass::run),
    ("run", kernel::run),
    ("check", kernel::check),
    ("dap", dap::run),
];

/// The text of an input, as a file's bytes become text.
fn text(bytes: &[u8]) -> String {
    project::read::decode(bytes.to_vec())
}
