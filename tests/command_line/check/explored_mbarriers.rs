//! `check`: kernels whose threads meet at mbarriers. Their steps are taken early where others cannot tell; these once were wrong, or took too long.

use crate::run_in;
use serde_json::Value;

/// The result of `check` on a module, with its arguments and other options.
fn result_of(text: &str, options: &[&str]) -> Value {
    let arguments = [&["check", "-", "--format", "json"], options].concat();
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

/// Threads of one CTA with a text each and an mbarrier `bar` of so many arrivals. `word` is in shared memory.
fn module(arrivals: u32, threads: &[&str]) -> String {
    let mut text = format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
	.reg .pred %p;
	.reg .b32 %id, %r;
	.reg .b64 %out, %state;
	.shared .align 8 .b64 bar;
	.shared .b32 word, flag;
	.shared .align 16 .b8 buffer[16];
	ld.param.u64 %out, [out];
	mov.u32 %id, %tid.x;
	setp.ne.u32 %p, %id, 0;
	@%p bra READY;
	st.shared.u32 [word], 0;
	st.shared.u32 [flag], 0;
	mbarrier.init.shared::cta.b64 [bar], {arrivals};
READY:
	bar.sync 0;
"
    );
    for (number, thread) in threads.iter().enumerate() {
        text += &format!("	setp.ne.u32 %p, %id, {number};\n	@%p bra NEXT{number};\n{thread}\n	ret;\nNEXT{number}:\n");
    }
    text + "	ret;\n}\n"
}

/// The verdict and the code of the first problem of such a kernel.
fn verdict(text: &str, threads: &str, options: &[&str]) -> (String, String) {
    let result = result_of(text, &[&["--block", threads, "--arg", "out=u32[4]"], options].concat());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&result["verdict"]), text(&result["problems"][0]["code"]))
}

const ARRIVE: &str = "mbarrier.arrive.shared::cta.b64 _, [bar];";
const WAIT: &str = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0; @!%p bra WAIT;";

/// One thread arrives twice, and another one not before the phase has ended.
#[test]
fn a_thread_may_arrive_in_the_place_of_another_one() {
    let store = format!("st.shared.u32 [word], 7; {ARRIVE}");
    let read = format!("{WAIT} ld.shared.u32 %r, [word];");
    let twice = format!("{ARRIVE} {ARRIVE}");
    let refuted = ("refuted".to_owned(), "data-race".to_owned());
    assert_eq!(verdict(&module(2, &[&store, &twice, &read]), "3", &[]), refuted);
    assert_eq!(verdict(&module(2, &[&store, ARRIVE, &read]), "3", &[]).0, "proved");
}

/// One thread goes on although the phase that it has arrived in may not have ended: what it does then may come before the arrival of another one.
#[test]
fn what_depends_on_the_phase_may_come_before_an_arrival() {
    let store = format!("st.shared.u32 [word], 7; {ARRIVE}");
    let again = "W: mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0; @!%p bra W;";
    let twice = format!("{ARRIVE} {again} st.shared.u32 [word], 7; {ARRIVE}");
    let other = format!("{ARRIVE} {} {ARRIVE}", again.replace('W', "V"));
    let flag = "st.relaxed.cta.shared.u32 [flag], 1;";
    let seen = "F: ld.relaxed.cta.shared.u32 %r, [flag]; setp.eq.u32 %p, %r, 0; @%p bra F;";
    let read = "ld.shared.u32 %r, [word];";
    let after = |what: &str| format!("{ARRIVE} {what}");
    let expect = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;";
    let complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;";
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer], [%out], 16, [bar];";
    let commit = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];";
    let signal = other.replacen(ARRIVE, &after(flag), 1);
    let wrong_parity = format!("{seen} {} {read}", WAIT.replace("], 0", "], 1"));
    let late = "S: mbarrier.try_wait.shared::cta.b64 %p, [bar], %state; @!%p bra S;";
    let older = format!("mbarrier.arrive_drop.shared::cta.b64 %state, [bar]; {seen} {late} {read}");
    let waits = format!("{WAIT} {read}");
    for (arrivals, threads) in [
        (2, [ARRIVE, &after(expect), WAIT]),
        (2, [ARRIVE, &after(complete), WAIT]),
        (2, [ARRIVE, &after(copy), WAIT]),
        (2, [&twice, &signal, &wrong_parity]),
        (3, [&twice, &format!("{other} {flag}"), &older]),
        (2, [&store, &after(commit), &waits]),
        (2, [&after(commit), &waits, &store]),
    ] {
        let text = module(arrivals, &threads)
            .replace("sm_90", if threads.concat().contains(commit) { "sm_100a" } else { "sm_90" });
        assert_eq!(verdict(&text, "3", &[]).0, "refuted", "{threads:?}");
    }
}

