//! Whether what a statement reads is a message by itself, and no flag of one: C++ computes with it.

use crate::inline_asm::functions::operands::unwrapped;
use hosts::cpp::{CppFunction, FunctionStep};
use hosts::inline_asm::{AsmStatement, ScannedHost};
use std::ops::Range;

/// Whether C++ reads an output of a statement other than in conditions.
pub(super) fn is_message(function: &CppFunction, scanned: &ScannedHost, polls: &AsmStatement) -> bool {
    let host = &*scanned.text;
    // Conditions and statements only wait for it.
    let aside: Vec<&Range<usize>> = function
        .steps
        .iter()
        .filter_map(|step| match step {
            FunctionStep::Statement(number) => Some(&scanned.statements[*number].range),
            FunctionStep::Branch(_, Some(condition)) => Some(&condition.expression),
            _ => None,
        })
        .collect();
    let outputs = polls.operands.iter().filter(|operand| operand.output);
    let mut names = outputs.map(|output| unwrapped(&host[output.expression.clone()])).filter(|name| !name.is_empty());
    names.any(|name| {
        let body = host[function.range.clone()].match_indices(name);
        let mut places = body.map(|(at, _)| function.range.start + at..function.range.start + at + name.len());
        places.any(|word| {
            let is_whole = !host[..word.start].ends_with(is_of_word) && !host[word.end..].starts_with(is_of_word);
            is_whole && !aside.iter().any(|range| range.contains(&word.start)) && !is_written(host, &word)
        })
    })
}

/// Whether a variable is declared at a word, or a value is assigned to it.
fn is_written(host: &str, word: &Range<usize>) -> bool {
    let (before, after) = (host[..word.start].trim_end(), host[word.end..].trim_start());
    let is_assigned = after.starts_with('=') && !after.starts_with("==");
    let is_named = before.ends_with(is_of_word);
    is_assigned || is_named && !before.ends_with("return") && after.starts_with([';', ','])
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
