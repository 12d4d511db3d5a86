//! The integers that a source names: `constexpr` and `const` variables and macros, for the lengths of arrays.

use super::constant_expression::{ExpressionFunction, NamedValues};
use super::declaration_tokens::DeclarationTokens;
use super::lexer::{CppToken, CppTokenKind};
use std::collections::HashSet;

/// The last words of types of integers.
const INTEGERS: [&str; 8] = ["int", "long", "short", "unsigned", "size_t", "int32_t", "uint32_t", "auto"];

/// The words that state what holds for the rest of a function.
const ASSERTIONS: [&str; 3] = ["assert", "TORCH_CHECK", "CHECK"];

/// Named integers, and functions of integers.
#[derive(Default)]
pub(super) struct Constants<'t> {
    named: NamedValues<'t>,
    /// The names of variables that the host changes, or may change.
    changed: HashSet<&'t str>,
    /// The conditions that the host asserts.
    asserted: Vec<&'t str>,
}

impl<'t> Constants<'t> {
    /// The same with the integer variables that the text gives one value and never another one.
    pub fn of_host(text: &'t str) -> Self {
        let mut constants = Self::of(text);
        let mut tokens = DeclarationTokens::of(text);
        let (mut before, mut last) = (None, CppTokenKind::End);
        loop {
            let token = tokens.next();
            let ahead = tokens.lexer.peek();
            match tokens.word(&token) {
                _ if token.kind == CppTokenKind::End => break,
                Some(word) if ASSERTIONS.contains(&word) && ahead.is(b'(') => {
                    constants.asserted.push(value_after(&tokens));
                    before = None;
                }
                Some(name) => {
                    let is_integer = before.is_some_and(|ty| INTEGERS.contains(&ty));
                    let is_assigned = ahead.is(b'=') && !tokens.lexer.text[ahead.range.end..].starts_with('=');
                    if is_integer && is_assigned {
                        constants.add(name, value_after(&tokens));
                    } else if is_assigned || is_changed(&tokens, &last, &ahead) {
                        constants.changed.insert(name);
                    }
                    before = Some(name);
                }
                None => before = None,
            }
            last = token.kind;
        }
        functions(text).into_iter().for_each(|(name, function)| constants.add_function(name, function));
        constants.assume_equalities();
        let Self { named, changed, .. } = &mut constants;
        named.texts.retain(|name, _| !changed.contains(name));
        constants
    }

    /// The same with other values of variables, but of those that the host changes.
    pub fn with(mut self, values: &[(String, u64)]) -> Self {
        let known = values.iter().filter(|(name, _)| !self.changed.contains(&**name));
        let given = known.filter_map(|(name, value)| Some((name.clone(), i64::try_from(*value).ok()?)));
        self.named.given.extend(given);
        self
    }

    /// Whether a name can have another value, as far as the host goes: its value is a number, or not known.
    pub fn is_free(&self, name: &str) -> bool {
        let is_number = |text: &Option<&str>| text.is_some_and(|text| !text.contains(char::is_alphabetic));
        !self.changed.contains(name) && self.named.texts.get(name).is_none_or(is_number)
    }

    /// Whether no condition that the host asserts is known to be false.
    pub fn meets_assertions(&self) -> bool {
        self.asserted.iter().all(|condition| self.named.value(condition) != Some(0))
    }

    /// An asserted `n == 512` is the value of a variable that has no other one.
    fn assume_equalities(&mut self) {
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        for condition in self.asserted.clone() {
            let equal = condition.split_once("==").map(|(name, value)| (name.trim(), value));
            if let Some((name, value)) = equal.filter(|(name, _)| is_name(name) && !self.named.texts.contains_key(name))
            {
                self.add(name, value);
            }
        }
    }

    /// The constants that a text defines, wherever it does.
    pub fn of(text: &'t str) -> Self {
        let mut constants = Self::default();
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

    fn add_function(&mut self, name: &'t str, function: ExpressionFunction<'t>) {
        let known = self.named.functions.entry(name).or_insert_with(|| function.clone());
        if *known != function {
            known.body = "";
        }
    }

    fn add(&mut self, name: &'t str, value: &'t str) {
        let value = value.trim();
        let texts = &mut self.named.texts;
        texts.entry(name).and_modify(|known| *known = known.filter(|known| *known == value)).or_insert(Some(value));
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
        u64::try_from(self.named.value(expression)?).ok()
    }
}

/// The value after the next token.
fn value_after<'t>(tokens: &DeclarationTokens<'t>) -> &'t str {
    let mut value = DeclarationTokens { lexer: tokens.lexer.clone() };
    value.next();
    let start = value.lexer.at;
    let end = value_end(&mut value).range.start;
    &tokens.lexer.text[start..end]
}

/// The functions and macros with parameters that are one expression of them.
fn functions(text: &str) -> Vec<(&str, ExpressionFunction<'_>)> {
    let mut found: Vec<_> = text.lines().filter_map(macro_function).collect();
    let mut tokens = DeclarationTokens::of(text);
    // The name and the start of each open list, and the last one that was closed.
    let (mut open, mut closed, mut name) = (Vec::new(), None, None);
    loop {
        let token = tokens.next();
        match token.kind {
            CppTokenKind::End => return found,
            CppTokenKind::Word => name = tokens.word(&token),
            CppTokenKind::Sign(b'(') => open.push((name.take(), token.range.end)),
            CppTokenKind::Sign(b')') => {
                closed = open.pop().and_then(|(name, start)| Some((name?, start..token.range.start)));
                name = None;
            }
            CppTokenKind::Sign(b'{') => {
                if let Some((name, list)) = closed.take()
                    && let Some(body) = returned(&tokens)
                {
                    found.push((name, ExpressionFunction { parameters: last_words(&text[list]), body }));
                }
            }
            _ => (name, closed) = (None, None),
        }
    }
}

/// The expression of a body that does nothing else than to return it.
fn returned<'t>(tokens: &DeclarationTokens<'t>) -> Option<&'t str> {
    let mut body = DeclarationTokens { lexer: tokens.lexer.clone() };
    let first = body.next();
    let start = body.word(&first).filter(|word| *word == "return").map(|_| body.lexer.at)?;
    let end = value_end(&mut body);
    (end.is(b';') && body.next().is(b'}')).then(|| &tokens.lexer.text[start..end.range.start])
}

/// The names at the end of the parts of a list.
fn last_words(list: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = |part: &'_ str| part.trim_end().rsplit(|c| !is_word(c)).next().map_or(0, str::len);
    list.split(',').map(|part| &part.trim_end()[part.trim_end().len() - name(part)..]).collect()
}

/// The name of a macro with parameters, and its expression.
fn macro_function(line: &str) -> Option<(&str, ExpressionFunction<'_>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.strip_prefix([' ', '\t'])?;
    let (name, rest) = rest.trim_start().split_once('(')?;
    let (list, body) = rest.split_once(')')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| (name, ExpressionFunction { parameters: last_words(list), body: body.trim() }))
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
