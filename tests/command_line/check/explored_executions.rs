//! `check`: executions that once were left out, so that a wrong kernel was proved.

use crate::run_in;
use serde_json::Value;

/// Threads that execute one text each: CTAs of one thread, or the lanes of one CTA. `%x`, `%y` and `%z` are words 0, 1 and 2 of `m`; results go to `out`.
fn module(threads: &[&str]) -> String {
    let mut text = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 m, .param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %t, %n, %r, %a, %b, %c;
	.reg .b64 %x, %y, %z, %out;
	ld.param.u64 %x, [m];
	ld.param.u64 %out, [out];
	add.u64 %y, %x, 4;
	add.u64 %z, %x, 8;
	mov.u32 %r, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mov.u32 %t, %tid.x;
	mad.lo.u32 %t, %r, %n, %t;
"
    .to_owned();
    for (number, thread) in threads.iter().enumerate() {
        text += &format!("	setp.ne.u32 %p, %t, {number};\n	@%p bra NEXT{number};\n{thread}\n	ret;\nNEXT{number}:\n");
    }
    text + "	ret;\n}\n"
}

/// The result of `check` on a module, with its arguments and other options.
fn result_of(text: &str, options: &[&str]) -> Value {
    let arguments = [&["check", "-", "--format", "json"], options].concat();
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

/// The verdict, whether it is complete, and the codes of the problems.
fn verdict(text: &str, options: &[&str]) -> (String, bool, Vec<String>) {
    let result = result_of(text, &[&["--arg", "m=u32[4]", "--arg", "out=u32[4]"], options].concat());
    let codes = result["problems"].as_array().expect("a list").iter();
    let codes = codes.map(|problem| problem["code"].as_str().expect("a code").to_owned()).collect();
    (result["verdict"].as_str().expect("a verdict").to_owned(), result["complete"] == true, codes)
}

fn assert_verdict(text: &str, options: &[&str], wanted: &str, codes: &[&str]) {
    let (found, is_complete, found_codes) = verdict(text, options);
    assert_eq!((&*found, found_codes), (wanted, codes.iter().map(|code| (*code).to_owned()).collect()), "{text}");
    assert!(found != "proved" || is_complete, "{text}");
}

/// The second thread knows from `y` that all writes to `x` were executed, but nothing orders its reads of `x` after them.
#[test]
fn old_values_are_read_in_any_number() {
    let updates = |values: &[u32]| {
        values.iter().map(|value| format!("	atom.relaxed.gpu.global.exch.b32 %a, [%x], {value};\n")).collect::<String>()
    };
    let reads = "\
	ld.relaxed.gpu.global.u32 %c, [%y];
	ld.relaxed.gpu.global.u32 %a, [%x];
	ld.relaxed.gpu.global.u32 %b, [%x];
	st.global.u32 [%out], %a;
	st.global.u32 [%out+4], %b;
	st.global.u32 [%out+8], %c;";
    let text = |values: &[u32], signal: &str| {
        module(&[&(updates(values) + &format!("	st.{signal}.gpu.global.u32 [%y], 1;")), reads])
    };
    let forbid = ["--grid", "2", "--forbid", "out[0] == 1 && out[1] == 0 && out[2] == 1"];
    for values in [&[1, 0, 2][..], &[1, 0, 1, 0, 2], &[1, 0, 1, 0, 1, 0, 2]] {
        assert_verdict(&text(values, "relaxed"), &forbid, "refuted", &["claim"]);
    }
    let ordered = text(&[1, 0, 2], "release").replace("ld.relaxed.gpu.global.u32 %c", "ld.acquire.gpu.global.u32 %c");
    assert_verdict(&ordered, &forbid, "proved", &[]);
}

/// Causality order has the writes that a read observes before what is after it, not those that they have overwritten.
#[test]
fn every_strong_write_has_to_be_observed() {
    let reset = |value: u32| {
        format!("	ld.relaxed.gpu.global.u32 %a, [%x];\n	setp.eq.u32 %p, %a, {value};\n	@%p st.global.u32 [%x], 0;")
    };
    let store = |value: u32| format!("	st.relaxed.gpu.global.u32 [%x], {value};\n");
    let add = "	atom.relaxed.gpu.global.add.u32 %a, [%x], 1;\n";
    let options = ["--grid", "2"];
    assert_verdict(&module(&[&store(1), &reset(1)]), &options, "proved", &[]);
    assert_verdict(&module(&[&(store(1) + &store(2)), &reset(2)]), &options, "refuted", &["data-race"]);
    // An update observes what it has read, and its own thread's writes with it.
    assert_verdict(&module(&[&(store(1) + add), &reset(2)]), &options, "proved", &[]);
    assert_verdict(&module(&[&add.repeat(2), &reset(2)]), &options, "proved", &[]);
    assert_verdict(&module(&[&(store(1) + &store(2) + add), &reset(3)]), &options, "refuted", &["data-race"]);
    // What a release orders does not have to be observed.
    let released = store(1) + &store(2).replace("relaxed", "release");
    assert_verdict(&module(&[&released, &reset(2).replace("relaxed", "acquire")]), &options, "proved", &[]);
}

#[test]
fn a_shuffle_reads_nothing_of_a_lane_that_takes_no_part() {
    // The third lane has a value in `%t`, but does not execute the shuffle.
    let text = |from: u32| {
        let exchange = format!("	setp.lt.u32 %p, %t, 2;\n	@%p shfl.sync.idx.b32 %a, %t, {from}, 31, 3;");
        let store = "	setp.eq.u32 %p, %t, 0;\n	@%p st.global.u32 [%out], %a;\n	ret;";
        module(&[]).replace("	ret;", &(exchange + "\n" + store))
    };
    assert_verdict(&text(1), &["--block", "3"], "proved", &[]);
    assert_verdict(&text(2), &["--block", "3"], "refuted", &["uninitialized-read"]);
}

/// A limit on waiting leads to the memory that a thread without it leaves, too.
#[test]
fn a_claim_is_checked_at_the_ends_that_no_limit_has_led_to() {
    let wait = "\
	mov.u32 %n, %clock;
L:
	ld.acquire.gpu.global.u32 %a, [%y];
	setp.ne.u32 %p, %a, 0;
	@%p bra SEEN;
	mov.u32 %b, %clock;
	sub.u32 %b, %b, %n;
	setp.lt.u32 %p, %b, 1000;
	@%p bra L;
	ret;
SEEN:
	ld.global.u32 %c, [%x];
	st.global.u32 [%out], %c;";
    let text = module(&["	st.global.u32 [%x], 7;\n	st.release.gpu.global.u32 [%y], 1;", wait]);
    let (found, _, codes) = verdict(&text, &["--grid", "2", "--forbid", "out[0] == 7"]);
    assert_eq!((&*found, codes), ("refuted", vec!["claim".to_owned()]));
}

/// An asynchronous reduction of a word of 16 bytes that are 1 each.
const REDUCTION: &str = "	.shared .align 16 .b8 source[16];
	mov.u32 %b, source;
	st.shared.v4.u32 [%b], {1, 1, 1, 1};
	fence.proxy.async;
	cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%x], [%b], 16;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;";

