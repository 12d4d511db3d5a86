//! The parts of guards and operands: names, constants and signs, without white space.
//!
//! Cheaper than operands. Two instructions with the same opcode and the same parts, names aside, have the same operands, names aside.

use crate::constant::ConstantType;
use crate::lexer::{Bytes, DIGIT, WORD, is};

/// The maximum number of digits of an integer whose type its spelling tells.
const MAX_DIGITS: usize = 9;

/// A part of a guard or of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionPart<'t> {
    /// A name without a selector: a register, a symbol, a special register, `_`, or `WARP_SZ`.
    Name(&'t str),
    /// A number whose type its spelling tells: an integer of at most nine digits, or the bits of a floating-point number.
    Constant(ConstantType, &'t str),
    /// Another number, a selector with its dot, or a sign.
    Other(&'t str),
}

/// Calls `visit` with the parts of a text, until it returns `false`. Returns whether it visited all of them.
pub(crate) fn visit(text: &str, visit: &mut impl FnMut(InstructionPart) -> bool) -> bool {
    let bytes = Bytes::of(text);
    let mut at = bytes.blanks(0);
    while at < bytes.len() {
        let byte = bytes.at(at);
        let (part, end) = if is(byte, DIGIT) {
            let end = numeral(bytes, at);
            (constant(&text[at..end]), end)
        } else if is(byte, WORD) || byte == b'%' && is(bytes.at(at + 1), WORD) {
            let end = bytes.word(at + 1);
            (InstructionPart::Name(&text[at..end]), end)
        } else if matches!(
            byte,
            b'[' | b']' | b'{' | b'}' | b'(' | b')' | b',' | b'+' | b'-' | b'!' | b'|' | b'@' | b';'
        ) {
            (InstructionPart::Other(&text[at..at + 1]), at + 1)
        } else {
            return false;
        };
        if !visit(part) {
            return false;
        }
        at = end;
        if matches!(part, InstructionPart::Name(_)) && bytes.at(at) == b'.' {
            let end = bytes.word(at + 1);
            if !visit(InstructionPart::Other(&text[at..end])) {
                return false;
            }
            at = end;
        }
        at = bytes.blanks(at);
    }
    true
}

/// The end of the letters, digits and dots of a number; without its exponent's sign.
fn numeral(bytes: Bytes, mut at: usize) -> usize {
    while is(bytes.at(at), WORD) || bytes.at(at) == b'.' {
        at += 1;
    }
    at
}

fn constant(text: &str) -> InstructionPart<'_> {
    let hexadecimal = |digits: &[u8], count: usize| digits.len() == count && digits.iter().all(u8::is_ascii_hexdigit);
    let ty = match text.as_bytes() {
        [b'0', b'f' | b'F', bits @ ..] if hexadecimal(bits, 8) => ConstantType::Single,
        [b'0', b'd' | b'D', bits @ ..] if hexadecimal(bits, 16) => ConstantType::Double,
        [b'0'] => ConstantType::Integer,
        [b'1'..=b'9', digits @ ..] if digits.len() < MAX_DIGITS && digits.iter().all(u8::is_ascii_digit) => {
            ConstantType::Integer
        }
        _ => return InstructionPart::Other(text),
    };
    InstructionPart::Constant(ty, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use InstructionPart::{Constant, Name, Other};

    /// The parts of a text, printed; `None` if it has none.
    fn parts(text: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let whole = visit(text, &mut |part| {
            found.push(format!("{part:?}"));
            true
        });
        whole.then_some(found)
    }

    fn assert_parts(text: &str, expected: &[InstructionPart]) {
        let expected: Vec<_> = expected.iter().map(|part| format!("{part:?}")).collect();
        assert_eq!(parts(text), Some(expected), "{text}");
    }

    #[test]
    fn plain_operands_have_parts() {
        let integer = |text| Constant(ConstantType::Integer, text);
        let address =
            [Name("%r1"), Other(","), Other("["), Name("a"), Other("+"), integer("16"), Other("]"), Other(";")];
        assert_parts(" %r1, [ a+16 ];", &address);
        assert_parts("@!%p1 ", &[Other("@"), Other("!"), Name("%p1")]);
        assert_parts("%tid.x", &[Name("%tid"), Other(".x")]);
        assert_parts("1.5e-3", &[Other("1.5e"), Other("-"), integer("3")]);
        assert_parts("0f3F800000", &[Constant(ConstantType::Single, "0f3F800000")]);
        assert_parts("0d3FF0000000000000", &[Constant(ConstantType::Double, "0d3FF0000000000000")]);
        for other in ["08", "1U", "0x10", "4294967296", "0f3F8"] {
            assert_parts(other, &[Other(other)]);
        }
    }

    #[test]
    fn other_text_has_no_parts() {
        for text in ["a /* b */", "a // b", "1 << 2", "a % 2", "v .x", ".5", "\"a\"", "ä", "#"] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
