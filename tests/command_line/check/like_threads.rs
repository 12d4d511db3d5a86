//! `check`: threads of a CTA that cannot tell which one they are take few states, and what is wrong with one of them is found.

use crate::run_in;
use serde_json::Value;
use std::fs;

fn kernels() -> String {
    fs::read_to_string(support::root().join("tests/fixtures/kernels/like_threads.ptx")).expect("a fixture")
}

fn checked(text: &str, kernel: &str, options: &[&str]) -> Value {
    let run = run_in(
        &support::root(),
        &[&["check", "-", "--format", "json", "--kernel", kernel, "--arg", "m=u32[40]"], options].concat(),
        text.as_bytes(),
    );
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

fn assert_proved(result: &Value, most_states: u64) {
    assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{result}");
    assert!(result["states"].as_u64().is_some_and(|states| states <= most_states), "{result}");
}

fn codes(result: &Value) -> Vec<&str> {
    let problems = result["problems"].as_array().expect("a list").iter();
    problems.map(|problem| problem["code"].as_str().expect("a code")).collect()
}

#[test]
fn threads_at_one_lock_take_a_state_for_each_number_of_them() {
    for threads in [16, 32] {
        let options = ["--block", &threads.to_string(), "--require", &format!("m[1] == {threads}")];
        assert_proved(&checked(&kernels(), "lock", &options), 2 * threads + 1);
        assert_proved(&checked(&kernels(), "slots", &["--block", &threads.to_string()]), threads + 1);
    }
    // With a barrier after it, lanes change places within their warp.
    let with_barrier = kernels().replacen("\tret;", "\tbar.sync 0;\n\tret;", 1);
    assert_proved(&checked(&with_barrier, "lock", &["--block", "16"]), 40);
    // In two CTAs both threads and CTAs change places.
    assert_proved(&checked(&kernels(), "lock", &["--grid", "2", "--block", "4"]), 200);
}

#[test]
fn mistakes_of_like_threads_are_found() {
    let options = ["--block", "8"];
    let relaxed = kernels().replace("st.release", "st.relaxed");
    assert_eq!(codes(&checked(&relaxed, "lock", &options)), ["data-race"]);
    let unlocked = kernels().replacen("\t@%p bra LOCK;\n", "", 1);
    assert!(codes(&checked(&unlocked, "lock", &options)).contains(&"data-race"));
    let held = kernels().replacen("\tst.release.gpu.global.u32 [%m], 0;\n", "", 1);
    assert_eq!(codes(&checked(&held, "lock", &options)), ["deadlock"]);
    let shared_slot =
        kernels().replace("atom.relaxed.gpu.global.add.u32 %o, [%m], 1", "ld.relaxed.gpu.global.u32 %o, [%m]");
    assert!(!codes(&checked(&shared_slot.replace("], 7;", "], %o;"), "numbered", &options)).is_empty());
}

#[test]
fn threads_that_can_tell_which_one_they_are_are_told_apart() {
    // One of two fixed threads is first: each order has its own memory.
    let result = checked(&kernels(), "numbered", &["--block", "3", "--forbid", "m[1] == 2 && m[2] == 0"]);
    assert_eq!(codes(&result), ["claim"], "{result}");
    // Only the last thread does something wrong, which it learns after the lock.
    let late = "\tmov.u32 %o, %tid.x;\n\tsetp.ne.u32 %p, %o, 3;\n\t@%p ret;\n\tst.global.u32 [%m+4], %o;\n\tret;";
    let late = kernels().replacen("\tret;", late, 1);
    assert_eq!(codes(&checked(&late, "lock", &["--block", "4"])), ["data-race"]);
    let lane = "\tvote.sync.ballot.b32 %o, 1, -1;\n\tret;";
    let lane = kernels().replacen("\tret;", lane, 1);
    let result = checked(&lane, "lock", &["--block", "4"]);
    assert!(codes(&result).is_empty() && result["states"].as_u64().is_some_and(|states| states > 50), "{result}");
}
