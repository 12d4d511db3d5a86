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

/// `litmus` allows these outcomes. They need load buffering, and a store that no other execution has.
#[test]
fn stores_that_only_load_buffering_makes_are_not_ruled_out() {
    const GUARDED: &str = "@%p st.relaxed.gpu.global.u32 [%m],3;";
    const CHAIN: &str = "--grid 4 --arg m=u32[6] --forbid m[2]==1&&m[3]==1&&m[4]==2";
    for (text, store, options) in [
        (include_str!("rare_executions/broken_chain.ptx"), GUARDED, CHAIN),
        (include_str!("rare_executions/moved_store.ptx"), "st.relaxed.gpu.global.u32 [%w],3;", CHAIN),
        (include_str!("rare_executions/stale_read.ptx"), GUARDED, "--grid 4 --arg m=u32[4] --forbid m[2]==1&&m[3]==4"),
    ] {
        let (code, line) = check(text, options);
        assert!(code == 3 && line.contains("load buffering"), "{line}");
        assert!(text.contains(store), "{text}");
        let (code, line) = check(&text.replace(store, ""), options);
        assert!(code == 0 && line.starts_with("proved"), "{line}");
    }
}

#[test]
fn stores_to_memory_that_nobody_exchanges_are_ruled_out() {
    let options = "--grid 4 --arg lock=u32[1] --arg tail=u32[1] --arg queue=u32[4] --expect queue=7,7,7,7";
    let (code, line) = check(include_str!("rare_executions/locked_queue.ptx"), options);
    assert!(code == 0 && line.starts_with("proved"), "{line}");
}

/// A register that is used for several things depends on a read only where it has what was computed from it.
#[test]
fn registers_that_are_used_again_do_not_hide_stores() {
    let options = "--grid 4 --arg m=u32[5] --require m[4]==3";
    let (code, line) = check(include_str!("rare_executions/reused_predicate.ptx"), options);
    assert!(code == 0 && line.starts_with("proved"), "{line}");
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
