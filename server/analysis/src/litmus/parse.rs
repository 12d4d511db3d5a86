//! Reads a litmus test in the syntax of Dartagnan: a header, first values, columns of instructions, and a claim.
//!
//! Reads on after a mistake, so that all are found. Must not know what the model says of the test.

use super::cell::{Cell, instruction};
use super::lexer::{Kind, Token, tokens};
use super::test::{Claim, Mistake, Test};
use emulator::model::{
    Alias, Bits, Compare, Condition, Instruction, Location, Observable, Place, Quantifier, Register, Term, Thread,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Reads a test. Whatever the text is, there is an answer.
pub fn parse(text: &str) -> Test {
    let mut parser = Parser { text, tokens: Vec::new(), at: 0, test: Test::default(), mentioned: Vec::new() };
    let body = parser.header();
    parser.tokens = tokens(text, body);
    parser.read();
    parser.finish()
}

/// The condition in a part of a text, over the threads and locations of a test that is known already. Mistakes are added to the test.
pub(super) fn claim(text: &str, range: Range<usize>, test: &mut Test) -> Option<Condition> {
    let all = tokens(&text[..range.end.min(text.len())], range.start);
    let before: Vec<usize> = test.program.threads.iter().map(|thread| thread.registers.len()).collect();
    let locations = test.program.locations.len();
    let mut parser = Parser { text, tokens: all, at: 0, test: std::mem::take(test), mentioned: Vec::new() };
    let condition = parser.or();
    if condition.is_some() && parser.at < parser.tokens.len() {
        let range = parser.here();
        parser.mistake(range, "this is more than a condition".into(), "join comparisons by && and ||");
    }
    let known = |observable: &Observable| match observable {
        Observable::Register(thread, register) => *register < before[*thread],
        Observable::Location(location) => *location < locations,
    };
    if condition.is_some() && !parser.mentioned.iter().all(known) {
        let message = "the condition names a register or a variable that no thread uses".into();
        parser.mistake(range, message, "write `consumer:%r1 == 1` with a function and one of its registers");
    }
    *test = parser.test;
    condition.filter(|_| test.mistakes.is_empty())
}

/// The size of every location of a test, in bytes.
pub const BYTES: u32 = 8;

pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    pub(super) test: Test,
    /// What the block and the condition name.
    mentioned: Vec<Observable>,
}

