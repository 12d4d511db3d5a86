//! Parses claims: conditions on the final values.

use crate::lexer::LitmusToken;
use crate::lower::Widths;
use crate::parse::reader::{LitmusReader, fits, is_name, number, number_of};
use crate::test::{Claim, Test};
use memory_model::{Compare, Condition, Observable, Quantifier, Term};
use std::ops::Range;

/// Parses the condition in a range of a text, over the threads and locations of a test whose registers have these widths. Errors are added
/// to the test.
pub fn condition(text: &str, range: Range<usize>, test: &mut Test, widths: &[Widths]) -> Option<Condition> {
    let used = Used::of(test);
    let mut reader = LitmusReader::new(&text[..range.end.min(text.len())], std::mem::take(test));
    reader.go_to(range.start);
    let condition = disjunction(&mut reader, 0);
    if condition.is_some() && reader.peek().is_some() {
        let range = reader.here();
        reader.error(range, "unexpected text after the condition".into(), "join comparisons with `&&` or `||`");
    }
    unused(&mut reader, &used);
    impossible(&mut reader, widths);
    *test = reader.test;
    condition.filter(|_| test.errors.is_empty())
}

/// The numbers of registers per thread and of locations before the claims are parsed.
pub struct Used {
    registers: Vec<usize>,
    locations: usize,
}

impl Used {
    /// The current numbers of a test.
    pub fn of(test: &Test) -> Self {
        let registers = test.program.threads.iter().map(|thread| thread.registers.len()).collect();
        Used { registers, locations: test.program.locations.len() }
    }
}

/// Reports names in claims that the program does not use.
pub fn unused(reader: &mut LitmusReader, used: &Used) {
    for (observable, range) in std::mem::take(&mut reader.named) {
        let program = &reader.test.program;
        let (message, known): (_, Vec<&str>) = match observable {
            Observable::Register(thread, register) if register >= used.registers[thread] => {
                let thread = &program.threads[thread];
                let name = &thread.registers[register].name;
                let message = format!("`{}` does not use `{name}`", thread.name);
                (
                    message,
                    thread.registers.iter().filter(|known| known.name != *name).map(|known| &*known.name).collect(),
                )
            }
            Observable::Location(location) if location >= used.locations => {
                let message = format!("no thread accesses `{}`", program.locations[location].name);
                let known = program.locations[..used.locations].iter().filter(|known| !known.is_register);
                (message, known.map(|known| &*known.name).collect())
            }
            _ => continue,
        };
        let help = match known[..] {
            [] => "write a register, as in `f:%r1`, or a variable".to_owned(),
            _ => format!("expected one of {}", known[..known.len().min(LISTED)].join(", ")),
        };
        reader.error(range, message, &help);
    }
}

/// The most names that a help lists.
const LISTED: usize = 8;

/// Reports numbers that do not fit in what they are compared with.
fn impossible(reader: &mut LitmusReader, widths: &[Widths]) {
    for (observable, value, range) in std::mem::take(&mut reader.compared) {
        let name = reader.test.name(&observable);
        let width = match observable {
            Observable::Register(thread, register) => {
                let name = &reader.test.program.threads[thread].registers[register].name;
                widths.get(thread).map_or(64, |widths| widths.of(name))
            }
            Observable::Location(location) => reader.test.program.locations[location].bytes * 8,
        };
        if width < 64 && value >> width != 0 {
            let text = reader.text(range.clone());
            let message = format!("`{text}` does not fit in the {width} bits of `{name}`");
            let help = if fits(text, value, width) {
                format!("values are unsigned; write `{}`", value & ((1 << width) - 1))
            } else {
                format!("write a {width}-bit value")
            };
            reader.error(range, message, &help);
        }
    }
}

/// Whether a claim is next.
pub fn is_next(reader: &LitmusReader) -> bool {
    let begins = |token: &LitmusToken| {
        matches!(token.text, "exists" | "forall" | "~" | "filter" | "locations" | "not" | "final")
    };
    reader.peek().is_some_and(begins)
}

/// Parses the claims up to the end of the text.
pub fn claims(reader: &mut LitmusReader) {
    while let Some(first) = reader.next() {
        claim(reader, &first);
    }
}

/// `exists (…)`, `~exists (…)`, `forall (…)`, `filter (…)` or `locations […]`.
fn claim(reader: &mut LitmusReader, first: &LitmusToken) {
    let quantifier = match first.text {
        "exists" => Quantifier::Exists,
        "forall" => Quantifier::ForAll,
        "~" | "not" if reader.eat("exists") => Quantifier::NotExists,
        "filter" => {
            reader.test.filter = disjunction(reader, 0);
            reader.eat(";");
            return;
        }
        "locations" => {
            return listed(reader);
        }
        ";" => return,
        _ => {
            let message = format!("unexpected `{}`", first.text);
            return reader.error(first.range.clone(), message, "write `exists (…)`, `~exists (…)` or `forall (…)`");
        }
    };
    let range = first.range.start..reader.read_to();
    if let Some(condition) = disjunction(reader, 0) {
        if reader.test.claim.is_some() {
            return reader.error(range, "duplicate claim".into(), "keep one of them");
        }
        reader.test.claim = Some(Claim { quantifier, condition, range });
    }
    reader.eat(";");
}

