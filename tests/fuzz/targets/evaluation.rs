//! `eval`: single instructions, and lines of `--batch`.

use super::{queries, text};
use evaluation::{EvaluationError, Pixel, Request};
use ide::batch::Batch;
use ide::evaluate::{evaluate, explain};
use values::literal;
use values::{AccessedSpace, Value};

/// The first byte chooses settings. A line with tabs is one of a batch; another is a request, with its parts between `|`: instruction, values in
/// memory, b, c, registers, windows; of several values a blank is between them.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let text = text(bytes);
    let mut batch = Batch::new(queries::settings(*choice));
    for line in text.lines() {
        if line.contains('\t') {
            let mut out = Vec::new();
            let good = batch.answer(line.as_bytes(), &mut out);
            let answer = String::from_utf8(out).expect("answers are text");
            assert!(answer.ends_with('\n') && answer.matches('\n').count() == 1, "a line for a line: {answer:?}");
            assert_eq!(good, !answer.starts_with("error: "), "{answer}");
            continue;
        }
        let mut parts = line.split('|');
        let mut next = || parts.next().unwrap_or_default().trim();
        let (instruction, memory, b, c) = (next(), next(), next(), next());
        let (registers, windows) = (next(), next());
        let several = |text| str::split_whitespace(text).collect::<Vec<_>>();
        let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
        let request = Request {
            instruction,
            memory: several(memory),
            b: given(b),
            c: given(c),
            registers: several(registers),
            windows: several(windows),
            pixel: [Pixel::Live, Pixel::Helper, Pixel::Killed, Pixel::Live][usize::from(choice >> 4 & 3)],
            generic: [None, Some(AccessedSpace::Shared)][usize::from(choice >> 6 & 1)],
            settings: queries::settings(*choice),
        };
        ask(&request);
    }
}

fn ask(request: &Request) {
    let explained = explain(request);
    match evaluate(request) {
        Ok(evaluation) => {
            assert!(
                explained.is_ok_and(|steps| !steps.is_empty()),
                "what can be computed can be explained: {request:?}"
            );
            evaluation.memory.iter().chain(&evaluation.destination).for_each(written);
        }
        Err(refusal) => {
            let reason = match &refusal {
                EvaluationError::Illegal { message, .. } | EvaluationError::Invalid(message) => message,
            };
            assert!(!reason.is_empty());
            assert_eq!(explained, Err(refusal), "both reject the same input");
        }
    }
}

/// A value is read back from both ways of writing it.
fn written(value: &Value) {
    let bits = format!("{value:#x}");
    assert_eq!(literal::parse(&bits, value.shape()), Ok(*value), "{bits}");
}