impl<'t> Parser<'t> {
    /// `PTX name` and whatever stands before the block; returns where the block begins.
    fn header(&mut self) -> usize {
        let text = self.text;
        let start = text.len() - text.trim_start_matches('\u{feff}').trim_start().len();
        let line = text[start..].lines().next().unwrap_or_default();
        let word = line.split_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case("ptx") {
            let name = line[word.len()..].split('{').next().unwrap_or_default();
            self.test.name = name.trim().to_owned();
        } else {
            let range = start..start + word.len();
            self.mistake(range, "a litmus test begins with `PTX` and its name".into(), "write `PTX MP`");
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
        // An odd quotation mark hides the block.
        text.find('{').unwrap_or(text.len())
    }

    fn read(&mut self) {
        self.block();
        self.threads();
        let columns = self.test.program.threads.len();
        let mut cells: Vec<Vec<Token<'t>>> = vec![Vec::new(); columns];
        while self.at < self.tokens.len() && !self.at_claim() {
            let from = self.at;
            self.row(&mut cells, columns);
            if self.at == from {
                self.at += 1;
            }
        }
        self.columns(cells);
        while self.at < self.tokens.len() {
            self.claim();
        }
    }

    fn block(&mut self) {
        if !self.eat("{") {
            let end = self.text.len();
            let range = self.tokens.first().map_or(end..end, |token| token.range.clone());
            return self.mistake(range, "the first values are missing".into(), "write `{ x=0; y=0; }` behind the name");
        }
        let mut entry = Vec::new();
        loop {
            let Some(token) = self.next() else {
                let end = self.text.len();
                return self.mistake(end..end, "the block of first values has no end".into(), "write `}` behind it");
            };
            match token.text {
                ";" | "}" => {
                    self.entry(&entry);
                    entry.clear();
                    if token.text == "}" {
                        self.eat(";");
                        return;
                    }
                }
                _ => entry.push(token),
            }
        }
    }

    /// One first value: `x=0`, `P0:r0=1`, `0:r0 = x`, `y @ generic aliases x`, each perhaps with a type before it.
    fn entry(&mut self, tokens: &[Token<'t>]) {
        let texts: Vec<&str> =
            tokens.iter().map(|token| token.text).filter(|text| !matches!(*text, "[" | "]" | "&")).collect();
        let texts = match &texts[..] {
            [first, second, ..] if is_name(first) && is_name(second) && *first != "P" => &texts[1..],
            all => all,
        };
        let range = tokens.first().map_or(0..0, |first| first.range.start..tokens[tokens.len() - 1].range.end);
        match texts {
            [] => {}
            [name, "@", kind, "aliases", of] => {
                let generic = match *kind {
                    "generic" => true,
                    "texture" | "surface" | "constant" => false,
                    _ => {
                        let message = format!("`{kind}` is no proxy");
                        return self.mistake(range, message, "write generic, texture, surface or constant");
                    }
                };
                let of = self.location(of);
                let alias = self.location(name);
                if self.test.program.physical(of) == alias {
                    return self.mistake(
                        range,
                        format!("`{name}` would be an alias of itself"),
                        "name another location",
                    );
                }
                self.test.program.locations[alias].alias = Some(Alias { of, generic });
            }
            [thread, ":", register, rest @ ..] => {
                let Some(thread) = number_of(thread) else {
                    return self.mistake(range, format!("`{thread}` is no thread"), "write `P0:r0=0`");
                };
                let value = match rest {
                    [] => Some(0),
                    ["=", value] => self.value(value),
                    _ => None,
                };
                let Some(value) = value else {
                    return self.mistake(range, "this is no first value".into(), "write `P0:r0=0` or `P0:r0=x`");
                };
                let thread = self.thread(thread);
                let register = self.register(thread, register);
                self.test.program.threads[thread].registers[register].init = value;
                self.mention(Observable::Register(thread, register));
            }
            [name, rest @ ..] if is_name(name) => {
                let value = match rest {
                    [] => Some(0),
                    ["=", value] => self.value(value),
                    _ => None,
                };
                let Some(value) = value else {
                    return self.mistake(range, "this is no first value".into(), "write `x=0`");
                };
                let location = self.location(name);
                self.test.program.locations[location].init = value;
                self.mention(Observable::Location(location));
            }
            _ => self.mistake(
                range,
                "this is no first value".into(),
                "write `x=0`, `P0:r0=0` or `y @ generic aliases x`",
            ),
        }
    }

    /// A number, or the address of a location.
    fn value(&mut self, text: &str) -> Option<Bits> {
        number(text).or_else(|| {
            let at = is_name(text).then(|| self.location(text))?;
            Some(self.test.program.locations[at].address.into())
        })
    }

    /// `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`
    fn threads(&mut self) {
        let mut order = Vec::new();
        loop {
            let start = self.peek().map_or(self.text.len(), |token| token.range.start);
            let mut cell = Vec::new();
            let mut end = None;
            while let Some(token) = self.next() {
                if matches!(token.text, "|" | ";") {
                    end = Some(token.text);
                    break;
                }
                cell.push(token);
            }
            match thread_of(&cell) {
                Some((number, place)) => {
                    let thread = self.thread(number);
                    self.test.program.threads[thread].place = place;
                    if order.contains(&thread) {
                        self.mistake(cell[0].range.clone(), format!("P{number} is there twice"), "number the threads");
                    }
                    order.push(thread);
                }
                None => {
                    let stop = cell.last().map_or(start, |token| token.range.end);
                    let message = "here a thread and its place are expected".to_owned();
                    self.mistake(start..stop, message, "write `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`");
                }
            }
            if end != Some("|") {
                break;
            }
        }
        self.arrange(&order);
    }

    /// Puts the threads into the order of their columns; what only the block names comes last and is a mistake.
    fn arrange(&mut self, order: &[usize]) {
        let mut all = order.to_vec();
        all.dedup();
        for thread in 0..self.test.program.threads.len() {
            if !all.contains(&thread) {
                let (name, range) = (self.test.program.threads[thread].name.clone(), 0..0);
                self.mistake(range, format!("{name} has a first value but no column"), "give it a column");
                all.push(thread);
            }
        }
        let threads = std::mem::take(&mut self.test.program.threads);
        let numbers = std::mem::take(&mut self.test.numbers);
        self.test.program.threads = all.iter().map(|at| threads[*at].clone()).collect();
        self.test.numbers = all.iter().map(|at| numbers[*at]).collect();
        for observable in &mut self.mentioned {
            if let Observable::Register(thread, _) = observable {
                *thread = all.iter().position(|at| at == thread).unwrap_or(*thread);
            }
        }
    }

    /// A row of cells.
    fn row(&mut self, cells: &mut [Vec<Token<'t>>], columns: usize) {
        let mut column = 0;
        while let Some(token) = self.next() {
            match token.text {
                "|" => column += 1,
                ";" => {
                    for cell in cells.iter_mut() {
                        cell.push(Token { kind: Kind::Sign, text: ";", range: token.range.clone() });
                    }
                    return;
                }
                _ if column < columns => cells[column].push(token),
                _ => {
                    let message = format!("there are {columns} columns, and this stands in a further one");
                    self.mistake(token.range, message, "give the thread a head, or leave the cell out");
                    while self.peek().is_some_and(|token| token.text != ";") {
                        self.at += 1;
                    }
                }
            }
            if self.at_claim() {
                let end = self.tokens[self.at - 1].range.end;
                return self.mistake(end..end, "the row has no end".into(), "write `;` behind it");
            }
        }
    }

    /// The instructions of each column.
    fn columns(&mut self, cells: Vec<Vec<Token<'t>>>) {
        for (thread, column) in cells.iter().enumerate() {
            let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
            let mut jumps: Vec<(usize, Token)> = Vec::new();
            for cell in column.split(|token| token.text == ";") {
                let mut cell = cell;
                while let [label, colon, rest @ ..] = cell {
                    if colon.text != ":" {
                        break;
                    }
                    labels.insert(label.text, self.test.program.threads[thread].code.len());
                    cell = rest;
                }
                let [opcode, operands @ ..] = cell else { continue };
                let range = opcode.range.start..cell[cell.len() - 1].range.end;
                let at = self.test.program.threads[thread].code.len();
                match instruction(self, &Cell { thread, opcode, operands, range: range.clone() }) {
                    Ok((made, jump)) => {
                        jumps.extend(jump.map(|label| (at, label)));
                        self.test.program.threads[thread].code.push(made);
                        self.test.places.push((thread, at, range));
                    }
                    Err(mistake) => self.test.mistakes.push(mistake),
                }
            }
            for (at, label) in jumps {
                match labels.get(label.text) {
                    Some(to) => {
                        if let Instruction::Branch { target, .. } = &mut self.test.program.threads[thread].code[at] {
                            *target = *to;
                        }
                    }
                    None => {
                        let message = format!("this thread has no label `{}`", label.text);
                        self.mistake(label.range, message, "write `LC00:` where the jump shall go");
                    }
                }
            }
        }
    }

    fn at_claim(&self) -> bool {
        let is =
            |token: &Token| matches!(token.text, "exists" | "forall" | "~" | "filter" | "locations" | "not" | "final");
        self.tokens.get(self.at).is_some_and(is)
    }

    /// `exists (…)`, `~exists (…)`, `forall (…)`, `filter (…)` or `locations […]`.
    fn claim(&mut self) {
        let Some(first) = self.next() else { return };
        let quantifier = match first.text {
            "exists" => Quantifier::Exists,
            "forall" => Quantifier::ForAll,
            "~" | "not" if self.eat("exists") => Quantifier::NotExists,
            "filter" => {
                self.test.filter = self.or();
                self.eat(";");
                return;
            }
            "locations" => {
                while self.next().is_some_and(|token| token.text != "]") {}
                return;
            }
            ";" => return,
            _ => {
                let message = format!("`{}` cannot stand here", first.text);
                return self.mistake(first.range, message, "write `exists (…)`, `~exists (…)` or `forall (…)`");
            }
        };
        let range = first.range.start..self.tokens[self.at - 1].range.end;
        if let Some(condition) = self.or() {
            if self.test.claim.is_some() {
                return self.mistake(range, "there is a claim already".into(), "keep one of them");
            }
            self.test.claim = Some(Claim { quantifier, condition, range });
        }
        self.eat(";");
    }

    fn or(&mut self) -> Option<Condition> {
        let mut parts = vec![self.and(0)?];
        while self.eat("\\/") || self.eat("||") || self.eat("or") {
            parts.push(self.and(0)?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) })
    }

    fn and(&mut self, depth: usize) -> Option<Condition> {
        let mut parts = vec![self.not(depth)?];
        while self.eat("/\\") || self.eat("&&") || self.eat("and") {
            parts.push(self.not(depth)?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) })
    }

    fn not(&mut self, depth: usize) -> Option<Condition> {
        if depth > 64 || self.at > 1 << 20 {
            let range = self.here();
            self.mistake(range, "the condition is nested too deeply".into(), "leave parentheses out");
            self.at = self.tokens.len();
            return None;
        }
        if self.eat("~") || self.eat("not") || self.eat("!") {
            return Some(Condition::Not(Box::new(self.not(depth + 1)?)));
        }
        if self.eat("(") {
            let mut parts = vec![self.and(depth + 1)?];
            while self.eat("\\/") || self.eat("||") || self.eat("or") {
                parts.push(self.and(depth + 1)?);
            }
            if !self.eat(")") {
                let range = self.here();
                self.mistake(range, "a parenthesis is not closed".into(), "write `)` here");
            }
            return Some(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) });
        }
        for (word, always) in [("true", true), ("false", false)] {
            if self.eat(word) {
                return Some(if always { Condition::And(Vec::new()) } else { Condition::Or(Vec::new()) });
            }
        }
        let a = self.term()?;
        let range = self.here();
        let compare = match self.next().map(|token| token.text) {
            Some("=" | "==") => Compare::Eq,
            Some("!=") => Compare::Ne,
            Some("<") => Compare::Lt,
            Some("<=") => Compare::Le,
            Some(">") => Compare::Gt,
            Some(">=") => Compare::Ge,
            _ => {
                self.mistake(range, "here a comparison is expected".into(), "write ==, !=, <, <=, > or >=");
                return None;
            }
        };
        Some(Condition::Compare(compare, a, self.term()?))
    }

    /// `P0:r0`, `0:r0`, `x`, `[x]`, `1`.
    fn term(&mut self) -> Option<Term> {
        let range = self.here();
        let bracket = self.eat("[");
        let token = self.next();
        let text = token.as_ref().map_or("", |token| token.text);
        if self.peek().is_some_and(|token| token.text == ":") && !bracket {
            self.at += 1;
            let named = self.test.program.threads.iter().position(|thread| thread.name == text);
            let numbered = || self.test.numbers.iter().position(|known| Some(*known) == number_of(text));
            let thread = named.or_else(numbered);
            let register = self.next().map_or("", |token| token.text);
            let Some(thread) = thread else {
                self.mistake(range, format!("there is no thread `{text}`"), "name one of the columns, such as `P0:r0`");
                return None;
            };
            let register = self.register(thread, register);
            let observable = Observable::Register(thread, register);
            self.mention(observable);
            return Some(Term::Observable(observable));
        }
        if bracket && !self.eat("]") {
            let range = self.here();
            self.mistake(range, "a bracket is not closed".into(), "write `]` here");
        }
        if let Some(value) = number(text) {
            return Some(Term::Constant(value));
        }
        if text.starts_with("bv") && self.eat("(") {
            let value = self.next().and_then(|token| number(token.text));
            self.eat(")");
            return value.map(Term::Constant);
        }
        if !is_name(text) {
            self.mistake(range, "here a value is expected".into(), "write `P0:r0`, a location or a number");
            return None;
        }
        let location = self.location(text);
        self.mention(Observable::Location(location));
        Some(Term::Observable(Observable::Location(location)))
    }

    fn finish(mut self) -> Test {
        let end = self.text.len();
        if self.test.claim.is_none() && self.test.mistakes.is_empty() {
            self.mistake(end..end, "the test claims nothing".into(), "write `exists (P1:r0 == 1)` at the end");
        }
        let mut test = self.test;
        let name = |observable: &Observable| match observable {
            Observable::Register(thread, register) => {
                format!("{}:{}", test.numbers[*thread], test.program.threads[*thread].registers[*register].name)
            }
            Observable::Location(location) => test.program.locations[*location].name.clone(),
        };
        let mut observed: Vec<_> = self.mentioned.iter().map(|observable| (name(observable), *observable)).collect();
        observed.sort();
        observed.dedup();
        test.observed = observed;
        test
    }

    fn mention(&mut self, observable: Observable) {
        if !self.mentioned.contains(&observable) {
            self.mentioned.push(observable);
        }
    }

    pub(super) fn mistake(&mut self, range: Range<usize>, message: String, help: &str) {
        self.test.mistakes.push(Mistake { range, message, help: help.to_owned() });
    }

    fn here(&self) -> Range<usize> {
        let end = self.tokens.last().map_or(self.text.len(), |token| token.range.end);
        self.tokens.get(self.at).map_or(end..end, |token| token.range.clone())
    }

    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let token = self.tokens.get(self.at).cloned();
        self.at += usize::from(token.is_some());
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.text == text);
        self.at += usize::from(found);
        found
    }

    fn thread(&mut self, number: u32) -> usize {
        self.test.numbers.iter().position(|known| *known == number).unwrap_or_else(|| {
            self.test.numbers.push(number);
            self.test.program.threads.push(Thread { name: format!("P{number}"), ..Thread::default() });
            self.test.numbers.len() - 1
        })
    }

    /// The register of a name, which is there from now on.
    pub(super) fn register(&mut self, thread: usize, name: &str) -> usize {
        self.known_register(thread, name).unwrap_or_else(|| {
            let registers = &mut self.test.program.threads[thread].registers;
            registers.push(Register { name: name.to_owned(), init: 0 });
            registers.len() - 1
        })
    }

    pub(super) fn known_register(&self, thread: usize, name: &str) -> Option<usize> {
        self.test.program.threads[thread].registers.iter().position(|register| register.name == name)
    }

    /// The location of a name, which is there from now on.
    pub(super) fn location(&mut self, name: &str) -> usize {
        self.known_location(name).unwrap_or_else(|| {
            let locations = &mut self.test.program.locations;
            let address = (locations.len() as u64 + 1) << 12;
            locations.push(Location { name: name.to_owned(), init: 0, address, bytes: BYTES, alias: None });
            locations.len() - 1
        })
    }

    pub(super) fn known_location(&self, name: &str) -> Option<usize> {
        self.test.program.locations.iter().position(|location| location.name == name)
    }
}

