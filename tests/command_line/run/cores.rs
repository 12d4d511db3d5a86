//! `run --jobs`: the number of threads changes nothing that is seen.

use crate::{run_in, scratch};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Asserts that a run is the same with one, two and three threads, and returns what it shows.
fn same_on_all(folder: &Path, arguments: &[&str]) -> String {
    let shown = ["1", "2", "3"].map(|jobs| {
        let all: Vec<&str> = ["run"].into_iter().chain(arguments.iter().copied()).chain(["--jobs", jobs]).collect();
        let run = run_in(folder, &all, b"");
        (run.stdout, run.stderr, run.code)
    });
    let short: Vec<String> = arguments.iter().map(|one| one.chars().take(40).collect()).collect();
    assert!(shown[0] == shown[1] && shown[1] == shown[2], "{short:?}: {shown:#?}");
    let [(stdout, ..), ..] = shown;
    stdout
}

#[test]
fn recorded_kernels_are_the_same() {
    let folder = support::root().join("tests/evidence/kernels");
    let recorded = fs::read_to_string(folder.join("recorded.jsonl")).expect("recorded");
    for line in recorded.lines() {
        let launch: Value = serde_json::from_str(line).expect("JSON");
        let module = format!("{}.ptx", launch["module"].as_str().expect("a name"));
        let options = launch["options"].as_array().expect("a list").iter().map(|one| one.as_str().expect("a text"));
        let arguments: Vec<&str> = [&*module].into_iter().chain(options).chain(["--seed", "4"]).collect();
        same_on_all(&folder, &arguments);
    }
}

#[test]
fn kernels_of_the_fixtures_are_the_same() {
    let folder = support::root().join("tests/fixtures/kernels");
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).expect("fixtures").map(|file| file.expect("a file").path()).collect();
    files.sort();
    for path in files {
        let text = fs::read_to_string(&path).expect("a fixture");
        let options = text.lines().find_map(|line| line.split_once("// run:")).expect("options").1;
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        same_on_all(&folder, &[name].into_iter().chain(options.split_whitespace()).collect::<Vec<_>>());
    }
}

/// A kernel in which each thread of 8 CTAs adds up 2,000 numbers: enough work to be divided. `body` follows, with the sum in `%r6`, the thread's
/// number in `%r4`, and its own word at `[%rd3]` of the buffer at `[%rd1]`.
fn long_kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<8>;\n\
         ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n\
         mad.lo.s32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
         mov.u32 %r5, 0;\nmov.u32 %r6, 0;\n$LOOP:\nmad.lo.u32 %r6, %r5, %r4, %r6;\nadd.u32 %r5, %r5, 1;\n\
         setp.lt.u32 %p1, %r5, 2000;\n@%p1 bra $LOOP;\n{body}\nret;\n}}\n"
    )
}

