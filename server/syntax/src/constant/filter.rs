//! Whether it is worth the time to read a text: next to none has a division, an exponent or a number of ten digits.

use crate::lexer::{WORD, is};

/// As long as a number is at least that does not fit: ten digits, where 32 bits are all there is.
const LONG: usize = 10;

/// How much of two chunks is looked at together: what lies across their border, whole.
const SEAM: usize = 16;

/// Whether there may be an invalid constant in a text, given in pieces.
pub(super) fn may_be_invalid<'t>(chunks: impl Iterator<Item = &'t [u8]>) -> bool {
    let mut seam: Vec<u8> = Vec::new();
    for chunk in chunks {
        seam.extend(&chunk[..chunk.len().min(SEAM)]);
        if is_suspect(chunk) || is_suspect(&seam) {
            return true;
        }
        seam.extend(chunk.iter().skip(SEAM));
        seam.drain(..seam.len().saturating_sub(SEAM));
    }
    false
}

fn is_suspect(bytes: &[u8]) -> bool {
    has_sign(bytes) || has_long_number(bytes)
}

/// Whether a division or an exponent may stand there. Without branches at first, so that the compiler looks at many bytes at a time.
fn has_sign(bytes: &[u8]) -> bool {
    const PART: usize = 256;
    let any = |part: &[u8]| part.windows(3).fold(false, |found, at| found | is_sign(at[0], at[1], at[2]));
    (0..bytes.len()).step_by(PART).any(|from| {
        let end = bytes.len().min(from + PART + 2);
        any(&bytes[from..end]) && (from + 1..end.saturating_sub(1)).any(|at| is_sign_at(bytes, at))
    })
}

/// Whether a sign stands there that is no letter of a name, nor a digit of a number given by its bits.
fn is_sign_at(bytes: &[u8], at: usize) -> bool {
    if !is_sign(bytes[at - 1], bytes[at], bytes[at + 1]) {
        return false;
    }
    let start = at - bytes[..at].iter().rev().take_while(|byte| is(**byte, WORD)).count();
    // What lies before the text is not known, and behind a point are the digits of a fraction.
    if !is(bytes[at], WORD) || start == 0 || bytes[start - 1] == b'.' {
        return true;
    }
    let bits = bytes[start] == b'0' && matches!(bytes[start + 1], b'f' | b'F' | b'd' | b'D' | b'x' | b'X');
    bytes[start].is_ascii_digit() && !bits
}

/// Whether a byte between two others is an operator that divides, or begins an exponent.
fn is_sign(before: u8, byte: u8, behind: u8) -> bool {
    let comment = |byte: u8| (byte == b'/') | (byte == b'*');
    let divides = (byte == b'/') & !comment(before) & !comment(behind);
    let letter = (behind | 0x20).wrapping_sub(b'a') < 26;
    let digit = |byte: u8| byte.wrapping_sub(b'0') < 10;
    let remains = (byte == b'%') & !(letter | digit(behind) | (behind == b'_') | (behind == b'$'));
    let exponent = (byte | 0x20 == b'e')
        & (digit(before) | (before == b'.'))
        & (digit(behind) | (behind == b'+') | (behind == b'-'));
    divides | remains | exponent
}

/// Whether a number of ten characters stands there: it has one at some place in eight, with its first at most seven before.
fn has_long_number(bytes: &[u8]) -> bool {
    (0..bytes.len()).step_by(8).any(|at| {
        if !is(bytes[at], WORD) {
            return false;
        }
        let before = bytes[at.saturating_sub(8)..at].iter().rev().take_while(|byte| is(**byte, WORD)).count();
        let number = &bytes[at - before..];
        // A word that begins further ahead was met at an earlier place, if it is a number.
        before < 8
            && number[0].is_ascii_digit()
            && number.len() >= LONG
            && !matches!(number[1], b'f' | b'F' | b'd' | b'D')
            && number[..LONG].iter().all(|byte| is(*byte, WORD))
            && may_exceed_32_bits(number)
    })
}

/// Whether the number that a text begins with may have more than 32 bits: surely not where it ends in the text, and is a decimal of ten digits up to
/// the largest, or has eight hexadecimal ones.
fn may_exceed_32_bits(text: &[u8]) -> bool {
    let number = &text[..text.iter().take_while(|byte| is(**byte, WORD)).count()];
    match number {
        _ if number.len() == text.len() || number.len() > LONG => true,
        [b'0', b'x' | b'X', ..] => false,
        [b'0', ..] => true,
        _ => !number.iter().all(u8::is_ascii_digit) || number > &b"4294967295"[..],
    }
}
