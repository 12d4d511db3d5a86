//! Kernels with a problem that few executions have, in `check`: a search that takes one order of steps for all must not miss these.

use crate::run_in;

/// The exit code and the first line of a check.
pub fn check(text: &str, options: &str) -> (i32, String) {
    let options: Vec<&str> = ["check", "-"].into_iter().chain(options.split(' ')).collect();
    let run = run_in(&support::root(), &options, text.as_bytes());
    (run.code, run.stdout.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn a_copy_may_end_after_its_source() {
    let (code, line) = check(include_str!("ended_source.ptx"), "--block 2 --arg o=u32[16]");
    assert!(code == 1 && line.contains("error[use-after-free]"), "{line}");
}

#[test]
fn who_has_met_before_an_arrival_is_told_apart() {
    let (code, line) = check(include_str!("meeting.ptx"), "--block 34");
    assert!(code == 1 && line.contains("error[deadlock]"), "{line}");
}

/// `litmus` allows these outcomes. They need load buffering, and a store that no other execution has.
#[test]
fn stores_that_only_load_buffering_makes_are_found() {
    const GUARDED: &str = "@%p st.relaxed.gpu.global.u32 [%m],3;";
    const CHAIN: &str = "--grid 4 --arg m=u32[6] --forbid m[2]==1&&m[3]==1&&m[4]==2";
    for (text, store, options) in [
        (include_str!("broken_chain.ptx"), GUARDED, CHAIN),
        (include_str!("moved_store.ptx"), "st.relaxed.gpu.global.u32 [%w],3;", CHAIN),
        (include_str!("stale_read.ptx"), GUARDED, "--grid 4 --arg m=u32[4] --forbid m[2]==1&&m[3]==4"),
    ] {
        let (code, line) = check(text, options);
        assert!(code == 1 && line.contains("error[claim]"), "{line}");
        assert!(text.contains(store), "{text}");
        let (code, line) = check(&text.replace(store, ""), options);
        assert!(code == 0 && line.starts_with("proved"), "{line}");
    }
}

#[test]
fn stores_to_memory_that_nobody_exchanges_are_ruled_out() {
    let options = "--grid 4 --arg lock=u32[1] --arg tail=u32[1] --arg queue=u32[4] --expect queue=7,7,7,7";
    let (code, line) = check(include_str!("locked_queue.ptx"), options);
    assert!(code == 0 && line.starts_with("proved"), "{line}");
}

/// A register that is used for several things depends on a read only where it has what was computed from it.
#[test]
fn registers_that_are_used_again_do_not_hide_stores() {
    let options = "--grid 4 --arg m=u32[5] --require m[4]==3";
    let (code, line) = check(include_str!("reused_predicate.ptx"), options);
    assert!(code == 0 && line.starts_with("proved"), "{line}");
}

/// The model allows these outcomes, by load buffering and without a fence or barrier that each other execution has.
#[test]
fn fences_and_barriers_that_only_load_buffering_leaves_out_are_not_taken_for_granted() {
    const OUTCOME: &str = "--arg m=u32[3] --forbid m[0]==2&&m[2]==2";
    for (text, guard, launch, wanted) in [
        (include_str!("left_out_fence.ptx"), "@!%p fence", "--grid 2", (1, "error[claim]")),
        // Whether a thread waits for one that has no barrier is no question for the axioms.
        (include_str!("left_out_barrier.ptx"), "@!%p barrier", "--block 2", (3, "load buffering")),
    ] {
        let options = format!("{launch} {OUTCOME}");
        let (code, line) = check(text, &options);
        assert!(code == wanted.0 && line.contains(wanted.1), "{line}");
        assert!(text.contains(guard), "{text}");
        let (code, line) = check(&text.replace(guard, guard.trim_start_matches("@!%p ")), &options);
        assert!(code == 0 && line.starts_with("proved"), "{line}");
    }
}

/// The axioms allow it for words in shared memory, too, and forbid it where both threads release and acquire, or where what is written depends on the read.
#[test]
fn load_buffering_is_shown_with_its_reads() {
    let text = include_str!("shared_words.ptx");
    let options = "check - --block 2 --arg out=u32[2] --forbid out[0]==1&&out[1]==1";
    let options: Vec<&str> = options.split(' ').collect();
    let run = run_in(&support::root(), &options, text.as_bytes());
    assert_eq!(run.code, 1, "{}", run.stdout);
    for line in [
        "CTA 0 thread 0: line 22: ld.relaxed.cta.shared.u32 %r, [%x];  → reads 0x00000001 from `words[0]`",
        "  load buffering: in no order of these events is every write before the reads of it (",
    ] {
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
    let acquires = text.replace("ld.relaxed", "ld.acquire");
    let ordered = acquires.replace("st.relaxed", "st.release");
    for (text, code) in [(acquires, 1), (ordered, 0), (text.replace("[%y], 1", "[%y], %r"), 0)] {
        let run = run_in(&support::root(), &options, text.as_bytes());
        assert_eq!(run.code, code, "{text}: {}", run.stdout);
    }
}

/// Nor is an arrival that depends on what is written after the test.
#[test]
fn arrivals_that_only_load_buffering_brings_forward_are_not_ruled_out() {
    let text = include_str!("tested_early.ptx");
    let options = "--block 2 --arg m=u32[2] --forbid m[1]==1";
    let (code, line) = check(text, options);
    assert!(code == 3 && line.contains("load buffering"), "{line}");
    // Without the read it may come at any time, and a store that waits for it is none that it depends on.
    let (code, line) = check(&text.replace("@%p mbarrier.arrive", "mbarrier.arrive"), options);
    assert!(code == 1 && line.contains("error[claim]"), "{line}");
    let waits = text.replace("selp.u32 %r,1,0,%p;", "@!%p ret; mov.u32 %r, 1;");
    let (code, line) = check(&waits, options);
    assert!(code == 0 && line.starts_with("proved"), "{line}");
}

#[test]
fn a_fence_on_each_way_is_none_that_is_left_out() {
    let text = include_str!("left_out_fence.ptx");
    let on_both_ways = "@%p bra HIGH; fence.acq_rel.gpu; bra NEXT; HIGH: fence.sc.gpu; NEXT:";
    let text = text
        .replace("@!%p fence.acq_rel.gpu;", on_both_ways)
        .replace("add.u32 %w,%r,1;", "mov.u32 %w,2; st.global.u32 [%m+12],%r;");
    assert!(text.contains(on_both_ways) && text.contains("%w,2"), "{text}");
    let (code, line) = check(&text, "--grid 2 --arg m=u32[4] --forbid m[3]==1&&m[2]==2");
    assert!(code == 0 && line.starts_with("proved"), "{line}");
}

/// A read of what is written before it in each execution is none of load buffering.
#[test]
fn a_stack_whose_pushes_are_tried_again_is_proved() {
    let text = include_str!("retried_push.ptx");
    let options = "--grid 2 --arg head=u64[1] --arg next=u32[2] --arg value=u32[2] --arg popped=u32[2] \
                   --forbid popped[0]==popped[1]";
    let (code, line) = check(text, options);
    assert!(code == 0 && line.starts_with("proved: no execution has a problem"), "{line}");
    for order in ["atom.acquire", "atom.release"] {
        assert!(text.contains(order), "{text}");
        let (code, line) = check(&text.replace(order, "atom.relaxed"), options);
        assert!(code == 1 && line.contains("error[data-race]"), "{order}: {line}");
    }
}

/// A store behind a release at the same location releases, too.
#[test]
fn a_barrier_by_a_generation_is_proved() {
    let text = include_str!("generation_barrier.ptx");
    let options = "--grid 2 --arg count=u32[1] --arg generation=u32[1] --arg data=u32[4] --expect data=7,7,7,7";
    let (code, line) = check(text, options);
    assert!(code == 0 && line.starts_with("proved: no execution has a problem"), "{line}");
    for (order, weaker) in [
        ("atom.acq_rel", "atom.acquire"),
        ("atom.acq_rel", "atom.release"),
        ("red.release", "red.relaxed"),
        ("ld.acquire", "ld.relaxed"),
    ] {
        assert!(text.contains(order), "{text}");
        let (code, line) = check(&text.replace(order, weaker), options);
        assert!(code == 1 && line.contains("error[data-race]"), "{order}: {line}");
    }
}

#[test]
fn who_observes_a_write_is_not_after_what_is_before_it() {
    let (code, line) = check(include_str!("observed_later.ptx"), "--grid 2 --arg x=u32[1]");
    assert!(code == 1 && line.contains("error[data-race]"), "{line}");
    // A release orders both.
    let text = include_str!("observed_later.ptx");
    let released = text.replacen("st.relaxed", "st.release", 1);
    let released = released.replacen("OTHER:\n\tld.relaxed", "OTHER:\n\tld.acquire", 1);
    let (code, line) = check(&released, "--grid 2 --arg x=u32[1]");
    assert_eq!(code, 0, "{line}");
}

#[test]
fn lanes_may_have_converged_or_not() {
    let text = include_str!("converged_lanes.ptx");
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

#[test]
fn an_mbarrier_may_end_before_an_arrival() {
    let text = include_str!("ended_mbarrier.ptx");
    let (code, line) = check(text, "--block 2");
    assert!(code == 1 && line.contains("error[data-race]"), "{line}");
    let (code, line) = check(&text.replace("\tmbarrier.inval.shared::cta.b64 [bar];\n", ""), "--block 2");
    assert!(code == 0, "{line}");
}

#[test]
fn a_cta_may_end_before_what_others_do_with_its_memory() {
    let late_arrival = include_str!("late_arrival.ptx");
    let ends_together =
        late_arrival.replace("\tret;\n", "\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tret;\n");
    let late_copy = include_str!("late_copy.ptx");
    let waits = late_copy.replace("@p bra END;", "@p bra WAIT;");
    for (wrong, right, options) in [
        (late_arrival, ends_together, "--grid 2 --cluster 2"),
        (late_copy, waits, "--grid 2 --cluster 2 --arg from=u32[4]"),
    ] {
        let (code, line) = check(wrong, options);
        assert!(code == 1 && line.contains("error[use-after-free]"), "{line}");
        let (code, line) = check(&right, options);
        assert!(code == 0, "{line}");
    }
}

/// Arrivals and waits of a narrow scope say that a copy is over, so that another one may overwrite what it wrote, not read it.
#[test]
fn a_copy_reads_what_another_has_written_only_where_that_is_released_to_it() {
    let text = include_str!("copied_on.ptx");
    let options = "--grid 2 --cluster 2 --block 2 --arg from=u32[4] --arg to=u32[4]";
    let (code, line) = check(text, options);
    assert!(code == 1 && line.contains("error[data-race]"), "{line}");
    let released = text.replace("arrive.shared::cluster", "arrive.release.cluster.shared::cluster");
    let wait = "try_wait.parity.acquire.cluster.shared::cta.b64 p, [back]";
    let (code, line) = check(&released.replace("try_wait.parity.shared::cta.b64 p, [back]", wait), options);
    assert!(code == 0, "{line}");
}

/// The same store as in the broken chain, behind values that go through a thread's own memory, a call, or a choice of pointers.
#[test]
fn stores_that_load_buffering_makes_are_found_behind_memory_calls_and_pointers() {
    const STORE: &str = "@%p st.relaxed.gpu.global.u32 [%m],3;";
    const CHOSEN: &str = "setp.eq.u32 %p,%b,1; @%p st.relaxed.gpu.global.u32 [%m],3;";
    const ENTRY: &str = ".entry k(.param .u64 m)\n{\n";
    let text = include_str!("broken_chain.ptx");
    for (before, declared, store) in [
        ("", ".local .b32 own; ", "selp.u32 %b,1,0,%p; st.local.u32 [own],%b; ld.local.u32 %b,[own]; "),
        (".func (.reg .b32 r) one() { mov.b32 r,1; ret; }\n", "", "mov.u32 %b,0; @%p call (%b),one; "),
        (".func (.reg .b32 r) one() { mov.b32 r,1; ret; }\n", "", "mov.u32 %b,0; @!%p bra E; call (%b),one; E: "),
    ] {
        let changed = text.replace(STORE, &format!("{store}{CHOSEN}"));
        let changed = changed.replace(ENTRY, &format!("{before}{ENTRY}{declared}"));
        let (code, line) = check(&changed, "--grid 4 --arg m=u32[6] --forbid m[2]==1&&m[3]==1&&m[4]==2");
        assert!(code == 3 && line.contains("load buffering"), "{store}: {line}");
    }
    let chosen = "ld.param.u64 %w,[d]; @!%p bra E; ld.param.u64 %w,[m]; E: st.relaxed.gpu.global.u32 [%w],3;";
    let changed =
        text.replace(STORE, chosen).replace(ENTRY, ".entry k(.param .u64 m, .param .u64 d)\n{\n.reg .b64 %w; ");
    let options = "--grid 4 --arg m=u32[6] --arg d=u32[2] --forbid m[2]==1&&m[3]==1&&m[4]==2";
    let (code, line) = check(&changed, options);
    assert!(code == 1 && line.contains("error[claim]"), "{line}");
}

/// What a lane in another CTA does is not after what lanes of a warp exchange.
#[test]
fn aggregated_updates_are_proved() {
    let text = include_str!("aggregated.ptx");
    let (code, line) = check(text, "--grid 2 --block 2 --arg count=u32[1] --arg out=u32[4] --expect out=1,1,1,1");
    assert!(code == 0, "{line}");
}
