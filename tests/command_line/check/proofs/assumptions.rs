//! `--assume`: what libraries rely on and the memory model does not promise. A refutation that an assumption would turn into a proof says so.

use crate::{Run, run, scratch};
use serde_json::Value;
use std::fs;

/// Two CTAs of one thread: the first one runs `first`, the second one `second`.
fn kernel(name: &str, first: &str, second: &str) -> String {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_p, .param .u64 k_out)\n{{\n\
         .reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n\
         ld.param.u64 %rd1, [k_p];\nld.param.u64 %rd2, [k_out];\nmov.u32 %r1, %ctaid.x;\n\
         setp.ne.u32 %p, %r1, 0;\n@%p bra SECOND;\n{first}\nret;\nSECOND:\n{second}\nret;\n}}\n"
    );
    let file = scratch(&format!("assumptions-{name}")).join("k.ptx");
    fs::write(&file, text).expect("written");
    file.to_str().expect("UTF-8").to_owned()
}

/// Checks two CTAs with a vector and an element of results, and claims.
fn check(file: &str, more: &[&str]) -> Run {
    let launch = ["check", file, "--grid", "2", "--arg", "k_p=u64[2]", "--arg", "k_out=u64[1]"];
    run(&[&launch[..], more].concat())
}

/// The kernel is refuted, names the assumption, and is proved with it.
fn decides(assumption: &str, file: &str, claim: &[&str]) {
    let refuted = check(file, claim);
    assert!(refuted.code == 1, "{}{}", refuted.stdout, refuted.stderr);
    let note = format!("\nnote: with `--assume {assumption}` no execution of this launch has a problem: ");
    assert!(refuted.stdout.contains(&note), "{}", refuted.stdout);
    let proved = check(file, &[&["--assume", assumption], claim].concat());
    assert!(proved.code == 0 && proved.stdout.starts_with("proved"), "{}{}", proved.stdout, proved.stderr);
    assert!(proved.stdout.contains(&format!("\nassumed: {assumption}: ")), "{}", proved.stdout);
    let json = check(file, &[&["--assume", assumption, "--format", "json"], claim].concat()).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["assumptions"], serde_json::json!([assumption]));
    let json: Value =
        serde_json::from_str(&check(file, &[claim, &["--format", "json"]].concat()).stdout).expect("JSON");
    assert_eq!(json["would_prove"], serde_json::json!([assumption]));
}

const WAIT: &str = "WAIT: ld.volatile.global.v2.u64 {%rd3, %rd4}, [%rd1];\nsetp.eq.u64 %p, %rd4, 0;\n@%p bra WAIT;\nst.global.u64 [%rd2], %rd3;";

#[test]
fn a_vector_with_a_flag_is_one_access() {
    let store = "mov.u64 %rd3, 7;\nmov.u64 %rd4, 1;\nst.volatile.global.v2.u64 [%rd1], {%rd3, %rd4};";
    let file = kernel("vector", store, WAIT);
    decides("vector-16-atomic", &file, &["--expect", "k_out=7"]);
    let words = "WAIT: ld.relaxed.gpu.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];\nsetp.eq.u32 %p, %r5, 0;\n@%p bra WAIT;\ncvt.u64.u32 %rd3, %r2;\nst.global.u64 [%rd2], %rd3;";
    let store = "mov.u32 %r2, 7;\nst.relaxed.gpu.global.v4.u32 [%rd1], {%r2, %r2, %r2, %r2};";
    decides("vector-16-atomic", &kernel("words", store, words), &["--expect", "k_out=7"]);
}

/// A thread that writes the halves one after the other is no single access, whatever is assumed.
#[test]
fn halves_that_are_written_apart_are_not_one_access() {
    let store = "mov.u64 %rd3, 7;\nmov.u64 %rd4, 1;\nst.volatile.global.u64 [%rd1+8], %rd4;\nst.volatile.global.u64 [%rd1], %rd3;";
    let found = check(&kernel("halves", store, WAIT), &["--assume", "vector-16-atomic", "--expect", "k_out=7"]);
    assert!(found.code == 1 && !found.stdout.contains("note: with"), "{}{}", found.stdout, found.stderr);
}

#[test]
fn volatile_accesses_are_in_order() {
    let store = "mov.u64 %rd3, 7;\nst.global.u64 [%rd1], %rd3;\nst.volatile.global.u64 [%rd1+8], %rd3;";
    let wait = "WAIT: ld.volatile.global.u64 %rd4, [%rd1+8];\nsetp.eq.u64 %p, %rd4, 0;\n@%p bra WAIT;\nld.global.u64 %rd3, [%rd1];\nst.global.u64 [%rd2], %rd3;";
    decides("in-order-volatile", &kernel("volatile", store, wait), &["--expect", "k_out=7"]);
}

#[test]
fn a_read_before_a_compare_and_swap_is_a_relaxed_one() {
    let add = |at: &str| {
        format!(
            "cvta.to.global.u64 %rd7, %rd1;\nld.global.u64 %rd3, [%rd7];\nLOOP{at}: mov.u64 %rd4, %rd3;\nadd.u64 %rd5, %rd4, 1;\natom.cas.b64 %rd3, [%rd1], %rd4, %rd5;\nsetp.ne.u64 %p, %rd3, %rd4;\n@%p bra LOOP{at};"
        )
    };
    let file = kernel("cas", &add("0"), &add("1"));
    decides("plain-read-before-cas", &file, &["--expect", "k_p=2"]);
    // A read of another word is no part of it.
    let other = add("0").replace("ld.global.u64 %rd3, [%rd7]", "ld.global.u64 %rd3, [%rd7+8]");
    let file = kernel("other", &other, &format!("{}\nst.global.u64 [%rd1+8], %rd1;", add("1")));
    assert_eq!(check(&file, &["--assume", "plain-read-before-cas"]).code, 1);
}

#[test]
fn unknown_assumptions_are_named() {
    let found = check(&kernel("unknown", "", ""), &["--assume", "luck"]);
    assert!(found.code == 2 && found.stderr.contains("vector-16-atomic"), "{}", found.stderr);
}
