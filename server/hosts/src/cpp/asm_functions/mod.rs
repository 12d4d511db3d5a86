//! The functions of a C++ text as sequences of `asm` statements, barriers and accesses, where the control flow between them is plain.

mod body;
mod tokens;

use super::lexer::CppLexer;
use crate::inline_asm::AsmStatement;
use std::ops::Range;
use tokens::{BodyToken, BodyTokenKind, matching, tokens};

/// A function with `asm` statements.
#[derive(Debug, Default, PartialEq)]
pub struct CppFunction {
    /// Whether it is a kernel.
    pub kernel: bool,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// The names of its arrays and variables in shared memory.
    pub shared: Vec<String>,
    /// Its steps, in the order of the text.
    pub steps: Vec<FunctionStep>,
    /// Its body, with the braces.
    pub range: Range<usize>,
}

/// A step of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionStep {
    /// An `asm` statement, by its number.
    Statement(usize),
    /// A call of a function that is a barrier or a fence, by its name.
    Barrier(&'static str),
    /// A call of an unknown function, or other code that may have any effect.
    Unknown,
    /// A variable is defined, by its name and the expression.
    Define(String, Range<usize>),
    /// A variable or parameter is read (`false`) or written (`true`) at an index.
    Access(String, bool),
    /// A place in the function.
    Label(usize),
    /// A jump to a label, if a condition is true or false.
    Branch(usize, Option<BranchCondition>),
    /// The function returns.
    Return,
}

/// When a branch is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCondition {
    /// The expression.
    pub expression: Range<usize>,
    /// The value for which it is taken.
    pub taken_if: bool,
}

/// The functions that contain an `asm` statement. Those whose control flow is not plain are left out.
pub fn asm_functions(text: &str, statements: &[AsmStatement]) -> Vec<CppFunction> {
    if statements.is_empty() || !text.contains("__global__") && !text.contains("__device__") {
        return Vec::new();
    }
    let tokens = tokens(CppLexer::new(text, 0), statements);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_body = at > 0 && tokens[at].is(b'{') && tokens[at - 1].is(b')');
        match (is_body, matching(&tokens, at)) {
            (true, Some(end)) => {
                let head = head(text, &tokens, at - 1);
                let body = &tokens[at + 1..end];
                let asm = body.iter().filter(|token| matches!(token.kind, BodyTokenKind::Statement(_))).count();
                if asm > 0
                    && let Some(function) = head.and_then(|head| body::read(text, body, head))
                {
                    let range = tokens[at].range.start..tokens[end].range.end;
                    found.push(CppFunction { range, ..function });
                }
                at = end + 1;
            }
            _ => at += 1,
        }
    }
    found
}

/// What is declared before the body of a function, whose parameter list ends at a token; `None` if it is no function for a device.
fn head(text: &str, tokens: &[BodyToken], end: usize) -> Option<CppFunction> {
    let start = (0..end).rev().scan(1, |depth, at| {
        *depth += i32::from(tokens[at].is(b')')) - i32::from(tokens[at].is(b'('));
        (*depth > 0).then_some(at)
    });
    let start = start.last().unwrap_or(end);
    let before = tokens[..start].iter().rev().take_while(|token| !token.is(b';') && !token.is(b'}') && !token.is(b'{'));
    let words: Vec<&str> = before.map(|token| &text[token.range.clone()]).collect();
    let kernel = words.contains(&"__global__");
    if !kernel && !words.contains(&"__device__") {
        return None;
    }
    let mut parameters = Vec::new();
    for at in start..=end {
        let ends = tokens[at].is(b',') || at == end;
        if ends
            && at > start
            && let BodyTokenKind::Word = tokens[at - 1].kind
        {
            parameters.push(text[tokens[at - 1].range.clone()].to_owned());
        }
    }
    Some(CppFunction { kernel, parameters, ..CppFunction::default() })
}
