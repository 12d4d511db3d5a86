//! The heads of the columns: which threads there are, and where each runs.
//!
//! Must not know what they do.

use super::reader::{Reader, number, number_of};
use crate::litmus::lexer::Token;
use emulator::model::{Observable, Place};

/// `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`
pub fn read(reader: &mut Reader) {
    let mut order = Vec::new();
    loop {
        let start = reader.here().start;
        let mut cell = Vec::new();
        let mut end = None;
        while let Some(token) = reader.next() {
            if matches!(token.text, "|" | ";") {
                end = Some(token.text);
                break;
            }
            cell.push(token);
        }
        match head(&cell) {
            Some((number, place)) => {
                let thread = reader.thread(number);
                reader.test.program.threads[thread].place = place;
                if order.contains(&thread) {
                    reader.mistake(cell[0].range.clone(), format!("P{number} is there twice"), "number the threads");
                }
                order.push(thread);
            }
            None => {
                let stop = cell.last().map_or(start, |token| token.range.end);
                let message = "here a thread and its place are expected".to_owned();
                reader.mistake(start..stop, message, "write `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`");
            }
        }
        if end != Some("|") {
            break;
        }
    }
    arrange(reader, &order);
}

/// Puts the threads into the order of their columns; what only the block names comes last and is a mistake.
fn arrange(reader: &mut Reader, order: &[usize]) {
    let mut all = order.to_vec();
    all.dedup();
    for thread in 0..reader.test.program.threads.len() {
        if !all.contains(&thread) {
            let (name, range) = (reader.test.program.threads[thread].name.clone(), 0..0);
            reader.mistake(range, format!("{name} has a first value but no column"), "give it a column");
            all.push(thread);
        }
    }
    let threads = std::mem::take(&mut reader.test.program.threads);
    let numbers = std::mem::take(&mut reader.test.numbers);
    reader.test.program.threads = all.iter().map(|at| threads[*at].clone()).collect();
    reader.test.numbers = all.iter().map(|at| numbers[*at]).collect();
    for observable in &mut reader.mentioned {
        if let Observable::Register(thread, _) = observable {
            *thread = all.iter().position(|at| at == thread).unwrap_or(*thread);
        }
    }
}

/// The head of a column: `P0@cta 0,gpu 0`, perhaps with a cluster.
fn head(cell: &[Token]) -> Option<(u32, Place)> {
    let [name, rest @ ..] = cell else { return None };
    let place = match rest {
        [at, rest @ ..] if at.text == "@" => place(rest)?,
        [] => Place::default(),
        _ => return None,
    };
    Some((number_of(name.text)?, place))
}

/// `cta 0, cluster 0, gpu 0`; what is not said is 0, and a CTA without a cluster is one of its own.
pub fn place(mut rest: &[Token]) -> Option<Place> {
    let mut place = Place::default();
    let mut cluster = None;
    while let [kind, value, more @ ..] = rest {
        let value = u32::try_from(number(value.text)?).ok()?;
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
    place.cluster = cluster.unwrap_or(place.cta);
    rest.is_empty().then_some(place)
}
