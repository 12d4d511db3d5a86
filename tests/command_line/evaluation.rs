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

#[test]
fn step_by_step() {
    let told = run(&["eval", "atom.global.inc.u32", "--mem", "7", "--b", "7", "--explain"]);
    assert_eq!(
        told.stdout,
        " 1. memory holds 0x00000007, that is 7\n 2. b, the bound, is 0x00000007, that is 7\n \
         3. 7 has reached the bound 7: inc starts again at 0\n 4. memory now holds 0x00000000, that is 0\n \
         5. the destination receives 0x00000007, that is 7\n"
    );
    let red = run(&["eval", "red.global.add.u32", "--mem", "7", "--b", "7", "--explain"]);
    assert!(red.code == 0 && !red.stdout.contains("destination"), "{}", red.stdout);
    let refused = run(&["eval", "red.global.or.u32", "--mem", "7", "--b", "7", "--explain"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
}

#[test]
fn replicas_are_reduced_in_the_order_given() {
    let reduce = |opcode, replicas: [&str; 3]| {
        let [first, second, third] = replicas;
        run(&["eval", opcode, "--mem", first, "--mem", second, "--mem", third, "--target", "sm_100a"])
    };
    // f16 has no 2049: added to 2048 each 1 is lost, the two of them are not.
    let sum = "multimem.ld_reduce.global.add.f16x2";
    let ends = |run: crate::Run| {
        let line = run.stdout.lines().find(|line| line.starts_with("destination"));
        line.unwrap_or(&run.stderr).to_owned()
    };
    let (large, small) = ("{2048, 1}", "{1, 1}");
    assert_eq!(ends(reduce(sum, [large, small, small])), "destination  0x42006800  {2048.0, 3.0}");
    assert_eq!(ends(reduce(sum, [small, small, large])), "destination  0x42006801  {2050.0, 3.0}");
    let wide = "multimem.ld_reduce.global.add.acc::f32.f16x2";
    assert_eq!(ends(reduce(wide, [large, small, small])), "destination  0x42006801  {2050.0, 3.0}");
    let said = reduce(sum, [large, small, small]).stdout;
    assert!(said.contains("reduced in the order given") && said.contains("not measured"), "{said}");
    let red = run(&["eval", "multimem.red.global.add.u32", "--mem", "1", "--mem", "2", "--b", "3"]);
    assert!(red.stdout.starts_with("memory 0     0x00000004  4\nmemory 1     0x00000005  5\n"), "{}", red.stdout);
    let store = run(&["eval", "multimem.st.global.b32", "--mem", "1", "--mem", "2", "--b", "3", "--explain"]);
    assert!(store.stdout.contains("replica 1 held 0x00000002 and now holds 0x00000003"), "{}", store.stdout);
    let steps = run(&["eval", sum, "--mem", "{1.5, 0}", "--mem", "{2, 0}", "--explain"]);
    assert!(
        steps.stdout.contains("with replica 1, {2.0, 0.0}, it becomes 0x00004300, that is {3.5, 0.0}"),
        "{}",
        steps.stdout
    );
}

#[test]
fn vectors_and_multimem_are_of_global_memory() {
    for opcode in ["red.add.v2.f32", "multimem.ld_reduce.global.add.v2.f32"] {
        let mut arguments = vec!["eval", opcode, "--mem", "{1, 2}", "--space", "shared"];
        if opcode.starts_with("red") {
            arguments.extend(["--b", "{1, 2}"]);
        }
        let run = run(&arguments);
        match opcode.starts_with("red") {
            true => assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr),
            // It names its space, so that the option says nothing of it.
            false => assert_eq!(run.code, 0, "{}", run.stderr),
        }
    }
}

#[test]
fn every_way_to_write_a_value() {
    for (opcode, memory, b, after) in [
        ("atom.global.exch.b32", "0", "0f3F800000", "0x3f800000  0x3f800000"),
        ("red.global.add.f32", "1", "0f3F800000", "0x40000000  2.0"),
        ("red.global.add.f64", "0d3FF0000000000000", "-1e0", "0x0000000000000000  0.0"),
        ("red.global.add.s32", "-5", "0x5", "0x00000000  0"),
        ("red.global.add.u32", "0b101", "017", "0x00000014  20"),
        (
            "red.global.add.noftz.v2.f16x2",
            "{{1, 2}, 0x40003c00}",
            "{0x0, {0, 1}}",
            "0x42003c0040003c00  {{1.0, 2.0}, {1.0, 3.0}}",
        ),
        ("red.global.add.f32", "inf", "-inf", "0x7fffffff  nan"),
    ] {
        let run = run(&["eval", opcode, "--mem", memory, "--b", b]);
        assert!(run.stdout.starts_with(&format!("memory       {after}\n")), "{opcode}: {}{}", run.stdout, run.stderr);
    }
}