/// What a long kernel shows.
fn run_long(name: &str, body: &str, more: &[&str]) -> String {
    let folder = scratch(name);
    fs::write(folder.join("k.ptx"), long_kernel(body)).expect("written");
    let arguments = ["k.ptx", "--grid", "8", "--block", "64", "--arg", "a=u32[512]"];
    same_on_all(&folder, &arguments.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
}

#[test]
fn ctas_that_exchange_nothing_are_right() {
    let shown = run_long("cores_apart", "st.global.u32 [%rd3], %r6;", &["--format", "json"]);
    let result: Value = serde_json::from_str(&shown).expect("JSON");
    let expected: Vec<u64> = (0..512).map(|thread| 1999 * 1000 * thread % (1 << 32)).collect();
    assert_eq!(result["memory"]["a"], serde_json::json!(expected));
    assert_eq!(result["problems"], serde_json::json!([]));
}

/// A race between CTAs that run on different cores.
#[test]
fn races_between_ctas_are_found() {
    let write = "st.global.u32 [%rd3], %r6;\nsetp.eq.u32 %p2, %r4, 511;\n@%p2 st.global.u32 [%rd1], %r4;";
    assert!(run_long("cores_write", write, &[]).contains("error[data-race]"));
    let read = "st.global.u32 [%rd3], %r6;\nsetp.eq.u32 %p2, %r4, 511;\n@%p2 ld.global.u32 %r7, [%rd1];";
    assert!(run_long("cores_read", read, &[]).contains("error[data-race]"));
    let same = "st.global.u32 [%rd1], 7;";
    assert!(run_long("cores_same", same, &[]).contains("info[same-value-race]"));
}

/// Other problems, of CTAs that run on another core than the first.
#[test]
fn problems_of_later_ctas_are_found() {
    let outside = "setp.eq.u32 %p2, %r2, 6;\n@%p2 add.s64 %rd3, %rd3, 4096;\nst.global.u32 [%rd3], %r6;";
    assert!(run_long("cores_outside", outside, &[]).contains("error[out-of-bounds]"));
    let limit = run_long("cores_limit", "st.global.u32 [%rd3], %r6;", &["--max-instructions", "2000000"]);
    assert!(limit.contains("error[instruction-limit]"), "{limit}");
}

/// A CTA that waits by plain reads for a later one does not wait forever: the race is what is wrong.
#[test]
fn a_cta_may_wait_for_a_later_one() {
    let wait = "setp.eq.u32 %p2, %r4, 511;\n@%p2 st.global.u32 [%rd1], 1;\n@%p2 bra $END;\n\
                $WAIT:\nld.global.u32 %r7, [%rd1];\nsetp.eq.u32 %p3, %r7, 0;\n@%p3 bra $WAIT;\n$END:";
    let shown = run_long("cores_wait", wait, &[]);
    assert!(shown.contains("error[data-race]") && !shown.contains("error[deadlock]"), "{shown}");
}

#[test]
fn traces_are_the_same() {
    let shown = run_long("cores_trace", "st.global.u32 [%rd3], %r6;", &["--trace", "a[100]", "--trace", "thread=5:1"]);
    assert!(shown.contains("CTA 1") && shown.contains("CTA 5"), "{shown}");
}

/// Runs a long kernel with an atomic in its end, and returns its buffer.
fn combined(name: &str, body: &str) -> Vec<u64> {
    let shown = run_long(name, body, &["--format", "json"]);
    let result: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(result["problems"], serde_json::json!([]), "{body}");
    result["memory"]["a"].as_array().expect("a list").iter().map(|one| one.as_u64().expect("a number")).collect()
}

/// Updates whose order does not matter are added up.
#[test]
fn combined_updates_are_right() {
    let sums = (0..512_u64).map(|thread| 1999 * 1000 * thread % (1 << 32));
    let all = |fold: fn(u64, u64) -> u64, first: u64| sums.clone().fold(first, fold) % (1 << 32);
    let cases = [
        ("red.global.add.u32 [%rd1], %r6;", all(|a, b| a + b, 0)),
        ("red.relaxed.gpu.global.max.s32 [%rd1], %r6;", all(|a, b| (a as i32).max(b as i32) as u32 as u64, 0)),
        ("red.release.sys.global.min.s32 [%rd1], %r6;", all(|a, b| (a as i32).min(b as i32) as u32 as u64, 0)),
        ("red.global.max.u32 [%rd1], %r6;", all(u64::max, 0)),
        ("red.or.b32 [%rd1], %r6;", all(|a, b| a | b, 0)),
        ("red.global.xor.b32 [%rd1], %r6;", all(|a, b| a ^ b, 0)),
        // nvcc does not write `red` where nobody reads the result.
        ("atom.global.add.u32 %r7, [%rd1], %r6;", all(|a, b| a + b, 0)),
    ];
    for (number, (body, expected)) in cases.into_iter().enumerate() {
        assert_eq!(combined(&format!("cores_combined_{number}"), body)[0], expected, "{body}");
    }
    let wide = combined("cores_combined_wide", "mov.b64 %rd4, {%r6, %r4};\nred.global.add.u64 [%rd1+16], %rd4;");
    let sum = sums.zip(0..512).fold(0_u64, |all, (low, high)| all.wrapping_add(high << 32 | low));
    assert_eq!(wide[4] | wide[5] << 32, sum);
}

/// A CTA that has words for itself may do with them what it likes.
#[test]
fn updates_beside_other_accesses_are_right() {
    let own = "st.global.u32 [%rd3], 5;\nred.global.add.u32 [%rd3], %r4;\nsetp.ne.u32 %p2, %r1, 0;\n\
               @%p2 bra $END;\nred.global.add.u32 [%rd3], 1;\n$END:";
    let found = combined("cores_own", own);
    let expected: Vec<u64> = (0..512).map(|thread| 5 + thread + u64::from(thread % 64 == 0)).collect();
    assert_eq!(found, expected);
    let zeroed = "setp.eq.u32 %p2, %r1, 0;\n@%p2 st.global.u32 [%rd3], 0;\nmul.wide.u32 %rd4, %r2, 256;\n\
                  add.s64 %rd4, %rd1, %rd4;\nbar.sync 0;\nred.global.add.u32 [%rd4], %r1;\nbar.sync 0;\n\
                  @%p2 ld.global.u32 %r7, [%rd4];\n@%p2 st.global.u32 [%rd4+4], %r7;";
    let found = combined("cores_zeroed", zeroed);
    assert!((0..8).all(|cta| found[cta * 64..cta * 64 + 3] == [2016, 2016, 0]), "{found:?}");
}

/// Both halves of an update of 64 bits are there, if one half is accessed in another way, too.
#[test]
fn halves_of_an_update_are_not_lost() {
    let update = "red.global.add.u64 [%rd3], 4294967297;";
    for (name, other) in [("read", "ld.global.u32 %r7, [%rd3];"), ("part", "red.global.add.u32 [%rd3], 0;")] {
        for (order, accesses) in [("after", format!("{update}\n{other}")), ("before", format!("{other}\n{update}"))] {
            let body = format!("and.b32 %r8, %r1, 1;\nsetp.eq.u32 %p2, %r8, 1;\n@%p2 bra $END;\n{accesses}\n$END:");
            let found = combined(&format!("cores_half_{name}_{order}"), &body);
            assert!(found.iter().all(|word| *word == 1), "{name} {order}: {found:?}");
        }
    }
}

/// Updates whose order matters, or that race with what others do.
#[test]
fn updates_with_an_order_are_the_same() {
    let odd = "and.b32 %r7, %r2, 1;\nsetp.eq.u32 %p2, %r7, 0;";
    for (name, body, problem) in [
        ("mixed", "@%p2 red.global.add.u32 [%rd1], %r4;\n@!%p2 red.global.max.u32 [%rd1], %r4;", None),
        ("sizes", "@%p2 red.global.add.u32 [%rd1], 1;\n@!%p2 red.global.add.u64 [%rd1], 1;", Some("data-race")),
        ("narrow", "red.relaxed.cta.global.add.u32 [%rd1], 1;", Some("data-race")),
        ("read", "red.global.add.u32 [%rd1], 1;\n@%p2 ld.global.u32 %r8, [%rd1];", Some("data-race")),
        ("store", "red.global.add.u32 [%rd1], 1;\n@%p2 st.global.u32 [%rd1], 3;", Some("data-race")),
        ("byte", "red.global.add.u32 [%rd1], 1;\n@%p2 st.global.u8 [%rd1+3], 3;", Some("data-race")),
        ("result", "atom.global.add.u32 %r8, [%rd1], 1;\nst.global.u32 [%rd3+64], %r8;", Some("out-of-bounds")),
        ("floats", "cvt.rn.f32.u32 %r8, %r6;\nred.global.add.f32 [%rd1], %r8;", None),
        ("wraps", "red.global.inc.u32 [%rd1], 100;", None),
        ("spin", "st.global.u32 [%rd3], %r6;\n$S:\nred.global.max.u32 [%rd1], 3;\n@%p2 bra $S;", Some("")),
    ] {
        let limit = ["--max-instructions", "40000000"];
        let shown = run_long(&format!("cores_order_{name}"), &format!("{odd}\n{body}"), &limit);
        match problem {
            Some(code) => assert!(shown.contains(&format!("error[{code}")), "{name}: {shown}"),
            None => assert!(!shown.contains("error["), "{name}: {shown}"),
        }
    }
}
