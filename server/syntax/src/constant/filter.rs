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
        // The last bytes of the text so far. Of a long chunk, those before them need not be copied.
        seam.extend(&chunk[chunk.len().saturating_sub(SEAM).max(SEAM).min(chunk.len())..]);
        seam.drain(..seam.len().saturating_sub(SEAM));
    }
    false
}

fn is_suspect(bytes: &[u8]) -> bool {
    has_sign(bytes) || has_long_number(bytes)
}

/// The number of bytes that are tested at once.
const PART: usize = 256;

/// Whether a chunk may have a division or an exponent.
fn has_sign(bytes: &[u8]) -> bool {
    let candidate = |at: &[u8; 3]| is_sign(at[0], at[1], at[2]);
    any_part(bytes, candidate, |at| is_sign_at(bytes, at + 1))
}

/// Whether one of the offsets is exactly what is searched for, given what those have in common with few others. That is tested branchless for all
/// offsets of a part, so that the compiler vectorizes it.
fn any_part<const WIDTH: usize>(
    bytes: &[u8],
    may_be: impl Fn(&[u8; WIDTH]) -> bool,
    is: impl Fn(usize) -> bool,
) -> bool {
    (0..bytes.len()).step_by(PART).any(|from| {
        let end = bytes.len().min(from + PART + WIDTH - 1);
        let part = &bytes[from..end];
        part.array_windows().fold(false, |found, window| found | may_be(window))
            && (from..).zip(part.array_windows()).any(|(at, window)| may_be(window) && is(at))
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
#[inline]
fn is_sign(before: u8, byte: u8, behind: u8) -> bool {
    let comment = |byte: u8| (byte == b'/') | (byte == b'*');
    let divides = (byte == b'/') & !comment(before) & !comment(behind);
    let remains = (byte == b'%') & !is_word(behind);
    let exponent = (byte | 0x20 == b'e')
        & (is_digit(before) | (before == b'.'))
        & (is_digit(behind) | (behind == b'+') | (behind == b'-'));
    divides | remains | exponent
}

/// Whether a byte may be part of a word. Computed, because a lookup in a table is not vectorized.
#[inline]
fn is_word(byte: u8) -> bool {
    let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    is_letter | is_digit(byte) | (byte == b'_') | (byte == b'$')
}

#[inline]
fn is_digit(byte: u8) -> bool {
    byte.wrapping_sub(b'0') < 10
}

/// Whether there is a number of ten characters.
fn has_long_number(bytes: &[u8]) -> bool {
    let may_begin = |at: &[u8; 6]| {
        !is_word(at[0]) & is_digit(at[1]) & is_word(at[2]) & is_word(at[3]) & is_word(at[4]) & is_word(at[5])
    };
    is_long_number(bytes) || any_part(bytes, may_begin, |at| is_long_number(&bytes[at + 1..]))
}

/// Whether a text begins with a number of ten characters.
fn is_long_number(text: &[u8]) -> bool {
    text.len() >= LONG
        && text[0].is_ascii_digit()
        && !matches!(text[1], b'f' | b'F' | b'd' | b'D')
        && text[..LONG].iter().all(|byte| is(*byte, WORD))
        && may_exceed_32_bits(text)
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
