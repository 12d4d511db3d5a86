//! `run` and `check`: shared memory of a CTA of the cluster that ends while others access it.

use crate::run_in;
use serde_json::Value;

/// Two CTAs of a cluster: after a barrier, the first executes one text, the other another one. `%x` is the address of the other's `s`,
/// `%bar` that of its mbarrier.
fn module(first: &str, other: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.shared .align 16 .b32 s[6];
.visible .entry k(.param .u64 out)
{{
	.reg .pred %first, %p;
	.reg .b32 %r, %o, %x, %v, %s, %bar;
	.reg .b64 %out, %st;
	ld.param.u64 %out, [out];
	mov.u32 %r, %cluster_ctarank;
	mov.u32 %s, s;
	xor.b32 %o, %r, 1;
	mapa.shared::cluster.u32 %x, %s, %o;
	add.u32 %bar, %x, 16;
	mbarrier.init.shared.b64 [s+16], 1;
	fence.mbarrier_init.release.cluster;
	st.shared.v4.u32 [%s], {{7, 0, 7, 7}};
	fence.proxy.async;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	setp.eq.u32 %first, %r, 0;
	@!%first bra OTHER;
{first}
	ret;
OTHER:
{other}
	ret;
}}
"
    )
}

/// The exit code, and the codes and messages of the problems.
fn problems(command: &str, text: &str) -> (i32, Vec<(String, String)>) {
    let arguments = [command, "-", "--grid", "2", "--cluster", "2", "--block", "1", "--arg", "out=u32[4]"];
    let arguments: Vec<&str> = arguments.into_iter().chain(["--format", "json"]).collect();
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    let text_of = |problem: &Value, key: &str| problem[key].as_str().expect("a text").to_owned();
    let found = result["problems"].as_array().expect("a list").iter();
    (run.code, found.map(|problem| (text_of(problem, "code"), text_of(problem, "message"))).collect())
}

fn assert_refuted(first: &str, other: &str) {
    assert_refuted_by(&["run", "check"], first, other);
}

fn assert_refuted_by(commands: &[&str], first: &str, other: &str) {
    let text = module(first, other);
    for command in commands {
        let (code, problems) = problems(command, &text);
        assert_eq!(code, 1, "{command}\n{text}");
        let is_end = |(code, message): &(String, String)| {
            code == "use-after-free" && message.contains("shared memory of CTA 1, which may have ended")
        };
        assert!(!problems.is_empty() && problems.iter().all(is_end), "{command}: {problems:?}\n{text}");
    }
}

fn assert_proved(first: &str, other: &str) {
    let text = module(first, other);
    for command in ["run", "check"] {
        assert_eq!(problems(command, &text), (0, Vec::new()), "{command}\n{text}");
    }
}

const MEET: &str = "barrier.cluster.arrive; barrier.cluster.wait;";

#[test]
fn accesses_to_a_cta_that_may_have_ended_are_found() {
    for access in [
        "ld.shared::cluster.u32 %v, [%x];",
        "ld.shared::cluster.v2.u32 {%v, %o}, [%x+8];",
        "ld.shared::cluster.u8 %v, [%x+3];",
        "ld.volatile.shared::cluster.u32 %v, [%x];",
        "ld.acquire.cluster.shared::cluster.u32 %v, [%x];",
        "st.shared::cluster.u32 [%x], 1;",
    ] {
        assert_refuted(access, "");
        assert_proved(&format!("{access} {MEET}"), MEET);
        assert_refuted(&format!("{MEET} {access}"), MEET);
        // The other one does not wait for the access.
        assert_refuted(&format!("{access} {MEET}"), "barrier.cluster.arrive;");
    }
}

#[test]
fn a_barrier_without_order_of_memory_is_enough() {
    let meet = MEET.replace("arrive", "arrive.relaxed");
    assert_proved(&format!("ld.shared::cluster.u32 %v, [%x]; {meet}"), &meet);
}

#[test]
fn a_flag_that_the_other_waits_for_is_enough() {
    let wait = "L: ld.acquire.cluster.shared.u32 %v, [%s+4]; setp.eq.u32 %p, %v, 0; @%p bra L;";
    let read = "ld.shared::cluster.u32 %v, [%x];";
    assert_proved(&format!("{read} st.release.cluster.shared::cluster.u32 [%x+4], 1;"), wait);
    assert_proved(
        &format!("{read} fence.acq_rel.cluster; atom.relaxed.cluster.shared::cluster.add.u32 %v, [%x+4], 1;"),
        wait,
    );
    assert_refuted(&format!("st.release.cluster.shared::cluster.u32 [%x+4], 1; {read}"), wait);
    assert_refuted(&format!("{read} st.relaxed.cluster.shared::cluster.u32 [%x+4], 1;"), wait);
}

