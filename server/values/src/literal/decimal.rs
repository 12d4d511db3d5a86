//! Floating-point numbers in decimal, rounded once to their format.

use crate::float::SmallFloat;
use std::cmp::Ordering;

/// Whether a valid number is infinity.
pub fn names_infinity(text: &str) -> bool {
    text.trim_start_matches(['+', '-']).starts_with(['i', 'I'])
}

/// The f64 nearest to the text; `None` if that is not a number.
pub fn nearest(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let special = ["inf", "infinity", "nan"].iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    let decimal = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if special || decimal { text.parse().ok() } else { None }
}

/// The text's number, rounded once to the format; `None` if it is too large.
///
/// The nearest f64 is known. Rounding it again is wrong only if that f64 is exactly between two
/// numbers of the format and the text is not; then the text itself decides.
pub fn rounded(nearest: f64, text: &str, format: SmallFloat) -> Option<u16> {
    let sign = if nearest.is_sign_negative() { format.sign() } else { 0 };
    if nearest.is_nan() {
        return Some(format.nan());
    }
    if names_infinity(text) {
        return format.infinity().map(|infinity| sign | infinity);
    }
    let number = |bits: u16| f64::from(format.decode(bits));
    let (mut lower, mut upper) = (0, format.largest() + 1);
    while upper - lower > 1 {
        let between = u16::midpoint(lower, upper);
        if number(between) <= nearest.abs() {
            lower = between;
        } else {
            upper = between;
        }
    }
    // The step above a power of two is that below the next number; at the end of the range there is no next one.
    let step = if lower < format.largest() { number(upper) - number(lower) } else { number(lower) - number(lower - 1) };
    let middle = number(lower) + step / 2.0;
    let order = nearest.abs().total_cmp(&middle).then_with(|| compare(text, middle));
    let bits = match order {
        Ordering::Less => lower,
        Ordering::Greater => upper,
        Ordering::Equal => lower + (lower & 1),
    };
    (bits <= format.largest()).then_some(sign | bits)
}

/// Compares the magnitude of a decimal text with a positive number exactly, digit by digit.
fn compare(text: &str, number: f64) -> Ordering {
    // 160 digits after the point suffice for every midpoint of two numbers of a small format.
    let (mine, its) = (Decimal::new(text), Decimal::new(&format!("{number:.160}")));
    mine.point.cmp(&its.point).then_with(|| mine.digits.cmp(&its.digits))
}

/// 0.d1d2d3… times ten to the power `point`, without zeros at either end of the digits.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    fn new(text: &str) -> Self {
        let text = text.trim_start_matches(['+', '-']);
        let (significand, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let leading = all.iter().take_while(|&&digit| digit == b'0').count();
        let trailing = all[leading..].iter().rev().take_while(|&&digit| digit == b'0').count();
        let digits = all[leading..all.len() - trailing].to_vec();
        let point = whole.len() as i64 - leading as i64 + exponent.parse().unwrap_or(0);
        Self { digits, point }
    }
}
