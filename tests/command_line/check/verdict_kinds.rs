//! `check`: verdicts about all executions of small launches.

use crate::Run;
use crate::check::small_launches::{CTAS, FOUR, THREADS, assert_proved, assert_refuted, check, module, spin, verdict};

/// Whether load buffering may leave other memory.
fn has_further_final_states(run: &Run) -> bool {
    run.stdout.contains(r#""further_final_states":true"#)
}

#[test]
fn messages_need_release_and_acquire() {
    let write = "st.global.u32 [%x], 5; st.release.gpu.global.u32 [%y], 1;";
    let read = format!("{} ld.global.u32 %b, [%x];", spin("L", "ld.acquire.gpu.global.u32"));
    let relaxed = write.replace("release", "relaxed");
    for launch in [CTAS, THREADS] {
        assert_proved(&module(write, &read), &launch);
        assert_refuted(&module(&relaxed, &read), &launch, "data-race");
        assert_refuted(&module(write, &read.replace("acquire", "relaxed")), &launch, "data-race");
    }
    let narrow = write.replace("gpu", "cta");
    assert_refuted(&module(&narrow, &read), &CTAS, "data-race");
    assert_proved(&module(&narrow, &read), &THREADS);
}

#[test]
fn locks_exclude() {
    let lock = |name: &str, fence: &str| {
        format!(
            "{name}: atom.global.cas.b32 %a, [%y], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra {name}; {fence} \
             ld.global.u32 %b, [%x]; add.u32 %b, %b, 1; st.global.u32 [%x], %b; {fence} atom.global.exch.b32 %a, [%y], 0;"
        )
    };
    let text = |fence: &str| module(&lock("A", fence), &lock("B", fence));
    for launch in [CTAS, THREADS, FOUR] {
        let total = if launch == FOUR { "x=4" } else { "x=2" };
        let options: Vec<&str> = launch.into_iter().chain(["--expect", total]).collect();
        assert_proved(&text("fence.acq_rel.gpu;"), &options);
        assert_refuted(&text(""), &launch, "data-race");
    }
    assert_refuted(&text("fence.acq_rel.cta;"), &CTAS, "data-race");
}

#[test]
fn lost_updates_are_found() {
    let increment = "ld.relaxed.gpu.global.u32 %a, [%x]; add.u32 %a, %a, 1; st.relaxed.gpu.global.u32 [%x], %a;";
    let options: Vec<&str> = CTAS.into_iter().chain(["--expect", "x=2"]).collect();
    assert_refuted(&module(increment, increment), &options, "claim");
    let atomic = "red.global.add.u32 [%x], 1;";
    assert_proved(&module(atomic, atomic), &options);
}

#[test]
fn stale_values_are_read() {
    // Store buffering: each may miss what the other has written, unless a `fence.sc` is between.
    let thread = |own: &str, other: &str, fence: &str, result: &str| {
        format!(
            "st.relaxed.gpu.global.u32 [{own}], 1; {fence} ld.relaxed.gpu.global.u32 %a, [{other}]; \
             st.global.u32 [{result}], %a;"
        )
    };
    let text = |fence: &str| {
        // `%b` is 1 if both were missed, which only the second thread can know: it reads the other's result after a barrier.
        let first = thread("%x", "%y", fence, "%x+8") + "bar.sync 0;";
        let second = thread("%y", "%x", fence, "%y+8")
            + "bar.sync 0; ld.global.u32 %b, [%x+8]; or.b32 %b, %b, %a; st.global.u32 [%y+12], %b;";
        module(&first, &second).replace("bar.sync 0", "barrier.cta.sync 0")
    };
    let options: Vec<&str> = THREADS.into_iter().chain(["--expect", "y[3]=1"]).collect();
    assert_refuted(&text("fence.acq_rel.cta;"), &options, "claim");
    assert_proved(&text("fence.sc.cta;"), &options);
}

#[test]
fn endless_waits_are_deadlocks() {
    let forever = spin("L", "ld.acquire.gpu.global.u32");
    assert_refuted(&module("", &forever), &CTAS, "deadlock");
    let crosswise = |wait: &str, set: &str, name: &str| {
        format!(
            "{name}: ld.acquire.gpu.global.u32 %a, [{wait}]; setp.eq.u32 %p, %a, 0; @%p bra {name}; st.release.gpu.global.u32 [{set}], 1;"
        )
    };
    assert_refuted(&module(&crosswise("%x", "%y", "K"), &crosswise("%y", "%x", "L")), &CTAS, "deadlock");
    assert_refuted(&module("barrier.cta.sync 0, 64;", ""), &THREADS, "deadlock");
    assert_proved(&module("st.release.gpu.global.u32 [%y], 1;", &forever), &CTAS);
}

#[test]
fn loops_that_poll_by_updates_come_to_an_end() {
    let poll = "L: atom.global.add.u32 %a, [%y], 0; setp.ne.u32 %p, %a, 1; @%p bra L; fence.acq_rel.gpu; ld.global.u32 %b, [%x];";
    let write = "st.global.u32 [%x], 5; fence.acq_rel.gpu; red.global.add.u32 [%y], 1;";
    for launch in [CTAS, THREADS] {
        assert_proved(&module(write, poll), &launch);
        assert_proved(&module(write, &format!("fence.acq_rel.gpu; {poll}")), &launch);
    }
    // Three threads poll at the same time.
    let (code, verdict, ..) = verdict(&module(write, poll), &FOUR);
    assert_eq!((code, &*verdict), (0, "proved"));
}

#[test]
fn problems_that_leave_no_trace_are_found() {
    let set = "st.relaxed.gpu.global.u32 [%y], 1;";
    for (value, comparison) in [(1, "eq"), (1, "ne"), (0, "eq")] {
        // The write out of bounds has no effect, so both executions end in the same state.
        let others = format!(
            "ld.relaxed.gpu.global.u32 %a, [%y]; setp.{comparison}.u32 %p, %a, {value}; @%p st.global.u32 [%x+4096], 0;"
        );
        assert_refuted(&module(set, &others), &CTAS, "out-of-bounds");
    }
}

#[test]
fn problems_of_load_buffering_are_shown_and_bounds_are_named() {
    // The first thread traps if it reads what the second one writes after it has read what the first one writes later.
    let first =
        "ld.relaxed.gpu.global.u32 %a, [%x]; st.relaxed.gpu.global.u32 [%y], 1; setp.ne.u32 %p, %a, 1; @%p ret; trap;";
    let second = "ld.relaxed.gpu.global.u32 %a, [%y]; st.relaxed.gpu.global.u32 [%x], %a;";
    assert_refuted(&module(first, second), &CTAS, "trap");
    // What depends on it cannot be.
    assert_proved(&module(&first.replace("[%y], 1", "[%y], %a"), second), &CTAS);
    let bounded: Vec<&str> = CTAS.into_iter().chain(["--max-states", "2"]).collect();
    let run = check(&module(first, second), &bounded);
    assert_eq!(run.code, 3, "{}", run.stdout);
    assert!(run.stdout.contains(r#""verdict":"unknown""#), "{}", run.stdout);
    let endless = "mov.u32 %a, 0; L: add.u32 %a, %a, 1; bra L;";
    let limited: Vec<&str> = CTAS.into_iter().chain(["--max-instructions", "1000"]).collect();
    assert_eq!(check(&module(endless, ""), &limited).code, 3);
    // The bound also ends the only warp that is left.
    assert_eq!(check(&module(endless, ""), &["--max-instructions", "1000"]).code, 3);
    // A thread that executes nothing that others notice is stopped by the clock, too: this bound on instructions is hours away.
    let timed = check(&module(endless, ""), &["--seconds", "1", "--max-instructions", "1000000000000"]);
    assert!(timed.stdout.contains("the time of --seconds has passed"), "{}", timed.stdout);
}

#[test]
fn two_reads_of_a_location_are_an_acquire_pattern() {
    let text = |first: &str, second: &str| {
        let other = "ld.relaxed.gpu.global.u32 %a, [%y]; setp.ne.u32 %p, %a, 1; @%p ret; st.relaxed.gpu.global.u32 [%y], 2; ret;";
        let reader = format!(
            "setp.eq.u32 %p, %r, 2; @%p bra READ; {other} READ: {first} %a, [%y]; setp.ne.u32 %p, %a, 1; @%p ret; \
             {second} %b, [%y]; ld.global.u32 %b, [%x];"
        );
        module("st.global.u32 [%x], 5; st.release.gpu.global.u32 [%y], 1;", &reader)
    };
    let launch = ["--grid", "3"];
    let (relaxed, acquire) = ("ld.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32");
    // The first read observes the release, the second one acquires, whatever it reads.
    assert_proved(&text(relaxed, acquire), &launch);
    assert_proved(&text(acquire, relaxed), &launch);
    assert_refuted(&text(relaxed, relaxed), &launch, "data-race");
    assert_refuted(&text(relaxed, "ld.acquire.cta.global.u32"), &launch, "data-race");
}

#[test]
fn load_buffering_needs_a_write_that_does_not_depend_on_the_read_before_it() {
    let thread = |read: &str, written: &str, branch: &str| {
        format!(
            "ld.relaxed.gpu.global.u32 %a, [{read}]; setp.ne.u32 %p, %a, 1; {branch} st.relaxed.gpu.global.u32 [{written}], 1;"
        )
    };
    let is_complete = |first: &str, others: &str| {
        let run = check(&module(&thread("%x", "%y", first), &thread("%y", "%x", others)), &CTAS);
        assert_eq!(run.code, 0, "{}", run.stdout);
        !has_further_final_states(&run)
    };
    let end = |name: &str| format!("@%p bra {name}; {name}:");
    assert!(is_complete(&end("A"), &end("B")), "each write depends on the read before it");
    assert!(!is_complete(&end("A"), ""), "one does");
    assert!(!is_complete("", ""), "none does");
    // The branch depends on something else.
    let other = "setp.ne.u32 %p, %r, 7; @%p bra A; A:";
    assert!(!is_complete(other, &end("B")), "one does");
    // Only a release and an acquire synchronize.
    assert!(!is_complete("fence.release.gpu;", "fence.release.gpu;"), "nobody acquires");
    assert!(!is_complete("fence.acquire.gpu;", "fence.acquire.gpu;"), "nobody releases");
    assert!(is_complete("fence.acq_rel.gpu;", "fence.acq_rel.gpu;"), "both synchronize");
}

/// Kernels of which the memory model allows executions that are not explored one by one, and similar ones of which it does not.
#[test]
fn load_buffering_is_found_across_threads_barriers_and_values() {
    let verdict = |name: &str, first: &str, others: &str, launch: &[&str]| {
        let run = check(&module(first, others), launch);
        assert_eq!(run.code, 0, "{name}: {}", run.stdout);
        if has_further_final_states(&run) { "further ends" } else { "all ends" }
    };
    let copy = |read: &str, written: &str, value: &str| {
        format!("ld.relaxed.gpu.global.u32 %a, [{read}]; st.relaxed.gpu.global.u32 [{written}], {value};")
    };
    // The second thread synchronizes with the first one, the third one with nobody.
    let first = "ld.relaxed.gpu.global.u32 %a, [%x]; st.release.gpu.global.u32 [%y], 1;";
    let chain = |read: &str| {
        format!(
            "setp.eq.u32 %p, %r, 2; @%p bra LAST; {read}.gpu.global.u32 %a, [%y]; st.release.gpu.global.u32 [%y+4], 1; ret; \
             LAST: {}.gpu.global.u32 %a, [%y+4]; st.relaxed.gpu.global.u32 [%x], 1;",
            read
        )
    };
    assert_eq!(verdict("three threads", first, &chain("ld.acquire"), &["--grid", "3"]), "all ends");
    assert_eq!(verdict("three threads", first, &chain("ld.relaxed"), &["--grid", "3"]), "further ends");
    let half = chain("ld.acquire").replace("LAST: ld.acquire", "LAST: ld.relaxed");
    assert_eq!(verdict("two of three", first, &half, &["--grid", "3"]), "further ends");
    // A barrier is between the read and the write of another thread.
    let other = "setp.eq.u32 %p, %r, 1; @%p bra OTHER; barrier.sync 0; st.relaxed.gpu.global.u32 [%y], 1; ret; OTHER:";
    let others = format!("{other} setp.ne.u32 %p, %t, 2; @%p ret; {}", copy("%y", "%x", "1"));
    let launch = ["--grid", "2", "--block", "2"];
    assert_eq!(
        verdict("a barrier", "ld.relaxed.gpu.global.u32 %a, [%x]; barrier.sync 0;", &others, &launch),
        "further ends"
    );
    // Barriers of a warp order nothing between two of them.
    let alone = |read: &str, written: &str, barrier: &str| {
        copy(read, written, "1").replace("; st", &format!("; {barrier}; st"))
    };
    let second = alone("%y", "%x", "bar.warp.sync 1");
    let warps = format!("setp.ne.u32 %p, %t, 32; @%p ret; {second}");
    let named = verdict("warps", &alone("%x", "%y", "bar.warp.sync 1"), &warps, &["--block", "64"]);
    assert_eq!(named, "further ends");
    let block = ["--block", "2"];
    let common = alone("%x", "%y", "barrier.sync 0");
    assert_eq!(verdict("one", &common, &alone("%y", "%x", "barrier.sync 0"), &block), "all ends");
    // What is written depends on what was read.
    assert_eq!(verdict("values", &copy("%x", "%y", "%a"), &copy("%y", "%x", "%a"), &CTAS), "all ends");
    assert_eq!(verdict("one value", &copy("%x", "%y", "%a"), &copy("%y", "%x", "1"), &CTAS), "further ends");
    let address = "ld.relaxed.gpu.global.u32 %a, [%x]; mul.wide.u32 %y, %a, 0; add.u64 %y, %y, %x; st.relaxed.gpu.global.u32 [%y+8], 1;";
    assert_eq!(
        verdict(
            "an address",
            address,
            "ld.relaxed.gpu.global.u32 %a, [%x+8]; st.relaxed.gpu.global.u32 [%x], %a;",
            &CTAS
        ),
        "all ends"
    );
    // A second count depends on the first one.
    let twice = "atom.relaxed.gpu.global.add.u32 %a, [%x], 1; atom.relaxed.gpu.global.add.u32 %b, [%x], 1; \
                 add.u32 %a, %a, %b; st.global.u32 [%x+4], %a;";
    let wait = |location: &str| format!("ld.relaxed.gpu.global.u32 %a, [{location}]; setp.eq.u32 %p, %a, 0; @%p ret;");
    let others = format!(
        "setp.eq.u32 %p, %r, 2; @%p bra LAST; {} st.relaxed.gpu.global.u32 [%y], 1; ret; \
         LAST: {} atom.relaxed.gpu.global.add.u32 %a, [%x], 4; st.global.u32 [%x+8], %a;",
        wait("%x"),
        wait("%y"),
    );
    assert_eq!(verdict("two counts", twice, &others, &["--grid", "3"]), "all ends");
    // What counters were before is of no use to anybody.
    let counts = |one: &str, two: &str| {
        format!("red.relaxed.gpu.global.add.u32 [{one}], 1; atom.relaxed.gpu.global.add.u32 %a, [{two}], 1;")
    };
    assert_eq!(verdict("counters", &counts("%x", "%y"), &counts("%y", "%x"), &CTAS), "all ends");
    let used = "atom.relaxed.gpu.global.add.u32 %a, [%y], 1; atom.relaxed.gpu.global.add.u32 %b, [%x], 1; \
                add.u32 %a, %a, %b; st.global.u32 [%x+4], %a;";
    assert_eq!(verdict("a used count", &counts("%x", "%y"), used, &CTAS), "further ends");
}

#[test]
fn loops_that_count_come_to_an_end() {
    let set = "st.global.u32 [%x], 5; st.release.gpu.global.u32 [%y], 1;";
    let tries = "mov.u32 %b, 0; L: ld.acquire.gpu.global.u32 %a, [%y]; add.u32 %b, %b, 1; setp.eq.u32 %p, %a, 1; @%p bra OUT; \
                 setp.lt.u32 %p, %b, 50; @%p bra L; OUT:";
    // Of the loop that gives up, not all rounds are explored while the other thread can go on.
    let (code, verdict, complete, codes) = verdict(&module(set, tries), &FOUR);
    assert_eq!((code, &*verdict, complete), (0, "proved", false), "{codes:?}");
    // It gives up, and reads what nobody has published.
    assert_refuted(
        &module(set, &format!("{tries} ld.global.u32 %a, [%x];").replace("[%y]", "[%y+4]")),
        &CTAS,
        "data-race",
    );
    // Nobody else writes what it reads.
    assert_proved(&module("", tries), &CTAS);
}

#[test]
fn lanes_that_poll_together_come_to_an_end() {
    let set = "st.release.gpu.global.u32 [%y], 1;";
    let poll = |mode: &str| {
        format!(
            "L: ld.acquire.gpu.global.u32 %a, [%y]; setp.eq.u32 %p, %a, 1; vote.sync.{mode}.pred %p, %p, 6; @!%p bra L;"
        )
    };
    // Threads 1 and 2 of a warp, which thread 0 signals.
    for mode in ["any", "all"] {
        assert_proved(&module(set, &poll(mode)), &["--grid", "1", "--block", "3"]);
        assert_refuted(&module("", &poll(mode)), &["--grid", "1", "--block", "3"], "deadlock");
    }
}

#[test]
fn limits_on_time_end_loops() {
    let limit = "mov.u32 %b, %clock; L: ld.acquire.gpu.global.u32 %a, [%y]; setp.eq.u32 %p, %a, 1; @%p bra OUT; \
                 mov.u32 %a, %clock; sub.u32 %a, %a, %b; setp.lt.u32 %p, %a, 1000; @%p bra L; OUT:";
    assert_proved_in_part(&module("", limit), &CTAS);
    assert_refuted(&module("", &limit.replace("@%p bra L; OUT", "bra L; OUT")), &CTAS, "deadlock");
}

/// No problem, but not all executions were explored.
fn assert_proved_in_part(text: &str, options: &[&str]) {
    assert_eq!(verdict(text, options), (0, "proved".to_owned(), false, Vec::new()), "{text}");
}

#[test]
fn an_earlier_kernel_that_is_not_waited_for_races() {
    let kernel = |before: &str| module(&format!("{before} ld.global.u32 %a, [%x]; st.global.u32 [%y], %a;"), "");
    let writes = ["--earlier", "x=writes"];
    assert_refuted(&kernel(""), &writes, "data-race");
    assert_proved(&kernel("griddepcontrol.wait;"), &writes);
    // A barrier hands on what another thread has waited for.
    let options = ["--block", "2", "--earlier", "x=writes"];
    let read = "barrier.sync 0; ld.global.u32 %a, [%x];";
    assert_proved(&module(&format!("griddepcontrol.wait; {read}"), read), &options);
    assert_proved(&kernel(""), &["--earlier", "x=reads"]);
    assert_refuted(&kernel(""), &["--earlier", "y=reads"], "data-race");
    let wrong = check(&kernel(""), &["--earlier", "x=changes"]);
    assert!(wrong.stderr.contains("write NAME=reads or NAME=writes"));
}

#[test]
fn non_coherent_reads_see_nothing_that_the_kernel_writes() {
    let kernel = |load: &str| module(&format!("st.global.u32 [%x], 1; {load} %a, [%x]; st.global.u32 [%y], %a;"), "");
    assert_proved(&kernel("ld.global.u32"), &[]);
    assert_refuted(&kernel("ld.global.nc.u32"), &[], "data-race");
    let other = module("st.global.u32 [%x], 1; ld.global.nc.u32 %a, [%y];", "");
    assert_proved(&other, &[]);
}

#[test]
fn the_lanes_of_a_warp_store_matrices_together() {
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y)\n{\n\
                .reg .b32 %t, %a; .shared .align 128 .b32 tile[64];\nmov.u32 %t, %tid.x;\nand.b32 %a, %t, 15;\nshl.b32 %a, %a, 4;\n\
                mov.b32 %t, tile;\nadd.u32 %a, %a, %t;\nstmatrix.sync.aligned.m8n8.x2.shared.b16 [%a], {%t, %t};\nret;\n}\n";
    assert_proved(text, &["--block", "32"]);
}

#[test]
fn conditions_hold_after_every_execution() {
    let store_buffering = |fence: &str| {
        let thread = |own: u32, other: u32| {
            format!(
                "	st.relaxed.gpu.u32 [%x+{own}], 1;\n	{fence}\n	ld.relaxed.gpu.u32 %a, [%x+{other}];\n	st.u32 [%y+{own}], %a;"
            )
        };
        module(&thread(0, 4), &thread(4, 0))
    };
    let options = ["--grid", "2", "--forbid", "y[0] == 0 && y[1] == 0"];
    assert_refuted(&store_buffering(""), &options, "claim");
    assert_proved(&store_buffering("fence.sc.gpu;"), &options);
    assert_refuted(&store_buffering("fence.sc.gpu;"), &["--grid", "2", "--require", "y[0] + y[1] == 1"], "claim");
}
