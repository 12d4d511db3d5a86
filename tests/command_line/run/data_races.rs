//! `run`: data races are found in each schedule, and what is ordered is not reported.

use crate::run_in;
use serde_json::Value;

/// Where the two threads of a case are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Threads {
    OneWarp,
    OneCta,
    /// Two warps of a CTA: all lanes execute the texts, `%one` is set in the first of each.
    Warps,
    OneCluster,
    TwoCtas,
}

impl Threads {
    /// The options of the launch, and the number of threads of a CTA.
    const fn launch(self) -> [&'static str; 6] {
        match self {
            Self::OneWarp => ["--grid", "1", "--block", "2", "--cluster", "1"],
            Self::OneCta | Self::Warps => ["--grid", "1", "--block", "64", "--cluster", "1"],
            Self::OneCluster => ["--grid", "2", "--block", "1", "--cluster", "2"],
            Self::TwoCtas => ["--grid", "2", "--block", "1", "--cluster", "1"],
        }
    }
}

/// A module in which thread 0 executes one text and the last thread the other, or the first and the last warp. `%data` and `%flag` are addresses in global memory, `%s` and
/// `%t` of words in shared memory, `%bar` of an mbarrier; `%v`, `%w`, `%p` and `%st` are registers.
fn module(threads: Threads, first: &str, last: &str) -> String {
    let unit = if threads == Threads::Warps { 5 } else { 0 };
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 flag)
{{
	.reg .pred %first, %last, %one, %p;
	.reg .b32 %thread, %threads, %r, %v, %w, %s, %t, %bar;
	.reg .b64 %data, %flag, %st;
	.shared .align 16 .b32 s[8];
	.shared .align 16 .b32 t[8];
	.shared .align 8 .b64 bar;
	ld.param.u64 %data, [data];
	ld.param.u64 %flag, [flag];
	mov.u32 %s, s;
	mov.u32 %t, t;
	mov.u32 %bar, bar;
	mov.u32 %r, %ctaid.x;
	mov.u32 %threads, %ntid.x;
	mov.u32 %thread, %tid.x;
	mad.lo.u32 %thread, %r, %threads, %thread;
	mov.u32 %r, %nctaid.x;
	mul.lo.u32 %threads, %threads, %r;
	sub.u32 %threads, %threads, 1;
	and.b32 %w, %thread, 31;
	setp.eq.u32 %one, %w, 0;
	shr.u32 %thread, %thread, {unit};
	shr.u32 %threads, %threads, {unit};
	setp.eq.u32 %first, %thread, 0;
	setp.eq.u32 %last, %thread, %threads;
	@!%first bra ELSE;
{first}
	bra END;
ELSE:
	@!%last bra OTHER;
{last}
	bra END;
OTHER:
END:
	ret;
}}
"
    )
}

/// Waits until the flag is 1.
fn poll(load: &str) -> String {
    format!("POLL: {load} %w, [%flag]; setp.ne.u32 %p, %w, 1; @%p bra POLL;")
}

const WRITE: &str = "st.global.u32 [%data], 7;";
const READ: &str = "ld.global.u32 %v, [%data];";

/// The problems of a case in several schedules, as a set of codes each.
fn codes(name: &str, threads: Threads, text: &str) -> Vec<Vec<String>> {
    codes_of(name, &threads.launch(), text)
}

/// The same with the options of a launch.
fn codes_of(name: &str, launch: &[&str], text: &str) -> Vec<Vec<String>> {
    let schedules = ["0", "1", "2", "3"];
    let run = |seed: &&str| {
        let arguments =
            ["run", "-", "--arg", "data=u32[8]", "--arg", "flag=u32[8]", "--format", "json", "--seed", seed];
        let arguments: Vec<&str> = arguments.into_iter().chain(launch.iter().copied()).collect();
        let run = run_in(&support::root(), &arguments, text.as_bytes());
        let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{name}: {}", run.stderr));
        let problems = result["problems"].as_array().expect("a list").iter();
        problems.map(|problem| problem["code"].as_str().expect("a code").to_owned()).collect()
    };
    schedules.iter().map(run).collect()
}

fn assert_race(name: &str, threads: Threads, first: &str, last: &str) {
    for found in codes(name, threads, &module(threads, first, last)) {
        assert!(!found.is_empty() && found.iter().all(|code| code == "data-race"), "{name}: {found:?}");
    }
}

