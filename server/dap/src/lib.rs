//! The debugger of PTX kernels: the Debug Adapter Protocol over standard input and output, in front of the emulator's machine.
//!
//! A [`debugger`] session loads a kernel, runs it ([`run_loop`]) and is called by the machine before each instruction ([`stops`]). While the run is stopped it
//! answers [`requests`] about threads, frames, [`variables`] and [`memory`], and makes [`edits`]. Expressions (`kernel::expression`) have
//! values in a [`frame_view`].

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod breakpoint_requests;
mod breakpoints;
mod checkpoints;
mod debugger;
mod edit_history;
mod edits;
mod frame_view;
mod goals;
mod handles;
mod initial_memory;
mod launch;
mod line_map;
mod memory;
mod memory_reference;
mod positions;
mod protocol;
mod requests;
mod restarts;
mod run_loop;
mod stops;
mod target;
mod variables;
mod writable;

pub use launch::{LaunchConfiguration, LoadKernel, LoadedKernel};

use debugger::Debugger;
use lsp::framing::MessageReader;
use protocol::{DebugClient, read_message};
use std::io;
use std::sync::mpsc::channel;

/// Serves one client over standard input and output until it disconnects or closes its stream.
pub fn run_stdio(loader: &dyn LoadKernel) {
    run(io::BufReader::new(io::stdin()), io::stdout(), loader);
}

/// As [`run_stdio`], over any two streams.
pub fn run(input: impl io::BufRead + Send + 'static, output: impl io::Write + Send + 'static, loader: &dyn LoadKernel) {
    let (sender, requests) = channel();
    let mut messages = MessageReader::new(input);
    std::thread::spawn(move || {
        while let Ok(Some(message)) = read_message(&mut messages) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    Debugger::new(requests, DebugClient::new(output)).serve(loader);
}
