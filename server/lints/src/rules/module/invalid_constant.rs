//! `invalid-constant`: constants that the assembler rejects everywhere.

use diagnostics::Diagnostic;
use diagnostics::registry::INVALID_CONSTANT;
use std::ops::Range;
use syntax::{ConstantError, Overflow, Recovery, Rope, invalid_constants};

/// Checks every constant of an item, except in broken statements.
pub(crate) fn check(text: &Rope, item: Range<usize>, recovery: &Recovery, diagnostics: &mut Vec<Diagnostic>) {
    for invalid in invalid_constants(text, item) {
        if recovery.is_in_statement(invalid.range.start) {
            continue;
        }
        let constant = text.byte_slice(invalid.range.clone()).to_string();
        let (message, help) = match invalid.mistake {
            ConstantError::Overflow(overflow) => overflow_message(overflow, &constant),
            ConstantError::DivisionByZero if constant.starts_with('0') => {
                ("division by zero".to_owned(), "use a nonzero divisor, or write the result")
            }
            ConstantError::DivisionByZero => {
                (format!("division by zero: `{constant}` is 0"), "use a nonzero divisor, or write the result")
            }
        };
        diagnostics.push(Diagnostic::new(&INVALID_CONSTANT, invalid.range, message).help(help));
    }
}

fn overflow_message(overflow: Overflow, constant: &str) -> (String, &'static str) {
    match overflow {
        Overflow::Wide => {
            (format!("`{constant}` overflows 64 bits"), "use at most 18446744073709551615 (0xFFFFFFFFFFFFFFFF)")
        }
        Overflow::Narrow => (format!("`{constant}` overflows 32 bits"), "use at most 4294967295"),
        Overflow::Large => (
            format!("`{constant}` overflows a 64-bit floating-point number"),
            "use at most 1.7976931348623157e308; write infinity as `0d7FF0000000000000` or `0f7F800000`",
        ),
        Overflow::Small => (
            format!("`{constant}` underflows a normal 64-bit floating-point number"),
            "use at least 2.2250738585072014e-308; write a smaller number by its bits, such as `0d0000000000000001`",
        ),
    }
}
