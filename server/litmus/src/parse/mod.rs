//! Parses litmus tests in the syntax of Dartagnan: a header, initial values, columns of instructions, and a claim.
//!
//! Parsing continues after an error, so that all errors are found.

mod async_operations;
mod asynchronous;
mod columns;
mod condition;
mod initial_values;
mod instruction;
mod operands;
mod proxy_fences;
mod reader;
mod tensor_operations;
mod threads;

use crate::parse::reader::LitmusReader;
use crate::test::Test;
use memory_model::Observable;

pub use crate::parse::async_operations::{
    AsyncGroup, AsyncOperation, AsyncOperations, TensorPipeline, TensorPipelineKind, add_threads,
};
pub use crate::parse::asynchronous::mbarrier;
pub use crate::parse::condition::condition;
pub use crate::parse::reader::{fits, is_name, number};
pub use crate::parse::threads::place;

/// Parses a test. The result has errors if the text is invalid.
pub fn parse(text: &str) -> Test {
    let mut reader = LitmusReader::new(text, Test::default());
    let body = header(&mut reader, text);
    reader.go_to(body);
    initial_values::read(&mut reader);
    threads::read(&mut reader);
    columns::read(&mut reader);
    let used = condition::Used::of(&reader.test);
    condition::claims(&mut reader);
    condition::unused(&mut reader, &used);
    async_operations::add_threads(&mut reader.test, std::mem::take(&mut reader.asynchronous));
    finish(reader)
}

/// Parses `PTX name` and the text before the block of initial values; returns the offset of the block.
fn header(reader: &mut LitmusReader, text: &str) -> usize {
    let start = text.len() - text.trim_start_matches('\u{feff}').trim_start().len();
    let line = text[start..].lines().next().unwrap_or_default();
    let word = line.split_whitespace().next().unwrap_or_default();
    if word.eq_ignore_ascii_case("ptx") {
        let name = line[word.len()..].split('{').next().unwrap_or_default();
        reader.test.name = name.trim().to_owned();
    } else {
        let range = start..start + word.len();
        reader.error(
            range,
            "missing `PTX` and the name of the test".into(),
            "begin the test with a line such as `PTX MP`",
        );
    }
    let mut at = start;
    let mut quoted = false;
    for c in text[start..].chars() {
        match c {
            '"' => quoted = !quoted,
            '{' if !quoted => return at,
            _ => {}
        }
        at += c.len_utf8();
    }
    // The block is inside an unterminated string.
    text.find('{').unwrap_or(text.len())
}

/// Sets the observables of the test.
fn finish(mut reader: LitmusReader) -> Test {
    let end = reader.end();
    if reader.test.claim.is_none() && reader.test.errors.is_empty() {
        reader.error(end..end, "missing claim".into(), "add a claim at the end, such as `exists (P1:r0 == 1)`");
    }
    let mut test = reader.test;
    let name = |observable: &Observable| match observable {
        Observable::Register(thread, register) => {
            format!("{}:{}", test.numbers[*thread], test.program.threads[*thread].registers[*register].name)
        }
        Observable::Location(location) => test.program.locations[*location].name.clone(),
    };
    let mut observed: Vec<_> = reader.mentioned.iter().map(|observable| (name(observable), *observable)).collect();
    observed.sort();
    observed.dedup();
    test.observed = observed;
    test
}
