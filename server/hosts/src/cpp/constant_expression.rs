//! The values of the expressions of integers that a source writes.

use super::lexer::{CppLexer, CppTokenKind};
use super::number_types::CppParameterType;
use std::cell::Cell;
use std::collections::HashMap;

/// The deepest nesting of names and parentheses that is followed.
const MAX_DEPTH: usize = 16;

/// The most values that an expression is computed from.
const MAX_STEPS: usize = 4096;

/// The binary operators with their precedence, longer ones first.
const OPERATORS: [(&str, u8); 15] = [
    ("||", 1),
    ("&&", 2),
    ("==", 3),
    ("!=", 3),
    ("<=", 4),
    (">=", 4),
    ("<<", 5),
    (">>", 5),
    ("<", 4),
    (">", 4),
    ("+", 6),
    ("-", 6),
    ("*", 7),
    ("/", 7),
    ("%", 7),
];

/// What names of a source stand for in expressions.
#[derive(Default)]
pub(super) struct NamedValues<'t> {
    /// The text of the value of each name, `None` if it has several.
    pub texts: HashMap<&'t str, Option<&'t str>>,
    /// Values that are taken instead.
    pub given: HashMap<String, i64>,
    /// Functions and macros that are one expression.
    pub functions: HashMap<&'t str, ExpressionFunction<'t>>,
}

/// A function, or a macro with parameters, that is one expression.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ExpressionFunction<'t> {
    /// The names of its parameters.
    pub parameters: Vec<&'t str>,
    /// The expression.
    pub body: &'t str,
}

impl NamedValues<'_> {
    /// The value of an expression; `None` if it is not known.
    pub fn value(&self, expression: &str) -> Option<i64> {
        let evaluation = ExpressionEvaluation { names: self, steps: Cell::new(0) };
        evaluation.value(expression, &HashMap::new(), 0)
    }
}

/// The evaluation of an expression, with the names in it.
struct ExpressionEvaluation<'v, 't> {
    names: &'v NamedValues<'t>,
    steps: Cell<usize>,
}

impl ExpressionEvaluation<'_, '_> {
    fn value(&self, expression: &str, locals: &HashMap<&str, i64>, depth: usize) -> Option<i64> {
        let mut parser = HostExpressionParser { lexer: CppLexer::new(expression, 0), evaluation: self, locals, depth };
        let value = parser.conditional()?;
        (parser.lexer.next().kind == CppTokenKind::End).then_some(value)
    }

    /// The value of a name.
    fn named(&self, name: &str, depth: usize) -> Option<i64> {
        if let Some(given) = self.names.given.get(name) {
            return Some(*given);
        }
        let text = (*self.names.texts.get(name)?)?;
        self.value(text, &HashMap::new(), depth)
    }

    /// What a function returns.
    fn called(&self, name: &str, arguments: &[i64], depth: usize) -> Option<i64> {
        match (name, arguments) {
            ("min", [one, other]) => return Some(*one.min(other)),
            ("max", [one, other]) => return Some(*one.max(other)),
            _ => {}
        }
        let ExpressionFunction { parameters, body } = self.names.functions.get(name)?;
        let locals = parameters.iter().copied().zip(arguments.iter().copied()).collect();
        (parameters.len() == arguments.len()).then(|| self.value(body, &locals, depth))?
    }
}

/// Reads an expression by the precedence of its operators.
struct HostExpressionParser<'e, 't> {
    lexer: CppLexer<'e>,
    evaluation: &'e ExpressionEvaluation<'e, 't>,
    locals: &'e HashMap<&'e str, i64>,
    depth: usize,
}

impl HostExpressionParser<'_, '_> {
    /// An expression, `a ? b : c` included.
    fn conditional(&mut self) -> Option<i64> {
        let condition = self.binary(1)?;
        if !self.lexer.peek().is(b'?') {
            return Some(condition);
        }
        self.lexer.next();
        let first = self.conditional()?;
        let second = if self.lexer.next().is(b':') { self.conditional()? } else { return None };
        Some(if condition == 0 { second } else { first })
    }

