//! The integers that a source names: `constexpr` and `const` variables and macros, for the lengths of arrays.

use super::declaration_tokens::DeclarationTokens;
use super::lexer::{CppLexer, CppToken, CppTokenKind};
use super::number_types::CppParameterType;
use std::collections::{HashMap, HashSet};

/// The deepest nesting of names and parentheses that is followed.
const MAX_DEPTH: usize = 16;

/// The last words of types of integers.
const INTEGERS: [&str; 8] = ["int", "long", "short", "unsigned", "size_t", "int32_t", "uint32_t", "auto"];

/// Named integers, by name: the text of each value, `None` if a name has several.
pub(super) struct Constants<'t>(HashMap<&'t str, Option<&'t str>>);

impl<'t> Constants<'t> {
    /// The same with the integer variables that the text gives one value and never another one.
    pub fn of_host(text: &'t str) -> Self {
        let mut constants = Self::of(text);
        let mut tokens = DeclarationTokens::of(text);
        let mut changed = HashSet::new();
        let (mut before, mut last) = (None, CppTokenKind::End);
        loop {
            let token = tokens.next();
            let ahead = tokens.lexer.peek();
            match tokens.word(&token) {
                _ if token.kind == CppTokenKind::End => break,
                Some(name) => {
                    let is_integer = before.is_some_and(|ty| INTEGERS.contains(&ty));
                    let is_assigned = ahead.is(b'=') && !tokens.lexer.text[ahead.range.end..].starts_with('=');
                    if is_integer && is_assigned {
                        let mut value = DeclarationTokens { lexer: tokens.lexer.clone() };
                        value.next();
                        let start = value.lexer.at;
                        let end = value_end(&mut value).range.start;
                        constants.add(name, &text[start..end]);
                    } else if is_assigned || is_changed(&tokens, &last, &ahead) {
                        changed.insert(name);
                    }
                    before = Some(name);
                }
                None => before = None,
            }
            last = token.kind;
        }
        constants.0.retain(|name, _| !changed.contains(name));
        constants
    }

    /// The constants that a text defines, wherever it does.
    pub fn of(text: &'t str) -> Self {
        let mut constants = Constants(HashMap::new());
        text.lines().filter_map(macro_value).for_each(|(name, value)| constants.add(name, value));
        let mut tokens = DeclarationTokens::of(text);
        loop {
            let token = tokens.next();
            match tokens.word(&token) {
                Some("constexpr" | "const") => constants.add_declared(&mut tokens),
                _ if token.kind == CppTokenKind::End => return constants,
                _ => {}
            }
        }
    }

    fn add(&mut self, name: &'t str, value: &'t str) {
        let value = value.trim();
        self.0.entry(name).and_modify(|known| *known = known.filter(|known| *known == value)).or_insert(Some(value));
    }

    /// The constants of a declaration: `int A = 2, B = A * 4;`.
    fn add_declared(&mut self, tokens: &mut DeclarationTokens<'t>) {
        let mut name = None;
        loop {
            let token = tokens.next();
            match &token.kind {
                CppTokenKind::Word => name = tokens.word(&token),
                CppTokenKind::Sign(b',') => name = None,
                CppTokenKind::Sign(b'=') => {
                    let start = token.range.end;
                    let end = value_end(tokens);
                    let value = &tokens.lexer.text[start..end.range.start];
                    name.take().into_iter().for_each(|name| self.add(name, value));
                    if !end.is(b',') {
                        return;
                    }
                }
                CppTokenKind::Sign(_) | CppTokenKind::End => return,
                _ => {}
            }
        }
    }

    /// The value of an expression of integers; `None` if it is not known.
    pub fn value(&self, expression: &str) -> Option<u64> {
        u64::try_from(self.number(expression, 0)?).ok()
    }

    fn number(&self, expression: &str, depth: usize) -> Option<i64> {
        let mut parser = CppConstantParser { lexer: CppLexer::new(expression, 0), constants: self, depth };
        let value = parser.binary(0)?;
        (parser.lexer.next().kind == CppTokenKind::End).then_some(value)
    }
}

