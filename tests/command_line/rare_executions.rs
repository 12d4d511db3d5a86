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

#[test]
fn who_observes_a_write_is_not_after_what_is_before_it() {
    let (code, line) = check(include_str!("rare_executions/observed_later.ptx"), "--grid 2 --arg x=u32[1]");
    assert!(code == 1 && line.contains("error[data-race]"), "{line}");
    // A release orders both.
    let text = include_str!("rare_executions/observed_later.ptx");
    let released = text.replacen("st.relaxed", "st.release", 1);
    let released = released.replacen("OTHER:\n\tld.relaxed", "OTHER:\n\tld.acquire", 1);
    let (code, line) = check(&released, "--grid 2 --arg x=u32[1]");
    assert_eq!(code, 0, "{line}");
}

#[test]
fn lanes_may_have_converged_or_not() {
    let text = include_str!("rare_executions/converged_lanes.ptx");
    let options = "--block 4 --arg n=u32[1] --expect n=4";
    let (code, line) = check(text, options);
    assert!(code == 1 && line.contains("error[claim]"), "{line}");
    let (code, line) = check(&text.replacen("mov.u32 place, 1", "mov.u32 place, together", 1), options);
    assert!(code == 0 && line.starts_with("proved: no execution has a problem"), "{line}");
    // Of many lanes, not all groups are explored.
    let many = options.replace('4', "12");
    let (code, line) = check(&text.replacen("mov.u32 place, 1", "mov.u32 place, together", 1), &many);
    assert!(code == 0 && line.contains("groups of lanes that may execute `activemask` together"), "{line}");
}
