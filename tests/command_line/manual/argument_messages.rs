//! What the command line says about mistakes in options and arguments: each message names what to write instead.

use crate::{run, run_in, scratch};
use std::fs;

/// A kernel with a buffer and a number, and one that can follow it.
const MODULE: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 hist, .param .u64 n)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [hist];
	ld.param.u64 %rd2, [n];
	red.global.add.u64 [%rd1], %rd2;
	ret;
}
.visible .entry scale(.param .u64 in, .param .u64 out)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	ld.global.u32 %r1, [%rd1];
	st.global.u32 [%rd2], %r1;
	ret;
}
";

/// The arguments of `count`.
const GIVEN: [&str; 4] = ["--arg", "hist=u32[2]", "--arg", "n=u64=1"];

/// Runs the first kernel with options.
fn count(command: &str, options: &[&str]) -> crate::Run {
    let given = [&[command, "-", "--kernel", "count"], options].concat();
    run_in(&support::root(), &given, MODULE.as_bytes())
}

fn message(options: &[&str]) -> String {
    let run = count("run", options);
    assert_eq!(run.code, 2, "{options:?}: {}{}", run.stdout, run.stderr);
    run.stderr
}

#[test]
fn all_missing_arguments_are_named_at_once() {
    let found = message(&[]);
    let wanted =
        "no arguments for the parameters `hist` (8 bytes), `n` (8 bytes): add --arg 'hist=u32[8]' --arg 'n=u32[8]'";
    assert!(found.contains(wanted), "{found}");
    let found = message(&["--arg", "n=u64=1"]);
    assert!(found.contains("no argument for the parameter `hist` (8 bytes): add --arg 'hist=u32[8]'"), "{found}");
    let found = message(&[&GIVEN[..], &["--then", "scale"]].concat());
    let wanted = "no arguments for the parameters `in` (8 bytes), `out` (8 bytes): add in=u32[2] out=u32[2]";
    assert!(found.contains(wanted), "{found}");
    let found = message(&[&GIVEN[..], &["--beside", "scale in=hist"]].concat());
    let wanted = "no argument for the parameter `out` (8 bytes): add out=u32[2] to the launch after `--beside`";
    assert!(found.contains(wanted), "{found}");
}

#[test]
fn arguments_say_what_to_write() {
    for (argument, wanted) in
        [("hist=u32[2]", "argument `hist` is given twice"), ("0=u32[2]", "argument `0` is given twice")]
    {
        let found = message(&["--arg", "hist=u32[2]", "--arg", argument]);
        assert!(found.contains(wanted), "{argument}: {found}");
    }
    for (argument, wanted) in [
        ("hist=surfac(u32[64x32])", "unknown form `surfac(…)`: did you mean `surface`?"),
        ("hist=array(u32[4])", "expected `tensor(…)`, `texture(…)` or `surface(…)`"),
        (
            "hist=u32=1",
            "the parameter has 8 bytes, the value has 4: write `hist=u32[1]` for a buffer, `hist=u64=1` for a value",
        ),
    ] {
        let found = message(&["--arg", argument]);
        assert!(found.contains(wanted), "{argument}: {found}");
    }
    for (launch, wanted) in [
        ("scale grid=2 in=hist", "unexpected `=` after `grid`; write `grid 2`"),
        ("scale grid 2x2 in=hist", "separate sizes by commas: `2,2`"),
        ("scale in=hsit", "`hsit` is neither a type nor a buffer: did you mean `hist`?"),
        ("scale in=other", "`other` is neither a type nor a buffer; the buffers are `hist`"),
    ] {
        let found = message(&[&GIVEN[..], &["--then", launch]].concat());
        assert!(found.contains(wanted), "{launch}: {found}");
    }
}

#[test]
fn sizes_say_what_to_write() {
    for (options, wanted) in [
        (&["--grid", "-1"][..], "size `-1` is not a positive number"),
        (&["--grid", "2x2"], "separate sizes by commas: `2,2`"),
        (&["--block", "0"], "'--block <X[,Y[,Z]]>': a size is 0: write at least 1"),
        (&["--cluster", "3"], "grid 1,1,1 is not a multiple of cluster 3,1,1"),
        (&["--shared", "48KB"], "expected a number of bytes, such as 49152"),
    ] {
        let found = message(&[&GIVEN[..], options].concat());
        assert!(found.contains(wanted), "{options:?}: {found}");
    }
}

#[test]
fn claims_say_what_to_write() {
    for (options, wanted) in [
        (&["--expect", "hist[0] == 4"][..], "`hist[0] == 4`: write `hist[0]=4`, or `--require 'hist[0] == 4'`"),
        (&["--expect", "hist==4"], "`hist==4`: write `hist=4`"),
        (&["--expect", "hist[0] != 4"], "`hist[0] != 4` is a condition: write `--require 'hist[0] != 4'`"),
        (&["--require", "hist[0]=4"], "unexpected `=4`; for equality write `==`"),
        (&["--require", "hist[0] == 1 or hist[1] == 1"], "; for a disjunction write `||`"),
        (&["--require", "hist[0] == 1 and hist[1] == 1"], "; for a conjunction write `&&`"),
    ] {
        let found = message(&[&GIVEN[..], options].concat());
        assert!(found.contains(wanted), "{options:?}: {found}");
    }
}

