//! Expressions of watches, breakpoints and conditions: registers, variables, memory, arithmetic and comparisons.

mod quantity;

pub use crate::expression::quantity::{Quantity, binary, truth, unary};

use crate::arguments::argument_values::shape_of;
use program::MemorySpace;
use syntax::OPERATOR_LEVELS;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// A register, a special register, a variable, a parameter or a buffer.
    Name(String),
    /// An element of a variable or buffer.
    Element(String, Box<Expression>),
    /// Memory at an address.
    Memory(MemorySpace, String, Box<Expression>),
    /// An operator and its operand.
    Unary(char, Box<Expression>),
    /// Operators of one level between operands, from the left to the right: the first operand, and each operator with the next one.
    Chain(Box<Expression>, Vec<(&'static str, Expression)>),
}

/// The longest expression.
const MAX_LENGTH: usize = 1 << 20;
/// The most operators and brackets that are open.
const MAX_DEPTH: usize = 64;

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// A message, without a full stop.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("expression of more than {MAX_LENGTH} bytes"));
        }
        let mut parser = ExpressionParser { text, at: 0, depth: 0 };
        let expression = parser.binary(0)?;
        match parser.rest() {
            "" => Ok(expression),
            rest => Err(format!("unexpected `{rest}`{}", operator_help(rest))),
        }
    }
}

/// What to write for the operators of other languages.
fn operator_help(rest: &str) -> &'static str {
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match word {
        "or" | "OR" => "; for a disjunction write `||`",
        "and" | "AND" => "; for a conjunction write `&&`",
        "" if rest.starts_with('=') => "; for equality write `==`",
        _ => "",
    }
}

