//! `explain`: the page of a rule, an instruction or a form.

use crate::exit::{Exit, fail};
use crate::output::print;
use clap::Args;

/// Arguments of `explain`.
#[derive(Args)]
pub struct ExplainArguments {
    /// Rule code, instruction (atom, multimem.red, REDG) or form (atom.global.add.u32) [default: list all rules]
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
