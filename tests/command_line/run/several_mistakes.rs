//! `run`: a kernel with several mistakes has all of them reported, or those that `--checks` looks for.

use crate::{run_in, scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Bodies of a kernel of two warps, and the codes that each has to be reported with.
const KERNELS: &[(&str, &[&str])] = &[
    (
        "st.global.u32 [%own+256], 1;\n\
         add.u32 %v, %u, 1;\n\
         st.global.u32 [%own], %v;",
        &["out-of-bounds", "uninitialized-read"],
    ),
    (
        "ld.shared.u32 %v, [%s];\n\
         st.global.u32 [%own], %v;\n\
         setp.lt.u32 %q, %me, 16;\n\
         @!%q bra E;\n\
         bar.sync 0;\n\
         E: bar.sync 0;",
        &["barrier-divergence", "uninitialized-read"],
    ),
    (
        "add.u64 %t, %own, 2;\n\
         st.global.u32 [%t], 1;\n\
         st.global.u32 [%b], %me;",
        &["data-race", "misaligned-access"],
    ),
    (
        "mbarrier.arrive.shared.b64 %st, [bar];\n\
         st.global.u32 [%a], %me;",
        &["data-race", "mbarrier-misuse"],
    ),
    (
        "setp.lt.u32 %q, %me, 40;\n\
         @%q bar.sync 0;\n\
         st.global.u32 [%a], %me;",
        &["barrier-divergence", "data-race"],
    ),
    (
        "st.global.u32 [%a], %me;\n\
         @%p trap;\n\
         st.global.u32 [%own+512], 1;",
        &["data-race", "out-of-bounds", "trap"],
    ),
    (
        "add.u32 %v, %u, 1;\n\
         st.global.u32 [%own], %v;\n\
         W: ld.volatile.global.u32 %w, [%b];\n\
         setp.eq.u32 %q, %w, 0;\n\
         @%q bra W;",
        &["deadlock", "uninitialized-read"],
    ),
    (
        "setp.eq.u32 %q, %u, 0;\n\
         @%q st.global.u32 [%own+512], 1;\n\
         st.global.u32 [%a+4], %me;",
        &["data-race", "out-of-bounds", "uninitialized-read"],
    ),
    (
        "ld.shared.u32 %v, [%s];\n\
         mad.lo.u32 %x, %v, 4, 0;\n\
         cvt.u64.u32 %t, %x;\n\
         add.u64 %t, %a, %t;\n\
         ld.global.u32 %w, [%t];\n\
         st.global.u32 [%a], %w;",
        &["data-race", "uninitialized-read"],
    ),
    (
        "@%p mbarrier.init.shared.b64 [bar], 1;\n\
         bar.sync 0;\n\
         @!%p bra E;\n\
         mbarrier.arrive.expect_tx.shared.b64 %st, [bar], 64;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%a], 64, [bar];\n\
         ld.shared.u32 %v, [s];\n\
         st.global.u32 [%b], %v;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+4], [%a], 64, [bar];\n\
         E:",
        &["data-race", "misaligned-access"],
    ),
    (
        "red.global.add.u32 [%own+512], 1;\n\
         st.shared.u32 [s+4], %me;\n\
         ld.shared.u32 %v, [s+8];\n\
         st.global.u32 [%own], %v;",
        &["data-race", "out-of-bounds", "uninitialized-read"],
    ),
    (
        "st.shared.u32 [s+16], %me;\n\
         mapa.shared::cluster.u32 %v, s, 3;\n\
         st.shared::cluster.u32 [%v], 1;",
        &["data-race", "out-of-bounds"],
    ),
    (
        "st.global.u32 [%own+300], 1;\n\
         bar.sync 2, 96;\n\
         st.global.u32 [%a], %me;",
        &["deadlock", "out-of-bounds"],
    ),
    (
        "@!%p bra E;\n\
         mbarrier.init.shared.b64 [bar], 1;\n\
         st.shared.u32 [bar], 5;\n\
         mbarrier.arrive.shared.b64 %st, [bar];\n\
         E: st.global.u32 [%own+512], 1;",
        &["mbarrier-misuse", "out-of-bounds"],
    ),
    (
        "@!%p bra E;\n\
         mbarrier.init.shared.b64 [bar], 1;\n\
         mbarrier.init.shared.b64 [bar], 2;\n\
         E: st.global.u32 [%own+512], 1;",
        &["mbarrier-misuse", "out-of-bounds"],
    ),
    (
        "tt: .branchtargets E, F;\n\
         mov.u32 %v, 9;\n\
         setp.eq.u32 %q, %me, 40;\n\
         @%q brx.idx %v, tt;\n\
         E: st.global.u32 [%b], %me;\n\
         F: st.global.u32 [%own+1000], 1;",
        &["data-race", "out-of-bounds"],
    ),
    (
        "@!%p bra E;\n\
         cp.async.ca.shared.global [s], [%a], 16;\n\
         cp.async.commit_group;\n\
         ld.shared.u32 %v, [s];\n\
         st.global.u32 [%b], %v;\n\
         E: st.global.u32 [%own+512], 1;",
        &["data-race", "out-of-bounds"],
    ),
    (
        "@%p mbarrier.init.shared.b64 [bar], 64;\n\
         bar.sync 0;\n\
         mbarrier.arrive.shared.b64 %st, [bar];\n\
         W: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;\n\
         @!%q bra W;\n\
         st.global.u32 [%own+512], %u;\n\
         V: mbarrier.try_wait.parity.shared.b64 %q, [bar], 1;\n\
         @!%q bra V;\n\
         st.global.u32 [%b], %me;",
        &["deadlock", "out-of-bounds", "uninitialized-read"],
    ),
    (
        "L: atom.acquire.gpu.global.cas.b32 %v, [%b], 0, 1;\n\
         setp.ne.u32 %q, %v, 0;\n\
         @%q bra L;\n\
         st.global.u32 [%a], %me;\n\
         st.global.u32 [%own+512], 1;",
        &["deadlock", "out-of-bounds"],
    ),
    (
        "mov.u64 %t, s;\n\
         st.global.u32 [%t], 1;\n\
         st.global.u32 [%own+512], 1;\n\
         st.global.u32 [%a], %me;",
        &["data-race", "out-of-bounds"],
    ),
    (
        "setp.gt.u32 %q, %me, 50;\n\
         @%q exit;\n\
         bar.sync 0;\n\
         add.u32 %v, %u, 1;\n\
         st.global.u32 [%own], %v;\n\
         st.global.u32 [%a], %me;",
        &["data-race", "uninitialized-read"],
    ),
    (
        "setp.lt.u32 %q, %me, 16;\n\
         @%q vote.sync.ballot.b32 %v, %p, 0x0000ffff;\n\
         @!%q vote.sync.ballot.b32 %v, %p, 0x0000ffff;\n\
         st.global.u32 [%own+512], %v;\n\
         st.global.u32 [%a], %me;",
        &["data-race", "out-of-bounds"],
    ),
    (
        "st.global.u32 [%own+512], 1;\n\
         st.global.u32 [%a], %me;\n\
         @%p mbarrier.init.shared.b64 [bar], 65;\n\
         bar.sync 0;\n\
         mbarrier.arrive.shared.b64 %st, [bar];\n\
         W: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;\n\
         @!%q bra W;",
        &["data-race", "deadlock", "out-of-bounds"],
    ),
    (
        "@%p mbarrier.init.shared.b64 [bar], 1;\n\
         bar.sync 0;\n\
         @!%p bra W;\n\
         mbarrier.arrive.expect_tx.shared.b64 %st, [bar], 64;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%a+256], 64, [bar];\n\
         W: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;\n\
         @!%q bra W;\n\
         st.global.u32 [%b], %me;\n\
         ld.shared.u32 %v, [%s];\n\
         st.global.u32 [%own+512], %v;",
        &["data-race", "out-of-bounds"],
    ),
];

/// `%own` is a word of the buffer `a` for each thread, `%s` of the array `s` in shared memory, `%p` is set in the first thread; `%u` has no value.
fn module(body: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{{
	.reg .pred %p, %q;
	.reg .b32 %me, %v, %w, %x, %u, %s;
	.reg .b64 %a, %b, %own, %t, %st;
	.shared .align 16 .b32 s[64];
	.shared .align 8 .b64 bar;
	ld.param.u64 %a, [a];
	ld.param.u64 %b, [b];
	mov.u32 %me, %tid.x;
	mov.u32 %s, s;
	mad.lo.u32 %s, %me, 4, %s;
	mul.wide.u32 %own, %me, 4;
	add.u64 %own, %a, %own;
	setp.eq.u32 %p, %me, 0;
{body}
	ret;
}}
"
    )
}