/// What `check` says of claims about `out` at the end of two CTAs, the first of which adds 1 to `x` by a bulk reduction.
fn claims_with_reduction(other: &str, claims: &[&str]) -> Vec<String> {
    let text = module(&[REDUCTION, other]);
    claims.iter().map(|claim| verdict(&text, &["--grid", "2", "--forbid", claim]).0).collect()
}

#[test]
fn asynchronous_reductions_end_at_any_time() {
    let reads = "\
	ld.relaxed.gpu.global.u32 %a, [%x];
	ld.relaxed.gpu.global.u32 %c, [%x];
	st.global.u32 [%out], %a;
	st.global.u32 [%out+4], %c;";
    let claims = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(one, two)| format!("out[0] == {one} && out[1] == {two}"));
    let claims = claims.each_ref().map(String::as_str);
    assert_eq!(claims_with_reduction(reads, &claims), ["refuted", "refuted", "refuted", "proved"]);
    let adds = "	atom.relaxed.gpu.global.add.u32 %a, [%x], 1;\n	st.global.u32 [%out], %a;";
    assert_eq!(
        claims_with_reduction(adds, &["out[0] == 0", "out[0] == 1", "m[0] != 2"]),
        ["refuted", "refuted", "proved"]
    );
    // A store of another thread may be overwritten or overwrite, but the sum is that of one of the two values.
    let stores = "	st.relaxed.gpu.global.u32 [%x], 5;";
    assert_eq!(
        claims_with_reduction(stores, &["m[0] == 5", "m[0] == 6", "m[0] < 5"]),
        ["refuted", "refuted", "proved"]
    );
}

