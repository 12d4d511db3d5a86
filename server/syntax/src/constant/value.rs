//! The value of a constant expression as the assembler computes it: signed and unsigned integers of 64 bits, and `double`.

use super::literal::integer;
use super::token::{Kind, Token};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
}

use Value::{Double, Signed, Unsigned};

/// The place of the operand that an operator is followed by, if it is zero.
pub(super) fn zero_operand(tokens: &[Token]) -> Option<Range<usize>> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let value = parser.unary()?;
    let last = tokens.get(parser.at.checked_sub(1)?)?;
    (!value.is_true()).then(|| tokens[0].range().start..last.range().end)
}

/// Binary operators, the loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// How deep parentheses and signs are followed.
const DEPTH: usize = 50;

/// Answers `None` to whatever is no constant.
struct Parser<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn choice(&mut self) -> Option<Value> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Some(condition);
        }
        let yes = self.choice()?;
        let no = self.take(":").then(|| self.choice())??;
        Some(if condition.is_true() { yes } else { no })
    }

    fn binary(&mut self, level: usize) -> Option<Value> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.sign().filter(|sign| operators.contains(sign)) {
            self.at += 1;
            left = apply(operator, left, self.binary(level + 1)?)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Value> {
        self.depth += 1;
        let value = if self.depth > DEPTH { None } else { self.operand() };
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Option<Value> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match (token.kind, token.text) {
            (Kind::Integer, text) => integer(text).map(|value| match i64::try_from(value) {
                Ok(value) if !text.ends_with('U') => Signed(value),
                _ => Unsigned(value),
            }),
            (Kind::Float, text) => text.parse().ok().map(Double),
            (Kind::Word, "WARP_SZ") => Some(Signed(32)),
            (Kind::Word, text) => match text.as_bytes() {
                [b'0', b'd' | b'D', ..] => u64::from_str_radix(&text[2..], 16).ok().map(f64::from_bits).map(Double),
                _ => None,
            },
            (Kind::Sign, "(") => self.parenthesised(),
            (Kind::Sign, "+") => self.unary(),
            (Kind::Sign, "-") => Some(match self.unary()? {
                Signed(value) => Signed(value.wrapping_neg()),
                Unsigned(value) => Unsigned(value.wrapping_neg()),
                Double(value) => Double(-value),
            }),
            (Kind::Sign, "!") => Some(Signed(i64::from(!self.unary()?.is_true()))),
            (Kind::Sign, "~") => match self.unary()? {
                Signed(value) => Some(Signed(!value)),
                Unsigned(value) => Some(Unsigned(!value)),
                Double(_) => None,
            },
            (Kind::Sign, _) => None,
        }
    }

    /// What follows a `(`: an expression, or a type to which what stands behind it is cast.
    fn parenthesised(&mut self) -> Option<Value> {
        let cast = self.sign().filter(|word| matches!(*word, ".s64" | ".u64"));
        self.at += usize::from(cast.is_some());
        let inner = if cast.is_some() { None } else { Some(self.choice()?) };
        if !self.take(")") {
            return None;
        }
        match cast {
            None => inner,
            Some(".u64") => self.unary()?.bits().map(Unsigned),
            Some(_) => self.unary()?.bits().map(|bits| Signed(bits.cast_signed())),
        }
    }

    fn sign(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|token| token.text)
    }

    fn take(&mut self, sign: &str) -> bool {
        let taken = self.sign() == Some(sign);
        self.at += usize::from(taken);
        taken
    }
}

impl Value {
    fn is_true(self) -> bool {
        match self {
            Signed(value) => value != 0,
            Unsigned(value) => value != 0,
            Double(value) => value != 0.0,
        }
    }

    /// The bits of an integer.
    fn bits(self) -> Option<u64> {
        match self {
            Signed(value) => Some(value.cast_unsigned()),
            Unsigned(value) => Some(value),
            Double(_) => None,
        }
    }
}

fn apply(operator: &str, left: Value, right: Value) -> Option<Value> {
    // The processor's shift, by the low six bits.
    let places = || right.bits().map(|places| places as u32);
    match (operator, left, right) {
        ("&&", ..) => Some(Signed(i64::from(left.is_true() && right.is_true()))),
        ("||", ..) => Some(Signed(i64::from(left.is_true() || right.is_true()))),
        ("<<", Signed(value), _) => Some(Signed(value.wrapping_shl(places()?))),
        (">>", Signed(value), _) => Some(Signed(value.wrapping_shr(places()?))),
        ("<<", Unsigned(value), _) => Some(Unsigned(value.wrapping_shl(places()?))),
        (">>", Unsigned(value), _) => Some(Unsigned(value.wrapping_shr(places()?))),
        (_, Double(left), Double(right)) => double(operator, left, right),
        (_, Signed(left), Signed(right)) => signed(operator, left, right),
        _ => unsigned(operator, left.bits()?, right.bits()?),
    }
}

fn compare<T: PartialOrd>(operator: &str, left: T, right: T) -> Option<Value> {
    let holds = match operator {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => return None,
    };
    Some(Signed(i64::from(holds)))
}

fn double(operator: &str, left: f64, right: f64) -> Option<Value> {
    match operator {
        "+" => Some(Double(left + right)),
        "-" => Some(Double(left - right)),
        "*" => Some(Double(left * right)),
        "/" => Some(Double(left / right)),
        _ => compare(operator, left, right),
    }
}

fn signed(operator: &str, left: i64, right: i64) -> Option<Value> {
    Some(Signed(match operator {
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "&" => left & right,
        "|" => left | right,
        "^" => left ^ right,
        _ => return compare(operator, left, right),
    }))
}

fn unsigned(operator: &str, left: u64, right: u64) -> Option<Value> {
    Some(Unsigned(match operator {
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "&" => left & right,
        "|" => left | right,
        "^" => left ^ right,
        _ => return compare(operator, left, right),
    }))
}
