//! Evaluates litmus tests and prints the time in microseconds, of each file and in total: `litmus_speed FILE…`.

use ptx_litmus::{Budget, WantedExecutions, answer, parse};
use std::time::Instant;

fn main() {
    let mut all = 0.0;
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let start = Instant::now();
        let test = parse(&text);
        let answer = answer(&test, WantedExecutions::Nothing, Budget::default());
        let time = start.elapsed().as_secs_f64() * 1e6;
        all += time;
        let (count, errors) = (answer.outcomes().len(), test.errors.len());
        let complete = if answer.complete { "complete" } else { "bounded" };
        println!("{} {complete} {count} outcomes {errors} errors {time:.0} us {path}", answer.verdict.word());
    }
    println!("{all:.0} us in all");
}
