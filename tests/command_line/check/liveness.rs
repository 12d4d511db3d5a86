//! Loops that may not end, in `check`: what no schedule ends refutes a kernel, what some fair schedule keeps from its end is a remark.

use crate::run_in;
use serde_json::Value;

/// What `check` says of two CTAs of one thread each, by the code of the first and of the other one. `%a` and `%b` are words of zeros.
fn check(first: &str, other: &str) -> (String, usize, usize) {
    check_grid("2", first, other)
}

/// The same of as many CTAs.
fn check_grid(ctas: &str, first: &str, other: &str) -> (String, usize, usize) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x)\n{{\n\
         .reg .b64 %a; .reg .b64 %b; .reg .b32 %r<9>; .reg .pred %p;\n\
         ld.param.u64 %a, [x]; add.u64 %b, %a, 4;\n\
         mov.u32 %r0, %ctaid.x; setp.ne.u32 %p, %r0, 0;\n@%p bra OTHER;\n{first}\nret;\nOTHER:\n{other}\nret;\n}}\n"
    );
    let options = ["check", "-", "--grid", ctas, "--arg", "x=u32[4]", "--format", "json"];
    let output = run_in(&support::root(), &options, text.as_bytes()).stdout;
    let result: Value = serde_json::from_str(&output).unwrap_or_else(|_| panic!("{output}"));
    let lines = |key: &str| result[key].as_array().expect("lines").len();
    let words = run_in(&support::root(), &options[..6], text.as_bytes()).stdout;
    let remarks = usize::from(lines("gives_way") > 0) + usize::from(lines("starves") > 0);
    assert_eq!(words.matches("termination: not guaranteed").count(), remarks, "{words}");
    (result["verdict"].as_str().expect("a verdict").to_owned(), lines("gives_way"), lines("starves"))
}

/// Takes the lock `%a`, and gives it back.
fn lock(number: u32) -> String {
    format!("L{number}: atom.acquire.gpu.global.cas.b32 %r1, [%a], 0, 1; setp.ne.u32 %p, %r1, 0; @%p bra L{number};\n")
}

const UNLOCK: &str = "atom.release.gpu.global.exch.b32 %r1, [%a], 0;\n";

/// Looks at `%b` under the lock until it is set.
fn polls_under_lock() -> String {
    format!("AGAIN: {}ld.global.u32 %r2, [%b];\n{UNLOCK}setp.eq.u32 %p, %r2, 0; @%p bra AGAIN;", lock(1))
}

#[test]
fn a_lock_that_others_keep_taking_may_starve_a_thread() {
    let sets_under_lock = format!("{}st.global.u32 [%b], 1;\n{UNLOCK}", lock(2));
    assert_eq!(check(&polls_under_lock(), &sets_under_lock), ("proved".into(), 0, 1));
}

#[test]
fn who_waits_for_a_step_that_nothing_keeps_from_happening_ends() {
    // The same look under a lock, but what it waits for needs none.
    let polls = polls_under_lock().replace("ld.global", "ld.relaxed.gpu.global");
    assert_eq!(check(&polls, "st.relaxed.gpu.global.u32 [%b], 1;"), ("proved".into(), 0, 0));
    let waits = "M: ld.acquire.gpu.global.u32 %r1, [%a]; setp.eq.u32 %p, %r1, 0; @%p bra M;";
    assert_eq!(check(waits, "st.release.gpu.global.u32 [%a], 1;"), ("proved".into(), 0, 0));
    let section = |number: u32| format!("{}st.global.u32 [%b], 1;\n{UNLOCK}", lock(number));
    assert_eq!(check(&section(1), &section(2)), ("proved".into(), 0, 0));
}

/// A third thread waits for two that give way to each other: it starves only because they do.
#[test]
fn who_waits_for_those_that_give_way_starves_no_more_than_they() {
    let exchanges = |label: &str, own: u32| {
        format!(
            "{label}: atom.acq_rel.gpu.global.exch.b32 %r1, [%a], {own}; setp.ne.u32 %p, %r1, {own}; @%p bra {label};"
        )
    };
    let others = format!(
        "setp.eq.u32 %p, %r0, 2; @%p bra THIRD;\n{}\nret;\nTHIRD: ld.acquire.gpu.global.u32 %r1, [%b]; \
         setp.eq.u32 %p, %r1, 0; @%p bra THIRD;",
        exchanges("N", 2)
    );
    let first = exchanges("L", 1) + " st.release.gpu.global.u32 [%b], 1;";
    assert_eq!(check_grid("3", &first, &others), ("proved".into(), 2, 0));
}

#[test]
fn what_no_schedule_ends_is_refuted() {
    let waits = |flag: &str, label: &str| {
        format!("{label}: ld.relaxed.gpu.global.u32 %r1, [{flag}]; setp.eq.u32 %p, %r1, 0; @%p bra {label};")
    };
    assert_eq!(check(&waits("%a", "M"), "st.relaxed.gpu.global.u32 [%b], 1;").0, "refuted");
    // Each waits for what the other one does afterwards.
    let each =
        |own: &str, other: &str, label: &str| waits(other, label) + &format!(" st.relaxed.gpu.global.u32 [{own}], 1;");
    assert_eq!(check(&each("%a", "%b", "M"), &each("%b", "%a", "N")).0, "refuted");
    // A lock that is never given back, while its holder goes around.
    let keeps =
        format!("{}AGAIN: ld.relaxed.gpu.global.u32 %r2, [%b]; setp.eq.u32 %p, %r2, 0; @%p bra AGAIN;", lock(1));
    let sets = format!("{}st.relaxed.gpu.global.u32 [%b], 1;\n{UNLOCK}", lock(2));
    assert_eq!(check(&keeps, &sets).0, "refuted");
}

/// A loop that writes again and again what another thread may read has ever more executions: the search ends and says so.
#[test]
fn endless_writes_end_the_search() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k(.param .u64 x)\n{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd1;\n\
        ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p, %r1, 0;\n@%p bra OTHER;\n\
        AGAIN: st.relaxed.gpu.global.u32 [%rd1], 1; st.relaxed.gpu.global.u32 [%rd1], 0;\n\
        ld.relaxed.gpu.global.u32 %r2, [%rd1+4]; setp.eq.u32 %p, %r2, 0; @%p bra AGAIN;\nret;\n\
        OTHER: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p, %r2, 0; @%p bra OTHER;\n\
        st.relaxed.gpu.global.u32 [%rd1+4], 1;\nret;\n}\n";
    let run = run_in(&support::root(), &["check", "-", "--grid", "2", "--arg", "x=u32[2]"], text.as_bytes());
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.starts_with("unknown; the bound on writes that others may still read was reached"),
        "{}",
        run.stdout
    );
}