#[test]
fn every_mistake_is_reported_in_each_schedule() {
    let folder = crate::scratch("several-mistakes");
    for (body, expected) in KERNELS {
        std::fs::write(folder.join("k.ptx"), module(body)).expect("a file");
        for seed in ["0", "3"] {
            let buffers = ["--arg", "a=u32[64]", "--arg", "b=u32[4]"];
            let options = ["--block", "64", "--seed", seed, "--format", "json"];
            let run = run_in(&folder, &[&["run", "k.ptx"], &buffers[..], &options[..]].concat(), b"");
            let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{body}: {}", run.stderr));
            let problems = result["problems"].as_array().expect("a list").iter();
            let codes: BTreeSet<&str> = problems.filter_map(|one| one["code"].as_str()).collect();
            assert!(expected.iter().all(|code| codes.contains(code)), "{body}: {codes:?}");
        }
    }
}

#[test]
fn a_copy_that_cannot_be_made_causes_no_further_report() {
    let folder = crate::scratch("failed-copy");
    let body = "@%p mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n@!%p bra W;\n\
                mbarrier.arrive.expect_tx.shared.b64 %st, [bar], 64;\n\
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%a+256], 64, [bar];\n\
                W: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;\n@!%q bra W;\n\
                setp.lt.u32 %q, %me, 16;\n@%q ld.shared.u32 %v, [%s];\n@%q st.global.u32 [%own], %v;";
    std::fs::write(folder.join("k.ptx"), module(body)).expect("a file");
    let launch = ["run", "k.ptx", "--block", "64", "--arg", "a=u32[64]", "--arg", "b=u32[4]", "--format", "json"];
    let result: Value = serde_json::from_str(&run_in(&folder, &launch, b"").stdout).expect("JSON");
    let problems = result["problems"].as_array().expect("a list");
    assert_eq!(problems.iter().map(|one| one["code"].as_str()).collect::<Vec<_>>(), [Some("out-of-bounds")]);
}

