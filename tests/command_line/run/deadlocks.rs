//! `run`: the report of a deadlock says who waits, where, and for what.

use crate::run_in;
use serde_json::Value;

/// A kernel of 64 threads a CTA, with the number of the warp in `%warp`, and of the thread in `%id`.
fn module(body: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{{
	.reg .pred %p;
	.reg .b32 %id, %warp, %r;
	.reg .b64 %data, %st;
	.shared .align 8 .b64 bar;
	ld.param.u64 %data, [data];
	mov.u32 %id, %tid.x;
	shr.u32 %warp, %id, 5;
{body}	ret;
}}
"
    )
}

/// The message of the deadlock in each of some schedules must have all parts, and its lines those that are marked.
fn assert_report(ctas: &str, body: &str, parts: &[&str]) {
    let text = module(body);
    let marked = (1u64..).zip(text.lines()).filter(|(_, line)| line.ends_with("// waits"));
    let marked: Vec<u64> = marked.map(|(number, _)| number).collect();
    for seed in ["0", "1", "2", "3"] {
        let arguments = ["run", "-", "--grid", ctas, "--cluster", ctas, "--block", "64", "--arg", "data=u32[8]"];
        let run = run_in(
            &support::root(),
            &[&arguments[..], &["--seed", seed, "--format", "json"]].concat(),
            text.as_bytes(),
        );
        let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let problems = result["problems"].as_array().expect("a list");
        assert_eq!((run.code, problems.len()), (1, 1), "seed {seed}: {problems:?}");
        assert_eq!(problems[0]["code"], "deadlock");
        let message = problems[0]["message"].as_str().expect("text");
        for part in parts {
            assert!(message.contains(part), "seed {seed}: no “{part}” in “{message}”");
        }
        let mut lines: Vec<u64> = problems[0]["lines"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|line| line.as_u64().expect("a line"))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines, marked, "seed {seed}: {message}");
    }
}

/// They would run to the bound on instructions, if the number were taken for a change.
#[test]
fn loops_that_count_while_they_wait_in_vain() {
    assert_report(
        "1",
        "	mov.u32 %r, 0;
POLL:
	add.u32 %r, %r, 1; // waits
	ld.volatile.global.u32 %id, [%data];
	setp.eq.u32 %p, %id, 0;
	@%p bra POLL;
	st.global.u32 [%data], %r;
",
        &["64 threads", "a change of memory", "byte 0 of `data`"],
    );
    assert_report(
        "1",
        "	mov.u32 %r, 0;
COUNT:
	add.u32 %r, %r, 1; // waits
	bra COUNT;
",
        &["64 threads", "reads no memory that others could change"],
    );
}

/// A loop that looks at the number ends, as does one whose flag another warp sets later.
#[test]
fn loops_that_count_and_end() {
    let text = module(
        "	setp.ne.u32 %p, %warp, 0;
	@%p bra POLL;
	mov.u32 %r, 0;
COUNT:
	add.u32 %r, %r, 1;
	setp.lt.u32 %p, %r, 5000;
	@%p bra COUNT;
	st.volatile.global.u32 [%data], %r;
	ret;
POLL:
	add.u32 %id, %id, 1;
	ld.volatile.global.u32 %r, [%data];
	setp.eq.u32 %p, %r, 0;
	@%p bra POLL;
",
    );
    let arguments = ["run", "-", "--block", "64", "--arg", "data=u32[8]", "--expect", "data[0]=5000"];
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    assert_eq!(run.code, 0, "{}", run.stdout);
}

#[test]
fn warps_that_wait_at_two_barriers_crosswise() {
    assert_report(
        "1",
        "	setp.eq.u32 %p, %warp, 0;
	@%p bra OTHER;
	bar.sync 1, 64; // waits
	bar.sync 2, 64;
	bra END;
OTHER:
	bar.sync 2, 64; // waits
	bar.sync 1, 64;
END:
",
        &[
            "32 threads from thread 0 of CTA 0 on wait for barrier 2: 32 more of 64 threads have to arrive",
            "32 threads from thread 32 of CTA 0 on wait for barrier 1: 32 more of 64 threads have to arrive",
        ],
    );
}

#[test]
fn a_flag_that_nobody_sets_and_those_who_wait_behind_it() {
    assert_report(
        "1",
        "	setp.ne.u32 %p, %warp, 1;
	@%p bra ALL;
WAIT:
	ld.acquire.gpu.global.u32 %r, [%data+12]; // waits
	setp.eq.u32 %p, %r, 0;
	@%p bra WAIT;
ALL:
	bar.sync 0; // waits
",
        &[
            "threads wait in a loop that cannot end: 32 threads from thread 32 of CTA 0 on wait for a change of memory",
            "(at byte 12 of `data` (32 bytes))",
            "32 threads from thread 0 of CTA 0 on wait for barrier 0: 32 more threads of the CTA have to arrive",
        ],
    );
}

