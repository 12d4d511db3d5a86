//! Fixes for operands of a wrong type: the registers and conversions that are offered, each with what becomes of the line.

mod fixes;

use diagnostics::Applicability;
use fixes::{applied, check};

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n.entry k() { .reg .pred %p<2>; .reg .b16 %rs<3>; .reg .u16 h; .reg .b32 %r<4>; .reg .s32 i; \
    .reg .b64 %rd<9>; .reg .f32 %f<3>; .reg .f64 %d<3>;\n";

/// The titles of the manual fixes for one wrong instruction, each with the instruction after it, which has no error.
fn fixes(instruction: &str) -> Vec<(String, String)> {
    let text = format!("{HEAD}{instruction}\n}}\n");
    let found = check(&text);
    let [error] = &found[..] else { panic!("{found:?}") };
    let manual = error.applicable().filter(|(_, applicability)| *applicability == Applicability::Manual);
    manual.map(|(fix, _)| applied(HEAD, &text, fix)).collect()
}

fn one(title: &str, fixed: &str) -> (String, String) {
    (title.to_owned(), fixed.to_owned())
}

#[test]
fn the_register_with_the_closest_name_is_offered() {
    assert_eq!(
        fixes("add.u64 %rd1, %rd2, %r3;"),
        [
            one("Replace `%r3` with `%rd3`", "add.u64 %rd1, %rd2, %rd3;"),
            one(
                "Convert `%r3` with `cvt.u64.u32`",
                "{ .reg .b64 %r3_b64; cvt.u64.u32 %r3_b64, %r3; add.u64 %rd1, %rd2, %r3_b64; }"
            ),
        ]
    );
    assert_eq!(fixes("add.f32 %d1, %f1, %f2;"), [one("Replace `%d1` with `%f1`", "add.f32 %f1, %f1, %f2;")]);
}

#[test]
fn conversions_keep_the_value() {
    let converted = |instruction: &str| fixes(instruction).pop().unwrap().1;
    assert_eq!(
        converted("@%p1 mul.lo.s64 %rd1, %rd2, i;"),
        "{ .reg .b64 i_b64; cvt.s64.s32 i_b64, i; @%p1 mul.lo.s64 %rd1, %rd2, i_b64; }"
    );
    assert_eq!(
        converted("add.f64 %d1, %d2, %f1;"),
        "{ .reg .f64 %f1_f64; cvt.f64.f32 %f1_f64, %f1; add.f64 %d1, %d2, %f1_f64; }"
    );
    assert_eq!(
        converted("add.f16 %rs1, h, %rs2;"),
        "{ .reg .b16 h_b16; mov.b16 h_b16, h; add.f16 %rs1, h_b16, %rs2; }"
    );
}

#[test]
fn narrower_values_and_bits_of_another_class_are_not_converted() {
    for instruction in
        ["add.u32 %r1, %r2, %rd1;", "add.f32 %f1, %f2, i;", "add.u32 %r1, %r2, %f1;", "add.u64 %r1, %rd1, %rd2;"]
    {
        let titles: Vec<_> = fixes(instruction).into_iter().map(|(title, _)| title).collect();
        assert!(titles.iter().all(|title| title.starts_with("Replace `")), "{instruction}: {titles:?}");
    }
}