/// Each thread of a CTA writes the word of all, and the last one also behind the buffer.
const TWO_MISTAKES: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3+4], %r1;
    ret;
}
";

/// The codes of the problems, and the last line, of a run with some checks.
fn checked(checks: &[&str]) -> (Vec<String>, String, i32) {
    let folder = scratch("run-checks");
    fs::write(folder.join("k.ptx"), TWO_MISTAKES).expect("a module");
    let options = ["run", "k.ptx", "--block", "4", "--arg", "out=u32[4]"];
    let with = |format: &'static [&'static str]| [&options, checks, format].concat();
    let json: Value = serde_json::from_str(&run_in(&folder, &with(&["--format", "json"]), b"").stdout).expect("JSON");
    let problems = json["problems"].as_array().expect("a list").iter();
    let run = run_in(&folder, &with(&[]), b"");
    let last = run.stdout.lines().last().expect("a line").to_owned();
    let unchecked = json["notLookedFor"].as_array().map_or(0, Vec::len);
    assert_eq!(unchecked > 0, last.contains("not looked for"), "{last}");
    (problems.map(|one| one["code"].as_str().expect("a code").to_owned()).collect(), last, run.code)
}

#[test]
fn a_run_says_what_it_has_not_looked_for() {
    let (all, last, code) = checked(&[]);
    assert!(all.contains(&"data-race".to_owned()) && all.contains(&"out-of-bounds".to_owned()), "{all:?}");
    assert_eq!((code, last.contains("not looked for")), (1, false), "{last}");
    let (memory, last, code) = checked(&["--checks", "memory"]);
    assert_eq!((memory, code), (vec!["out-of-bounds".to_owned()], 1));
    assert!(last.ends_with("; not looked for: data races"), "{last}");
    let (races, last, _) = checked(&["--checks", "races"]);
    assert!(races.contains(&"data-race".to_owned()) && !races.contains(&"out-of-bounds".to_owned()), "{races:?}");
    assert!(last.ends_with("; not looked for: mistakes of memory"), "{last}");
    let (none, last, code) = checked(&["--checks", "none"]);
    assert_eq!((none.len(), code), (0, 0));
    assert!(last.ends_with("; not looked for: mistakes of memory, data races"), "{last}");
}
