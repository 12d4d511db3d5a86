//! SASS: `eval` of `RED`, and `lint` of disassembly.

use crate::{Run, run};
use std::fs;

fn eval(arguments: &[&str]) -> Run {
    let all: Vec<&str> = ["eval"].iter().chain(arguments).copied().collect();
    run(&all)
}

/// Exit code and the line about memory.
fn memory(arguments: &[&str]) -> (i32, String) {
    let run = eval(arguments);
    (run.code, run.stdout.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn the_examples_of_the_reference_run() {
    let run = eval(&[
        "RED.E.MIN.U32  [R0 - 400], R5;",
        "--reg",
        "R0=0x1190",
        "--reg",
        "R1=0x2",
        "--reg",
        "R5=7",
        "--mem",
        "0x200001000=9",
    ]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "memory       0x00000007  7\nnote: the address is 0x200001000\n"),
        "{}",
        run.stderr
    );
    let run =
        eval(&["RED.ADD.U32    [R0 + 0x1234], R1;", "--reg", "R0=0xfffffffc", "--reg", "R1=3", "--mem", "0x1230=5"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "memory       0x00000008  8\nnote: the address is 0x1230\n"),
        "{}",
        run.stderr
    );
    let run = eval(&["RED.MIN.S32    [0xFFFF0000], R1;", "--reg", "R1=-3", "--mem", "0xffff0000=5"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "memory       0xfffffffd  -3\nnote: the address is 0xffff0000\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn pairs_hold_64_bits() {
    let pair = [
        "RED.E.ADD.U64 [R2], R4",
        "--reg",
        "R2=0x1000",
        "--reg",
        "R3=0",
        "--reg",
        "R4=0xffffffff",
        "--reg",
        "R5=1",
        "--mem",
        "0x1000=1",
    ];
    assert_eq!(memory(&pair), (0, "memory       0x0000000200000000  8589934592".to_owned()));
    let whole = ["RED.E.ADD.F64.RN [R2], R4", "--reg", "R2=0x1000", "--reg", "R4=1.5", "--mem", "2.0"];
    assert_eq!(memory(&whole), (0, "memory       0x400c000000000000  3.5".to_owned()));
}

#[test]
fn an_invalid_access_leaves_memory_unchanged_and_names_the_reason() {
    let text = "RED.E.ADD [R2], R4";
    let with = |address: &str, more: &[&str]| {
        let address = format!("R2={address}");
        let mut arguments = vec![text, "--reg", &address, "--reg", "R4=1", "--mem", "0x1000=5"];
        arguments.extend(more);
        let run = eval(&arguments);
        assert_eq!(run.stdout.lines().next(), Some("memory       0x00000005  5"), "{}", run.stderr);
        (run.code, run.stderr)
    };
    let (code, said) = with("0x1002", &[]);
    assert!(code == 1 && said.starts_with("error[misaligned-address]: ") && said.contains("0x1002"), "{said}");
    let (code, said) = with("0x2000", &[]);
    assert!(code == 1 && said.contains("0x2000 is out of bounds"), "{said}");
    for window in ["shared=0x1000..0x1fff", "local=0..0x1000"] {
        let (code, said) = with("0x1000", &["--window", window]);
        assert!(code == 1 && said.starts_with("error[wrong-space]: ") && said.contains("global"), "{said}");
    }
    let (code, said) = with("0x1000", &["--space", "shared"]);
    assert!(code == 1 && said.starts_with("error[wrong-space]: "), "{said}");
}

#[test]
fn who_takes_no_part_changes_nothing_not_even_at_a_wrong_address() {
    let text = "@!P0 RED.ADD [R2], R4";
    let given = ["--reg", "R2=0x1001", "--reg", "R4=1", "--mem", "0x1000=5"];
    for more in
        [&["--reg", "P0=1"][..], &["--reg", "P0=0", "--pixel", "helper"], &["--reg", "P0=0", "--pixel", "killed"]]
    {
        let arguments: Vec<&str> = [text].iter().chain(&given).chain(more).copied().collect();
        let run = eval(&arguments);
        assert_eq!((run.code, run.stdout.lines().next()), (0, Some("memory       0x00000005  5")), "{}", run.stderr);
        assert!(run.stdout.contains("note: "), "{}", run.stdout);
    }
    let arguments: Vec<&str> = [text].iter().chain(&given).chain(&["--reg", "P0=0"]).copied().collect();
    assert_eq!(eval(&arguments).code, 1);
}

#[test]
fn what_is_illegal_or_missing_is_refused() {
    for (arguments, code, part) in [
        (&["RED.MIN.F32.FTZ.RN [R0], R1", "--mem", "1"][..], 1, "error[illegal-type]"),
        (&["RED.ADD.U64 [R0], R1", "--mem", "1"], 1, "error[register-pair]"),
        (&["RED.ADD [R0], R1", "--reg", "R0=0", "--mem", "1"], 2, "missing value of R1"),
        (&["RED.ADD [R0], R1", "--reg", "R1=0", "--mem", "1"], 2, "missing value of R0"),
        (&["RED.ADD [R0], R1", "--reg", "R1=0", "--reg", "R0=0"], 2, "missing --mem"),
        (&["RED.ADD [R0], R1", "--reg", "Q1=0", "--mem", "1"], 2, "register `Q1` cannot be set"),
        (&["red.global.add.u32", "--reg", "R0=1", "--mem", "1", "--b", "1"], 2, "--reg sets registers of SASS"),
    ] {
        let run = eval(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{arguments:?}");
        assert!(run.stderr.contains(part), "{part} is missing in {}", run.stderr);
    }
}

#[test]
fn eval_explains_step_by_step() {
    let explained = eval(&["RED.DEC [R0+4], R1", "--reg", "R0=0xfffffffc", "--reg", "R1=7", "--mem", "0", "--explain"]);
    assert_eq!(
        explained.stdout,
        " 1. the address is R0 (0xfffffffc) + 4 = 0x0 (32 bits, zero-extended to 40 bits)\n 2. memory holds 0x00000000 (0)\n \
         3. b, the bound, is 0x00000007 (7)\n 4. 0 reached: dec wraps to the bound 7\n \
         5. memory now holds 0x00000007 (7)\n"
    );
}

#[test]
fn an_explanation_of_an_error_is_an_error_too() {
    let explained = eval(&["RED.ADD [R0], R1", "--reg", "R0=2", "--reg", "R1=7", "--mem", "0", "--explain"]);
    assert_eq!(explained.code, 1);
    assert!(
        explained.stdout.contains("memory is unchanged") && explained.stderr.contains("misaligned-address"),
        "{}",
        explained.stdout
    );
}

#[test]
fn disassembly_is_linted_whatever_its_file_is_called_and_a_style_sheet_is_not() {
    let folder = std::env::temp_dir().join(format!("ptx-atomics-sass-{}", std::process::id()));
    fs::create_dir_all(folder.join("styles")).expect("a folder");
    let wrong = "        /*0010*/                   REDG.E.ADD.S64.STRONG.GPU desc[UR6][R2.64], R6 ;\n";
    let linted = |place: &str| {
        let run = run(&["lint", "--format", "jsonl", folder.join(place).to_str().expect("UTF-8")]);
        (run.code, run.stdout.matches("illegal-type").count(), run.stdout.lines().count())
    };
    for name in ["dump.txt", "dump.sass"] {
        fs::write(folder.join(name), wrong).expect("a file");
        assert_eq!(linted(name), (1, 1, 1), "{name}");
    }
    fs::write(folder.join("styles/style.sass"), "$c: #333\nbody\n  color: $c\n").expect("a file");
    assert_eq!(linted("styles"), (2, 0, 0), "there is nothing to lint");
    assert_eq!(linted("styles/style.sass"), (0, 0, 0), "nothing is said of a style sheet");
    assert_eq!(linted("."), (1, 1, 1), "a folder gives what its names promise and its texts keep");
    fs::remove_dir_all(&folder).expect("removed");
}