/// The head of a column: `P0@cta 0,gpu 0`, perhaps with a cluster.
fn thread_of(cell: &[Token]) -> Option<(u32, Place)> {
    let [name, rest @ ..] = cell else { return None };
    let number = number_of(name.text)?;
    let mut place = Place::default();
    let mut cluster = None;
    let mut rest = match rest {
        [at, rest @ ..] if at.text == "@" => rest,
        [] => return Some((number, place)),
        _ => return None,
    };
    while let [kind, value, more @ ..] = rest {
        let value = value.text.parse().ok()?;
        match kind.text {
            "cta" => place.cta = value,
            "cluster" => cluster = Some(value),
            "gpu" => place.gpu = value,
            "sys" => {}
            _ => return None,
        }
        rest = match more {
            [comma, more @ ..] if comma.text == "," => more,
            more => more,
        };
    }
    // Without clusters, each CTA is one of its own.
    place.cluster = cluster.unwrap_or(place.cta);
    rest.is_empty().then_some((number, place))
}

/// The number of a thread: `P0` or `0`.
fn number_of(text: &str) -> Option<u32> {
    text.strip_prefix(['P', 'p']).unwrap_or(text).parse().ok()
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '%' | '$'))
}

/// A number of 64 bits, decimal or hexadecimal.
pub(super) fn number(text: &str) -> Option<Bits> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<u64>().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value }.into())
}