/// Whether a name is changed, or may be: by `+=`, `++` and their like, or through its address or a stream.
fn is_changed(tokens: &DeclarationTokens, before: &CppTokenKind, after: &CppToken) -> bool {
    let rest = &tokens.lexer.text[after.range.start..];
    let is_compound = rest.get(1..2) == Some("=") && rest.starts_with(['+', '-', '*', '/', '%', '&', '|', '^']);
    let is_shifted = rest.starts_with("<<=") || rest.starts_with(">>=");
    let is_counted = rest.starts_with("++") || rest.starts_with("--");
    let is_taken = matches!(before, CppTokenKind::Sign(b'&' | b'+' | b'-') if is_doubled(tokens, before));
    is_compound || is_shifted || is_counted || is_taken
}

/// Whether the name just read is behind `&`, which is no operator between two values, or behind `++` or `--`.
fn is_doubled(tokens: &DeclarationTokens, before: &CppTokenKind) -> bool {
    let CppTokenKind::Sign(sign) = before else { return false };
    let text =
        tokens.lexer.text[..tokens.lexer.at].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').trim_end();
    let text = text.strip_suffix(char::from(*sign)).unwrap_or(text).trim_end();
    match sign {
        b'&' => text.ends_with(['(', ',', '=', '{']),
        _ => text.ends_with(char::from(*sign)),
    }
}

/// The token that ends a value: a comma, semicolon or closing bracket outside of brackets, or the end.
pub(super) fn value_end(tokens: &mut DeclarationTokens) -> CppToken {
    let mut depth = 0;
    loop {
        let token = tokens.next();
        match token.kind {
            CppTokenKind::Sign(b'(' | b'[' | b'{') => depth += 1,
            CppTokenKind::Sign(b')' | b']' | b'}') if depth > 0 => depth -= 1,
            CppTokenKind::Sign(b',') if depth == 0 => return token,
            CppTokenKind::Sign(b';' | b')' | b']' | b'}') | CppTokenKind::End => return token,
            _ => {}
        }
    }
}

/// The name and the value of a macro without parameters.
fn macro_value(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let (name, value) = rest.split_once([' ', '\t'])?;
    (!name.contains('(')).then_some((name, value))
}

/// Reads an expression by the precedence of its operators.
struct CppConstantParser<'c, 't> {
    lexer: CppLexer<'c>,
    constants: &'c Constants<'t>,
    depth: usize,
}

impl CppConstantParser<'_, '_> {
    /// Operators of at least a precedence.
    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut value = self.unary()?;
        loop {
            let mut ahead = self.lexer.clone();
            let CppTokenKind::Sign(sign) = ahead.next().kind else { return Some(value) };
            let precedence = match sign {
                b'*' | b'/' | b'%' => 3,
                b'+' | b'-' => 2,
                b'<' | b'>' if ahead.next().is(sign) => 1,
                _ => return Some(value),
            };
            if precedence < least {
                return Some(value);
            }
            self.lexer = ahead;
            let right = self.binary(precedence + 1)?;
            value = match sign {
                b'*' => value.checked_mul(right)?,
                b'/' => value.checked_div(right)?,
                b'%' => value.checked_rem(right)?,
                b'+' => value.checked_add(right)?,
                b'-' => value.checked_sub(right)?,
                b'<' => value.checked_shl(u32::try_from(right).ok()?)?,
                _ => value.checked_shr(u32::try_from(right).ok()?)?,
            };
        }
    }

    fn unary(&mut self) -> Option<i64> {
        let token = self.lexer.next();
        let text = self.lexer.read(&token.range);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = match token.kind {
            CppTokenKind::Number => number(text),
            CppTokenKind::Word if text == "sizeof" => {
                let open = self.lexer.next();
                let start = self.lexer.at;
                let mut end = self.lexer.next();
                while !end.is(b')') && end.kind != CppTokenKind::End {
                    end = self.lexer.next();
                }
                let ty = self.lexer.read(&(start..end.range.start));
                CppParameterType::read(ty).filter(|_| open.is(b'(')).map(CppParameterType::bytes)
            }
            CppTokenKind::Word => {
                let value = (*self.constants.0.get(text)?)?;
                self.constants.number(value, self.depth)
            }
            CppTokenKind::Sign(b'-') => self.unary()?.checked_neg(),
            CppTokenKind::Sign(b'(') => {
                let value = self.binary(0)?;
                self.lexer.next().is(b')').then_some(value)
            }
            _ => None,
        };
        self.depth -= 1;
        value
    }
}

/// An integer literal.
fn number(text: &str) -> Option<i64> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l', 'z']);
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}
