//! Texts that are large in one place: a long head, many aliases, deep nesting, comment signs. Each must have the findings of a small one, and in linear time:
//! with quadratic time, some of these tests would take minutes.

use crate::{lint_text, run_in, scratch};
use std::fmt::Write as _;
use std::fs;

const HEAD: &str = ".version 8.3\n.target sm_90\n.address_size 64\n";

/// A kernel with parameters.
fn kernel(parameters: usize, declaration: impl Fn(usize) -> String) -> String {
    let list: Vec<_> = (0..parameters).map(declaration).collect();
    format!("{HEAD}.visible .entry k({})\n{{\n\tret;\n}}\n", list.join(",\n"))
}

#[test]
fn a_kernel_with_a_long_list_of_parameters_runs() {
    let folder = scratch("long-head");
    // About 16 KiB, where an earlier version stopped reading, and less and more.
    for parameters in [900, 915, 916, 1000, 8000] {
        fs::write(folder.join("k.ptx"), kernel(parameters, |number| format!(".param .u32 p{number}"))).unwrap();
        let run = run_in(&folder, &["run", "k.ptx"], b"");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{parameters}: {}", run.stdout);
    }
}

#[test]
fn the_parameters_of_a_long_head_are_checked() {
    let found = |parameters: usize, declaration: &dyn Fn(usize) -> String| {
        let run = lint_text(kernel(parameters, declaration).as_bytes());
        (run.code, run.stdout)
    };
    let (code, output) = found(9000, &|number| format!(".param .u32 p{number}"));
    assert!(output.contains("parameters of `k` take 36000 bytes; the limit is 32764 bytes"), "{output}");
    assert_eq!((code, output.lines().count()), (1, 1), "{output}");
    let (code, output) = found(8000, &|number| format!(".param .u32 p{number}"));
    assert_eq!((code, output.as_str()), (0, ""));
    // The same findings in a small head and at the end of a long one.
    let last = |count: usize| {
        move |number: usize| match number + 1 == count {
            true => ".param .u32 p0".to_owned(),
            false => format!(".param .u32 p{number}"),
        }
    };
    let (small, large) = (found(2, &last(2)), found(5000, &last(5000)));
    let code_of =
        |output: &str| output.split("\"code\":").nth(1).unwrap_or_default().split(',').next().map(str::to_owned);
    assert_eq!(small.0, 1, "{}", small.1);
    assert_eq!((small.0, code_of(&small.1)), (large.0, code_of(&large.1)), "{}", large.1);
}

#[test]
fn all_names_of_a_long_declaration_are_checked() {
    for names in [10, 20_000] {
        let list: Vec<_> = (0..names).map(|number| format!("a{number}")).collect();
        let run = lint_text(format!("{HEAD}.global .f16 {}, b = 1;\n", list.join(", ")).as_bytes());
        assert!(run.stdout.contains("initial value of a `.f16` variable"), "{names}: {}", run.stdout);
        assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    }
    // Names after a long list of values.
    let values = vec!["1"; 100_000].join(",");
    let run = lint_text(
        format!("{HEAD}.global .u32 a[100000] = {{{values}}}, b[2] = {{1, 2}}, c;\n.global .f16 h[100000] = {{{values}}}, i = 1;\n")
            .as_bytes(),
    );
    assert!(run.stdout.contains("initial value of a `.f16` variable"), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    // As many variables as values, each of which is an address.
    let list: Vec<_> = (0..50_000).map(|number| format!("a{number} = a0")).collect();
    let run = lint_text(format!("{HEAD}.global .u64 {};\n", list.join(", ")).as_bytes());
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
}

#[test]
fn the_indentation_of_nested_blocks_is_bounded() {
    let folder = scratch("nested-blocks");
    let depth = 20_000;
    let path = folder.join("a.ptx");
    let text = format!("{HEAD}.visible .entry k()\n{{\n{}{}ret;\n}}\n", "{".repeat(depth), "}".repeat(depth));
    fs::write(&path, &text).unwrap();
    let run = run_in(&folder, &["fmt", "a.ptx"], b"");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let formatted = fs::read_to_string(&path).unwrap();
    assert!(formatted.len() < text.len() * 80, "{} bytes of {}", formatted.len(), text.len());
    let check = run_in(&folder, &["fmt", "--check", "a.ptx"], b"");
    assert_eq!((check.code, check.stdout.as_str()), (0, ""), "formatting twice is formatting once");
    let tokens = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    assert!(tokens(&text) == tokens(&formatted), "only white space changes");
}

#[test]
fn many_starts_of_comments_are_one_error() {
    let folder = scratch("comment-signs");
    let signs = "/*".repeat(500_000);
    for text in [format!("{HEAD}{signs}"), format!("{HEAD}.visible .entry k()\n{{\n{signs}")] {
        let run = lint_text(text.as_bytes());
        assert_eq!((run.code, run.stdout.lines().count()), (1, 1), "{}", run.stdout);
        assert!(run.stdout.contains("syntax-error"), "{}", run.stdout);
        fs::write(folder.join("a.ptx"), &text).unwrap();
        for command in ["run", "check"] {
            let run = run_in(&folder, &[command, "a.ptx"], b"");
            assert!(run.code != 0 && !run.stderr.contains("panicked"), "{command}: {} {}", run.code, run.stderr);
        }
    }
    // `/*/` alone is no whole comment.
    let run = lint_text(format!("{HEAD}.visible .entry k()\n{{\n\tret;\n\t/*/\n}}\n").as_bytes());
    assert!(run.stdout.contains("unterminated comment"), "{}", run.stdout);
}

#[test]
fn each_of_many_aliases_is_checked() {
    let aliases = 50_000;
    let mut text = HEAD.to_owned();
    for number in 0..aliases {
        writeln!(text, ".alias a{number}, a{};", number + 1).unwrap();
    }
    let run = lint_text(text.as_bytes());
    assert_eq!((run.code, run.stdout.lines().count()), (1, aliases));
    assert!(run.stdout.lines().all(|line| line.contains("declare the function before this directive")));
    // Declared ones are legal, but for the last, which repeats a name.
    let mut text = HEAD.to_owned();
    writeln!(text, ".visible .func f(.param .b32 x)\n{{\n\tret;\n}}").unwrap();
    for number in 0..aliases {
        writeln!(text, ".visible .func a{number}(.param .b32 x);\n.alias a{number}, f;").unwrap();
    }
    writeln!(text, ".alias a7, f;").unwrap();
    let run = lint_text(text.as_bytes());
    assert!(run.stdout.contains("duplicate alias `a7`"), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

#[test]
fn an_operand_number_of_any_length_is_shown_as_it_is_written() {
    let text = "__device__ void f(unsigned *p) {\n\
                asm volatile(\"red.global.add.u32 [%99999999999999999999], %1;\" :: \"l\"(p), \"r\"(1) : \"memory\");\n}\n";
    let run = run_in(&support::root(), &["lint", "--stdin-filename", "k.cu", "-"], text.as_bytes());
    let wanted = "unknown operand 99999999999999999999: the statement has 2 operands, `%0` to `%1`";
    assert!(run.code == 1 && run.stdout.contains(wanted), "{}{}", run.stdout, run.stderr);
}
