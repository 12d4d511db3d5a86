//! Declarations and arguments that ask for more memory than there is, or whose sizes do not fit in a number: they are refused, with the declaration.

use crate::{Run, lint_text, run_in, scratch};
use std::fs;

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// A module, and the messages of `run` and of a launch in a comment.
struct Case {
    module: String,
    run: &'static str,
    comment: &'static str,
    /// The code of what is found in the comment's module.
    code: &'static str,
}

/// A module whose kernel `k` has a body.
fn kernel(declarations: &str, body: &str) -> String {
    format!("{HEAD}{declarations}\n.visible .entry k() {{ {body} ret; }}\n")
}

fn case(declarations: &str, body: &str, message: &'static str) -> Case {
    Case { module: kernel(declarations, body), run: message, comment: message, code: "run-unreadable" }
}

/// A case of variables of the module, of which a launch in a comment has fewer.
fn global(declarations: &str, message: &'static str) -> Case {
    Case {
        comment: "in variables of the module: a launch in a comment has at most 16777216",
        ..case(declarations, "", message)
    }
}

/// A case that the assembler rejects too: `run` reports what `lint` does, and no launch is tried.
fn rejected(declarations: &str, body: &str, message: &'static str) -> Case {
    Case { code: "invalid-declaration", ..case(declarations, body, message) }
}

fn cases() -> Vec<Case> {
    vec![
        global(
            ".global .b8 x[0x10000000000];",
            "variable `x` has 1099511627776 bytes; `run` holds at most 1073741824 bytes of global memory",
        ),
        rejected(
            ".const .b64 x[0x4000000000000000];",
            "",
            "`.const` variables up to `x` have 18446744073709551615 bytes, more than 65536",
        ),
        global(".global .b8 x[0x30000000];\n.global .b8 y[0x30000000];", "variables up to `y` have 1610612736 bytes"),
        global(".global .b8 x[][4294967296][4294967296] = {{{1}}};", "variable `x` has at least 18446744073709551615"),
        rejected(
            "",
            ".shared .b8 x[0x100000010];",
            "static shared memory of kernel `k` has 4294967312 bytes, more than 49152",
        ),
        rejected(
            "",
            ".shared .b8 x[0xfffffffffffffff0]; .shared .b8 y[64];",
            "static shared memory of kernel `k` has 18446744073709551615 bytes",
        ),
        rejected(
            "",
            ".shared .b8 x[200000]; .shared .b8 y[200000];",
            "static shared memory of kernel `k` has 400000 bytes",
        ),
        rejected(
            "",
            ".shared .b8 x[16]; .shared .align 0x8000000000000000 .b8 y[16];",
            "static shared memory of kernel `k` has 9223372036854775824 bytes",
        ),
        rejected(
            ".shared .b8 x[0x100000010];",
            ".reg .b32 r; mov.u32 r, x;",
            "static shared memory of kernel `k` has 4294967312 bytes",
        ),
        case(
            "",
            ".local .b8 x[0x7fffffff];",
            "variable `x` has 2147483647 bytes; `run` holds at most 524288 bytes of local memory",
        ),
        case("", ".local .b8 x[0x100000010];", "variable `x` has 4294967312 bytes"),
        case("", ".local .b8 x[0x40000]; .local .b8 y[0x40001];", "variables up to `y` have 524289 bytes"),
        case("", ".local .b8 x[1]; .local .align 0x80000000 .b8 y[1];", "variables up to `y` have 2147483649 bytes"),
        case(".func f() { ret; }", ".local .b8 x[0xfffffff8]; call f;", "variable `x` has 4294967288 bytes"),
        case(".func f() { .local .b8 x[0xfffffff8]; ret; }", "call f;", "variable `x` has 4294967288 bytes"),
        case(
            "",
            ".reg .b32 r<4294967295>; .reg .b64 s<5>;",
            "registers up to `r` take 4294967295 values of 64 bits; `run` holds at most 65536 in a function",
        ),
        case("", ".reg .b32 r<40000000>;", "registers up to `r` take 40000000 values"),
        case("", ".reg .b32 r<65536>; .reg .b128 s;", "registers up to `s` take 65538 values"),
    ]
}