/// From 0, an increment that wraps at 0 and one that wraps at 5 end at 1 or 0.
#[test]
fn asynchronous_increments_with_different_bounds_have_an_order() {
    let reduction = |bound: &str| {
        REDUCTION.replace(".add.u32", ".inc.u32").replace("{1, 1, 1, 1}", &format!("{{{}}}", [bound; 4].join(", ")))
    };
    let text = module(&[&reduction("0"), &reduction("5").replace("source", "other")]);
    for (claim, wanted) in [("m[0] == 0", "refuted"), ("m[0] == 1", "refuted"), ("m[0] > 1", "proved")] {
        assert_eq!(verdict(&text, &["--grid", "2", "--forbid", claim]).0, wanted, "{claim}");
    }
}

/// A release and a later store of its thread to the location release together, whatever was stored between them.
#[test]
fn stores_after_a_release_release_again() {
    let text = |stores: &str, other: &str| {
        let first = "	st.global.u32 [%y], 1;\n".to_owned() + stores + "	st.relaxed.gpu.global.u32 [%x], 3;";
        let second = other.to_owned()
            + "	ld.acquire.gpu.global.u32 %a, [%x];
	setp.ne.u32 %p, %a, 3;
	@%p ret;
	ld.global.u32 %b, [%y];
	st.global.u32 [%out], %b;";
        module(&[&first, &second])
    };
    let release = "	st.release.gpu.global.u32 [%x], 1;\n";
    let twice = release.repeat(2);
    let other = "	st.relaxed.gpu.global.u32 [%x], 2;\n";
    for (stores, other) in [(release, ""), (&twice, ""), (release, other), (&twice, other)] {
        let text = text(stores, other);
        assert_verdict(&text, &["--grid", "2"], "proved", &[]);
        for seed in 0..8 {
            let seed = seed.to_string();
            let arguments = ["run", "-", "--grid", "2", "--arg", "m=u32[4]", "--arg", "out=u32[4]", "--seed", &seed];
            let run = run_in(&support::root(), &arguments, text.as_bytes());
            assert_eq!(run.code, 0, "{}", run.stdout);
        }
    }
    // Another thread's store and another location release nothing of this.
    let elsewhere = release.replace("%x", "%z");
    for (stores, other) in [("", other), (&*elsewhere, other)] {
        assert_verdict(&text(stores, other), &["--grid", "2"], "refuted", &["data-race"]);
    }
}

#[test]
fn strong_reads_see_what_copies_have_written_before() {
    let read = "	st.global.u32 [%out], %a;";
    let after = |copy: &str| {
        let begin = "	st.relaxed.gpu.global.u32 [%x], 5;\n";
        let end = "\n	fence.proxy.async;\n	ld.relaxed.gpu.global.u32 %a, [%x];\n";
        module(&[&(begin.to_owned()
            + &REDUCTION.replace("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", copy)
            + end
            + read)])
    };
    let reduction = after("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32");
    assert_verdict(&reduction, &["--require", "out[0] == 6"], "proved", &[]);
    let copy = after("cp.async.bulk.global.shared::cta.bulk_group");
    assert_verdict(&copy, &["--require", "out[0] == 1"], "proved", &[]);
}

/// Both reads may see the other thread's write. A dependency or a barrier that waits for the reduction would forbid it.
#[test]
fn a_reduction_after_a_read_may_buffer_it() {
    let first = "	ld.relaxed.gpu.global.u32 %a, [%y+16];\n".to_owned() + REDUCTION + "\n	st.global.u32 [%out], %a;";
    let second =
        "	ld.relaxed.gpu.global.u32 %a, [%x];\n	st.relaxed.gpu.global.u32 [%y+16], 1;\n	st.global.u32 [%out+4], %a;";
    let options = ["--grid", "2", "--arg", "m=u32[8]", "--arg", "out=u32[4]", "--forbid", "out[0] == 1 && out[1] == 1"];
    let result = |second: &str| result_of(&module(&[&first, second]), &options)["verdict"].clone();
    assert_eq!(result(second), "unknown");
    let depends = second.replace("[%y+16], 1;", "[%y+16], %a;");
    assert_eq!(result(&depends), "unknown", "the first thread's write does not depend");
    let ordered =
        "	st.relaxed.gpu.global.u32 [%y+16], 1;\n	ld.relaxed.gpu.global.u32 %a, [%x];\n	st.global.u32 [%out+4], %a;";
    assert_eq!(result(ordered), "refuted");
}

