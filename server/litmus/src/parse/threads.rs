//! Parses the heads of the columns: the threads and their positions.

use crate::lexer::LitmusToken;
use crate::parse::reader::{LitmusReader, number, number_of};
use crate::test::LitmusError;
use memory_model::{Observable, ThreadPosition};

/// `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`
pub fn read(reader: &mut LitmusReader) {
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
            Some(Err(error)) => reader.test.errors.push(error),
            Some(Ok((number, place))) => {
                let thread = reader.thread(number);
                reader.test.program.threads[thread].place = place;
                if order.contains(&thread) {
                    reader.error(
                        cell[0].range.clone(),
                        format!("duplicate thread `P{number}`"),
                        "give each thread its own number",
                    );
                }
                order.push(thread);
            }
            None => {
                let stop = cell.last().map_or(start, |token| token.range.end);
                let message = "expected a thread and its placement".to_owned();
                reader.error(start..stop, message, "write `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`");
            }
        }
        if end != Some("|") {
            break;
        }
    }
    arrange(reader, &order);
}

/// Sorts the threads by their columns. Threads that only initial values name come last and are errors.
fn arrange(reader: &mut LitmusReader, order: &[usize]) {
    let mut all = order.to_vec();
    all.dedup();
    for thread in 0..reader.test.program.threads.len() {
        if !all.contains(&thread) {
            let (name, range) = (reader.test.program.threads[thread].name.clone(), 0..0);
            reader.error(range, format!("`{name}` has an initial value but no column"), "add a column for it");
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
fn head(cell: &[LitmusToken]) -> Option<Result<(u32, ThreadPosition), LitmusError>> {
    let [name, rest @ ..] = cell else { return None };
    let number = number_of(name.text)?;
    let place = match rest {
        [at, rest @ ..] if at.text == "@" => place(rest),
        [] => Ok(ThreadPosition::default()),
        _ => return None,
    };
    Some(place.map(|place| (number, place)))
}

/// The levels of a position.
const LEVELS: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

/// Parses `cta 0, cluster 0, gpu 0`. The default is 0; a CTA without a cluster is its own cluster.
pub fn place(mut rest: &[LitmusToken]) -> Result<ThreadPosition, LitmusError> {
    let mut numbers = [None; LEVELS.len()];
    while let [level, more @ ..] = rest {
        let error = |token: &LitmusToken, message: String| {
            Err(LitmusError { range: token.range.clone(), message, help: "write `@ cta 0, cluster 0, gpu 0`".into() })
        };
        let Some(at) = LEVELS.iter().position(|known| *known == level.text) else {
            return error(level, format!("unknown level `{}`", level.text));
        };
        let Some((value, more)) = more.split_first() else {
            return error(level, format!("missing number after `{}`", level.text));
        };
        let Some(number) = number(value.text).and_then(|number| u32::try_from(number).ok()) else {
            return error(value, format!("invalid {} number `{}`", level.text, value.text));
        };
        if numbers[at].replace(number).is_some() {
            return error(level, format!("duplicate `{}`", level.text));
        }
        rest = match more {
            [comma, more @ ..] if comma.text == "," => more,
            more => more,
        };
    }
    let [cta, cluster, gpu, _] = numbers;
    let cta = cta.unwrap_or_default();
    Ok(ThreadPosition { cta, cluster: cluster.unwrap_or(cta), gpu: gpu.unwrap_or_default() })
}
