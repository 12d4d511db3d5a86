//! What a test claims: conditions on the values at the end.
//!
//! Must not know how threads come to these values.

use super::reader::{Reader, is_name, number, number_of};
use crate::litmus::lexer::Token;
use crate::litmus::test::{Claim, Test};
use emulator::model::{Compare, Condition, Observable, Quantifier, Term};
use std::ops::Range;

/// The condition in a part of a text, over the threads and locations of a test that is known already. Mistakes are added to the test.
pub fn condition(text: &str, range: Range<usize>, test: &mut Test) -> Option<Condition> {
    let before: Vec<usize> = test.program.threads.iter().map(|thread| thread.registers.len()).collect();
    let locations = test.program.locations.len();
    let mut reader = Reader::new(&text[..range.end.min(text.len())], std::mem::take(test));
    reader.go_to(range.start);
    let condition = either(&mut reader, 0);
    if condition.is_some() && reader.peek().is_some() {
        let range = reader.here();
        reader.mistake(range, "this is more than a condition".into(), "join comparisons by && and ||");
    }
    let known = |observable: &Observable| match observable {
        Observable::Register(thread, register) => *register < before[*thread],
        Observable::Location(location) => *location < locations,
    };
    if condition.is_some() && !reader.mentioned.iter().all(known) {
        let range = reader.here();
        let message = "the condition names a register or a variable that no thread uses".into();
        reader.mistake(range, message, "write `consumer:%r1 == 1` with a function and one of its registers");
    }
    *test = reader.test;
    condition.filter(|_| test.mistakes.is_empty())
}

/// Whether a claim comes next.
pub fn is_next(reader: &Reader) -> bool {
    let begins =
        |token: &Token| matches!(token.text, "exists" | "forall" | "~" | "filter" | "locations" | "not" | "final");
    reader.peek().is_some_and(begins)
}

/// Reads whatever is claimed, to the end of the text.
pub fn claims(reader: &mut Reader) {
    while let Some(first) = reader.next() {
        claim(reader, &first);
    }
}

/// `exists (…)`, `~exists (…)`, `forall (…)`, `filter (…)` or `locations […]`.
fn claim(reader: &mut Reader, first: &Token) {
    let quantifier = match first.text {
        "exists" => Quantifier::Exists,
        "forall" => Quantifier::ForAll,
        "~" | "not" if reader.eat("exists") => Quantifier::NotExists,
        "filter" => {
            reader.test.filter = either(reader, 0);
            reader.eat(";");
            return;
        }
        "locations" => {
            while reader.next().is_some_and(|token| token.text != "]") {}
            return;
        }
        ";" => return,
        _ => {
            let message = format!("`{}` cannot stand here", first.text);
            return reader.mistake(first.range.clone(), message, "write `exists (…)`, `~exists (…)` or `forall (…)`");
        }
    };
    let range = first.range.start..reader.read_to();
    if let Some(condition) = either(reader, 0) {
        if reader.test.claim.is_some() {
            return reader.mistake(range, "there is a claim already".into(), "keep one of them");
        }
        reader.test.claim = Some(Claim { quantifier, condition, range });
    }
    reader.eat(";");
}

/// One of several, however deep in parentheses.
fn either(reader: &mut Reader, depth: usize) -> Option<Condition> {
    let mut parts = vec![all(reader, depth)?];
    while reader.eat("\\/") || reader.eat("||") || reader.eat("or") {
        parts.push(all(reader, depth)?);
    }
    Some(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) })
}

fn all(reader: &mut Reader, depth: usize) -> Option<Condition> {
    let mut parts = vec![one(reader, depth)?];
    while reader.eat("/\\") || reader.eat("&&") || reader.eat("and") {
        parts.push(one(reader, depth)?);
    }
    Some(if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) })
}

fn one(reader: &mut Reader, depth: usize) -> Option<Condition> {
    if depth > 64 {
        let range = reader.here();
        reader.mistake(range, "the condition is nested too deeply".into(), "leave parentheses out");
        reader.skip_all();
        return None;
    }
    if reader.eat("~") || reader.eat("not") || reader.eat("!") {
        return Some(Condition::Not(Box::new(one(reader, depth + 1)?)));
    }
    if reader.eat("(") {
        let inner = either(reader, depth + 1)?;
        if !reader.eat(")") {
            let range = reader.here();
            reader.mistake(range, "a parenthesis is not closed".into(), "write `)` here");
        }
        return Some(inner);
    }
    for (word, always) in [("true", true), ("false", false)] {
        if reader.eat(word) {
            return Some(if always { Condition::And(Vec::new()) } else { Condition::Or(Vec::new()) });
        }
    }
    let a = term(reader)?;
    let range = reader.here();
    let compare = match reader.next().map(|token| token.text) {
        Some("=" | "==") => Compare::Eq,
        Some("!=") => Compare::Ne,
        Some("<") => Compare::Lt,
        Some("<=") => Compare::Le,
        Some(">") => Compare::Gt,
        Some(">=") => Compare::Ge,
        _ => {
            reader.mistake(range, "here a comparison is expected".into(), "write ==, !=, <, <=, > or >=");
            return None;
        }
    };
    Some(Condition::Compare(compare, a, term(reader)?))
}

/// `P0:r0`, `0:r0`, `x`, `[x]`, `1`.
fn term(reader: &mut Reader) -> Option<Term> {
    let range = reader.here();
    let bracket = reader.eat("[");
    let token = reader.next();
    let text = token.as_ref().map_or("", |token| token.text);
    if reader.peek().is_some_and(|token| token.text == ":") && !bracket {
        reader.next();
        let named = reader.test.program.threads.iter().position(|thread| thread.name == text);
        let numbered = || reader.test.numbers.iter().position(|known| Some(*known) == number_of(text));
        let thread = named.or_else(numbered);
        let register = reader.next().map_or("", |token| token.text);
        let Some(thread) = thread else {
            reader.mistake(range, format!("there is no thread `{text}`"), "name one of the columns, such as `P0:r0`");
            return None;
        };
        let register = reader.register(thread, register);
        let observable = Observable::Register(thread, register);
        reader.mention(observable);
        return Some(Term::Observable(observable));
    }
    if bracket && !reader.eat("]") {
        let range = reader.here();
        reader.mistake(range, "a bracket is not closed".into(), "write `]` here");
    }
    if let Some(value) = number(text) {
        return Some(Term::Constant(value));
    }
    if text.starts_with("bv") && reader.eat("(") {
        let value = reader.next().and_then(|token| number(token.text));
        reader.eat(")");
        return value.map(Term::Constant);
    }
    if !is_name(text) {
        reader.mistake(range, "here a value is expected".into(), "write `P0:r0`, a location or a number");
        return None;
    }
    let location = reader.location(text);
    reader.mention(Observable::Location(location));
    Some(Term::Observable(Observable::Location(location)))
}
