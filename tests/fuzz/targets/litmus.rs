//! Litmus tests: parsing, outcomes, and output.

use super::{queries, text};
use hosts::Language;
use litmus::{Budget, PictureFormat, WantedExecutions, answer, parse, pictures, text as render};

/// Enough to search small programs completely.
const BUDGET: Budget = Budget { steps: 4_000, loop_iterations: 3, outcomes: 200 };

/// Reads the input as a litmus test.
pub fn run(bytes: &[u8]) {
    let text = text(bytes);
    queries::everything(Language::Litmus, &text, &queries::settings(0));
    let test = parse(&text);
    for error in &test.errors {
        assert!(text.get(error.range.clone()).is_some(), "{error:?}");
        assert!(!error.message.is_empty());
    }
    if !test.errors.is_empty() {
        return;
    }
    let answered = answer(&test, WantedExecutions::All, BUDGET);
    render(&text, &test, &answered, WantedExecutions::All);
    for format in [PictureFormat::Dot, PictureFormat::Svg] {
        pictures(&text, &test, &answered, format);
    }
    if answered.complete {
        let further = answer(&test, WantedExecutions::Nothing, Budget { steps: 2 * BUDGET.steps, ..BUDGET });
        assert!(further.outcomes().eq(answered.outcomes()), "a complete search finds no more with a larger budget");
        assert!(further.complete);
    }
}