/// `[x; P0:r0;]`: only checks the names, because outcomes include every observable anyway.
fn listed(reader: &mut LitmusReader) {
    while let Some(token) = reader.next().filter(|token| token.text != "]") {
        if reader.eat(":") {
            register(reader, token.text, token.range);
        } else if is_name(token.text) && reader.known_location(token.text).is_none() {
            let message = format!("no thread accesses `{}`", token.text);
            reader.error(token.range, message, "name a location of the test");
        }
    }
}

/// A disjunction.
fn disjunction(reader: &mut LitmusReader, depth: usize) -> Option<Condition> {
    let mut parts = vec![conjunction(reader, depth)?];
    while reader.eat("\\/") || reader.eat("||") || reader.eat("or") {
        parts.push(conjunction(reader, depth)?);
    }
    Some(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) })
}

fn conjunction(reader: &mut LitmusReader, depth: usize) -> Option<Condition> {
    let mut parts = vec![comparison(reader, depth)?];
    while reader.eat("/\\") || reader.eat("&&") || reader.eat("and") {
        parts.push(comparison(reader, depth)?);
    }
    Some(if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) })
}

fn comparison(reader: &mut LitmusReader, depth: usize) -> Option<Condition> {
    if depth > 64 {
        let range = reader.here();
        reader.error(range, "condition is nested too deeply".into(), "remove parentheses");
        reader.skip_all();
        return None;
    }
    if reader.eat("~") || reader.eat("not") || reader.eat("!") {
        return Some(Condition::Not(Box::new(comparison(reader, depth + 1)?)));
    }
    if reader.eat("(") {
        let inner = disjunction(reader, depth + 1)?;
        if !reader.eat(")") {
            let range = reader.here();
            reader.error(range, "unclosed parenthesis".into(), "add `)` here");
        }
        return Some(inner);
    }
    for (word, is_true) in [("true", true), ("false", false)] {
        if reader.eat(word) {
            return Some(if is_true { Condition::And(Vec::new()) } else { Condition::Or(Vec::new()) });
        }
    }
    let start = reader.here().start;
    let a = term(reader)?;
    let first = start..reader.read_to();
    let range = reader.here();
    let compare = match reader.next().map(|token| token.text) {
        Some("=" | "==") => Compare::Eq,
        Some("!=") => Compare::Ne,
        Some("<") => Compare::Lt,
        Some("<=") => Compare::Le,
        Some(">") => Compare::Gt,
        Some(">=") => Compare::Ge,
        _ => {
            reader.error(range, "expected a comparison operator".into(), "write `==`, `!=`, `<`, `<=`, `>` or `>=`");
            return None;
        }
    };
    let start = reader.here().start;
    let b = term(reader)?;
    let second = start..reader.read_to();
    match (a, b) {
        (Term::Observable(observable), Term::Constant(value)) => reader.compared.push((observable, value, second)),
        (Term::Constant(value), Term::Observable(observable)) => reader.compared.push((observable, value, first)),
        _ => {}
    }
    Some(Condition::Compare(compare, a, b))
}

/// `P0:r0`, `0:r0`, `x`, `[x]`, `1`.
fn term(reader: &mut LitmusReader) -> Option<Term> {
    let range = reader.here();
    let bracket = reader.eat("[");
    let token = reader.next();
    let text = token.as_ref().map_or("", |token| token.text);
    if reader.peek().is_some_and(|token| token.text == ":") && !bracket {
        reader.next();
        return register(reader, text, range).map(Term::Observable);
    }
    if bracket && !reader.eat("]") {
        let range = reader.here();
        reader.error(range, "unclosed bracket".into(), "add `]` here");
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
        reader.error(range, "expected a value".into(), "write `P0:r0`, a location or a number");
        return None;
    }
    let location = Observable::Location(reader.location(text));
    reader.mention(location);
    reader.named.push((location, range.start..reader.read_to()));
    Some(Term::Observable(location))
}

/// The register after `P0:`.
fn register(reader: &mut LitmusReader, thread: &str, range: Range<usize>) -> Option<Observable> {
    let threads = &reader.test.program.threads;
    let named: Vec<usize> = (0..threads.len()).filter(|at| threads[*at].name == thread).collect();
    let numbered = || reader.test.numbers.iter().position(|known| Some(*known) == number_of(thread));
    if let [first, second, ..] = named[..] {
        let message = format!("ambiguous thread `{thread}`: several threads run it");
        let help = format!("write the number of the thread: `P{first}:` or `P{second}:`");
        reader.error(range, message, &help);
        return None;
    }
    let Some(thread) = named.first().copied().or_else(numbered) else {
        let help = match threads.first() {
            Some(first) => format!("name one of the threads, such as `{}:`", first.name),
            None => "name one of the threads".to_owned(),
        };
        reader.error(range, format!("unknown thread `{thread}`"), &help);
        return None;
    };
    let here = reader.here();
    let Some(name) = reader.next().filter(|token| is_name(token.text)) else {
        reader.error(here, "expected a register".into(), "write `P0:r0`");
        return None;
    };
    let observable = Observable::Register(thread, reader.register(thread, name.text));
    reader.mention(observable);
    reader.named.push((observable, range.start..reader.read_to()));
    Some(observable)
}
