//! Litmus tests in PTX modules: comments that begin with `//!` name threads by function, first values, and outcomes to forbid or allow.
//!
//! Must not know how functions are lowered, nor how findings look.

use super::lexer::tokens;
use super::lower::{Lowering, lower};
use super::parse::{condition, place};
use super::test::{Mistake, Test};
use emulator::model::{Condition, Place};
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::SourceFile;

/// What marks a line of such a test.
pub const MARK: &str = "//!";

/// What is expected of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// `forbid`: it must not be possible.
    Forbidden,
    /// `allow`: it must be possible.
    Allowed,
}

/// A test in a module.
#[derive(Debug)]
pub struct Block {
    /// Where it stands, from its first word to its last.
    pub range: Range<usize>,
    /// The threads, and what is wrong.
    pub test: Test,
    /// What is expected: where it stands, and of which outcome.
    pub expected: Vec<(Range<usize>, Expected, Condition)>,
}

/// A thread as the comments place it.
#[derive(Clone, Debug)]
pub struct Role {
    pub function: String,
    pub place: Place,
    pub range: Range<usize>,
}

/// The tests of a module, in the order of the text.
pub fn blocks(file: &SourceFile) -> Vec<Block> {
    if !file.holds(0..file.text().len_bytes(), MARK) {
        return Vec::new();
    }
    let text = file.text().to_string();
    let mut blocks: Vec<Vec<(usize, &str)>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let Some(said) = line.trim().strip_prefix(MARK) else { continue };
        let begin = start + MARK.len() + (said.len() - said.trim_start().len());
        let said = said.split("//").next().unwrap_or_default().trim();
        if said.split_whitespace().next() == Some("litmus") {
            blocks.push(Vec::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.push((begin, said));
        }
    }
    blocks.iter().map(|lines| block(file, &text, lines)).collect()
}

fn block(file: &SourceFile, text: &str, lines: &[(usize, &str)]) -> Block {
    let mut test = Test::default();
    let mut roles = Vec::new();
    let mut inits = BTreeMap::new();
    let mut claims = Vec::new();
    for (at, line) in lines {
        let range = *at..*at + line.len();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let read = match word {
            "litmus" => {
                test.name = rest.to_owned();
                Some(())
            }
            "thread" => role(rest, range.clone()).map(|role| roles.push(role)),
            "init" => rest.split_once('=').map(|(name, value)| {
                inits.insert(name.trim().to_owned(), (value.trim().to_owned(), range.clone()));
            }),
            "forbid" | "allow" => {
                claims.push((range.clone(), if word == "forbid" { Expected::Forbidden } else { Expected::Allowed }));
                Some(())
            }
            _ => None,
        };
        if read.is_none() {
            test.mistakes.push(Mistake {
                range,
                message: "this line of a litmus test cannot be read".into(),
                help: "write `thread f @ cta 0`, `init flag = 0`, `forbid f:%r1 == 1 && flag == 0` or `allow …`".into(),
            });
        }
    }
    lower(file, &Lowering { roles, inits }, &mut test);
    let mut expected = Vec::new();
    for (range, kind) in claims {
        let word = if kind == Expected::Forbidden { "forbid" } else { "allow" };
        if let Some(condition) = condition(text, range.start + word.len()..range.end, &mut test) {
            expected.push((range, kind, condition));
        }
    }
    let range = match (lines.first(), lines.last()) {
        (Some((start, _)), Some((at, last))) => *start..at + last.len(),
        _ => 0..0,
    };
    Block { range, test, expected }
}

/// `producer @ cta 0, cluster 0, gpu 0`.
fn role(text: &str, range: Range<usize>) -> Option<Role> {
    let (function, at) = text.split_once('@').unwrap_or((text, ""));
    let (function, place) = (function.trim(), place(&tokens(at, 0))?);
    (!function.is_empty()).then(|| Role { function: function.to_owned(), place, range })
}
