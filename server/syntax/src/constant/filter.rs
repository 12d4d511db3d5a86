//! A fast filter for texts without invalid constants: few have a division, an exponent or a number of ten digits.

use crate::lexer::{WORD, is};

/// The minimum length of a number that overflows 32 bits.
const LONG: usize = 10;

/// The overlap of two chunks, so that a number across their border is checked as a whole.
const SEAM: usize = 16;

/// Whether a text, given in chunks, may have an invalid constant.
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

/// Whether a chunk may have a division or an exponent. Branchless at first, so that the compiler vectorizes it.
fn has_sign(bytes: &[u8]) -> bool {
    const PART: usize = 256;
    let any = |part: &[u8]| part.windows(3).fold(false, |found, at| found | is_sign(at[0], at[1], at[2]));
    (0..bytes.len()).step_by(PART).any(|from| {
        let end = bytes.len().min(from + PART + 2);
        any(&bytes[from..end]) && (from + 1..end.saturating_sub(1)).any(|at| is_sign_at(bytes, at))
    })
}

/// Whether a byte is an operator, and no letter of a name or digit of a number that is given by its bits.
fn is_sign_at(bytes: &[u8], at: usize) -> bool {
    if !is_sign(bytes[at - 1], bytes[at], bytes[at + 1]) {
        return false;
    }
    let start = at - bytes[..at].iter().rev().take_while(|byte| is(**byte, WORD)).count();
    // What precedes the text is not known, and after a point are the digits of a fraction.
    if !is(bytes[at], WORD) || start == 0 || bytes[start - 1] == b'.' {
        return true;
    }
    let bits = bytes[start] == b'0' && matches!(bytes[start + 1], b'f' | b'F' | b'd' | b'D' | b'x' | b'X');
    bytes[start].is_ascii_digit() && !bits
}

/// Whether a byte between two others is a division operator or begins an exponent.
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

/// Whether there is a number of ten characters. Every eighth byte is tested: such a number covers one of them, at most seven bytes after its start.
fn has_long_number(bytes: &[u8]) -> bool {
    (0..bytes.len()).step_by(8).any(|at| {
        if !is(bytes[at], WORD) {
            return false;
        }
        let before = bytes[at.saturating_sub(8)..at].iter().rev().take_while(|byte| is(**byte, WORD)).count();
        let number = &bytes[at - before..];
        // A number that begins earlier was found at an earlier position.
        before < 8
            && number[0].is_ascii_digit()
            && number.len() >= LONG
            && !matches!(number[1], b'f' | b'F' | b'd' | b'D')
            && number[..LONG].iter().all(|byte| is(*byte, WORD))
            && may_exceed_32_bits(number)
    })
}

/// Whether the number at the beginning of a text may have more than 32 bits. It has not if it ends in the text, and is a decimal of ten digits up to
/// the maximum, or has eight hexadecimal digits.
fn may_exceed_32_bits(text: &[u8]) -> bool {
    let number = &text[..text.iter().take_while(|byte| is(**byte, WORD)).count()];
    match number {
        _ if number.len() == text.len() || number.len() > LONG => true,
        [b'0', b'x' | b'X', ..] => false,
        [b'0', ..] => true,
        _ => !number.iter().all(u8::is_ascii_digit) || number > &b"4294967295"[..],
    }
}