/// What a store depends on is followed through local memory and calls, as debug builds are full of.
#[test]
fn values_flow_through_local_memory_and_calls() {
    let functions = "\
.func (.param .b32 o) by_memory(.param .b32 i) {
	.reg .b32 %v;
	.local .align 8 .b8 own[16];
	ld.param.u32 %v, [i];
	st.local.u32 [own+4], %v;
	ld.local.u32 %v, [own+4];
	st.param.b32 [o], %v;
	ret;
}
.func (.reg .b32 o) by_registers(.reg .b32 i) {
	.local .align 8 .b8 own[16];
	st.local.u32 [own], i;
	ld.local.u32 o, [own];
	ret;
}
.func (.reg .b32 o) other(.reg .b32 i) {
	.local .align 8 .b8 own[16];
	st.local.u32 [own], i;
	st.local.u32 [own], 1;
	ld.local.u32 o, [own];
	ret;
}
.visible";
    let text = |flow: &str| {
        let thread = |from: &str, to: &str| {
            format!("	ld.relaxed.gpu.global.u32 %a, [{from}];\n{flow}\n	st.relaxed.gpu.global.u32 [{to}], %b;")
        };
        let text = module(&[&thread("%x", "%y"), &thread("%y", "%x")]);
        text.replacen(".visible", functions, 1).replacen(
            "	.reg .pred %p;",
            "	.reg .pred %p;\n	.local .align 8 .b8 l[16];\n	.reg .b64 %g;",
            1,
        )
    };
    let flows = [
        "	st.local.u32 [l+8], %a;\n	ld.local.u32 %b, [l+8];",
        "	mov.u64 %g, l;\n	cvta.local.u64 %g, %g;\n	st.u32 [%g], %a;\n	ld.local.u32 %b, [l];",
        "	{\n	.param .b32 i;\n	.param .b32 o;\n	st.param.b32 [i], %a;\n	call (o), by_memory, (i);\n	ld.param.b32 %b, [o];\n	}",
        "	call (%b), by_registers, (%a);",
    ];
    let launch = ["--arg", "m=u32[4]", "--arg", "out=u32[4]", "--grid", "2"];
    for flow in flows {
        assert_eq!(result_of(&text(flow), &launch)["further_final_states"], false);
    }
    let others = [
        "	st.local.u32 [l+8], %a;\n	st.local.u32 [l+8], 1;\n	ld.local.u32 %b, [l+8];",
        "	st.local.u32 [l+8], %a;\n	st.local.v2.u16 [l+8], {0, 1};\n	ld.local.u32 %b, [l+8];",
        "	st.local.u32 [l+8], %a;\n	ld.local.u32 %b, [l+8];\n	call (%b), other, (%a);",
        "	mov.u32 %b, 1;\n	call (%c), by_registers, (%a);",
    ];
    for other in others {
        assert_eq!(result_of(&text(other), &launch)["further_final_states"], true);
    }
}

/// A thread waits at a barrier for another one of its CTA, which has to do with other memory: its store is not independent of that one.
#[test]
fn what_a_thread_does_after_a_barrier_is_no_step_of_others() {
    let exchange = "atom.relaxed.gpu.global.exch.b32 %a, [%m], 1;";
    let text = |before: &str| {
        format!(
            "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 m, .param .u64 out)
{{
	.reg .pred %first, %one, %other;
	.reg .b32 %t, %c, %a, %b;
	.reg .b64 %x, %m, %out;
	ld.param.u64 %x, [m];
	ld.param.u64 %out, [out];
	add.u64 %m, %x, 8;
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	setp.eq.u32 %first, %c, 0;
	setp.eq.u32 %one, %t, 0;
	setp.eq.u32 %other, %t, 32;
	@%first bra FIRST;
	@%other {before}
	bar.sync 0;
	@%one st.relaxed.gpu.global.u32 [%x], 1;
	ret;
FIRST:
	@%one ld.relaxed.gpu.global.u32 %b, [%x];
	@%one st.global.u32 [%out], %b;
	@%other {exchange}
	ret;
}}
"
        )
    };
    let options = ["--grid", "2", "--block", "33"];
    let claims: Vec<&str> = options.into_iter().chain(["--require", "out[0] != 1"]).collect();
    for before in [exchange, "mov.u32 %a, 1;"] {
        assert_verdict(&text(before), &claims, "refuted", &["claim"]);
    }
}
