//! Kernels with a problem that few executions have, in `check`: a search that takes one order of steps for all must not miss these.

use crate::run_in;

/// The exit code and the first line of a check.
fn check(text: &str, options: &str) -> (i32, String) {
    let options: Vec<&str> = ["check", "-"].into_iter().chain(options.split(' ')).collect();
    let run = run_in(&support::root(), &options, text.as_bytes());
    (run.code, run.stdout.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn a_copy_may_end_after_its_source() {
    let (code, line) = check(include_str!("rare_executions/ended_source.ptx"), "--block 2 --arg o=u32[16]");
    assert!(code == 1 && line.contains("error[use-after-free]"), "{line}");
}

#[test]
fn who_has_met_before_an_arrival_is_told_apart() {
    let (code, line) = check(include_str!("rare_executions/meeting.ptx"), "--block 34");
    assert!(code == 1 && line.contains("error[deadlock]"), "{line}");
}