/// The finding or failure of a module, without a panic.
fn refused(run: &Run, code: i32, message: &str, module: &str) {
    assert!(!run.stderr.contains("panicked"), "{module}\n{}", run.stderr);
    assert!(run.stdout.contains(message) || run.stderr.contains(message), "{module}\n{}{}", run.stdout, run.stderr);
    assert_eq!(run.code, code, "{module}\n{}{}", run.stdout, run.stderr);
}

#[test]
fn declarations_that_are_too_large_are_refused() {
    let folder = scratch("hostile-sizes");
    for Case { module, run, comment, code } in cases() {
        fs::write(folder.join("a.ptx"), &module).unwrap();
        refused(&run_in(&folder, &["run", "a.ptx"], b""), 2, run, &module);
        for purpose in ["run", "check"] {
            let linted = lint_text(format!("//! {purpose} k\n{module}").as_bytes());
            refused(&linted, 1, comment, &module);
            assert!(linted.stdout.contains(code), "{module}\n{}", linted.stdout);
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn sixty_thousand_braces_do_not_overflow_the_stack() {
    let nested = "{".repeat(60_000) + "1" + &"}".repeat(60_000);
    let run = lint_text(format!("//! run k\n{}", kernel(&format!(".global .b8 x[1] = {nested};"), "")).as_bytes());
    refused(&run, 1, "initial values are nested deeper than the 1 dimensions", "braces");
}

#[test]
fn other_kernels_may_be_too_large() {
    let other = ".visible .entry other() { .local .b8 x[0x7fffffff]; ret; }\n.shared .b8 unused[1000];";
    let run = lint_text(format!("//! run k\n{}", kernel(other, "")).as_bytes());
    assert_eq!((run.code, &*run.stdout), (0, ""), "{}", run.stderr);
}

#[test]
fn what_fits_runs() {
    let body = ".reg .b32 r<60000>; .local .b8 x[0x80000]; .shared .align 0x40000000 .b8 y[16];";
    let run = lint_text(format!("//! run k\n{}", kernel("", body)).as_bytes());
    assert_eq!((run.code, &*run.stdout), (0, ""), "{}", run.stderr);
}

#[test]
fn values_give_the_size_of_an_empty_dimension() {
    let module = format!(
        "//! run k p=u32[3]\n//! expect p == 2, 3, 5\n{HEAD}
.global .b32 x[] = {{1, 2}};
.global .b32 y[][2] = {{{{1, 2}}, {{3}}}}, z = 5;
.global .u64 w[] = {{x, y}};
.visible .entry k(.param .b64 p) {{
    .reg .b64 a, b;
    .reg .b32 r;
    ld.param.b64 a, [p];
    ld.global.b64 b, [w];
    ld.global.b32 r, [b+4];
    st.global.b32 [a], r;
    ld.global.b64 b, [w+8];
    ld.global.b32 r, [b+8];
    st.global.b32 [a+4], r;
    ld.global.b32 r, [z];
    st.global.b32 [a+8], r;
    ret;
}}\n"
    );
    let run = lint_text(module.as_bytes());
    assert_eq!((run.code, &*run.stdout), (0, ""), "{}", run.stderr);
}

#[test]
fn buffers_have_a_limit_of_bytes() {
    let folder = scratch("hostile-buffers");
    let module = format!("{HEAD}.visible .entry k(.param .b64 p) {{ .reg .b64 a; ld.param.b64 a, [p]; ret; }}\n");
    fs::write(folder.join("a.ptx"), &module).unwrap();
    // More than any machine has.
    for argument in ["b128[1073741824000]", "u64[18446744073709551615]=iota", "u16[53687091300000]=random(1)"] {
        let run = run_in(&folder, &["run", "a.ptx", "--arg", &format!("p={argument}")], b"");
        refused(&run, 2, " bytes", argument);
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn launches_in_comments_have_a_limit_of_registers() {
    let module = kernel("", ".reg .b32 r<60000>;");
    let run = lint_text(format!("//! run k grid 264 block 1024\n{module}").as_bytes());
    refused(&run, 1, "in registers and local memory: a launch in a comment has at most 1073741824", &module);
}

#[test]
fn launches_that_need_many_variables_together_are_refused_one_by_one() {
    let text: String = (0..600).map(|at| format!(".global .u32 g{at};\n//! run k\n")).collect();
    let run = lint_text(kernel(&text, "").as_bytes());
    let refused = run.stdout.matches("launch was not run: those above it have more than 262144 variables and buffers");
    let refused = refused.count();
    assert!((100..200).contains(&refused), "{refused}");
}
