//! What `run`, `check` and `litmus` say about more threads than they explore.

use crate::run_in;

const LOCK: &str = "editors/web/examples/lock.ptx";

/// The exit code of the program with a text on standard input, and what it says.
fn said(text: &str, arguments: &[&str]) -> (i32, String) {
    let run = run_in(&support::root(), arguments, text.as_bytes());
    (run.code, run.stdout + &run.stderr)
}

const EMPTY: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";

#[test]
fn ctas_that_have_not_begun_count_for_the_limit_on_instructions() {
    let limited = |grid| said(EMPTY, &["run", "-", "--grid", grid, "--max-instructions", "1000"]);
    let (exit, text) = limited("2000");
    assert!(exit == 1 && text.contains("error[instruction-limit]"), "{text}");
    let (exit, text) = limited("1001");
    assert!(exit == 0 && text.contains("no problem"), "{text}");
}

#[test]
fn a_launch_with_too_many_threads_is_not_verified() {
    let (exit, text) = said(EMPTY, &["check", "-", "--grid", "2147483647,65535,65535", "--block", "1024"]);
    assert!(exit == 2 && text.contains("at most 16384 can be verified; use a smaller grid"), "{text}");
}

/// Searches for load buffering among 128 threads end.
#[test]
fn a_check_of_many_threads_ends_at_its_limit() {
    let arguments = ["--arg", "lock=u32[1]", "--arg", "count=u32[1]", "--grid", "4", "--block", "32"];
    let (exit, text) = said("", &[&["check", LOCK, "--max-states", "300"], &arguments[..]].concat());
    assert!(exit == 3 && text.starts_with("unknown; the bound of 300 states was reached"), "{text}");
}

/// Branches that reads decide about, thousands of them.
#[test]
fn a_check_of_many_branches_ends() {
    let branch = |number| format!("@p bra L{number};\nst.relaxed.gpu.global.b32 [b+{}], r;\nL{number}:\n", 4 * number);
    let branches: String = (0..6_000).map(branch).collect();
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b64 in, .param .b64 out)\n{{\n.reg .pred p;\n\
         .reg .b64 a, b;\n.reg .b32 r;\nld.param.b64 a, [in];\nld.param.b64 b, [out];\nld.relaxed.gpu.global.b32 r, [a];\n\
         setp.eq.u32 p, r, 0;\n{branches}ret;\n}}\n"
    );
    let (exit, text) = said(&text, &["check", "-", "--grid", "2", "--arg", "in=u32[1]", "--arg", "out=u32[6000]"]);
    assert!(exit == 0 && text.starts_with("proved"), "{text}");
}

/// A litmus test of threads at a barrier, the first of which writes what the second one reads after it.
fn threads_at_barrier(count: usize, quorum: usize) -> String {
    let row = |cells: Vec<String>| format!("{} ;\n", cells.join(" | "));
    let cells = |cell: &dyn Fn(usize) -> String| row((0..count).map(cell).collect());
    let only = |thread: usize, text: &'static str| {
        cells(&move |at| if at == thread { text.to_owned() } else { String::new() })
    };
    let head = cells(&|at| format!("P{at}@cta 0,gpu 0"));
    let barrier = cells(&|_| format!("barrier.cta.sync 0, 0, {quorum}"));
    let (before, after) = (only(0, "st.weak x, 1"), only(1, "ld.weak r0, x"));
    format!("PTX t\n\"x\"\n{{ x=0; P1:r0=0; }}\n{head}{before}{barrier}{after}exists (P1:r0 == 1)\n")
}

#[test]
fn a_barrier_of_many_threads_orders_them() {
    let (exit, text) = said(&threads_at_barrier(17, 17), &["litmus", "-"]);
    assert!(exit == 0 && text.contains("* 1:r0=1 x=1") && !text.contains("1:r0=0"), "{text}");
    let (exit, text) = said(&threads_at_barrier(30, 15), &["litmus", "-"]);
    assert!(exit == 3 && text.contains("more than 20000 ways"), "{text}");
}