#[test]
fn accesses_that_others_can_observe_are_found_in_executions_that_show_it() {
    for access in [
        "st.relaxed.cluster.shared::cluster.u32 [%x], 1;",
        "red.relaxed.cluster.shared::cluster.add.u32 [%x], 1;",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%bar];",
    ] {
        assert_refuted_by(&["check"], access, "");
        assert_proved(&format!("{access} {MEET}"), MEET);
    }
}

#[test]
fn copies_to_a_cta_end_before_it() {
    let expect = "mbarrier.arrive.expect_tx.shared.b64 %st, [s+16], 16;";
    let wait = "L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [s+16], 0; @!%p bra L;";
    let copy = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%x], [%s], 16, [%bar];";
    let stores = "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%x], {1, 2, 3, 4}, [%bar];";
    assert_proved(stores, &format!("{expect} {wait}"));
    assert_proved(&format!("{copy} {MEET}"), &format!("{expect} {wait} {MEET}"));
    for writes in [copy, stores] {
        assert_refuted(&format!("{writes} {MEET}"), &format!("{expect} barrier.cluster.arrive;"));
    }
}

/// Only the CTA that gets the bytes can wait for such a copy, so it has to tell the other one that it has.
#[test]
fn copies_to_another_cta_have_read_before_the_end_of_theirs() {
    let copy = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%x], [%s], 16, [%bar];";
    let wait = "mbarrier.arrive.expect_tx.shared.b64 %st, [s+16], 16;
        L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [s+16], 0; @!%p bra L;";
    for command in ["run", "check"] {
        let (code, found) = problems(command, &module(copy, wait));
        let messages: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
        let [message] = messages[..] else { panic!("{command}: {messages:?}") };
        assert_eq!((code, found[0].0.as_str()), (1, "use-after-free"), "{command}");
        assert!(message.contains("shared memory of CTA 0, which may have ended before"), "{command}: {message}");
        assert!(message.contains("`barrier.cluster`, after the wait for the mbarrier"), "{command}: {message}");
    }
}

/// A copy notifies an mbarrier that its CTA may not have initialized yet.
#[test]
fn copies_notify_mbarriers_that_are_initialized_before() {
    let uninitialized = |writes: &str| {
        let text = module(
            &format!("{writes} {MEET}"),
            &format!(
                "mbarrier.init.shared.b64 [s+16], 1; mbarrier.arrive.expect_tx.shared.b64 %st, [s+16], 16;
                L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [s+16], 0; @!%p bra L; {MEET}"
            ),
        );
        text.replacen("mbarrier.init.shared.b64 [s+16], 1;", "", 1)
    };
    let copy = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%x], [%s], 16, [%bar];";
    let stores = "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%x], {1, 2, 3, 4}, [%bar];";
    for writes in [copy, stores] {
        let (code, found) = problems("check", &uninitialized(writes));
        let codes: Vec<&str> = found.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(code, 1, "{writes}: {found:?}");
        assert!(codes.contains(&"data-race"), "{writes}: {found:?}");
        let (code, found) = problems("run", &uninitialized(writes));
        assert_eq!(code, 1, "{writes}: {found:?}");
    }
}

/// A copy to global memory reads shared memory, which is gone when the CTA has ended.
#[test]
fn copies_from_a_cta_have_read_before_its_end() {
    let module = |wait: &str| {
        format!(
            "\
.version 8.6
.target sm_90
.address_size 64
.shared .align 16 .b32 s[4];
.visible .entry k(.param .u64 out)
{{
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	st.shared.v4.u32 [s], {{1, 2, 3, 4}};
	fence.proxy.async;
	cp.async.bulk.global.shared::cta.bulk_group [%out], [s], 16;
	{wait}
	ret;
}}
"
        )
    };
    let problems = |command: &str, wait: &str| {
        let arguments = [command, "-", "--arg", "out=u32[4]", "--format", "json"];
        let run = run_in(&support::root(), &arguments, module(wait).as_bytes());
        let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        let codes = result["problems"].as_array().expect("a list").iter().map(|one| one["code"].clone());
        codes.collect::<Vec<Value>>()
    };
    for command in ["run", "check"] {
        for wait in ["", "cp.async.bulk.commit_group;", "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1;"]
        {
            assert_eq!(problems(command, wait), ["use-after-free"], "{command} {wait}");
        }
        for wait in ["wait_group.read 0", "wait_group 0"] {
            let wait = format!("cp.async.bulk.commit_group; cp.async.bulk.{wait};");
            assert_eq!(problems(command, &wait), Vec::<Value>::new(), "{command} {wait}");
        }
    }
}
