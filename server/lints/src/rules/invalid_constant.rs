//! Constants that the assembler refuses, wherever they stand.

use diagnostics::Diagnostic;
use diagnostics::registry::INVALID_CONSTANT;
use std::ops::Range;
use syntax::{ConstantError, Overflow, Recovery, Rope, invalid_constants};

/// Looks at every constant of an item. In a broken statement nobody knows what is one.
pub(super) fn check(text: &Rope, item: Range<usize>, recovery: &Recovery, findings: &mut Vec<Diagnostic>) {
    for invalid in invalid_constants(text, item) {
        if recovery.is_in_statement(invalid.range.start) {
            continue;
        }
        let constant = text.byte_slice(invalid.range.clone()).to_string();
        let (message, help) = match invalid.mistake {
            ConstantError::Overflow(overflow) => told(overflow, &constant),
            ConstantError::DivisionByZero if constant.starts_with('0') => {
                ("division by zero".to_owned(), "write another divisor, or the result")
            }
            ConstantError::DivisionByZero => {
                (format!("division by zero: `{constant}` is 0"), "write another divisor, or the result")
            }
        };
        findings.push(Diagnostic::new(&INVALID_CONSTANT, invalid.range, message).help(help));
    }
}

fn told(overflow: Overflow, constant: &str) -> (String, &'static str) {
    match overflow {
        Overflow::Wide => (
            format!("`{constant}` overflows 64 bits"),
            "the largest integer is 18446744073709551615, or 0xFFFFFFFFFFFFFFFF",
        ),
        Overflow::Narrow => (format!("`{constant}` overflows 32 bits"), "the largest value here is 4294967295"),
        Overflow::Large => (
            format!("`{constant}` overflows a 64-bit floating-point number"),
            "the largest number is 1.7976931348623157e308; write infinity as `0d7FF0000000000000` or `0f7F800000`",
        ),
        Overflow::Small => (
            format!("`{constant}` is too small for a normal 64-bit floating-point number"),
            "the smallest number above zero is 2.2250738585072014e-308; write a smaller one by its bits, as `0d0000000000000001`",
        ),
    }
}
