//! Litmus tests: parsing, outcomes, and output.

use super::{queries, text};
use evaluation::litmus::{Budget, PictureFormat, WantedExecutions, answer, parse, pictures, text as render};
use hosts::Language;

/// How far is looked: small programs are searched whole.
const BUDGET: Budget = Budget { steps: 4_000, loop_iterations: 3, outcomes: 200 };

/// The input is a test.
pub fn run(bytes: &[u8]) {
    let text = text(bytes);
    queries::everything(Language::Litmus, &text, &queries::settings(0));
    let test = parse(&text);
    for mistake in &test.errors {
        assert!(text.get(mistake.range.clone()).is_some(), "{mistake:?}");
        assert!(!mistake.message.is_empty());
    }
    if !test.errors.is_empty() {
        return;
    }
    let answered = answer(&test, WantedExecutions::All, BUDGET);
    render(&text, &test, &answered, true);
    for format in [PictureFormat::Dot, PictureFormat::Svg] {
        pictures(&text, &test, &answered, format);
    }
    if answered.complete {
        let further = answer(&test, WantedExecutions::Nothing, Budget { steps: 2 * BUDGET.steps, ..BUDGET });
        assert!(further.outcomes().eq(answered.outcomes()), "who has found all finds no more by looking further");
        assert!(further.complete);
    }
}