    /// Operators of at least a precedence.
    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut value = self.unary()?;
        loop {
            let next = self.lexer.peek();
            let rest = &self.lexer.text[next.range.start..];
            let Some((operator, precedence)) = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator)) else {
                return Some(value);
            };
            if *precedence < least {
                return Some(value);
            }
            self.lexer.at = next.range.start + operator.len();
            let right = self.binary(precedence + 1)?;
            value = applied(operator, value, right)?;
        }
    }

    fn unary(&mut self) -> Option<i64> {
        let steps = &self.evaluation.steps;
        steps.set(steps.get() + 1);
        self.depth += 1;
        if self.depth > MAX_DEPTH || steps.get() > MAX_STEPS {
            return None;
        }
        let token = self.lexer.next();
        let text = self.lexer.read(&token.range);
        let value = match token.kind {
            CppTokenKind::Number => number(text),
            CppTokenKind::Word => self.word(text),
            CppTokenKind::Sign(b'-') => self.unary()?.checked_neg(),
            CppTokenKind::Sign(b'+') => self.unary(),
            CppTokenKind::Sign(b'!') => Some((self.unary()? == 0).into()),
            CppTokenKind::Sign(b'(') => match self.cast(b')') {
                true => self.unary(),
                false => self.closed(),
            },
            _ => None,
        };
        self.depth -= 1;
        value
    }

    /// A name, a call, or a size.
    fn word(&mut self, name: &str) -> Option<i64> {
        let next = self.lexer.peek();
        if self.lexer.text[next.range.start..].starts_with("::") {
            self.lexer.at = next.range.start + 2;
            let token = self.lexer.next();
            let name = self.lexer.read(&token.range);
            return if token.kind == CppTokenKind::Word { self.word(name) } else { None };
        }
        match name {
            "sizeof" => return self.size(),
            "static_cast" if next.is(b'<') => {
                self.lexer.next();
                let is_cast = self.cast(b'>') && self.lexer.next().is(b'(');
                return if is_cast { self.closed() } else { None };
            }
            _ => {}
        }
        if !next.is(b'(') {
            let local = self.locals.get(name).copied();
            return local.or_else(|| self.evaluation.named(name, self.depth));
        }
        self.lexer.next();
        if CppParameterType::read(name).is_some() {
            return self.closed();
        }
        let mut arguments = Vec::new();
        while !self.lexer.peek().is(b')') {
            arguments.push(self.conditional()?);
            if self.lexer.peek().is(b',') {
                self.lexer.next();
            } else if !self.lexer.peek().is(b')') {
                return None;
            }
        }
        self.lexer.next();
        self.evaluation.called(name, &arguments, self.depth)
    }

    /// An expression up to the parenthesis that closes it.
    fn closed(&mut self) -> Option<i64> {
        let value = self.conditional()?;
        self.lexer.next().is(b')').then_some(value)
    }

    /// Reads a type up to a bracket; reads nothing if there is none.
    fn cast(&mut self, close: u8) -> bool {
        let mut ahead = self.lexer.clone();
        let start = ahead.at;
        let mut end = ahead.next();
        while matches!(end.kind, CppTokenKind::Word | CppTokenKind::Sign(b':')) {
            end = ahead.next();
        }
        let is_type = end.is(close) && CppParameterType::read(ahead.read(&(start..end.range.start))).is_some();
        if is_type {
            self.lexer = ahead;
        }
        is_type
    }

    /// The bytes of a type after `sizeof`.
    fn size(&mut self) -> Option<i64> {
        let open = self.lexer.next();
        let start = self.lexer.at;
        let mut end = self.lexer.next();
        while !end.is(b')') && end.kind != CppTokenKind::End {
            end = self.lexer.next();
        }
        let ty = self.lexer.read(&(start..end.range.start));
        CppParameterType::read(ty).filter(|_| open.is(b'(')).map(CppParameterType::bytes)
    }
}

/// What an operator makes of two values.
fn applied(operator: &str, one: i64, other: i64) -> Option<i64> {
    match operator {
        "*" => one.checked_mul(other),
        "/" => one.checked_div(other),
        "%" => one.checked_rem(other),
        "+" => one.checked_add(other),
        "-" => one.checked_sub(other),
        "<<" => one.checked_shl(u32::try_from(other).ok()?),
        ">>" => one.checked_shr(u32::try_from(other).ok()?),
        "<" => Some((one < other).into()),
        ">" => Some((one > other).into()),
        "<=" => Some((one <= other).into()),
        ">=" => Some((one >= other).into()),
        "==" => Some((one == other).into()),
        "!=" => Some((one != other).into()),
        "&&" => Some((one != 0 && other != 0).into()),
        _ => Some((one != 0 || other != 0).into()),
    }
}

/// An integer literal.
fn number(text: &str) -> Option<i64> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex.trim_end_matches(['u', 'l', 'z']), 16).ok(),
        None => text.trim_end_matches(['u', 'l', 'z']).parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_their_values() {
        let mut names = NamedValues::default();
        names.texts.insert("n", Some("1000"));
        names.texts.insert("twice", Some("2 * n"));
        names.texts.insert("endless", Some("endless + 1"));
        let ceil = ExpressionFunction { parameters: vec!["a", "b"], body: "((a) + (b) - 1) / (b)" };
        names.functions.insert("ceil_div", ceil);
        for (text, expected) in [
            ("1 + 2 * 3 << 1", Some(14)),
            ("(int)n / 3u", Some(333)),
            ("static_cast<unsigned int>(twice) % 7", Some(5)),
            ("n > 512 && !(n == 3) ? std::min(n, 600) : 0", Some(600)),
            ("at::ceil_div(n, size_t(256)) * sizeof(float)", Some(16)),
            ("0x10UL - -1", Some(17)),
            ("endless", None),
            ("unknown(1)", None),
            ("n +", None),
            ("1.5 * n", None),
        ] {
            assert_eq!(names.value(text), expected, "{text}");
        }
    }
}