fn assert_ordered(name: &str, threads: Threads, first: &str, last: &str) {
    for found in codes(name, threads, &module(threads, first, last)) {
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn messages_are_ordered_by_release_and_acquire() {
    let write = |publish: &str| format!("{WRITE} {publish}");
    let read = |load: &str| format!("{} {READ}", poll(load));
    let fenced_write = |fence: &str| write(&format!("{fence} st.relaxed.gpu.global.u32 [%flag], 1;"));
    let fenced_read = |fence: &str| format!("{} {fence} {READ}", poll("ld.relaxed.gpu.global.u32"));
    let gpu_write = write("st.release.gpu.global.u32 [%flag], 1;");
    let gpu_read = read("ld.acquire.gpu.global.u32");
    let update = write("red.release.gpu.global.add.u32 [%flag], 1;");
    let narrow = write("st.release.cta.global.u32 [%flag], 1;");
    for threads in [Threads::OneWarp, Threads::OneCta, Threads::OneCluster, Threads::TwoCtas] {
        assert_ordered("release", threads, &gpu_write, &gpu_read);
        assert_ordered("update", threads, &update, &gpu_read);
        assert_ordered("fences", threads, &fenced_write("fence.acq_rel.gpu;"), &fenced_read("fence.acq_rel.gpu;"));
        assert_ordered("membar", threads, &fenced_write("membar.gl;"), &fenced_read("membar.sys;"));
        let exchange = format!(
            "CAS: atom.acquire.gpu.global.cas.b32 %w, [%flag], 1, 2; setp.ne.u32 %p, %w, 1; @%p bra CAS; {READ}"
        );
        assert_ordered("exchange", threads, &gpu_write, &exchange);
        assert_race("relaxed", threads, &write("st.relaxed.gpu.global.u32 [%flag], 1;"), &gpu_read);
        assert_race("volatile", threads, &write("st.volatile.global.u32 [%flag], 1;"), &read("ld.volatile.global.u32"));
        assert_race("no-acquire", threads, &gpu_write, &read("ld.relaxed.gpu.global.u32"));
        assert_race("one-fence", threads, &fenced_write("fence.acq_rel.gpu;"), &fenced_read(""));
        assert_race(
            "release-fence",
            threads,
            &fenced_write("fence.acq_rel.gpu;"),
            &format!("fence.acq_rel.gpu; {}", fenced_read("")),
        );
        let one_cta = matches!(threads, Threads::OneWarp | Threads::OneCta);
        let expect = if one_cta { assert_ordered } else { assert_race };
        expect("narrow-release", threads, &narrow, &gpu_read);
        expect("narrow-acquire", threads, &gpu_write, &read("ld.acquire.cta.global.u32"));
        expect("narrow-fence", threads, &fenced_write("fence.acq_rel.cta;"), &fenced_read("fence.acq_rel.gpu;"));
        let one_cluster = one_cta || threads == Threads::OneCluster;
        let expect = if one_cluster { assert_ordered } else { assert_race };
        expect("cluster", threads, &fenced_write("fence.acq_rel.cluster;"), &read("ld.acquire.cluster.global.u32"));
    }
}

#[test]
fn sequential_fences_are_ordered_by_what_their_threads_have_observed() {
    // Another warp writes and has its fence before the barrier; the one that sets the flag has its own fence before it, too.
    let write = |fence: &str| format!("@%one st.global.u32 [%data], 7; {fence} bar.sync 1, 64;");
    let read = |fence: &str| format!("{} {fence} @%one {READ}", poll("ld.relaxed.gpu.global.u32"));
    let module = |one: &str, two: &str| {
        let flag = format!("OTHER: {one} bar.sync 1, 64; @%one st.relaxed.gpu.global.u32 [%flag], 1;");
        module(Threads::Warps, &write(one), &read(two)).replace("OTHER:", &flag)
    };
    for (one, two) in [("membar.gl;", "membar.gl;"), ("fence.sc.gpu;", "fence.sc.sys;")] {
        for found in codes_of("sequential fences", &["--block", "96"], &module(one, two)) {
            assert!(found.is_empty(), "{one} {two}: {found:?}");
        }
    }
    for (one, two) in
        [("fence.acq_rel.gpu;", "fence.sc.gpu;"), ("fence.sc.gpu;", "fence.acq_rel.gpu;"), ("", "fence.sc.gpu;")]
    {
        for found in codes_of("other fences", &["--block", "96"], &module(one, two)) {
            assert!(found.iter().any(|code| code == "data-race"), "{one} {two}: {found:?}");
        }
    }
}

#[test]
fn strong_accesses_in_scope_do_not_race() {
    let cases = [
        ("red.global.add.u32 [%data], 1;", "red.global.add.u32 [%data], 1;", true, true),
        ("red.relaxed.cta.global.add.u32 [%data], 1;", "red.global.add.u32 [%data], 1;", true, false),
        ("st.volatile.global.u32 [%data], 1;", "ld.relaxed.gpu.global.u32 %v, [%data];", true, true),
        ("st.volatile.global.u32 [%data], 1;", "ld.global.u32 %v, [%data];", false, false),
        ("red.global.add.u32 [%data], 1;", "st.global.u32 [%data], 1;", false, false),
        // The sizes differ.
        ("st.relaxed.gpu.global.u16 [%data], 1;", "ld.relaxed.gpu.global.u32 %v, [%data];", false, false),
        ("st.relaxed.gpu.global.v2.u32 [%data], {1, 2};", "ld.relaxed.gpu.global.u32 %v, [%data+4];", true, true),
        // Other bytes of a word.
        ("st.global.u8 [%data], 1;", "st.global.u8 [%data+1], 1;", true, true),
        ("st.global.u8 [%data+1], 1;", "ld.global.u16 %v, [%data];", false, false),
        ("ld.global.u32 %v, [%data];", "ld.global.v2.u32 {%v, %w}, [%data];", true, true),
        ("st.global.u64 [%data], 0;", "ld.global.u32 %v, [%data+4];", false, false),
    ];
    for (at, (first, last, in_cta, in_gpu)) in cases.into_iter().enumerate() {
        let last = last.replace("u16 %v", "u16 %h").replace("%h", "hw");
        let text = |text: &str| format!("{{ .reg .b16 hw; {text} }}");
        for (threads, ordered) in [(Threads::OneWarp, in_cta), (Threads::OneCta, in_cta), (Threads::TwoCtas, in_gpu)] {
            let expect = if ordered { assert_ordered } else { assert_race };
            expect(&format!("strong-{at}"), threads, &text(first), &text(&last));
        }
    }
}

#[test]
fn barriers_order_what_is_before_them() {
    let (store, load) = ("@%one st.global.u32 [%data], 1;", READ);
    let cases = [
        (format!("{store} bar.sync 0;"), format!("bar.sync 0; {load}"), true),
        (format!("{store} bar.red.popc.u32 %v, 0, %one;"), format!("bar.red.popc.u32 %v, 0, %one; {load}"), true),
        (format!("{store} bar.arrive 1, 64;"), format!("bar.sync 1, 64; {load}"), true),
        (format!("bar.sync 0; {store}"), format!("bar.sync 0; {load}"), false),
        (format!("bar.arrive 1, 64; {store}"), format!("bar.sync 1, 64; {load}"), false),
        (format!("{store} bar.sync 1, 32;"), format!("bar.sync 2, 32; {load}"), false),
    ];
    for (at, (first, last, ordered)) in cases.iter().enumerate() {
        let expect = if *ordered { assert_ordered } else { assert_race };
        expect(&format!("barrier-{at}"), Threads::Warps, first, last);
    }
    let warp = "bar.warp.sync 3;";
    assert_ordered(
        "warp",
        Threads::OneWarp,
        &format!("st.shared.u32 [%s], 1; {warp}"),
        &format!("{warp} ld.shared.u32 %v, [%s];"),
    );
    let arrive = "barrier.cluster.arrive;";
    let relaxed = "barrier.cluster.arrive.relaxed;";
    let wait = "barrier.cluster.wait;";
    assert_ordered(
        "cluster-barrier",
        Threads::OneCluster,
        &format!("{WRITE} {arrive} {wait}"),
        &format!("{arrive} {wait} {READ}"),
    );
    assert_race(
        "cluster-relaxed",
        Threads::OneCluster,
        &format!("{WRITE} {relaxed} {wait}"),
        &format!("{arrive} {wait} {READ}"),
    );
    assert_race(
        "cluster-late",
        Threads::OneCluster,
        &format!("{arrive} {WRITE} {wait}"),
        &format!("{arrive} {wait} {READ}"),
    );
}

#[test]
fn mbarriers_order_arrivals_before_waits() {
    let init = "@%one mbarrier.init.shared.b64 [%bar], 1;";
    let wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0; @!%p bra WAIT;";
    let ready = "bar.sync 0;";
    let arrive = "@%one mbarrier.arrive.shared.b64 %st, [%bar];";
    let relaxed = "@%one mbarrier.arrive.relaxed.cta.shared.b64 %st, [%bar];";
    let store = "@%one st.shared.u32 [%s], 1;";
    let load = "ld.shared.u32 %v, [%s];";
    let first = |arrive: &str| format!("{init} {ready} {store} {arrive}");
    let last = |wait: &str| format!("{ready} {wait} {load}");
    let relaxed_wait = wait.replace("parity", "parity.relaxed.cta");
    let (early, unready) = (format!("{init} {ready} {arrive} {store}"), format!("{init} {arrive}"));
    assert_ordered("mbarrier", Threads::Warps, &first(arrive), &last(wait));
    assert_race("relaxed arrival", Threads::Warps, &first(relaxed), &last(wait));
    assert_race("relaxed wait", Threads::Warps, &first(arrive), &last(&relaxed_wait));
    assert_race("early arrival", Threads::Warps, &early, &last(wait));
    let signal = format!("{unready} @%one st.relaxed.cta.global.u32 [%flag], 1;");
    let waits = format!("{} {wait}", poll("ld.relaxed.cta.global.u32"));
    assert_race("initialization", Threads::Warps, &signal, &waits);
}

#[test]
fn an_mbarrier_ends_behind_the_operations_that_its_cta_has_completed() {
    let begin = "@%one mbarrier.init.shared.b64 [%bar], 32; bar.sync 0;";
    let wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0; @!%p bra WAIT;";
    let arrive = "mbarrier.arrive.shared.b64 %st, [%bar];";
    // As `cuda::pipeline` does it.
    let end = "match.any.sync.b32 %v, 7, 0xffffffff; @%one mbarrier.inval.shared.b64 [%bar];";
    assert_ordered("own", Threads::Warps, &format!("{begin} {arrive} {wait} {end}"), "bar.sync 0;");
    let signal = format!("{begin} {arrive} {wait} @%one st.relaxed.cta.global.u32 [%flag], 1;");
    let other = format!("bar.sync 0; {} {end}", poll("ld.relaxed.cta.global.u32"));
    assert_ordered("other", Threads::Warps, &signal, &other);
}

#[test]
fn copies_are_ordered_by_their_waits() {
    let begin = "st.global.u32 [%data], 1; cp.async.ca.shared.global [%s], [%data], 4; cp.async.commit_group;";
    let load = "ld.shared.u32 %v, [%s];";
    let idle = "";
    assert_ordered("cp-async", Threads::OneCta, &format!("{begin} cp.async.wait_group 0; {load}"), idle);
    assert_ordered("cp-async-all", Threads::OneCta, &format!("{begin} cp.async.wait_all; {load}"), idle);
    assert_race("cp-async-no-wait", Threads::OneCta, &format!("{begin} st.shared.u32 [%s], 2;"), idle);
    assert_race(
        "cp-async-one-left",
        Threads::OneCta,
        &format!("{begin} cp.async.wait_group 1; st.shared.u32 [%s], 2;"),
        idle,
    );
    let begin =
        "@%one st.global.u32 [%data], 1; @%one cp.async.ca.shared.global [%s], [%data], 4; cp.async.commit_group;";
    let (wait, ready, overwrite) = ("cp.async.wait_all;", "bar.sync 0;", "@%one st.shared.u32 [%s], 3;");
    let last = format!("{ready} {overwrite}");
    assert_ordered("wait, barrier", Threads::Warps, &format!("{begin} {wait} {ready}"), &last);
    assert_race("barrier, wait", Threads::Warps, &format!("{begin} {ready} {wait}"), &last);
    let bulk = "st.shared.v4.u32 [%s], {1, 2, 3, 4}; fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%data], [%s], 16; cp.async.bulk.commit_group;";
    let reuse = "st.shared.u32 [%s], 9;";
    assert_race("bulk-reuse", Threads::OneCta, &format!("{bulk} {reuse} cp.async.bulk.wait_group 0;"), idle);
    assert_ordered("bulk-read", Threads::OneCta, &format!("{bulk} cp.async.bulk.wait_group.read 0; {reuse}"), idle);
    assert_race("bulk-result", Threads::OneCta, &format!("{bulk} cp.async.bulk.wait_group.read 0; {READ}"), idle);
    assert_ordered("bulk-wait", Threads::OneCta, &format!("{bulk} cp.async.bulk.wait_group 0; {READ}"), idle);
    let load = |wait: &str| {
        format!(
            "mbarrier.init.shared.b64 [%bar], 1; mbarrier.arrive.expect_tx.shared.b64 %st, [%bar], 16; \
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%data], 16, [%bar]; {wait} st.shared.u32 [%s], 9;"
        )
    };
    let wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0; @!%p bra WAIT;";
    assert_ordered("bulk-mbarrier", Threads::OneCta, &load(wait), idle);
    assert_race("bulk-mbarrier-no-wait", Threads::OneCta, &load(""), idle);
}

#[test]
fn bulk_copies_need_proxy_fences_behind_ordinary_writes() {
    let write = "@%one st.shared.v4.u32 [%s], {1, 2, 3, 4};";
    let copy = "@%one cp.async.bulk.global.shared::cta.bulk_group [%data], [%s], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    for fence in ["fence.proxy.async;", "fence.proxy.async.shared::cta;"] {
        assert_ordered(
            "the writer's fence",
            Threads::Warps,
            &format!("{write} {fence} bar.sync 0;"),
            &format!("bar.sync 0; {copy}"),
        );
        assert_ordered(
            "the issuer's fence",
            Threads::Warps,
            &format!("{write} bar.sync 0;"),
            &format!("bar.sync 0; {fence} {copy}"),
        );
        assert_race(
            "fence before the write",
            Threads::Warps,
            &format!("{fence} {write} bar.sync 0;"),
            &format!("bar.sync 0; {copy}"),
        );
        assert_race(
            "fence before the barrier",
            Threads::Warps,
            &format!("{write} bar.sync 0;"),
            &format!("{fence} bar.sync 0; {copy}"),
        );
    }
    assert_race("no fence", Threads::Warps, &format!("{write} bar.sync 0;"), &format!("bar.sync 0; {copy}"));
    assert_race(
        "other memory",
        Threads::Warps,
        &format!("{write} fence.proxy.async.global; bar.sync 0;"),
        &format!("bar.sync 0; {copy}"),
    );
    let over = "@%one cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%data], 16, [%bar];";
    let ready = "@%one mbarrier.init.shared.b64 [%bar], 1; bar.sync 0;";
    assert_race("overwritten", Threads::Warps, &format!("{write} {ready}"), &format!("bar.sync 0; {over}"));
    // What was read can be overwritten without a fence.
    assert_ordered(
        "read",
        Threads::Warps,
        "@%one ld.global.u32 %v, [%data]; bar.sync 0;",
        &format!("fence.proxy.async; bar.sync 0; {copy}").replace("[%s]", "[%t]"),
    );
}

#[test]
fn locks_order_their_sections() {
    let lock = |take: &str, leave: &str| {
        format!(
            "LOCK: {take} setp.ne.u32 %p, %w, 0; @%p bra LOCK; ld.global.u32 %v, [%data]; add.u32 %v, %v, 1; st.global.u32 [%data], %v; {leave}"
        )
    };
    let other = |text: &str| text.replace("LOCK", "OTHER_LOCK");
    let exchange = "atom.relaxed.gpu.global.cas.b32 %w, [%flag], 0, 1;";
    for threads in [Threads::OneWarp, Threads::OneCta, Threads::TwoCtas] {
        let fenced =
            lock(&format!("{exchange} fence.acq_rel.gpu;"), "fence.acq_rel.gpu; atom.global.exch.b32 %w, [%flag], 0;");
        assert_ordered("lock", threads, &fenced, &other(&fenced));
        let acquire =
            lock("atom.acquire.gpu.global.cas.b32 %w, [%flag], 0, 1;", "st.release.gpu.global.u32 [%flag], 0;");
        assert_ordered("acquire-lock", threads, &acquire, &other(&acquire));
        let bare = lock(exchange, "atom.global.exch.b32 %w, [%flag], 0;");
        assert_race("bare-lock", threads, &bare, &other(&bare));
        let plain = lock("atom.acquire.gpu.global.cas.b32 %w, [%flag], 0, 1;", "membar.gl; st.global.u32 [%flag], 0;");
        assert_race("plain-unlock", threads, &plain, &other(&plain));
    }
}

#[test]
fn an_observed_write_is_before_what_follows_on_the_same_location() {
    let arrive = "atom.relaxed.gpu.global.add.u32 %w, [%flag], 1;";
    let last = format!("{arrive} setp.eq.u32 %p, %w, 1; @%p st.global.u32 [%flag], 0;");
    let wait = poll("ld.relaxed.gpu.global.u32");
    for threads in [Threads::OneCta, Threads::OneCluster, Threads::TwoCtas] {
        assert_ordered("reset by the last", threads, &last, &last);
        let write = "st.relaxed.gpu.global.u32 [%flag], 1;";
        assert_ordered("reset", threads, write, &format!("{wait} st.global.u32 [%flag], 0;"));
        // Nothing is said about other locations, or by a weak read.
        assert_race("data", threads, &format!("{WRITE} {write}"), &format!("{wait} {READ}"));
        assert_race("weak", threads, write, "ld.global.u32 %w, [%flag]; st.global.u32 [%flag], 0;");
    }
}