/// An mbarrier is used after its memory was written, if an arrival comes late.
#[test]
fn a_strong_store_over_an_mbarrier_may_come_before_an_arrival() {
    let text = module(3, &[ARRIVE, "st.relaxed.cta.shared.b64 [bar], 5;", ARRIVE]);
    assert_eq!(verdict(&text, "3", &[]), ("refuted".to_owned(), "mbarrier-misuse".to_owned()));
}

/// The number of pending arrivals in a state tells who has arrived before.
#[test]
fn a_state_that_is_read_tells_the_order_of_arrivals() {
    let counts = "mbarrier.arrive.shared::cta.b64 %state, [bar]; mbarrier.pending_count.b64 %r, %state; st.global.u32 [%out], %r;";
    let text = module(3, &[ARRIVE, counts]);
    for pending in ["2", "3"] {
        let claim = format!("out[0] == {pending}");
        assert_eq!(verdict(&text, "2", &["--forbid", &claim]), ("refuted".to_owned(), "claim".to_owned()), "{pending}");
    }
    assert_eq!(verdict(&text, "2", &["--require", "out[0] == 2 || out[0] == 3"]).0, "proved");
}

/// A test that counts its failures shows how late an arrival comes.
#[test]
fn a_test_that_does_more_than_repeat_shows_a_late_arrival() {
    let counts =
        format!("mbarrier.test_wait.parity.shared::cta.b64 %p, [bar], 0; @!%p st.global.u32 [%out], 1; {WAIT}");
    let text = module(2, &[ARRIVE, &format!("{ARRIVE} {counts}")]);
    assert_eq!(verdict(&text, "2", &["--forbid", "out[0] == 1"]), ("refuted".to_owned(), "claim".to_owned()));
}

/// `cuda::barrier` waits for the state that its arrival has returned.
#[test]
fn a_barrier_of_two_warps_is_proved() {
    let module = std::fs::read_to_string(support::root().join("tests/evidence/verification/synchronisation.ptx"));
    let options = ["--kernel", "shared_barrier", "--block", "64", "--arg", "0=u32[64]"];
    let result = result_of(&module.expect("the module"), &options);
    assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{result}");
    assert!(result["states"].as_u64().is_some_and(|states| states <= 20), "{result}");
}

/// A producing warp and a consuming one with two stages of bulk copies.
#[test]
fn a_pipeline_of_two_warps_is_proved() {
    let result = result_of(PIPELINE, &PIPELINE_OPTIONS);
    assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{result}");
    assert!(result["states"].as_u64().is_some_and(|states| states <= 100), "{result}");
}

