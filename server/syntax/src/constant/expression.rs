//! The parser of constant expressions, generic over the result: a value or a type.

use crate::constant::{ConstantToken, TokenKind};
use crate::lexer::NumberKind;
use std::ops::Range;

/// What is computed for an expression: its value or its type.
pub(super) trait Semantics {
    type Value: Copy;
    type Error;

    /// The result if there is no constant expression, or one that is nested too deep.
    fn unreadable() -> Self::Error;
    fn number(kind: NumberKind, text: &str) -> Result<Self::Value, Self::Error>;
    fn warp_size() -> Self::Value;
    fn unary(sign: &str, operand: Subexpression<Self::Value>) -> Result<Self::Value, Self::Error>;
    fn binary(
        sign: &str,
        left: Subexpression<Self::Value>,
        right: Subexpression<Self::Value>,
    ) -> Result<Self::Value, Self::Error>;
    fn cast(to: Subexpression<&str>, operand: Subexpression<Self::Value>) -> Result<Self::Value, Self::Error>;
    /// `condition ? yes : no`
    fn choice(
        condition: Subexpression<Self::Value>,
        yes: Subexpression<Self::Value>,
        no: Subexpression<Self::Value>,
    ) -> Result<Self::Value, Self::Error>;
}

/// The result for a subexpression, and its range.
#[derive(Clone, Debug)]
pub(super) struct Subexpression<V> {
    pub value: V,
    pub range: Range<usize>,
}

/// Binary operators of constants, lowest precedence first: those of C.
pub const OPERATOR_LEVELS: [&[&str]; 10] = [
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

/// The maximum nesting of parentheses, signs and conditionals.
const DEPTH: usize = 50;

/// Parses the expression at the beginning of the tokens.
pub(super) struct ConstantParser<'t, S> {
    tokens: &'t [ConstantToken<'t>],
    at: usize,
    depth: usize,
    semantics: std::marker::PhantomData<S>,
}

type ParseResult<S> = Result<Subexpression<<S as Semantics>::Value>, <S as Semantics>::Error>;

impl<'t, S: Semantics> ConstantParser<'t, S> {
    pub fn new(tokens: &'t [ConstantToken<'t>]) -> Self {
        ConstantParser { tokens, at: 0, depth: 0, semantics: std::marker::PhantomData }
    }

    /// A whole expression.
    pub fn expression(&mut self) -> ParseResult<S> {
        self.deeper(|parser| {
            let condition = parser.binary(0)?;
            if !parser.take("?") {
                return Ok(condition);
            }
            let yes = parser.expression()?;
            parser.expect(":")?;
            let no = parser.expression()?;
            let range = condition.range.start..no.range.end;
            Ok(Subexpression { value: S::choice(condition, yes, no)?, range })
        })
    }

    fn binary(&mut self, loosest: usize) -> ParseResult<S> {
        let mut left = self.unary()?;
        while let Some((sign, level)) = self.operator().filter(|(_, level)| *level >= loosest) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            let range = left.range.start..right.range.end;
            left = Subexpression { value: S::binary(sign, left, right)?, range };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(&'t str, usize)> {
        let sign = self.text()?;
        OPERATOR_LEVELS.iter().position(|signs| signs.contains(&sign)).map(|level| (sign, level))
    }

    /// An operand: a number or a parenthesized expression, with the signs before it.
    pub fn unary(&mut self) -> ParseResult<S> {
        self.deeper(|parser| {
            let token = *parser.tokens.get(parser.at).ok_or_else(S::unreadable)?;
            parser.at += 1;
            let alone = |value: S::Value| Subexpression { value, range: token.range() };
            match (token.kind, token.text) {
                (TokenKind::Number(kind), text) => S::number(kind, text).map(alone),
                (TokenKind::Word, "WARP_SZ") => Ok(alone(S::warp_size())),
                (TokenKind::Sign, "(") => parser.parenthesised(token.start),
                (TokenKind::Sign, sign @ ("+" | "-" | "!" | "~")) => {
                    let operand = parser.unary()?;
                    let range = token.start..operand.range.end;
                    Ok(Subexpression { value: S::unary(sign, operand)?, range })
                }
                _ => Err(S::unreadable()),
            }
        })
    }

    /// After a `(`: an expression, or the type of a cast and its operand.
    fn parenthesised(&mut self, start: usize) -> ParseResult<S> {
        let cast = self.tokens.get(self.at).filter(|token| token.kind == TokenKind::Dotted);
        let Some(cast) = cast else {
            let inner = self.expression()?;
            let end = self.expect(")")?;
            return Ok(Subexpression { range: start..end, ..inner });
        };
        self.at += 1;
        self.expect(")")?;
        let operand = self.unary()?;
        let range = start..operand.range.end;
        Ok(Subexpression { value: S::cast(Subexpression { value: cast.text, range: cast.range() }, operand)?, range })
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> ParseResult<S>) -> ParseResult<S> {
        self.depth += 1;
        let read = if self.depth > DEPTH { Err(S::unreadable()) } else { read(self) };
        self.depth -= 1;
        read
    }

    fn text(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|token| token.text)
    }

    fn take(&mut self, sign: &str) -> bool {
        let taken = self.text() == Some(sign);
        self.at += usize::from(taken);
        taken
    }

    /// Consumes a required sign and returns its end.
    fn expect(&mut self, sign: &str) -> Result<usize, S::Error> {
        if self.take(sign) { Ok(self.tokens[self.at - 1].range().end) } else { Err(S::unreadable()) }
    }
}