#[test]
fn a_phase_of_an_mbarrier_that_lacks_arrivals() {
    assert_report(
        "1",
        "	setp.eq.u32 %p, %id, 0;
	@%p mbarrier.init.shared.b64 [bar], 67;
	bar.sync 0;
	mbarrier.arrive.shared.b64 %st, [bar];
WAIT:
	mbarrier.try_wait.shared.b64 %p, [bar], %st; // waits
	@!%p bra WAIT;
",
        &[
            "64 threads from thread 0 of CTA 0 on wait for the mbarrier at 0x0 of shared memory, which needs 3 more arrivals",
        ],
    );
}

#[test]
fn a_cta_that_does_not_come_to_the_barrier_of_the_cluster() {
    assert_report(
        "2",
        "	mov.u32 %r, %cluster_ctarank;
	setp.eq.u32 %p, %r, 1;
STAY:
	@%p bra STAY; // waits
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned; // waits
",
        &[
            "64 threads from thread 0 of CTA 1 on wait for nothing: the loop reads no memory that others could change; 64 threads",
            "64 threads from thread 0 of CTA 0 on wait for the barrier of the cluster: 64 more threads have to arrive",
        ],
    );
}

/// The first warp waits at barriers for a value that the others store after some more of them.
fn waits_for_count(turns: &str, last: u32) -> String {
    module(&format!(
        "	.shared .align 4 .b32 done;
	.reg .b32 %turn;
	setp.eq.u32 %p, %id, 0;
	@%p st.shared.u32 [done], 0;
	mov.u32 %turn, 0;
	bar.sync 0;
	setp.ge.u32 %p, %warp, 1;
	@%p bra COUNTS;
WAITS:
	bar.sync 1;
	ld.shared.u32 %r, [done];
	bar.sync 2;
	setp.eq.u32 %p, %r, 0;
	@%p bra WAITS;
	ret;
COUNTS:
	bar.sync 1;
	bar.sync 2;
	add.u32 %turn, %turn, 1;
	setp.lt.u32 %p, %turn, {turns};
	@%p bra COUNTS;
	setp.eq.u32 %p, %id, 32;
	@%p st.shared.u32 [done], {last};
	bar.sync 1;
	bar.sync 2;
"
    ))
}

#[test]
fn a_loop_with_barriers_may_wait_for_long() {
    let codes = |text: &str| {
        let arguments = ["run", "-", "--block", "64", "--arg", "data=u32[8]", "--format", "json"];
        let run = run_in(&support::root(), &arguments, text.as_bytes());
        let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let problems = result["problems"].as_array().expect("a list").iter();
        problems.map(|problem| problem["code"].as_str().expect("a code").to_owned()).collect::<Vec<_>>()
    };
    for turns in [1, 40, 100, 3_000, 60_000] {
        let text = |last: u32| waits_for_count(&turns.to_string(), last);
        assert_eq!(codes(&text(1)), [""; 0], "{turns}");
        assert_eq!(codes(&text(0)), ["deadlock"], "{turns}");
    }
}

/// Who counts up to a limit makes progress, however long it takes: no deadlock. Who counts for ever does not.
#[test]
fn loops_of_many_threads_that_count() {
    const LIMITED: &str = "	setp.lt.u32 %p, %turn, 0x7fffffff;\n	@%p bra COUNTS;";
    let text = waits_for_count("0x7fffffff", 1);
    let unlimited = text.replace(LIMITED, "	bra COUNTS;");
    for (text, code) in [(&text, "instruction-limit"), (&unlimited, "deadlock")] {
        let arguments = ["run", "-", "--block", "1024", "--arg", "data=u32[8]", "--max-instructions", "100000000"];
        let run = run_in(&support::root(), &arguments, text.as_bytes());
        assert!(run.code == 1 && run.stdout.contains(&format!("error[{code}]")), "{code}: {}", run.stdout);
    }
}

/// Each lane is said to wait for what its own loop reads.
#[test]
fn lanes_of_a_warp_in_different_loops() {
    assert_report(
        "1",
        "	and.b32 %r, %id, 1;
	setp.eq.u32 %p, %r, 0;
	@%p bra READS;
STAYS:
	bra STAYS; // waits
READS:
	ld.volatile.global.u32 %r, [%data]; // waits
	setp.eq.u32 %p, %r, 0;
	@%p bra READS;
	ret;
",
        &["wait for nothing: the loop reads no memory that others could change", "wait for a change of memory at"],
    );
}
