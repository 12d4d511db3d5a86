//! `eval --batch`: a line in, a line out.

use crate::run_in;

fn batch(arguments: &[&str], input: &[u8]) -> (i32, String) {
    let run = run_in(&support::root(), &[&["eval", "--batch"], arguments].concat(), input);
    assert_eq!(run.stderr, "");
    (run.code, run.stdout)
}

#[test]
fn each_line_is_answered_in_order() {
    let input = b"atom.global.add.u32\tglobal\tffffffff\t2\t-\n\
        red.add.f32\tgeneric:global\t00000001\t80000000\t-\r\n\
        red.add.f32\tgeneric:shared\t00000001\t80000000\t-\n\
        atom.global.cas.b128\tglobal\t1\t1\tfedcba98765432100123456789abcdef\n\
        atom.global.v2.f16x2.add.noftz\tglobal\t3c0040003c004000\t3c0000003c000000\t-";
    let output = "00000001\tffffffff\n00000000\t-\n00000001\t-\n\
        fedcba98765432100123456789abcdef\t00000000000000000000000000000001\n\
        4000400040004000\t3c0040003c004000\n";
    assert_eq!(batch(&[], input), (0, output.to_owned()));
}

#[test]
fn a_bad_line_is_named_and_the_rest_go_on() {
    let input = b"atom.global.or.u32\tglobal\t1\t2\t-\nnonsense\n\xff\xfe\tglobal\t1\t1\t-\n\natom.global.inc.u32\tglobal\t7\t7\t-\n";
    let (code, output) = batch(&[], input);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!((code, lines.len()), (1, 5), "{output}");
    assert!(lines[0].starts_with("error: illegal-type: "), "{output}");
    assert!(lines[1..4].iter().all(|line| line.starts_with("error: ")), "{output}");
    assert_eq!(lines[4], "00000000\t00000007");
}

#[test]
fn a_line_without_end_is_an_error_and_costs_no_memory() {
    let long =
        [b"atom.global.add.u32".repeat(1_000_000).as_slice(), b"\natom.global.inc.u32\tglobal\t7\t7\t-\n"].concat();
    let (code, output) = batch(&[], &long);
    assert_eq!((code, output.as_str()), (1, "error: line is longer than 4096 bytes\n00000000\t00000007\n"));
    let (code, output) = batch(&[], &long[..10_000_000]);
    assert_eq!((code, output.as_str()), (1, "error: line is longer than 4096 bytes\n"));
}

#[test]
fn legality_is_that_of_the_newest_target_by_default() {
    let line = b"multimem.ld_reduce.weak.global.add.acc::f16.v4.e4m3\tglobal\t38383838\t-\t-\n";
    assert_eq!(batch(&[], line), (0, "38383838\t38383838\n".to_owned()));
    let (code, output) = batch(&["--target", "sm_90"], line);
    assert!(code == 1 && output.starts_with("error: requires-target: "), "{output}");
    assert_eq!(batch(&[], b""), (0, String::new()));
}