/// A phase with too few arrivals can be overrun: other problems are listed, too.
#[test]
fn a_pipeline_without_its_waits_is_refuted() {
    let full = "WF:	mbarrier.try_wait.parity.shared::cta.b64 %q, [%full], %ph;\n	@!%q bra WF;\n";
    let empty = full.replace("WF", "WE").replace("full", "empty");
    for (removed, wanted) in
        [(full, &["data-race", "uninitialized-read"][..]), (&empty, &["data-race", "mbarrier-misuse"])]
    {
        let text = PIPELINE.replace(removed, "");
        assert_ne!(text, PIPELINE);
        let result = result_of(&text, &PIPELINE_OPTIONS);
        let found: Vec<&str> =
            result["problems"].as_array().expect("a list").iter().filter_map(|one| one["code"].as_str()).collect();
        assert!(wanted.iter().all(|code| found.contains(code)), "{removed}: {found:?}");
    }
    let text = PIPELINE.replace("[empty], 32;", "[empty], 31;");
    assert_eq!(result_of(&text, &PIPELINE_OPTIONS)["verdict"], "refuted");
}

const PIPELINE_OPTIONS: [&str; 8] =
    ["--block", "64", "--arg", "in=u32[128]", "--arg", "out=u32[32]", "--arg", "n=u32=4"];

const PIPELINE: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry pipe(.param .u64 in, .param .u64 out, .param .u32 n)
{
	.reg .pred %p, %q;
	.reg .b32 %t, %n, %i, %s, %ph, %b, %full, %empty, %v, %sum, %lane, %a;
	.reg .b64 %in, %out, %x, %off;
	.shared .align 8 .b64 full[2];
	.shared .align 8 .b64 empty[2];
	.shared .align 16 .b8 data[256];
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
	mov.u32 %t, %tid.x;
	setp.ne.u32 %p, %t, 0;
	@%p bra READY;
	mbarrier.init.shared::cta.b64 [full], 1;
	mbarrier.init.shared::cta.b64 [full+8], 1;
	mbarrier.init.shared::cta.b64 [empty], 32;
	mbarrier.init.shared::cta.b64 [empty+8], 32;
	fence.proxy.async.shared::cta;
READY:
	bar.sync 0;
	mov.u32 %i, 0;
	setp.ge.u32 %p, %t, 32;
	@%p bra CONSUME;
	setp.ne.u32 %p, %t, 0;
	@%p bra END;
PRODUCE:
	setp.ge.u32 %p, %i, %n;
	@%p bra END;
	and.b32 %s, %i, 1; shr.u32 %ph, %i, 1; and.b32 %ph, %ph, 1; xor.b32 %ph, %ph, 1;
	shl.b32 %b, %s, 3;
	mov.u32 %empty, empty; add.u32 %empty, %empty, %b;
	mov.u32 %full, full; add.u32 %full, %full, %b;
	mov.u32 %a, data; shl.b32 %b, %s, 7; add.u32 %a, %a, %b;
WE:	mbarrier.try_wait.parity.shared::cta.b64 %q, [%empty], %ph;
	@!%q bra WE;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 128;
	mul.wide.u32 %off, %i, 128; add.u64 %x, %in, %off;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a], [%x], 128, [%full];
	add.u32 %i, %i, 1;
	bra PRODUCE;
CONSUME:
	and.b32 %lane, %t, 31; mov.u32 %sum, 0;
LOOP:
	setp.ge.u32 %p, %i, %n;
	@%p bra STORE;
	and.b32 %s, %i, 1; shr.u32 %ph, %i, 1; and.b32 %ph, %ph, 1;
	shl.b32 %b, %s, 3;
	mov.u32 %empty, empty; add.u32 %empty, %empty, %b;
	mov.u32 %full, full; add.u32 %full, %full, %b;
	mov.u32 %a, data; shl.b32 %b, %s, 7; add.u32 %a, %a, %b;
	shl.b32 %b, %lane, 2; add.u32 %a, %a, %b;
WF:	mbarrier.try_wait.parity.shared::cta.b64 %q, [%full], %ph;
	@!%q bra WF;
	ld.shared.u32 %v, [%a];
	add.u32 %sum, %sum, %v;
	mbarrier.arrive.shared::cta.b64 _, [%empty];
	add.u32 %i, %i, 1;
	bra LOOP;
STORE:
	mul.wide.u32 %off, %lane, 4; add.u64 %x, %out, %off;
	st.global.u32 [%x], %sum;