struct ExpressionParser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> ExpressionParser<'t> {
    /// What is not read yet, without white space before it.
    fn rest(&mut self) -> &'t str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest.trim_end()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.take(word) {
            return Ok(());
        }
        Err(match self.rest() {
            "" => format!("expected `{word}`"),
            rest => format!("expected `{word}`, found `{rest}`"),
        })
    }

    /// The operator of a level, if it is next and no longer operator of another level is.
    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let rest = self.rest();
        let longest = OPERATOR_LEVELS.iter().flat_map(|level| level.iter()).filter(|one| rest.starts_with(**one));
        let longest = *longest.max_by_key(|one| one.len())?;
        OPERATOR_LEVELS[level].contains(&longest).then(|| {
            self.at += longest.len();
            longest
        })
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        if level == OPERATOR_LEVELS.len() {
            return self.unary();
        }
        let first = self.binary(level + 1)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(level) {
            rest.push((operator, self.binary(level + 1)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Chain(Box::new(first), rest) })
    }

    fn unary(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression is nested too deeply".to_owned());
        }
        let operator = ['-', '!', '~'].into_iter().find(|operator| self.rest().starts_with(*operator));
        let expression = match operator {
            Some(operator) => {
                self.at += 1;
                Ok(Expression::Unary(operator, Box::new(self.unary()?)))
            }
            None => self.primary(),
        };
        self.depth -= 1;
        expression
    }

    fn primary(&mut self) -> Result<Expression, String> {
        if self.take("(") {
            let inner = self.binary(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.take("[") {
            return self.memory(MemorySpace::Generic, "u32");
        }
        // A `%` begins the name of a register; after a value it is an operator.
        let is_word = |c: char| c.is_alphanumeric() || "_$.".contains(c);
        let rest = self.rest();
        let start = usize::from(rest.starts_with('%'));
        let length = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        let word = if length > start { &rest[..length] } else { "" };
        if word.is_empty() {
            return Err(if rest.is_empty() { "expected a value".to_owned() } else { format!("unexpected `{rest}`") });
        }
        // The `%` of a register is an operator after a value.
        self.at += word.len();
        // A parameter may be named by its number.
        let is_index = word.bytes().all(|byte| byte.is_ascii_digit()) && self.text[self.at..].starts_with('[');
        if word.starts_with(|c: char| c.is_ascii_digit()) && !is_index {
            return number(word).ok_or_else(|| format!("invalid number `{word}`"));
        }
        if !self.take("[") {
            return Ok(Expression::Name(word.to_owned()));
        }
        if let Some((space, ty)) = access(word) {
            return self.memory(space, ty);
        }
        let index = self.binary(0)?;
        self.expect("]")?;
        Ok(Expression::Element(word.to_owned(), Box::new(index)))
    }

    fn memory(&mut self, space: MemorySpace, ty: &str) -> Result<Expression, String> {
        let address = self.binary(0)?;
        self.expect("]")?;
        Ok(Expression::Memory(space, ty.to_owned(), Box::new(address)))
    }
}

/// The space and type of an access such as `shared.u32 [%r1]`; each may be missing.
fn access(word: &str) -> Option<(MemorySpace, &str)> {
    let mut found = (MemorySpace::Generic, "u32");
    for part in word.split('.') {
        match part {
            "global" => found.0 = MemorySpace::Global,
            "const" => found.0 = MemorySpace::Constant,
            "shared" => found.0 = MemorySpace::SharedCta,
            "local" => found.0 = MemorySpace::Local,
            "param" => found.0 = MemorySpace::Parameter,
            ty => found.1 = shape_of(ty).map(|_| ty)?,
        }
    }
    Some(found)
}

fn number(word: &str) -> Option<Expression> {
    if let Some(value) = syntax::integer_value(word) {
        return Some(Expression::Integer(value));
    }
    let value = syntax::Number::float(word).or_else(|| word.parse().ok())?;
    Some(Expression::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        fn show(expression: &Expression) -> String {
            match expression {
                Expression::Integer(value) => value.to_string(),
                Expression::Float(value) => format!("{value:?}"),
                Expression::Name(name) => name.clone(),
                Expression::Element(name, index) => format!("{name}[{}]", show(index)),
                Expression::Memory(space, ty, address) => format!("{space:?}.{ty}[{}]", show(address)),
                Expression::Unary(operator, inner) => format!("{operator}{}", show(inner)),
                Expression::Chain(first, rest) => rest
                    .iter()
                    .fold(show(first), |left, (operator, right)| format!("({left} {operator} {})", show(right))),
            }
        }
        Expression::parse(text).map_or_else(|error| error, |expression| show(&expression))
    }

    #[test]
    fn precedence_and_operands() {
        assert_eq!(shown("%r1 + 2 * 3 == 7 && !%p1"), "(((%r1 + (2 * 3)) == 7) && !%p1)");
        assert_eq!(shown("1 << 2 < 3"), "((1 << 2) < 3)");
        assert_eq!(shown("10 - 3 - 2"), "((10 - 3) - 2)");
        assert_eq!(shown("%tid.x%2"), "(%tid.x % 2)");
        assert_eq!(shown("hist[3] >= 0x10"), "(hist[3] >= 16)");
        assert_eq!(shown("[%rd1 + 4]"), "Generic.u32[(%rd1 + 4)]");
        assert_eq!(shown("shared.f32 [%r4]"), "SharedCta.f32[%r4]");
        assert_eq!(shown("-1.5"), "-1.5");
        assert_eq!(shown("2[0] == 1"), "(2[0] == 1)");
    }

    #[test]
    fn errors() {
        assert_eq!(shown(""), "expected a value");
        assert_eq!(shown("(1"), "expected `)`");
        assert_eq!(shown("1 2"), "unexpected `2`");
        assert_eq!(shown("a = 2"), "unexpected `= 2`; for equality write `==`");
        assert_eq!(shown("a == 1 or b"), "unexpected `or b`; for a disjunction write `||`");
        assert_eq!(shown("a and b"), "unexpected `and b`; for a conjunction write `&&`");
        assert_eq!(shown("12x"), "invalid number `12x`");
        assert_eq!(shown(&"(".repeat(100)), "expression is nested too deeply");
    }
}
