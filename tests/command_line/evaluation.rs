//! `eval`: what an atomic leaves behind, as printed.

use crate::run;

#[test]
fn an_addition_prints_memory_and_destination() {
    let run = run(&["eval", "atom.global.add.u32", "--mem", "0x5", "--b", "0x3"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "memory       0x00000008  8\ndestination  0x00000005  5\n");
}

#[test]
fn red_has_no_destination_and_a_whole_line_of_code_is_understood() {
    let run = run(&["eval", "@%p1 red.shared.max.s32 [%rd1], %r1;", "--mem", "-5", "--b", "3"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "memory       0x00000003  3\n"), "{}", run.stderr);
}

#[test]
fn flushing_depends_on_where_the_address_points_and_is_said() {
    let eval = |space| run(&["eval", "red.add.f32", "--mem", "0f00000001", "--b", "0.0", "--space", space]).stdout;
    assert!(eval("global").starts_with("memory       0x00000000"), "{}", eval("global"));
    assert!(eval("global").contains("flush"), "{}", eval("global"));
    assert!(eval("shared").starts_with("memory       0x00000001"), "{}", eval("shared"));
}

#[test]
fn a_failed_cas_leaves_memory_alone() {
    let run = run(&["eval", "atom.cas.b32", "--mem", "1", "--b", "2", "--c", "3"]);
    assert!(run.stdout.starts_with("memory       0x00000001"), "{}", run.stdout);
}

#[test]
fn what_is_illegal_is_refused_as_lint_would() {
    let refused = run(&["eval", "atom.global.or.u32", "--mem", "1", "--b", "2"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("illegal-type") && refused.stderr.contains("`.b32`"), "{}", refused.stderr);
    let target = run(&["eval", "atom.global.add.noftz.bf16", "--mem", "1.0", "--b", "2.0", "--target", "sm_80"]);
    assert_eq!(target.code, 1);
    assert!(target.stderr.contains("requires-target"), "{}", target.stderr);
}

#[test]
fn what_cannot_be_read_is_named() {
    for (arguments, part) in [
        (&["eval", "atom.global.add.u32", "--b", "1"][..], "--mem is missing"),
        (&["eval", "atom.global.add.u32", "--mem", "1"], "--b is missing"),
        (&["eval", "atom.global.add.u32", "--mem", "0x1ffffffff", "--b", "1"], "--mem"),
        (&["eval", "atom.global.add.u32", "--mem", "1", "--b", "1", "--c", "1"], "--c"),
        (&["eval", "mov.u32", "--mem", "1", "--b", "1"], "cannot be evaluated"),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains(part), "{part} is missing in {}", run.stderr);
    }
}