#[test]
fn arguments_by_number_have_the_name_of_their_parameter() {
    let run =
        count("run", &["--arg", "0=u32[2]", "--arg", "1=u64=1", "--expect", "0=1,0", "--require", "hist[0] == 1"]);
    assert_eq!((run.code, run.stdout.lines().next()), (0, Some("hist: u32[2] = 1 0")), "{}{}", run.stdout, run.stderr);
    let given = ["--arg", "0=u32[2]", "--arg", "1=u64=1", "--then", "scale 0=0 out=u32[1]", "--expect", "out=1"];
    let run = count("run", &given);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn one_thread_has_nobody_beside_it() {
    let note = "note: one thread: nothing runs at the same time; use `--grid` or `--block` for more\n";
    assert!(count("check", &GIVEN).stdout.contains(note));
    for options in [&["--grid", "1"][..], &["--block", "1"], &["--format", "json"]] {
        let run = count("check", &[&GIVEN[..], options].concat());
        assert!(run.code == 0 && !run.stdout.contains("note: one thread"), "{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn the_help_of_check_has_no_options_that_it_refuses() {
    let help = run(&["check", "--help"]).stdout;
    assert!(!help.contains("--save") && !help.contains("--trace"), "{help}");
    assert!(help.contains("counted per thread [default: 100000000]"), "{help}");
    let help = run(&["run", "--help"]).stdout;
    assert!(help.contains("--save") && help.contains("counted per thread [default: 1000000000]"), "{help}");
}

#[test]
fn files_that_cannot_be_run_or_watched_say_why() {
    let folder = scratch("argument-messages");
    fs::write(folder.join("k.cu"), "__global__ void k() { asm volatile(\"membar.gl;\"); }\n").expect("written");
    let found = run_in(&folder, &["lint", "--watch", "nodir"], b"");
    assert!(
        found.code == 2 && found.stderr.contains("cannot watch `nodir`: no such file or directory"),
        "{}",
        found.stderr
    );
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn options_of_lint_say_what_to_write() {
    let folder = scratch("lint-options");
    let found = run_in(&folder, &["lint", "--stdin-filename", "f.ptx"], MODULE.as_bytes());
    let wanted = "`--stdin-filename` requires `-`: write `ptx-atomics lint --stdin-filename f.ptx -`";
    assert!(found.code == 2 && found.stderr.contains(wanted), "{}", found.stderr);
    let wrong = MODULE.replace("red.global.add.u64", "red.global.u64.add");
    let lint = |options: &[&str]| {
        let given = [&["lint", "--preset", "all", "--format", "jsonl", "-"], options].concat();
        run_in(&folder, &given, wrong.as_bytes()).stdout
    };
    assert!(lint(&[]).contains("modifier-order"));
    assert!(!lint(&["--disable", "modifier-order,narrow-scope"]).contains("modifier-order"));
    // The settings of an invalid file are ignored, and the output says so.
    fs::write(folder.join("ptx-atomics.toml"), "taget = \"sm_80\"\n").expect("written");
    fs::write(folder.join("k.ptx"), MODULE).expect("written");
    let found = run_in(&folder, &["lint", "k.ptx"], b"");
    assert!(found.code == 2 && found.stderr.contains("all settings of this file were ignored"), "{}", found.stderr);
    let found = run_in(&folder, &["lint", "--show-settings", "k.ptx"], b"");
    assert!(found.stdout.contains("k.ptx: the settings file is invalid, so it is ignored"), "{}", found.stdout);
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn an_unterminated_literal_does_not_hide_the_next_statement() {
    let text = "__device__ void f(unsigned *p) {\n\
                asm volatile(\"red.global.add.u32 [%0], 1; : : \"l\"(p) : \"memory\");\n\
                asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(p) : \"memory\");\n}\n";
    let found =
        run_in(&support::root(), &["lint", "--stdin-filename", "k.cu", "--format", "jsonl", "-"], text.as_bytes());
    assert!(found.code == 1 && found.stdout.contains("illegal-type"), "{}{}", found.stdout, found.stderr);
}

#[test]
fn explain_names_pages_and_close_modifiers() {
    let page = run(&["explain", "unacquired-flag"]).stdout;
    assert!(!page.contains(".md)"), "{page}");
    let found = run(&["explain", ".relased"]);
    assert!(found.code == 2 && found.stderr.contains("did you mean `.relaxed` or `.release`?"), "{}", found.stderr);
}
