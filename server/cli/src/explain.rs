//! `explain`: the page of a rule, an instruction, a modifier, a directive or a special register.

use crate::exit::{Exit, fail};
use crate::output::print;
use clap::Args;

/// Arguments of `explain`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ptx-atomics explain atom.global.add.u32
  ptx-atomics explain narrow-scope")]
pub struct ExplainArguments {
    /// Rule code, instruction (atom, mad, REDG), form (atom.global.add.u32) or part of one (atom.add), modifier or directive (.relaxed, .maxntid), special register (%tid), word (CTA, 'generic address'), function of CUDA C++ (__syncthreads), or `coverage` [default: list all topics]
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
}

/// Prints the page.
pub fn run(arguments: &ExplainArguments) -> Exit {
    let page = match &arguments.topic {
        None => ide::explain::index(),
        Some(topic) => match ide::explain::page(topic) {
            Ok(page) => page,
            Err(reason) => return fail(reason),
        },
    };
    print(&(page.trim_end().to_owned() + "\n")).map_or_else(fail, |()| Exit::Clean)
}
