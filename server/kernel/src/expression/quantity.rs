//! Numbers in expressions, and what operators make of them.

use values::{Element, Value};

/// A number in an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
}

impl Quantity {
    /// The number and the text of a value. Untyped bits are shown as an unsigned integer, and in hexadecimal.
    pub fn of(value: Value) -> (Self, String) {
        let (bits, shape) = (value.bits(), value.shape());
        match shape.element() {
            _ if shape.elements() > 1 => (Self::Integer(bits as i128), value.to_string()),
            Element::F64 => (Self::Float(f64::from_bits(bits as u64)), value.to_string()),
            Element::F32 => (Self::Float(f32::from_bits(bits as u32).into()), value.to_string()),
            Element::Small(_) => {
                let text = value.to_string();
                (Self::Float(text.parse().unwrap_or(f64::NAN)), text)
            }
            Element::Signed(width) => {
                let signed = (bits << (128 - width)) as i128 >> (128 - width);
                (Self::Integer(signed), signed.to_string())
            }
            Element::Unsigned(_) => (Self::Integer(bits as i128), bits.to_string()),
            Element::Bits(_) => {
                let text = if bits < 10 { bits.to_string() } else { format!("{bits} ({bits:#x})") };
                (Self::Integer(bits as i128), text)
            }
        }
    }

    /// Whether it is not zero.
    pub fn is_true(self) -> bool {
        match self {
            Self::Integer(value) => value != 0,
            Self::Float(value) => value != 0.0,
        }
    }

    /// The floating-point number.
    pub fn float(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// The integer; a floating-point number is truncated.
    pub fn integer(self) -> i128 {
        match self {
            Self::Integer(value) => value,
            Self::Float(value) => value as i128,
        }
    }
}

/// 1 or 0.
pub fn truth(value: bool) -> Quantity {
    Quantity::Integer(value.into())
}

/// The value of an operator and its operand.
pub fn unary(operator: char, value: Quantity) -> Quantity {
    match (operator, value) {
        ('!', value) => truth(!value.is_true()),
        ('~', value) => Quantity::Integer(!value.integer()),
        (_, Quantity::Integer(value)) => Quantity::Integer(value.wrapping_neg()),
        (_, Quantity::Float(value)) => Quantity::Float(-value),
    }
}

/// The value of an operator between operands.
///
/// # Errors
/// A message, without a full stop.
pub fn binary(operator: &str, left: Quantity, right: Quantity) -> Result<Quantity, String> {
    match operator {
        "&&" => return Ok(truth(left.is_true() && right.is_true())),
        "||" => return Ok(truth(left.is_true() || right.is_true())),
        _ => {}
    }
    if let (Quantity::Integer(left), Quantity::Integer(right)) = (left, right) {
        return integers(operator, left, right);
    }
    let (a, b) = (left.float(), right.float());
    Ok(match operator {
        "+" => Quantity::Float(a + b),
        "-" => Quantity::Float(a - b),
        "*" => Quantity::Float(a * b),
        "/" => Quantity::Float(a / b),
        "%" => Quantity::Float(a % b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        _ => return integers(operator, left.integer(), right.integer()),
    })
}

fn integers(operator: &str, a: i128, b: i128) -> Result<Quantity, String> {
    let divided = |value: Option<i128>| value.ok_or_else(|| "division by zero".to_owned());
    let shift = u32::try_from(b).ok().filter(|bits| *bits < 64).ok_or_else(|| format!("invalid shift by {b} bits"));
    Ok(match operator {
        "+" => Quantity::Integer(a.wrapping_add(b)),
        "-" => Quantity::Integer(a.wrapping_sub(b)),
        "*" => Quantity::Integer(a.wrapping_mul(b)),
        "/" => Quantity::Integer(divided(a.checked_div(b))?),
        "%" => Quantity::Integer(divided(a.checked_rem(b))?),
        "&" => Quantity::Integer(a & b),
        "|" => Quantity::Integer(a | b),
        "^" => Quantity::Integer(a ^ b),
        "<<" => Quantity::Integer(a.wrapping_shl(shift?)),
        ">>" => Quantity::Integer(a.wrapping_shr(shift?)),
        "==" => truth(same(a, b)),
        "!=" => truth(!same(a, b)),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        _ => truth(a >= b),
    })
}

/// Whether integers are equal; a negative one equals the bits of an unsigned register.
fn same(a: i128, b: i128) -> bool {
    let wraps = |negative: i128, other: i128| {
        negative < 0
            && other >= 0
            && (i128::from(negative as i32 as u32) == other && negative >= i32::MIN.into()
                || i128::from(negative as i64 as u64) == other && negative >= i64::MIN.into())
    };
    a == b || wraps(a, b) || wraps(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers_equal_the_bits_of_unsigned_registers() {
        assert!(same(-1, 0xffff_ffff) && same(0xffff_ffff_ffff_ffff, -1) && !same(-1, 0xffff));
        assert_eq!(binary("/", Quantity::Integer(1), Quantity::Integer(0)), Err("division by zero".to_owned()));
        assert_eq!(binary("+", Quantity::Integer(1), Quantity::Float(0.5)), Ok(Quantity::Float(1.5)));
    }
}