END:
	ret;
}
";

/// Six threads wait for a copy: when it has ended, none of them waits for the others to have looked.
#[test]
fn threads_that_wait_for_one_mbarrier_go_on_together() {
    let module = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{
	.reg .pred %p;
	.reg .b32 %id, %r;
	.reg .b64 %data, %bar;
	.shared .align 8 .b64 bar;
	.shared .align 16 .b32 words[8];
	ld.param.u64 %data, [data];
	mov.u32 %id, %tid.x;
	setp.ne.u32 %p, %id, 0;
	@%p bra READY;
	mbarrier.init.shared::cta.b64 [bar], 1;
	fence.proxy.async.shared::cta;
READY:
	bar.sync 0;
	@%p bra WAIT;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [words], [%data], 32, [bar];
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
	@!%p bra WAIT;
	ld.shared.u32 %r, [words];
	ret;
}
";
    let result = result_of(module, &["--arg", "data=u32[8]", "--block", "6"]);
    assert_eq!(result["verdict"], "proved", "{result}");
    assert!(result["states"].as_u64().is_some_and(|states| states <= 32), "{result}");
}

/// The thread that arrives first may look before the other one arrives: then it waits without acquiring.
#[test]
fn an_arrival_that_comes_late_lets_a_test_fail() {
    let module = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{
	.reg .pred %p;
	.reg .b32 %id, %r;
	.shared .align 8 .b64 bar;
	.shared .b32 word;
	mov.u32 %id, %tid.x;
	setp.ne.u32 %p, %id, 0;
	@%p bra READY;
	mbarrier.init.shared::cta.b64 [bar], 2;
READY:
	bar.sync 0;
	@%p bra OTHER;
	st.shared.u32 [word], 7;
	mbarrier.arrive.shared::cta.b64 _, [bar];
	ret;
OTHER:
	mbarrier.arrive.shared::cta.b64 _, [bar];
	mbarrier.test_wait.parity.shared::cta.b64 %p, [bar], 0;
	@%p bra DONE;
WAIT:
	mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p, [bar], 0;
	@!%p bra WAIT;
DONE:
	ld.shared.u32 %r, [word];
	ret;
}
";
    let result = result_of(module, &["--arg", "data=u32[1]", "--block", "2"]);
    assert_eq!(
        (&result["verdict"], &result["problems"][0]["code"]),
        (&"refuted".into(), &"data-race".into()),
        "{result}"
    );
}

/// The second phase may end before the waiting thread has looked for the end of the first: then it waits for ever.
#[test]
fn a_phase_that_ends_before_a_thread_has_looked_is_missed() {
    let module = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k()
{
	.reg .pred %p;
	.reg .b32 %id;
	.shared .align 8 .b64 bar;
	mov.u32 %id, %tid.x;
	setp.ne.u32 %p, %id, 0;
	@%p bra READY;
	mbarrier.init.shared::cta.b64 [bar], 1;
READY:
	bar.sync 0;
	@%p bra WAIT;
	mbarrier.arrive.shared::cta.b64 _, [bar];
	mbarrier.arrive.shared::cta.b64 _, [bar];
	ret;
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
	@!%p bra WAIT;
	ret;
}
";
    let result = result_of(module, &["--block", "2"]);
    assert_eq!(
        (&result["verdict"], &result["problems"][0]["code"]),
        (&"refuted".into(), &"deadlock".into()),
        "{result}"
    );
}

/// What threads do with an mbarrier that is not initialized is no execution that leads on.
#[test]
fn waits_for_an_mbarrier_that_may_not_be_initialized_end_the_search() {
    let text = module(1, &[ARRIVE]).replace("\tbar.sync 0;\n", "");
    let text = text.replace("\tret;\n}\n", &format!("\t{WAIT}\n\tret;\n}}\n"));
    let result = result_of(&text, &["--block", "64", "--arg", "out=u32[4]", "--max-states", "1000"]);
    let codes: Vec<&str> =
        result["problems"].as_array().expect("a list").iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!((&result["verdict"], codes.contains(&"mbarrier-misuse")), (&Value::from("refuted"), true), "{result}");
    assert!(result["states"].as_u64().expect("a number") < 1_000, "{result}");
}

/// A thread that copies two parts for 32 bytes that it expects, and one that copies what nobody expects: if that ends in the place of a part, the phase ends early.
#[test]
fn a_copy_may_end_in_the_place_of_another_one() {
    let copy = |to: &str| {
        format!("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [{to}], [%out], 16, [bar];\n")
    };
    let other = copy("word");
    let text = |other: &str| {
        let expect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;\n";
        let first = format!("{expect}{}{}{WAIT} ld.shared.u32 %r, [buffer];", copy("buffer"), copy("more"));
        let arrays = ".shared .align 16 .b8 buffer[16], more[16], word[16];\n\t.shared .b32 flag;";
        module(1, &[&first, other]).replace(".shared .b32 word, flag;\n\t.shared .align 16 .b8 buffer[16];", arrays)
    };
    assert_eq!(verdict(&text(""), "2", &[]).0, "proved");
    assert_eq!(verdict(&text(&other), "2", &[]).0, "refuted");
}

/// A cluster of two CTAs whose threads copy a tile for both, and which hand it back by arrivals with the order and the scope that they have by default, as CUTLASS does.
fn shared_tiles(changes: &[(&str, &str)]) -> Value {
    let path = support::evidence("verification").join("specialised.ptx");
    let text = std::fs::read_to_string(path).expect("evidence");
    let launch = text.lines().find_map(|line| line.strip_prefix("// check shared_tiles: ")).expect("its launch");
    let options: Vec<&str> = ["--kernel", "shared_tiles"].into_iter().chain(launch.split_whitespace()).collect();
    let (before, kernel) = text.split_at(text.find(".visible .entry shared_tiles").expect("the kernel"));
    let kernel = changes.iter().fold(kernel.to_owned(), |kernel, (from, to)| {
        assert!(kernel.contains(from), "{from}");
        kernel.replace(from, to)
    });
    result_of(&format!("{before}{kernel}"), &options)
}

/// Copies for two CTAs end before or after an arrival has expected them, and may end in many orders: each phase has the same in all of them.
#[test]
fn a_pipeline_of_two_ctas_with_multicast_is_proved_in_a_few_states() {
    let release = ("mbarrier.arrive.shared::cluster", "mbarrier.arrive.release.cluster.shared::cluster");
    let acquire = ("mbarrier.try_wait.parity.shared", "mbarrier.try_wait.parity.acquire.cluster.shared");
    for changes in [&[][..], &[release], &[release, acquire]] {
        let result = shared_tiles(changes);
        assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{result}");
        assert!(result["states"].as_u64().is_some_and(|states| states <= 50), "{result}");
    }
}

/// What its table lists, and a stage that only one of the CTAs hands back.
#[test]
fn a_pipeline_of_two_ctas_with_a_mistake_is_refuted() {
    for (from, to, code) in [
        ("mapa.shared::cluster.u32 there, at, t;", "mapa.shared::cluster.u32 there, at, rank;", "data-race"),
        ("mbarrier.init.shared::cta.b64 [empty], 2;", "mbarrier.init.shared::cta.b64 [empty], 1;", "data-race"),
        ("setp.lt.u32 p, t, 2;", "setp.lt.u32 p, t, 1;", "deadlock"),
        ("mov.b16 ctas, 3;", "mov.b16 ctas, 1;", "deadlock"),
        ("mbarrier.arrive.shared::cluster", "mbarrier.arrive.relaxed.cluster.shared::cluster", "data-race"),
    ] {
        let result = shared_tiles(&[(from, to)]);
        let found = (&result["verdict"], &result["problems"][0]["code"]);
        assert_eq!(found, (&"refuted".into(), &code.into()), "{to}: {result}");
    }
}
